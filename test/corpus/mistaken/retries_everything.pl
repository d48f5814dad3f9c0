#!/usr/bin/perl
# Fetches the questions that guests answer. Each failure is taken for a passing one, also a 404.
use strict; use warnings;
use HTTP::Tiny; use JSON::PP; use Time::HiRes 'sleep';

my $http = HTTP::Tiny->new(timeout => 6);
my $token;

sub ask {
    my ($method, $url, $options) = @_;
    my $reply;
    for my $try (0 .. 6) {
        $reply = $http->request($method, $url, $options->());
        return decode_json($reply->{content}) if $reply->{success};
        undef $token if $reply->{status} == 401;
        my $after = $reply->{headers}{'retry-after'} // 0;
        my $pause = 0.1 * 2 ** $try;
        sleep($after > $pause ? $after + 0.05 : $pause);
    }
    warn "$url: $reply->{status}\n";
    return undef;
}

sub bearer {
    $token //= ask('POST', $ENV{SANDBOX_TOKEN_URL}, sub { {
        headers => { 'content-type' => 'application/x-www-form-urlencoded' },
        content => $http->www_form_urlencode({ grant_type => 'client_credentials', scope => 'booking.read',
            audience => $ENV{SANDBOX_URL}, client_id => $ENV{SANDBOX_CLIENT_ID}, client_secret => $ENV{SANDBOX_CLIENT_SECRET} }),
    } })->{access_token};
    return { headers => { authorization => "Bearer $token" } };
}

for my $id (qw(bkg-evening bkg-rotary bkg-course bkg-wedding)) {
    my $booking = ask('GET', "$ENV{SANDBOX_URL}/v1/bookings/$id", \&bearer) or next;
    my $answers = ask('GET', "$ENV{SANDBOX_URL}/v1/bookings/$id/information-request-answers", \&bearer);
    printf "%s: %d answers\n", $booking->{id}, scalar @{ ($answers // {})->{items} // [] };
}
