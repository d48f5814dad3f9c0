#!/usr/bin/perl
# A receiver that forks for each connection, and spools each message into a file of its own: the name is the id of the
# message, so a duplicate finds the file that is there.
use strict;
use warnings;
use IO::Socket::INET;
use Digest::SHA qw(hmac_sha256);
use MIME::Base64;
use JSON::PP;
use Fcntl;

my $spool = "$ENV{SANDBOX_RUN_FOLDER}/spool";
mkdir $spool;
my @secrets = map { decode_base64( substr $_, 6 ) } split / /, $ENV{SANDBOX_WEBHOOK_SECRETS};
$SIG{CHLD} = 'IGNORE';

sub genuine {
    my ( $h, $body ) = @_;
    my ( $id, $at, $signature ) = @$h{qw(webhook-id webhook-timestamp webhook-signature)};
    return 0 unless defined $id && defined $signature && ( $at // '' ) =~ /\A\d{1,12}\z/;
    return 0 if abs( time - $at ) > 300;
    for my $secret (@secrets) {
        return 1 if encode_base64( hmac_sha256( "$id.$at.$body", $secret ), '' ) eq $signature;
    }
    return 0;
}

my $server = IO::Socket::INET->new( LocalPort => $ENV{PORT}, LocalAddr => '127.0.0.1', Listen => 256, ReuseAddr => 1 )
  or die "cannot listen: $!";
while (1) {
    my $client = $server->accept or next;
    my $pid = fork;
    if ($pid) { close $client; next }
    my ( %header, $body );
    <$client>;
    while ( my $line = <$client> ) {
        last if $line =~ /^\r?\n$/;
        $header{ lc $1 } = $2 if $line =~ /^([\w-]+):\s*(.*?)\r?\n$/;
    }
    read $client, $body, $header{'content-length'};
    my $ok = genuine( \%header, $body );
    if ( $ok && sysopen my $file, "$spool/" . $header{'webhook-id'} =~ s/[^\w-]//gr, O_CREAT | O_EXCL | O_WRONLY ) {
        print {$file} $body;
        close $file;
    }
    printf {$client} "HTTP/1.0 %s\r\nContent-Length: 0\r\n\r\n", $ok ? '200 OK' : '401 Unauthorized';
    close $client;
    exit;
}
