# Ordinary work with git in a box, and what the host has of it.
load ../lib
load escape/git

setup_file() { git_setup_file; }
setup() { git_setup; rm -f evil; }

quiet() { # SCRIPT: nothing is kept, nothing is said
	run -0 --separate-stderr boxed "$1"
	[ -z "$stderr" ] || { echo "said: $stderr"; return 1; }
}

same_everywhere() { # the host and a box's next view
	git fsck --strict
	[ -z "$(git status --porcelain)" ]
	[ "$(git log --all --format='%H %D')" = "$(cubby exec -- git log --all --format='%H %D')" ]
}

@test "commit, amend, branch, merge, tag" {
	git_repo
	quiet 'echo two >file; git commit -qam two; git tag v1; git tag -a v2 -m v2
		git checkout -q -b side; echo s >side; git add side; git commit -qm side
		git checkout -q main; echo m >m; git add m; git commit -qm m; git merge -q --no-edit side
		git commit -q --amend -m merged; git branch -d side'
	[ "$(git log -1 --format=%s)" = merged ]
	[ "$(git tag | xargs)" = "v1 v2" ]
	[ "$(git branch --list | xargs)" = "* main" ]
	git reflog | grep -q 'commit (amend): merged'
	same_everywhere
}

@test "rebase, cherry-pick, stash, reset" {
	git_repo
	quiet 'git checkout -q -b side; echo s >side; git add side; git commit -qm side
		git checkout -q main; echo m >m; git add m; git commit -qm m
		git checkout -q side; git rebase -q main; git checkout -q main; git cherry-pick side >/dev/null
		echo dirty >file; git stash -q'
	[ "$(git stash list | wc -l)" = 1 ]
	git stash pop -q
	[ "$(cat file)" = dirty ]
	git checkout -q file
	quiet 'git reset -q --hard HEAD~1'
	[ "$(git log -1 --format=%s)" = m ]
	same_everywhere
}

@test "gc, pack-refs, and many objects" {
	git_repo
	quiet 'for i in $(seq 150); do echo $i >f$i; done; git add .; git commit -qm many
		for i in 1 2 3; do git branch b$i; done; git pack-refs --all; git gc -q --prune=now'
	[ "$(git ls-files | wc -l)" = 151 ]
	[ "$(git branch | wc -l)" = 4 ]
	same_everywhere
	# Git knows this tree without having it, but its fsck does not.
	quiet 'git rm -rq .; git commit -qm empty; git gc -q --prune=now'
	git fsck --strict
	quiet 'git reset -q --hard HEAD~1; git gc -q; git branch -D b1 >/dev/null'
	[ "$(git branch | wc -l)" = 3 ]
	same_everywhere
}

@test "staged work without a commit, and a detached HEAD" {
	git_repo
	quiet 'echo staged >new; git add new'
	[ "$(git diff --cached --name-only)" = new ]
	quiet 'git commit -qm new; git checkout -q --detach HEAD~1'
	[ "$(cat .git/HEAD)" = "$(git rev-parse main~1)" ]
}

@test "fetch from a bare repository in the project, clone in the project" {
	git init -q --bare remote.git
	git clone -q remote.git src 2>/dev/null
	(cd src && echo x >x && git add x && git commit -qm x && git push -q origin HEAD:main)
	git_repo work
	git -C work remote add origin ../remote.git
	run -0 --separate-stderr cubby exec -- sh -ec 'cd work && git fetch -q origin && cd .. && git clone -q remote.git copy'
	[ -z "$stderr" ]
	[ "$(git -C work log -1 --format=%s origin/main)" = x ]
	[ "$(git -C copy log -1 --format=%s)" = x ]
}

@test "git config of the box is the box's, and stays" {
	git_repo
	boxed 'git config user.name x'
	[ "$(git config user.name)" = host ]
	[ "$(cubby exec -- git config user.name)" = x ]
}

@test "host and box both commit: nothing is lost" {
	git_repo
	cubby exec --keep -- true
	boxed 'echo box >file; git commit -qam box'
	echo host >file
	git commit -qam host
	host=$(git rev-parse HEAD)
	run -0 --separate-stderr boxed 'echo again >b; git add b; git commit -qm again'
	[[ $stderr == *"refs/heads/main: the host moved it meanwhile; the box's is refs/cubby/box/heads/main"* ]]
	[ "$(git rev-parse main)" = "$host" ]
	[ "$(git log -1 --format=%s refs/cubby/box/heads/main)" = again ]
	cubby stop -q
	while cubby ls --json | jq -e --arg here "$PWD" '.[] | select(.directory == $here).state != "stopped"' >/dev/null; do sleep 0.05; done
	[ "$(git rev-parse main)" = "$host" ]
	[ "$(cubby exec -- git rev-parse main)" = "$host" ]
	git fsck
}

@test "a commit of the host is never taken back by a box whose view is older" {
	git_repo
	cubby exec --keep -- git status
	echo host >h
	git add h
	git commit -qm host
	run -0 --separate-stderr boxed 'echo b >b; git add b; git commit -qm box'
	[ "$(git log -1 --format=%s main)" = host ]
	[ "$(git show main:h)" = host ]
	[ "$(git log -1 --format=%s refs/cubby/box/heads/main)" = box ]
	[[ $stderr == *"the host moved it meanwhile"* ]]
	cubby stop -q
	git fsck
}

@test "a sha256 repository" {
	git init -q --object-format=sha256 .
	quiet 'echo a >a; git add a; git commit -qm a'
	[ "$(git log --format=%s)" = a ]
	git fsck --strict
}

@test "killed in the middle of taking over, again and again" {
	git_repo
	for i in 1 2 3 4 5 6; do
		cubby exec --keep -- true
		init=$(cubby info --json | jq .init_pid)
		monitor=$(ps -o ppid= -p "$init" | tr -d ' ')
		boxed "echo $i >file; git commit -qam k$i" &
		sleep 0.0$i
		kill -KILL "$monitor" 2>/dev/null || true
		wait || true
		while [ -d "/proc/$init" ]; do sleep 0.01; done
		cubby exec -- true
		git fsck --strict
		[ ! -e .git/index.lock ]
		[ ! -e .git/HEAD.lock ]
		git status >/dev/null
	done
}

@test "--git-writable: said, and what it says" {
	git_repo
	run -0 --separate-stderr cubby exec --git-writable -- sh -c 'echo "# mine" >>.git/config'
	[[ $stderr == *"git on the host runs the programs that it names there"* ]]
	grep -q '# mine' .git/config
}

@test "a worktree: its repository is there in each mode, and of other worktrees nothing" {
	git_worktree
	git -C main worktree add -q "$PWD/private"
	git -C main -c protocol.file.allow=always submodule --quiet add "$PWD/main" sm
	cd wt
	for mode in live ro review; do
		echo "$mode"
		run -0 cubby exec --project $mode -- sh -ec '
			git log --format=%s; git branch --list | xargs; git status --porcelain --branch
			git diff; git rev-parse --git-common-dir --show-toplevel
			[ "$(ls -A ../main ../main/.git/worktrees | xargs)" = "../main: .git ../main/.git/worktrees: wt" ]
			[ -z "$(ls -A ../main/.git/modules)" ]'
		[[ $output == *"one"*"main other private * wt"*"## wt"*"/main/.git"*"/wt" ]]
		if [ $mode = live ]; then # the index has new times
			before=$(git_files ../main/.git)
			continue
		fi
		cubby exec --project $mode -- sh -c 'echo x >../main/.git/HEAD; echo x >>../main/.git/config
			git checkout -q other; git commit -q --allow-empty -m x; git branch made; echo x >../main/.git/hooks/post-commit
			echo x >../main/.git/worktrees/wt/commondir; mkdir ../main/.git/worktrees/new; true'
	done
	[ "$before" = "$(git_files ../main/.git)" ]
	[ "$(cat .git)" = "gitdir: $(realpath ../main)/.git/worktrees/wt" ]
}

@test "a worktree: commit, amend, branch, merge, rebase, stash, gc" {
	git_worktree
	cd wt
	quiet 'echo two >file; git commit -qam two; git tag v1; git checkout -q -b side; echo s >side; git add side
		git commit -qm side; git checkout -q wt; echo m >m; git add m; git commit -qm m; git merge -q --no-edit side
		git commit -q --amend -m merged; git branch -qd side'
	[ "$(git log -1 --format=%s)" = merged ]
	[ "$(git symbolic-ref HEAD)" = refs/heads/wt ]
	git reflog | grep -q 'commit (amend): merged'
	git reflog wt | grep -q 'commit (amend): merged'
	same_everywhere
	# A branch that the box has made is its own in the next command, and at its next start.
	quiet 'git checkout -q -b made; echo x >x; git add x; git commit -qm x'
	quiet 'git checkout -q wt; git merge -q made; git checkout -q made; git commit -q --amend -m y; echo dirty >file; git stash -q'
	[ "$(git log -1 --format=%s)" = y ]
	[ "$(git symbolic-ref HEAD)" = refs/heads/made ]
	git stash pop -q
	git checkout -q wt
	quiet 'git reset -q --hard HEAD~1; echo staged >new; git add new'
	[ "$(git log -1 --format=%s)" = merged ]
	[ "$(git diff --cached --name-only)" = new ]
	quiet 'git gc -q --prune=now'
	git -C ../main fsck --strict
	[ -z "$(git -C ../main status --porcelain)" ]
	[ "$(git -C ../main log -1 --format=%s)" = one ]
}

@test "a worktree: the host goes on meanwhile, and neither side loses a commit" {
	git_worktree
	cd wt
	cubby exec --keep -- true
	echo host >file && git commit -qam host
	run -0 --separate-stderr boxed 'echo box >b; git add b; git commit -qm box'
	[[ $stderr == *"refs/heads/wt: the host moved it meanwhile; the box's is refs/cubby/box/heads/wt"* ]]
	[ "$(grep -c "the box's is" <<<"$stderr")" = 1 ]
	[ "$(git log -1 --format=%s)" = host ]
	[ "$(git log -1 --format=%s refs/cubby/box/heads/wt)" = box ]
	cubby stop -q
	rm b
	quiet 'git merge -q --no-edit refs/cubby/box/heads/wt'
	[ -e b ]
	[ "$(cat file)" = host ]
	same_everywhere
}

@test "a worktree of a bare repository, by relative paths; and a submodule" {
	git_repo seed
	git clone -q --bare seed bare.git
	git -C bare.git worktree add -q ../wt main
	echo "gitdir: ../bare.git/worktrees/wt" >wt/.git
	echo "../../../wt/.git" >bare.git/worktrees/wt/gitdir
	git init -q super
	git -C super -c protocol.file.allow=always submodule --quiet add ../seed sm
	git -C super commit -qm sm
	# Where a setting of the repository's own says so in a file of its own.
	git clone -q --bare seed apart.git
	git -C apart.git worktree add -q ../wt2 main
	git -C wt2 config extensions.worktreeConfig true
	git -C apart.git config --unset core.bare
	git config --file apart.git/config.worktree core.bare true
	for dir in wt wt2 super/sm; do
		cd $dir
		quiet 'echo two >file; git commit -qam two; git checkout -q -b more; git commit -q --allow-empty -m more'
		[ "$(git log -1 --format=%s)" = more ]
		[ "$(git log -1 --format=%s main)" = two ]
		same_everywhere
		cd "$OLDPWD"
	done
	[ "$(git -C super status --porcelain)" = " M sm" ]
}

@test "a worktree: a monitor that was killed, and the next start" {
	git_worktree
	cd wt
	cubby exec --keep -- true
	init=$(cubby info --json | jq .init_pid)
	monitor=$(ps -o ppid= -p "$init" | tr -d ' ')
	kill -STOP "$monitor"
	nsenter -t "$init" -U -S 0 -G 0 -m true 2>/dev/null || { kill -CONT "$monitor"; skip "cannot enter the box from here"; }
	nsenter -t "$init" -U -S 0 -G 0 -m sh -c "cd '$PWD' && echo x >file && git -c user.name=b -c user.email=b@x commit -qam killed"
	kill -KILL "$monitor"
	while [ -d "/proc/$init" ]; do sleep 0.01; done
	[ "$(git log -1 --format=%s)" = one ]
	cubby exec -- true
	[ "$(git log -1 --format=%s)" = killed ]
	same_everywhere
}

@test "a worktree whose .git file does not lead back is told why, and git is not there" {
	git_worktree
	cp -a wt copy
	cd copy
	CUBBY_ANNOUNCE=yes run -0 cubby exec -- sh -c 'git status; true'
	[[ $output == *"is not in the box, and git does not work there: '"*"/main/.git/worktrees/wt' is another worktree's; after a move 'git worktree repair' mends that"* ]]
	[[ $output == *"not a git repository"* ]]
}

@test "under review a commit of a box that is in use comes when it ends" {
	git_repo
	cubby exec --project review --detach -- sleep 600
	boxed 'echo x >f; git add f; git commit -qm second'
	run -0 cubby apply
	[[ $output == *"a repository is taken over when the box ends"* ]]
	[ "$(git log --format=%s | xargs)" = one ]
	[ -e f ]
	cubby stop
	cubby apply
	[ "$(git log --format=%s | xargs)" = "second one" ]
	[ -z "$(git status --porcelain)" ]
}

# As boxed, of a project under review.
reviewed() { # SCRIPT
	cubby exec --project review -- sh -ec "export GIT_AUTHOR_NAME=box GIT_AUTHOR_EMAIL=b@x GIT_COMMITTER_NAME=box GIT_COMMITTER_EMAIL=b@x
$1"
}

# What git has here: refs, HEAD, the index, what it is in the middle of.
git_state() {
	git for-each-ref --format='%(refname) %(objectname)'
	cat .git/HEAD
	git ls-files --stage
	ls .git | grep -E '^(MERGE|ORIG|CHERRY)' || true
	git status --porcelain
}

@test "undo: refs, HEAD, index and a merge in the middle are what they were" {
	git_repo
	git branch gone
	git tag moved
	git pack-refs --all
	echo staged >s
	git add s
	before=$(git_state)
	reviewed 'git commit -qm two; git branch -D gone; git tag -f moved; git tag new
		git checkout -q -b side HEAD~1; echo s >side; git add side; git commit -qm side
		git merge -q --no-commit --no-ff main; echo more >file; git add file'
	run -0 cubby apply
	[[ $output == *"cubby: refs/heads/gone is removed; it was at $(git rev-parse --short=12 side~1)"* ]] || { echo "$output"; return 1; }
	[ "$(cat .git/HEAD)" = "ref: refs/heads/side" ]
	[ -e .git/MERGE_HEAD ]
	side=$(git rev-parse --short=12 side)
	after=$(git_state)
	run -0 cubby undo
	[[ $output == *".git: refs/heads/side is removed again; it was at $side"* ]] || { echo "$output"; return 1; }
	[[ $output == *".git: refs/heads/gone is back at $(git rev-parse --short=12 main)"* ]]
	[ "$(git_state)" = "$before" ] || { diff <(echo "$before") <(git_state); return 1; }
	git fsck --strict
	git log -1 --format=%s "$side" | grep -qx side # which git keeps for a while
	[ "$(reviewed 'git for-each-ref --format="%(refname)"' | xargs)" = "refs/heads/gone refs/heads/main refs/tags/moved" ]
	[ "$after" != "$before" ]
}

stashed() { # what the list of stashes is: git keeps it in a log alone
	git stash list
	[ ! -e .git/logs/refs/stash ] || cut -d' ' -f2- .git/logs/refs/stash
}

@test "stashes that a box has dropped, also from the midst; undo: their list is what it was" {
	git_repo
	for i in 1 2 3 4; do echo "$i" >file; git stash push -qm "s$i"; done
	before=$(stashed)
	quiet 'git stash drop -q "stash@{1}"' # live
	[ "$(git stash list | sed 's/.*: //' | xargs)" = "s4 s2 s1" ]
	git fsck --strict
	for change in 'git stash drop -q "stash@{1}"' 'git stash drop -q' 'git stash clear' \
		'echo 5 >file; git stash push -qm s5' 'git stash drop -q; echo 6 >file; git stash push -qm s6'; do
		before=$(stashed)
		reviewed "$change"
		cubby apply -q --all
		[ "$(stashed)" != "$before" ] || { echo "not taken over: $change"; return 1; }
		cubby undo -q
		[ "$(stashed)" = "$before" ] || { echo "$change"; diff <(echo "$before") <(stashed); return 1; }
	done
	git update-ref -d refs/stash
	reviewed 'echo 7 >file; git stash push -qm s7'
	cubby apply -q --all
	cubby undo -q
	[ -z "$(stashed)" ]
	echo 8 >file
	git stash push -qm s8
	reviewed 'git stash drop -q'
	cubby apply -q --all
	echo 9 >file
	git stash push -qm s9 # of the host, meanwhile
	before=$(stashed)
	cubby undo -q
	[ "$(stashed)" = "$before" ]
	echo 10 >file
	git stash push -qm s10
	reviewed 'git stash drop -q "stash@{1}"' # which moves no ref
	cubby apply -q --all
	echo 11 >file
	git stash push -qm s11
	before=$(stashed)
	run -0 cubby undo
	[[ $output == *".git: the list of stashes is left as it is: it was changed since"* ]] || { echo "$output"; return 1; }
	[ "$(stashed)" = "$before" ]
}

@test "undo: of a commit alone, and the first one of a repository" {
	git init -q .
	echo evil >>.git/info/exclude
	reviewed 'echo one >file; git add file; git commit -qm one'
	cubby apply
	reviewed 'git commit -q --allow-empty -m two'
	cubby apply
	[ "$(git log --format=%s | xargs)" = "two one" ]
	cubby undo
	[ "$(git log --format=%s)" = one ]
	[ -e file ]
	[ -z "$(git status --porcelain)" ]
	cubby undo
	run -128 git log
	[ ! -e file ]
	[ "$(cat .git/HEAD)" = "ref: refs/heads/main" ]
	[ -z "$(git status --porcelain)" ]
	run -1 cubby undo
	[[ $output == *"nothing to take back"* ]]
}

@test "undo: what has moved since stays, and is said" {
	git_repo
	reviewed 'echo two >file; git commit -qam two; git branch side'
	cubby apply
	echo mine >mine
	git add mine
	git commit -qm mine
	run -0 cubby undo
	[[ $output == *".git: refs/heads/main is left as it is: it has moved since"* ]] || { echo "$output"; return 1; }
	[[ $output == *".git: refs/heads/side is removed again"* ]]
	[[ $output == *".git: index is left as it is: HEAD has moved since; 'git reset' makes it that of HEAD"* ]]
	[[ $output != *EDITMSG* ]]
	[ "$(git log --format=%s | xargs)" = "mine two one" ]
	[ "$(git ls-files | xargs)" = "file mine" ]
	[ "$(cat file)" = one ]
	[ "$(git status --porcelain)" = " M file" ]
	git checkout -q file
	reviewed 'git checkout -q -b topic; echo three >file; git commit -qam three'
	cubby apply
	echo added >added
	git add added
	run -0 cubby undo
	[[ $output == *".git: index is left as it is: it was changed since; 'git reset' makes it that of HEAD"* ]]
	[ "$(git branch --list | xargs)" = "* main" ]
	[ "$(git diff --cached --name-only | xargs)" = "added file" ]
	git fsck --strict
}

@test "a repository that the box removed or made anew, in whole or in part, loses nothing here" {
	local how before
	git_repo
	git branch other
	git config user.nickname mine
	printf '#!/bin/sh\n' >.git/hooks/pre-push
	for i in $(seq 12); do echo $i >n$i; git add n$i; git commit -qm $i; done
	before=$(git_state)
	for how in 'rm -rf .git' 'rm -rf .git/objects' 'rm -rf .git/refs .git/logs' 'rm -rf .git; echo x >.git' \
		'rm -rf .git; ln -s elsewhere .git' 'rm -rf .git/objects; ln -s .. .git/objects' 'rm -rf .git/objects; echo x >.git/objects' \
		'rm -rf .git/objects; mkdir .git/objects' 'rm -rf .git; mkdir .git'; do
		reviewed "$how"
		run -0 cubby apply
		[[ $output != *"deleted  .git/objects"* ]] || { echo "$how: $output"; return 1; }
		[ "$(git_state)" = "$before" ] || { echo "$how"; git_state; return 1; }
		run cubby apply --all
		git fsck --strict
		[ "$(git_state)" = "$before" ] || { echo "$how, all"; git_state; return 1; }
		[ "$(git config user.nickname)" = mine ] || { echo "$how: $output"; return 1; }
		cubby discard --all 2>/dev/null || true
	done
	reviewed 'rm -rf .git; git init -q -b main; git add file; git commit -qm anew; git config user.nickname theirs'
	run -0 cubby apply
	[ "$(git log --format=%s main | xargs)" = anew ] || { echo "$output"; return 1; }
	[ "$(git log -1 --format=%s other)" = one ]
	[ "$(git config user.nickname)" = mine ]
	[ -e .git/hooks/pre-push ]
	git fsck --strict
	# What was taken over is this machine's, and the box goes on with that.
	[ "$(cubby diff --name-only)" = .git/config ]
	[ "$(reviewed 'git log --format=%s other; git log --format=%s main' | xargs)" = "one anew" ]
	run -0 cubby undo
	[ "$(git_state)" = "$before" ] || { git_state; return 1; }
}

@test "a repository that is named is its commits: its hooks and settings have names of their own" {
	git_repo
	reviewed 'git commit -q --allow-empty -m two; git config core.fsmonitor ./evil; echo x >.git/hooks/post-commit'
	run -0 cubby apply .git
	[ "$(git log -1 --format=%s)" = two ] || { echo "$output"; return 1; }
	[ -z "$(git config core.fsmonitor)" ]
	[ ! -e .git/hooks/post-commit ]
	[[ $output == *"2 changes are held:"*.git/config*.git/hooks/post-commit* ]] || { echo "$output"; return 1; }
	cubby apply .git/config
	[ "$(git config core.fsmonitor)" = ./evil ]
	[ ! -e .git/hooks/post-commit ]
	cubby apply --all .git
	[ -e .git/hooks/post-commit ]
}

@test "undo: a commit of the host on top of what the box has staged is not taken back" {
	git_repo
	reviewed 'echo two >file; git add file'
	cubby apply
	git commit -qm mine
	run -0 cubby undo
	[[ $output == *".git: index is left as it is: HEAD has moved since"* ]] || { echo "$output"; return 1; }
	[ -z "$(git diff --cached --name-only)" ]
	[ "$(git show :file)" = two ]
}

@test "a branch that is renamed to one below its name, or back, is moved, and moved back" {
	for packed in "" yes; do
		rm -rf .git file
		git_repo
		git branch feature
		[ -z "$packed" ] || git pack-refs --all
		before=$(git_state)
		run -0 reviewed 'git branch -m feature feature/x; git checkout -q feature/x; git commit -q --allow-empty -m x; git checkout -q main'
		run -0 cubby apply
		[[ $output != *meanwhile* ]] || { echo "$output"; return 1; }
		[ "$(git for-each-ref --format='%(refname) %(subject)' | xargs)" = "refs/heads/feature/x x refs/heads/main one" ]
		between=$(git_state)
		reviewed 'git branch -m feature/x feature; git checkout -q feature; git commit -q --allow-empty -m y; git checkout -q main'
		run -0 cubby apply
		[ "$(git for-each-ref --format='%(refname) %(subject)' | xargs)" = "refs/heads/feature y refs/heads/main one" ] || { echo "$output"; return 1; }
		cubby undo
		[ "$(git_state)" = "$between" ] || { git_state; return 1; }
		cubby undo
		[ "$(git_state)" = "$before" ] || { git_state; return 1; }
	done
}

@test "a branch that the host's git refuses is put beside, and the others are moved" {
	git_repo
	reviewed 'for i in $(seq 9); do git branch b$i; done'
	touch .git/refs/heads/b5.lock
	run -0 cubby apply
	[[ $output == *"refs/heads/b5: git update-ref: "*"; the box's is refs/cubby/box/heads/b5"* ]] || { echo "$output"; return 1; }
	rm .git/refs/heads/b5.lock
	[ "$(git for-each-ref --format='%(refname)' | xargs)" = "refs/cubby/box/heads/b5$(printf ' refs/heads/b%s' 1 2 3 4 6 7 8 9) refs/heads/main" ]
}

# bats test_tags=long
@test "undo: of many refs each that goes is named, and those that stay are counted" {
	git_repo
	reviewed 'for i in $(seq 26); do git commit -q --allow-empty -m c$i; git branch b$i; done; git reset -q --hard HEAD~26'
	cubby apply
	tips=$(for i in $(seq 13 25); do git rev-parse --short=12 b$i; done)
	for i in $(seq 12); do git branch -qf b$i main; done
	touch .git/refs/heads/b26.lock
	run -0 cubby undo
	rm .git/refs/heads/b26.lock
	for tip in $tips; do
		[[ $output == *"is removed again; it was at $tip"* ]] || { echo "$output"; return 1; }
	done
	[ "$(grep -c 'is left as it is: it has moved since' <<<"$output")" = 10 ]
	[[ $output == *".git: 3 more refs are left as they are"* ]]
	[ "$(git branch --list | wc -l)" = 14 ]
}

@test "undo: zeros that a loss of power has left among the notes end nothing" {
	git_repo
	before=$(git_state)
	reviewed 'echo two >file; git commit -qam two'
	cubby apply
	steps=$(lib_layer)/../../applied/1/git-0/steps
	{ head -n 1 "$steps"; printf '\0\0\0\n'; tail -n +2 "$steps"; } >../steps
	cp ../steps "$steps"
	cubby undo
	[ "$(git_state)" = "$before" ] || { git_state; return 1; }
}

@test "what git keeps under its sums is one line with its number, and the branches and tags that it is for" {
	git_repo
	git tag old
	local main=$(git branch --show-current)
	reviewed 'echo two >file; git commit -qam two'
	run -0 cubby apply
	[[ $output == *"  git      3 objects, branch $main in .git"* ]] || { echo "$output"; return 1; }
	reviewed 'for x in a b/c d e; do git branch $x; done; git gc -q; echo three >file; git commit -qam three'
	[ "$(cubby diff --json | jq -c '.[] | select(.path == "/.git").branches | sort')" = "$(jq -nc --arg main "$main" '["a", "b/c", "d", "e", $main] | sort')" ]
	run -0 cubby apply
	[[ $output == *", branches $main, a, b/c and 2 more in .git"* ]] || { echo "$output"; return 1; }
	# what was there and is packed anew is not told
	reviewed 'git branch f; git gc -q'
	[ "$(cubby diff --json | jq -c '.[] | select(.path == "/.git").branches')" = '["f"]' ]
	cubby apply
	# what it removes, be it packed here or not
	git branch loose
	reviewed 'git branch -D f loose; git tag -d old; git tag new; echo four >file; git stash -q'
	[ "$(cubby diff --json | jq -c '.[] | select(.path == "/.git") | [.branches, .tags, .gone, .stash]')" = '[null,["new"],["refs/heads/f","refs/heads/loose","refs/tags/old"],true]' ]
	run -0 cubby diff --stat
	[[ $output == *" objects, tag new, stash, without refs/heads/f, refs/heads/loose, refs/tags/old in .git"* ]] || { echo "$output"; return 1; }
}

@test "names of branches and tags, however long and many, keep no change from being told" {
	git_repo
	reviewed 'h=$(git rev-parse HEAD); n=$(head -c 220 /dev/zero | tr "\0" "\377"); echo new >other
		{ echo "# pack-refs with: peeled fully-peeled sorted "
		for k in heads tags; do for i in $(seq 101 200); do echo "$h refs/$k/$i/$n"; done; done; } >.git/packed-refs'
	[ "$(cubby diff --name-only | xargs)" = ".git other" ]
	cubby apply
	[ "$(cat other)" = new ]
	[ "$(git tag | wc -l)" -eq 100 ]
}

@test "a live task tells at its end which branches, tags and stash came of it" {
	git_repo
	git branch gone
	cat >../live.jsonl <<-'END'
	{"type":"task","task":"work in git"}
	{"type":"response","message":{"role":"assistant","tool_calls":[{"function":{"name":"shell","arguments":{"command":"export GIT_AUTHOR_NAME=b GIT_AUTHOR_EMAIL=b@x GIT_COMMITTER_NAME=b GIT_COMMITTER_EMAIL=b@x; git commit --allow-empty -qm two; git tag v1; git branch -D gone; echo two >file; git stash -q"}}}]}}
	{"type":"response","message":{"role":"assistant","tool_calls":[{"function":{"name":"finish","arguments":{"answer":"done","success":true}}}]}}
	END
	run -0 --separate-stderr cubby --project live --replay ../live.jsonl
	[[ $stderr == *"  git      branch main, tag v1, stash, without refs/heads/gone in .git" ]] || { echo "$stderr"; return 1; }
	[ "$(git log -1 --format=%s)" = two ]
	run -0 --separate-stderr cubby -q --project live --replay ../live.jsonl
	[[ $stderr != *"in .git"* ]]
}

@test "an apply that was killed while git got its part goes on, or back" {
	git_repo
	before=$(git_state)
	reviewed 'echo two >file; git commit -qam two'
	cubby apply
	after=$(git_state)
	rm "$(lib_layer)/../../applied/1/gits-done"
	reviewed 'echo more >more'
	run -1 cubby apply
	[[ $output == *"an apply did not come to its end"* ]]
	run -0 cubby apply --continue
	[[ $output == *"git      .git"* ]]
	[ "$(git_state)" = "$after" ]
	run -1 cubby apply --continue
	cubby apply
	[ -e more ]
	cubby undo
	rm "$(lib_layer)/../../applied/1/gits-done"
	cubby undo
	[ "$(git_state)" = "$before" ]
}

@test "an undo that was killed is told of, and goes on" {
	git_repo
	local before one client applied
	before=$(git_state)
	one=$(git rev-parse main)
	while
		reviewed 'echo two >file; git commit -qam two'
		cubby apply -q
		applied=$(printf '%s\n' "$(lib_layer)"/../../applied/* | sort -V | tail -n 1)
		setsid cubby undo -q >/dev/null 2>&1 3>&- &
		client=$!
		# a git that is killed itself leaves its lock, and who comes next is told so by git
		until [ "$(<.git/refs/heads/main)" = "$one" ] && [ ! -e .git/HEAD.lock ]; do :; done
		kill -KILL -- -$client
		wait $client || true
		[ -e "$applied/undone" ] # it was faster
	do :; done
	run -1 cubby apply
	[[ $output == *"an undo did not come to its end; 'cubby undo' goes on with it"* ]]
	run -1 cubby apply --continue
	[[ $output == *"no apply is left unfinished"* ]]
	cubby undo
	[ "$(git_state)" = "$before" ] || { git_state; return 1; }
	reviewed 'echo two >file; git commit -qam two'
	cubby apply
	[ "$(cat file)" = two ]
	[ "$(git rev-parse main)" != "$one" ]
}

@test "an apply that was killed at any moment: what is taken back waits again, all of it" {
	git_repo
	echo old | tee gone both changed >/dev/null
	git add . && git commit -qm more
	local before after i ms client work='export GIT_AUTHOR_DATE=2020-01-01T00:00:00Z GIT_COMMITTER_DATE=2020-01-01T00:00:00Z
		git checkout -q -b side; echo new >changed; rm gone; mkdir d; echo new >d/new; git add -A; git commit -qm two
		git checkout -q -b other; echo o >both; git commit -qam o; git checkout -q side; echo s >both; git commit -qam s
		git merge -q other >/tmp/said 2>&1 || :
		! grep -q "stash failed" /tmp/said || git merge -q other >/dev/null 2>&1 || : # docs/troubleshooting.md has why
		echo not >added'
	before=$(git_state)
	reviewed "$work"
	cubby apply -q
	after=$(git_state)
	[ -e .git/MERGE_HEAD ]
	[ -e added ]
	cubby undo -q
	for i in $(seq "$(lib_fewer 12)"); do
		reviewed "$work"
		ms=$((RANDOM % 300))
		setsid cubby apply -q >/dev/null 2>&1 3>&- &
		client=$!
		read -rt "$(printf '0.%03d' $ms)" <> <(:) || true
		kill -KILL -- -$client 2>/dev/null || true
		wait $client || true
		# an empty lock of a git that was killed with it could be anybody's: the person removes it
		find .git -name '*.lock' -empty -delete
		cubby undo -q 2>/dev/null || true # it had not begun
		[ "$(git_state)" = "$before" ] || { echo "undo of an apply killed after $ms ms:"; git_state; return 1; }
		[ -z "$(find .git/refs -name '*.lock')" ]
		cubby apply -q
		[ "$(git_state)" = "$after" ] || [ "$(git_state; cubby diff --name-only)" = "$before" ] || {
			echo "apply once one that was killed after $ms ms was taken back:"
			git_state
			return 1
		}
		cubby undo -q 2>/dev/null || true # it had come to its end before it was taken back
	done
}

@test "apply of a path takes over the repository there, and no other" {
	git_repo
	git_repo sub
	echo sub >>.git/info/exclude
	reviewed 'git commit -q --allow-empty -m two; git -C sub commit -q --allow-empty -m two'
	cubby apply sub
	[ "$(git log --format=%s | xargs)" = one ]
	[ "$(git -C sub log --format=%s | xargs)" = "two one" ]
	cubby apply
	[ "$(git log --format=%s | xargs)" = "two one" ]
	cubby undo
	[ "$(git log --format=%s | xargs)" = one ]
	[ "$(git -C sub log --format=%s | xargs)" = "two one" ]
}

@test "rewind: what git got since the checkpoint is taken back" {
	git_repo
	reviewed 'echo two >file'
	before=$(git_state)
	cubby checkpoint then
	reviewed 'git commit -qam two'
	cubby apply
	reviewed 'echo three >file; git commit -qam three'
	cubby apply
	[ "$(git log --format=%s | xargs)" = "three two one" ]
	run -0 cubby rewind then
	[ "$(git_state)" = "$before" ] || { echo "$output"; git_state; return 1; }
	[ "$(reviewed 'cat file; git log --format=%s')" = $'two\none' ]
	reviewed 'git commit -qam again'
	cubby apply
	[ "$(git log --format=%s | xargs)" = "again one" ]
	[ -z "$(git status --porcelain)" ]
}

@test "git: the box knows by which name the person commits, and nothing else of the settings" {
	printf '[user]\n\tname = Ann B\n\temail = ann@example.org\n\tsigningkey = KEY\n[credential]\n\thelper = store\n' >"$HOME/.gitconfig"
	run -0 --separate-stderr cubby exec -- cat /etc/gitconfig
	[[ $output == *$'name = "Ann B"\n'*'email = "ann@example.org"'* ]]
	[[ $output != *KEY* && $output != *helper* ]]
	cubby exec -q -- sh -c 'echo "[user] name = mine" >/etc/gitconfig'
	run -0 --separate-stderr cubby exec -- cat /etc/gitconfig
	[ "$output" = "[user] name = mine" ]
	cubby exec -q -- rm /etc/gitconfig
	cubby set -q git-identity=no
	run -1 --separate-stderr cubby exec -- cat /etc/gitconfig
	cubby unset -q git-identity
	cubby exec -q -- ls /etc/gitconfig
	rm "$HOME/.gitconfig"
	run -2 --separate-stderr cubby exec -- ls /etc/gitconfig
}

@test "git: of settings for some directories the box has those that git has here" {
	local here
	here=$(pwd -P)
	git init -q
	printf '[user]\n\tname = Ann B\n\temail = ann@example.org\n[includeIf "gitdir:%s/"]\n\tpath = work\n' "$here" >"$HOME/.gitconfig"
	printf '[user]\n\temail = ann@work.example\n' >"$HOME/work"
	[ "$(git config user.email)" = ann@work.example ]
	run -0 --separate-stderr cubby exec -- cat /etc/gitconfig
	[[ $output == *'email = "ann@work.example"'* ]]
	cubby stop -q
	sed -i "s,gitdir:.*/\"],gitdir:$here-not/\"]," "$HOME/.gitconfig"
	[ "$(git config user.email)" = ann@example.org ]
	run -0 --separate-stderr cubby exec -- cat /etc/gitconfig
	[[ $output == *'email = "ann@example.org"'* ]]
	rm "$HOME/.gitconfig" "$HOME/work"
}
