<?php
namespace Shop;

/** The price list in the language of the guest, kept for the day in a file. */
interface Transport { public function send(string $method, string $url, array $headers, string $body = ''): Response; }

final class Response
{
    public function __construct(public readonly int $status, public readonly array $headers, public readonly string $body) {}
    public function json(): array { return json_decode($this->body, true, flags: JSON_THROW_ON_ERROR); }
}

final class Curl implements Transport
{
    public function send(string $method, string $url, array $headers, string $body = ''): Response
    {
        $received = [];
        $curl = curl_init($url);
        curl_setopt_array($curl, [CURLOPT_CUSTOMREQUEST => $method, CURLOPT_HTTPHEADER => $headers, CURLOPT_TIMEOUT => 6, CURLOPT_RETURNTRANSFER => true,
            CURLOPT_HEADERFUNCTION => function ($_, $line) use (&$received) {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $received[strtolower($name)] = trim($value);
                return strlen($line);
            }] + ($body === '' ? [] : [CURLOPT_POSTFIELDS => $body]));
        $text = curl_exec($curl);
        return $text === false ? new Response(0, [], '') : new Response(curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $received, $text);
    }
}

final class Patient implements Transport
{
    public function __construct(private Transport $inner) {}

    public function send(string $method, string $url, array $headers, string $body = ''): Response
    {
        for ($attempt = 0; ; $attempt++) {
            $response = $this->inner->send($method, $url, $headers, $body);
            if (!in_array($response->status, [0, 429, 503]) || $attempt === 5) return $response;
            usleep((int) (1e6 * max((float) ($response->headers['retry-after'] ?? 0), 0.2 * 2 ** $attempt)));
        }
    }
}

final class Authorized implements Transport
{
    private string $token = '';

    public function __construct(private Transport $inner) {}

    public function send(string $method, string $url, array $headers, string $body = ''): Response
    {
        $this->token = $this->token ?: $this->login();
        $response = $this->inner->send($method, $url, [...$headers, "Authorization: Bearer $this->token"], $body);
        if ($response->status !== 401) return $response;
        $this->token = $this->login();
        return $this->inner->send($method, $url, [...$headers, "Authorization: Bearer $this->token"], $body);
    }

    private function login(): string
    {
        $form = ['grant_type' => 'client_credentials', 'scope' => 'experience.read', 'audience' => getenv('SANDBOX_URL')];
        $form += ['client_id' => getenv('SANDBOX_CLIENT_ID'), 'client_secret' => getenv('SANDBOX_CLIENT_SECRET')];
        return $this->inner->send('POST', getenv('SANDBOX_TOKEN_URL'), [], http_build_query($form))->json()['access_token'];
    }
}

$api = new Authorized(new Patient(new Curl()));
$list = [];
foreach (['exp-canal', 'exp-dinner', 'exp-tea'] as $experience) {
    $response = $api->send('GET', getenv('SANDBOX_URL') . "/v1/experiences/$experience/ticket-variants?limit=50", ['Accept-Language: de, en;q=0.9, da;q=0.1']);
    if ($response->status !== 200) exit(1);
    foreach ($response->json()['items'] as $variant) $list[$experience][] = [$variant['name'] ?? $variant['id'], $variant['price'] ?? null];
}
file_put_contents(getenv('SANDBOX_RUN_FOLDER') . '/prices.json', json_encode($list));
