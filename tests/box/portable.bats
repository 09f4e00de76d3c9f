# Hosts that are not a plain machine with a plain disk.
bats_require_minimum_version 1.5.0
load ../lib
load escape/escape

setup() {
	[ "$(id -u)" = 0 ] || skip "only root can mount what this needs"
	lib_env
	LIB_MNT=$(mktemp -d /tmp/cubby-m.XXXXXX)
	mkdir "$LIB_MNT/l" "$LIB_MNT/u" "$LIB_MNT/w" "$LIB_MNT/m"
	mount -t overlay overlay \
		-o "lowerdir=$LIB_MNT/l,upperdir=$LIB_MNT/u,workdir=$LIB_MNT/w" "$LIB_MNT/m"
	cd "$LIB_MNT/m"
}

teardown() {
	[ -n "${LIB_MNT-}" ] || return 0
	cd /
	XDG_DATA_HOME=$LIB_MNT/m/data cubby rm --all --yes -q || true
	umount "$LIB_MNT/m"
	rm -rf "$LIB_MNT"
	lib_done
}

@test "store and project on an overlay, as in a container: a copy, the host's ids" {
	mkdir p
	mkdir -m 700 data
	export XDG_DATA_HOME=$PWD/data
	lib_image
	cd p
	run -0 --separate-stderr cubby exec -- sh -c 'touch x; cat /proc/self/uid_map; echo kept >/root/f'
	[[ $stderr == *"a copy of the image"* ]]
	[ "$(awk '{print $1, $2}' <<<"$output")" = "0 0" ]
	[ "$(stat -c %u x)" = 0 ]
	[ "$(cubby info --json | jq -r '.map.kind // .map')" = identity ]
	run -0 --separate-stderr cubby exec -- cat /root/f
	[ "$output" = kept ]
	[[ $stderr != *"a copy of the image"* ]]
	git init -q r # whether a view of it can be had or not, nothing of the box comes out
	run -0 --separate-stderr cubby exec -- sh -c 'echo x >>r/.git/config; mv r/.git r/x; true'
	[ -d r/.git ]
	run ! grep -x x r/.git/config
	[[ $stderr == *"read-only in the box"* || $stderr == *"kept in the box: r/.git/config"* ]]
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
	ram
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
	run -0 --separate-stderr cubby exec --image mine -- sh -c 'echo on' # on the overlay: identity
	[ "$output" = on ]
	[[ $stderr == *"the image 'mine' is there for the id map 'root' alone"* ]]
	[ "$(cubby images --json | jq -r '[.[].map] | sort | join(" ")')" = "identity root" ]
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
	[[ $stderr == *"No such file or directory"*"pull it again with --name mine"* ]]
}

@test "a project on an overlay, the store on a disk: the host's ids" {
	lib_image
	run -0 --separate-stderr cubby exec -- sh -c 'touch x; cat /proc/self/uid_map'
	[ "$(awk '{print $1, $2}' <<<"${lines[0]}")" = "0 0" ]
	[ "$(stat -c %u x)" = 0 ]
}
