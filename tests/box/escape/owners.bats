# Owners: in root's boxes no file of the project becomes a real account's but the caller's.
load ../../lib
load escape

setup_file() { escape_setup_file; }
setup() {
	escape_setup
	cubby exec -- true
	[ "$(escape_map)" = root ] || skip "only boxes of root could give files to others"
}

@test "owners: what the box gives to its users is nobody's on the host" {
	touch ours
	cubby exec -- sh -ec 'touch a b; chown 1001 a ours; chown 33:33 b'
	for f in a b ours; do
		[ "$(stat -c %u "$f")" -ge 1879048192 ] # 0x70000000
	done
	[ "$(stat -c %g b)" -ge 1879048192 ]
	[ "$(stat -c %u:%g setid)" = 0:0 ]
	# It is the same owner inside, now and the next time.
	run -0 cubby exec -- stat -c %u:%g a b
	[ "$output" = $'1001:0\n33:33' ]
	chmod 777 .
	cubby exec --detach -- sleep 1000 # the box is root's
	cubby exec --user 33 -- sh -ec 'echo x >>b; touch mine'
	[ "$(stat -c %u mine)" = "$(stat -c %u b)" ]
	[ "$(stat -c %u mine)" -ge 1879048192 ]
	cubby stop
}

@test "owners: in a box of its user the project is the caller's, and what others are given nobody's" {
	touch ours
	cubby exec -- sh -ec 'touch a b; chown 1001 a; chown 33:33 b'
	# Its own from before is root's now, for the two have changed places; that of others is theirs.
	run -0 cubby exec --user 33 -- stat -c %u:%g a b ours setid
	[ "$output" = $'1001:33\n0:0\n33:33\n33:33' ]
	run cubby exec --user 33 -- sh -c 'echo x >>b || chmod 4755 ours; chown 1001 ours; chgrp 1001 ours; ln ours more; mknod dev c 1 3; ls'
	[[ $output == *"Operation not permitted"* ]]
	[ "$(stat -c %u:%g:%a ours)" = 0:0:755 ]
	[ ! -e dev ]
	cubby exec --detach --user 33 -- sleep 1000
	cubby exec -- sh -ec 'touch by-root; chown 33:33 by-root; touch root; chmod 6755 root by-root; cp -a /bin/true bin; chmod 4755 bin'
	[ "$(stat -c %u:%g:%a by-root)" = 0:0:755 ] # given to the caller, without the bits
	for f in root bin; do
		[ "$(stat -c %u "$f")" -ge 1879048192 ]
		[ ! -u "$f" ]
	done
	cubby stop
	cubby own
	[ "$(stat -c %u:%g a b ours root bin | sort -u)" = 0:0 ]
}

@test "owners: accounts of the host are worked with, and never become anybody's" {
	mkdir work
	echo text >work/f
	chown -R 1001:1001 work
	chmod 700 work
	chmod 600 work/f
	run -0 cubby exec -- sh -ec '
		cat work/f; echo more >>work/f; echo new >work/new; rm work/new
		cp -a work/f work/copy; cp -a work /root/; tar -cf - work | tar -C /root -xf -
		owner=$(stat -c %u work/f)
		touch own; chown "$owner" own; chown "$owner:$owner" /root/work/f
		stat -c %u own /root/work/f work/copy'
	[ "$output" = $'text\n0\n0\n0' ]
	[ "$(stat -c %u:%g work/f own work/copy | tr '\n' ' ')" = "1001:1001 0:0 0:0 " ]
	[ "$(cat work/f)" = $'text\nmore' ]
	# No process is one of them.
	run cubby exec -- perl -e '$o = (stat "work/f")[4];
		$) = $o; print "gid $!\n"; $> = $o; print "uid $!\n"; $< = $o; print "$!\n"'
	[ "$output" = $'gid Invalid argument\nuid Invalid argument\nInvalid argument' ]
	run -125 cubby exec --user 66537 -- true
	# Box root can have one's group beside its own, and nothing becomes that group's.
	chmod g+rwx,g-s work
	# shellcheck disable=SC2016 # perl
	run -0 cubby exec -- perl -e '$g = (stat "work/f")[5]; $) = "0 $g"; ($have) = (split / /, $))[1];
		open F, ">work/theirs" or die; open F, ">grouped" or die; mkdir "dir" or die;
		chown -1, $g, "grouped", "dir"; chmod 02775, "grouped", "dir"; open F, ">dir/in" or die;
		printf "%s %s", $have == $g ? "has it" : "has it not",
			join " ", map { sprintf "%d:%o", (stat $_)[5], (stat _)[2] & 07777 } "grouped", "dir", "dir/in"'
	[ "$output" = "has it 0:775 0:775 0:644" ]
	[ "$(stat -c %g work/theirs grouped dir dir/in | tr '\n' ' ')" = "0 0 0 0 " ]
	# And other users of the box have no business there.
	run cubby exec --user 1001 -- cat work/f
	[ "$status" -ne 0 ]
}

@test "owners: running boxes have ids of their own, and one cannot use up the other's" {
	[[ $(uname -r) =~ ^([0-9]+)\.([0-9]+) ]]
	((BASH_REMATCH[1] * 100 + BASH_REMATCH[2] >= 519)) || skip "Linux before 5.19"
	mkdir one two
	cp inflight one/ && cp inflight two/
	mkfifo hold
	cubby exec --here -C one -- ./inflight 20000 <hold >one.out 2>&1 3>&- &
	client=$!
	exec 9>hold
	until [ -s one.out ]; do kill -0 $client; read -rt 0.02 <> <(:) || true; done
	first=$(cubby exec --here -C one -- cat /proc/self/uid_map)
	run -0 --separate-stderr cubby exec --here -C two -- sh -c './inflight 100 </dev/null
		cat /proc/self/uid_map'
	exec 9>&-
	wait $client
	cat one.out
	[ "${lines[0]}" = "100 ok" ]
	[ "${lines[1]}" != "$first" ]
	[ "$(awk '{ print $2 % 131072 }' <<<"${lines[1]}")" -eq 0 ]
	# On disk both are the same range.
	cubby exec --here -C one -- sh -c 'touch /root/f; chown 7 /root/f'
	cubby exec --here -C two -- sh -c 'touch /root/f; chown 7 /root/f'
	run -0 find "$XDG_DATA_HOME/cubby/boxes" -path '*/root/f' -uid 1879048199
	[ "${#lines[@]}" -eq 2 ]
}

@test "owners: where no range can be had the box has the one on disk, and it is said" {
	cubby stop -q
	cubby exec -- sh -c 'touch /root/f mine; chown 7 /root/f mine'
	cubby stop -q
	mkdir -p /run/cubby/ids
	# shellcheck disable=SC2016
	run -0 --separate-stderr unshare -m sh -ec '
		mount -t tmpfs -o ro none /run/cubby
		cubby exec --keep -- sh -c "cat /proc/self/uid_map; stat -c %u /root/f mine
			touch /root/g again; chown 8 /root/g again"
		cubby info --json | jq -r .why'
	echo "$output"
	[ "$(awk '{ print $2 }' <<<"${lines[0]}")" -eq 1879048192 ]
	[ "${lines[1]}" = 7 ]
	[ "${lines[2]}" = 7 ]
	[[ $output == *"the ids of this box are those of other boxes, too"* ]]
	cubby stop -q
	run -0 cubby exec -- stat -c %u /root/g again mine
	[ "$output" = $'8\n8\n7' ]
}
