# The wire between client, monitor and init: K07.
load ../../lib
load escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }

teardown() {
	[ -z "${keeper-}" ] || kill "$keeper" 2>/dev/null || true
}

# Whose client has gone is ended, and then no longer counted.
nothing_runs() {
	local n
	for ((n = 0; n < 500; n++)); do
		[ "$(cubby info --json | jq .programs)" != 0 ] || return 0
		read -rt 0.02 <> <(:) || true
	done
	cubby info --json
	return 1
}

descriptors() { find "/proc/$1/fd" -mindepth 1 | wc -l; }

@test "K07: malformed greetings and requests leave the monitor as it was" {
	cubby exec --keep -- true
	monitor=$(cubby info --json | jq -r .monitor_pid)
	init=$(cubby info --json | jq -r .init_pid)
	dir=$(dirname "$(find "$XDG_RUNTIME_DIR" -name ctl)")
	cubby net >/dev/null # the gate, which the first question starts, has descriptors too
	# Some of its own may come, as those of a timer or a helper; a leak would be hundreds.
	before=$(($(descriptors "$monitor") + 16))
	run -0 "$ESCAPE_PROBES/wirefuzz" clients "$dir" 3000
	[ "$output" = done ]
	run -0 cubby exec -- echo still
	[ "$output" = still ]
	[ "$(cubby info --json | jq -r .monitor_pid)" = "$monitor" ]
	[ "$(cubby info --json | jq -r .init_pid)" = "$init" ]
	# The last client is noticed a moment later.
	for ((i = 0; i < 500; i++)); do
		[ "$(descriptors "$monitor")" -gt "$before" ] || break
		read -rt 0.02 <> <(:) || true
	done
	[ "$(descriptors "$monitor")" -le "$before" ]
	nothing_runs
	cubby stop
}

@test "K07: clients that leave at once leave no program behind, on a terminal or not" {
	cubby exec --keep -- true
	dir=$(dirname "$(find "$XDG_RUNTIME_DIR" -name ctl)")
	run -0 "$ESCAPE_PROBES/wirefuzz" leave "$dir" 400
	[ "$output" = done ]
	nothing_runs
	cubby stop
}

@test "K07: many long requests at once, and the signals behind them: none is lost" {
	cubby exec --keep -- true
	dir=$(dirname "$(find "$XDG_RUNTIME_DIR" -name ctl)")
	run -0 timeout "$(lib_longer 120)" "$ESCAPE_PROBES/wirefuzz" pipeline "$dir" 60
	[ "$output" = done ]
	run -0 cubby exec -- echo still
	nothing_runs
	cubby stop
}

# Its leader ends at once; what is left of the group ignores all but SIGKILL.
@test "K07: what was owed to a group is paid though its leader ended first" {
	cubby exec --keep -- true
	mkfifo there
	cubby exec -- sh -c '(trap "" HUP TERM; echo up >there; while :; do sleep 1; done) & exec sleep 100' &
	client=$!
	read -r up <there
	[ "$up" = up ]
	kill -9 "$client"
	for ((n = 0; n < 500; n++)); do
		run cubby ps --json
		[[ $output == *sleep* ]] || break
		sleep 0.02
	done
	[[ $output != *sleep* ]]
	cubby stop
}

# The number that the starter's socket had is given to whoever comes next.
@test "K07: nothing that is for the starter goes to who has its number after it" {
	local pid ends
	for ends in 'kill -9 INIT' 'kill MONITOR' 'cubby stop -q'; do
		cubby exec --keep -- true
		monitor=$(cubby info --json | jq -r .monitor_pid)
		init=$(cubby info --json | jq -r .init_pid)
		for ((n = 0; n < 500; n++)); do
			[ -e "/proc/$monitor/fd/3" ] || break
			read -rt 0.02 <> <(:) || true
		done
		[ ! -e "/proc/$monitor/fd/3" ]
		"$ESCAPE_PROBES/wirefuzz" silent "$(dirname "$(find "$XDG_RUNTIME_DIR" -name ctl)")" 8 >heard 3>&- &
		pid=$!
		for ((n = 0; n < 500; n++)); do
			[[ $(readlink "/proc/$monitor/fd/3") != socket:* ]] || break
			read -rt 0.02 <> <(:) || true
		done
		[[ $(readlink "/proc/$monitor/fd/3") == socket:* ]]
		cubby exec -- sh -c 'git init -q made; :'
		ends=${ends/INIT/$init}
		${ends/MONITOR/$monitor}
		wait "$pid" || { echo "$ends: $(cat heard)"; false; }
		[ "$(cat heard)" = $'there\ndone' ]
	done
}

@test "K07: a monitor that is started with anything but a spec ends with an error" {
	run -0 "$ESCAPE_PROBES/wirefuzz" starts "$CUBBY_TEST_BIN" 200
	[ "$output" = done ]
}

# Whatever holds it up: what its box does, or a descriptor that takes hours to be closed.
@test "K07: a monitor that does not answer is ended by stop, and its box with it" {
	local monitor init waits counts
	cubby exec --keep -- sh -c 'echo kept >/root/there'
	monitor=$(cubby info --json | jq -r .monitor_pid)
	init=$(cubby info --json | jq -r .init_pid)
	kill -STOP "$monitor"
	# As many wait for it as may: the next one waits no longer than for an answer, either.
	"$ESCAPE_PROBES/wirefuzz" crowd "$(dirname "$(find "$XDG_RUNTIME_DIR" -name ctl)")" 1000
	timeout "$(lib_longer 90)" cubby exec -- true 2>said &
	waits=$!
	timeout "$(lib_longer 90)" cubby stats >counted 2>&1 &
	counts=$!
	run -1 --separate-stderr timeout "$(lib_longer 90)" cubby info
	[ -z "$output" ]
	[ "$stderr" = "cubby info: no answer from the box's monitor; 'cubby stop' ends it" ]
	wait "$waits" || [ $? = 125 ]
	wait "$counts"
	[ "$(cat counted)" = "cubby: '$LIB_PROJECT' does not answer" ] || { cat counted; return 1; }
	[ "$(cat said)" = "cubby exec: no answer from the box's monitor; 'cubby stop' ends it" ]
	run -0 --separate-stderr timeout "$(lib_longer 90)" cubby stop
	[[ $stderr == *"did not answer, and was killed"* ]]
	lib_until eval "! kill -0 $init"
	lib_until eval "! kill -0 $monitor || grep -q '^State:.Z' /proc/$monitor/status"
	run -0 cubby exec -- cat /root/there
	[ "$output" = kept ]
}
