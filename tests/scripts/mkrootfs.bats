# The maker of root filesystems, with a mmdebstrap of our own that goes no further than its
# first mount. (The real one makes the image of the box tests.)
load ../lib

setup_file() { lib_env; }
setup() { :; }
teardown() { umount "$LIB_DIR/root" 2>/dev/null || :; }

# Mounts as the real one does as root, says where, and waits.
fake_maker() {
	mkdir "$LIB_DIR/bin" "$LIB_DIR/root"
	mkfifo "$LIB_DIR/mounted" "$LIB_DIR/end"
	cat >"$LIB_DIR/bin/mmdebstrap" <<-EOF
		#!/bin/sh
		mount -t tmpfs maker "$LIB_DIR/root" && touch "$LIB_DIR/root/there"
		ls "$LIB_DIR/root" >"$LIB_DIR/mounted"
		exec cat "$LIB_DIR/end" >&2
	EOF
	chmod +x "$LIB_DIR/bin/mmdebstrap"
	PATH=$LIB_DIR/bin:$PATH
}

@test "mkrootfs as root mounts nothing where others see it" {
	[ "$(id -u)" -eq 0 ] || skip "only root mounts anything"
	unshare --mount true 2>/dev/null || skip "no right to a mount namespace here"
	fake_maker
	timeout 60 "$CUBBY_TEST_TOP/scripts/mkrootfs" --output "$LIB_DIR/x.tar" \
		>"$LIB_DIR/log" 2>&1 3>&- &
	local maker=$!
	run -0 timeout 50 cat "$LIB_DIR/mounted"
	[ "$output" = there ]
	run -0 ls "$LIB_DIR/root" # here nothing was mounted
	[ -z "$output" ]
	timeout 10 tee "$LIB_DIR/end" </dev/null # its end
	wait "$maker" || :
	grep -q '^mkrootfs: ' "$LIB_DIR/log"
	[ ! -e "$LIB_DIR/x.tar" ]
	run ls -A "$LIB_DIR/tmp"
	[ -z "$output" ]
}

@test "mkrootfs says in a line what it cannot do" {
	run -1 "$CUBBY_TEST_TOP/scripts/mkrootfs" --output "$LIB_DIR/x.zip"
	[[ $output == "mkrootfs: '$LIB_DIR/x.zip' should end in .tar, .tar.gz or .tar.zst" ]]
	run -1 "$CUBBY_TEST_TOP/scripts/mkrootfs" --fast
	[[ $output == "mkrootfs: unknown option '--fast'"* ]]
	run -1 "$CUBBY_TEST_TOP/scripts/mkrootfs" --suite
	[[ $output == "mkrootfs: --suite needs an argument" ]]
}
