# A git worktree, and a submodule, whose project is under review: what a box commits comes out
# by 'cubby apply' and goes back by 'cubby undo', as of any repository.
load ../lib
load escape/git

setup_file() { git_setup_file; }
setup() { git_setup; rm -f evil; git_worktree; cd wt; }

reviewed() { # SCRIPT: as boxed, under review
	cubby exec --project review -- sh -ec "export GIT_AUTHOR_NAME=box GIT_AUTHOR_EMAIL=b@x GIT_COMMITTER_NAME=box GIT_COMMITTER_EMAIL=b@x
$1"
}

state() { # of the repository, and of this worktree
	git for-each-ref --format='%(refname) %(objectname)'
	cat "$(git rev-parse --git-dir)/HEAD"
	git ls-files --stage
	ls "$(git rev-parse --git-dir)" | grep -E '^(MERGE|ORIG|CHERRY)' || true
	git status --porcelain
}

@test "a commit waits in the box, is listed, taken over, and taken back" {
	before=$(state)
	files=$(git_files ../main/.git/objects)
	run -0 --separate-stderr reviewed 'echo two >file; git commit -qam two; git log -1 --format=%s'
	[ "$output" = two ]
	[ -z "$stderr" ] || { echo "said: $stderr"; return 1; }
	[ "$before" = "$(state)" ]
	[ "$files" = "$(git_files ../main/.git/objects)" ]
	run -0 cubby diff --json
	[ "$(jq -c '[.[] | [.path, .kind, .class, .objects]]' <<<"$output")" = '[["/.git","git","plain",3],["/file","changed","plain",null]]' ] || { echo "$output"; return 1; }
	# The next command, and a start later, goes on with it.
	[ "$(reviewed 'git log -1 --format=%s; git status --porcelain')" = two ]
	run -0 cubby apply
	[[ $output != *held* ]] || { echo "$output"; return 1; }
	[ "$(git log -1 --format='%s %an')" = "two box" ]
	[ "$(git symbolic-ref HEAD)" = refs/heads/wt ]
	[ -z "$(git status --porcelain)" ]
	[ "$(git -C ../main log -1 --format=%s)" = one ]
	[ -z "$(git -C ../main status --porcelain)" ]
	git reflog | grep -q 'commit: two'
	git fsck --strict
	[ "$(cubby diff --json)" = "[]" ]
	run -0 cubby undo
	[[ $output == *".git: refs/heads/wt is back at $(git rev-parse --short=12 wt)"* ]] || { echo "$output"; return 1; }
	[ "$before" = "$(state)" ]
	[ "$(reviewed 'git log -1 --format=%s; git status --porcelain')" = one ]
}

@test "branches, tags, a merge in the middle and what is staged come out, and go back" {
	git tag moved
	before=$(state)
	reviewed 'echo two >file; git commit -qam two; git tag new; git checkout -q -b side HEAD~1; echo s >side; git add side
		git commit -qm side; git merge -q --no-commit --no-ff wt; echo more >file; git add file; git stash list'
	cubby apply
	[ "$(git symbolic-ref HEAD)" = refs/heads/side ]
	[ -e ../main/.git/worktrees/wt/MERGE_HEAD ]
	[ "$(git diff --cached --name-only | xargs)" = file ]
	[ "$(git log -1 --format=%s new)" = two ]
	# Named alone, and later: a branch that the box has made is its own at its next start.
	reviewed 'git commit -qm merged; echo x >x'
	cubby apply .git
	[ "$(git log -1 --format=%s side --)" = merged ]
	[ ! -e x ]
	cubby undo
	cubby undo
	[ "$before" = "$(state)" ] || { diff <(echo "$before") <(state); return 1; }
	git fsck --strict
}

@test "the host goes on meanwhile, and neither side loses a commit" {
	reviewed 'echo box >b; git add b; git commit -qm box; git update-ref refs/heads/other HEAD; git update-ref refs/heads/main HEAD'
	echo host >file
	git commit -qam host
	kept=$(git for-each-ref refs/heads/main refs/heads/other)
	run -0 cubby apply
	[[ $output == *"refs/heads/wt: the host moved it meanwhile; the box's is refs/cubby/box/heads/wt"* ]] || { echo "$output"; return 1; }
	[[ $output == *"refs/heads/main: another worktree is on it"* && $output == *"refs/heads/other: it is not this worktree's"* ]]
	[ "$(git log -1 --format=%s)" = host ]
	[ "$(git log -1 --format=%s refs/cubby/box/heads/wt)" = box ]
	[ "$kept" = "$(git for-each-ref refs/heads/main refs/heads/other)" ]
	[ -z "$(git diff --cached --name-only)" ]
	[ -z "$(git -C ../main status --porcelain)" ]
	git fsck --strict
}

@test "discard: of the repository alone, and of all" {
	before=$(state)
	reviewed 'echo two >file; git commit -qam two; echo x >../main/.git/hooks/pre-commit'
	cubby discard .git/hooks/pre-commit
	[ "$(reviewed '[ ! -e ../main/.git/hooks/pre-commit ]; git log -1 --format=%s')" = two ]
	cubby discard .git
	[ "$(reviewed 'git log -1 --format=%s; git status --porcelain' | xargs)" = "one M file" ]
	run -1 cubby discard .git/hooks/pre-commit
	[[ $output == *"the box has not changed '.git/hooks/pre-commit'"* ]]
	reviewed 'git commit -qam two'
	cubby discard --all
	[ "$(cubby diff --json)" = "[]" ]
	[ "$(reviewed 'git log -1 --format=%s; cat file; git status --porcelain' | xargs)" = "one one" ]
	[ "$before" = "$(state)" ]
}

@test "discard .git: what the list calls so, and the commits are not lost with it" {
	mode=$(stat -c %a .git)
	reviewed 'echo two >file; git commit -qam two; chmod 600 .git'
	run -0 cubby diff --stat
	[[ $output == *"changed  .git "* && $output != *"git      "* ]] || { echo "$output"; return 1; }
	cubby discard .git
	run -0 cubby diff --stat
	[[ $output != *"changed  .git "* && $output == *"git      "* ]] || { echo "$output"; return 1; }
	[ "$(reviewed 'git log -1 --format=%s; stat -c %a .git' | xargs)" = "two $mode" ]
}

@test "undo: not onto a branch that another worktree is on by now" {
	reviewed 'git checkout -q -b side; echo two >file; git commit -qam two'
	cubby apply
	git worktree add -q ../third wt 2>/dev/null
	staged=$(git ls-files --stage)
	run -0 cubby undo
	[[ $output == *"HEAD is left as it is: another worktree is on the branch of before"* ]] || { echo "$output"; return 1; }
	[ "$(git symbolic-ref HEAD)" = refs/heads/side ]
	[ "$(git log -1 --format=%s side)" = two ]
	[ "$staged" = "$(git ls-files --stage)" ]
	[ "$(git -C ../third log -1 --format=%s)" = one ]
	[ -z "$(git -C ../third status --porcelain)" ]
}

@test "undo: not in another repository, whose branches are where that one's were" {
	reviewed 'git commit -q --allow-empty -m two; git tag new'
	cubby apply
	cubby discard --all
	cd ..
	mv main kept
	git clone -q kept main
	git -C main branch wt "$(git -C kept rev-parse wt)"
	git -C main worktree add -q "$PWD/new" -b topic 2>/dev/null
	cp new/.git wt/.git
	rm -r new
	git -C main worktree repair "$PWD/wt" 2>/dev/null
	cd wt
	[ "$(reviewed 'git symbolic-ref HEAD')" = refs/heads/topic ]
	before=$(git for-each-ref)
	run -0 cubby undo
	[[ $output == *".git: left as it is: "* ]] || { echo "$output"; return 1; }
	[ "$before" = "$(git for-each-ref)" ]
}

@test "HEAD and branches on what is no commit stay in the box" {
	before=$(state)
	reviewed 'own=$(git rev-parse --git-dir) common=$(git rev-parse --git-common-dir) none=1111111111111111111111111111111111111111
		echo $none | tee $common/refs/heads/wt $common/refs/heads/new >$own/HEAD'
	run -0 cubby apply
	[[ $output == *"not taken over: .git/HEAD (it is on a commit that is not there)"* ]] || { echo "$output"; return 1; }
	[ "$before" = "$(state)" ]
	cubby discard .git
	reviewed 'own=$(git rev-parse --git-dir); blob=$(git hash-object -w file); echo $blob >$own/HEAD'
	run -0 cubby apply
	[ "$before" = "$(state)" ]
	cubby discard .git
	reviewed 'git checkout -q --detach; git commit -q --allow-empty -m loose'
	cubby apply
	[ "$(git log -1 --format=%s)" = loose ]
	git fsck --strict
}

@test "what git runs or obeys is held, whatever is asked for" {
	kept=$(git_files ../main/.git)
	reviewed 'own=$(git rev-parse --git-dir) common=$(git rev-parse --git-common-dir)
		echo x >$common/hooks/post-commit; git config user.name evil; echo x >$own/config.worktree
		echo /x >$own/commondir; echo /x >$own/gitdir; echo x >$common/info/attributes
		echo /x >$common/objects/info/alternates'
	run -0 cubby diff --stat
	[[ $output == *".git/hooks/post-commit  git runs it; stays in the box"* ]] || { echo "$output"; return 1; }
	for path in hooks/post-commit config config.worktree commondir gitdir info/attributes objects/info/alternates; do
		[[ $output == *".git/$path"* ]] || { echo "$path: $output"; return 1; }
	done
	run -0 cubby apply --all # each of them once
	[[ $output == *".git/hooks/post-commit  git runs it; stays in the box"* ]] || { echo "$output"; return 1; }
	[[ $output != *"kept in the box: "* ]] || { echo "$output"; return 1; }
	run cubby apply .git/hooks/post-commit .git
	run cubby apply --allow '*'
	[ "$kept" = "$(git_files ../main/.git)" ]
	[ "$(cubby diff --json | jq -c '[.[] | select(.class != "held")]')" = "[]" ]
	cubby discard .git
	[ "$(cubby diff --json)" = "[]" ]
	[ "$kept" = "$(git_files ../main/.git)" ]
}

@test "in use: it comes when the box ends, and a start that is not under review waits" {
	cubby exec --project review --detach -- sleep 600
	boxed 'echo x >f; git add f; git commit -qm second'
	run -0 cubby apply
	[[ $output == *"a repository is taken over when the box ends"* ]]
	[ "$(git log --format=%s | xargs)" = one ]
	cubby stop
	[ "$(cubby exec --project ro -- git log -1 --format=%s)" = one ]
	cubby apply
	[ "$(git log --format=%s | xargs)" = "second one" ]
	[ -z "$(git status --porcelain)" ]
}

@test "checkpoints, a rewind and snapshots have it" {
	reviewed 'echo two >file; git commit -qam two'
	cubby checkpoint early
	reviewed 'git commit -q --allow-empty -m three'
	cubby apply
	[ "$(git log -1 --format=%s)" = three ]
	cubby rewind early
	[ "$(git log -1 --format=%s)" = one ]
	[ -z "$(git status --porcelain)" ]
	[ "$(reviewed 'git log -1 --format=%s; git status --porcelain')" = two ]
	# Of a repository alone, too: no file waits.
	cubby apply file
	git checkout -q file
	cubby discard --all
	reviewed 'git commit -q --allow-empty -m kept'
	cubby snapshot kept
	cubby discard --all
	[ "$(reviewed 'git log -1 --format=%s')" = one ]
	cubby restore kept
	[ "$(reviewed 'git log -1 --format=%s')" = kept ]
	cubby apply
	[ "$(git log -1 --format=%s)" = kept ]
	git fsck --strict
}

@test "killed in the middle of an apply: it goes on, or back" {
	before=$(state)
	for i in 1 2 3 4 5 6; do
		reviewed "for n in \$(seq 20); do echo \$n >f\$n; git add f\$n; git commit -qm \$n; git branch b\$n; done"
		setsid -w cubby apply >/dev/null 2>&1 &
		pid=$!
		sleep 0.0$((i * 2))
		kill -KILL -- -"$pid" 2>/dev/null || true
		wait || true
		while pgrep -s "$pid" >/dev/null; do sleep 0.01; done
		if [ $((i % 2)) = 1 ]; then
			cubby apply --continue >/dev/null 2>&1 || cubby apply >/dev/null
			[ "$(git log -1 --format=%s)" = 20 ]
			[ -z "$(git status --porcelain)" ]
		fi
		cubby undo || true
		[ "$before" = "$(state)" ] || { diff <(echo "$before") <(state); return 1; }
		cubby discard --all
		git fsck --strict
	done
}

@test "moved, and repaired: what waits comes out there" {
	reviewed 'echo two >file; git commit -qam two'
	mv ../main ../renamed
	run -0 cubby apply
	[[ $output == *"kept in the box: all that it changed in .git ("* ]] || { echo "$output"; return 1; }
	run -0 cubby diff --stat
	[[ $output == *.git* ]]
	git -C ../renamed worktree repair "$PWD" 2>/dev/null
	cubby apply
	[ "$(git log -1 --format=%s)" = two ]
	git fsck --strict
}

@test "a submodule, and a worktree of a bare repository" {
	cd ..
	git clone -q --bare main bare.git
	git -C bare.git worktree add -q "$PWD/wt2" -b wt2 2>/dev/null
	git init -q super
	git -C super -c protocol.file.allow=always submodule --quiet add "$PWD/main" sm
	git -C super commit -qm sm
	for dir in wt2 super/sm; do
		cd $dir
		before=$(state)
		reviewed 'echo two >file; git commit -qam two; git checkout -q -b more; git commit -q --allow-empty -m more'
		cubby apply
		[ "$(git log -1 --format=%s)" = more ]
		[ "$(git symbolic-ref HEAD)" = refs/heads/more ]
		git fsck --strict
		cubby undo
		[ "$before" = "$(state)" ] || { diff <(echo "$before") <(state); return 1; }
		cd "$OLDPWD"
	done
	[ -z "$(git -C super status --porcelain)" ]
}

@test "refs that are not files, and layers of another repository: read-only, and said" {
	reviewed 'git commit -q --allow-empty -m two'
	git worktree list >/dev/null
	cd ..
	mv main kept
	mv wt wt.kept
	git_worktree
	cp -a wt/.git wt.kept/.git
	rm -rf wt
	mv wt.kept wt
	cd wt
	run -0 --separate-stderr cubby exec --project review -- sh -c 'git log -1 --format=%s; git commit -q --allow-empty -m x 2>&1; true'
	[[ $stderr == *"the repository of this directory is read-only under review: what waits in the box is of another one; 'cubby discard .git' throws it away; commit here, outside of the box"* ]] || { echo "$stderr"; return 1; }
	[[ $output == "one"*"Read-only file system"* ]]
	run -0 cubby apply
	[[ $output == *"kept in the box: all that it changed in .git (the repository is another one than the box had)"* ]] || { echo "$output"; return 1; }
	[ "$(git log -1 --format=%s)" = one ]
	cubby discard .git
	reviewed 'git commit -q --allow-empty -m new'
	cubby apply
	[ "$(git log -1 --format=%s)" = new ]
	git config core.repositoryFormatVersion 1
	git config extensions.refStorage reftable
	run -0 --separate-stderr cubby exec --project review -- true
	[[ $stderr == *"is read-only under review: the repository keeps its refs in another way than in files"* ]] || { echo "$stderr"; return 1; }
}

@test "what waits for a repository outside is listed and discarded when the project has its own" {
	reviewed 'git commit -q --allow-empty -m two'
	rm .git
	git init -q .
	git commit -q --allow-empty -m own
	run -0 cubby diff --stat
	[[ $output == *".git"*"of the repository outside that was this directory's before; stays in the box"* ]] || { echo "$output"; return 1; }
	cubby apply --all
	cubby apply .git || true
	[ "$(git log --format=%s)" = own ]
	[ "$(git -C ../main log -1 --format=%s wt)" = one ]
	# What the box does to the new one comes first; which of the two is meant is never a guess.
	reviewed 'git commit -q --allow-empty -m more'
	run -0 cubby diff --stat
	[[ $output != *"repository outside"* ]]
	cubby discard .git
	run -0 cubby diff --name-only
	[ "$output" = .git ]
	cubby discard .git
	run -0 cubby diff --name-only
	[ -z "$output" ]
	run -1 cubby discard .git
	[[ $output == *"the box has not changed '.git'"* ]]
	[ "$(git log --format=%s)" = own ]
}

@test "what waits for a repository outside counts for --disk, and for the size of the box" {
	reviewed 'head -c 30M /dev/zero >"$(git rev-parse --git-common-dir)/objects/big"
		head -c 30M /dev/zero >"$(git rev-parse --git-dir)/big"'
	[ "$(cubby info --json | jq .disk_bytes)" -ge 60000000 ]
	run -137 --separate-stderr timeout "$(lib_longer 120)" cubby exec --project review --disk 90M -- \
		sh -c 'head -c 40M /dev/zero >"$(git rev-parse --git-common-dir)/objects/more"; sleep 100'
	[[ $stderr == *"more of the disk than its limit (90 MiB"* ]]
}
