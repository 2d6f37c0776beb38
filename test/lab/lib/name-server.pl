# name-server.pl ADDRESS HOSTS: answers A queries from lines "ADDRESS NAME..." of HOSTS (read at each query), all else NXDOMAIN.
use strict;
use warnings;
use IO::Socket::INET;

my ($address, $hosts) = @ARGV;
my $socket = IO::Socket::INET->new(LocalAddr => $address, LocalPort => 53, Proto => "udp") or die "cannot listen on $address: $!\n";
$| = 1;
print "listening\n";

while (1) {
    defined(my $peer = $socket->recv(my $query, 1500)) or next;
    next if length $query <= 16;
    my ($id, $flags) = unpack "nn", $query;

    my ($offset, @labels) = (12);
    while ($offset < length $query and my $length = ord substr $query, $offset, 1) {
        push @labels, substr $query, $offset + 1, $length;
        $offset += $length + 1;
    }
    next if $offset + 5 > length $query;
    my $question = substr $query, 12, $offset - 12 + 5;
    my $type = unpack "n", substr $query, $offset + 1, 2;
    my $name = lc join ".", @labels;

    my ($code, $answers, $count) = (3, "", 0);
    if (open my $lines, "<", $hosts) {
        while (<$lines>) {
            my ($ip, @names) = split;
            next unless grep { lc $_ eq $name } @names;
            $code = 0;
            next unless $type == 1;
            $answers .= "\xc0\x0c" . pack("nnNn", 1, 1, 1, 4) . pack("C4", split /\./, $ip);
            $count++;
        }
        close $lines;
    }
    $socket->send(pack("nnnnnn", $id, 0x8080 | ($flags & 0x100) | $code, 1, $count, 0, 0) . $question . $answers, 0, $peer);
}
