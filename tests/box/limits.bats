# Limits: memory, processes, processor; as any user that this suite runs as.
load ../lib
load escape/escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }

info() { cubby info --json | jq -r ".$1"; }

hog_is_killed() { # WRAPPER...
	"$@" cubby exec --keep --memory 128M -- true
	[ "$(info usage.oom_kills)" = 0 ]
	run -137 --separate-stderr cubby exec -- ./hog memory 512
	[ -z "$output" ]
	[[ $stderr == *"killed: the box is out of memory (limit 128 MiB"* ]]
	[ "$(info usage.oom_kills)" = 1 ]
	# What is not the biggest lives on, in the shell of the one that was killed too.
	run -137 cubby exec -- sh -c './hog memory 512; s=$?; ./hog memory 32; exit $s'
	[[ $output == *"got it"* ]]
	run -0 cubby exec -- ./hog memory 32
	[ "$output" = "got it" ]
	[ "$(info usage.oom_kills)" = 2 ]
	run -0 cubby info
	[[ $output == *"killed for memory  2"* ]]
	cubby stop
}

@test "--memory: a kill that nobody was told of is not that of the next command" {
	cubby exec --keep --memory 128M -- true
	run -0 --separate-stderr cubby exec -- sh -c './hog memory 512; exit 0'
	[ "$(info usage.oom_kills)" = 1 ]
	run -137 --separate-stderr cubby exec -- sh -c 'kill -9 $$'
	[ -z "$stderr" ]
	run -137 --separate-stderr cubby exec -- ./hog memory 512
	[[ $stderr == *"killed: the box is out of memory"* ]]
	run -137 --separate-stderr cubby exec -- sh -c 'kill -9 $$'
	[ -z "$stderr" ]
	cubby stop
}

@test "--memory: a hog is killed, and that is said" {
	hog_is_killed
}

@test "--memory: without any cgroup the monitor watches, kills and says the same" {
	hog_is_killed without_cgroups
	without_cgroups cubby exec --keep --memory 128M -- true
	[ "$(id -u)" -ne 0 ] || [ "$(info cgroup)" = rlimits ]
	# Many small ones together are too much as well; no single one would be.
	run cubby exec -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ./hog hold 40 & done; wait; echo over'
	[ "$status" -eq 0 ]
	[[ $output == *over* ]]
	[ "$(grep -c held <<<"$output")" -lt 8 ]
	[ "$(info usage.oom_kills)" -gt 0 ]
	# Memory that is shared counts once.
	run -0 cubby exec -- ./hog shared 64
	[ "$output" = "shared" ]
	cubby stop
}

# A limit that is not kept must not cost the host its disk: 2 GB at the most are written.
@test "--disk: a box that takes more is stopped, and that is said" {
	run -0 cubby exec --disk 60M -- sh -c 'head -c 20M /dev/zero >/root/some && echo kept'
	[ "$output" = kept ]
	run -137 --separate-stderr timeout "$(lib_longer 120)" cubby exec --disk 60M -- \
		sh -c 'ulimit -f 4000000; while :; do head -c 20M /dev/zero >>/root/more; done; echo no'
	[[ $output != *no* ]]
	[[ $stderr == *"more of the disk than its limit (60 MiB"* ]]
	# It can be started again to be cleaned.
	run -0 cubby exec --disk 10G -- sh -c 'rm /root/more; ls /root'
	[ "$output" = some ]
	[[ $(cubby info --json | jq -r .why) != *"no effect"* ]]
}

@test "--disk: files without a byte count, too: a filesystem has a number of them" {
	run -137 --separate-stderr timeout "$(lib_longer 120)" cubby exec --disk 10M -- \
		sh -c 'mkdir /root/many; cd /root/many; seq 60000 | xargs touch; sleep 60; echo no'
	[[ $output != *no* ]]
	[[ $stderr == *"more of the disk than its limit (10 MiB"* ]]
	cubby rm -q
}

@test "--disk: files that were removed and are open count, once each, in a view of the project, too" {
	local into
	for into in /root "$PWD"; do
		run -137 --separate-stderr timeout "$(lib_longer 120)" cubby exec --project review --disk 60M -- sh -c "
			ulimit -f 4000000; exec 3>$into/f 4>&3 5>&3 6>&3; rm $into/f; head -c 20M /dev/zero >&3; sleep 1; echo on
			while :; do head -c 20M /dev/zero >&3; done; echo no"
		[ "$output" = on ]
		[[ $stderr == *"more of the disk than its limit (60 MiB"* ]]
	done
	cubby rm -q
}

# bats test_tags=long
@test "--disk: what lies in the project does not count, what other users of the box hide does" {
	run -0 cubby exec --disk 60M -- sh -c 'head -c 100M /dev/zero >big; rm big; sleep 1; echo on'
	[ "$output" = on ]
	run -137 timeout "$(lib_longer 120)" cubby exec --disk 60M -- sh -c 'mkdir -p /srv/a/b; chmod 000 / /srv/a/b
		chown 1000:1000 /srv/a/b 2>/dev/null; cd /srv/a/b; ulimit -f 4000000
		while :; do head -c 20M /dev/zero >>more; done'
	cubby rm -q
}

@test "--pids: a fork bomb ends at its limit and the host goes on" {
	run cubby exec --pids 50 -- ./hog forks
	[ "$status" -eq 0 ]
	[ "${output#* }" = EAGAIN ]
	[ "${output% *}" -lt 50 ]
	run -0 cubby exec --pids 50 -- echo still
	[ "$output" = still ]
}

# A session takes two processes: its leader, and the program.
@test "--pids: a terminal for which one process is missing is refused, not waited for" {
	cubby exec --keep --pids 2 -- /bin/true
	for ((n = 0; n < 3; n++)); do
		run -125 timeout "$(lib_longer 60)" "$CUBBY_TEST_TOP/tests/on-tty" \
			"cubby exec -t -- /bin/true" </dev/null
		[[ $output == *"cannot start another process: Resource temporarily unavailable"* ]]
		[ "$(info programs)" = 0 ]
	done
	run -0 cubby exec -- /bin/echo still
	[ "$output" = still ]
	cubby stop
}

# In thousandths: what the cgroup of a process, or the nearest above it with a limit, says.
cpu_limit() { # PID
	local dir quota period
	for dir in "/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$1/cgroup")" \
		"/sys/fs/cgroup/cpu$(sed -nE 's/^[0-9]+:([^:]*,)?cpu(,[^:]*)?:(.*)/\3/p' "/proc/$1/cgroup")"; do
		while [[ $dir == /sys/fs/cgroup/* ]]; do
			quota=max
			if [ -e "$dir/cpu.max" ]; then
				read -r quota period <"$dir/cpu.max"
			elif [ -e "$dir/cpu.cfs_quota_us" ]; then
				quota=$(<"$dir/cpu.cfs_quota_us") period=$(<"$dir/cpu.cfs_period_us")
			fi
			if [ "$quota" != max ] && [ "$quota" != -1 ]; then
				echo $((quota * 1000 / period))
				return
			fi
			dir=${dir%/*}
		done
	done
	echo none
}

# Four at once, so that a busy host gives them more than the limit all the same; one that is
# busier still would give them less by itself, so the cgroup is asked, too.
# bats test_tags=long
@test "--cpus: half a processor is half a processor, or it is said that it is not" {
	run -0 --separate-stderr cubby exec --keep --cpus 0.5 -- \
		sh -c 'for i in 1 2 3 4; do ./hog cpu 2000 & done; wait'
	sum=0
	for got in "${lines[@]}"; do sum=$((sum + got)); done
	echo "$sum ms of 2000; $stderr"
	[ "${#lines[@]}" -eq 4 ]
	if [ -z "$stderr" ]; then
		[ "$sum" -lt 1300 ]
		[ "$(cpu_limit "$(info init_pid)")" = 500 ]
	else
		[[ ${stderr_lines[0]} == "cubby: "*"--cpus has no effect"*"; fix: "* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
	fi
	cubby stop -q
}

@test "--cpus: without a cgroup nothing keeps it, which each start says once" {
	for n in 1 2; do
		run -0 --separate-stderr without_cgroups cubby exec --keep --cpus 0.5 -- true
		[[ ${stderr_lines[0]} == "cubby: "*"no cgroup"*"--cpus has no effect"*"; fix: "* ]] ||
			[ "$(info cgroup)" != rlimits ]
		[ "${#stderr_lines[@]}" -le 1 ]
		[[ $(info cgroup) != rlimits || $(info why) == *"--cpus has no effect"* ]]
		run -0 --separate-stderr without_cgroups cubby exec --cpus 0.5 -- true
		[ -z "$stderr" ] # it runs already
		cubby stop -q
	done
	cubby rm -q -y --force
	run -0 --separate-stderr without_cgroups cubby exec -- true
	[ -z "$stderr" ]
}

@test "stats: what another user of the box writes is counted, or said not to be known" {
	cubby exec -- true
	[ "$(escape_map)" != single ] || skip "a box of one id has no other user"
	[ -r /proc/self/io ] || skip "this kernel does not count what processes write"
	[ "$(stat -f -c %T "$XDG_DATA_HOME")" != tmpfs ] || skip "the store is in memory here, and on no disk"
	cubby exec -q --keep -- install -d -m 777 /srv/open
	cubby exec -q -d -u nobody -- sh -c 'dd if=/dev/zero of=/srv/open/f bs=1M count=3 conv=fsync 2>/dev/null; touch /srv/open/done; exec sleep 1000'
	until cubby exec -q -- test -e /srv/open/done; do read -rt 0.02 <> <(:) || true; done
	run -0 --separate-stderr cubby stats --json
	# A box of a row before can still be at its end.
	output=$(jq --arg here "$PWD" '.[] | select(.directory == $here)' <<<"$output")
	if [ "$(id -u)" = 0 ]; then
		[ "$(jq '.disk_written >= 3145728' <<<"$output")" = true ]
	else
		[ "$(jq -r '"\(.disk_written) \(.unknown)"' <<<"$output")" = "null what other users of the box than its root write is not shown to you" ]
	fi
	cubby stop -q
}
