# The scope of a real service manager (runtime/cgroup/systemd.c): an ordinary user of a
# machine that systemd runs, with cgroup v2.
load ../lib
load ../box/escape/escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }
teardown() { cubby stop -q 2>/dev/null || true; }

# The user's own runtime directory, not that of the tests.
manager() { XDG_RUNTIME_DIR=/run/user/$(id -u) systemctl --user "$@"; }

manager_run() { XDG_RUNTIME_DIR=/run/user/$(id -u) systemd-run --user "$@"; }

scopes() { manager list-units --all --plain --no-legend --type=scope 'cubby-*'; }

info() { cubby info --json | jq -r "$1"; }

cgroup_of() { sed -n 's/^0:://p' "/proc/$1/cgroup"; }

# scopes_end: systemd sees an empty cgroup in its own time
scopes_end() {
	local i
	for ((i = 0; i < $(lib_longer 500); i++)); do
		[ -n "$(scopes)" ] || return 0
		read -rt 0.02 <> <(:) || true
	done
	echo "still there: $(scopes)"
	return 1
}

@test "a login has a session, a manager and a bus" {
	[ -n "$DBUS_SESSION_BUS_ADDRESS" ]
	[[ $(cgroup_of self) == /user.slice/*/session-*.scope ]]
	run manager is-system-running
	echo "$output"
	[[ $output == running || $output == degraded ]]
}

@test "a box is in a scope of its own: init in one leaf, the monitor in another" {
	cubby exec --keep --memory 256M --pids 99 -- true
	[ "$(info .cgroup)" = systemd ]
	run -0 scopes
	echo "$output"
	[ "${#lines[@]}" = 1 ]
	[[ $output == cubby-*" loaded active running "* ]]
	scope=${output%% *}
	at=$(cgroup_of "$(info .init_pid)")
	[[ $at == */user@$(id -u).service/*/"$scope"/box ]]
	[ "$(cgroup_of "$(info .monitor_pid)")" = "${at%/box}/monitor" ]
	[ "$(cat "/sys/fs/cgroup$at/memory.max")" = $((256 << 20)) ]
	[ "$(cat "/sys/fs/cgroup$at/memory.swap.max")" = 0 ]
	[ "$(cat "/sys/fs/cgroup$at/pids.max")" = 99 ]
	[ "$(manager show -P Delegate "$scope")" = yes ]
	cubby exec -- true
	[ "$(cgroup_of "$(info .init_pid)")" = "$at" ] # joined, not made again
}

@test "the client stays where it was" {
	before=$(cgroup_of self)
	mkfifo fifo
	cubby exec --keep -- cat <fifo 3>&- &
	client=$!
	exec 7>fifo
	until cubby ps >/dev/null 2>&1; do kill -0 $client; read -rt 0.02 <> <(:) || true; done
	[ "$(cgroup_of $client)" = "$before" ]
	exec 7>&-
	wait $client
}

# As in the terminal of a desktop: the user may write to the cgroup that the shell is in,
# and the kernel would make that one a threaded domain, where no box can live.
@test "from a scope of the user's own manager: another one, and that one stays as it was" {
	cat >script <<-'END'
	at=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
	[ -w "$at/cgroup.subtree_control" ] && cubby exec --keep --pids 99 -- echo in || exit
	cat "$at/cgroup.type"
	echo "handed on: $(cat "$at/cgroup.subtree_control")."
	END
	run -0 --separate-stderr manager_run --scope --quiet -- \
		env XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR" bash script
	echo "$output $stderr"
	[ "$output" = $'in\ndomain\nhanded on: .' ]
	[ "$(info .cgroup)" = systemd ]
}

@test "the end of the box is the end of its scope, and nothing failed" {
	cubby exec --keep -- sh -c 'sleep 1000 & sleep 1000 &'
	[ -n "$(scopes)" ]
	cubby stop
	scopes_end
	cubby exec -- true
	scopes_end
	cubby exec --keep -- true
	kill -9 "$(info .monitor_pid)"
	scopes_end
	[ -z "$(manager list-units --all --plain --no-legend --state=failed 'cubby-*')" ]
}

@test "stopping the scope ends the box; the next command makes another" {
	cubby exec --keep -- sh -c 'setsid sleep 1000 >/dev/null 2>&1 & true'
	init=$(info .init_pid)
	manager stop "$(scopes | cut -d' ' -f1)"
	[ ! -d "/proc/$init" ]
	run -0 cubby exec -- echo again
	[ "$output" = again ]
}

@test "memory: a hog is killed in the scope, the manager and the session live on" {
	run cubby exec --memory 128M -- ./hog memory 512
	echo "$output"
	[ "$status" = 137 ]
	[[ $output == *memory* ]]
	manager is-active default.target
}

@test "cpu: halved where it is delegated, else said" {
	cubby exec --keep --cpus 0.5 -- true
	at=/sys/fs/cgroup$(cgroup_of "$(info .init_pid)")
	echo "controllers: $(cat "$at/cgroup.controllers")"
	if grep -qw cpu "$at/cgroup.controllers"; then
		[ "$(cat "$at/cpu.max")" = "50000 100000" ]
	else
		[[ $(info .why) == *"the cpu controller is not delegated: --cpus has no effect"* ]]
	fi
}

@test "many boxes at once have a scope each" {
	n=$(lib_fewer 40)
	[ "$n" -ge 8 ] || n=8
	for i in $(seq "$n"); do
		mkdir "b$i"
		cubby exec -C "b$i" --keep -- true &
	done
	wait
	[ "$(scopes | wc -l)" = "$n" ]
	cubby stop --all -q
	scopes_end
}

@test "without a bus: rlimits, said with the remedy, and the box works" {
	run -0 --separate-stderr env -u DBUS_SESSION_BUS_ADDRESS cubby exec --keep --memory 256M -- echo hi
	echo "$output $stderr"
	[ "$output" = hi ]
	[ "$(info .cgroup)" = rlimits ]
	info .why
	[[ $(info .why) == *"user bus"*"no cgroup: memory and process limits are best effort"* ]]
	cubby stop -q
	run -0 env -u DBUS_SESSION_BUS_ADDRESS cubby doctor
	[[ $output == *"no cgroup: memory and process limits are best effort"*"dbus-user-session"* ]]
}

@test "a bus that does not answer costs seconds, not the box" {
	python3 -c '
import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind("mute"); s.listen(8); print("up", flush=True); time.sleep(600)
' >up 3>&- &
	mute=$!
	until [ -s up ]; do kill -0 $mute; read -rt 0.02 <> <(:) || true; done
	run -0 --separate-stderr env DBUS_SESSION_BUS_ADDRESS="unix:path=$PWD/mute" cubby exec --keep -- echo hi
	kill $mute
	[ "$output" = hi ]
	[ "$(info .cgroup)" = rlimits ]
	[[ $(info .why) == *"the user bus does not answer"* ]]
}
