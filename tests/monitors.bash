# monitors - of a test file's own boxes. Load after lib.
# shellcheck shell=bash

info() { cubby info --json | jq -r ".$1"; }

wait_gone() { # PID...: until the processes are no more; fails after 10 s or longer
	local pid i
	for pid; do
		for ((i = 0; i < $(lib_longer 1000); i++)); do
			[ -d "/proc/$pid" ] || continue 2
			read -rt 0.01 <> <(:) || true
		done
		echo "process $pid is still there" >&2
		return 1
	done
}

no_leftovers() {
	local pids
	pids=$(lib_processes __monitor)
	# shellcheck disable=SC2086 # process ids
	wait_gone $pids
	[ -z "$(find "$XDG_RUNTIME_DIR" -name ctl)" ]
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1 2>/dev/null)" ]
	! grep -q "$XDG_DATA_HOME" /proc/self/mountinfo
}
