<?php
// The shop writes wishes to a file; this worker turns each into one booking. A wish is "open", then "sent" before the
// request leaves, then "booked" or "rejected". A wish found "sent" is looked up first.
$file = getenv('SANDBOX_RUN_FOLDER') . '/outbox.json';
if (!is_file($file)) {
    file_put_contents($file, json_encode([
        ['ref' => 'web-1', 'guest' => 'Per Juul', 'state' => 'open'],
        ['ref' => 'web-2', 'guest' => 'Liv Toft', 'state' => 'open'],
    ]));
}

function request(string $method, string $path, ?array $json = null, bool $fresh = false): array
{
    static $token = null;
    if ($token === null || $fresh) $token = login();
    $options = [CURLOPT_CUSTOMREQUEST => $method, CURLOPT_HTTPHEADER => ["Authorization: Bearer $token", 'Content-Type: application/json']];
    if ($json !== null) $options[CURLOPT_POSTFIELDS] = json_encode($json);
    $result = curl(getenv('SANDBOX_URL') . $path, $options, $method === 'GET');
    return $result['status'] === 401 && !$fresh ? request($method, $path, $json, true) : $result;
}

function curl(string $url, array $options, bool $repeatable): array
{
    for ($try = 1;; $try++) {
        $c = curl_init($url);
        curl_setopt_array($c, $options + [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 7]);
        $body = curl_exec($c);
        $status = $body === false ? 0 : curl_getinfo($c, CURLINFO_RESPONSE_CODE);
        $passes = $status === 429 || $status === 503 || ($status === 0 && $repeatable);
        if (!$passes || $try === 6) return ['status' => $status, 'data' => json_decode((string) $body, true)];
        usleep((int) max(curl_getinfo($c, CURLINFO_RETRY_AFTER) * 1e6, 2 ** $try * 1e5));
    }
}

function login(): string
{
    $result = curl(getenv('SANDBOX_TOKEN_URL'), [CURLOPT_POSTFIELDS => http_build_query([
        'grant_type' => 'client_credentials',
        'scope' => 'booking.read booking.write',
        'audience' => getenv('SANDBOX_URL'),
        'client_id' => getenv('SANDBOX_CLIENT_ID'),
        'client_secret' => getenv('SANDBOX_CLIENT_SECRET'),
    ])], true);
    return $result['data']['access_token'] ?? exit(fwrite(STDERR, "no token\n"));
}

function save(array $wishes): void
{
    global $file;
    file_put_contents("$file.new", json_encode($wishes));
    rename("$file.new", $file);
}

$wishes = json_decode(file_get_contents($file), true);
foreach ($wishes as &$wish) {
    while (in_array($wish['state'], ['open', 'sent'])) {
        if ($wish['state'] === 'sent') {
            $recent = request('GET', '/v1/bookings?sort=-created_at&limit=25')['data']['items'] ?? exit(1);
            $mine = array_filter($recent, fn ($b) => ($b['metadata']['wish'] ?? '') === $wish['ref']);
            $wish['state'] = $mine ? 'booked' : 'open';
        } else {
            $wish['state'] = 'sent';
            save($wishes);
            $result = request('POST', '/v1/bookings', [
                'event_id' => 'evt-tomorrow-evening', 'locale' => 'da', 'metadata' => ['wish' => $wish['ref']],
                'items' => [['type_id' => 'var-adult', 'item_type' => 'VARIANT', 'quantity' => 1]],
                'customer' => ['customer_type' => 'PRIVATE', 'name' => $wish['guest'], 'email' => 'guest@example.com',
                    'address' => ['address_lines' => ['Torvet 1'], 'city' => 'Ribe', 'zip_code' => '6760', 'country' => 'DK']],
            ]);
            if ($result['status'] === 201) $wish['state'] = 'booked';
            elseif (in_array($result['status'], [400, 403, 404, 409])) $wish['state'] = 'rejected';
            elseif ($result['status'] !== 0) exit(1);
        }
        save($wishes);
    }
}
