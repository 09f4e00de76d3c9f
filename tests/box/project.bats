# The project directory: which may be one, and how it looks from inside.
load ../lib

refused() { # WHY DIR [OPTION...]
	local why=$1 dir=$2
	shift 2
	run -125 cubby exec -C "$dir" "$@" -- true
	[[ $output == *"$why"* ]] || { echo "said: $output" >&2; return 1; }
	[ "${#lines[@]}" = 1 ]
}

works_in() { # DIR: seen at its own path, written from inside, owned by the caller
	cubby exec -C "$1" -- sh -c 'pwd >where; echo "$PWD" >where2; ls -A >list'
	[ "$(stat -c %u:%g "$1/where")" = "$(id -u):$(id -g)" ]
	[ "$(cat "$1/where"; echo .)" = "$(cd "$1" && pwd -P; echo .)" ]
}

@test "the root directory and the kernel's are refused" {
	refused "root directory cannot be a project" /
	refused "cannot be a project" /proc
	refused "cannot be a project" /sys
	refused "cannot be a project" /dev/shm
}

@test "the home directory needs a word" {
	refused "--allow-home" "$HOME"
	cubby exec -C "$HOME" --allow-home -- test -d "$HOME"
	cubby rm -C "$HOME"
}

@test "a box that is there needs it again when it is started, not while it runs" {
	cubby exec -C "$HOME" --allow-home -- true
	cubby stop -C "$HOME"
	refused "--allow-home" "$HOME"
	# Not one that lingers: that ends as soon as anybody mounts something on the host.
	cubby exec -C "$HOME" --allow-home -- sh -c 'sleep 60 >/dev/null 2>&1 &'
	cubby exec -C "$HOME" -- test -d "$HOME"
	cubby stop -C "$HOME"
	refused "--allow-home" "$HOME"
	refused "--allow-home" "$HOME" --wipe
	cubby rm -C "$HOME"
}

@test "what is not a directory, or is not there" {
	touch file
	refused "Not a directory" file
	refused "No such file or directory" missing
}

@test "a directory that the caller cannot enter" {
	[ "$(id -u)" != 0 ] || skip "root may enter everything"
	mkdir -m 000 closed
	refused "Permission denied" closed
	chmod 700 closed
}

@test "spaces, quotes, newlines, escapes, bytes that are no text" {
	for name in 'a b' "it's \"so\"" $'new\nline' $'esc\e[31m' $'\xff\xfe' '-dash' 'back\slash' '*'; do
		mkdir -- "$PWD/$name"
		works_in "$PWD/$name" || { printf 'in %q\n' "$name" >&2; return 1; }
	done
}

@test "a path of nearly 4,000 characters" {
	part=$(printf 'd%.0s' {1..199})
	deep=$PWD
	while [ ${#deep} -lt 3780 ]; do
		mkdir "$deep/$part"
		deep=$deep/$part
		cd "$deep"
	done
	works_in .
}

@test "through a symbolic link it is the same box" {
	mkdir real
	ln -s real link
	cubby exec -C real -- touch /root/mark
	cubby exec -C link -- test -e /root/mark
}

@test "a bind-mounted directory, and mounts below the project" {
	[ "$(id -u)" = 0 ] || skip "only root can mount on the host"
	mkdir src dst
	echo seen >src/f
	run -0 unshare -m sh -c 'mount --bind src dst && mount -t tmpfs t dst/ 2>/dev/null; mount --bind src dst && cd dst && cubby exec -- cat f'
	[ "$output" = seen ]
}

@test "a read-only directory is read-only inside" {
	[ "$(id -u)" = 0 ] || skip "only root can mount on the host"
	mkdir ro
	run -0 unshare -m sh -c 'mount --bind ro ro && mount -o remount,bind,ro ro && cd ro && cubby exec -- sh -c "touch x 2>&1; true"'
	[[ $output == *"Read-only file system"* ]]
}

@test "a directory that disappears while the box runs" {
	mkdir gone
	cubby exec -C gone --keep -- true
	init=$(cubby info -C gone --json | jq .init_pid)
	rmdir gone 2>/dev/null || rm -rf gone
	run cubby exec -C gone -- true
	[ "$status" = 125 ]
	[[ $output == *"No such file or directory"* ]]
	cubby stop --all || true
	for _ in $(seq "$(lib_longer 500)"); do [ -d "/proc/$init" ] || break; read -rt 0.01 <> <(:) || true; done
	[ ! -d "/proc/$init" ]
}

@test "/workspace is the project" {
	echo here >f
	[ "$(cubby exec -- cat /workspace/f)" = here ]
}

@test ".git: the box writes to a view of its own, and cannot move it away" {
	git -c init.defaultBranch=main init -q .
	mkdir -p .git/hooks
	echo '#!/bin/sh' >.git/hooks/pre-commit
	before=$(cat .git/config)
	cubby exec -q -- sh -c 'echo evil >>.git/hooks/pre-commit; echo evil >>.git/config; touch .git/index.lock'
	run -1 cubby exec -q -- mv .git .git2
	[ "$(cat .git/hooks/pre-commit)" = '#!/bin/sh' ]
	[ "$(cat .git/config)" = "$before" ]
	git status >/dev/null
	cubby exec -q --git-writable -- sh -c 'echo "# mine" >>.git/config'
	grep -q '# mine' .git/config
}

# As systemd makes them; an ordinary user's box has its own copy, which is not.
@test "nothing of the box is mounted on a host whose mounts are shared" {
	[ "$(id -u)" -eq 0 ] || skip "only root can share mounts"
	git -c init.defaultBranch=main init -q .
	mkdir below
	cat >"$LIB_DIR/shared" <<-'END'
	mount --make-rshared / && mount -t tmpfs none below || exit
	cut -d' ' -f5- /proc/self/mountinfo >"$1/before"
	cubby exec --keep -- sh -c 'touch here below/there' || exit
	cut -d' ' -f5- /proc/self/mountinfo >"$1/during"
	cubby stop -q || exit
	cut -d' ' -f5- /proc/self/mountinfo >"$1/after"
	ls below
	END
	run -0 unshare -m bash "$LIB_DIR/shared" "$LIB_DIR"
	[ "$output" = there ]
	diff "$LIB_DIR/before" "$LIB_DIR/during"
	diff "$LIB_DIR/before" "$LIB_DIR/after"
	[ -e here ]
}

@test "own: a file that is not there makes no box" {
	mkdir project
	cd project
	run -1 --separate-stderr cubby own missing
	[ "$stderr" = "cubby own: there is no 'missing' here" ]
	run -1 --separate-stderr cubby own -C "$PWD" missing
	run -0 --separate-stderr cubby ls # others may be there
	[[ $output != *"$PWD"* ]]
	touch here
	run -0 cubby own here
	run -0 cubby ls
	[[ $output == *"$PWD "* ]]
	cubby rm -q -y
}

@test "own: files of users of the box are the caller's again, and nothing outside of the project" {
	mkdir outside project
	touch outside/file
	cd project
	cubby exec -q -- sh -c 'mkdir -m 700 -- -d; touch ./-d/f new; chown -R 33:33 -- -d; chown 65:0 new; ln -s ../outside/file link; chown -h 33 link'
	touch plain
	local before
	before=$(stat -c %u:%g:%Z plain ../outside/file)
	run -0 cubby own new
	[ -O new ]
	run -0 cubby own -- -d
	run -0 cubby own
	[ -O -d ]
	[ -O -d/f ]
	[ "$(stat -c %u link)" = "$(id -u)" ]
	[ "$(stat -c %u:%g:%Z plain ../outside/file)" = "$before" ]
	run -0 cubby exec -q -- find . ! -user 0
	[ -z "$output" ]
	run -1 --separate-stderr cubby own . missing
	[ "$stderr" = "cubby own: there is no 'missing' here" ]
	run -1 --separate-stderr cubby own -b typo new # a name that no box has makes none
	[ "$stderr" = "cubby own: there is no box 'typo' for '$PWD'; 'cubby ls' lists them" ]
	before=$(cubby exec -q -- sh -c 'touch /root/theirs; chown 33:33 /root/theirs; stat -c %u:%g:%Z /etc/passwd /root/theirs')
	for p in .. / /root /etc/passwd link/; do
		run -1 --separate-stderr cubby own "$p"
		[[ $stderr == "cubby own: "* ]]
	done
	run -1 --separate-stderr cubby own /etc/passwd
	[ "$stderr" = "cubby own: '/etc/passwd' is not in the project, '$PWD'; other files of the box stay as they are" ]
	[ "$(cubby exec -q -- stat -c %u:%g:%Z /etc/passwd /root/theirs)" = "$before" ]
	run -0 --separate-stderr cubby own /workspace/plain -q
	[ -z "$stderr" ]
	touch '!' '('
	cubby exec -q -- chown 33:33 '!' '('
	run -0 cubby own '!' '('
	[ -O '!' ]
	[ -O '(' ]
	if [ "$(id -u)" -eq 0 ]; then # accounts of the host are nobody's there
		mkdir sg
		touch theirs team sg/f
		chown 1001:1001 theirs
		chown 0:1001 team sg sg/f
		chmod 2775 sg
		before=$(stat -c %u:%g:%a theirs team sg sg/f)
		run -0 cubby own
		[ "$(stat -c %u:%g:%a theirs team sg sg/f)" = "$before" ]
		rm -r theirs team sg
	fi
	rm -r -- -d new link '!' '('
	cubby rm -q -y
}

map_kind() { cubby info --json | jq -r .map.kind; }

@test "user: what it makes in the project is the caller's where a mount can be shown so, else the reason is said" {
	local way
	mkdir project && cd project
	git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first
	mkdir old && touch old/file
	cubby exec -q -- true
	case $(map_kind) in
	single)
		run -125 --separate-stderr cubby exec --user 33:33 -- true
		[[ $stderr == *"no user but root (single id map)"* ]]
		;;
	subuid)
		run -0 --separate-stderr cubby exec --user 33:33 -- true
		[ "$stderr" = "cubby: this directory is root's for '33:33', not its own (only root of a machine can map the ids of a mount): 'cubby own' makes yours what it leaves there" ]
		run -125 --separate-stderr cubby exec --user 70000 -- true # it fails, which is all that is said
		[ ${#stderr_lines[@]} = 1 ]
		run -0 --separate-stderr cubby exec --user 33:33 -- true # once for a user
		[ -z "$stderr" ]
		;;
	real-root)
		run -0 --separate-stderr cubby exec --user 33:33 -- true
		[[ $stderr == *"cannot map the ids of a mount"* ]]
		;;
	root)
		for way in live review; do # by its name, whose group the image says; and by numbers
			run -0 --separate-stderr cubby exec --project $way --user www-data -- sh -c "
				set -e
				[ \"\$(stat -c %u:%g . old old/file .git .git/HEAD | sort -u)\" = 33:33 ]
				mkdir $way; touch $way/file; echo x >>old/file; mv old/file old/$way; mv old/$way old/file
				chmod 4755 $way/file; echo x >.git/COMMIT_EDITMSG
				chown 0:0 $way/file 2>/dev/null && exit 1; ! touch /etc/by-user 2>/dev/null"
			[ -z "$stderr" ]
			[ $way = live ] || cubby apply -q --all
			[ "$(stat -c %u:%g . $way $way/file old old/file | sort -u)" = 0:0 ]
			[ ! -u $way/file ]
		done
		run -0 cubby exec -q --user 4321:77 -- sh -c 'touch numbers; stat -c %u:%g old'
		[ "$output" = 4321:77 ]
		[ "$(stat -c %u:%g numbers)" = 0:0 ]
		# A group that only the box has, while its users are listed in the image.
		cubby exec -q -- sh -c 'echo team:x:4242: >>/etc/group'
		run -0 cubby exec -q --user www-data:team -- stat -c %u:%g old
		[ "$output" = 33:4242 ]
		# What other users make is theirs, root among them; the next start shows it as before.
		cubby exec -q --user www-data -- sh -c 'stat -c %u numbers' | grep -qx 33
		;;
	esac
	cubby rm -q -y
}

@test "user: a box that runs goes on as it was started, which is said; own knows whose the directory is" {
	mkdir project && cd project
	cubby exec -q -- true
	[ "$(map_kind)" = root ] || skip "the map $(map_kind) shows the directory as root's alone"
	cubby exec -q --user www-data --detach -- sleep 1000
	[ "$(cubby info --json | jq -c .owner)" = '{"uid":33,"gid":33}' ]
	run -0 cubby info
	[[ $output == *$'\nproject of user    33\n'* ]]
	run -0 --separate-stderr cubby exec -- touch by-root
	[ "$stderr" = "cubby: the box runs, and in this directory you are its user 33: what 'root' makes there is not yours ('cubby own'); 'cubby stop', and the next start goes by its user" ]
	run -0 --separate-stderr cubby exec --user www-data -- touch by-user
	[ -z "$stderr" ]
	run -0 --separate-stderr cubby exec --user 33:77 -- touch by-group
	[ "$stderr" = "cubby: the box runs, and in this directory your group is its group 33: what '33:77' makes there is of another one ('cubby own'); 'cubby stop', and the next start goes by its group" ]
	[ "$(stat -c %g by-group)" != "$(stat -c %g by-user)" ]
	[ ! -O by-root ]
	[ -O by-user ]
	run -0 --separate-stderr cubby own
	[ -z "$stderr" ]
	[ -O by-root ]
	[ -O by-user ]
	cubby stop -q
	# Whoever the box is for, it is root that gives files back.
	cubby set -q user=www-data
	cubby exec -q --user 0 -- chown 77:78 by-root
	[ ! -O by-root ]
	run -0 cubby own
	[ "$(stat -c %u:%g by-root by-user . | sort -u)" = 0:0 ]
	cubby rm -q -y
}

@test "user: own asks the box that it works in, not one that ends before" {
	mkdir project && cd project
	cubby exec -q -- true
	[ "$(map_kind)" = root ] || skip "the map $(map_kind) shows the directory as root's alone"
	cubby exec -q --user www-data --detach -- sleep 1000
	cubby exec -q --user www-data -- touch by-user
	[ -O by-user ]
	# Stopped when it has asked the box who its user is: by then the answer is on its way.
	strace -o trace -e trace=sendmsg -e inject=sendmsg:signal=STOP:when=2 cubby own 2>said &
	lib_until grep -q 'stopped by SIGSTOP' trace
	cubby stop -q
	kill -CONT "$(cat /proc/$!/task/$!/children)"
	wait $! || true
	[ -O by-user ]
	cat said
	[ "$(cat said)" = "cubby own: the box has ended; say it again" ]
	run -0 cubby own
	[ -O by-user ]
	cubby rm -q -y
}

@test "user: own works for a box whose commands are another user's" {
	mkdir project && cd project
	cubby exec -q -- true
	[ "$(map_kind)" != single ] || skip "the box has one user"
	cubby set -q user=33:33
	cubby exec -q --user 0 -- sh -c 'touch file && chown 77:78 file'
	[ ! -O file ]
	run -0 cubby own
	[ -O file ]
	cubby rm -q -y
}

@test "user: what setup has left running in the box stays, and whose the directory is then is said" {
	mkdir -p project/.cubby && cd project
	cat >.cubby/box.json <<<'{"setup": ["sleep 1000 >/dev/null 2>&1 &"]}'
	cubby exec -q --no-setup -- true
	[ "$(map_kind)" = root ] || skip "the map $(map_kind) shows the directory as root's alone"
	run -0 --separate-stderr cubby exec --user www-data -- sh -c 'id -u; cat /proc/[0-9]*/comm | grep -cx sleep'
	[ "$output" = $'33\n1' ]
	[[ $stderr == *"the box runs, and in this directory you are its user 0:"*"'cubby stop'"* ]]
	cubby stop -q
	run -0 --separate-stderr cubby exec --user www-data -- stat -c %u .
	[ "$output$stderr" = 33 ]
	# A port that the project publishes keeps no start from being another user's.
	cubby rm -q -y
	cat >.cubby/box.json <<<'{"setup": ["true"]}'
	run -0 --separate-stderr env CUBBY_LINGER=30s cubby exec --publish 127.0.0.1:0:80 --user www-data -- stat -c %u .
	[ "$output" = 33 ]
	cubby rm -q -y --force
}
