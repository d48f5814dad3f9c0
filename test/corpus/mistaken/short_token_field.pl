# Keeps the token between runs in a file with fields of fixed width. Longer tokens are cut off.
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP qw(decode_json);

my $http  = HTTP::Tiny->new( timeout => 6 );
my $store = "$ENV{SANDBOX_RUN_FOLDER}/session.dat";

sub patient {
    my ($ask) = @_;
    my ( $reply, $n ) = ( undef, 0 );
    while (1) {
        $reply = $ask->();
        last if $reply->{status} !~ /^(?:429|503|599)$/ || $n++ == 5;
        my $after = $reply->{headers}{'retry-after'} // 0;
        my $pause = 0.15 * 2**$n;
        select( undef, undef, undef, $after > $pause ? $after : $pause );
    }
    return $reply;
}

sub sign_in {
    my $reply = patient( sub {
        $http->post_form( $ENV{SANDBOX_TOKEN_URL}, {
            grant_type => 'client_credentials', scope => 'location.read', audience => $ENV{SANDBOX_URL},
            client_id => $ENV{SANDBOX_CLIENT_ID}, client_secret => $ENV{SANDBOX_CLIENT_SECRET} } );
    } );
    die "sign in: $reply->{status}\n" unless $reply->{success};
    open my $out, '>', $store or die $!;
    print {$out} pack 'A10 A255', time, decode_json( $reply->{content} )->{access_token};
    close $out;
}

sub token {
    sign_in() unless -e $store;
    open my $in, '<', $store or die $!;
    my ( $saved, $token ) = unpack 'A10 A255', <$in>;
    return $token;
}

sub get {
    my ($path) = @_;
    my $read = sub { $http->get( $ENV{SANDBOX_URL} . $path, { headers => { authorization => 'Bearer ' . token() } } ) };
    my $reply = patient($read);
    if ( $reply->{status} == 401 ) { unlink $store; $reply = patient($read) }
    die "$path: $reply->{status}\n" unless $reply->{success};
    return decode_json( $reply->{content} );
}

for my $location ( @{ get('/v1/locations')->{items} } ) {
    my $full = get("/v1/locations/$location->{id}");
    printf "%-14s %s\n", $full->{id}, $full->{address}{city} // '';
}
