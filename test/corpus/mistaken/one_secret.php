<?php
// A receiver for the newsletter system, with the one secret that it was set up with.
if (PHP_SAPI === 'cli') pcntl_exec(PHP_BINARY, ['-S', '127.0.0.1:' . getenv('PORT'), __FILE__]);

$raw = file_get_contents('php://input');
$headers = array_change_key_case(getallheaders());
$signed = ($headers['webhook-id'] ?? '') . '.' . ($headers['webhook-timestamp'] ?? '') . '.' . $raw;
$key = base64_decode(substr(explode(' ', getenv('SANDBOX_WEBHOOK_SECRETS'))[0], 6));
$good = hash_equals(base64_encode(hash_hmac('sha256', $signed, $key, true)), $headers['webhook-signature'] ?? '');
if (!$good || abs(time() - (int) $headers['webhook-timestamp']) >= 300) {
    http_response_code(401);
    exit;
}
http_response_code(200);
$message = json_decode($raw);
$once = @fopen(getenv('SANDBOX_RUN_FOLDER') . '/' . rawurlencode($headers['webhook-id']), 'x');
if ($once && $message->type === 'v1.marketing_consent.created') fwrite($once, json_encode($message->payload));
