# Hosts that are not a plain machine with a plain disk.
load ../lib
load escape/escape

setup_file() { :; }
setup() {
	[ "$(id -u)" = 0 ] || skip "only root can mount what this needs"
	lib_env
	escape_overlay
}

teardown() {
	[ -n "${LIB_MNT-}" ] || return 0
	escape_overlay_done
	lib_done
}

# bats test_tags=long
@test "store and project on an overlay, as in a container: a copy, and root is the host's" {
	mkdir p
	mkdir -m 700 data
	export XDG_DATA_HOME=$PWD/data
	lib_image
	cd p
	run -0 --separate-stderr cubby exec -- sh -c 'touch x; cat /proc/self/uid_map; echo kept >/root/f'
	[[ $stderr == *"a copy of the image"* ]]
	[ "$(awk '{print $1, $2}' <<<"${lines[0]}")" = "0 0" ]
	[ "$(stat -c %u x)" = 0 ]
	[ "$(cubby info --json | jq -r '.map.kind // .map')" = real-root ]
	run -0 --separate-stderr cubby exec -- cat /root/f
	[ "$output" = kept ]
	[[ $stderr != *"a copy of the image"* ]]
	git init -q r # whether a view of it can be had or not, nothing of the box comes out
	run -0 --separate-stderr cubby exec -- sh -c 'echo x >>r/.git/config; mv r/.git r/x; true'
	[ -d r/.git ]
	run ! grep -x x r/.git/config
	[[ $stderr == *"read-only in the box"* || $stderr == *"kept in the box: r/.git/config"* ]]
}

# What /proc has beside processes, and the nodes in /dev, have one mode and one owner for all of the machine.
@test "the host's devices and files of the kernel are not changed by root of a box that is the host's" {
	host() { unshare -pfm --mount-proc stat -c '%a %u %n' /proc/version /proc/tty /proc/tty/drivers /dev/full; }
	local before after
	mkdir p
	mkdir -m 700 data
	export XDG_DATA_HOME=$PWD/data
	lib_image
	cd p
	before=$(host) || skip "no /proc of its own can be mounted here"
	run -0 cubby exec -q -- sh -c 'chmod 640 /proc/version /proc/tty /proc/tty/drivers /dev/full
		chown 7 /proc/version /dev/full
		for own in /dev/stdin /dev/stdout /dev/stderr; do ! chmod 4666 $own || echo changed; done
		head -c 1 /dev/zero >/dev/null && echo x >>/dev/null && read -r _ </proc/version &&
		echo 500 >/proc/self/oom_score_adj && script -qc "echo on >/dev/tty" /dev/null </dev/null'
	after=$(host)
	unshare -pfm --mount-proc sh -c 'chmod 444 /proc/version /proc/tty/drivers; chown 0 /proc/version
		chmod 555 /proc/tty; chown 0 /dev/full; chmod 666 /dev/full'
	echo "$after"
	[ "$(cubby info --json | jq -r .map.kind)" = real-root ]
	[ "$after" = "$before" ]
	[[ $output == *on* && $output == *Read-only* && $output != *changed* ]]
}

# bats test_tags=long
@test "what lies in the project and cannot be shown with the box's ids is said, with what to do" {
	local said again
	lib_image
	lib_project
	cubby exec -- true
	[ "$(cubby info --json | jq -r '.map.kind // .map')" = root ] || skip "the box's ids are the host's here"
	mkdir sub
	mount -t ramfs none sub || skip "no ramfs here"
	said=$(cubby exec -- true 2>&1 && echo ran) || true
	cubby rm -q --yes
	again=$(cubby exec -q -- ls -d sub 2>&1) || true
	umount sub
	[[ $said == "cubby exec: project directory: cannot map the ids of a filesystem: Invalid argument; unmount what lies in it "*"'cubby rm'"* ]]
	[[ $again == *sub ]]
}

@test "a store without user attributes: a copy, and directories can be replaced" {
	mkdir "$LIB_MNT/ram" "$LIB_MNT/p"
	chmod 755 "$LIB_MNT"
	cd "$LIB_MNT/p"
	mount -t ramfs -o mode=700 none "$LIB_MNT/ram" || skip "no ramfs here"
	export XDG_DATA_HOME=$LIB_MNT/ram
	ram() { cubby rm -q || true; cubby rmi -q --all --force || true; umount "$LIB_MNT/ram"; }
	dir=$(escape_image ram) # a small one: all of this is memory
	mkdir "$dir/etc/apt"
	touch "$dir/etc/apt/old"
	name=$(cubby pull -q "$dir") || { ram; return 1; }
	run --separate-stderr cubby exec --image "$name" -- \
		sh -c 'rm -r /etc/apt && mkdir -p /etc/apt/x && ls /etc/apt'
	doctor=$(cubby doctor) || true
	cubby rm -q
	cubby rmi -q --all
	tar -C "$dir" -cf "$LIB_MNT/p/low.tar" .
	mkdir -p "$LIB_MNT/p/l/etc/apt"
	touch "$LIB_MNT/p/l/etc/apt/.wh.old" "$LIB_MNT/p/l/etc/apt/new"
	tar -C "$LIB_MNT/p/l" -cf "$LIB_MNT/p/up.tar" etc
	"$CUBBY_TEST_TOP/tests/mklayout" lay x low.tar up.tar
	layered=$(cubby exec --image oci:lay:x -- sh -c "cd /etc/apt && ls -d new old 2>/dev/null" 2>"$LIB_MNT/p/said") || true
	said=$(<"$LIB_MNT/p/said")
	ram
	echo "$layered $said"
	[[ $layered == new ]]
	[[ $said == *"all layers go into one directory: the store is on ramfs, which cannot hold an overlay upper"* ]]
	echo "$status $output $stderr"
	[ "$status" -eq 0 ]
	[ "$output" = x ]
	[[ $stderr == *"no user.* attributes"*"a copy of the image"* ]]
	[[ $doctor == *"the store is on ramfs, which cannot hold an overlay upper"* ]]
}

@test "an image that is there for another id map is made again by itself" {
	export XDG_DATA_HOME=$LIB_DIR/data # no other images
	mkdir "$LIB_MNT/plain"
	tar -C "$(escape_image mine)" -cf - . | zstd -q >"$LIB_MNT/image.tar.zst"
	cubby pull -q --name mine -C "$LIB_MNT/plain" "$LIB_MNT/image.tar.zst"
	[ "$(cubby images --json | jq -r '[.[].map] | join(" ")')" = root ]
	run -0 --separate-stderr cubby exec --image mine -- sh -c 'echo on' # on the overlay: real-root
	[ "$output" = on ]
	[[ $stderr == *"the image 'mine' is there for the id map 'root' alone"* ]]
	[ "$(cubby images --json | jq -r '[.[].map] | sort | join(" ")')" = "real-root root" ]
	run -0 --separate-stderr cubby exec -- sh -c 'echo on'
	[ -z "$stderr" ]
	cubby rm -q
	# Its source has become another one, or is gone: said, with the remedy.
	cubby rmi -q --all --force
	cubby pull -q --name mine -C "$LIB_MNT/plain" "$LIB_MNT/image.tar.zst"
	zstd -qc </dev/null >>"$LIB_MNT/image.tar.zst"
	run -125 --separate-stderr cubby exec --image mine -- sh -c 'echo on'
	[[ $stderr == *"is no longer what it was; pull it again with --name mine"* ]]
	rm "$LIB_MNT/image.tar.zst"
	run -125 --separate-stderr cubby exec --image mine -- sh -c 'echo on'
	[[ $stderr == *"there is no file or directory '"*"/image.tar.zst' here"*"pull it again with --name mine"* ]]
}

# bats test_tags=long
@test "a project on an overlay, the store on a disk: root is the host's" {
	lib_image
	run -0 --separate-stderr cubby exec -- sh -c 'touch x; cat /proc/self/uid_map'
	[ "$(awk '{print $1, $2}' <<<"${lines[0]}")" = "0 0" ]
	[ "$(stat -c %u x)" = 0 ]
}

# No idmapped mounts there: root of the box is the caller, and so are its rights on the host.
@test "a project on an overlay: what the box gives away becomes no account's" {
	lib_image
	mkdir theirs
	echo text >theirs/f
	chown -R 1001:1001 theirs
	chmod 700 theirs
	run -0 --separate-stderr cubby exec -- sh -ec '
		touch a b own; chown 1001:1001 a; chown -h 33:33 b; chmod 777 .
		perl -e "\$) = q(1001 1001); \$> = 1001; open F, q(>made) or print qq(\$!\n)"
		echo more >>theirs/f; cp -a theirs copied
		owner=$(stat -c %u theirs/f); chown "$owner:$owner" own
		tar -C theirs -cf - f | tar -xpf -
		perl -e "\$o = (stat q(theirs/f))[4]; \$> = \$o; print qq(\$!\n)"
		perl -e "\$g = (stat q(theirs/f))[5]; \$) = qq(0 \$g); open F, q(>grouped) or die; chown -1, \$g, q(grouped);
			chmod 02755, q(grouped); mkdir q(g); chown -1, \$g, q(g); chmod 02775, q(g); open F, q(>g/in) or die"
		stat -c %u:%g a b made'
	echo "$output"
	[ "$output" = $'Invalid argument\n1001:1001\n33:33\n1001:1001' ]
	[ "$(stat -c %u:%g own f copied copied/f grouped g g/in | sort -u)" = 0:0 ]
	[ "$(stat -c %u:%g theirs/f)" = 1001:1001 ]
	[ "$(cat theirs/f)" = $'text\nmore' ]
	run -0 find . -path ./theirs -prune -o \( -uid +0 -uid -1879048193 -o -gid +0 -gid -1879048193 \) -print
	[ -z "$output" ]
	run -125 cubby exec --user 66537 -- true
	# A box of an older cubby, whose users were accounts: told, and removed.
	record=$XDG_DATA_HOME/cubby/boxes/$(cubby info --json | jq -r .key)/box.json
	jq '.map = {kind: "identity", uid: [[0, 0, 4294967295]], gid: [[0, 0, 4294967295]]}' "$record" >record
	cat record >"$record"
	run -125 --separate-stderr cubby exec -- true
	[[ $stderr == *"its users are accounts of this machine"*"cubby rm"* ]]
	cubby rm -q --yes
	cubby exec -q -- true
}

# 65536 ids and no more.
# bats test_tags=long
@test "in a container of an ordinary user's: few users, and none of them is an account" {
	lib_image
	chmod 711 "$LIB_MNT" "$LIB_DIR"
	mkdir "$LIB_MNT/m/data"
	cp "$CUBBY_TEST_ROOTFS" image
	mkdir bin # others may not enter where the tree is
	cp "$CUBBY_TEST_BIN" "$(dirname "$CUBBY_TEST_BIN")/cubby-init" bin
	chown -R 200000:200000 .
	mkfifo "$LIB_MNT/go"
	cat >"$LIB_MNT/inside" <<'SH'
		export PATH=$PWD/bin:$PATH HOME=$PWD/data XDG_DATA_HOME=$PWD/data XDG_RUNTIME_DIR=$PWD/data
		chmod 700 data; mkdir p; cd p
		cubby pull -q --name small ../image
		cubby exec --image small -- sh -ec 'touch a b c; chown 33:33 a; chown nobody b
			chown 5000 c 2>/dev/null || echo no; stat -c %U a b'
		stat -c %u:%g a b c
		cubby info --json | jq -r .map.kind
		cubby rm -q
SH
	echo 'read -r _ <"$0/go"; exec setpriv --reuid 0 --regid 0 --clear-groups sh -e "$0/inside"' >"$LIB_MNT/first"
	unshare -U --keep-caps -m --propagation unchanged sh -c "$(cat "$LIB_MNT/first")" "$LIB_MNT" \
		>"$LIB_MNT/out" 2>"$LIB_MNT/err" 3>&- &
	pid=$! # which <(:) sets, too
	until [ "$(readlink /proc/$pid/ns/user)" != "$(readlink /proc/self/ns/user)" ]; do
		read -rt 0.02 <> <(:) || true
	done
	for ids in gid uid; do echo "0 200000 65536" >"/proc/$pid/${ids}_map"; done
	echo go >"$LIB_MNT/go"
	wait $pid || true
	cat "$LIB_MNT/out" "$LIB_MNT/err"
	[[ $(cat "$LIB_MNT/out") == *$'no\nwww-data\nnobody\n61216:61216\n65519:0\n0:0\nreal-root' ]]
}
