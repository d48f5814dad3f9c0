#!/usr/bin/perl
# Sums up the orders of each day. A page that is not full is taken for the last one.
use strict;
use warnings;
use JSON::PP;
use HTTP::Tiny;

my ( $http, $limit, $token ) = ( HTTP::Tiny->new( timeout => 6 ), 40 );

sub http_json {
    my @request = @_;
    for my $n ( 1 .. 6 ) {
        my $r = $http->request( @request );
        return ( $r->{status}, eval { decode_json( $r->{content} ) } ) if $r->{status} !~ /^(429|503|599)$/ || $n == 6;
        my $wait = $r->{headers}{'retry-after'} || 0;
        $wait = 0.1 * 2**$n if $wait < 0.1 * 2**$n;
        select undef, undef, undef, $wait;
    }
}

sub login {
    my $content = $http->www_form_urlencode( [ grant_type => 'client_credentials', scope => 'order.read', audience => $ENV{SANDBOX_URL},
            client_id => $ENV{SANDBOX_CLIENT_ID}, client_secret => $ENV{SANDBOX_CLIENT_SECRET} ] );
    my ( $status, $data ) = http_json( POST => $ENV{SANDBOX_TOKEN_URL},
        { content => $content, headers => { 'content-type' => 'application/x-www-form-urlencoded' } } );
    $token = $data->{access_token} or die "login: $status\n";
}

sub get {
    my $url = "$ENV{SANDBOX_URL}/v1/orders?" . $http->www_form_urlencode( {@_} );
    for my $again ( 0, 1 ) {
        my ( $status, $data ) = http_json( GET => $url, { headers => { authorization => "Bearer $token" } } );
        return $data if $status == 200;
        die "orders: $status\n" if $status != 401 || $again;
        login();
    }
}

login();
my ( %day, $page );
do {
    $page = get( limit => $limit, $page ? ( cursor => $page->{next} ) : () );
    $day{ substr $_->{created_at}, 0, 10 } += $_->{totals}{amount}{value} // 0 for @{ $page->{items} };
} while @{ $page->{items} } == $limit && $page->{next};
printf "%s %10.2f\n", $_, $day{$_} / 100 for sort keys %day;
