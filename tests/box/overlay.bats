# What boxes, reviews and snapshots take for granted of overlayfs in a user namespace. No part of
# cubby runs here: where a kernel does otherwise, the row says in what. docs/hacking.md has a table
# of the kernels that they were tried on.
load ../lib

setup_file() {
	lib_env
	unshare -Urm true 2>/dev/null || lib_skip_file "no user namespace can be made here without cubby"
}
setup() {
	lib_skipped
	lib_project
	mkdir lower upper work view
	echo old >lower/file
}

# In namespaces of its own, and by mount(2), as cubby does: fsconfig(2) takes 255 bytes a value. view OPTIONS [LOWER] mounts; refused COMMAND wants it to fail; errno
# PYTHON says how that call failed.
overlay() { # SCRIPT
	LIBMOUNT_FORCE_MOUNT2=always unshare -Urm sh -euc '
		view() {
			mount -t overlay overlay -o "lowerdir=${2-lower},upperdir=upper,workdir=work,userxattr$1" view
		}
		refused() { if "$@" 2>log; then echo "not refused: $*"; return 1; fi; }
		errno() {
			python3 -c "import os, errno
try: $1
except OSError as e: print(errno.errorcode[e.errno])"
		}
		'"$1"'
		chmod -R u+rwX work' # the kernel makes directories there that nobody can enter
}

@test "overlay: an ordinary user mounts one in a user namespace, and writes above it" {
	overlay 'view ""; echo new >view/file; test "$(cat upper/file)" = new; test "$(cat lower/file)" = old'
}

@test "overlay: beside userxattr neither redirected names nor files without their data are possible" {
	overlay 'refused view ,redirect_dir=on; refused view ,metacopy=on; view ""'
}

@test "overlay: what is deleted is a device 0:0, which takes no privilege" {
	overlay 'view ""; rm view/file; test "$(stat -c %F,%t:%T upper/file)" = "character special file,0:0"'
}

@test "overlay: a directory that is made anew is opaque, which is an attribute of users" {
	mkdir lower/dir && touch lower/dir/file
	overlay 'view ""; rm -r view/dir; mkdir view/dir; test -z "$(ls view/dir)"
		test "$(python3 -c "import os; print(os.getxattr(\"upper/dir\", \"user.overlay.opaque\").decode())")" = y'
}

@test "overlay: a directory from below cannot be renamed, one made above can, and files" {
	mkdir lower/dir
	overlay 'view ""; test "$(errno "os.rename(\"view/dir\", \"view/other\")")" = EXDEV
		mkdir view/made; test -z "$(errno "os.rename(\"view/made\", \"view/moved\")")"
		test -z "$(errno "os.rename(\"view/file\", \"view/name\")")"; test "$(cat view/name)" = old'
}

@test "overlay: a file keeps its number when the first write copies it" {
	overlay 'view ""; before=$(stat -c %i view/file); echo new >>view/file; test "$(stat -c %i view/file)" = "$before"'
}

@test "overlay: the first write to one of two links copies that one" {
	ln lower/file lower/link
	overlay 'view ""; echo new >view/file; test "$(cat view/link)" = old'
}

@test "overlay: what changes below is seen, where a name was replaced after a remount" {
	overlay 'view ""; test "$(cat view/file)" = old; echo grown >>lower/file; grep -q grown view/file
		refused test -e view/later; echo new >lower/new; mv lower/new lower/file; echo late >lower/later
		python3 -c "import ctypes; assert not ctypes.CDLL(None).mount(None, b\"view\", None, 32, None)"
		test "$(cat view/file)" = new; test "$(cat view/later)" = late'
}

@test "overlay: what is mounted below is not seen" {
	mkdir lower/sub
	overlay 'mount -t tmpfs tmpfs lower/sub; touch lower/sub/file; view ""; test -z "$(ls view/sub)"'
}

@test "overlay: an upper layer becomes a lower one, and its work directory is used again" {
	overlay 'view ""; echo one >view/one; rm view/file; umount view
		mv upper kept; mkdir upper; view "" kept:lower
		test "$(cat view/one)" = one; refused test -e view/file; echo two >view/file; rm view/one
		test "$(ls upper kept | tr "\n" " ")" = "kept: file one  upper: file one "'
}

@test "overlay: an upper layer that gets another name while it is in use goes on under that" {
	overlay 'view ""; mv upper other; echo new >view/new; test "$(cat other/new)" = new'
}

@test "overlay: upper layers may be on another filesystem than lower ones" {
	overlay 'mount -t tmpfs tmpfs work; mkdir work/upper work/work
		mount -t overlay overlay -o lowerdir=lower,upperdir=work/upper,workdir=work/work,userxattr view
		echo new >view/file; test "$(cat view/file)" = new; umount view; umount work'
}

@test "overlay: 128 layers" {
	local all
	mkdir l && (cd l && mkdir $(seq 128) && echo first >1/name && echo last >128/name && echo deep >128/only)
	all=$(seq -f l/%g -s : 128)
	overlay "view '' $all"'; test "$(cat view/name)" = first; test "$(cat view/only)" = deep'
}

@test "overlay: one that was volatile is not mounted again" {
	overlay 'view ,volatile; echo new >view/file; umount view; refused view ""'
}

@test "overlay: a file whose owner the namespace does not know cannot be written, and can be removed" {
	[ "$(id -u)" -eq 0 ] || skip "only root can make such a file"
	chown 12345:12345 lower/file
	chmod 666 lower/file
	overlay 'view ""; test "$(errno "open(\"view/file\", \"a\")")" = EOVERFLOW; rm view/file'
}
