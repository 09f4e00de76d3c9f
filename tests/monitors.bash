# monitors - of a test file's own boxes. Load after lib.
# shellcheck shell=bash

info() { cubby info --json | jq -r ".$1"; }

# Leftovers of this file's boxes: monitors know its runtime directory.
monitors() {
	local pid
	for pid in $(pgrep -f __monitor || true); do
		tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null |
			grep -qx "XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" || continue
		tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q __monitor && echo "$pid"
	done
	return 0
}

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
	pids=$(monitors)
	# shellcheck disable=SC2086 # process ids
	wait_gone $pids
	[ -z "$(find "$XDG_RUNTIME_DIR" -name ctl)" ]
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1 2>/dev/null)" ]
	! grep -q "$XDG_DATA_HOME" /proc/self/mountinfo
}
