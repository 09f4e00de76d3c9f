# The host beside the box: K16, K19, K30, K36, K38, K39, K40.
bats_require_minimum_version 1.5.0
load ../../lib
load escape

setup_file() { escape_setup_file; }
teardown_file() { lib_done; }
setup() { escape_setup; }

@test "K16: --user is exactly that user, or an error" {
	cubby exec -- true
	if [ "$(escape_map)" != single ]; then
		run -0 cubby exec --user 1 -- sh -c 'id -u; id -g'
		[ "${lines[0]}" = 1 ]
		run -0 cubby exec --user 1:2 -- sh -c 'id -u; id -g'
		[ "$output" = $'1\n2' ]
	fi
	run -0 cubby exec --user 0 -- id -u
	[ "$output" = 0 ]
	for bad in +1 -1 1: :1 4294967295 4294967296 1:4294967295 '1 ' 0x1 '' nosuchuser; do
		run cubby exec --user="$bad" -- id -u
		echo "'$bad': $status $output"
		[ "$status" -ne 0 ]
		[[ $output == cubby* ]]
	done
}

@test "K19: abstract sockets of the host are not there" {
	command -v python3 >/dev/null || skip "no python3"
	python3 -c '
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind("\0cubby-test-" + sys.argv[1]); s.listen(1); print("up", flush=True); time.sleep(30)
' "$$" >up 3>&- &
	listener=$!
	until [ -s up ]; do kill -0 $listener; read -rt 0.02 <> <(:) || true; done
	run cubby exec -- cat /proc/net/unix
	kill $listener
	[[ $output != *"cubby-test-$$"* ]]
}

@test "K30: store, boxes and sockets are the caller's alone" {
	cubby exec -- true
	[ "$(stat -c %a "$XDG_DATA_HOME/cubby")" = 700 ]
	cubby exec -- sleep 5 3>&- &
	keeper=$!
	until [ -n "$(find "$XDG_RUNTIME_DIR" -type s)" ]; do
		kill -0 $keeper
		read -rt 0.02 <> <(:) || true
	done
	while read -r socket; do
		[ "$(stat -c %a "$(dirname "$socket")")" = 700 ]
	done < <(find "$XDG_RUNTIME_DIR" -type s)
	kill $keeper
}

@test "K36: .git/hooks and .git/config are read-only and cannot be walked around" {
	mkdir -p .git/hooks
	echo '[core]' >.git/config
	echo '#!/bin/sh' >.git/hooks/pre-commit
	before=$(find .git -printf '%P %y %i\n' | sort; cat .git/config .git/hooks/*)
	run cubby exec -- sh -c 'echo x >>.git/config; echo x >>.git/hooks/pre-commit
		echo x >.git/hooks/new; rm .git/config; rm -r .git/hooks
		mv .git/hooks .git/h2; mv .git/config .git/c2; mv .git .git2
		ln -s /tmp .git/hooks; chmod 777 .git/hooks; true'
	[ "$before" = "$(find .git -printf '%P %y %i\n' | sort; cat .git/config .git/hooks/*)" ]
	[ ! -e .git2 ]
	cubby exec --git-writable -- sh -c 'echo x >>.git/config'
	grep -q x .git/config
}

@test "K38: nothing of the box outlives its monitor" {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		cubby exec -- sh -c 'setsid sleep 77 & sleep 77' >client.out 2>&1 3>&- &
		client=$!
		monitor=
		until [ -n "$monitor" ]; do
			kill -0 $client || { cat client.out; return 1; }
			for pid in $(pgrep -f __monitor || true); do
				{ tr '\0' '\n' <"/proc/$pid/environ"; } 2>/dev/null |
					grep -qx "XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" || continue
				{ tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -q monitor &&
					monitor=$pid
			done
		done
		kill -9 "$monitor"
		wait $client || true
		for ((i = 0; i < 500; i++)); do
			pgrep -f '^sleep 77$' >/dev/null || break
			read -rt 0.02 <> <(:) || true
		done
		[ "$i" -lt 500 ]
		run -0 cubby exec -- echo again
		[ "$output" = again ]
	done
}

@test "K39: two boxes share nothing" {
	mkdir one two
	cubby exec -C one -- sh -c 'for d in /tmp /root /dev/shm /run /var/tmp; do
		echo mark >$d/f; done; sleep 30' 3>&- &
	keeper=$!
	until cubby ps -C one >/dev/null 2>&1; do kill -0 $keeper; read -rt 0.02 <> <(:) || true; done
	run cubby exec -C two -- sh -c 'cat /tmp/f /root/f /dev/shm/f /run/f /var/tmp/f
		cat /proc/[0-9]*/cmdline | tr "\0" " "; ls ..; kill -9 -1; true'
	[[ $output != *mark* && $output != *"sleep 30"* ]]
	kill -0 $keeper
	kill $keeper
}

@test "K40: the caller's other groups are gone, or named" {
	cubby exec -- true
	run -0 cubby exec -- id -G
	if [ "$(escape_map)" = single ] && [ "$(id -G | wc -w)" -gt 1 ]; then
		[[ $output == *65534* ]]
		return
	fi
	[ "$output" = 0 ]
}
