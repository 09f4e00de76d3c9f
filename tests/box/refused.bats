# Hosts on which no box starts, or a lesser one, each made here: the message names the
# cause and the remedy, from doctor and from the command that needed a box (D3 to D13).
# D1, D2, D6, D8, D14 and D15 need other kernels: tests/vm, and rows of test_probe_cause; D16 is in escape/starts.
load ../lib
load escape/escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }

as_root() { [ "$(id -u)" -eq 0 ] || skip "only root can make such a host"; }

# A command with mounts of its own: SCRIPT makes them, then cubby's words follow.
in_host() { # SCRIPT WORDS...
	local script=$1
	shift
	unshare -m sh -c "$script"'
		exec cubby "$@"' sh "$@"
}

# Both say it, and say that no box can be had.
refused() { # WORDS-OF-MESSAGE COMMAND...
	local text=$1
	shift
	run "$@" exec -- true
	echo "$output"
	[ "$status" -eq 125 ]
	[[ $output == *"$text"* ]]
	[[ $output == *"fix: "* ]]
	run "$@" doctor
	echo "$output"
	[ "$status" -ne 0 ]
	[[ $output == *"$text"* ]]
}

@test "D3: no user namespaces left" {
	as_root
	refused "no user namespaces allowed (user.max_user_namespaces=0)" \
		unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces
			exec cubby "$@"' sh
}

@test "D4: a container's filter" {
	refused "this container forbids new namespaces (seccomp)" ./denyns cubby
}

@test "D5: inside a chroot" {
	as_root
	mkdir root
	refused "user namespaces cannot be created inside a chroot" \
		in_host "mount --rbind / '$PWD/root'
			exec chroot '$PWD/root' sh -c 'cd $PWD; exec cubby \"\$@\"' sh \"\$@\""
}

@test "D7: a masked /proc" {
	as_root
	refused "/proc is partly masked here" in_host 'mount --bind /dev/null /proc/version
		mount -o bind,ro /proc/sys /proc/sys'
}

@test "D10, D11: no subordinate ids, or newuidmap without its rights" {
	[ "$(id -u)" -ne 0 ] || skip "root needs no subordinate ids"
	run -0 setpriv --no-new-privs cubby doctor
	if ! grep -q "^$(id -un):" /etc/subuid 2>/dev/null; then
		[[ $output == *"no subordinate ids for "* ]]
	elif command -v newuidmap; then
		[[ $output == *"newuidmap does not work (newuidmap: "* ]]
	else
		[[ $output == *"newuidmap does not work ("*"'newuidmap': No such file or directory)"* ]]
	fi
	[[ $output == *"users other than root are simulated in the box"* ]]
}

@test "D9: a store that cannot hold an upper layer gets copies" {
	as_root
	mkdir lower upper work merged
	run -0 in_host "mount -t overlay none -o lowerdir=$PWD/lower,upperdir=$PWD/upper,workdir=$PWD/work '$PWD/merged'
		export XDG_DATA_HOME='$PWD/merged'; exec 2>&1;" doctor
	[[ $output == *"the store is on overlay, which cannot hold an overlay upper"* ]]
}

@test "D12: a project that is mounted noexec" {
	as_root
	mkdir project
	run -0 in_host "mount -t tmpfs -o noexec none '$PWD/project'; cd '$PWD/project'; exec 2>&1;" \
		doctor
	[[ $output == *"$PWD/project is mounted noexec"* ]]
}

@test "D13: no cgroups at all" {
	as_root
	run -0 in_host 'mount -t tmpfs none /sys/fs/cgroup; exec 2>&1;' doctor
	[[ $output == *"no cgroup: memory and process limits are best effort"* ]]
}

# The real binary, with what it is linked to that an image does not have.
inner() {
	cubby exec -- env LD_LIBRARY_PATH="$PWD/lib" XDG_DATA_HOME=/root/data "$PWD/in/cubby" "$@"
}

@test "a box inside a box" {
	mkdir in lib
	cp "$CUBBY_TEST_BIN" "$(dirname "$CUBBY_TEST_BIN")/cubby-init" in/
	for lib in $(ldd "$CUBBY_TEST_BIN" | grep -o '/[^ )]*'); do
		case $lib in
		*/libc.so* | */ld-linux* | */libdl.so* | */libm.so* | */libpthread.so*) ;;
		*) cp -L "$lib" lib/ ;;
		esac
	done
	run inner --version
	[ "$status" -eq 0 ] || skip "this cubby does not run on the image's C library"
	run -125 --separate-stderr inner exec -- true
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"already the inside of a box"*"run cubby on the host"* ]]
	run inner doctor
	[ "$status" -ne 0 ]
	[[ $output == *"already the inside of a box"* ]]
}

@test "doctor --apparmor prints a profile for this binary" {
	run -0 cubby doctor --apparmor
	[[ $output == *"profile cubby $(readlink -f "$CUBBY_TEST_BIN") flags=(unconfined)"* ]]
	[[ $output == *"userns,"* ]]
}
