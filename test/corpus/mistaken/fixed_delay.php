<?php
// Reads one event after the other for a wall calendar. Waits half a second after each failure, however many there were.
$base = getenv('SANDBOX_URL');
$token = null;

function request(string $url, array $options): array
{
    for ($left = 10; ; $left--) {
        $c = curl_init($url);
        curl_setopt_array($c, $options + [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 5]);
        $body = curl_exec($c);
        $status = curl_getinfo($c, CURLINFO_HTTP_CODE);
        if ($left === 0 || ($body !== false && $status !== 429 && $status !== 503)) return [$status, json_decode((string) $body, true)];
        $after = curl_getinfo($c, CURLINFO_RETRY_AFTER);
        usleep($after > 0 ? $after * 1_000_000 + 10_000 : 500_000);
    }
}

function sign_in(): string
{
    $fields = ['grant_type' => 'client_credentials', 'audience' => getenv('SANDBOX_URL'), 'scope' => 'event.read'];
    $fields += ['client_id' => getenv('SANDBOX_CLIENT_ID'), 'client_secret' => getenv('SANDBOX_CLIENT_SECRET')];
    return request(getenv('SANDBOX_TOKEN_URL'), [CURLOPT_POSTFIELDS => http_build_query($fields)])[1]['access_token'];
}

foreach (['evt-evening', 'evt-morning', 'evt-hudson', 'evt-tea', 'evt-charter'] as $id) {
    $token ??= sign_in();
    [$status, $event] = request("$base/v1/events/$id", [CURLOPT_HTTPHEADER => ["Authorization: Bearer $token"]]);
    if ($status === 401) {
        $token = sign_in();
        [$status, $event] = request("$base/v1/events/$id", [CURLOPT_HTTPHEADER => ["Authorization: Bearer $token"]]);
    }
    if ($status === 404) continue;
    if ($status !== 200) exit(1);
    echo $event['sessions'][0]['start_time'] ?? '', ' ', $id, "\n";
}
