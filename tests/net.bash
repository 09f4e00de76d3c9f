# shellcheck shell=bash disable=SC2016 # perl in single quotes
# net - a server on this machine's loopback, and a box's programs that ask it. Load after lib.

# Prints its port, then answers every connection with one line of HTTP.
SERVER='use IO::Socket; $| = 1; $SIG{PIPE} = "IGNORE";
	my $s = IO::Socket::INET->new(Listen => 50, LocalAddr => "127.0.0.1", LocalPort => $ARGV[0]) or die;
	print $s->sockport, "\n";
	while (my $c = $s->accept) { my $l = <$c>; print $c "HTTP/1.0 200 OK\r\n\r\nhello\n"; close $c }'
# Fetches from HOST PORT; prints what came, or why not.
FETCH='use IO::Socket; my $c = IO::Socket::INET->new(PeerAddr => $ARGV[0], PeerPort => $ARGV[1], Timeout => 10)
	or do { print "connect: $@\n"; exit 3 };
	print $c "GET / HTTP/1.0\r\n\r\n"; my @l = <$c>; print @l ? $l[-1] : "nothing came\n"'

fetch() { cubby exec -q "${@:3}" -- perl -e "$FETCH" "$1" "$2"; }

net_server() { # HOST_PORT, HOST_PID: end it in teardown_file()
	exec {fd}< <(exec perl -e "$SERVER" 0 3>&-)
	HOST_PID=$!
	read -r HOST_PORT <&"$fd"
	export HOST_PORT HOST_PID
}
