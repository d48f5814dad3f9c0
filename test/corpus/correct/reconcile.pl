#!/usr/bin/env perl
# Compares the gift cards in our file with those of the service, brings the file up to date, and says what changed.
use v5.30;
use warnings;
use JSON::PP;
use HTTP::Tiny;

my $file = "$ENV{SANDBOX_RUN_FOLDER}/cards.json";
my $json = JSON::PP->new->canonical;
my $http = HTTP::Tiny->new( timeout => 7 );
my $bearer;

sub retrying {
    my $code = shift;
    my $pause = 1;
    for ( 1 .. 5 ) {
        my $r = $code->();
        return $r unless $r->{status} =~ /^(429|503|599)$/;
        my $after = $r->{headers}{'retry-after'} // 0;
        select undef, undef, undef, $after > $pause ? $after : $pause;
        $pause *= 1.8;
    }
    die "no response for a while\n";
}

sub login {
    my %form = ( grant_type => 'client_credentials', scope => 'gift-card.read', audience => $ENV{SANDBOX_URL} );
    @form{qw(client_id client_secret)} = @ENV{qw(SANDBOX_CLIENT_ID SANDBOX_CLIENT_SECRET)};
    my $r = retrying( sub { $http->post_form( $ENV{SANDBOX_TOKEN_URL}, \%form ) } );
    $r->{success} or die "login: $r->{status}\n";
    $bearer = $json->decode( $r->{content} )->{access_token};
}

sub page {
    my $url  = "$ENV{SANDBOX_URL}/v1/gift-cards?" . $http->www_form_urlencode( {@_} );
    my $read = sub { $http->get( $url, { headers => { Authorization => "Bearer $bearer" } } ) };
    login() if !$bearer;
    my $r = retrying($read);
    if ( $r->{status} == 401 ) { login(); $r = retrying($read) }
    die "gift cards: $r->{status}\n" if !$r->{success};
    return $json->decode( $r->{content} );
}

sub money { my $m = shift or return ''; return sprintf "%s %d", $m->{currency} // '', $m->{value} // 0 }

my %old;
if ( open my $in, '<', $file ) { local $/; %old = %{ $json->decode(<$in>) } }
my ( %new, $cursor );
do {
    my $page = page( limit => 5, defined $cursor ? ( cursor => $cursor ) : () );
    $new{ $_->{id} } = { status => $_->{status} // 'UNKNOWN', balance => money( $_->{balance} ) } for @{ $page->{items} };
    $cursor = $page->{next};
} while defined $cursor && length $cursor;

for my $id ( sort keys %new ) {
    say "$id: $new{$id}{status} $new{$id}{balance}" if ( $old{$id}{status} // '' ) ne $new{$id}{status};
}
open my $out, '>', "$file.tmp" or die $!;
print $out $json->encode( \%new );
close $out;
rename "$file.tmp", $file or die $!;
