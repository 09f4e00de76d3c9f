# shellcheck disable=SC2016,SC2154 # perl in single quotes; stderr is set by run
# The network of a box: rules, refusals, the record, ports. All servers are on this
# machine's loopback.
load ../lib
load ../net
load model

setup_file() {
	lib_env
	lib_image
	net_server
}
teardown_file() {
	kill "$HOST_PID" || true
	lib_done
}

@test "net: the host's loopback only when it was allowed" {
	run -0 fetch host.cubby.internal "$HOST_PORT" --allow "host.cubby.internal:$HOST_PORT"
	[ "$output" = hello ]
}

# bats test_tags=long
@test "net: stats counts the bytes of connections that ended, and of those that are open" {
	local i
	traffic() { cubby stats --json | jq -r ".[] | select(.directory == \"$LIB_PROJECT\") | \"\(.net_sent) \(.net_received)\""; }
	cubby exec -q --keep --allow "host.cubby.internal:$HOST_PORT" -- true
	[ "$(traffic)" = "0 0" ]
	fetch host.cubby.internal "$HOST_PORT"
	[ "$(traffic)" = "18 25" ]
	cubby exec -q -d -- perl -e 'use IO::Socket; my $c = IO::Socket::INET->new(PeerAddr => $ARGV[0], PeerPort => $ARGV[1]) or die;
		print $c "x" x 1000; $c->flush; sleep 1000' host.cubby.internal "$HOST_PORT"
	for ((i = 0; i < 500; i++)); do
		[ "$(traffic)" != "1018 25" ] || break
		read -rt 0.02 <> <(:) || true
	done
	[ "$(traffic)" = "1018 25" ]
	cubby stop -q
}

@test "net: the record counts bytes, and says who it was" {
	local i
	fetch host.cubby.internal "$HOST_PORT" --allow "host.cubby.internal:$HOST_PORT"
	for ((i = 0; i < 500; i++)); do # the last line comes when the box has ended
		run -0 cubby log --net --json
		[[ $output != *'"close"'* ]] || break
		read -rt 0.02 <> <(:) || true
	done
	[ "$(jq -r 'select(.event == "close") | .received' <<<"$output")" = 25 ]
	[ "$(jq -r 'select(.event == "open") | has("process")' <<<"$output")" = true ]
}

@test "net: the record says which name has no address, and who asked" {
	run ! cubby exec -q -- getent hosts nothing.invalid
	run -0 cubby log --net --json
	[ "$(jq -r 'select(.event == "dns") | "\(.verdict) \(.name) \(.process.name)"' <<<"$output")" = "failed nothing.invalid getent" ]
	run -0 cubby log --net
	[[ $output == *"  dns  failed  nothing.invalid  "*"  by getent (process "* ]]
}

@test "net: at a terminal the end of a command says which hosts were refused to it" {
	local tty=$CUBBY_TEST_TOP/tests/on-tty permits="'cubby set allow=HOST' permits a host"
	local no="is not allowed in this box"
	cubby exec -q --keep --allow example.com -- true
	run -2 "$tty" 'cubby exec --no-color -- sh -c "getent hosts a.example; getent hosts a.example"' </dev/null
	[[ $output == "cubby: network: a.example $no"*"$permits"* && $output != *a.example*a.example* ]]
	run -0 "$tty" 'cubby shell --no-color' < <(printf 'for i in b c d e f g; do getent hosts $i.example; done; exit 0\n')
	[[ $output != *"a.example $no"* && $output == *"b.example $no"*"e.example $no"*"network: and 2 more"*"$permits"* ]]
	run -0 "$tty" 'cubby exec -- true' </dev/null # what others were refused before
	[[ $output != *network* ]]
	run -2 "$tty" 'cubby exec -q -- getent hosts h.example' </dev/null
	[ -z "$output" ]
	run -2 --separate-stderr cubby exec -- getent hosts i.example
	[ -z "$stderr" ]
	cubby stop -q
}

@test "net: at a terminal the end of a task says which hosts were refused to it" {
	model <<-END
	{"calls":[{"name":"shell","args":{"command":"getent hosts a.example; getent hosts a.example"}}]}
	$(finish "it cannot be reached")
	END
	run -0 "$CUBBY_TEST_TOP/tests/on-tty" 'cubby run --no-color --model openai:fake --allow example.com "fetch it"' </dev/null
	[[ $output == *"cubby: done, "*"cubby: network: a.example is not allowed in this box"*"'cubby set allow=HOST' permits"* ]]
	[[ ${output#*cubby: network: a.example} != *"cubby: network: "* ]]
	model_done
}

@test "net: search domains of the box are asked for first, and each name is judged" {
	run -0 cubby exec -q --save --allow "host.cubby.internal:$HOST_PORT" -- sh -c '
		printf "search corp.example cubby.internal\noptions ndots:5\n" >>/etc/resolv.conf
		exec perl -e "$@"' sh "$FETCH" host.cubby.internal "$HOST_PORT"
	[ "$output" = hello ]
	run -0 cubby exec -q -- sh -c 'echo "search corp.example cubby.internal" >>/etc/resolv.conf
		exec perl -e "$@"' sh "$FETCH" host "$HOST_PORT"
	[ "$output" = hello ]
	cubby stop -q # who comes soon enough joins the box that was about to end
	run -0 cubby exec -q -- cat /etc/resolv.conf # the next start has none of its own
	[[ $output != *search* ]]
	run -0 cubby log --net --json
	[ "$(jq -r 'select(.event == "dns") | "\(.verdict) \(.name)"' <<<"$output")" = "\
refused host.cubby.internal.corp.example
refused host.cubby.internal.cubby.internal
allowed host.cubby.internal
refused host.corp.example
allowed host.cubby.internal" ]
}

@test "set allow: the first one says what it narrows, and one after *" {
	local said="cubby: only what allow= names can be reached then; until now it was any public name"
	run -0 --separate-stderr cubby set allow=example.org
	[ "$stderr" = "$said" ]
	run -0 --separate-stderr cubby set allow=example.com
	[ -z "$stderr" ]
	run -0 --separate-stderr cubby set 'allow=*'
	[ -z "$stderr" ]
	run -0 --separate-stderr cubby set allow=example.com
	[ "$stderr" = "$said" ]
	cubby unset allow
	run -0 --separate-stderr cubby set memory=1G # of another setting nothing
	[ -z "$stderr" ]
	cubby rm -q -y
}

@test "net: rules of a running box are shown and changed" {
	cubby exec -q --keep -- true
	run -0 cubby net
	[ "${lines[0]}" = "any public name is allowed, but for what is denied here" ]
	[[ ${lines[2]} =~ ^"goes through the gate: "(every port|only 22).*" ($(cubby net --json | jq -r .gate.caught))"$ ]]
	run -0 --separate-stderr cubby net --allow "host.cubby.internal:$HOST_PORT" --allow @debian --deny '*.example.org'
	[ "$stderr" = "cubby: from now on only what is allowed here can be reached; until now it was any public name" ]
	[ "${lines[0]}" = "only what is allowed here, and not denied" ]
	[ "${lines[1]}" = "  allow host.cubby.internal:$HOST_PORT" ]
	run -0 fetch host.cubby.internal "$HOST_PORT"
	[ "$output" = hello ]
	run -0 cubby net --drop "host.cubby.internal:$HOST_PORT" --json
	[ "$(jq -c .rules <<<"$output")" = '["allow @debian","deny *.example.org"]' ]
	run -3 fetch host.cubby.internal "$HOST_PORT"
	run -2 --separate-stderr cubby net --allow 0x7f.1
	[[ $stderr == "cubby net: --allow: bad network pattern '0x7f.1'; "* ]]
	run -1 --separate-stderr cubby net --drop nothing.example
	[ "$stderr" = "cubby net: there is no rule for 'nothing.example'" ]
	run -0 cubby net --allow 'Bücher.example:443' --deny '*.例え.テスト' --json
	[ "$(jq -c '.rules[-2:]' <<<"$output")" = '["allow xn--bcher-kva.example:443","deny *.xn--r8jz45g.xn--zckzah"]' ]
	run -0 cubby net --drop 'bücher.example:443' --json
	[ "$(jq -c '.rules[-2:]' <<<"$output")" = '["deny *.example.org","deny *.xn--r8jz45g.xn--zckzah"]' ]
	run -2 --separate-stderr cubby net --allow '１２７.0.0.1'
	[[ $stderr == "cubby net: --allow: bad network pattern '１２７.0.0.1'; "* ]]
	cubby stop -q
	cubby exec -q --keep -- true
	run "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby net --allow example.org" <<<no
	[[ $output == *"may reach any public name. Allow nothing but this? [y/N] "*"the network is as it was"* ]]
	run -0 cubby net
	[ "${lines[0]}" = "any public name is allowed, but for what is denied here" ]
	cubby stop -q
	run -1 --separate-stderr cubby net
	[ "$stderr" = "cubby net: the box is not running; any command in it starts it" ]
	run -1 --separate-stderr cubby net --allow example.org
	[ "$stderr" = "cubby net: the box is not running; 'cubby set allow=HOST' or 'deny=HOST' keeps a rule for every start" ]
}

@test "net: a rule for a box that nobody uses is for the next command, and says so" {
	lingers() { cubby info --json | jq -e .lingering; }
	export CUBBY_LINGER=1m
	run -2 cubby exec -q --allow example.com -- getent hosts example.org
	lib_until lingers
	run -0 cubby net
	[ "${lines[2]}" = "connections: none now; 'cubby log --net' has those that were" ]
	run -0 --separate-stderr cubby net --deny example.com
	[ "$stderr" = "cubby: nobody uses the box: this holds for the next command alone; 'cubby set allow=HOST' or 'deny=HOST' keeps a rule" ]
	run -2 cubby exec -q --allow example.com -- getent hosts example.com
	lib_until lingers
	run -0 cubby log --net
	[[ ${lines[-1]} == *"dns  refused  example.com  denied by a rule  by getent"* ]]
	run -0 cubby net --json
	[ "$(jq -c .rules <<<"$output")" = '["allow example.com"]' ]
	cubby exec -q --allow example.com --keep -- sh -c 'getent hosts example.org || true'
	run -0 --separate-stderr cubby net --deny example.com
	[ -z "$stderr" ]
	[[ ${lines[3]} =~ ^"connections: 0 open, 0 made, "[12]" refused, 0 failed; 'cubby log --net' says which"$ ]]
	cubby stop -q
}

@test "net: a bad rule is named before the box starts" {
	run -125 --separate-stderr cubby exec -q --allow 'a..b' -- true
	[[ $stderr == *"bad network pattern 'a..b'"* ]]
}

@test "ports: published ports reach the box, free ones are found" {
	cubby exec -q -d -- perl -e "$SERVER" 8123
	run -0 cubby ports --publish 0:8123 --json
	local host i
	host=$(jq -r '.[] | select(.port == 8123) | .host' <<<"$output")
	[[ $host == 127.0.0.1:* ]]
	for ((i = 0; i < 100; i++)); do
		run perl -e "$FETCH" 127.0.0.1 "${host##*:}"
		[ "$output" != hello ] || break
	done
	[ "$output" = hello ]
	for ((i = 0; i < 100; i++)); do # a busy machine may have no time for the name
		perl -e "$FETCH" 127.0.0.1 "${host##*:}"
		run -0 jq -r 'select(.event == "publish") | .process.name' <(cubby log --net --json)
		[[ $output != *perl* ]] || break
	done
	[[ $output == *perl* ]]
	run -0 cubby ports
	[[ ${lines[1]} =~ ^8123\ +127.0.0.1\ +$host$ ]]
	run -0 cubby ports --publish 0:8123 --json # a second way to the same port
	[ "$(jq '[.[] | select(.port == 8123)] | length' <<<"$output")" = 2 ]
	run -0 cubby ports
	[ "$(grep -cE '^8123 +127\.0\.0\.1 +127\.0\.0\.1:[0-9]+$' <<<"$output")" = 2 ]
	[[ $output == *"$host"* ]]
	cubby ports --unpublish "${host##*:}" >/dev/null
	run -3 perl -e "$FETCH" 127.0.0.1 "${host##*:}"
	run -1 --separate-stderr cubby ports --unpublish "${host##*:}"
	[ "$stderr" = "cubby ports: port ${host##*:} of the host is not published; 'cubby ports' lists those that are" ]
	local i all=()
	for i in {1..63}; do all+=(--publish "0:$((3000 + i))"); done
	run -0 cubby ports --json "${all[@]}"
	run -1 --separate-stderr cubby ports --publish 0:4000
	[ "$stderr" = "cubby ports: more than 64 published ports; 'cubby ports --unpublish HOSTPORT' ends one" ]
}

@test "ports: what a published connection sent is what left the box, in the record and in stats" {
	local host i
	cubby exec -q -d -- perl -e "$SERVER" 8123
	for ((i = 0; i < 100; i++)); do
		run cubby exec -q -- perl -e "$FETCH" 127.0.0.1 8123
		[ "$output" != hello ] || break
	done
	host=$(cubby ports --publish 0:8123 --json | jq -r '.[] | select(.port == 8123) | .host')
	run -0 perl -e "$FETCH" 127.0.0.1 "${host##*:}"
	[ "$output" = hello ]
	for ((i = 0; i < 500; i++)); do
		run -0 jq -r 'select(.event == "close") | "\(.sent) \(.received)"' <(cubby log --net --json)
		[ -z "$output" ] || break
		read -rt 0.02 <> <(:) || true
	done
	[ "$output" = "25 18" ]
	[ "$(cubby stats --json | jq -r ".[] | select(.directory == \"$LIB_PROJECT\") | \"\(.net_sent) \(.net_received)\"")" = "25 18" ]
	cubby stop -q
}

@test "ports: a start says once which free port it took; of a given one no more than that it keeps the box" {
	local keeps="cubby: a published port keeps the box ('cubby stop' ends it)"
	run -0 --separate-stderr cubby exec --save --publish 0:8123 --publish '[::1]:0:8124' -- true
	[ -z "$output" ]
	[[ ${stderr_lines[0]} =~ ^'cubby: published 127.0.0.1:'[0-9]+' -> 8123'$ ]]
	[[ ${stderr_lines[1]} =~ ^'cubby: published [::1]:'[0-9]+' -> 8124'$ ]]
	[ "${stderr_lines[2]}" = "$keeps" ]
	[ "${#stderr_lines[@]}" -eq 3 ]
	run -0 cubby ports --json
	port=$(jq -r '.[] | select(.port == 8123) | .host' <<<"$output")
	[[ ${stderr_lines[0]} == *"published $port -> 8123" ]]
	run -0 --separate-stderr cubby exec -- true
	[ -z "$stderr" ] # it runs already
	cubby stop -q
	run -0 --separate-stderr cubby shell <<<true
	[[ ${stderr_lines[0]} == "cubby: published 127.0.0.1:"*" -> 8123" ]]
	port=${stderr_lines[0]#*0.0.1:} port=${port%% *}
	cubby rm -q -y --force
	run -0 --separate-stderr cubby exec --publish "$port:8123" -- true
	[ "$stderr" = "$keeps" ]
	cubby rm -q -y --force
}

@test "ports: --publish works without a network too" {
	local host
	cubby exec -q -d --net none --publish 0:8124 -- perl -e "$SERVER" 8124
	host=$(cubby ports --json | jq -r '.[] | select(.port == 8124) | .host')
	for ((i = 0; i < 100; i++)); do
		run perl -e "$FETCH" 127.0.0.1 "${host##*:}"
		[ "$output" != hello ] || break
	done
	[ "$output" = hello ]
	run -3 fetch 127.0.0.1 1 --net none
	run -0 cubby exec -q -- cat /etc/resolv.conf
	[ "$output" = "# written by cubby: this box has no network" ]
	run -2 timeout "$(lib_longer 4)" cubby exec -q -- getent hosts name.example # at once
	run -1 --separate-stderr cubby net
	[ "$stderr" = "cubby net: this box has no network (--net none): there are no rules" ]
}

@test "log --net says where there is nothing" {
	cubby exec -q --net none -- true
	run -0 --separate-stderr cubby log --net
	[ "$output$stderr" = "cubby: nothing of the network is recorded" ]
	run -0 cubby log --net --json
	[ -z "$output" ]
	cubby set -q net=none
	run -0 --separate-stderr cubby log --net
	[ "$output$stderr" = "cubby: nothing of the network is recorded: this box has none (net=none)" ]
	run -1 --separate-stderr cubby net --allow example.org
	[ "$stderr" = "cubby net: the box is not running, and with net=none it has no rules; 'cubby config' shows where that comes from" ]
	run -0 --separate-stderr cubby set allow=example.org
	[ "$stderr" = "cubby: no rule counts while the network is none or host; 'cubby config' shows where that comes from" ]
	cubby unset -q allow
	cubby unset -q net
}

@test "ports: a box without a network, and without a published port, lists and publishes" {
	local host i
	cubby exec -q -d --net none -- perl -e "$SERVER" 8125
	for ((i = 0; i < 500; i++)); do
		run -0 cubby ports
		[[ $output != *8125* ]] || break
		read -rt 0.02 <> <(:) || true
	done
	[[ ${lines[1]} =~ ^8125\ +127.0.0.1 ]]
	run -0 cubby ports --publish 0:8125 --json
	host=$(jq -r '.[] | select(.port == 8125) | .host' <<<"$output")
	run -0 perl -e "$FETCH" 127.0.0.1 "${host##*:}"
	[ "$output" = hello ]
	run -3 fetch 93.184.216.34 80
}

@test "ports: a box with the host's network says whose ports they are" {
	cubby exec -q --keep --net host -- true
	run -1 --separate-stderr cubby ports
	[ "$stderr" = "cubby ports: this box uses the host's network: its ports are the host's" ]
	run -1 --separate-stderr cubby net
	[ "$stderr" = "cubby net: this box uses the host's network: there are no rules" ]
}

@test "net: none of the box's programs can change routes or rules" {
	run -0 cubby exec -q -- perl -e '
		socket(my $s, 16, 3, 0) or do { print "refused\n"; exit 0 };
		my $m = pack("LSSLL CCCC CCCC L SSL", 36, 24, 0x505, 1, 0, 2, 0, 0, 0, 254, 3, 0, 1, 0, 8, 4, 1);
		send($s, $m, 0) or do { print "refused\n"; exit 0 };
		recv($s, my $r, 4096, 0);
		my $e = unpack("x16 l", $r);
		print $e < 0 ? "refused\n" : "changed\n"'
	[ "$output" = refused ]
}

# bats test_tags=long
@test "net: a gate that could not be started is tried again" {
	cubby exec -q --keep --allow "host.cubby.internal:$HOST_PORT" -- true
	local box
	box=$(dirname "$(grep -lF "$PWD" "$XDG_DATA_HOME"/cubby/boxes/*/box.json)")
	mkdir "$box/net.jsonl"
	# asks for the name until there is somebody to answer
	cubby exec -q -- perl -e 'use IO::Socket; my $end = time + shift;
		1 until gethostbyname("host.cubby.internal") or time > $end;
		'"$FETCH" "$(lib_longer 40)" host.cubby.internal "$HOST_PORT" >"$LIB_DIR/said" &
	local client=$!
	sleep 1
	run -1 cubby net # a question finds none, either
	sleep 1
	rmdir "$box/net.jsonl"
	wait "$client"
	cubby stop -q
	grep -qx hello "$LIB_DIR/said"
}
