# How boxes live and die: many clients, many boxes, kills at any moment.
load ../lib
load ../monitors

@test "exec: streams, status, directory" {
	run -0 --separate-stderr cubby exec -- sh -c 'echo out; echo err >&2; pwd'
	[ "$output" = "out"$'\n'"$LIB_PROJECT" ]
	[ "$stderr" = err ]
	run -7 cubby exec -- sh -c 'exit 7'
	run -127 cubby exec -- no-such-program
	run -126 cubby exec -- /etc/passwd
	run -137 cubby exec -- sh -c 'kill -9 $$'
	run -143 cubby exec -- sh -c 'kill $$'
}

@test "exec: who spoils the box's passwd and group is not locked out" {
	run -0 cubby exec -- sh -c 'mv /etc/group /etc/group.was; mkfifo /etc/group'
	run -0 timeout "$(lib_longer 20)" cubby exec -u 0 -- id -u
	[ "$output" = 0 ]
	run -0 cubby exec -- sh -c 'mv /etc/passwd /etc/passwd.was; mkdir /etc/passwd; echo "$HOME"'
	[ "$output" = /root ]
	run -0 cubby exec -- sh -c 'echo "$HOME"; rm /etc/group; mv /etc/group.was /etc/group'
	[ "$output" = /root ]
	run -0 cubby exec -u 0:0 -- sh -c 'rmdir /etc/passwd; mv /etc/passwd.was /etc/passwd'
	run -0 cubby exec -u root -- id -un
	[ "$output" = root ]
}

@test "exec: who the user is, the box's files of now say" {
	local i home
	cubby exec --keep -- mkdir /bin1 /bin2
	for i in 1 2 1; do # of the same length each
		home=/bin$i
		[ "$(cubby exec -- sh -c 'sed "s|:/root:|:'$home':|; s|:/bin[12]:|:'$home':|" /etc/passwd >/p && cat /p >/etc/passwd; echo done')" = done ]
		[ "$(cubby exec -- sh -c 'echo "$HOME"')" = "$home" ]
		[ "$(cubby exec -- sh -c 'echo "$HOME"')" = "$home" ]
	done
	if cubby exec -q -u nobody -- true; then # else the caller's groups are there, as nobody's
		cubby exec -- sh -c 'sed -i "s/^daemon:.*/&root/" /etc/group'
		[ "$(cubby exec -- id -G)" = "0 1" ]
		cubby exec -- rm /etc/group
		[ "$(cubby exec -- id -G)" = 0 ]
	fi
	cubby stop -q
}

# bats test_tags=long
@test "exec: much through cat is byte-exact" {
	openssl version
	size=$(lib_often 1280)M
	want=$(head -c "$size" /dev/zero | openssl enc -aes-128-ctr -K 00 -iv 00 -nosalt 2>/dev/null | sha256sum)
	got=$(head -c "$size" /dev/zero | openssl enc -aes-128-ctr -K 00 -iv 00 -nosalt 2>/dev/null |
		cubby exec -- cat | sha256sum)
	[ "$got" = "$want" ]
}

@test "exec: a pipeline whose end closes early, a closed stdin, no stdin" {
	[ "$(cubby exec -- yes | head -n 2)" = $'y\ny' ]
	[ "$(cubby exec -- cat <&-)" = "" ]
	[ "$(printf data | cubby exec -- sha256sum)" = "$(printf data | sha256sum)" ]
	[ "$(cubby exec -- cat </dev/null)" = "" ]
}

@test "exec: under timeout, what it ran ends too" {
	local after
	cubby exec --keep -- true
	for after in 1 4 16 64; do # whatever it takes to begin here
		run -124 timeout "$after" cubby exec -- sh -c ': >began; exec sleep 1000'
		[ ! -e began ] || break
	done
	[ -e began ]
	run -0 cubby exec -- sh -c 'for i in $(seq 500); do grep -lqs "^sleep" /proc/[0-9]*/comm || exit 0; sleep 0.02; done; exit 1'
	cubby stop
}

@test "two commands in one directory share the box, two directories share nothing" {
	cubby exec --keep -- sh -c 'touch /tmp/here /root/kept'
	init=$(info init_pid)
	cubby exec -- test -e /tmp/here
	[ "$(info init_pid)" = "$init" ]
	here=$PWD
	lib_project
	run -1 cubby exec -- test -e /tmp/here
	run -1 cubby exec -- test -e /root/kept
	run -1 cubby exec -- test -e "$here"
	cd "$here"
	cubby stop
	wait_gone "$init"
	cubby exec -- test -e /root/kept
	run -1 cubby exec -- test -e /tmp/here
}

# bats test_tags=long
@test "exec: the root of a box of --rm need not reach the disk, and one that was left is used" {
	run -0 --separate-stderr cubby exec -q --rm -- grep ' / overlay ' /proc/mounts
	[[ $output == *volatile* ]]
	cubby exec -q --rm -- sh -c 'echo mine >/root/file; sync; echo >ready; exec sleep 1000' 3>&- &
	local client=$! monitor i
	for ((i = 0; i < $(lib_longer 1000); i++)); do
		[ ! -e ready ] || break
		read -rt 0.01 <> <(:) || true
	done
	[ -e ready ]
	monitor=$(info monitor_pid)
	kill -9 "$client"
	wait_gone "$monitor"
	run -0 --separate-stderr cubby exec -q -- cat /root/file /proc/mounts
	[ "${lines[0]}" = mine ]
	[[ $output == *" / overlay "* ]]
	[[ $output != *volatile* ]]
	run -0 --separate-stderr cubby exec -q --rm --wipe -- grep ' / overlay ' /proc/mounts
	[[ $output == *volatile* ]]
}

@test "exec: what --rm left when the computer went down is refused" {
	local mark how
	cubby exec -q -- touch /root/f
	cubby snapshot -q was
	cubby exec -q -- touch /root/g
	mark=$XDG_DATA_HOME/cubby/boxes/$(info key)/work/work
	cubby stop -q
	chmod u+rwx "$mark"
	mkdir -p "$mark/incompat/volatile"
	touch -d '2001-01-01' "$mark/incompat/volatile"
	chmod 0 "$mark"
	local said="the computer went down before the box of a --rm was removed, and files of it may be lost; 'cubby rm' removes it"
	run -125 --separate-stderr cubby exec -q -- true
	[[ $stderr == *"$said"* ]]
	for how in "snapshot new" "restore was" "branch other" "commit it"; do
		# shellcheck disable=SC2086 # a command and its word
		run -1 --separate-stderr cubby $how
		echo "$how: $stderr"
		[[ $stderr == *"$said"* ]]
	done
	cubby rm -q
	run -0 cubby exec -q -- true
}

@test "50 commands at once in one directory" {
	n=$(lib_fewer 50)
	for i in $(seq "$n"); do
		{ s=0; cubby exec -- sh -c "echo $i; exit $((i % 7))" || s=$?; echo "$i status $s"; } \
			>"out.$i" 2>&1 &
	done
	wait
	for i in $(seq "$n"); do
		[ "$(cat "out.$i")" = "$i"$'\n'"$i status $((i % 7))" ] ||
			{ echo "command $i said:"; cat "out.$i"; return 1; } >&2
	done
	no_leftovers
}

@test "a box whose shell never answers is stopped all the same" {
	cubby exec -- bash -c 'printf "#!/bin/bash\nexec sleep 600\n" >/tmp/sh; chmod 755 /tmp/sh; cp --remove-destination /tmp/sh /bin/sh'
	cubby exec --detach -- sleep 600
	timeout "$(lib_longer 30)" cubby stop
}

@test "a box that is kept runs on, stop ends it with all that runs in it" {
	cubby exec --keep -- sh -c 'sleep 1000 >/dev/null 2>&1 & echo $! >/tmp/pid'
	cubby exec -- sh -c 'kill -0 $(cat /tmp/pid)'
	init=$(info init_pid)
	cubby stop
	wait_gone "$init"
	no_leftovers
	run cubby stop
	[[ $output == *"not running"* ]] || [[ $output == *"no box is running"* ]]
}

@test "files of any user of the box are removed with it" {
	cubby exec -- sh -c 'mkdir -p /srv/a/b; echo x >/srv/a/b/f; chmod 700 /srv/a; chmod 000 /srv/a/b'
	cubby exec -- sh -c 'chown -R daemon:daemon /srv/a' || true
	cubby exec -- chmod 000 / # which costs the caller every right in it
	[ "$(cubby exec -- echo on)" = on ]
	cubby info >/dev/null
	cubby rm
	[ "$(cubby ls --json | jq --arg here "$PWD" 'any(.directory == $here)')" = false ]
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ]
	no_leftovers
}

kill_round() { # WHOM MOMENT(ms)
	local victim
	cubby exec -- sh -c 'echo working >>log; sleep 0.05' >/dev/null 2>&1 &
	local client=$!
	read -rt "0.$(printf %03d "$2")" <> <(:) || true
	case $1 in
	client) kill -9 $client 2>/dev/null || true ;;
	monitor) for victim in $(lib_processes __monitor); do kill -9 "$victim" 2>/dev/null || true; done ;;
	init) victim=$(info init_pid 2>/dev/null || true)
		[[ ! $victim =~ ^[0-9]+$ ]] || kill -9 "$victim" 2>/dev/null || true ;;
	esac
	wait $client 2>/dev/null || true
	[ "$(cubby exec -- echo alive)" = alive ]
}

@test "kill -9 of client, monitor and init at any moment: the next command works" {
	echo "host file" >untouched
	cubby exec -- true
	RANDOM=20261120
	for i in $(seq "$(lib_often 67)"); do
		for whom in client monitor init; do
			kill_round $whom $((RANDOM % 80)) ||
				{ echo "round $i: $whom" >&2; return 1; }
		done
	done
	[ "$(cat untouched)" = "host file" ]
	no_leftovers
	[ -z "$(find /sys/fs/cgroup -name "cubby-$(info key | cut -c1-12)*" 2>/dev/null)" ]
}

# A box whose monitor is traced from here on; it and the $tracer end together.
start_traced() { # FILE OPTION-OF-STRACE...
	[ "$(id -u)" -eq 0 ] || skip "only root can trace a monitor"
	cubby exec --net none --keep -- true
	monitor=$(info monitor_pid)
	strace -o "$1" "${@:2}" -p "$monitor" 2>err 3>&- &
	tracer=$!
	until grep -q '^TracerPid:.[1-9]' "/proc/$monitor/status"; do
		kill -0 $tracer || { cat err; skip "no tracing here"; }
		read -rt 0.02 <> <(:) || true
	done
}

# The monitor's first message to a client greets it, the second goes to init.
@test "a box whose init dies between greeting and command: the command runs in another" {
	start_traced trace -e trace=sendmsg -e inject=sendmsg:error=EPIPE:when=2
	run -0 cubby exec -- echo on
	echo "$output"
	[ "$output" = on ]
	wait $tracer || true # with the monitor
	grep INJECTED trace
	[ "$(info monitor_pid)" != "$monitor" ]
}

# What init was sent last and had not read when it died has not run.
@test "a box whose init dies with a command that it has not read: it runs in another" {
	cubby exec --keep -- true
	init=$(info init_pid) monitor=$(info monitor_pid)
	kill -STOP "$init" || skip "init is not ours to stop"
	cubby exec -- sh -c 'echo ran >>log; echo on' >out 2>&1 &
	client=$!
	for ((i = 0; i < 500; i++)); do # three ends of it wait: connected, sent, waiting
		[[ $(cat "/proc/$client/wchan" 2>/dev/null) == *poll* ]] && break
		read -rt 0.02 <> <(:) || true
	done
	read -rt 0.3 <> <(:) || true
	[ ! -e log ]
	kill -KILL "$init"
	wait $client
	[ "$(cat out)" = on ]
	[ "$(cat log)" = ran ]
	[ "$(info monitor_pid)" != "$monitor" ]
}

# It greets a client, sees that the box has ended, and hangs up before it reads the command.
# bats test_tags=long
@test "a box whose monitor ends between greeting and command: the command runs in another" {
	start_traced ends -e trace=prctl -e inject=prctl:delay_enter=6000000:when=1
	init=$(info init_pid)
	# the client's greeting is the first message that it sends, the command the second
	strace -o trace -e trace=sendmsg -e inject=sendmsg:delay_enter=3000000:when=2 \
		"$CUBBY_TEST_BIN" exec -- sh -c 'echo ran >>log; echo on' >out 2>err 3>&- &
	client=$!
	for ((i = 0; i < 150; i++)); do
		[ "$(info clients)" -lt 2 ] || break
		kill -0 $client || { cat err; skip "no tracing here"; }
		read -rt 0.02 <> <(:) || true
	done
	kill -KILL "$init"
	wait $client || { cat err trace; false; }
	wait $tracer || true # with the monitor
	grep DELAYED ends trace
	[ "$(cat out)" = on ]
	[ "$(cat log)" = ran ]
	[ "$(info monitor_pid)" != "$monitor" ]
}

# The kernel writes what the box wrote before it lets go of its files.
# bats test_tags=long
@test "a box that takes long to end: the next command waits, and says so" {
	start_traced trace -e trace=prctl -e inject=prctl:delay_enter=7000000:when=2
	kill "$monitor"
	run -0 --separate-stderr cubby exec -- echo on
	wait $tracer || true # with the monitor
	cat trace
	grep DELAYED trace
	[ "$output" = on ]
	[ "$stderr" = "cubby: the box that ran here is still ending: the kernel writes to the disk what it had" ]
}

# Whoever removes a box needs its lock, and does not wait for it.
# bats test_tags=long
@test "who only looks at a box that is ending never has its lock" {
	start_traced ends -e trace=prctl -e inject=prctl:delay_enter=2000000:when=2
	kill "$monitor"
	until [ "$(cat "/proc/$monitor/comm")" = cubby-ending ]; do read -rt 0.02 <> <(:) || true; done
	run -0 --separate-stderr strace -f -o trace -e trace=flock,pidfd_open "$CUBBY_TEST_BIN" info --json
	[ "$(jq -r .state <<<"$output")" = stopped ]
	wait $tracer || true # with the monitor
	grep DELAYED ends
	grep pidfd_open trace # it has seen that one ends
	! grep flock trace
}

# The same for the first program of a server of tools: two greetings, answers about the
# network and about memory, then it.
@test "a box whose init dies before the first shell or file of a tool: it gets another" {
	local hello='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
	first_call() { printf '%s\n' "$hello" "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":$1}" | cubby mcp | jq -r 'select(.id==1).result.content[0].text'; }
	meet() { # CALL TEXT
		start_traced trace -e trace=sendmsg -e inject=sendmsg:error=EPIPE:when=5
		run -0 first_call "$1"
		cat trace
		echo "$output"
		[ "$(sed -E 's/^(\[exit [0-9]+), [0-9]+\.[0-9]s,/\1,/' <<<"$output")" = "$2" ]
		wait $tracer || true # with the monitor
		grep INJECTED trace
		[ "$(info monitor_pid)" != "$monitor" ]
		cubby stop
	}
	echo file >file
	meet '{"name":"shell","arguments":{"command":"echo on"}}' "on
[exit 0, cwd $PWD]"
	meet '{"name":"read_file","arguments":{"path":"file"}}' '     1	file
[lines 1 to 1 of 1]'
}

# bats test_tags=long
@test "many boxes at once, all answering" {
	base=$PWD n=$(lib_often 200)
	for i in $(seq "$n"); do
		mkdir "$base/b$i"
		cubby exec -C "$base/b$i" --keep -- sh -c "echo $i >/tmp/me"
	done
	for i in $(seq "$n"); do
		[ "$(cubby exec -C "$base/b$i" -- cat /tmp/me)" = "$i" ]
	done
	for i in $(seq "$n"); do
		cubby stop -C "$base/b$i"
	done
	no_leftovers
}

@test "a monitor that is told to end, as at a logout: its programs may end by themselves first" {
	local monitor
	cubby exec -q -d -- sh -c 'trap "sleep 0.5; echo on >said; exit" TERM; touch up; while :; do sleep 0.05; done' >/dev/null
	lib_until test -e up
	monitor=$(info monitor_pid)
	kill "$monitor"
	lib_until eval "! kill -0 $monitor || grep -q '^State:.Z' /proc/$monitor/status"
	[ "$(cat said)" = on ]
	# one that does not, and who does not wait for it
	cubby exec -q -d -- sh -c 'trap "" TERM; touch again; while :; do sleep 0.05; done' >/dev/null
	lib_until test -e again
	monitor=$(info monitor_pid)
	kill "$monitor"
	kill "$monitor"
	lib_until eval "! kill -0 $monitor || grep -q '^State:.Z' /proc/$monitor/status"
	[ "$(info state)" = stopped ]
}
