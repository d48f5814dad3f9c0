#!/usr/bin/perl
# Reminds guests of gift cards that end soon. A reminder is a file in `mail`; a card that has one gets no other.
use strict;
use warnings;

package Api;
use HTTP::Tiny;
use JSON::PP;

sub new { bless { http => HTTP::Tiny->new( timeout => 6 ), base => $ENV{SANDBOX_URL} }, shift }

sub request {
    my ( $self, @args ) = @_;
    my $wait = 0.25;
    while (1) {
        my $response = $self->{http}->request(@args);
        return $response if $response->{status} !~ /^(?:429|5\d\d)$/ || $wait > 8;
        my $after = $response->{headers}{'retry-after'} // 0;
        select( undef, undef, undef, $wait > $after ? $wait : $after );
        $wait *= 2;
    }
}

sub sign_in {
    my $self = shift;
    my $form = $self->{http}->www_form_urlencode( {
        grant_type => 'client_credentials', audience => $self->{base}, scope => 'gift-card.read order.read',
        client_id => $ENV{SANDBOX_CLIENT_ID}, client_secret => $ENV{SANDBOX_CLIENT_SECRET} } );
    my $response = $self->request( POST => $ENV{SANDBOX_TOKEN_URL},
        { content => $form, headers => { 'content-type' => 'application/x-www-form-urlencoded' } } );
    die "sign in: $response->{status}\n" unless $response->{success};
    $self->{token} = decode_json( $response->{content} )->{access_token};
}

sub get {
    my ( $self, $path ) = @_;
    $self->sign_in unless $self->{token};
    for my $try ( 1, 2 ) {
        my $response = $self->request( GET => $self->{base} . $path, { headers => { authorization => "Bearer $self->{token}" } } );
        return decode_json( $response->{content} ) if $response->{success};
        return undef if $response->{status} == 404;
        die "$path: $response->{status}\n" if $response->{status} != 401 || $try == 2;
        $self->sign_in;
    }
}

package main;

my $mail = "$ENV{SANDBOX_RUN_FOLDER}/mail";
mkdir $mail;
my $api = Api->new;
for my $card ( @{ $api->get('/v1/gift-cards?limit=100')->{items} } ) {
    next if ( $card->{status} // '' ) ne 'ACTIVE' || ( $card->{expires_at} // '' ) gt '2031';
    next if -e "$mail/$card->{id}" || !$card->{order_id};
    my $order = $api->get("/v1/orders/$card->{order_id}") or next;
    my $to    = $order->{customer}{email} or next;
    open my $out, '>', "$mail/$card->{id}.new" or die $!;
    print {$out} "To: $to\n\nYour card $card->{code} ends on ", substr( $card->{expires_at}, 0, 10 ), ".\n";
    close $out or die $!;
    rename "$mail/$card->{id}.new", "$mail/$card->{id}" or die $!;
}
