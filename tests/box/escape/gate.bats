# shellcheck disable=SC2016 # perl in single quotes
# The one way out of a box: addresses and names that no rule allows.
bats_require_minimum_version 1.5.0
load ../../lib
load ../../net

setup_file() {
	lib_env
	lib_image
	net_server
}
teardown_file() {
	kill "$HOST_PID" || true
	lib_done
}
setup() { lib_project; }

@test "net: refusals are quick, and recorded with their reason" {
	run -3 fetch host.cubby.internal "$HOST_PORT"
	run fetch 169.254.169.254 80
	[ "$output" != hello ]
	run fetch 10.1.2.3 80
	[ "$output" != hello ]
	run fetch 192.88.99.1 80 # leads to what a 6to4 address carries
	[ "$output" != hello ]
	run -0 cubby log --net
	[[ $output == *"dns  refused  host.cubby.internal  not allowed"* ]]
	[[ $output == *"open  refused  169.254.169.254 port 80  cloud metadata address"* ]]
	[[ $output == *"open  refused  10.1.2.3 port 80  private address"* ]]
	[[ $output == *"open  refused  192.88.99.1 port 80  reserved address"* ]]
	run -0 cubby log --net --json
	[ "$(jq -r 'select(.address == "10.1.2.3") | .verdict' <<<"$output")" = refused ]
}

# Sends a request, or the start of TLS, that names NAME, to HOST PORT.
NAMES='use IO::Socket; my ($host, $port, $kind, $name) = @ARGV;
	my $c = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port, Timeout => 10) or exit 3;
	my $sni = pack("n n n C n/a", 0, length($name) + 5, length($name) + 3, 0, $name);
	my $hello = pack("n x32 C n n C C n/a", 0x303, 0, 2, 0x1301, 1, 0, $sni);
	print $c $kind eq "tls" ? pack("C n n/a", 22, 0x301, pack("C C n/a", 1, 0, $hello)) . "\n"
		: "GET / HTTP/1.1\r\nHost: $name\r\n\r\n"; my @l = <$c>; print @l ? $l[-1] : "nothing came\n"'

@test "net: what a connection names first must be allowed, too" {
	local kind
	for kind in tls http; do
		run -0 cubby exec -q --allow "host.cubby.internal:$HOST_PORT" -- \
			perl -e "$NAMES" host.cubby.internal "$HOST_PORT" $kind host.cubby.internal
		[ "$output" = hello ]
		run -0 cubby exec -q --allow "host.cubby.internal:$HOST_PORT" -- \
			perl -e "$NAMES" host.cubby.internal "$HOST_PORT" $kind evil.example
		[ "$output" = "nothing came" ]
	done
	run -0 cubby log --net
	[[ $output == *"open  refused  evil.example port $HOST_PORT  TLS to host.cubby.internal names it"* ]]
	[[ $output == *"open  refused  evil.example port $HOST_PORT  HTTP to host.cubby.internal names it"* ]]
}
