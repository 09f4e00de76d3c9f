# pid 1 and what a box is given: K01, K02, K03, K08, K09, K24, K35, K37.
load ../../lib
load escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }

# A running box, so that the commands of a test meet in it.
keep_running() {
	cubby exec -- sleep "$(lib_longer 60)" >/dev/null 2>&1 3>&- &
	KEEPER=$!
	until cubby ps >/dev/null 2>&1; do
		kill -0 "$KEEPER"
		read -rt 0.02 <> <(:) || true
	done
}

teardown() {
	[ -z "${KEEPER-}" ] || kill "$KEEPER" 2>/dev/null || true
}

@test "K01: a script that runs /proc/self/exe cannot reach our programs" {
	mkdir bin
	cp "$CUBBY_TEST_BIN" "$(dirname "$CUBBY_TEST_BIN")/cubby-init" bin/
	before=$(sha256sum bin/*)
	PATH=$PWD/bin:$PATH
	printf '#!/proc/self/exe\n' >evil
	chmod +x evil
	cubby exec -- ./exewriter 4000 >writer.out 3>&- &
	writer=$!
	until [ -s writer.out ] || ! kill -0 $writer 2>/dev/null; do
		cubby exec -- ./evil >/dev/null 2>&1 || true
		cubby exec -- /proc/self/exe >/dev/null 2>&1 || true
		[ $((++n)) -lt 40 ] || break
	done
	wait $writer
	grep -qx done writer.out
	run ! grep writable writer.out
	[ "$before" = "$(sha256sum bin/*)" ]
}

@test "K02: pid 1 cannot be traced, read, entered or killed" {
	run -0 cubby exec -- ./peek 1
	[[ $output != *" ok "* ]]
	[[ $output == *"seize EPERM"* && $output == *"vm_readv EPERM"* ]]
	run -0 cubby exec -- sh -c 'kill -9 1; kill -TERM 1; echo alive'
	[ "$output" = alive ]
}

# Its ids are box root's: what is decided by those is refused by the filter, by its number and
# by its user, or has nothing to show.
@test "K02: nobody in the box limits, slows or looks into pid 1" {
	cubby exec --keep -- true
	for way in 'prlimit --pid 1 --nofile=3:3' 'prlimit --pid 1 --cpu=1' 'renice 19 -p 1' \
		'renice 19 -u root' 'taskset -p 1 1' 'chrt -i -p 0 1' 'chrt -b -p 0 1' \
		'ionice -c 3 -p 1' 'ls /proc/1/fd/0' 'ls /proc/1/task/1/fd/0' 'ls /proc/1/fdinfo' \
		'readlink /proc/1/cwd' 'cat /proc/1/maps' 'cat /proc/1/environ'; do
		run cubby exec -- $way
		echo "$way: $status $output"
		[ "$status" -ne 0 ]
		[ "$status" -ne 127 ]
	done
	run -0 cubby exec -- sh -c 'prlimit --nofile=64:64 true && nice -n 5 taskset 1 true && ls -A /proc/1/fd'
	[ -z "$output" ]
	run -0 timeout 10 cubby exec -- echo soon
	[ "$output" = soon ]
	cubby stop
}

@test "K02: nor can a process of init that is on its way to be another's" {
	cubby exec -- ./peek all 3000 >peek.out 3>&- &
	peek=$!
	while kill -0 $peek 2>/dev/null; do
		cubby exec -- true
	done
	wait $peek
	[ "$(cat peek.out)" = done ]
}

@test "K03: descriptors 0 to 2 and no others" {
	exec 7</etc/passwd 8<"$ESCAPE_HOST" 9<>"$ESCAPE_HOST/secret"
	run -0 cubby exec -- ./fds
	[ "$output" = $'0 pipe\n1 pipe\n2 pipe' ]
	run -0 "$CUBBY_TEST_TOP/tests/on-tty" "cubby exec -t -- ./fds" </dev/null
	[ "${output//$'\r'/}" = $'0 device\n1 device\n2 device' ]
}

@test "K03: no working directory through a descriptor" {
	for fd in 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		run cubby exec -- sh -c "cd /proc/self/fd/$fd && cat ../../../host/secret"
		[ "$status" -ne 0 ]
		[[ $output != *secret* ]]
	done
	run -0 cubby exec -- readlink /proc/self/cwd
	[ "$output" = "$LIB_PROJECT" ]
	# The same in a task's shell.
	cat >"$LIB_DIR/cwd.jsonl" <<-'END'
	{"type":"task","task":"look"}
	{"type":"response","message":{"role":"assistant","tool_calls":[{"function":{"name":"shell","arguments":{"command":"for p in self $$ $PPID 1; do for fd in $(seq 3 20) 255; do cd /proc/$p/fd/$fd 2>/dev/null && { pwd; cat secret host/secret ../host/secret; }; done; done; echo over"}}}]}}
	{"type":"response","message":{"role":"assistant","content":"seen"}}
	END
	run -0 cubby --replay "$LIB_DIR/cwd.jsonl" 7<"$ESCAPE_HOST" 8</
	[[ $output == *"  over"* ]]
	[[ $output != *"  secret"* ]]
}

@test "K08: the documented capabilities, no_new_privs and a filter, for every user" {
	bounding=00000000000405fb
	for user in 0 1000; do
		run cubby exec --user $user -- grep -E '^(Cap|NoNew|Seccomp:)' /proc/self/status
		if [ $user -ne 0 ] && [ "$(escape_map)" = single ]; then
			[ "$status" -ne 0 ] # there is no other user
			continue
		fi
		[ "$status" -eq 0 ]
		[[ $output == *$'CapInh:\t0000000000000000'* ]]
		[[ $output == *$'CapAmb:\t0000000000000000'* ]]
		[[ $output == *$'CapBnd:\t'"$bounding"* ]]
		[[ $output == *$'NoNewPrivs:\t1'* ]]
		[[ $output == *$'Seccomp:\t2'* ]]
		[ $user -eq 0 ] || [[ $output == *$'CapEff:\t0000000000000000'* ]]
	done
}

@test "K09: cgroups are read-only and the host's names are not to be seen" {
	run cubby exec -- sh -c 'find /sys/fs/cgroup -type f -writable | while read f; do
		echo 1 2>/dev/null >$f && echo wrote $f; done; mkdir /sys/fs/cgroup/x'
	[ "$status" -ne 0 ]
	[[ $output != *wrote* ]]
	run -0 cubby exec -- sh -c 'while read -r _ at _ how _; do
		[ "$at" != /sys/fs/cgroup ] || echo "$how"; done </proc/mounts'
	[[ $output == ro,* ]]
	run -0 cubby exec -- cat /proc/self/cgroup
	[[ $output != *cubby* && $output != *slice* ]]
}

@test "K24: our programs have no setuid bit and no capability" {
	for file in "$CUBBY_TEST_BIN" "$(dirname "$CUBBY_TEST_BIN")/cubby-init"; do
		[ ! -u "$file" ]
		[ ! -g "$file" ]
		! command -v getcap >/dev/null || [ -z "$(getcap "$file")" ]
	done
}

@test "K35: a host file as standard input cannot be written through it" {
	echo mine >"$ESCAPE_HOST/input"
	run cubby exec -- sh -c 'cat; echo theirs >/proc/self/fd/0' <"$ESCAPE_HOST/input"
	[[ $output == *mine* ]]
	[ "$(cat "$ESCAPE_HOST/input")" = mine ]
	run cubby exec -- sh -c 'cd /proc/self/fd/0 && ls' <"$ESCAPE_HOST"
	[ "$status" -ne 0 ]
	[[ $output != *secret* ]]
}

@test "K37: masked paths are empty, read-only ones cannot be written" {
	run -0 cubby exec -- sh -c 'for f in /proc/kcore /proc/keys /proc/timer_list \
		/proc/sched_debug /proc/interrupts /proc/latency_stats /proc/timer_stats; do
			[ ! -e $f ] || [ -z "$(head -c 1 $f)" ] || echo leak $f
		done
		for d in /proc/acpi /proc/scsi /proc/asound /sys/firmware \
			/sys/devices/virtual/powercap; do
			[ -z "$(ls -A $d 2>/dev/null)" ] || echo leak $d
		done'
	[ -z "$output" ]
	run -0 cubby exec -- sh -c 'for f in /proc/sys/kernel/core_pattern \
		/proc/sysrq-trigger /proc/irq/default_smp_affinity /proc/sys/vm/swappiness \
		/proc/sys/net/ipv4/ip_forward; do
			[ ! -e $f ] || ! (echo x >$f) 2>/dev/null || echo wrote $f
		done; ls /proc/fs /proc/bus >/dev/null; touch /proc/fs/x /sys/x && echo made
		true'
	[[ $output != *wrote* && $output != *made* ]]
}

# Of a limit of 1 the kernel makes no core, nor starts the program of core_pattern; of 0 it does.
@test "K49: no program of the host is started for the core of a program of the box" {
	local most want='1 1 1 1'
	most=$(awk '/core file/ { print $6 }' /proc/self/limits)
	[ "$most" != 0 ] || want='0 0 0 0' # nobody but root raises it
	run -0 cubby exec -- sh -c 'core() { awk "/core file/ { print \$5, \$6 }" /proc/self/limits; }
		core; ulimit -c 0; core'
	[ "$(echo $output)" = "$want" ]
	[ "$(uname -m)" = x86_64 ] || skip "the calls have other numbers"
	run -0 cubby exec -- perl -e 'my $none = pack "QQ", 0, 0; my $was = pack "QQ", 7, 7;
		syscall(160, 4, $none); syscall(302, 0, 4, $none, 0);
		my $at = syscall(9, 4 << 32, 4096, 3, 0x32, -1, 0); # mmap: the low half is 0
		printf "%x\n", $at; syscall(302, 0, 4, $at, 0);
		syscall(302, 0, 4, 0, $was); print join(" ", unpack "QQ", $was), "\n"'
	[ "${lines[0]}" = 400000000 ]
	[ "${lines[1]}" = "${want:0:3}" ]
}
