# What the kernel counts for more than one box: one box does not use all of it up.
load ../../lib
load escape

setup_file() { escape_setup_file; }
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

@test "shared: watches, pending signals and queues leave the caller half of each" {
	local most
	most=$(cat /proc/sys/fs/inotify/max_user_watches)
	run -0 cubby exec -- cat /proc/sys/user/max_inotify_watches
	[ "$output" -le $((most / 2)) ]
	most=$(awk '/pending signals/ { print $5 }' /proc/self/limits)
	[ "$most" != unlimited ] || most=2000000
	[ "$(uname -m)" = x86_64 ] || skip "the call has another number"
	run -0 cubby exec -- perl -MPOSIX -e 'sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGRTMIN));
		my $info = pack "i3 x116", SIGRTMIN, 0, -1; # SI_QUEUE
		$n++ while $n < 1000000 && syscall(129, $$ + 0, SIGRTMIN + 0, $info) == 0; print $n + 0'
	echo "$output of $most"
	[ "$output" -gt 100 ]
	[ "$output" -le $((most / 2)) ]
	most=$(awk '/msgqueue size/ { print $4 }' /proc/self/limits)
	[ "$most" != unlimited ] || skip "queues have no limit here"
	run -0 cubby exec -- awk '/msgqueue size/ { print $4 }' /proc/self/limits
	[ "$output" -le $((most / 2)) ]
}

# MOST: a box has so many, cannot have more, and a program really stops there.
has_descriptors() {
	run -0 --separate-stderr cubby exec -- sh -c 'ulimit -Hn; ulimit -n "$1" || echo no
		exec perl -e "while (open \$f[\$n], q(<), q(/dev/null)) { \$n++ } print qq(\$n \$!\n)"' sh $(($1 + 1))
	[ "${lines[0]}" = "$1" ]
	[ "${lines[1]}" = no ]
	[[ ${lines[2]} =~ ^([0-9]+)\ Too\ many\ open\ files$ ]]
	[ "${BASH_REMATCH[1]}" -le "$1" ]
}

@test "shared: no program has more descriptors than the caller may have" {
	ulimit -n 5000
	has_descriptors 5000
}

@test "shared: no program has more than 65,536 descriptors, whatever the caller may have" {
	local most
	most=$(ulimit -Hn)
	if [ "$most" != unlimited ] && [ "$most" -le 65536 ]; then
		ulimit -Hn 70000 2>/dev/null || skip "the limit is $most here, and only CAP_SYS_RESOURCE of the first user namespace raises it"
	fi
	has_descriptors 65536
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
