# lib - what every bats file starts from. Load it, and each test has, unless the file defines
# setup_file(), setup() or teardown_file() of its own:
#   lib_env       private HOME, store and runtime directory; no keys, no configuration
#   lib_image     the store holds one image, called "test"; fails where none can be made
#   lib_project   the current directory is new, empty and the test's own
#   lib_done      at the end: stop what still runs, remove everything
# The binary under test comes first in PATH. Needs tests/run, or CUBBY_TEST_BIN and
# CUBBY_TEST_ROOTFS.
#
# Files that run one after another share a store (tests/run), and on machines that are
# emulated (tests/vm), where an image takes minutes to unpack, everything takes longer:
#   CUBBY_TEST_STORE  a data directory that the files share: its image is pulled once
#   CUBBY_TEST_SLOW   how many times slower than usual the machine is (1):
#   lib_longer N      N times that, for what waits: a limit in seconds
#   lib_fewer N       N divided by that, at least 1, for what is only done often
#   CUBBY_TEST_MORE   how many times as often what depends on the moment is done (1; the
#                     long pass of tests/run: 5)
#   lib_often N       N in the long pass, a fifth of it in the other, and fewer as above
# shellcheck shell=bash
bats_require_minimum_version 1.5.0

# bats notes where it is before each command, by a function that takes a quarter of a
# millisecond: `run true` took 10 ms, and takes 1.3 without. bash knows where a command
# fails without that.
bats_debug_trap() { trap - DEBUG; }
bats_error_trap() {
	bats_check_status_from_trap
	bats_capture_stack_trace
	BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
}

setup_file() {
	lib_env
	lib_image
}
setup() { lib_project; }
teardown_file() { lib_done; }

# Short, for the names of sockets are limited to 107 bytes.
lib_env() {
	LIB_DIR=$(mktemp -d "${CUBBY_TEST_SHORT:-/tmp/cubby-}t.XXXXXX") # on-journal
	mkdir -m 700 "$LIB_DIR/home" "$LIB_DIR/data" "$LIB_DIR/run" "$LIB_DIR/tmp"
	export LIB_DIR HOME=$LIB_DIR/home TMPDIR=$LIB_DIR/tmp
	export XDG_DATA_HOME=${CUBBY_TEST_STORE:-$LIB_DIR/data} XDG_RUNTIME_DIR=$LIB_DIR/run
	export CUBBY_ANNOUNCE=no
	export CUBBY_LINGER=0 # no test meets the box of another command; tests/box/linger.bats does
	# No test asks a registry of the world for what it does not have.
	export CUBBY_MIRRORS=docker.io=http://127.0.0.1:9,docker.io=
	unset CUBBY_IMAGE XDG_CONFIG_HOME XDG_CACHE_HOME OPENAI_API_KEY OPENAI_BASE_URL ANTHROPIC_API_KEY
	CUBBY_TEST_TOP=${CUBBY_TEST_TOP:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
	CUBBY_TEST_BIN=${CUBBY_TEST_BIN:-$CUBBY_TEST_TOP/build/release/cubby}
	PATH=$(dirname "$CUBBY_TEST_BIN"):$PATH
	export PATH CUBBY_TEST_TOP CUBBY_TEST_BIN
}

lib_longer() { echo $(($1 * ${CUBBY_TEST_SLOW:-1})); }

lib_fewer() {
	local n=$(($1 / ${CUBBY_TEST_SLOW:-1}))
	echo $((n > 0 ? n : 1))
}

# lib_memory PID: what it has for itself, in KiB; of an instrumented program, which has several
# times that and keeps what it freed, 0
lib_memory() {
	if [ "${CUBBY_TEST_SANITIZED-}" ]; then echo 0; else awk '/RssAnon/ { print $2 }' "/proc/$1/status"; fi
}

lib_often() { lib_fewer $((($1 * ${CUBBY_TEST_MORE:-1} + 4) / 5)); }

lib_image() {
	if [ -z "${CUBBY_TEST_ROOTFS-}" ]; then
		CUBBY_TEST_ROOTFS=$("$CUBBY_TEST_TOP/scripts/mkrootfs") ||
			{ echo "no root filesystem could be made (scripts/mkrootfs)"; return 1; }
		export CUBBY_TEST_ROOTFS
	fi
	export CUBBY_IMAGE=test
	if [ "$XDG_DATA_HOME" = "${CUBBY_TEST_STORE-}" ] && [ -e "$CUBBY_TEST_STORE/pulled" ] &&
		cubby images --json | jq -e 'any(.name == "test")' >/dev/null; then
		cp "$CUBBY_TEST_STORE/pulled" "$LIB_DIR/pull.log"
		return
	fi
	cubby pull -q --name test "$CUBBY_TEST_ROOTFS" >"$LIB_DIR/pull.log" 2>&1 || {
		cat "$LIB_DIR/pull.log"
		return 1
	}
	[ "$XDG_DATA_HOME" != "${CUBBY_TEST_STORE-}" ] || cp "$LIB_DIR/pull.log" "$CUBBY_TEST_STORE/pulled"
}

# lib_python: boxes are of an image with python3, where one could be made (tests/run); else
# the tests are skipped (lib_skipped)
lib_python() {
	local file=${CUBBY_TEST_PYTHON-${CUBBY_TEST_ROOTFS%.tar.zst}+python3.tar.zst}
	if [ ! -e "$file" ]; then
		lib_skip_file "no image with python3: scripts/mkrootfs --include python3"
		return
	fi
	export CUBBY_IMAGE=python
	cubby pull -q --name python "$file"
}

# lib_node: the same with nodejs, where scripts/mkrootfs has made one
lib_node() {
	local file=${CUBBY_TEST_NODE-${CUBBY_TEST_ROOTFS%.tar.zst}+nodejs.tar.zst}
	if [ ! -e "$file" ]; then
		lib_skip_file "no image with node: scripts/mkrootfs --include nodejs"
		return
	fi
	export CUBBY_IMAGE=node
	cubby pull -q --name node "$file"
}

# In setup_file(), where bats counts the tests of a skip as failed: the reason for setup()
# to skip, by lib_skipped.
lib_skip_file() { export LIB_SKIP=$1; }
lib_skipped() { [ -z "${LIB_SKIP-}" ] || skip "$LIB_SKIP"; }

lib_project() {
	LIB_PROJECT=$(mktemp -d "$LIB_DIR/p.XXXXXX")
	export LIB_PROJECT
	cd "$LIB_PROJECT" || return 1
}

# All of them, but the one that other files are to use.
lib_remove_images() {
	if [ "$XDG_DATA_HOME" != "${CUBBY_TEST_STORE-}" ]; then
		cubby rmi --all --force -q >"$LIB_DIR/rmi.log" 2>&1 || true
		return
	fi
	cubby images --json | jq -r '.[] | .name // .short' | grep -vx test |
		xargs -rd '\n' cubby rmi --force -q >"$LIB_DIR/rmi.log" 2>&1 || true
}

# The next file that has this store may count layers.
lib_remove_steps() {
	compgen -G "$XDG_DATA_HOME/cubby/steps/*" >/dev/null || return 0
	sleep 1.1
	cubby prune --older 1s --yes -q >"$LIB_DIR/prune.log" 2>&1 || cat "$LIB_DIR/prune.log"
}

lib_done() {
	cd /
	[ -n "${LIB_DIR-}" ] || return 0
	if [ -d "$XDG_DATA_HOME/cubby/boxes" ]; then
		cubby rm --all --force -q >"$LIB_DIR/rm.log" 2>&1 || cat "$LIB_DIR/rm.log"
		lib_remove_images
		lib_remove_steps
	fi
	rm -rf "$LIB_DIR"
}

# Until COMMAND succeeds; fails after half a minute or longer.
lib_until() { # COMMAND [WORD]...
	local n
	for ((n = 0; n < $(lib_longer 1500); n++)); do
		if "$@" >/dev/null 2>&1; then return 0; fi
		sleep 0.02 # which leaves $! as it was
	done
	echo "in vain: $*" >&2
	return 1
}

# A detached command is started by a shell, which may not have come to it yet. $output is
# what ps says of the box then.
lib_wait_for_command() { # COMMAND
	local n
	for ((n = 0; n < 500; n++)); do
		run -0 cubby ps --json
		[[ $output != *"\"$1\""* ]] || return 0
	done
	echo "no process of the box is '$1': $output"
	return 1
}

# Skips where the box has no user but root, as an ordinary user's without subordinate ids.
lib_needs_users() {
	run cubby exec -q -u nobody -- true
	[[ $output != *'no user but root'* ]] || skip "one id only in this box"
}

# The processes of this host whose command line has PATTERN, and that a command of this file
# has started: they know its runtime directory. Other files run at the same time.
lib_processes() { # PATTERN
	local pid
	for pid in $(pgrep -f -- "$1" || true); do
		{ tr '\0' '\n' <"/proc/$pid/environ"; } 2>/dev/null |
			grep -qx "XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" || continue
		{ tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -q -- "$1" && echo "$pid"
	done
	return 0
}

# The directory in the store of the box of the current directory.
lib_box() { echo "$XDG_DATA_HOME/cubby/boxes/$(printf %s "$PWD" | sha256sum | cut -c1-64)"; }

# The process that writes the transcript of TASK; fails where none does. Tasks of other
# boxes that began in the same second have the same name.
lib_writer() { # TASK
	local inode pid
	inode=$(stat -c %i "$(lib_box)/transcripts/$1.jsonl")
	pid=$(awk -v i="$inode" '$6 ~ ":" i "$" { print $5 }' /proc/locks)
	[ -n "$pid" ] && echo "$pid"
}

# Where the files of a box are that its project under review has not got yet.
lib_layer() {
	echo "$(lib_box)/project/upper"
}

# Fails where WORD is in one of the paths or in the store's boxes. What an ordinary user may
# not read there belongs to the box's other users: that is looked at from inside. The
# project's own files, in its layer and as an apply has kept them, have what the project has.
lib_no_word() { # WORD PATH...
	! grep -rsl --exclude-dir=applied --exclude-dir=project -- "$1" "${@:2}" "$XDG_DATA_HOME/cubby/boxes" || return 1
	! cubby exec -- find /etc /home /root /run /tmp /var -xdev -type f \
		-exec grep -ls -- "$1" {} + | grep .
}
