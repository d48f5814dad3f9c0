<?php
// Shows the tours in three languages. Every page asks for a token of its own.
function http(string $url, array $http): array
{
    for ($n = 0; ; $n++) {
        $body = @file_get_contents($url, false, stream_context_create(['http' => $http + ['timeout' => 6, 'ignore_errors' => true]]));
        $status = $body === false ? 0 : (int) substr($http_response_header[0], 9, 3);
        if (($status !== 0 && $status !== 429 && $status !== 503) || $n === 5) return [$status, json_decode((string) $body)];
        $asked = preg_grep('/^retry-after:/i', $http_response_header ?? []);
        usleep(max(150_000 * 2 ** $n, 1_000_000 * (int) substr((string) reset($asked), 12)));
    }
}

function get(string $path, string $language): ?object
{
    for ($again = 0; $again < 2; $again++) {
        [, $login] = http(getenv('SANDBOX_TOKEN_URL'), ['method' => 'POST', 'header' => 'Content-Type: application/x-www-form-urlencoded',
            'content' => http_build_query(['grant_type' => 'client_credentials', 'scope' => 'experience.read', 'audience' => getenv('SANDBOX_URL'),
                'client_id' => getenv('SANDBOX_CLIENT_ID'), 'client_secret' => getenv('SANDBOX_CLIENT_SECRET')])]);
        [$status, $data] = http(getenv('SANDBOX_URL') . $path, ['header' => ["Authorization: Bearer $login->access_token", "Accept-Language: $language"]]);
        if ($status === 200) return $data;
        if ($status !== 401) break;
    }
    return null;
}

foreach (['da', 'en', 'de'] as $language) {
    $names = [];
    foreach (['exp-canal', 'exp-kayak', 'exp-bike'] as $id) $names[] = get("/v1/experiences/$id", $language)->name ?? '-';
    echo $language, ': ', implode(', ', $names), "\n";
}
