# Privileged files: no file that the host can meet gets set-id bits, or capabilities that
# count there, from a box.
bats_require_minimum_version 1.5.0
load ../../lib
load escape

setup_file() { escape_setup_file; }
teardown_file() { lib_done; }
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
	[ -f moved ] && [ -f copied ] && [ -f installed ] && [ -f proc-fd ]
	[ -z "$(privileged)" ]
	[ "$(stat -c %a installed)" = 755 ]
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

@test "set-id: capabilities of a file count nowhere on the host" {
	command -v python3 >/dev/null || skip "no python3"
	xattr() { python3 -c 'import os, sys; print(os.getxattr("f", sys.argv[1]).hex())' "$1"; }
	run cubby exec -- ./setid filecap f
	if [[ $(escape_map) == @(root|real-root) ]]; then
		[[ $output == "filecap EPERM"* ]]
		run xattr security.capability
		[ "$status" -ne 0 ]
		return
	fi
	# Version 3, for namespaces whose root is the caller: not the host's.
	[ "$output" = "filecap ok" ]
	run -0 xattr security.capability
	[[ $output == 01000003* ]]
	root=$(printf '%08x' "$(id -u)" | sed -E 's/(..)(..)(..)(..)/\4\3\2\1/')
	[ "${output: -8}" = "$root" ]
	[ "$root" != 00000000 ]
}
