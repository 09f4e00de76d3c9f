# System calls that a box must refuse: K18, K20, K21, K22, K23 and the list of 3.4.
load ../../lib
load escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }

# Each line "NAME ERRNO" of the arguments stands in the probe's output.
expect() {
	local line
	for line; do
		grep -qx "$line" calls.out || {
			echo "wanted '$line', got '$(grep "^${line%% *} " calls.out)'"
			return 1
		}
	done
}

calls() {
	cubby exec "$@" -- ./calls >calls.out
	! grep -q died calls.out
}

@test "K18: TIOCSTI, TIOCLINUX and line disciplines, plain, with high bits, by int 0x80" {
	calls
	expect "tiocsti EPERM" "tiocsti-high EPERM" "tioclinux EPERM" "tioclinux-high EPERM" \
		"tiocsetd EPERM"
	[ "$(uname -m)" != x86_64 ] || expect "int80-tiocsti EPERM"
}

@test "K18: the same with a terminal, and nothing is typed into it" {
	run -0 "$CUBBY_TEST_TOP/tests/on-tty" "cubby exec -t -- ./calls" </dev/null
	[[ $output == *"tiocsti EPERM"* ]]
	[[ $output == *"tiocsti-high EPERM"* ]]
	[[ $output == *"tioclinux EPERM"* ]]
}

@test "K20: no namespace in which a v1 hierarchy could be mounted" {
	calls
	expect "unshare-user EPERM" "unshare-mnt EPERM" "unshare-cgroup EPERM" "mount EPERM"
	run cubby exec -- sh -c 'unshare -UrmC mount -t cgroup -o memory none /mnt'
	[ "$status" -ne 0 ]
}

@test "K21: fsopen, nested user namespaces by every call, netfilter" {
	calls
	expect "fsopen EPERM" "unshare-user EPERM" "clone-user EPERM" "clone3-user ENOSYS" \
		"netfilter EPERM" "packet EPERM" "raw EPERM" "setns EPERM"
}

@test "K21: without the filter's help the limit of user namespaces is 0" {
	run -0 cubby exec -- cat /proc/sys/user/max_user_namespaces
	[ "$output" = 0 ]
	run cubby exec -- sh -c 'echo 5 >/proc/sys/user/max_user_namespaces'
	[ "$status" -ne 0 ]
}

@test "K22: AF_ALG and AF_VSOCK, plain, with high bits, by int 0x80 and socketcall" {
	calls
	expect "alg EAFNOSUPPORT" "alg-high EAFNOSUPPORT" "vsock EAFNOSUPPORT" \
		"vsock-high EAFNOSUPPORT" "bluetooth EAFNOSUPPORT"
	[ "$(uname -m)" = x86_64 ] || return 0
	expect "int80-alg EAFNOSUPPORT" "socketcall-alg ENOSYS" "socketcall-vsock ENOSYS"
}

@test "K23: io_uring, bpf, userfaultfd, perf, keyrings, handles" {
	calls
	expect "io_uring_setup ENOSYS" "io_uring_enter ENOSYS" "io_uring_register ENOSYS" \
		"bpf EPERM" "userfaultfd EPERM" "perf_event_open EPERM" "keyctl ENOSYS" \
		"add_key ENOSYS" "request_key ENOSYS" "open_by_handle_at EPERM" \
		"kcmp EPERM" "pidfd_getfd EPERM" "process_madvise EPERM" \
		"personality-exec EPERM" "personality-ask ok"
}

@test "K23: what all of the machine shares: no asynchronous files, leases, filters of packets, huge pages" {
	calls
	expect "io_setup ENOSYS" "write-lease EINVAL" "read-lease EINVAL" "delegation EINVAL" \
		"socket-filter ENOPROTOOPT" "reuseport-filter ENOPROTOOPT" "v6only ok" \
		"huge-pages ENOMEM" "huge-memfd ENOMEM"
	[ "$(uname -m)" != x86_64 ] || expect "int80-mmap ENOSYS"
}

@test "K23: nobody waits for the box who opens a file of the project" {
	echo own >file
	cubby exec -q --detach -- perl -e '$SIG{IO} = "IGNORE"; open(F, "<", "file"); fcntl(F, 1024, 1); # F_SETLEASE
		mkdir("there"); sleep(600)'
	until [ -d there ]; do read -rt 0.02 <> <(:) || true; done
	run -0 timeout 20 cat file
	run -0 cubby exec -- cat file
	cubby stop -q
}

@test "K23: mounts old and new, and what is the host's" {
	calls
	expect "remount EPERM" "umount EPERM" "pivot_root EPERM" "fspick EPERM" \
		"open_tree EPERM" "open_tree_attr EPERM" "move_mount EPERM" \
		"mount_setattr EPERM" "init_module EPERM" "finit_module EPERM" \
		"delete_module EPERM" "kexec_load EPERM" "swapon EPERM" "swapoff EPERM" \
		"reboot EPERM" "acct EPERM" "quotactl EPERM" "syslog EPERM" "vhangup EPERM" \
		"settimeofday EPERM" "sethostname EPERM"
	[ "$(uname -m)" != x86_64 ] || expect "x32 ENOSYS"
}

@test "K23: a device node is refused, or simulated and not there" {
	run -0 cubby exec -- sh -c './calls | grep mknod-null; ls -l /tmp/probe-node; true'
	[[ $output == *"mknod-null EPERM"* || $output == *"mknod-null ok"* ]]
	[[ $output == *"No such file"* ]]
}
