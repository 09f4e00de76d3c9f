# escape - what the tests of this directory share: an image, the hostile programs, a host
# beside the box that must stay as it was. Load after ../../lib.
# shellcheck shell=bash

escape_setup_file() {
	lib_env
	lib_image
	CUBBY_IMAGE=$(cat "$LIB_DIR/pull.log")
	ESCAPE_PROBES=$CUBBY_TEST_TOP/build/release/tests/box/probes
	[ -x "$ESCAPE_PROBES/calls" ] || {
		echo "the probes are not built (make probes-build)"
		return 1
	}
	export CUBBY_IMAGE ESCAPE_PROBES
	ESCAPE_HOST=$LIB_DIR/host
	mkdir -p "$ESCAPE_HOST/victim"
	echo secret >"$ESCAPE_HOST/secret"
	echo untouched >"$ESCAPE_HOST/victim/file"
	export ESCAPE_HOST
}

# The kind of the box's id map: root, real-root, subuid or single.
escape_map() { cubby info --json | jq -r .map.kind; }

# A command on a host without cgroups: root hides them, others may have none anyway.
without_cgroups() {
	if [ "$(id -u)" -eq 0 ]; then
		unshare -m sh -c 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"' sh "$@"
	else
		"$@"
	fi
}

# An overlay, as a container's root is one, with a store in data/: this directory, in LIB_MNT.
escape_overlay() {
	LIB_MNT=$(mktemp -d /tmp/cubby-m.XXXXXX)
	mkdir "$LIB_MNT/l" "$LIB_MNT/u" "$LIB_MNT/w" "$LIB_MNT/m"
	mount -t overlay overlay \
		-o "lowerdir=$LIB_MNT/l,upperdir=$LIB_MNT/u,workdir=$LIB_MNT/w" "$LIB_MNT/m"
	cd "$LIB_MNT/m" || return 1
}

escape_overlay_done() {
	cd /
	XDG_DATA_HOME=$LIB_MNT/m/data cubby rm --all --yes -q || true
	umount "$LIB_MNT/m" || umount -l "$LIB_MNT/m"
	rm -rf "$LIB_MNT"
}

# A project with the probes in it.
escape_setup() {
	lib_project
	cp "$ESCAPE_PROBES"/* .
	chmod 755 . # for other users of the box
}

# Names, kinds, modes, owners and contents of the host beside the box.
escape_snapshot() {
	(cd "$ESCAPE_HOST" && find . -printf '%P %y %m %U %l\n' | sort &&
		find . -type f -print0 | sort -z | xargs -0r sha256sum)
}

# A small image of this host's own shell and tools, as a directory: what hostile images
# are made of. Prints its path.
escape_image() { # NAME
	local dir=$LIB_DIR/image-$1
	[ -d "$LIB_DIR/image" ] || escape_image_make "$LIB_DIR/image"
	cp -a "$LIB_DIR/image/." "$dir"
	echo "$dir"
}

# Once a file: each tool's libraries cost more processes than all the rest of a test.
escape_image_make() { # DIR
	local tools
	mkdir -p "$1"/{bin,etc,proc,sys,dev,tmp,run,root,usr/bin,mnt,var}
	mapfile -t tools < <(type -P sh cat ls mkdir rm ln readlink stat sleep true id touch)
	cp -L "${tools[@]}" "$1/bin/"
	ldd "${tools[@]}" | sed -nE 's,^\t([^/]* )?(/[^ ]*) \(.*,\2,p' | sort -u |
		xargs -rd '\n' cp -L --parents -t "$1"
	echo 'root:x:0:0:root:/root:/bin/sh' >"$1/etc/passwd"
	echo 'root:x:0:' >"$1/etc/group"
}

# Start a box of a hostile image; the status and the output stay for the test. Whatever
# came of it, the host is as it was.
escape_run() { # DIR COMMAND...
	local dir=$1 name before
	shift
	before=$(escape_snapshot)
	name=$(cubby pull -q "$dir")
	run cubby exec --image "$name" -- "$@"
	[ "$before" = "$(escape_snapshot)" ]
}
