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

@test "shared: no program has more descriptors than a bounded number" {
	if [ "$(ulimit -Hn)" -le 65536 ]; then
		ulimit -Hn 100000 2>/dev/null || skip "the host allows fewer"
	fi
	run -0 --separate-stderr cubby exec -- sh -c 'ulimit -Hn; ulimit -n 65537 || echo no'
	[ "${lines[0]}" -eq 65536 ]
	[ "${lines[1]}" = no ]
}

@test "shared: whose ids they are is said" {
	cubby exec --keep -- true
	run -0 cubby info
	echo "$output"
	case $(escape_map) in
	root) [[ $output == *"of this box alone"* || $output == *"shared with other boxes"* ]] ;;
	real-root) [[ $output == *"root is root of the host"* ]] ;;
	*) [[ $output == *"root is you"* ]] ;;
	esac
}

# Pages of pipes are counted by user (pipe-user-pages-soft).
@test "shared: pipes of one box of root are not another's" {
	cubby exec -- true
	[ "$(escape_map)" = root ] || skip "the caller has one user for all boxes"
	[[ $(uname -r) =~ ^([0-9]+)\.([0-9]+) ]]
	((BASH_REMATCH[1] * 100 + BASH_REMATCH[2] >= 519)) || skip "Linux before 5.19"
	most=$(($(cat /proc/sys/fs/pipe-user-pages-soft) * 4096 / 1048576))
	((most > 0 && most < 400)) || skip "pipes have no limit, or a wide one"
	mkdir one two
	mkfifo hold
	cubby exec --here -C one -- perl -e '
		$| = 1; while ($n < 500) { pipe($r[$n], $w[$n]) or last;
			fcntl($w[$n], 1031, 1048576) or last; $n++ }
		print "$n\n"; <STDIN>' <hold >one.out 2>one.err 3>&- &
	client=$!
	exec 9>hold
	until [ -s one.out ]; do kill -0 $client; read -rt 0.02 <> <(:) || true; done
	run -0 --separate-stderr cubby exec --here -C two -- perl -e '
		pipe($r, $w); print fcntl($w, 1031, 1048576) ? "free\n" : "$!\n"'
	exec 9>&-
	wait $client
	[ "$(cat one.out)" -le "$most" ] # one was at its end
	[ "$output" = free ]
}
