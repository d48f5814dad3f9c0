<?php
// A receiver in PHP, served by PHP's own server on PORT: it checks each signature, and reads with curl what a message is about.

if (PHP_SAPI === 'cli') {
    // The server that it is served by is this program from here on.
    pcntl_exec(PHP_BINARY, ['-S', '127.0.0.1:' . getenv('PORT'), __FILE__]);
}

/** Whether one of the secrets has signed it, within five minutes. */
function is_genuine(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $sent = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    $signature = $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '';
    if (!ctype_digit($sent) || abs(time() - (int) $sent) > 300) return false;
    foreach (explode(' ', getenv('SANDBOX_WEBHOOK_SECRETS')) as $secret) {
        $key = base64_decode(substr($secret, strlen('whsec_')));
        if (hash_equals(base64_encode(hash_hmac('sha256', "$id.$sent.$body", $key, true)), $signature)) return true;
    }
    return false;
}

/** What is busy or lost is asked again, later each time, and not before it may be. */
function ask(string $url, array $options): array
{
    for ($attempt = 0; ; $attempt++) {
        $curl = curl_init($url);
        curl_setopt_array($curl, $options + [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 5]);
        $text = curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if (($text !== false && $status !== 429 && $status < 500) || $attempt === 5) return [$status, (string) $text];
        usleep(max(1_000_000 * curl_getinfo($curl, CURLINFO_RETRY_AFTER), 100_000 * 2 ** $attempt));
    }
}

function read_booking(string $id): void
{
    $form = http_build_query([
        'grant_type' => 'client_credentials',
        'audience' => getenv('SANDBOX_URL'),
        'scope' => 'booking.read',
        'client_id' => getenv('SANDBOX_CLIENT_ID'),
        'client_secret' => getenv('SANDBOX_CLIENT_SECRET'),
    ]);
    [, $text] = ask(getenv('SANDBOX_TOKEN_URL'), [CURLOPT_POSTFIELDS => $form]);
    $token = json_decode($text)->access_token ?? '';
    $headers = ["authorization: Bearer $token", 'accept-language: en'];
    ask(getenv('SANDBOX_URL') . '/v1/bookings/' . rawurlencode($id), [CURLOPT_HTTPHEADER => $headers]);
}

$body = file_get_contents('php://input');
if (!is_genuine($body)) {
    http_response_code(401);
    return;
}
http_response_code(204);
$message = json_decode($body);
if (str_starts_with($message->type ?? '', 'v1.booking.')) read_booking($message->payload->booking_id);
