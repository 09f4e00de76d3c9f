# An ordinary user outside of any session, as of a service or a timer, who has a manager all
# the same (it lingers): its cgroup and the scope have only the top of the tree above both,
# where a user may not write, so the manager asks the system's to move the process.
load ../lib
load ../box/escape/escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }

@test "a bus found by its address: a scope, and it holds" {
	grep -q '^0::/system.slice/' /proc/self/cgroup
	cubby exec --keep --pids 50 -- true
	run -0 cubby info --json
	cubby stop -q
	echo "$output"
	[ "$(jq -r .cgroup <<<"$output")" = systemd ]
	run cubby exec --memory 128M -- ./hog memory 512
	echo "$output"
	[ "$status" = 137 ]
	[[ $output == *memory* ]]
}

@test "a bus found in the runtime directory" {
	unset DBUS_SESSION_BUS_ADDRESS
	export XDG_RUNTIME_DIR=/run/user/$(id -u)
	cubby exec --keep -- true
	run -0 cubby info --json
	cubby stop -q
	[ "$(jq -r .cgroup <<<"$output")" = systemd ]
}
