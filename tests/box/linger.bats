# An idle box waits for the next command, and nobody notices but by the time.
load ../lib
load escape/git

setup_file() {
	git_setup_file
	export CUBBY_LINGER=$(lib_longer 30)s
}
setup() { git_setup; }
teardown() { cubby stop -q --time 0 >/dev/null 2>&1 || true; }

info() { cubby info --json | jq -r ".$1"; }

# The box is idle as soon as init has cleared it.
wait_for() { # STATE
	is() { [ "$(info state)" = "$1" ]; }
	lib_until is "$1" || { echo "the box is $(info state), not $1"; return 1; }
}

runs() { [[ $(cubby ps 2>&1) == *"$1"* ]]; }

lingering() { # what it is known by
	wait_for lingering
	info init_pid
}

@test "the next command runs in the same box" {
	cubby exec -- true
	local init
	init=$(lingering)
	[ "$(cubby ls --json | jq -r --arg d "$PWD" '.[] | select(.directory == $d).state')" = lingering ]
	cubby exec -- true
	[ "$(lingering)" = "$init" ]
	run -3 cubby exec -- sh -c 'exit 3'
	[ "$(lingering)" = "$init" ]
}

@test "nothing of a command whose client was killed goes on" {
	cubby exec -- sh -c 'setsid sh -c "trap : TERM HUP INT; while :; do sleep 1; done" & wait' </dev/null 3>&- &
	lib_until runs 'sleep 1'
	kill -9 $!
	lingering
	run -0 cubby ps --json
	[ "$(jq length <<<"$output")" -eq 1 ]
}

# bats test_tags=long
@test "what a command left in the background goes on, and then the box waits" {
	cubby exec -- sh -c 'setsid sleep 2 >/dev/null 2>&1 </dev/null &'
	[ "$(info state)" = running ]
	lingering
}

# What the client of the tools leaves running while it writes the file is its own shell.
@test "what a command left goes on when somebody with a shell has come, done more, and gone" {
	cubby exec -- sh -c 'setsid sleep 1000 >/dev/null 2>&1 </dev/null &'
	local call='{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n'
	{
		printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
		# shellcheck disable=SC2059 # the call is a format
		printf "$call" 1 shell '{"command":"echo on"}' 2 write_file '{"path":"new","content":"x"}'
	} | cubby mcp >said
	[[ $(jq -r 'select(.id == 1).result.content[0].text' said) == on* ]]
	[ "$(cat new)" = x ]
	[ "$(info background)" = true ]
	[ "$(info state)" = running ]
	cubby exec -- true # which met nothing but that
	[[ $(cubby ps) == *'sleep 1000'* ]]
}

# Each client that asks whether something is left may meet the program of another.
@test "what a command left goes on though another was there when that was asked, and was killed" {
	cubby exec -- sh -c ': >a; until [ -e on ]; do sleep 0.02; done
		setsid sleep 1000 >/dev/null 2>&1 </dev/null &' &
	local first=$! second
	lib_until test -e a
	kill -STOP $first
	: >on
	alone() { runs 'sleep 1000' && [ "$(cubby ps --json | jq length)" -eq 2 ]; }
	lib_until alone
	cubby exec -- sh -c ': >b; exec sleep 500' &
	second=$!
	lib_until test -e b
	kill -CONT $first
	wait $first
	kill -9 $second
	gone() { ! runs 'sleep 500'; }
	lib_until gone
	[[ $(cubby ps) == *'sleep 1000'* ]]
	[ "$(info background)" = true ]
}

@test "with what it left in memory the box ends: files, queues, segments" {
	local left
	for left in ': >/tmp/x' 'mkdir /run/x' ': >/dev/shm/x' ': >/dev/mqueue/x' \
		'perl -e "defined(shmget(5, 100, 01600)) or die"' \
		'perl -e "defined(msgget(5, 01600)) or die"' \
		'perl -e "defined(semget(5, 1, 01600)) or die"' \
		'chmod 700 /tmp' 'chmod 600 /dev/pts/ptmx' 'chmod 700 /dev/pts' 'chown 1 /dev/shm 2>/dev/null; chmod 1755 /run' 'ln -sfn /tmp/evil /dev/stdout' \
		'rm /dev/fd; ln -s /etc /dev/FD' 'echo 500 >/proc/1/oom_score_adj' 'echo 0 >/proc/1/coredump_filter'; do
		cubby exec --linger 30m -- sh -c "$left" # it does not end by itself meanwhile
		wait_for stopped
	done
	cubby exec -- sh -c ': >/tmp/x; rm /tmp/x'
	lingering
}

@test "other options are another box, and are not said to come later" {
	cubby exec -- true
	local init
	init=$(lingering)
	run -0 --separate-stderr cubby exec --memory 300M -- true
	[ -z "$stderr" ]
	[ "$(lingering)" != "$init" ]
	[ "$(info limits.memory_bytes)" -eq 314572800 ]
	cubby exec --linger 0 -- true
	wait_for stopped
}

@test "a directory that is another by the same name is seen" {
	: >old
	cubby exec -- ls
	lingering
	mv "$PWD" "$PWD.away"
	mkdir "$PWD"
	cd "$PWD"
	: >new
	[ "$(cubby exec -- ls)" = new ]
}

@test "what the host mounted or took away while the command ran is seen by the next" {
	[ "$(id -u)" -eq 0 ] || skip "mounts"
	mkdir sub
	cubby exec -- true
	mount -t tmpfs none sub || skip "no mounts here"
	: >sub/mounted
	run cubby exec -- true
	[[ $output != *"cannot map the ids of a filesystem"* ]] || {
		umount sub
		skip "no tmpfs can be shown with other ids here: Linux 6.3"
	}
	cubby stop -q --time 0
	cubby exec -- sh -c 'touch ready; until [ -e on ]; do sleep 0.02; done; rm ready on' &
	client=$!
	lib_until test -e ready
	umount sub
	: >on
	wait $client
	[ -z "$(cubby exec -- ls sub)" ]
}

@test "what the host does to a repository meanwhile is seen, and is nobody's doing" {
	git_repo
	cubby exec -- git status
	wait_for stopped # it wrote an index
	[ "$(cubby exec -- git log -1 --format=%s)" = "$(git log -1 --format=%s)" ]
	lingering
	git commit -q --allow-empty -m 'on the host'
	[ "$(cubby exec -- git log -1 --format=%s)" = 'on the host' ]
	lingering
	git checkout -q -b elsewhere
	[ "$(cubby exec -- git branch --show-current)" = elsewhere ]
	lingering
	git init -q below
	printf '#!/bin/sh\n' >below/.git/hooks/pre-commit
	git -C below config core.fsmonitor ./x
	run -0 --separate-stderr cubby exec -- true
	[ -x below/.git/hooks ]
	[ -e below/.git/hooks/pre-commit ]
}

@test "a repository of the host's in the directory itself is nobody's doing" {
	cubby exec -- true
	lingering
	git init -q .
	git config core.fsmonitor ./x
	run -0 --separate-stderr cubby exec -- cat .git/config
	[[ $output == *fsmonitor* ]]
	[ -z "$stderr" ]
}

@test "what a command did to a repository is taken over before" {
	git_repo
	boxed 'echo two >file; git commit -qam two'
	[ "$(git log -1 --format=%s)" = two ]
	[ "$(cubby exec -- git log -1 --format=%s)" = two ]
}

@test "rm, --wipe, prune and mv take it as stopped; stop stops it" {
	cubby exec -- true
	lingering
	cubby rm -q
	cubby exec -- true
	lingering
	cubby exec --wipe -- true
	lingering
	run -0 cubby stop
	[[ $output == *"is stopped"* ]]
	cubby exec -- true
	lingering
	mkdir "$LIB_DIR/elsewhere.$BATS_TEST_NUMBER"
	mv "$PWD" "$LIB_DIR/elsewhere.$BATS_TEST_NUMBER/p"
	cubby prune --yes
	cd "$LIB_DIR/elsewhere.$BATS_TEST_NUMBER/p"
}

@test "it ends by itself" {
	cubby exec --linger 50ms -- true
	wait_for stopped
	run -125 cubby exec --linger soon -- true
	[[ $output == *"--linger: bad time 'soon'; it is such as 0, 90s or 10m"* ]]
}

# The monitor stands still while one client leaves and the next knocks: it hears of both at once.
@test "who comes in the moment in which the last one leaves meets nothing of theirs" {
	local linger last monitor next n
	for linger in 0 30s; do
		rm -f there
		cubby exec --linger $linger -- sh -c ': >/tmp/x; : >there; exec sleep 100' 3>&- &
		last=$!
		until [ -e there ]; do kill -0 $last; read -rt 0.02 <> <(:) || true; done
		monitor=$(info monitor_pid)
		kill -STOP "$monitor"
		kill -9 $last
		wait $last || true
		cubby exec --linger $linger -- sh -c '[ ! -e /tmp/x ]' 3>&- &
		next=$!
		# It waits for an answer, and has knocked: nobody has accepted it yet.
		for ((n = 0; n < $(lib_longer 500); n++)); do
			[[ $(ls -l /proc/$next/fd) != *socket:* || $(cut -d' ' -f3 /proc/$next/stat) != S ]] ||
				! grep -q ' 02 *0 .*/ctl$' /proc/net/unix || break
			read -rt 0.02 <> <(:) || true
		done
		grep -q ' 02 *0 .*/ctl$' /proc/net/unix
		kill -CONT "$monitor"
		wait $next
		[ "$(info monitor_pid)" != "$monitor" ]
	done
}

@test "no command meets the memory of the one before, and many at once all run" {
	local i pids=()
	for ((i = 0; i < $(lib_fewer 20); i++)); do
		cubby exec -- sh -c '[ ! -e /tmp/x ] && : >/tmp/x'
	done
	for ((i = 0; i < $(lib_fewer 20); i++)); do
		cubby exec -- true &
		pids+=($!)
		((i % 4)) || wait "$!"
	done
	for i in "${pids[@]}"; do
		wait "$i"
	done
	wait_for lingering
}
