# Privileged files: no file that the host can meet gets set-id bits, or capabilities that
# count there, from a box.
load ../../lib
load escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }

# Every file below the project that is privileged on the host.
privileged() { find . -perm /6000 -printf '%P %m\n' | sort; }

@test "set-id: no way there is sets the bits on the project" {
	mkdir all
	run -0 --separate-stderr cubby exec -- ./setid all
	echo "$output"
	[[ $output != *BAD* && $output == *'proc-fd ok'* && $output == *'open ok'* ]]
	[[ $output == *'openat2 ENOSYS'* ]]
	[ -z "$(privileged)" ]
	# And the rest of each call was done.
	[ "$(stat -c %a all/chmod)" = 755 ]
	[ "$(stat -c %a all/open)" = 755 ]
	[ "$(stat -c %a all/mknod)" = 755 ]
	[ "$(stat -c %a all/tmpfile)" = 755 ]
}

@test "set-id: on the box's own root they are real, and go no further" {
	run -0 --separate-stderr cubby exec -- sh -ec '
		for way in chmod fchmodat fchmod fchmodat2 empty-path proc-fd i386-chmod; do
			./setid $way /root/$way >/dev/null
			stat -c "%a" /root/$way
		done
		./setid chmod /tmp/there >/dev/null; stat -c "%a" /tmp/there
		ln /root/chmod linked 2>/dev/null && echo linked
		ln /tmp/there linked 2>/dev/null && echo linked
		mv /root/chmod moved; cp -a /root/fchmod copied; cp -p /tmp/there kept
		install -m 6755 /bin/true installed
		tar -C /root -cf - proc-fd | tar -xpf -
		chmod u+s,g+s installed; chmod -R 6755 .'
	[ "$(sort -u <<<"$output")" = 6755 ]
	[ -f moved ]
	[ -f copied ]
	[ -f installed ]
	[ -f proc-fd ]
	[ -z "$(privileged)" ]
	[ "$(stat -c %a installed)" = 755 ]
}

@test "set-id: what a process calls its own leads to no file of the host" {
	run -0 --separate-stderr cubby exec -q -- perl -e '
		use Fcntl;
		sub text { open(my $f, "<", shift) or die; join "", <$f> }
		my %here = map { /^(\d+)/ ? ($1 => 1) : () } split /\n/, text("/proc/self/mountinfo");
		for my $name (qw(stdin stdout stderr fd/0 fd/1 fd/2)) {
			for my $how (O_RDONLY, O_WRONLY, O_RDWR) {
				sysopen(my $f, "/dev/$name", $how | O_CREAT, 04755) or next;
				my ($mount) = text("/proc/self/fdinfo/" . fileno $f) =~ /mnt_id:\s*(\d+)/;
				print $here{$mount} ? "here" : "elsewhere", "\n";
			}
		}' </dev/null
	[ "$(sort -u <<<"$output")" = here ]
}

@test "set-id: another user of the box has that user's rights, and no more" {
	[ "$(cubby exec -- true; escape_map)" != single ] || skip "there are no other users"
	run -0 --separate-stderr cubby exec --user 7:7 -- sh -c '
		cd /tmp && cp /bin/true mine && chmod 4755 mine && stat -c "%a %u" mine
		chmod 4755 /bin/true 2>&1; chmod 2755 /tmp 2>&1; true'
	[ "${lines[0]}" = "4755 7" ]
	[[ ${lines[1]} == *"not permitted"* && ${lines[2]} == *"not permitted"* ]]
	# A group that is not its own; and a directory that it may not enter.
	run -0 --separate-stderr cubby exec -- sh -c '
		mkdir -m 700 /tmp/closed; touch /tmp/closed/f; chown 7 /tmp/closed/f
		cp /bin/true /tmp/g; chown 7:8 /tmp/g
		perl -e "\$) = q(7 7); \$> = 7; chmod(04755, q(/tmp/closed/f)) or print qq(\$!\n);
			chmod(02755, q(/tmp/g)); printf qq(%o\n), (stat q(/tmp/g))[2] & 07777"'
	[ "${lines[0]}" = "Permission denied" ]
	[ "${lines[1]}" = 755 ]
}

@test "set-id: a chroot inside is where its paths begin" {
	run -0 --separate-stderr cubby exec -- sh -ec '
		mkdir -p /root/jail/tmp; touch /root/jail/f /f; cp setid /root/jail/
		chmod 755 /f /root/jail/f
		chroot /root/jail /setid chmod /f
		stat -c %a /f /root/jail/f'
	[ "$output" = $'chmod ok\n755\n6755' ]
}

@test "set-id: what the host has keeps its bits, until the box writes into it" {
	mkdir shared
	chmod 2775 shared
	cp /bin/true tool
	chmod 4755 tool
	cubby exec -- sh -ec 'chmod g+w shared; touch shared/new; cat tool >/dev/null'
	[ "$(privileged)" = $'shared 2775\ntool 4755' ]
	run -0 cubby exec -- ./setid write tool
	[ "$output" = "write ok" ]
	[ "$(stat -c %a tool)" = 755 ]
}

@test "set-id: below another program's listener the bits are refused, and it is said" {
	run -0 --separate-stderr "$ESCAPE_PROBES/listen" cubby exec -- sh -c '
		touch here /root/there; chmod 6755 here /root/there; chmod 751 here /root/there
		install -m 755 /bin/true tool; stat -c %a here /root/there tool'
	[ "$output" = $'751\n751\n755' ]
	[[ $stderr == *"not permitted"*"not permitted"* ]]
	[ -z "$(privileged)" ]
	run -0 "$ESCAPE_PROBES/listen" sh -c 'cubby exec -q -- sleep 9 & 
		for i in $(seq 100); do cubby info | grep refused && break; sleep 0.05; done
		cubby stop -q; wait'
	[[ $output == *"set-id bits are refused in the box"* ]]
}

@test "set-id: no file that the host can meet gets a capability" {
	command -v python3 >/dev/null || skip "no python3"
	local where way dir ways='filecap filecap-link filecap-fd filecap-proc filecap-i386 filecap-race filecap-name'
	capable() { # those of DIR's files
		python3 -c 'import os, sys; print(*[f for f in sorted(os.listdir(sys.argv[1]))
			if "security.capability" in os.listxattr(os.path.join(sys.argv[1], f))])' "$1"
	}
	OUT=$(mktemp -d "$LIB_DIR/out.XXXXXX")
	chmod 777 "$OUT" .
	mkdir -m 777 here
	for where in here /d /k; do
		run -0 cubby exec -q -v "$OUT:/d:rw" -v kept:/k -- sh -c 'w=$1; shift
			for way; do ./setid $way $w/$way; done; true' sh $where $ways
		echo "$where: $output"
		[[ $output == *"filecap EPERM"*"filecap-fd EPERM"* && $output != *BAD* ]]
	done
	for dir in here "$OUT"; do
		[ "$(ls $dir | wc -l)" -ge 7 ]
		run -0 capable "$dir"
		[ -z "$output" ]
	done
	# Made on the box's own root, where they may be, they come out in no way.
	run -0 cubby exec -q --project review -- sh -c './setid filecap made'
	cubby apply -q --all
	run -0 capable .
	[ -z "$output" ]
	cubby exec -q -- sh -c './setid filecap /root/f; cp -a /root/f copied; mv /root/f moved; ln /tmp/f linked; true'
	run -0 capable .
	[ -z "$output" ]
}

@test "set-id: a package's file gets its capabilities on the box's own root, but from its root alone" {
	cubby exec -q -- true
	[[ $(escape_map) != @(root|real-root) ]] || skip "they would be the host's"
	run -0 cubby exec -q -- sh -c 'for way in filecap filecap-link filecap-fd filecap-proc; do
		./setid $way /root/$way; done; ./setid filecap /tmp/f
		for f in /root/filecap* /tmp/f; do ./setid filecap-has $f; done'
	echo "$output"
	[ "$(grep -c '^filecap.* ok$' <<<"$output")" -eq 10 ]
	# And loses them, as by "setcap -r".
	run -0 cubby exec -q -- sh -c 'for way in "" -link -fd; do ./setid filecap-gone$way /root/filecap$way
		./setid filecap-has /root/filecap$way; done; ./setid filecap-gone /root/filecap'
	[ "$output" = $'filecap-gone ok\nfilecap-has ENODATA\nfilecap-gone-link ok\nfilecap-has ENODATA
filecap-gone-fd ok\nfilecap-has ENODATA\nfilecap-gone ENODATA' ]
	run -0 cubby exec -q -- sh -c './setid filecap-gone setid; ./setid filecap-gone gone'
	[ "$output" = $'filecap-gone EPERM\nfilecap-gone ENOENT' ]
	# Another attribute is set and removed as ever.
	run -0 cubby exec -q -- sh -c 'touch /root/u
		perl -e "(\$p, \$n, \$v) = qw(/root/u user.x y); print syscall(188, \$p, \$n, \$v, 1, 0);
			print syscall(197, \$p, \$n); syscall(197, \$p, \$n); print 0 + \$!"'
	[ "$output" = 0061 ]
	[ "$(escape_map)" != single ] || return 0
	run -0 cubby exec -q --user 7 -- sh -c './setid filecap /tmp/own; ./setid filecap-gone /root/filecap-proc
		./setid filecap-gone /tmp/f; true'
	[ "$output" = $'filecap EPERM\nfilecap-gone EPERM\nfilecap-gone EPERM' ]
}
