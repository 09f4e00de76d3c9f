# What is mounted beside the project is no way to the host.
load ../../lib
load escape

setup_file() { escape_setup_file; }
teardown() { [ -z "${AWAY-}" ] || rm -rf "$AWAY"; }
setup() {
	escape_setup
	OUT=$(mktemp -d "$HOME/o.XXXXXX")
}

@test "U01: a link that the box puts in a volume's place is not followed" {
	mkdir data "$OUT/secret"
	echo secret >"$OUT/secret/f"
	cubby set volume=./data:/d
	cubby exec -q -- true
	cubby exec -q -- sh -c "rmdir data && ln -s '$OUT/secret' data"
	run -125 --separate-stderr cubby exec -- cat /d/f
	[[ $stderr == *"a link leads from there to"* ]]
	cubby unset -q volume
	run -125 --separate-stderr cubby exec -v ./data:/d -- cat /d/f
	[[ $stderr == *"a link leads from there to"* ]]
	mkdir .cubby
	echo '{"mounts": ["./data:/d"]}' >.cubby/box.json
	cubby agree -y 2>/dev/null || true
	run -125 --separate-stderr cubby exec -- cat /d/f
	[[ $stderr == *"a link leads from there to"* ]]
}

@test "U02: a link in a volume leads nowhere but into the box" {
	ln -s /etc/hostname "$OUT/name"
	ln -s "$HOME" "$OUT/home"
	run -0 --separate-stderr cubby exec -v "$OUT:/d" -- sh -c 'cat /d/name; ls /d/home/ 2>/dev/null || echo none'
	[ "${lines[0]}" = cubby ]
	[ "${lines[1]}" = none ]
}

@test "U03: no set-id bit reaches a volume, wherever its target leads" {
	cubby exec -q -- sh -c 'ln -s /tmp /t2; ln -s /t2/x /t3'
	run -0 cubby exec -q -v "$OUT:/d:rw" -- sh -c 'touch /d/s; chmod 6755 /d/s; cp /bin/true /d/c; chmod u+s /d/c; cp -a /d/c /d/e; true'
	run -0 find "$OUT" -perm /6000
	[ -z "$output" ]
	for to in /t2 /t3; do
		run -125 --separate-stderr cubby exec -v "$OUT:$to:rw" -- chmod 4755 "$to/s"
		[[ $to == /t3 || $stderr == *"does not lie on the box's own root"* ]]
	done
	run -0 find "$OUT" -perm /6000
	[ -z "$output" ]
}

@test "U04: owners in a volume are the caller's or nobody's" {
	cubby exec -q -v "$OUT:/d:rw" -- sh -c 'touch /d/a /d/b; chown 1:1 /d/b 2>/dev/null; true'
	[ "$(stat -c %u "$OUT/a")" = "$(id -u)" ]
	uid=$(stat -c %u "$OUT/b")
	[ "$uid" = "$(id -u)" ] || ! getent passwd "$uid"
}

@test "U05: a repository that is there cannot be written, from above, inside, or below" {
	git init -q "$OUT/r"
	git init -q --bare "$OUT/b.git"
	local v
	for v in "$OUT" "$OUT/r" "$OUT/r/.git" "$OUT/r/.git/hooks" "$OUT/b.git" "$OUT/b.git/hooks"; do
		run -125 --separate-stderr cubby exec -v "$v:/d:rw" -- touch /d/x
		echo "$v: $stderr"
		[[ $stderr == *"git repository"*"--git-writable"* ]]
	done
	run -0 --separate-stderr cubby exec -v "$OUT:/d" -- sh -c 'touch /d/r/.git/hooks/x || echo no'
	[ "$output" = no ]
	[ -d "$OUT/r/.git" ]
	[ ! -e "$OUT/r/.git.from-box" ]
}

@test "U06: a repository that the box makes in a volume is set aside when the command ends" {
	run -0 --separate-stderr cubby exec -v "$OUT:/d:rw" -- sh -c 'mkdir -p /d/p/.git/objects /d/p/.git/refs
		echo "ref: refs/heads/x" >/d/p/.git/HEAD; printf "[core]\n\tfsmonitor = /d/evil\n" >/d/p/.git/config'
	[[ $stderr == *"set aside: p/.git is now p/.git.from-box"* ]]
	[ ! -e "$OUT/p/.git" ]
}

@test "U07: the project's own repository is guarded in its other place, too" {
	git init -q .
	cubby exec -q -v ./.git:/g -- sh -c 'echo "#!/bin/sh" >/g/hooks/pre-commit; chmod +x /g/hooks/pre-commit; true'
	[ ! -e .git/hooks/pre-commit ]
	mkdir sub
	run -125 --separate-stderr cubby exec -v "$(dirname "$PWD"):/up:rw" --any-directory -- true
	[[ $stderr == *"it contains the project"* ]]
}

@test "U08: what no project may be is no volume, read-only neither" {
	local v
	for v in / /proc /etc /home "$HOME" "$XDG_DATA_HOME/cubby" "$XDG_RUNTIME_DIR"; do
		[ -e "$v" ] || continue
		run -125 --separate-stderr cubby exec -v "$v:/x" -- true
		[[ $stderr == *"volume '$v': "* ]]
	done
	mkdir -p "$HOME/.ssh"
	run -125 --separate-stderr cubby exec -v "$HOME/.ssh:/x" -- true
	[[ $stderr == *"private to a home"* ]]
	run -125 --separate-stderr cubby exec --any-directory -v "$XDG_DATA_HOME/cubby:/x" -- true
	[[ $stderr == *"the store of the boxes"* ]]
}

# What makes DIR/.git a repository that names a program.
readonly MAKE_GIT='made() { mkdir -p "$1/.git/objects" "$1/.git/refs"
	echo "ref: refs/heads/x" >"$1/.git/HEAD"; printf "[core]\n\tfsmonitor = /d/evil\n" >"$1/.git/config"; }
'

@test "U09: a volume that the box makes too deep to be looked at is told, and not writable again" {
	run -0 --separate-stderr cubby exec -v "$OUT:/d:rw" -- sh -c "$MAKE_GIT"'
		made /d/p; d=/d; for i in $(seq 25); do d=$d/x; done; mkdir -p $d; made $d'
	[[ $stderr == *"set aside: p/.git is now p/.git.from-box"* ]]
	[[ $stderr == *"volume '$OUT' was looked at in part only"* ]]
	run -125 --separate-stderr cubby exec -v "$OUT:/d:rw" -- true
	[[ $stderr == *"too large to look for git repositories in"* ]]
}

@test "U10: no mode of a directory keeps a repository in its place" {
	run -0 --separate-stderr cubby exec -v "$OUT:/d:rw" -- sh -c "$MAKE_GIT"'
		made /d/w; chmod 555 /d/w; made /d/x; chmod 111 /d/x; made /d/y/z; chmod 0 /d/y/z/.git /d/y'
	chmod -R u+rwX "$OUT"
	echo "$stderr"
	[ ! -e "$OUT/w/.git" ]
	[ ! -e "$OUT/x/.git" ]
	[ ! -e "$OUT/y/z/.git" ]
}

@test "U13: a directory of another user of the box that nobody can read is told" {
	run -0 --separate-stderr cubby exec -v "$OUT:/d:rw" -- sh -c "$MAKE_GIT"'
		made /d/x/sub; chown 1:1 /d/x; chmod 711 /d/x'
	local said=$stderr
	if [ -e "$OUT/x/sub/.git" ]; then
		[[ $said == *"looked at in part only (directories that cannot be read)"* ]]
		run -125 cubby exec -v "$OUT:/d:rw" -- true
	fi
	cubby exec -q -v "$OUT:/d:rw" --git-writable -- chmod 777 /d/x
	[ ! -e "$OUT/x/sub/.git" ] || [ -n "$said" ]
}

@test "U11: what a killed monitor did not look at is looked at by the next start" {
	cubby exec -q -v "$OUT:/d:rw" -- sh -c "$MAKE_GIT"'made /d/p; : >/d/there; exec sleep 100' 3>&- &
	lib_until test -e "$OUT/there"
	kill -9 "$(cubby info --json | jq .monitor_pid)"
	wait $! || true
	[ -d "$OUT/p/.git" ]
	run -0 --separate-stderr cubby exec -- true
	[[ $stderr == *"set aside: p/.git is now p/.git.from-box"* ]]
	[ ! -e "$OUT/p/.git" ]
	run -0 --separate-stderr cubby exec -- true
	[ -z "$stderr" ]
}

@test "U12: a long look at what the box made holds up nobody who only asks" {
	cubby exec -q --keep -v "$OUT:/d:rw" -- sh -c "$MAKE_GIT"'
		for i in $(seq 50); do made /d/$i
		printf "[core]\n\tbare = false\n" >/d/$i/.git/config; truncate -s 268000000 /d/$i/.git/index; done; : >/d/there' 3>&- &
	local pid=$!
	lib_until test -e "$OUT/there"
	run -0 cubby ps
	kill -0 $pid
	wait $pid
	run -0 find "$OUT" -name .git
	[ -z "$output" ]
	cubby stop -q
}

@test "U14: a program that a box may have written is not run here by another box's command" {
	local dir dirs
	local -a how
	. /etc/os-release
	[[ $ID == debian || $ID == ubuntu ]] && command -v apt-get >/dev/null || skip "the host has no apt of Debian or Ubuntu"
	[ -n "$(apt-get indextargets 2>/dev/null)" ] || skip "the host's apt has no sources"
	export CUBBY_MIRRORS=docker.io=
	mkdir -p other/bin moved/bin "$OUT/bin" "$LIB_DIR/bin" kept new
	printf '#!/bin/sh\nexit 3\n' >"$LIB_DIR/bin/mmdebstrap" # which is found then
	chmod 755 "$LIB_DIR/bin/mmdebstrap"
	PATH=$LIB_DIR/bin:$PATH
	for dir in other moved "$OUT"; do # an image's making is the program that all maps run
		printf '#!/bin/sh\ntouch %q\nexit 3\n' "$LIB_DIR/ran" >"$dir/bin/mmdebstrap"
		chmod 755 "$dir/bin/mmdebstrap"
	done
	cubby exec -q --here -C other -b name -- true
	# Said for one start of the box, which runs on.
	cubby exec -q --here -C kept -- true
	cubby stop -q --here -C kept || true # it may have ended
	cubby exec -q -d --here -C kept -v "$OUT:/v:rw" -- sleep 100
	dirs=("$PWD/other/bin" "$OUT/bin")
	cubby exec -q --here -C moved -- true
	cubby stop -q --here -C moved || true
	mv moved renamed
	[ -z "$(jq -r '.mark // empty' "$XDG_DATA_HOME"/cubby/boxes/*/box.json)" ] || dirs+=("$PWD/renamed/bin")
	how=(pull -q "$ID:latest") # apt-get takes a second each time: then the other way to it
	for dir in "${dirs[@]}"; do
		PATH=$dir:$PATH run cubby "${how[@]}"
		[ "$status" -ne 0 ]
		[ ! -e "$LIB_DIR/ran" ] || { echo "$dir: ${how[*]}"; return 1; }
		how=(exec -q --here -C new --image "$ID:latest" -- true)
	done
	cubby stop -q --here -C kept
	cubby exec -q -d --here -C kept --git-writable -v "$OUT:/v:rw" -- sleep 100 # never looked at
	PATH=$OUT/bin:$PATH run -125 cubby exec -q --here -C new --image $ID:latest -- true
	[ ! -e "$LIB_DIR/ran" ]
	cubby stop -q --here -C kept
	PATH=$OUT/bin:$PATH run -125 cubby exec -q --here -C new --image $ID:latest -- true
	[ -e "$LIB_DIR/ran" ] # as nobody knows of it any more
}

@test "U15: what one box leaves in a cache that others share leads nowhere, and is nobody's but theirs" {
	local before
	before=$(escape_snapshot)
	cubby exec --cache npm -- sh -c 'cd /root/.npm; ln -s "$1" out; ln -s / top
		cp /bin/sh sh; chmod 6755 sh; mkdir -m 2777 dir; mknod device c 1 3; :' sh "$ESCAPE_HOST"
	mkdir ../another
	cd ../another
	run -0 --separate-stderr cubby exec --cache npm -- sh -c 'cd /root/.npm; cat out/secret; touch out/new; ls -d top/proc/1; id -u'
	[ "$output" = $'top/proc/1\n0' ] || { echo "$output"; false; }
	[ "$before" = "$(escape_snapshot)" ]
	run find "$XDG_DATA_HOME/cubby/volumes" \( -perm /6000 -o -type c \)
	[ -z "$output" ]
	cubby rm -q
	cd "$LIB_PROJECT"
}

@test "U16: a part of the project is opened in the project, wherever links of the box lead its path" {
	AWAY=$(mktemp -d /var/tmp/cubby-t.XXXXXX) # not in /tmp, which a box has anew each time
	chmod 755 "$AWAY"
	mkdir -p "$AWAY/p/sys"
	cd "$AWAY/p"
	touch sys/mine
	# Once on the way to the place it is "sub" of the box's own root, the next time the project's.
	cubby exec -q -- sh -ec "ln -s /proc sub; cd /; mv '$AWAY' old
		mkdir -p a '$AWAY'; ln -s /a a/sub; ln -s /a/sub '$AWAY/p'"
	for mode in live ro; do
		run -0 --separate-stderr cubby exec -q --project $mode -v ./sys:/part:rw -- ls /part
		[ "$output" = mine ]
	done
	run --separate-stderr cubby exec -q --project review -v ./sys:/part:rw -- ls /part
	echo "$status $output $stderr"
	[[ $status:$output = 0:mine || $stderr == *"links of the box lead the project's path elsewhere" ]]
	cubby rm -q --force
	run -0 cubby exec -q --project review -v ./sys:/part:rw -- ls /part
	[ "$output" = mine ]
}

# What another box hands over, open, by a socket in what both have: a directory of its own.
# The taker, in its working directory, waits until the giver has ended.
handed_over() { # PATH PROGRAM
	rm -f "$OUT"/*
	mkdir -p ../taker
	cp handout ../taker/
	(cd ../taker && exec cubby exec -q -v "$OUT:/d:rw" -- ./handout take /d/socket \
		sh -c 'exec 2>&1; touch /d/taken; until [ -e /d/over ]; do sleep 0.05; done; eval "$1"' sh "$2") \
		>took.out 2>&1 3>&- &
	cubby exec -q -v "$OUT:/d:rw" -- sh -c './handout give /d/socket "$1" || exit 1
		until [ -e /d/taken ]; do sleep 0.05; done' sh "$1"
	cubby stop -q 2>/dev/null || true
	lib_until fails cubby ps
	touch "$OUT/over"
	wait $!
	cubby rm -q -C ../taker
}

fails() { ! "$@" >/dev/null 2>&1; }

@test "U17: of a box that has ended another one that it handed a directory to sees what it saw itself" {
	git init -q .
	printf '[core]\n\thooksPath = hooks\n' >>.git/config
	mkdir hooks
	handed_over . 'touch .git/made .git/hooks/pre-commit hooks/pre-commit; echo did'
	cat took.out
	grep -qx did took.out
	run find . -name made -o -name pre-commit
	[ -z "$output" ]
	handed_over /proc 'for f in keys interrupts; do [ ! -e $f ] || { [ -c $f ] && echo masked || echo bare; }; done
		echo x >sys/kernel/hostname || echo no; ls sys >/dev/null && echo there'
	cat took.out
	run ! grep -q bare took.out
	grep -qx masked took.out
	grep -q 'Read-only file system' took.out
	grep -qx there took.out
}
