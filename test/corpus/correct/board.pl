#!/usr/bin/perl
# The board at the quay: asks which of tonight's boats have seats, and draws itself again when that changed.
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;
use Time::HiRes qw(sleep);

$| = 1;
my $ua = HTTP::Tiny->new( timeout => 5, agent => 'quay-board/2' );
my ( $token, $shown ) = ( undef, '' );

sub fetch_token {
    my $reply = $ua->post_form( $ENV{SANDBOX_TOKEN_URL}, [
        grant_type => 'client_credentials', audience      => $ENV{SANDBOX_URL},
        client_id  => $ENV{SANDBOX_CLIENT_ID}, client_secret => $ENV{SANDBOX_CLIENT_SECRET},
        scope      => 'event.read',
    ] );
    return $reply->{success} ? decode_json( $reply->{content} )->{access_token} : undef;
}

my $pause = 0.4;
while (1) {
    $token //= fetch_token();
    my $reply = $token
      ? $ua->get( "$ENV{SANDBOX_URL}/v1/event-availabilities?experienceId=exp-canal&limit=4",
        { headers => { authorization => "Bearer $token" } } )
      : { status => 503 };
    if ( $reply->{status} == 200 ) {
        my @rows = map { sprintf '%-24s %s', $_->{event_id}, $_->{available} ? 'open' : 'closed' }
          @{ decode_json( $reply->{content} )->{items} };
        my $board = join "\n", @rows;
        print "$board\n" if $board ne $shown;
        ( $shown, $pause ) = ( $board, 0.4 );
        sleep $pause;
        next;
    }
    undef $token if $reply->{status} == 401;
    # The old board stays until there is news; each failure in a row doubles the pause.
    my $asked = $reply->{headers}{'retry-after'} || 0;
    $pause *= 2 if $pause < 30;
    sleep( $asked > $pause ? $asked : $pause );
}
