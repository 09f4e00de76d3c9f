# shellcheck disable=SC2016 # perl in single quotes
# The network of a box in every id map: packages come through the gate, and the record
# says which program of which user it was.
load ../lib

@test "apt-get updates and installs in a box with nothing but the default rules" {
	run cubby exec -q -- apt-get -o Acquire::Languages=none update
	if [ "$status" != 0 ] || grep -q '^[WE]:' <<<"$output"; then
		echo "$output"
		[[ $output == *"Could not resolve"* || $output == *"Failed to fetch"* || $output == *"Temporary failure"* ]]
		skip "the image's package mirror cannot be reached from here"
	fi
	run -0 cubby exec -q -- env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends hello
	run -0 cubby exec -q -- hello -g through
	[ "$output" = through ]
	# apt fetches as a user of its own, where the map has one
	cubby log --net --json | jq -r '.process.name? // empty' | grep -qx http
}

@test "a refusal is recorded with the program that met it, its number and its name" {
	local i
	for ((i = 0; i < 20; i++)); do # a busy machine may have no time for the name
		run cubby exec -q --deny '*' -- perl -e '$0 = "seeker";
			print "$$\n"; gethostbyname("example.org") and exit 1'
		[ "$status" = 0 ]
		run -0 jq -r 'select(.event == "dns" and .verdict == "refused") | "\(.process.pid) \(.process.name)"' \
			<(cubby log --net --json)
		[[ $output != *seeker* ]] || return 0
	done
	echo "$output"
	return 1
}

# PORT: what a program of the box meets at that port of the host.
knock() {
	cubby exec -q --allow host.cubby.internal -- perl -MIO::Socket::INET -e '
		my $s = IO::Socket::INET->new(PeerAddr => "host.cubby.internal", PeerPort => shift);
		print $s ? <$s> : "$!\n"' "$1"
}

@test "an open port answers, a closed one is refused" {
	local port pid
	exec {out}< <(exec perl -MIO::Socket::INET -e '$| = 1; alarm shift;
		my $l = IO::Socket::INET->new(Listen => 8, LocalAddr => "127.0.0.1") or die "$@\n";
		print $l->sockport, "\n";
		while (my $s = $l->accept) { print $s "here\n"; close $s }' "$(lib_longer 100)" 3>&-)
	pid=$!
	read -r port <&"$out"
	run -0 knock "$port"
	[ "$output" = here ]
	run -0 cubby exec -q --allow host.cubby.internal --keep true
	run -0 jq -r .caught <(cubby info --json)
	local caught=$output
	cubby stop -q
	kill "$pid"
	tail -n 1 <&"$out" # it has ended
	run -0 knock "$port"
	case $caught in
	held) [ "$output" = "Connection refused" ] ;;
	*) [ "$output" = "Connection refused" ] || [ -z "$output" ] || [ "$output" = "Connection reset by peer" ] ;;
	esac
}
