# A job of the night in Perl, with what comes with it: HTTP::Tiny and JSON::PP.
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;
use Time::HiRes qw(sleep);

my $http  = HTTP::Tiny->new( timeout => 5 );
my $token = '';

# What is busy, or gives no answer (599), is asked again, later each time: all that is sent here may be repeated.
sub patiently {
    my ($send) = @_;
    for my $attempt ( 0 .. 6 ) {
        my $answer = $send->();
        my $status = $answer->{status};
        return $answer if $status != 429 && $status < 500;
        die "gave up: $status $answer->{content}\n" if $attempt == 6;
        my $asked = ( $answer->{headers}{'retry-after'} || 0 ) + 0.05;
        my $wait  = 0.12 * 2**$attempt;
        sleep( $asked > $wait ? $asked : $wait );
    }
}

sub sign_in {
    my $form = {
        grant_type    => 'client_credentials',
        audience      => $ENV{SANDBOX_URL},
        client_id     => $ENV{SANDBOX_CLIENT_ID},
        client_secret => $ENV{SANDBOX_CLIENT_SECRET},
        scope         => 'booking.read event.read',
    };
    my $answer = patiently( sub { $http->post_form( $ENV{SANDBOX_TOKEN_URL}, $form ) } );
    die "no token: $answer->{status}\n" unless $answer->{success};
    $token = decode_json( $answer->{content} )->{access_token};
}

sub get {
    my ( $path, %query ) = @_;
    my $url  = "$ENV{SANDBOX_URL}$path?" . $http->www_form_urlencode( \%query );
    my $send = sub {
        $http->get( $url, { headers => { authorization => "Bearer $token", 'accept-language' => 'da' } } );
    };
    sign_in() unless $token;
    my $answer = patiently($send);
    if ( $answer->{status} == 401 ) {
        sign_in();
        $answer = patiently($send);
    }
    die "$path: $answer->{status} $answer->{content}\n" unless $answer->{success};
    return decode_json( $answer->{content} );
}

my %status;
my $cursor;
do {
    my $page = get( '/v1/bookings', limit => 50, $cursor ? ( cursor => $cursor ) : () );
    $status{ $_->{id} } = $_->{status} // 'unknown' for @{ $page->{items} };
    $cursor = $page->{next};
} while ($cursor);
get( '/v1/events', from => '2030-06-03T00:00:00', to => '2030-06-04T00:00:00' );
print scalar( keys %status ), " bookings\n";
