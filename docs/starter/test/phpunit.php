<?php

// Run with: npx --no-install sandbox exec -- vendor/bin/phpunit tests

use PHPUnit\Framework\TestCase;

final class FirstBookingTest extends TestCase
{
    public function testTheBookingForTonightIsThere(): void
    {
        // Your own code runs here, with the SANDBOX_ variables.
        $headers = ['Authorization: Bearer ' . $this->fetchToken()];
        $response = $this->send(getenv('SANDBOX_URL') . '/v1/bookings/bkg-tonight', ['header' => $headers]);
        $this->assertSame('ACTIVE', $response['status']);
    }

    private function fetchToken(): string
    {
        $form = [
            'grant_type' => 'client_credentials',
            'audience' => getenv('SANDBOX_URL'),
            'client_id' => getenv('SANDBOX_CLIENT_ID'),
            'client_secret' => getenv('SANDBOX_CLIENT_SECRET'),
        ];
        $request = [
            'method' => 'POST',
            'header' => ['Content-Type: application/x-www-form-urlencoded'],
            'content' => http_build_query($form),
        ];
        return $this->send(getenv('SANDBOX_TOKEN_URL'), $request)['access_token'];
    }

    private function send(string $url, array $request): array
    {
        $context = stream_context_create(['http' => $request]);
        return json_decode(file_get_contents($url, false, $context), true);
    }
}
