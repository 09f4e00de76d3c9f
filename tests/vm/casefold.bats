# A filesystem that does not tell small letters from capitals: git on the host takes a ".GIT"
# for its own there. As root of a machine whose kernel folds case (CONFIG_UNICODE).
load ../lib

setup_file() {
	lib_env
	lib_image
	CUBBY_IMAGE=$(cat "$LIB_DIR/pull.log")
	cp --sparse=always "$CUBBY_TEST_TOP/folds.ext4" "$LIB_DIR/disk"
	mkdir "$LIB_DIR/folds"
	mount -o loop "$LIB_DIR/disk" "$LIB_DIR/folds"
	mkdir "$LIB_DIR/folds/all"
	python3 - "$LIB_DIR/folds/all" <<-'END' # chattr +F
	import fcntl, os, struct, sys
	FS_IOC_SETFLAGS, FS_CASEFOLD_FL = 0x40086602, 0x40000000
	fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), FS_IOC_SETFLAGS, struct.pack("l", FS_CASEFOLD_FL))
	END
	: >"$LIB_DIR/folds/all/a"
	[ -e "$LIB_DIR/folds/all/A" ]
	git config --global user.name somebody
	git config --global user.email some@body.example
	export CUBBY_IMAGE
}

teardown_file() {
	umount "$LIB_DIR/folds" || true
	lib_done
}

setup() {
	mkdir "$LIB_DIR/folds/all/$BATS_TEST_NUMBER"
	cd "$LIB_DIR/folds/all/$BATS_TEST_NUMBER" || return
	RAN=$LIB_DIR/ran
	rm -f "$RAN"
	export RAN
}

teardown() { cubby stop -q 2>/dev/null || true; }

# In the box: a repository of that name whose configuration is a program of the host's.
make_one() { # DIR
	cubby exec -- sh -c 'mkdir -p "$1/objects" "$1/refs" && cd "$1" &&
		echo "ref: refs/heads/main" >HEAD &&
		printf "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch %s; false\n" \
			"$2" >config' sh "$1" "$RAN"
}

@test "without a box such a repository runs a program" {
	mkdir -p .GIT/objects .GIT/refs
	echo 'ref: refs/heads/main' >.GIT/HEAD
	printf '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch %s; false\n' "$RAN" >.GIT/config
	git status
	[ -e "$RAN" ]
}

@test "a .GIT that a box makes does not reach the host's git" {
	local name
	make_one .GIT
	mkdir sub deep deep/er
	make_one sub/.Git
	make_one deep/er/.giT
	for name in . sub deep/er; do
		git -C "$name" status || true
		[ ! -e "$RAN" ] || { echo "$name"; ls -laR .; false; }
	done
}

@test "a repository of the host's is guarded by all its names" {
	local name
	git init -q
	git commit -q --allow-empty -m one
	for name in .git .GIT .Git; do
		cubby exec -- sh -c 'printf "#!/bin/sh\ntouch %s\n" "$2" >"$1/hooks/pre-commit"
			chmod 755 "$1/hooks/pre-commit"
			git config -f "$1/config" core.fsmonitor "touch $2; false"' sh "$name" "$RAN" || true
		git status
		git commit -q --allow-empty -m "$name"
		[ ! -e "$RAN" ] || { echo "$name"; false; }
	done
	cubby exec -- sh -c 'mv .git .x; mv .x .GIT' || true
	make_one .GIT || true
	git status
	[ ! -e "$RAN" ]
}

@test "a .GIT that is a file is looked at as .git is" {
	git init -q "$LIB_DIR/elsewhere"
	cubby exec -- sh -c 'echo "gitdir: $1" >.GIT' sh "$LIB_DIR/elsewhere/.git"
	run git rev-parse --absolute-git-dir
	[ "$output" != "$LIB_DIR/elsewhere/.git" ]
}
