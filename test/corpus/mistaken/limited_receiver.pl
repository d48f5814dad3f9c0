#!/usr/bin/perl
# Takes up to twenty messages a second, and answers 429 to more, "since the printer is slow". Each of them is sent again.
use strict;
use warnings;
use IO::Socket::INET;
use Digest::SHA qw(hmac_sha256_base64);
use MIME::Base64 qw(decode_base64);
use JSON::PP qw(decode_json);

my @keys   = map { decode_base64( s/^whsec_//r ) } split ' ', $ENV{SANDBOX_WEBHOOK_SECRETS};
my $server = IO::Socket::INET->new( LocalAddr => '127.0.0.1', LocalPort => $ENV{PORT}, Listen => 300, ReuseAddr => 1 ) or die $!;
my ( %printed, %in_second );

sub genuine {
    my ( $id, $at, $signature, $body ) = @_;
    return 0 if $at !~ /^\d+$/ || abs( time - $at ) >= 300;
    return grep { my $wanted = hmac_sha256_base64( "$id.$at.$body", $_ ); "$wanted=" eq $signature || $wanted eq $signature } @keys;
}

while ( my $client = $server->accept ) {
    my ( %head, $body );
    my $line = <$client>;
    while ( defined( $line = <$client> ) && $line =~ /^([^:]+):\s*(.*?)\r?\n/ ) { $head{ lc $1 } = $2 }
    read $client, $body, $head{'content-length'} // 0;
    my ( $id, $at, $signature ) = map { $_ // '' } @head{qw(webhook-id webhook-timestamp webhook-signature)};
    my $status = '204 No Content';
    if ( !genuine( $id, $at, $signature, $body ) ) { $status = '401 Unauthorized' }
    elsif ( ++$in_second{ time() } > 20 ) { $status = '429 Too Many Requests' }
    elsif ( !$printed{$id}++ ) { print 'label ', decode_json($body)->{type}, "\n" }
    print {$client} "HTTP/1.1 $status\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    close $client;
}
