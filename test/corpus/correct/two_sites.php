<?php
/*
 * Cron, every five minutes: the web shop of the hotel drops orders as lines into a file. This script moves the file
 * aside under a lock, books each line, and appends what happened to a log. A line that fails stays for the next time.
 */
$dir = getenv('SANDBOX_RUN_FOLDER');
$lock = fopen("$dir/lock", 'c');
if (!flock($lock, LOCK_EX | LOCK_NB)) exit(0);
if (!file_exists("$dir/orders.txt")) file_put_contents("$dir/orders.txt", "H-501;Maja Lund;2\nH-502;Kim Ravn;1\n");

$ch = curl_init();
$bearer = '';

function go(array $opt): array
{
    global $ch;
    curl_reset($ch);
    // On a connection that is kept, curl itself sends a request again whose response is lost, also a POST.
    curl_setopt_array($ch, $opt + [CURLOPT_RETURNTRANSFER => 1, CURLOPT_TIMEOUT => 6, CURLOPT_FORBID_REUSE => true]);
    $text = curl_exec($ch);
    return [curl_errno($ch) ? 0 : curl_getinfo($ch, CURLINFO_HTTP_CODE), json_decode((string) $text), curl_getinfo($ch, CURLINFO_RETRY_AFTER)];
}

function login(): void
{
    global $bearer;
    foreach ([1, 2, 4, 8] as $pause) {
        [$code, $reply] = go([CURLOPT_URL => getenv('SANDBOX_TOKEN_URL'), CURLOPT_POSTFIELDS => http_build_query([
            'grant_type' => 'client_credentials', 'audience' => getenv('SANDBOX_URL'), 'scope' => 'booking.read booking.write',
            'client_id' => getenv('SANDBOX_CLIENT_ID'), 'client_secret' => getenv('SANDBOX_CLIENT_SECRET'),
        ])]);
        if ($code === 200) { $bearer = $reply->access_token; return; }
        sleep($pause);
    }
    exit(75);
}

function api(string $path, ?array $body = null): array
{
    global $bearer;
    if (!$bearer) login();
    $opt = fn ($bearer) => [CURLOPT_URL => getenv('SANDBOX_URL') . $path, CURLOPT_HTTPHEADER => ["Authorization: Bearer $bearer", 'Content-Type: application/json']]
        + ($body ? [CURLOPT_POSTFIELDS => json_encode($body)] : []);
    $result = go($opt($bearer));
    if ($result[0] === 401) { login(); $result = go($opt($bearer)); }
    for ($pause = 0.3; in_array($result[0], [429, 503]) && $pause < 6; $pause *= 2) {
        usleep((int) (1e6 * max($pause, $result[2])));
        $result = go($opt($bearer));
    }
    return $result;
}

function is_there(string $no): bool
{
    for ($i = 0; $i < 4; $i++) {
        [$code, $page] = api('/v1/bookings?sort=-created_at&limit=100');
        if ($code === 200) return (bool) array_filter($page->items, fn ($b) => ($b->metadata->hotel ?? null) === $no);
        if ($code !== 0 && $code < 429) break;
        usleep(400_000);
    }
    exit(75);
}

$left = [];
foreach (file("$dir/orders.txt", FILE_IGNORE_NEW_LINES) as $line) {
    [$no, $name, $count] = explode(';', $line);
    if (is_there($no)) { $code = 201; } else {
        [$code] = api('/v1/bookings', [
            'event_id' => 'evt-evening', 'locale' => 'da', 'metadata' => ['hotel' => $no],
            'customer' => ['customer_type' => 'COMPANY', 'company_name' => 'Hotel Havn', 'name' => $name, 'email' => 'hotel@example.com',
                'address' => ['address_lines' => ['Vestergade 2'], 'city' => 'Aarhus', 'zip_code' => '8000', 'country' => 'DK']],
            'items' => [['type_id' => 'var-adult', 'item_type' => 'VARIANT', 'quantity' => (int) $count]],
        ]);
        if ($code === 0 && is_there($no)) $code = 201;
    }
    if ($code === 0 || $code >= 429) $left[] = $line;
    else file_put_contents("$dir/log", "$no " . ($code === 201 ? 'booked' : "rejected $code") . "\n", FILE_APPEND);
}
file_put_contents("$dir/orders.txt", implode("\n", $left));
exit($left ? 75 : 0);
