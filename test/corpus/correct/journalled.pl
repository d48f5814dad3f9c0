#!/usr/bin/perl
# Books the subscriptions of a season-ticket holder. Every intention and every outcome is a line at the end of a journal; after
# a crash the journal says what is open, and the service says what became of it.
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;
use IO::Handle;

# A connection that is kept would let HTTP::Tiny send a request again.
my $http = HTTP::Tiny->new( timeout => 6, keep_alive => 0 );
my $path = "$ENV{SANDBOX_RUN_FOLDER}/journal";
my %outcome;
if ( open my $in, '<', $path ) { while (<$in>) { chomp; my ( $no, $what ) = split ' ', $_, 2; $outcome{$no} = $what } }
open my $journal, '>>', $path or die $!;
$journal->autoflush(1);
sub note { my ( $no, $what ) = @_; print {$journal} "$no $what\n"; $outcome{$no} = $what }

my $token;
sub login {
    for my $n ( 1 .. 6 ) {
        my $r = $http->post_form( $ENV{SANDBOX_TOKEN_URL}, [ grant_type => 'client_credentials', audience => $ENV{SANDBOX_URL},
            client_id => $ENV{SANDBOX_CLIENT_ID}, client_secret => $ENV{SANDBOX_CLIENT_SECRET}, scope => 'booking.read booking.write' ] );
        return $token = decode_json( $r->{content} )->{access_token} if $r->{success};
        pause( $r, $n );
    }
    die "no token\n";
}

sub pause {
    my ( $r, $n ) = @_;
    my ( $asked, $own ) = ( $r->{headers}{'retry-after'} || 0, 0.12 * 2**$n );
    select undef, undef, undef, $asked > $own ? $asked : $own;
}

# Gives the status, 599 if the status is unknown; only reads are repeated then.
sub api {
    my ( $method, $to, $body ) = @_;
    for my $n ( 1 .. 8 ) {
        login() unless $token;
        my $r = $http->request( $method, "$ENV{SANDBOX_URL}$to",
            { headers => { authorization => "Bearer $token", 'content-type' => 'application/json' }, $body ? ( content => encode_json($body) ) : () } );
        if ( $r->{status} == 401 ) { undef $token; next }
        my $repeat = $r->{status} == 429 || $r->{status} == 503 || ( $r->{status} == 599 && $method eq 'GET' );
        return ( $r->{status}, eval { decode_json( $r->{content} ) } ) unless $repeat;
        pause( $r, $n );
    }
    die "$method $to: gave up\n";
}

sub lookup {
    my ($no) = @_;
    my ( $status, $page ) = api( GET => '/v1/bookings?sort=-created_at&limit=30' );
    die "bookings: $status\n" if $status != 200;
    my ($mine) = grep { ( $_->{metadata}{season} // '' ) eq $no } @{ $page->{items} };
    return $mine;
}

for my $no (qw(S-100 S-101)) {
    while ( ( $outcome{$no} // '' ) !~ /^(?:booked|rejected)/ ) {
        if ( exists $outcome{$no} and my $mine = lookup($no) ) { note( $no, "booked $mine->{id}" ); last }
        note( $no, 'begun' );
        my ( $status, $data ) = api( POST => '/v1/bookings', {
            event_id => 'evt-tomorrow-evening', locale => 'da', metadata => { season => $no },
            items    => [ { type_id => 'var-adult', item_type => 'VARIANT', quantity => 1 } ],
            customer => { customer_type => 'PRIVATE', name => "Holder of $no", email => 'season@example.com',
                address => { address_lines => ['Skolegade 4'], city => 'Esbjerg', zip_code => '6700', country => 'DK' } } } );
        note( $no, "booked $data->{id}" ) if $status == 201;
        note( $no, 'rejected ' . ( $data->{code} // $status ) ) if $status >= 400 && $status < 500;
        die "unexpected $status\n" if $status >= 500 && $status != 599;
    }
}
