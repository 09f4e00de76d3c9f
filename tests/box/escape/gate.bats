# shellcheck disable=SC2016 # perl in single quotes
# The one way out of a box: addresses and names that no rule allows.
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
	print $c $kind =~ /^tls/ ? pack("C n n/a", 22, $kind eq "tls" ? 0x301 : 0x201, pack("C C n/a", 1, 0, $hello)) . "\n"
		: $kind eq "half" ? "GET http://$name:$port/ HTTP/1.1" : $kind eq "nul" ? "GET /?\0 HTTP/1.1\r\nHost: $name\r\n\r\n"
		: $kind eq "old" ? "GET /\r\nHost: $name\r\n\r\n" : "GET / HTTP/1.1\r\nHost: $name\r\n\r\n";
	$c->flush; shutdown $c, 1 if $kind eq "half"; my @l = <$c>; print @l ? $l[-1] : "nothing came\n"'

@test "net: what a connection names first must be allowed, too" {
	local kind
	# half: the end of all is the end of a line to the server; tls2: a version that some ignore
	for kind in tls tls2 http old half nul; do
		[ $kind = nul ] || run -0 cubby exec -q --allow "host.cubby.internal:$HOST_PORT" -- \
			perl -e "$NAMES" host.cubby.internal "$HOST_PORT" $kind host.cubby.internal
		[ $kind = nul ] || [ "$output" = hello ] # which no name is allowed with
		run -0 cubby exec -q --allow "host.cubby.internal:$HOST_PORT" -- \
			perl -e "$NAMES" host.cubby.internal "$HOST_PORT" $kind evil.example
		[ "$output" = "nothing came" ]
	done
	run -0 cubby log --net
	[[ $output == *"open  refused  evil.example port $HOST_PORT  TLS to host.cubby.internal names it"* ]]
	[[ $output == *"open  refused  evil.example port $HOST_PORT  HTTP to host.cubby.internal names it"* ]]
}

@test "net: a change of the rules holds also where the gate does not answer" {
	local pid
	run -0 fetch host.cubby.internal "$HOST_PORT" --keep --allow "host.cubby.internal:$HOST_PORT"
	[ "$output" = hello ]
	pid=$(cubby net --json | jq .gate.pid)
	kill -STOP "$pid"
	run cubby net --deny "host.cubby.internal:$HOST_PORT" --allow host.cubby.internal:1
	kill -CONT "$pid" || true # it has been replaced
	[ "$status" = 0 ]
	run -3 fetch host.cubby.internal "$HOST_PORT"
	cubby stop -q
}

# Answers with what it was asked: makes THERE when it has come, and reads it when there is READ.
LATE='use IO::Socket; $| = 1; my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die;
	print $s->sockport, "\n"; my $c = $s->accept; recv $c, my $first, 1, MSG_PEEK;
	open my $f, ">", $ARGV[0]; until (-e $ARGV[1]) { select undef, undef, undef, 0.01 }
	while (defined(my $l = <$c>)) { print $c $l; last if $l eq "\r\n" }'
# Sends a request out of a file, in pages that are the file's, then writes another name there.
CHANGED='use IO::Socket; my ($port, $to) = ($ARGV[0], "host.cubby.internal");
	open my $f, "+>", "said" or die; syswrite $f, "GET / HTTP/1.1\r\nHost: $to\r\n\r\n";
	my $c = IO::Socket::INET->new(PeerAddr => $to, PeerPort => $port, Timeout => 10) or exit 3;
	my $nr = `uname -m` =~ /x86_64/ ? 40 : 71; sysseek $f, 0, 0;
	syscall($nr, fileno $c, fileno $f, 0, -s $f) == -s $f or exit 4; # sendfile
	for (1 .. 1000) { last if -e "there"; select undef, undef, undef, 0.02 }
	sysseek $f, length "GET / HTTP/1.1\r\nHost: ", 0; syswrite $f, "evil.example.cubby.";
	open my $go, ">", "read"; print <$c>'

@test "net: what was named first cannot be changed on its way" {
	local late port
	exec {late}< <(exec perl -e "$LATE" there read 3>&-)
	read -r port <&"$late"
	run -0 cubby exec -q --allow "host.cubby.internal:$port" -- perl -e "$CHANGED" "$port"
	[ "${lines[1]}" = $'Host: host.cubby.internal\r' ]
}

# Asks for a name that is refused until QUIET is there; makes FULL when lines are left out: there
# is room for 20,000, and a thousand more each second.
REFUSALS='use Socket; socket my $s, PF_INET, SOCK_DGRAM, 0; connect $s, sockaddr_in(53, inet_aton("198.18.0.1"));
	my $q = pack "n6 C/a C/a x n2", 7, 256, 1, 0, 0, 0, "refused", "example", 1, 1; my ($n, $made, $begun) = (0, 0, time);
	until (-e "quiet") { send $s, $q, 0 for 1 .. 32; vec(my $in, fileno $s, 1) = 1;
		for (1 .. 32) { select(my $is = $in, undef, undef, 0.5) or last; recv $s, my $r, 500, 0; $n++ }
		next if $made || $n < 22000 + 1000 * (time - $begun); open my $f, ">", "full"; $made = 1 }'

@test "net: refusals without end do not hide in the record what was let out" {
	cubby exec -q --keep --allow "host.cubby.internal:$HOST_PORT" -- perl -e "$REFUSALS" 3>&- &
	lib_until test -e full
	run -0 cubby exec -q -- perl -e 'for (1 .. 20) { '"$FETCH"' }' host.cubby.internal "$HOST_PORT"
	touch quiet
	wait $!
	cubby log --net >record # too much for a variable
	[ "$(grep -c "open  allowed  host.cubby.internal" record)" = 20 ]
	grep -q " lines were left out" record
	cubby stop -q
}

# A proxy: says that it is connected, then answers each line with itself.
PROXY='use IO::Socket; $| = 1; $SIG{PIPE} = "IGNORE"; my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die;
	print $s->sockport, "\n"; my $c = $s->accept; while (defined(my $l = <$c>)) { last if $l eq "\r\n" }
	print $c "HTTP/1.1 200 yes\r\n\r\n"; $c->autoflush; print $c $_ while <$c>'
# Has a tunnel to inner.example, makes UP, and uses the tunnel for TIME seconds.
TUNNEL='use IO::Socket; my ($port, $time) = @ARGV; $SIG{PIPE} = "IGNORE";
	my $c = IO::Socket::INET->new(PeerAddr => "host.cubby.internal", PeerPort => $port, Timeout => 10) or exit 3;
	print $c "CONNECT inner.example:443 HTTP/1.1\r\n\r\n"; $c->flush; <$c>; <$c>; open my $f, ">", "up"; close $f;
	for (1 .. 10 * $time) { print $c "x\n"; $c->flush; defined <$c> or do { print "cut\n"; exit }; select undef, undef, undef, 0.1 }
	print "still there\n"'

@test "net: a tunnel to a name that is denied later is cut" {
	local proxy port
	exec {proxy}< <(exec perl -e "$PROXY" 3>&-)
	read -r port <&"$proxy"
	cubby exec -q --allow host.cubby.internal --allow inner.example -- \
		perl -e "$TUNNEL" "$port" "$(lib_longer 5)" >said 3>&- &
	lib_until test -e up
	run -0 cubby net --deny inner.example
	wait $!
	[ "$(cat said)" = cut ]
}

# A host of its own, where a listener answers at its addresses: a namespace with a way out that
# leads to a second one, where another one answers at every address there is but 45.0.0.0/8. Names come from its /etc/hosts: NAME is at ADDRESS.
in_made_host() { # COMMAND...
	local as=-nm
	[ "$(id -u)" -eq 0 ] || as=-Urnm
	unshare $as --propagation private timeout "$(lib_longer 120)" bash -euc '
		exec 4< <(exec unshare -n perl -MIO::Socket::IP -e "$FAR" 3>&- 4>&-)
		far=$!
		exec 5< <(exec perl -MIO::Socket::IP -e "$FAR" 3>&- 4>&- 5>&-)
		trap "kill $far $!" EXIT
		read -r _ <&4
		read -r _ <&5
		mount --bind hosts /etc/hosts
		ip link set lo up
		ip link add way type veth peer name way netns "$far"
		ip addr add 203.0.113.1/24 dev way
		ip addr add 203.0.113.7/24 dev way
		ip addr add 2001:db8::1/64 dev way nodad
		ip route add local 198.51.100.0/24 dev lo
		ip -6 route add local 2001:db8:0:2::/64 dev lo
		nsenter -n -t "$far" sh -euc "
			ip link set lo up
			ip addr add 203.0.113.2/24 dev way
			ip addr add 2001:db8::2/64 dev way nodad
			ip link set way up
			ip route add local 0.0.0.0/0 dev lo table main
			ip -6 addr add 2001:db8::f00d/64 dev way nodad
			ip -6 route add local ::/0 dev lo table main
			ip route add blackhole 45.0.0.0/8"
		ip link set way up
		ip route add default via 203.0.113.2
		ip -6 route add default via 2001:db8::2
		"$@"' bash "$@"
}
# Prints a line once it listens; tells whoever connects which address it was asked at. By its default
# flags it would have no address "::" at a moment in which the host has only ones of IPv4.
export FAR='$| = 1; $SIG{PIPE} = "IGNORE"; my $s = IO::Socket::IP->new(Listen => 50, LocalAddr => "::", LocalPort => 80, V6Only => 0, GetAddrInfoFlags => 0) or die $@;
	print "there\n"; while (my $c = $s->accept) { print $c "reached ", $c->sockhost, "\n"; close $c }'

@test "net: an address that carries a private one, or leads to a relay, is refused, and a public one is not" {
	local name address said
	command -v ip >/dev/null || skip "no ip"
	unshare "$([ "$(id -u)" -eq 0 ] && echo -nm || echo -Urnm)" true || skip "no namespaces for a host of its own here"
	cat >table <<-'END'
		public 2606:2800::1 reached 2606:2800::1
		carried-public 64:ff9b::808:808 reached 64:ff9b::808:808
		public4 93.184.216.34 reached ::ffff:93.184.216.34
		own-prefix 64:ff9b:1:a00:0:100:: private address
		own-prefix-64 64:ff9b:1:0:a9:fea9:fe00:0 cloud metadata address
		own-prefix-96 64:ff9b:1::7f00:1 address of this host
		translated ::ffff:0:10.0.0.1 reserved address
		isatap 2606:2800::5efe:a00:1 private address
		isatap-global 2606:2800::200:5efe:a9fe:a9fe cloud metadata address
		six-to-four 2002:a00:1:: private address
		relay 192.88.99.1 reserved address
		segment-routing 5f00::1 reserved address
		router 2001:db8::2 address of this host's own network
		neighbour 2001:db8::f00d address of this host's own network
		second 203.0.113.7 address of this host
		range 198.51.100.9 address of this host
		range6 2001:db8:0:2::9 address of this host
		beside 2001:db8:0:1::2 reached 2001:db8:0:1::2
	END
	while read -r name address _; do echo "$address $name.example"; done <table >hosts
	cat >ask <<-'END'
		while read -r name _; do
			if exec 5<>/dev/tcp/$name.example/80; then read -r answer <&5; else answer=nothing; fi 2>/dev/null
			echo "$name $answer"
		done <table
	END
	# The kernel says at most once a second, for all of the machine, that interfaces have a carrier:
	# until then IPv6 has no way out.
	run -0 --separate-stderr in_made_host bash -c 'for ((i = 0; i < $1; i++)); do
			bash ask >host.out
			[ "$(grep -c " reached " host.out)" -lt "$(grep -c . table)" ] || break
			sleep 0.1
		done
		cubby exec -- bash ask' ask "$(lib_longer 200)"
	while read -r name address said; do
		grep -q "^$name reached " host.out # but for the gate they are all there
		if [[ $said == reached* ]]; then
			[[ $'\n'$output$'\n' == *$'\n'"$name $said"$'\n'* ]]
		else
			[[ $'\n'$output$'\n' == *$'\n'"$name nothing"$'\n'* ]]
		fi
	done <table
	run -0 --separate-stderr cubby log --net
	while read -r name address said; do
		if [[ $said == reached* ]]; then
			[[ $output == *"open  allowed  $name.example ($address) port 80"* ]]
		else
			[[ $output == *"dns  refused  $name.example  $said  "* ]]
		fi
	done <table
}

# Dials as many as 200 addresses where nobody answers, makes DIALLED and waits for ANSWERED.
SILENT='use Socket; use Fcntl; my @all;
	for (1 .. 200) { socket my $s, PF_INET, SOCK_STREAM, 0 or die $!; fcntl $s, F_SETFL, O_NONBLOCK;
		connect $s, sockaddr_in(80, inet_aton("45.1.1.$_")); push @all, $s }
	open my $f, ">", "dialled"; for (1 .. 6000) { last if -e "answered"; select undef, undef, undef, 0.02 }'
ANSWERED='use IO::Socket; my $c = IO::Socket::INET->new(PeerAddr => "93.184.216.34", PeerPort => 80, Timeout => $ARGV[0])
	or do { print "$@\n"; exit }; print <$c>; open my $f, ">", "answered"'

@test "net: addresses that do not answer take the place of others for some seconds only" {
	command -v ip >/dev/null || skip "no ip"
	unshare "$([ "$(id -u)" -eq 0 ] && echo -nm || echo -Urnm)" true || skip "no namespaces for a host of its own here"
	: >hosts
	# with so few descriptors there are 128 places
	run -0 --separate-stderr in_made_host bash -c 'ulimit -n 1024; cubby exec -q -- perl -e "$0" &
		until [ -e dialled ]; do sleep 0.02; done
		cubby exec -q -- perl -e "$1" "$2"; touch answered; wait' "$SILENT" "$ANSWERED" "$(lib_longer 15)"
	[[ $output == "reached "* ]]
	run -0 --separate-stderr cubby log --net
	[[ $output == *"open  failed  45.1.1."*"Connection timed out"* ]]
}
