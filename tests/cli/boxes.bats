# Lists and ends of boxes: ls, info, stop, rm, prune, ps, kill.
load ../lib

state() { cubby ls --json | jq -r ".[] | select(.directory == \"${1:-$LIB_PROJECT}\") | .state"; }

@test "ls: directory, image, state, size, last use" {
	cubby exec -- sh -c 'head -c 3000000 /dev/urandom >/root/big; sync'
	cubby stop -q
	run -0 cubby ls --json
	local row
	row=$(jq ".[] | select(.directory == \"$LIB_PROJECT\")" <<<"$output")
	[ "$(jq -r .image <<<"$row")" = test ]
	[ "$(jq -r .state <<<"$row")" = stopped ]
	[ "$(jq -r .size <<<"$row")" -gt 2900000 ]
	[ $(($(date +%s) - $(jq -r .used <<<"$row"))) -lt 300 ]
	run -0 cubby ls
	[[ ${lines[0]} =~ ^DIRECTORY\ +IMAGE\ +STATE\ +SIZE\ +USED ]]
}

@test "ls: USED is when the last command ended, and who only looks uses nothing" {
	local record client
	cubby exec -q -- true
	record=$XDG_DATA_HOME/cubby/boxes/$(cubby info --json | jq -r .key)/box.json
	age() { echo $(($(date +%s) - $(cubby ls --json | jq -r ".[] | select(.directory == \"$LIB_PROJECT\") | .used"))); }
	# one that has run for long, in a box that waits then, and in one that is stopped
	cubby exec -q --linger 60s -- sh -c 'touch begun; until [ -e go ]; do sleep 0.05; done' 3>&- &
	client=$!
	until [ -e begun ]; do kill -0 $client; read -rt 0.02 <> <(:) || true; done
	touch -d '2 hours ago' "$record"
	[ "$(age)" -gt 7000 ]
	touch go
	wait $client
	until [ "$(state)" = lingering ]; do read -rt 0.02 <> <(:) || true; done
	[ "$(age)" -lt 300 ]
	touch -d '2 hours ago' "$record"
	cubby info >/dev/null
	cubby stop -q
	[ "$(age)" -gt 7000 ]
	cubby exec -q --keep -- true
	touch -d '2 hours ago' "$record"
	cubby stop -q
	[ "$(age)" -lt 300 ]
}

@test "ls: RUNS is the program that was begun first, and how many more; none, no column" {
	runs() { cubby ls --json | jq -c ".[] | select(.directory == \"$LIB_PROJECT\") | .runs"; }
	cubby exec -q -d -- sleep 1234
	cubby exec -q -d -- sh -c 'sleep 4321; true'
	lib_wait_for_command "sleep 4321"
	[ "$(runs)" = '"sleep 1234 and 1 more"' ]
	run -0 cubby ls
	[[ ${lines[0]} =~ \ RUNS$ ]]
	[[ $output == *"sleep 1234 and 1 more"* ]]
	cubby stop -q
	[ "$(runs)" = null ]
	# below a terminal, not cubby's process above it
	"$CUBBY_TEST_TOP/tests/on-tty" "cubby exec -q -- sleep 77" </dev/null >/dev/null 3>&- &
	below() { [ "$(runs)" = '"sleep 77"' ]; }
	lib_until below
	cubby stop -q
	wait
}

@test "info: what goes through the gate is said in words" {
	cubby exec -q --keep -- true
	[[ $(cubby info) == *$'\nthrough the gate   '*" ($(cubby info --json | jq -r .caught))"$'\n'* ]]
	cubby stop -q
	cubby exec -q --keep --net none -- true
	[[ $(cubby info) == *$'\nthrough the gate   nothing: there is no network\n'* ]]
	cubby stop -q
}

@test "commands for a box that is not there" {
	local command
	for command in info stop rm ps log; do
		run -1 --separate-stderr cubby $command
		[ "$stderr" = "cubby $command: there is no box for '$LIB_PROJECT'; 'cubby ls' lists them" ]
		[ -z "$output" ]
	done
	run -1 --separate-stderr cubby kill 5
	[ "$stderr" = "cubby kill: there is no box for '$LIB_PROJECT'; 'cubby ls' lists them" ]
}

@test "ps and kill want a running box" {
	cubby exec -- true
	cubby stop -q
	run -1 --separate-stderr cubby ps
	[ "$stderr" = "cubby ps: the box is not running; any command in it starts it" ]
}

@test "--keep leaves it running, stop ends it" {
	cubby exec --keep -- true
	[ "$(state)" = running ]
	[ "$(cubby info --json | jq -r .state)" = running ]
	run -0 --separate-stderr cubby stop
	[ "$stderr" = "cubby: the box of '$LIB_PROJECT' is stopped" ]
	[ "$(state)" = stopped ]
	run -0 cubby stop
}

# bats test_tags=long
@test "what a command leaves in the background keeps the box, which is said, until it ends" {
	run -0 --separate-stderr cubby exec -- sh -c 'setsid sleep 1234 >/dev/null 2>&1 </dev/null &'
	[ "$stderr" = "cubby: sleep still runs in the background and keeps the box ('cubby stop' ends both)" ]
	[ "$(state)" = running ]
	lib_wait_for_command "sleep 1234"
	run -1 --separate-stderr cubby rm
	[[ $stderr == "cubby rm: the box is in use; "* ]]
	cubby stop -q
	[ "$(state)" = stopped ]
	run -0 --separate-stderr cubby exec -- sh -c 'setsid sleep 2 >/dev/null 2>&1 </dev/null &'
	[[ $stderr == *"sleep still runs"* ]]
	for _ in {1..300}; do
		[ "$(state)" != running ] && break
		sleep 0.1
	done
	[ "$(state)" != running ]
	run -0 --separate-stderr cubby exec -- sh -c 'for n in 1 2 3 4 5; do setsid sleep 1234 >/dev/null 2>&1 </dev/null & done'
	[ "$stderr" = "cubby: sleep, sleep, sleep and 2 more still run in the background and keep the box ('cubby stop' ends all)" ]
	cubby stop -q
	# the process of cubby's own above a terminal is none of them
	run -0 "$CUBBY_TEST_TOP/tests/on-tty" "cubby exec -- sh -c 'trap \"\" HUP; sleep 1234 >/dev/null 2>&1 </dev/null &'" </dev/null
	[[ $output == *"cubby: sleep still runs in the background"* ]]
	cubby stop -q
	# nor what calls itself like that, but something keeps the box
	run -0 --separate-stderr cubby exec -- bash -c 'mkfifo /tmp/f
		setsid bash -c "exec -a cubby-init cat <>/tmp/f" >/dev/null 2>&1 </dev/null &
		until [ "$(tr -d "\0" </proc/$!/cmdline)" = cubby-init ]; do :; done'
	[ "$stderr" = "cubby: a program still runs in the background and keeps the box ('cubby stop' ends both)" ]
	cubby stop -q
	run -0 --separate-stderr cubby exec -- sh -c 'sleep 0.01 & true'
	[ -z "$stderr" ]
	run -0 --separate-stderr cubby exec -q -- sh -c 'setsid sleep 1234 >/dev/null 2>&1 </dev/null &'
	[ -z "$stderr" ]
	[ "$(state)" = running ]
	cubby stop -q
}

@test "stats: what the running boxes use" {
	cubby exec -q -d -- sleep 1234
	run -0 "$CUBBY_TEST_TOP/tests/on-tty" 'stty rows 24 cols 45; cubby stats --once' </dev/null
	[[ $output == *…*"${LIB_PROJECT: -4} "* ]]
	run -0 cubby stats
	[[ $output == *"$LIB_PROJECT "* ]]
	[[ ${lines[0]} =~ ^DIRECTORY\ +NAME\ +CPU\ %\ +MEMORY\ +LIMIT\ +PROCESSES\ +WRITTEN\ +SENT\ +RECEIVED$ ]]
	run -0 cubby stats --json
	[ "$(jq -r ".[] | select(.directory == \"$LIB_PROJECT\") | .memory_limit > 0" <<<"$output")" = true ]
	cubby stop -q
	run -0 cubby stats --json
	[ -z "$(jq -r ".[] | select(.directory == \"$LIB_PROJECT\")" <<<"$output")" ]
}

# of the box of this directory
stat_of() { cubby stats --json | jq -c ".[] | select(.directory == \"$LIB_PROJECT\") | .$1"; }

# bats test_tags=long
@test "stats: bytes written are those of all its processes, also of those that have ended" {
	[ -r /proc/self/io ] || skip "this kernel does not count what processes write"
	[ "$(stat -f -c %T "$XDG_DATA_HOME")" != tmpfs ] || skip "the store is in memory here, and on no disk"
	cubby exec -q --keep --net none -- sh -c 'dd if=/dev/zero of=/root/big bs=1M count=3 conv=fsync 2>/dev/null'
	(($(stat_of disk_written) >= 3 << 20 && $(stat_of disk_written) < 64 << 20))
	[ "$(stat_of net_sent) $(stat_of net_received) $(stat_of unknown)" = "0 0 null" ]
	cubby stop -q
}

@test "stats: what is not known is null, and said" {
	cubby exec -q --keep --net host -- true
	[ "$(stat_of net_sent)" = null ]
	[[ $(stat_of unknown) == *"this box uses the host's network: nothing counts what is its own"* ]]
	run -0 --separate-stderr cubby stats
	[[ $stderr == *"cubby: '-' of '$LIB_PROJECT': "*"this box uses the host's network"* ]]
	cubby stop -q
}

@test "stats: on a terminal again and again, until no box runs" {
	local shows
	cubby exec -q -d -- sleep 1234
	timeout 60 "$CUBBY_TEST_TOP/tests/on-tty" 'cubby stats' </dev/null >shown &
	shows=$!
	until [ "$(grep -c DIRECTORY shown)" -ge 2 ]; do
		kill -0 "$shows"
		sleep 0.1
	done
	cubby stop -q -a
	wait "$shows"
	[[ $(tail -n 1 shown) == *"no box runs"* ]]
}

@test "stats, top: what is shown again is drawn in its place, and no more of it than fits" {
	local i what shows
	for i in 1 2 3 4 5; do cubby exec -q -d -- sleep 1234; done
	for what in stats top; do
		timeout 60 "$CUBBY_TEST_TOP/tests/on-tty" "stty rows 4 cols 80; cubby $what" </dev/null >shown &
		shows=$!
		until [ "$(grep -c $'\e\[H' shown)" -ge 3 ]; do
			kill -0 "$shows"
			sleep 0.1
		done
		kill "$shows"
		wait "$shows" || true
		# From the top of the screen to its end moves a screen to what was scrolled away.
		[ "$(grep -c $'\e\[H\e\[J' shown)" = 1 ] || { cat -v shown; return 1; }
		tr -d '\r' <shown | awk 'BEGIN { RS = "\033\\[H" } gsub(/\n/, "") > 3 { exit 1 }' || { cat -v shown; return 1; }
	done
	cubby stop -q
}

@test "config: the image of a box is what it was made from" {
	cubby exec -q -- true
	CUBBY_IMAGE=another run -0 cubby config --json
	[ "$(jq -r '.[] | select(.name == "image") | "\(.value) \(.from)"' <<<"$output")" = "test box" ]
	cd ..
	[ "$(CUBBY_IMAGE=another cubby config --json | jq -r '.[] | select(.name == "image") | .value')" = another ]
}

@test "stop ends what others run" {
	cubby exec -d -- sleep 1000
	[ "$(state)" = running ]
	cubby stop -q
	[ "$(state)" = stopped ]
}

@test "stop: who runs the box again at once does not hold it up" {
	cubby exec --keep -- true
	local lock waiter
	lock=$(ls "$XDG_DATA_HOME"/cubby/boxes/"$(cubby info --json | jq -r .key)"*/lock)
	( # as another monitor would
		flock 7
		touch taken
		until [ -e stopped ]; do read -rt 0.02 <> <(:) || true; done
	) 7<"$lock" 3>&- &
	waiter=$!
	until grep -q -- '-> FLOCK' /proc/locks; do read -rt 0.02 <> <(:) || true; done
	run timeout "$(lib_longer 60)" cubby stop
	touch stopped
	wait $waiter
	[ "$status" = 0 ]
	[ -e taken ]
}

@test "rm: a running box stays unless forced" {
	cubby exec --keep -- true
	run -1 --separate-stderr cubby rm
	[ "$stderr" = "cubby rm: the box is in use; 'cubby stop' ends it; --force does both" ]
	run -0 cubby rm --force
	[ -z "$(state)" ]
}

@test "rm: files of every user of the box go too" {
	cubby exec -- sh -c 'mkdir -m 700 /root/d /srv/d; touch /srv/d/f; chown -R 65534:65534 /srv/d; chmod 0 /root/d'
	cubby stop -q
	local key
	key=$(cubby ls --json | jq -r ".[] | select(.directory == \"$LIB_PROJECT\") | .key")
	run -0 cubby rm
	[ ! -e "$XDG_DATA_HOME/cubby/boxes/$key" ]
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ]
}

@test "rm and stop by directory and by key" {
	mkdir a b
	cubby exec -C a -- true
	cubby exec -C b -- true
	cubby stop -q a b
	local key
	key=$(cubby ls --json | jq -r ".[] | select(.directory == \"$LIB_PROJECT/b\") | .key")
	run -0 cubby rm -q a "${key:0:12}"
	[ -z "$(state "$LIB_PROJECT/a")$(state "$LIB_PROJECT/b")" ]
	run -1 --separate-stderr cubby rm 0123456789ab
	[ "$stderr" = "cubby rm: no box has the key '0123456789ab'; 'cubby ls --json' tells them" ]
}

@test "stop: processes are told to end, and killed when they do not" {
	local began pid
	cubby exec -q -d -- sh -c 'trap "echo told >/root/told; exit" TERM; echo up; while :; do sleep 0.1; done'
	until [[ $(cubby logs 2>&1) == *up* ]]; do read -rt 0.05 <> <(:) || true; done
	cubby stop -q
	run -0 cubby exec -q -- cat /root/told
	[ "$output" = told ]
	# More than are asked at once: each is told.
	cubby exec -q -d -- sh -c 'trap "exit 0" TERM; mkdir /root/all
		for i in $(seq 300); do sh -c "trap \"echo >/root/all/$i; exit\" TERM; : >/tmp/up.$i; while :; do sleep 5 & wait; done" & done
		until [ "$(ls /tmp/up.* | wc -l)" = 300 ]; do sleep 0.1; done; echo up; while :; do sleep 5 & wait; done'
	until [[ $(cubby logs 2>&1) == *up* ]]; do read -rt 0.05 <> <(:) || true; done
	cubby stop -q
	run -0 cubby exec -q -- sh -c 'ls /root/all | wc -l'
	[ "$output" = 300 ]
	cubby exec -q -d -- sh -c 'trap "" TERM; echo up; while :; do sleep 0.1; done'
	until [[ $(cubby logs 2>&1) == *up* ]]; do read -rt 0.05 <> <(:) || true; done
	began=$SECONDS
	cubby stop -q --time 1
	((SECONDS - began < 8))
	[ "$(state "$LIB_PROJECT")" = stopped ]
	cubby exec -q -d -- sh -c 'trap "" TERM; echo up; while :; do sleep 0.1; done'
	until [[ $(cubby logs 2>&1) == *up* ]]; do read -rt 0.05 <> <(:) || true; done
	began=$SECONDS
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' cubby stop -q --time 100 3>&- &
	pid=$!
	until [[ $(cat "/proc/$pid/comm") == cubby ]] && grep -q "^SigBlk:.*2$" "/proc/$pid/status"; do read -rt 0.05 <> <(:) || true; done
	kill -INT "$pid"
	wait "$pid"
	((SECONDS - began < 30))
	[ "$(state "$LIB_PROJECT")" = stopped ]
	run -2 --separate-stderr cubby stop --time x
	[ "$stderr" = "cubby stop: --time: bad number 'x'; it is from 0 to 86400" ]
}

@test "prune: a time needs its unit" {
	run -2 --separate-stderr cubby prune --older 10
	[ "$stderr" = "cubby prune: --older: '10' has no unit; write '10d' for days, '10h' for hours" ]
}

@test "prune: what a killed command was making goes, what another makes stays" {
	local tmp=$XDG_DATA_HOME/cubby/tmp
	cubby prune -yq
	mkdir -p "$tmp/pull-dead/rootfs/usr" "$tmp/pull-here"
	touch "$tmp/pull-dead/lock" "$tmp/pull-here/lock"
	exec {fd}<>"$tmp/pull-here/lock"
	flock -n $fd
	cubby prune -n
	[ -e "$tmp/pull-dead" ]
	run -0 cubby prune -y
	[ "$output" = "removed what 1 command began and did not end" ]
	[ "$(ls "$tmp")" = pull-here ]
	exec {fd}>&-
	cubby prune -y
	run -0 cubby prune -y
	[ "$output" = "cubby: there is nothing to remove" ]
}

@test "prune: only boxes whose directory is gone" {
	mkdir gone here
	cubby exec -C gone -- true
	cubby exec -C here -- true
	cubby stop -q gone here
	rmdir gone
	[ "$(state "$LIB_PROJECT/gone")" = orphaned ]
	run -0 --separate-stderr cubby prune --dry-run
	[ "$output" = "would remove $LIB_PROJECT/gone" ]
	run -1 --separate-stderr cubby prune
	[ "$stderr" = "cubby prune: 1 box would be removed, with all that was installed there; --yes does it, 'cubby ls' lists them" ]
	run -1 --separate-stderr cubby rm --all
	[[ $stderr == "cubby rm: "*" boxes would be removed, with all that was installed there; --yes does it, 'cubby ls' lists them" ]]
	[ "$(state "$LIB_PROJECT/gone")" = orphaned ]
	run "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby prune" <<<no
	[[ $output == *"$LIB_PROJECT/gone"*"Remove this box, with all that was installed there? [y/N] "*"nothing was removed"* ]]
	[ "$(state "$LIB_PROJECT/gone")" = orphaned ]
	run -0 cubby prune --json --yes
	[ "$(jq -r '.[].directory' <<<"$output")" = "$LIB_PROJECT/gone" ]
	[ -z "$(state "$LIB_PROJECT/gone")" ]
	[ "$(state "$LIB_PROJECT/here")" = stopped ]
	cubby rm -q here
}

@test "a directory with letters beyond ASCII, a backslash, or bytes that are no text" {
	local name
	for name in josé 'back\slash' $'odd\xff\nname'; do
		mkdir "$name"
		cubby exec -C "$name" -- true
		run -0 cubby stop -q "$name"
		run -0 cubby ls
		[[ $output != *orphaned* ]]
		run -0 --separate-stderr cubby prune
		[ -z "$output" ]
		run -0 cubby info -C "$name"
		run -0 --separate-stderr cubby rm "$name"
		[[ $stderr == "cubby: the box of '$LIB_PROJECT/"*"' is removed" ]]
		run -1 cubby info -C "$name"
	done
	cubby exec -C josé -- true
	[[ $(state "$LIB_PROJECT/josé") =~ ^(stopped|running)$ ]]
	[ "$(cubby info --json -C josé | jq -r .project)" = "$LIB_PROJECT/josé" ]
	cubby rm -q --force josé
}

@test "ps: the box's processes and no other" {
	cubby exec -d -- sleep 1234
	lib_wait_for_command "sleep 1234"
	[ "$(jq -r '.[0].pid' <<<"$output")" = 1 ]
	[ "$(jq '[.[] | select(.command == "sleep 1234")] | length' <<<"$output")" = 1 ]
	[[ $output != *bats* ]]
	run -0 cubby ps
	[[ ${lines[0]} =~ ^\ *PID\ +PARENT ]]
	run -1 --separate-stderr cubby kill 1
	[ "$stderr" = "cubby kill: process 1 is the box itself; 'cubby stop' ends it" ]
	run -1 --separate-stderr cubby kill 99999
	[ "$stderr" = "cubby kill: there is no process 99999 in the box; 'cubby ps' lists them" ]
	run -0 cubby exec -d -- sleep 4321
	local pid=$output
	lib_wait_for_command "sleep 4321"
	run -0 cubby kill -KILL "$pid"
	for _ in {1..300}; do
		cubby kill -9 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	run -1 --separate-stderr cubby kill -9 "$pid"
	[ "$stderr" = "cubby kill: there is no process $pid in the box; 'cubby ps' lists them" ]
	cubby stop -q
}

@test "ps: who has many groups, or a strange name, is shown and ended like everybody" {
	cubby exec -q -d -- perl -e '$0 = "a) Z 1 (b"; $) = "0 " . join(" ", (50000) x 65536); mkdir("there"); sleep(600)'
	for _ in {1..300}; do
		[ ! -d there ] || break
		sleep 0.1
	done
	run -0 cubby ps --json
	[ "$(jq -c '[.[1:][] | .state, .command]' <<<"$output")" = '["S","a) Z 1 (b"]' ]
	cubby kill -9 "$(jq '.[1].pid' <<<"$output")"
	rmdir there
	cubby stop -q
}

@test "info: described for people and as JSON" {
	cubby exec --save --memory 512M --net none -- true
	run -0 cubby info
	[[ $output == *"memory limit       512 MiB"* ]]
	[[ $output == *"network            none"* ]]
	run -0 cubby info --json
	[ "$(jq .limits.memory_bytes <<<"$output")" = 536870912 ]
	[ "$(jq -r .project <<<"$output")" = "$LIB_PROJECT" ]
}

@test "a damaged record is one clear line" {
	cubby exec -- true
	cubby stop -q
	local key
	key=$(cubby ls --json | jq -r ".[] | select(.directory == \"$LIB_PROJECT\") | .key")
	echo '{"project": 3' >"$XDG_DATA_HOME/cubby/boxes/$key/box.json"
	run -125 --separate-stderr cubby exec -- true
	[ "${#stderr_lines[@]}" = 1 ]
	rm -r "${XDG_DATA_HOME:?}/cubby/boxes/$key" 2>/dev/null || true
}
