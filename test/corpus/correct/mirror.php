<?php
// A receiver on PHP's own server. Each message makes it read the bookings that changed last, so it needs no memory of
// messages, and one that is lost is made up for by the next. The mirror is one file, written under a lock.
if (PHP_SAPI === 'cli') {
    file_put_contents(getenv('SANDBOX_RUN_FOLDER') . '/mirror.json', '{}');
    pcntl_exec(PHP_BINARY, ['-S', '127.0.0.1:' . getenv('PORT'), __FILE__]);
}

function verify(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    foreach (explode(' ', (string) getenv('SANDBOX_WEBHOOK_SECRETS')) as $secret) {
        $mac = hash_hmac('sha256', "$id.$time.$body", base64_decode(str_replace('whsec_', '', $secret)), true);
        if (hash_equals(base64_encode($mac), $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '')) return abs(time() - intval($time)) < 300;
    }
    return false;
}

function call(string $url, array $headers, ?array $form = null): ?array
{
    foreach ([100, 250, 600, 1400, 3000, 0] as $pause) {
        $curl = curl_init($url);
        curl_setopt_array($curl, [CURLOPT_HTTPHEADER => $headers, CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 4]);
        if ($form) curl_setopt($curl, CURLOPT_POSTFIELDS, http_build_query($form));
        $text = curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($status === 200) return json_decode($text, true);
        if ($status !== 0 && $status !== 429 && $status < 500) return ['status' => $status];
        usleep(1000 * max($pause, 1000 * curl_getinfo($curl, CURLINFO_RETRY_AFTER)));
    }
    return null;
}

function token($file, bool $renew): string
{
    rewind($file);
    $kept = stream_get_contents($file);
    if ($kept !== '' && !$renew) return $kept;
    $reply = call(getenv('SANDBOX_TOKEN_URL'), [], ['grant_type' => 'client_credentials', 'scope' => 'booking.read', 'audience' => getenv('SANDBOX_URL'),
        'client_id' => getenv('SANDBOX_CLIENT_ID'), 'client_secret' => getenv('SANDBOX_CLIENT_SECRET')]);
    ftruncate($file, 0);
    rewind($file);
    fwrite($file, $reply['access_token'] ?? '');
    return $reply['access_token'] ?? '';
}

if (!verify(file_get_contents('php://input'))) { http_response_code(401); return; }
http_response_code(204);
header('Content-Length: 0');
$folder = getenv('SANDBOX_RUN_FOLDER');
$lock = fopen("$folder/token", 'c+');
flock($lock, LOCK_EX);
$read = fn ($renew) => call(getenv('SANDBOX_URL') . '/v1/bookings?sort=-updated_at&limit=12', ['Authorization: Bearer ' . token($lock, $renew)]);
$page = $read(false);
if (($page['status'] ?? 0) === 401) $page = $read(true);
$mirror = json_decode(file_get_contents("$folder/mirror.json"), true);
foreach ($page['items'] ?? [] as $booking) $mirror[$booking['id']] = $booking['status'] ?? 'UNKNOWN';
file_put_contents("$folder/mirror.json", json_encode($mirror));
