# Limits: memory, processes, processor; as any user that this suite runs as.
bats_require_minimum_version 1.5.0
load ../lib
load escape/escape

setup_file() { escape_setup_file; }
teardown_file() { lib_done; }
setup() { escape_setup; }

method() { cubby info --json | jq -r '.limits.method // .cgroup // .limits_by'; }

@test "--memory: a hog is killed, and that is said" {
	run cubby exec --memory 128M -- ./hog memory 512
	[ "$status" -ne 0 ]
	[[ $output != *"got it"* ]]
	[[ $output == *memory* || $status -eq 3 ]] # killed with a word, or refused by rlimit
	run -0 cubby exec --memory 128M -- ./hog memory 32
	[ "$output" = "got it" ]
}

@test "--pids: a fork bomb ends at its limit and the host goes on" {
	run cubby exec --pids 50 -- ./hog forks
	[ "$status" -eq 0 ]
	[ "${output#* }" = EAGAIN ]
	[ "${output% *}" -lt 50 ]
	run -0 cubby exec --pids 50 -- echo still
	[ "$output" = still ]
}

# Four at once, so that a busy host gives them more than the limit all the same.
@test "--cpus: half a processor is half a processor" {
	run -0 cubby exec --cpus 0.5 -- sh -c 'for i in 1 2 3 4; do ./hog cpu 2000 & done; wait'
	sum=0
	for got in "${lines[@]}"; do sum=$((sum + got)); done
	echo "$sum ms of 2000"
	[ "${#lines[@]}" -eq 4 ]
	[ "$sum" -lt 1300 ] || [ "$(id -u)" -eq 0 ] ||
		skip "no cpu controller for ordinary users here"
	[ "$sum" -lt 1300 ]
}
