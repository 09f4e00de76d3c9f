# What the kernel counts for more than one box: one box does not use all of it up.
bats_require_minimum_version 1.5.0
load ../../lib
load escape

setup_file() { escape_setup_file; }
teardown_file() { lib_done; }
setup() { escape_setup; }

@test "shared: inotify and terminals end in the box before they end outside" {
	[ "$(uname -m)" = x86_64 ] || skip "the call has another number"
	most=$(cat /proc/sys/fs/inotify/max_user_instances)
	run -0 --separate-stderr cubby exec -- perl -MPOSIX -e '
		$n++ while syscall(294, 0) >= 0; print "inotify $n\n";
		$p++ while open $pty[$p], "+<", "/dev/pts/ptmx"; print "ptys $p\n"'
	[[ ${lines[0]} =~ ^inotify\ ([0-9]+)$ ]]
	[ "${BASH_REMATCH[1]}" -le $((most / 2)) ]
	[[ ${lines[1]} =~ ^ptys\ ([0-9]+)$ ]]
	[ "${BASH_REMATCH[1]}" -le 512 ]
}
