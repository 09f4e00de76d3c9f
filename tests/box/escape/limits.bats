# What a box takes of the host's memory and processes has its limit, without a cgroup too.
load ../../lib
load escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }

info() { cubby info --json | jq -r ".$1"; }

# /tmp, /run and /dev/shm are one memory filesystem: half of the memory limit together.
@test "--memory: what lies in /tmp, /run and /dev/shm together stays within the limit" {
	for wrapper in env without_cgroups; do
		run -0 $wrapper cubby exec --memory 64M -- sh -c '
			for d in /tmp /run /dev/shm; do
				head -c 200M /dev/zero >$d/fill 2>/dev/null && echo "$d held it all"
			done
			cat /tmp/fill /run/fill /dev/shm/fill | wc -c'
		echo "$wrapper: $output"
		[ "${#lines[@]}" -eq 1 ]
		[ "$output" -le $((32 << 20)) ]
		[ "$output" -gt $((20 << 20)) ]
		run -0 $wrapper cubby exec --memory 64M -- sh -c 'rm -f /run/fill /dev/shm/fill /tmp/fill
			seq 20000 | sed s,^,/tmp/f, | xargs touch 2>/dev/null; ls /tmp | wc -l'
		[ "$output" -lt 5000 ]
		cubby stop >/dev/null 2>&1 || true
	done
}

@test "--memory: without a cgroup, files in memory count with what processes hold" {
	without_cgroups cubby exec --keep --memory 128M -- true
	[ "$(info cgroup)" = rlimits ] || skip "this host gives the box a cgroup all the same"
	run -137 --separate-stderr cubby exec -- sh -c 'head -c 60M /dev/zero >/tmp/fill; exec ./hog hold 90'
	[[ $stderr == *"out of memory"* ]]
	run -0 cubby exec -- sh -c 'rm /tmp/fill; exec ./hog hold 90'
	run -137 --separate-stderr cubby exec -- ./hog memfd 256
	[[ $stderr == *"out of memory"* ]]
	run -0 cubby exec -- ./hog secret 256 # nobody can count it
	[ "$output" = ENOSYS ]
	run -0 cubby exec -- ./hog piped 256
	[ "$output" = ENOSYS ]
	cubby stop
	# What is left without an owner is freed by nobody's end but the box's.
	run timeout "$(lib_longer 60)" cubby exec --keep --memory 128M -- true
	without_cgroups cubby exec --keep --memory 128M -- true
	run -137 --separate-stderr without_cgroups cubby exec -- sh -c './hog segment 256; sleep 30'
	[[ $stderr == *"out of memory"* ]]
	for ((n = 0; n < 100; n++)); do # what is in the old one meanwhile dies with it
		run without_cgroups cubby exec --memory 128M -- echo again
		[ "$output" != again ] || break
	done
	[ "$output" = again ]
}

@test "--memory: without a cgroup, what only the kernel has for the box counts" {
	local what
	without_cgroups cubby exec --keep --memory 128M -- true
	[ "$(info cgroup)" = rlimits ] || skip "this host gives the box a cgroup all the same"
	for what in semaphores messages; do
		run -0 without_cgroups cubby exec --keep --memory 128M -- ./hog $what 30
		[ "$output" = left ]
		run --separate-stderr without_cgroups cubby exec -- sh -c './hog $1 150; sleep 30' sh $what
		echo "$what: $status $stderr"
		[ "$status" -eq 137 ]
		[[ $stderr == *"out of memory"* ]]
		cubby stop >/dev/null 2>&1 || true # nobody's end but the box's frees it
	done
}

# One page of zeros is behind all of the addresses: nothing is resident.
@test "--memory: without a cgroup, tables of pages count with what they lead to" {
	without_cgroups cubby exec --keep --memory 128M -- true
	[ "$(info cgroup)" = rlimits ] || skip "this host gives the box a cgroup all the same"
	run -137 --separate-stderr cubby exec -- ./pile tables 400
	[[ $stderr == *"out of memory"* ]]
	run -0 cubby exec -- ./pile tables 40
	[ "$output" = lived ]
	cubby stop
}

@test "--memory: without a cgroup, what is made to be counted for long holds nobody up" {
	without_cgroups cubby exec --keep --memory 1G -- true
	[ "$(info cgroup)" = rlimits ] || skip "this host gives the box a cgroup all the same"
	for pile in "descriptors 20000 800" "mapped 800 800"; do
		# shellcheck disable=SC2086 # words
		cubby exec -- ./pile $pile >out 2>&1 &
		lib_until eval "grep -q there out || ! kill -0 $!" # it may be killed before it says so
		for _ in 1 2 3; do # the client waits 20 seconds for an answer
			run -0 --separate-stderr timeout "$(lib_longer 19)" cubby exec -- echo "still, $pile"
			[ "$output" = "still, $pile" ] || { echo "$output | $stderr"; false; }
			sleep 0.5
		done
		[ "$(info usage.oom_kills)" -gt 0 ]
		run timeout "$(lib_longer 30)" cubby exec -- sh -c 'kill -9 -1'
		lib_until eval '[ "$(cubby info --json | jq .usage.pids)" -lt 100 ]'
		wait
	done
	run -0 timeout "$(lib_longer 60)" cubby stop
}

@test "--memory: addresses that nobody touches are free, for sanitizers, Go and Java" {
	for wrapper in env without_cgroups; do
		run -0 $wrapper cubby exec --memory 256M -- ./hog reserve 100
		[ "$output" = reserved ]
		run -0 $wrapper cubby exec --memory 256M -- ./asan
		[ "$output" = "sum 499500" ]
		cubby stop >/dev/null 2>&1 || true
	done
}

# Each user has a limit of its own (RLIMIT_NPROC): what counts is the box.
@test "--pids: several users of the box have one limit together" {
	cubby exec -- true
	[ "$(escape_map)" != single ] || skip "no other users in this id map"
	cubby stop >/dev/null 2>&1 || true
	for wrapper in env without_cgroups; do
		$wrapper cubby exec --keep --pids 60 -- true
		run cubby exec -- ./hog users 4
		echo "$wrapper: $output"
		[ "$status" -eq 137 ] || [[ $output == *" stayed"* ]]
		[ "$status" -eq 137 ] || [ "${output% stayed}" -le 60 ]
		run -0 cubby exec -- echo still
		cubby stop
	done
}
