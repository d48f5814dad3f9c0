<?php
// Counts messages by kind, in a file. What it has no counter for is answered with 400, and so sent again for days.
if (PHP_SAPI === 'cli') pcntl_exec(PHP_BINARY, ['-d', 'display_errors=stderr', '-S', '127.0.0.1:' . getenv('PORT'), __FILE__]);

const KINDS = ['v1.event.created', 'v1.event.updated', 'v1.event.cancelled', 'v1.event.completed', 'v1.event.deleted',
    'v1.experience.created', 'v1.experience.updated', 'v1.experience.deleted', 'v1.booking.created', 'v1.booking.updated',
    'v1.booking.cancelled', 'v1.accounting_journal_entry.created', 'v1.accounting_journal_entry.document_attached', 'v1.marketing_consent.created'];

function signed(string $body): bool
{
    ['HTTP_WEBHOOK_ID' => $id, 'HTTP_WEBHOOK_TIMESTAMP' => $at, 'HTTP_WEBHOOK_SIGNATURE' => $signature] = $_SERVER
        + ['HTTP_WEBHOOK_ID' => '', 'HTTP_WEBHOOK_TIMESTAMP' => '0', 'HTTP_WEBHOOK_SIGNATURE' => ''];
    $fits = fn ($secret) => hash_equals(base64_encode(hash_hmac('sha256', "$id.$at.$body", base64_decode(substr($secret, 6)), true)), $signature);
    return abs(time() - (int) $at) < 300 && array_filter(explode(' ', getenv('SANDBOX_WEBHOOK_SECRETS')), $fits);
}

$body = file_get_contents('php://input');
if (!signed($body)) { http_response_code(401); exit; }
$kind = json_decode($body, true)['type'] ?? '';
if (!in_array($kind, KINDS)) { http_response_code(400); exit; }
http_response_code(204);
$file = getenv('SANDBOX_RUN_FOLDER') . '/' . sha1($_SERVER['HTTP_WEBHOOK_ID']);
if (!file_exists($file)) file_put_contents($file, $kind);
