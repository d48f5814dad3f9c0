<?php
declare(strict_types=1);

// Prints the plan of a day for the skippers: each boat by its local time, with the name of its tour.
final class Api
{
    private ?string $token = null;

    public function get(string $path, array $query = []): array
    {
        $url = getenv('SANDBOX_URL') . $path . ($query ? '?' . http_build_query($query) : '');
        $this->token ??= $this->signIn();
        [$status, $data] = $this->send($url, null);
        if ($status === 401) {
            $this->token = $this->signIn();
            [$status, $data] = $this->send($url, null);
        }
        if ($status !== 200) throw new RuntimeException("$path: $status");
        return $data;
    }

    public function all(string $path, array $query = []): Generator
    {
        do {
            $page = $this->get($path, $query);
            yield from $page['items'];
            $query['cursor'] = $page['next'] ?? '';
        } while ($query['cursor'] !== '');
    }

    private function signIn(): string
    {
        [$status, $data] = $this->send(getenv('SANDBOX_TOKEN_URL'), [
            'grant_type' => 'client_credentials', 'scope' => 'event.read experience.read', 'audience' => getenv('SANDBOX_URL'),
            'client_id' => getenv('SANDBOX_CLIENT_ID'), 'client_secret' => getenv('SANDBOX_CLIENT_SECRET'),
        ]);
        return $data['access_token'] ?? throw new RuntimeException("no token: $status");
    }

    private function send(string $url, ?array $form): array
    {
        $wait = 200_000;
        for ($try = 0; $try < 6; $try++, $wait *= 2) {
            $context = stream_context_create(['http' => [
                'method' => $form ? 'POST' : 'GET', 'timeout' => 6, 'ignore_errors' => true,
                'header' => $form ? 'Content-Type: application/x-www-form-urlencoded' : ["Authorization: Bearer $this->token", 'Accept-Language: da, en;q=0.5'],
                'content' => $form ? http_build_query($form) : '',
            ]]);
            $body = @file_get_contents($url, false, $context);
            $status = $body === false ? 0 : (int) explode(' ', $http_response_header[0])[1];
            if ($status !== 0 && $status !== 429 && $status < 500) return [$status, json_decode($body, true)];
            preg_match('/retry-after: (\d+)/i', implode("\n", $http_response_header ?? []), $asked);
            usleep(max($wait, 1_000_000 * (int) ($asked[1] ?? 0)));
        }
        throw new RuntimeException("$url is out of reach");
    }
}

$api = new Api();
$names = [];
foreach ($api->all('/v1/experiences', ['limit' => 20]) as $experience) $names[$experience['id']] = $experience['name'] ?? $experience['id'];
$plan = [];
foreach ($api->all('/v1/events', ['from' => '2030-06-05T00:00:00', 'to' => '2030-06-06T00:00:00', 'limit' => 50]) as $event) {
    foreach ($event['sessions'] as $session) {
        $plan[] = sprintf("%s %-24s %s", substr($session['start_time'], 11, 5), $names[$event['experience_id']] ?? '?', $event['state'] ?? '');
    }
}
sort($plan);
echo implode("\n", $plan), "\n";
