# git - what the tests of git share: an image with this host's git in it, a repository of
# the host's, and git on the host afterwards, which must not run what the box wrote.
# shellcheck shell=bash

git_setup_file() {
	lib_env
	command -v git >"$LIB_DIR/which" || { lib_skip_file "no git on this host"; return 0; }
	git config --global user.name host
	git config --global user.email host@example.org
	git config --global init.defaultBranch main
	lib_image
	git_image || lib_skip_file "this host's git does not run in the image"
}

# The image of all tests, and git.
git_image() {
	local dir=$LIB_DIR/image core
	core=$(git --exec-path)
	mkdir "$dir"
	tar -C "$dir" --no-same-owner --exclude='./dev/*' -xf "$CUBBY_TEST_ROOTFS"
	chmod -R u+rwX "$dir"
	cp -a --parents "$(command -v git)" "$core" "$dir"
	mkdir -p "$dir/usr/share/git-core/templates"
	ldd "$(command -v git)" | sed -nE 's,^\t([^/]* )?(/[^ ]*) \(.*,\2,p' | while read -r lib; do
		[ -e "$dir$lib" ] || cp -L --parents "$lib" "$dir"
	done
	tar -C "$dir" --owner=0 --group=0 -cf "$dir.tar" .
	rm -rf "$dir"
	CUBBY_IMAGE=$(cubby pull -q --name with-git "$dir.tar")
	rm "$dir.tar"
	export CUBBY_IMAGE
	mkdir "$LIB_DIR/try"
	cubby exec -q -C "$LIB_DIR/try" -- git --version
}

git_setup() {
	lib_skipped
	lib_project
	PWNED=$LIB_DIR/pwned
	rm -f "$PWNED"
	printf '#!/bin/sh\ntouch %s\ncat\n' "$PWNED" >evil
	chmod 755 evil . # for other users of the box
}

# A repository with one commit; "evil" is not part of it.
git_repo() { # [DIR]
	git init -q "${1-.}"
	echo evil >>"${1-.}/.git/info/exclude"
	echo one >"${1-.}/file"
	git -C "${1-.}" add file
	git -C "${1-.}" commit -qm one
}

# A repository with a submodule, "sm", and a worktree of it, "wt".
git_parts() {
	git_repo other
	git_repo
	git -c protocol.file.allow=always submodule --quiet add ./other sm
	git commit -qm sm
	git worktree add -q wt 2>/dev/null
}

# "main", a repository with two branches, and "wt", a worktree of it on the branch "wt".
git_worktree() {
	git_repo main
	git -C main branch other
	git -C main worktree add -q "$PWD/wt" 2>/dev/null
}

# What a git directory is.
git_files() { # DIR
	(cd "$1" && find . -type f -exec sha256sum {} + | sort)
}

# In the box, as somebody with a name.
boxed() { # SCRIPT
	cubby exec -- sh -ec "export GIT_AUTHOR_NAME=box GIT_AUTHOR_EMAIL=b@x GIT_COMMITTER_NAME=box GIT_COMMITTER_EMAIL=b@x
$1"
}

# What a person does next. The commands may fail; they must not run the box's program.
git_safe() { # [DIR]
	(
		cd "${1-.}" || exit
		touch file
		git status
		git log -p
		git diff
		git diff HEAD
		git submodule status
		git stash list
		git add -A .
		git commit --allow-empty -m next
		git checkout -q -b another
		git gc -q
		git fetch --all
	) >"$LIB_DIR/host.log" 2>&1 || true
	[ ! -e "$PWNED" ] || { echo "the box's program ran:"; cat "$LIB_DIR/host.log"; return 1; }
}
