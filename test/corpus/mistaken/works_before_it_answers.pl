#!/usr/bin/perl
# Takes one message at a time, and prints a label for it before it answers: a tenth of a second each.
use strict;
use warnings;
use IO::Socket::INET;
use Digest::SHA qw(hmac_sha256_base64);
use MIME::Base64 qw(decode_base64);
use JSON::PP qw(decode_json);

my @keys   = map { decode_base64( s/^whsec_//r ) } split ' ', $ENV{SANDBOX_WEBHOOK_SECRETS};
my $server = IO::Socket::INET->new( LocalAddr => '127.0.0.1', LocalPort => $ENV{PORT}, Listen => 300, ReuseAddr => 1 ) or die $!;
my %printed;

while ( my $client = $server->accept ) {
    my %head;
    my $line = <$client>;
    while ( defined( $line = <$client> ) && $line =~ /^([^:]+):\s*(.*?)\r?\n/ ) { $head{ lc $1 } = $2 }
    read $client, my $body, $head{'content-length'} // 0;
    my ( $id, $at, $signature ) = map { $_ // '' } @head{qw(webhook-id webhook-timestamp webhook-signature)};
    my $genuine = $at =~ /^\d+$/ && abs( time - $at ) < 300 && grep {
        my $wanted = hmac_sha256_base64( "$id.$at.$body", $_ );
        $wanted .= '=' while length($wanted) % 4;
        $wanted eq $signature
    } @keys;
    if ($genuine) {
        print 'label ', decode_json($body)->{type}, "\n" unless $printed{$id}++;
        select undef, undef, undef, 0.1;
    }
    my $status = $genuine ? '204 No Content' : '401 Unauthorized';
    print {$client} "HTTP/1.1 $status\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    close $client;
}
