# git - repositories and settings that a box makes where nobody looked: git on the host
# must not run what is in them.
load ../../lib
load git

setup_file() { git_setup_file; }
setup() { git_setup; }

evil_config() { printf '[core]\\n\\tfsmonitor = %s/evil\\n' "$LIB_PROJECT"; }

@test "G30: links and FIFOs inside a repository that the box made" {
	for how in 'rm -rf .git/logs; mkdir .git/logs; ln -s ../../victim .git/logs/HEAD' \
		'rm -rf .git/logs; mkdir -p .git/logs; ln -s .. .git/logs/refs' \
		'rmdir .git/objects/pack; ln -s ../../there .git/objects/pack' \
		'mkfifo .git/refs/heads/main' 'mkdir -p .git/info; ln -s .. .git/info/refs'; do
		run -0 --separate-stderr boxed "git init -q .; $how"
		[ ! -e .git ] || { echo "stayed: $how"; return 1; }
		[[ $stderr == *"set aside: .git is now"* ]]
	done
	touch victim
	git_safe
	[ ! -s victim ]
}

# What an index says, as git wrote it, with other bytes for "xgit": the length is the same.
@test "G31: the index of a repository that the box made" {
	run -0 --separate-stderr boxed "git init -q .
		sum=\$(git hash-object -w evil)
		git update-index --add --cacheinfo 100755,\$sum,xgit/hooks/post-index-change
		sed -i 's,xgit/hooks,.git/hooks,' .git/index"
	[ ! -e .git ]
	[[ $stderr == *"set aside: .git is now"*"index"* ]]
	git_safe
	(cd "$LIB_PROJECT" && git checkout -- . && git checkout -f) >"$LIB_DIR/host.log" 2>&1 || true
	[ ! -e "$PWNED" ]
}

# An entry's length is given twice, by a number and by the NUL: git goes by the number.
@test "G32: an index that two readers understand differently" {
	command -v python3 >/dev/null || skip "no python3"
	git_repo
	cat >craft.py <<'P'
import hashlib, struct, sys
sum, out = bytes.fromhex(sys.argv[1]), sys.argv[2]
name = b".git/hooks/post-index-change"
one = struct.pack(">10I", *[0x01010101] * 6, 0o100644, 1, 1, 1) + sum
# for git: entry one's name has LEN bytes; for who stops at the NUL it has one
hidden = b"\x01" * 24 + struct.pack(">I", 0o100755) + b"\x01" * 12 + sum + \
    struct.pack(">H", 0x8000 | len(name)) + name + b"\0"
hidden += b"\0" * (-len(hidden) % 8)
first = one + struct.pack(">H", 1) + b"a" + b"\0"
first += b"\0" * (-len(first) % 8)
cover = b"\x01" * 24 + struct.pack(">I", 0o100644) + b"\x01" * 4
long = one + struct.pack(">H", len(first) + len(cover) - 63) + b"a" + b"\0" * (len(first) - 63) + cover
body = b"DIRC" + struct.pack(">II", 2, 2) + long + hidden
open(out, "wb").write(body + hashlib.sha1(body).digest())
P
	# Without a NUL, at which a reader would end too early to see what this hides.
	while [[ $(git hash-object evil) =~ ^(..)*00 ]]; do echo '#' >>evil; done
	sum=$(git hash-object -w evil)
	python3 craft.py "$sum" index.made
	GIT_INDEX_FILE=index.made git ls-files -s >"$LIB_DIR/files" 2>&1 || true
	grep -q 'hooks/post-index-change' "$LIB_DIR/files" || skip "this git reads it otherwise: $(cat "$LIB_DIR/files")"
	run -0 --separate-stderr boxed 'cp index.made .git/index'
	[[ $stderr == *"not taken over: .git/index (it cannot be read)"* ]]
	git checkout -f -- . >"$LIB_DIR/host.log" 2>&1 || true
	git_safe
	# Where its threads begin: as git writes it, and elsewhere.
	boxed 'touch 1 2 3 4 5 6 7; git add ?; git commit -qm many'
	[ "$(git ls-files ?)" = "$(seq 7)" ]
	rm .git/index && git -c index.threads=3 reset -q
	grep -q IEOT .git/index
	python3 -c 'import sys
x = bytearray(open(".git/index", "rb").read()); at = x.index(b"IEOT") + 8 + 4 + 8
x[at + 3] += 8; open("index.made", "wb").write(x)'
	kept=$(sha256sum .git/index)
	boxed 'cp index.made .git/index'
	[ "$(sha256sum .git/index)" = "$kept" ]
}

# As a box writes it: the files are others than the index says, and git is told not to look.
@test "G38: an index that hides from git what the box has changed" {
	command -v python3 >/dev/null || skip "no python3"
	git_repo
	mkdir sub && echo clean >sub/lib && touch kept assumed
	git add . && git commit -qm sub
	git update-index --assume-unchanged assumed
	cat >craft.py <<'P'
import hashlib, sys
at, old, new = sys.argv[1], bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3])
text = open(at, "rb").read()[:-20].replace(old, new)
open(at, "wb").write(text + hashlib.sha1(text).digest())
P
	echo craft.py >>.git/info/exclude
	old=$(git rev-parse HEAD:file) tree=$(git rev-parse HEAD:sub)
	new=$(printf 'two\n' | git hash-object --stdin)
	for how in 'git update-index --assume-unchanged file' 'git update-index --skip-worktree file' \
		"git add file; git write-tree; python3 craft.py .git/index $new $old"; do
		cp -a .git clean.git
		printf 'two\n' >file
		touch -d '1 hour ago' file # older than the index: git looks at what is not
		GIT_DIR=clean.git sh -c "${how//.git\/index/clean.git\/index}" >/dev/null
		[ -z "$(GIT_DIR=clean.git git diff -- file)" ] # it is an attack
		mv clean.git/index crafted && rm -rf clean.git
		boxed 'mv crafted .git/index'
		echo "$how"
		output=$(git diff --name-only; git status --porcelain)
		[ "$output" = $'file\n M file' ] || { echo "$output"; stat file .git/index; git ls-files --debug; return 1; }
		git fsck --strict
		git checkout -q -f .
	done
	# Trees that the index says it stands for: what a commit of the host's would be made of.
	boxed "git ls-files -v; echo evil >sub/lib; git add sub; git write-tree >tree; git rev-parse \$(cat tree):sub >tree
		git reset -q --hard; git write-tree >/dev/null; echo git >>.git/COMMIT_EDITMSG"
	cp .git/index crafted
	GIT_INDEX_FILE=crafted git write-tree
	python3 craft.py crafted "$tree" "$(cat tree)"
	boxed 'mv crafted .git/index'
	echo next >file && git commit -qm next file
	[ "$(git show HEAD:sub/lib)" = clean ]
	# What the host knew of its own files, it knows still.
	[ "$(git ls-files -v assumed)" = 'h assumed' ]
	[ "$(git ls-files --debug kept | grep -c 'mtime: 0')" = 0 ]
}

@test "G33: what the host's configuration names, made by the box or put in its place" {
	git_repo
	mkdir -p tools/hooks
	git config core.hooksPath tools/hooks
	run -0 --separate-stderr boxed 'mv tools t2; mkdir -p tools/hooks; cp evil tools/hooks/pre-commit'
	[[ $stderr == *"set aside: tools/hooks is now tools/hooks.from-box"* ]]
	git_safe
	rm -rf tools t2
	run -0 --separate-stderr boxed 'mkdir -p tools/hooks; cp evil tools/hooks/pre-commit'
	[[ $stderr == *"set aside: tools/hooks is now tools/hooks.from-box"* ]]
	git_safe
	git config --unset core.hooksPath
	git config include.path ../settings
	run -0 --separate-stderr boxed "printf '$(evil_config)' >settings"
	[[ $stderr == *"set aside: settings is now settings.from-box"* ]]
	git_safe
}

# The settings of the user count in every repository: in one that is not there yet, too.
@test "G37: what the user's own git settings name" {
	mkdir -p "$LIB_PROJECT.home"
	export HOME=$LIB_PROJECT.home
	git config --global user.name x
	git config --global user.email x@localhost
	git config --global core.hooksPath .githooks
	git config --global include.path more
	printf '[core]\n\tattributesFile = %s/attributes\n\tpager = less\n' "$LIB_PROJECT" >"$HOME/more"
	run -0 --separate-stderr boxed 'mkdir .githooks; cp evil .githooks/pre-commit; echo "* filter=x" >attributes; echo fine >less'
	[[ $stderr == *"set aside: .githooks is now .githooks.from-box"* ]]
	[[ $stderr == *"set aside: attributes is now attributes.from-box"* ]]
	[ "$(<less)" = fine ]
	rm -rf .githooks* attributes* .git
	mkdir sub
	git_repo
	git init -q sub
	run -0 --separate-stderr boxed 'mkdir sub/.githooks; cp evil sub/.githooks/pre-commit'
	[[ $stderr == *"set aside: sub/.githooks is now"* ]]
	git_safe
	rm -rf "$HOME"
}

@test "G34: more directories than are looked at, and said" {
	run -0 --separate-stderr boxed "mkdir a; cd a; seq 20100 | xargs mkdir; cd ..
		mkdir -p a/1/z; git init -q a/1/z/y"
	[[ $stderr == *"looked for in"*"only"* ]]
}

@test "G35: a great many repositories, and a view that is too deep, do not end the look" {
	git_repo
	run -0 --separate-stderr timeout "$(lib_longer 60)" cubby exec -- sh -ec "
		mkdir -p .git/\$(printf 'd/%.0s' \$(seq 80))
		n=\$(printf 'n%.0s' \$(seq 100))
		for i in \$(seq 500); do mkdir -p \$n/\$n/\$i/.git; echo x >\$n/\$n/\$i/.git/evil; done
		sleep 300 >/dev/null 2>&1 &"
	[ -z "$(find . -path ./.git -prune -o -name .git -print)" ]
	git_safe
}

@test "G36: a repository on a filesystem that is mounted in the project" {
	[ "$(id -u)" -eq 0 ] || skip "only root can mount"
	unshare -m true || skip "no mount namespace"
	mkdir other
	unshare -m --propagation private bash -ec '
		mount -t tmpfs -o mode=755 none other
		git init -q other
		cubby exec -q -- sh -c "cp evil other/.git/hooks/pre-commit; mkdir -p other/new; cp -r other/.git other/new/.git; cp evil other/new/.git/hooks/pre-commit" || true
		cubby stop -q || true
		[ ! -e other/.git/hooks/pre-commit ] && [ ! -e other/new/.git ]'
}

@test "G41: in a directory that can be searched, not read" {
	cubby exec -q -- sh -c 'mkdir -p x y/z; git init -q x; git init -q y/z; mkdir -p x/.git/hooks y/z/.git/hooks
		cp evil x/.git/hooks/pre-commit; cp evil y/z/.git/hooks/pre-commit; chmod 311 x; chmod 0 y'
	chmod 755 x y
	[ ! -e x/.git ]
	[ ! -e y/z/.git ]
}

# By rules of all alphabets: U+017F is an s there, and U+200D nothing.
@test "G49: a repository whose names are folded by the filesystem" {
	[ "$(id -u)" -eq 0 ] || skip "only root can mount"
	mkdir folds
	truncate -s 16M "$LIB_DIR/folds.img"
	mkfs.ext4 -q -O casefold "$LIB_DIR/folds.img" 2>/dev/null || skip "no mkfs.ext4 -O casefold"
	mount -o loop "$LIB_DIR/folds.img" folds 2>/dev/null || skip "this kernel folds no case on ext4"
	mkdir folds/p && chattr +F folds/p && cp evil folds/p/
	(
		cd folds/p
		cubby exec --any-directory -q -- sh -c "mkdir -p a/OBJECT$(printf '\\305\\277') a/REFS
			echo 'ref: refs/heads/main' >a/head; printf '[core]\\nfsmonitor = $PWD/evil\\n' >a/Config
			mkdir -p b/.g$(printf '\\342\\200\\215')it/hooks; cp evil b/.git/hooks/pre-commit"
		cubby stop -q
		[ ! -e a/HEAD ]
		[ ! -e b/.git ]
	)
	local status=$?
	umount folds
	[ "$status" -eq 0 ]
}

alone() { [ -z "$(cat "/proc/$1/task/$1/children")" ]; }

# A command ends whose client does not listen, so that its box has not ended yet when the host
# goes on. Sets "client", "init" and "monitor"; "cubby ps" is answered after that has seen to it.
last_command() { # OPTION...
	rm -f there on
	cubby exec "$@" -- sh -c ': >there; until [ -e on ]; do sleep 0.02; done' 3>&- &
	client=$!
	lib_until test -e there
	read -r init monitor < <(cubby info --json | jq -r '"\(.init_pid) \(.monitor_pid)"')
	kill -STOP "$client"
	: >on
	lib_until alone "$init"
	cubby ps >/dev/null
}

# And its box, with all that is done at its end.
let_end() {
	kill -CONT "$client"
	wait "$client"
	ended() { [ ! -d "/proc/$monitor" ]; }
	lib_until ended
}

# One with a hook, and one that is the project itself, which holds more than a repository.
host_made() {
	git init -q own
	cp evil own/.git/hooks/post-checkout
	git init -q --bare .
}

left_alone() {
	[ -x own/.git/hooks/post-checkout ] || return 1
	[ -e HEAD ] || return 1
	! compgen -G '*from-box*' && ! compgen -G 'own/*from-box*' || return 1
	rm -rf own HEAD config description hooks info objects refs branches
}

@test "G46: what the host makes when the last command has ended is the host's, though the box has not ended" {
	local client init monitor
	for linger in 0 30s; do
		last_command --linger $linger
		host_made
		let_end
		left_alone || { ls -la . own; echo "--linger $linger"; return 1; }
	done
}

@test "G47: a box that goes on though all in it has ended is looked after to its end" {
	local client init monitor
	last_command
	grep -q '^State:.T' "/proc/$init/status"
	kill -CONT "$init" # as a timer of its own may do
	host_made          # as it may do then
	let_end
	[ ! -e own/.git ]
	[ ! -e HEAD ]
}

@test "G48: what a command left in the background makes a repository after its end" {
	boxed 'setsid sh -c "until [ -e told ]; do sleep 0.02; done
		git init -q own; mkdir -p own/.git/hooks; cp evil own/.git/hooks/post-checkout; : >made; sleep 1000" >/dev/null 2>&1 </dev/null &'
	: >told
	lib_until test -e made
	cubby stop -q
	[ ! -e own/.git ]
	[ -e own/.git.from-box ]
}

# The other name lies beside the repository, where no mount covers it.
@test "G50: files of a repository that the box made and that have a second name" {
	local at
	for at in config HEAD hooks/a.sample index; do
		run -0 --separate-stderr boxed "git init -q .; mkdir -p .git/hooks; echo x >>.git/hooks/a.sample
			git add evil; ln .git/$at other"
		[[ $stderr == *"set aside: .git is now"*"a hard link"* ]] || { echo "$at: $stderr"; return 1; }
		boxed "printf '$(evil_config)' >other; rm -rf .git* other"
		git_safe
	done
	git_repo
	cp .git/config config
	run -0 --separate-stderr boxed "mkdir sub; echo 'gitdir: ../.git' >sub/.git; ln sub/.git other"
	[[ $stderr == *"set aside: sub/.git is now"*"a hard link"* ]]
	# Objects are known by their sums; a clone of one's own has them so.
	boxed 'rm -rf sub other; git init -q a; cp evil a/x; git -C a add x; git -C a commit -qm one; git clone -q a b'
	[ "$(find b/.git/objects -type f -links +1 | wc -l)" -gt 2 ]
	git_safe b
}

# Programs that git runs by itself, and words of their commands that are files of the tree.
@test "G51: whatever setting names a program in the tree, and an interpreter's script" {
	git_repo
	mkdir -p tools
	for name in external strip.py pager filter; do
		printf '#!/bin/sh\ncat\n' >tools/$name
	done
	chmod +x tools/*
	cp tools/filter top.sh
	git config diff.external ./tools/external
	git config filter.one.clean "python3 'tools/strip.py' %f"
	git config filter.two.clean "sh top.sh %f tools/none"
	git config interactive.diffFilter "$LIB_PROJECT/tools/filter --x"
	git config pager.log tools/pager
	cp tools/filter tools/there.sh
	cp tools/filter tools/var.sh
	git config filter.three.clean 'cd tools && sh there.sh'
	git config filter.four.clean 'sh "$(git rev-parse --show-toplevel)/tools/var.sh"'
	run -0 --separate-stderr cubby exec -- sh -c 'for x in tools/* top.sh; do cp evil $x; done; echo made >tools/none'
	for name in tools/external tools/strip.py tools/pager tools/filter tools/there.sh tools/var.sh top.sh; do
		[[ $stderr == *"$name is read-only in the box: git on the host acts on it"* ]] || { echo "$name: $stderr"; return 1; }
		! cmp -s evil $name
	done
	[ "$(<tools/none)" = made ]
	git_safe
}

# The box has a directory of a larger repository, of which git is run in any directory.
@test "G52: what the settings and hooks of a repository name that the project lies in" {
	git_repo
	mkdir -p front/.husky front/tools
	cp evil front
	printf '#!/bin/sh\n' | tee front/.husky/pre-commit front/tools/hook >front/tools/diff
	chmod +x front/.husky/* front/tools/*
	git config core.hooksPath front/.husky
	git config diff.external front/tools/diff
	ln -s ../../front/tools/hook .git/hooks/post-commit
	git worktree add -q "$PWD/wt" 2>/dev/null
	mkdir -p wt/front
	cp -a front/. wt/front
	for dir in front wt/front; do
		run -0 --separate-stderr cubby exec -C $dir -- sh -c 'cp evil .husky/pre-commit; cp evil tools/diff; cp evil tools/hook; true'
		[[ $stderr == *".husky is read-only in the box: git on the host acts on it"* ]]
		[[ $stderr == *"tools/diff is read-only in the box: git on the host acts on it"* ]]
		git_safe
		git config --unset core.hooksPath
		git_safe
		git config core.hooksPath front/.husky
	done
	cmp -s front/evil front/tools/hook && return 1
	# What is made and what was not there.
	rm -rf wt front/.husky
	run -0 --separate-stderr cubby exec -C front -- sh -c 'mkdir .husky; cp evil .husky/pre-commit'
	[[ $stderr == *"set aside: .husky is now .husky.from-box"* ]]
	git_safe
}

# Before anything named it the box gave it a second name, which it keeps when it is written anew.
@test "G53: a second name of what the host's git obeys by now" {
	git_repo
	boxed 'mkdir .husky; echo old >.husky/pre-commit; ln .husky/pre-commit a; echo old >strip; ln strip b'
	printf '#!/bin/sh\n' >.husky/pre-commit
	echo cat >strip
	chmod 755 .husky/pre-commit
	git config core.hooksPath .husky
	git config filter.x.clean 'sh strip'
	echo '*.x filter=x' >.gitattributes
	: >one.x
	ln .git/config c # as one that was made while nobody looked
	ln .git/info/exclude d
	[ "$(stat -c %h .husky/pre-commit strip .git/config .git/info/exclude | sort -u)" = 2 ]
	run -0 --separate-stderr cubby exec -- sh -c 'cat evil >a; cat evil >b; echo evil >c; echo "*" >d'
	[[ $stderr == *".husky is read-only in the box"* ]]
	cmp evil a
	[ "$(<strip)" = cat ]
	[ "$(stat -c %h .husky/pre-commit strip .git/config .git/info/exclude | sort -u)" = 1 ]
	[ -x .husky/pre-commit ]
	git_safe
}

@test "G54: settings that are not understood to their end, of a repository and of the user" {
	export HOME=$LIB_PROJECT.home
	mkdir -p "$HOME"
	git config --global user.name x
	git config --global user.email x@localhost
	git_repo
	printf '[old.way]\n\tx = y\n[core]\n\thooksPath = .h\n' >>.git/config
	run -0 --separate-stderr cubby exec -- true
	[[ $stderr == *"a line that cubby does not understand: what they name behind it can be written by the box"* ]]
	rm -rf .git
	git_repo
	cubby stop -q
	run -0 --separate-stderr cubby exec -- true
	[[ $stderr != *"does not understand"* ]]
	printf '[alias]\n\tx = "!%05000d"\n' 1 >>"$HOME/.gitconfig"
	cubby stop -q
	run -0 --separate-stderr cubby exec -- true
	[[ $stderr == *"does not understand"* ]]
	rm -rf "$HOME"
}

# Settings that stand in a file which the repository's own include, and paths written otherwise.
@test "G55: what included settings name, and paths by another name of the project" {
	export HOME=$LIB_PROJECT.home
	mkdir -p "$HOME" tools conf
	ln -s "$LIB_PROJECT" "$HOME/here"
	git config --global user.name x
	git config --global user.email x@localhost
	git_repo
	for name in a b c d e; do
		printf '#!/bin/sh\ncat\n' >tools/$name
	done
	chmod +x tools/*
	git config include.path ../conf/one
	printf '[diff]\n\texternal = ./tools/a\n[include]\n\tpath = ../conf/./two\n' >conf/one
	printf '[pager]\n\tlog = tools/b\n' >conf/two
	git config core.fsmonitor '~/here/tools/c'
	git config lfs.customtransfer.x.path ./tools/d
	git config core.hooksPath "$HOME/here/.hooks"
	git config new.kind 'sh tools/e'
	run -0 --separate-stderr cubby exec -- sh -c 'for x in tools/* conf/*; do cp evil $x; done; mkdir .hooks; cp evil .hooks/pre-commit'
	for name in tools/a tools/b tools/c tools/d tools/e conf/one conf/two; do
		[[ $stderr == *"$name is read-only in the box: git on the host acts on it"* ]] || { echo "$name: $stderr"; return 1; }
		! cmp -s evil $name
	done
	[[ $stderr == *"set aside: .hooks is now .hooks.from-box"* ]] || { echo "$stderr"; return 1; }
	git_safe
	rm -rf "$HOME"
}

# All of the directory cannot be read-only: what git runs of it is.
@test "G56: the project itself is the directory of hooks" {
	git_repo
	mkdir -p front
	cp evil front
	git config core.hooksPath front
	printf '#!/bin/sh\n' | tee front/pre-commit >pre-commit
	chmod +x front/pre-commit pre-commit
	run -0 --separate-stderr cubby exec -C front -- sh -c 'cp evil pre-commit; cp evil post-commit; cp evil other'
	[[ $stderr == *"pre-commit is read-only in the box: git on the host acts on it"* ]] || { echo "$stderr"; return 1; }
	[[ $stderr == *"set aside: post-commit is now post-commit.from-box"* ]] || { echo "$stderr"; return 1; }
	cmp front/evil front/other
	git_safe
	# The same of its own repository, by a path that leads back to it.
	git config core.hooksPath "$PWD/front/.."
	run -0 --separate-stderr cubby exec -- sh -c 'cp evil pre-commit; cp evil post-commit'
	[[ $stderr == *"pre-commit is read-only in the box"* ]] || { echo "$stderr"; return 1; }
	git_safe
	cubby rm -q --yes -C front
}

# Their settings stand elsewhere, and what these name is in the worktree of each.
@test "G57: what the settings of a submodule and of a worktree in the project name" {
	git_parts
	mkdir -p sm/tools wt/tools conf
	printf '#!/bin/sh\ncat\n' | tee sm/tools/differ >wt/tools/pager
	chmod 755 sm/tools/differ wt/tools/pager
	git -C sm config core.hooksPath .husky
	git -C sm config diff.external ./tools/differ
	git -C sm config include.path "$PWD/conf/sm"
	: >conf/sm
	git config pager.log tools/pager
	git config core.attributesFile settings
	cp evil sm/evil; cp evil wt/evil
	run -0 --separate-stderr cubby exec -- sh -c 'cp evil sm/tools/differ; cp evil wt/tools/pager; cp evil conf/sm
		mkdir sm/.husky; cp evil sm/.husky/post-checkout; echo "* filter=x" >wt/settings'
	echo "$stderr"
	for name in sm/tools/differ wt/tools/pager conf/sm; do
		[[ $stderr == *"$name is read-only in the box: git on the host acts on it"* ]]
		! cmp -s evil $name
	done
	for name in sm/.husky wt/settings; do
		[[ $stderr == *"set aside: $name is now $name.from-box"* ]]
	done
	for d in sm wt .; do git_safe $d; done
}

# A ".git" of the box's gives the settings of the host's repository, and those of the user, a
# worktree that is the box's.
@test "G58: a repository or a .git file of the box's beside what the host's settings name" {
	export HOME=$LIB_PROJECT.home
	mkdir -p "$HOME"
	git config --global user.name x
	git config --global user.email x@localhost
	git config --global core.hooksPath .githooks
	git_repo
	git config core.fsmonitor ./tools/watch
	git -c core.fsmonitor= worktree add -q wt 2>/dev/null
	run -0 --separate-stderr boxed 'mkdir -p a/tools b/deep/.githooks plain wt2; cp evil a/tools/watch
		echo "gitdir: ../.git" >a/.git; git init -q b/deep; git init -q plain
		cp evil b/deep/.githooks/post-checkout; mv wt wt2/moved; mkdir wt2/moved/tools; cp evil wt2/moved/tools/watch'
	echo "$stderr"
	for name in a b/deep wt2/moved; do
		[[ $stderr == *"set aside: $name/.git is now $name/.git.from-box: the box made it, and settings of git's on this machine name"* ]]
	done
	[ -d plain/.git ]
	for d in a b/deep plain wt2/moved .; do cp evil $d/evil || true; git_safe $d; done
	# In a volume, too.
	mkdir "$LIB_PROJECT.v"
	run -0 --separate-stderr cubby exec -v "$LIB_PROJECT.v:/v:rw" -- sh -c 'cd /v; git init -q x; mkdir x/.githooks'
	[[ $stderr == *"set aside: x/.git is now x/.git.from-box"* ]]
	# What the host had there is no reason.
	rm -rf .git "$LIB_PROJECT.v"
	mkdir .githooks
	cubby stop -q
	boxed 'git init -q .'
	[ -d .git ]
	rm -rf "$HOME"
}

# Dotfiles: the project has what the home has links to.
@test "G60: settings of the user that are links into the project, and what they name over links" {
	export HOME=$LIB_PROJECT.home
	mkdir -p "$HOME/.config" git bin
	printf '[user]\n\tname = x\n\temail = x@localhost\n[include]\n\tpath = ~/more\n' >gitconfig
	printf '[core]\n\thooksPath = ~/hooks\n[diff]\n\texternal = ~/bin/tool\n' >>gitconfig
	: >more
	printf '#!/bin/sh\ncat\n' >bin/tool
	chmod 755 bin/tool
	for link in .gitconfig:gitconfig more:more bin:bin hooks:deep/hooks .config/git:git; do
		ln -s "$LIB_PROJECT/${link#*:}" "$HOME/${link%%:*}"
	done
	git_repo
	run -0 --separate-stderr cubby exec -- sh -c "for f in gitconfig more git/config; do printf '$(evil_config)' >>\$f; done
		echo '* filter=x' >git/attributes; cp evil bin/tool; mkdir -p deep/hooks; cp evil deep/hooks/post-checkout"
	echo "$stderr"
	for name in gitconfig more bin/tool; do
		[[ $stderr == *"$name is read-only in the box: git on the host acts on it"* ]]
	done
	for name in git/config git/attributes deep/hooks; do
		[[ $stderr == *"set aside: $name is now $name.from-box"* ]]
	done
	git_safe
	cubby rm -q --yes --force
	cubby exec -q --project review -- sh -c 'echo new >more; echo new >other'
	run -0 --separate-stderr cubby apply
	[ ! -s more ]
	[ "$(<other)" = new ]
	rm -rf "$HOME"
}

# Directories of one tick of the kernel's clock have one time of change, to the nanosecond, and keep
# it when one above them is renamed. What is in a .git is no place to look for repositories.
@test "G61: a directory that takes the place of another of the very same time" {
	run -0 --separate-stderr cubby exec --keep -- sh -ec "git init -q sub; git init -q --bare evil.git
		printf '$(evil_config)' >>evil.git/config
		mkdir -p p; h=sub/.git/objects/h
		for i in \$(seq 500); do
			rm -rf p/a \$h
			mkdir -p p/a/deep \$h/deep/.git
			[ \"\$(stat -c %z p/a/deep)\" = \"\$(stat -c %z \$h/deep)\" ] && break
		done
		stat -c %z p/a/deep \$h/deep
		mv evil.git/* \$h/deep/.git; rm -rf evil.git; sleep 0.1"
	[ "${lines[0]}" = "${lines[1]}" ] || skip "no two directories of one time were made: $output"
	[ -d sub/.git/objects/h/deep/.git ] # or what follows shows nothing
	run -0 --separate-stderr cubby exec --keep -- sh -ec 'mv p/a p/old; mv sub/.git/objects/h p/a'
	echo "$stderr"
	[ ! -e p/a/deep/.git ]
	[[ $stderr == *"set aside: p/a/deep/.git is now"* ]]
	git_safe p/a/deep
}

# Until 2.34 "git bisect visualize" and "replay" are scripts, in which a shell reads these files again.
@test "G62: a bisection whose files have commands for a shell" {
	local name first text
	git_repo
	boxed "echo two >file; git commit -qam two; git commit -qm 'three \`four\`' --allow-empty
		git bisect start HEAD HEAD~2 -- file 'it'\\''s' >/dev/null"
	[[ $(cat .git/BISECT_NAMES) == *"'file' 'it'\''s'" ]]
	grep -q three .git/BISECT_LOG
	for name in NAMES LOG START TERMS; do
		first=$(sha256sum .git/BISECT_$name)
		for text in "'x';touch $PWNED;'y'" "'*'" "\`touch $PWNED\`" "git bisect start \$(touch $PWNED)" "'"; do
			printf '%s\n' "$text" >made
			run -0 --separate-stderr boxed "cp made .git/BISECT_$name"
			[[ $stderr == *"not taken over: .git/BISECT_$name (a shell could read commands in it)"* ]] || { echo "$name: $text: $stderr"; return 1; }
			[ "$(sha256sum .git/BISECT_$name)" = "$first" ]
		done
	done
	touch "'x';touch \$PWNED;'y'" # what a word with a star in it stands for
	echo 'eval true -- $(cat .git/BISECT_NAMES)' >visualize
	PWNED=$PWNED sh visualize
	[ ! -e "$PWNED" ]
}

# An entry can be a whole directory, none of whose files git then looks at.
@test "G64: a sparse index that hides from git what the box has changed" {
	git_repo
	mkdir -p dir/sub && echo clean >dir/sub/lib
	git add dir && git commit -qm dir
	run -0 --separate-stderr boxed "git update-index -q --refresh; git sparse-checkout init --cone --sparse-index; git sparse-checkout set none
		git ls-files --sparse -s dir; mkdir -p dir/sub; echo two >dir/sub/lib"
	[[ $output == "040000 "* ]] || skip "this git has no sparse index: $output $stderr"
	[[ $stderr == *"not taken over: .git/index (it leaves out whole directories)"* ]]
	output=$(git status --porcelain -uno)
	[ "$output" = ' M dir/sub/lib' ] || { echo "$output"; return 1; }
	# What the host leaves out itself, the box may.
	cubby rm -q --yes --force
	git checkout -q -f .
	git sparse-checkout init --cone --sparse-index
	git sparse-checkout set none
	boxed "echo two >file; git add file; git commit -qm two"
	[ -z "$(git status --porcelain -uno)" ]
	[ "$(git ls-files --sparse -t dir)" = 'S dir/' ]
}
