# lib - what every bats file starts from. Load it, then call in setup_file() or setup():
#   lib_env       private HOME, store and runtime directory; no keys, no configuration
#   lib_image     the store holds one image, called "test"; skips where none can be made
#   lib_project   the current directory is new, empty and the test's own
# and in teardown_file():
#   lib_done      stop what still runs, remove everything
# The binary under test comes first in PATH. Needs tests/run, or CUBBY_TEST_BIN and
# CUBBY_TEST_ROOTFS.
# shellcheck shell=bash
bats_require_minimum_version 1.5.0

# Short, for the names of sockets are limited to 107 bytes.
lib_env() {
	LIB_DIR=$(mktemp -d /tmp/cubby-t.XXXXXX)
	mkdir -m 700 "$LIB_DIR/home" "$LIB_DIR/data" "$LIB_DIR/run" "$LIB_DIR/tmp"
	export LIB_DIR HOME=$LIB_DIR/home TMPDIR=$LIB_DIR/tmp
	export XDG_DATA_HOME=$LIB_DIR/data XDG_RUNTIME_DIR=$LIB_DIR/run
	unset CUBBY_IMAGE XDG_CONFIG_HOME XDG_CACHE_HOME OPENAI_API_KEY OPENAI_BASE_URL ANTHROPIC_API_KEY
	CUBBY_TEST_TOP=${CUBBY_TEST_TOP:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
	CUBBY_TEST_BIN=${CUBBY_TEST_BIN:-$CUBBY_TEST_TOP/build/release/cubby}
	PATH=$(dirname "$CUBBY_TEST_BIN"):$PATH
	export PATH CUBBY_TEST_TOP CUBBY_TEST_BIN
}

lib_image() {
	if [ -z "${CUBBY_TEST_ROOTFS-}" ]; then
		CUBBY_TEST_ROOTFS=$("$CUBBY_TEST_TOP/scripts/mkrootfs") ||
			skip "no root filesystem could be made (scripts/mkrootfs)"
		export CUBBY_TEST_ROOTFS
	fi
	export CUBBY_IMAGE=test
	cubby pull -q --name test "$CUBBY_TEST_ROOTFS" >"$LIB_DIR/pull.log" 2>&1 || {
		cat "$LIB_DIR/pull.log"
		return 1
	}
}

lib_project() {
	LIB_PROJECT=$(mktemp -d "$LIB_DIR/p.XXXXXX")
	export LIB_PROJECT
	cd "$LIB_PROJECT" || return 1
}

lib_done() {
	cd /
	[ -n "${LIB_DIR-}" ] || return 0
	if [ -d "$LIB_DIR/data/cubby/boxes" ]; then
		cubby rm --all --force -q >"$LIB_DIR/rm.log" 2>&1 || cat "$LIB_DIR/rm.log"
		cubby rmi --all --force -q >"$LIB_DIR/rmi.log" 2>&1 || true
	fi
	rm -rf "$LIB_DIR"
}

# Fails where WORD is in one of the paths or in the store's boxes. What an ordinary user may
# not read there belongs to the box's other users: that is looked at from inside.
lib_no_word() { # WORD PATH...
	! grep -rsl -- "$1" "${@:2}" "$XDG_DATA_HOME/cubby/boxes" || return 1
	! cubby exec -- find /etc /home /root /run /tmp /var -xdev -type f \
		-exec grep -ls -- "$1" {} + | grep .
}
