# What a box writes for git, and git on the host afterwards.
load ../../lib
load git

setup_file() { git_setup_file; }
setup() { git_setup; }
teardown() { [ -z "${AWAY-}" ] || rm -rf "$AWAY"; }

evil_config() { printf '[core]\\n\\tfsmonitor = %s/evil\\n\\tpager = %s/evil\\n\\teditor = %s/evil\\n' "$PWD" "$PWD" "$PWD"; }

@test "G01: config, config.worktree, hooks and attributes stay in the box" {
	git_repo
	before=$(cat .git/config)
	run -0 --separate-stderr boxed "
		printf '$(evil_config)' >>.git/config
		printf '$(evil_config)' >.git/config.worktree
		git config extensions.worktreeConfig true
		mkdir -p .git/hooks
		for h in pre-commit post-checkout post-index-change reference-transaction; do
			cp evil .git/hooks/\$h
		done
		echo '* filter=x diff=x' >.git/info/attributes"
	[[ $stderr == *"kept in the box: .git/config"*" and 1 more (names programs that git runs)"* ]]
	[[ $stderr == *"kept in the box: .git/hooks/"*" and 3 more (git runs it)"* ]]
	[[ $stderr == *"kept in the box: .git/info/attributes"* ]]
	[ "$(cat .git/config)" = "$before" ]
	[ ! -e .git/config.worktree ]
	git_safe
	run -0 boxed 'cat .git/config.worktree .git/hooks/pre-commit' # but the box has them
}

@test "G02: missing hooks, and hooks replaced by a link" {
	git_repo
	rm -rf .git/hooks
	boxed "mkdir .git/hooks; cp evil .git/hooks/pre-commit; cp evil .git/hooks/post-index-change"
	[ ! -e .git/hooks ]
	git_safe
	boxed "rm -rf .git/hooks; ln -s .. .git/hooks; cp evil pre-commit"
	[ ! -e .git/hooks ]
	git_safe
}

@test "G03: commondir, gitdir, alternates, grafts, shallow, replacements" {
	git_repo
	boxed "
		cp -r .git fake; printf '$(evil_config)' >>fake/config
		echo ../fake >.git/commondir; echo x >.git/gitdir
		echo /etc >.git/objects/info/alternates
		git rev-parse HEAD >.git/shallow
		git commit -q --allow-empty -m two 2>/dev/null || true
		mkdir -p .git/refs/replace .git/refs/REPLACE
		git rev-parse HEAD | tee .git/refs/replace/\$(git rev-parse HEAD) >.git/refs/REPLACE/\$(git rev-parse HEAD)" || true
	for f in commondir gitdir objects/info/alternates shallow refs/replace refs/REPLACE; do
		[ ! -e ".git/$f" ] || { echo "$f came out"; return 1; }
	done
	git_safe
}

@test "G04: include.path and core.hooksPath in the tree are the box's alone" {
	git_repo
	boxed "printf '$(evil_config)' >inc; git config include.path ../inc
		mkdir h; cp evil h/pre-commit; git config core.hooksPath h"
	git_safe
}

@test "G14: what the host's own configuration names in the tree is read-only" {
	git_repo
	mkdir -p .husky
	printf '#!/bin/sh\n' >.husky/pre-commit
	chmod +x .husky/pre-commit
	printf '[user]\n' >settings
	git config core.hooksPath .husky
	git config include.path ../settings
	run -0 --separate-stderr cubby exec -- sh -c 'cp evil .husky/pre-commit; cp evil .husky/post-commit
		mv .husky x; echo "[core]" >>settings; mv settings y; true'
	[[ $stderr == *".husky is read-only in the box: git on the host acts on it"* ]]
	[ "$(cat settings)" = '[user]' ]
	git_safe
	# And in the file that a worktree has of its own.
	git config --unset core.hooksPath
	git config extensions.worktreeConfig true
	git config --worktree core.hooksPath .husky
	cubby stop -q
	run -0 --separate-stderr cubby exec -- sh -c 'cp evil .husky/pre-commit; true'
	[[ $stderr == *".husky is read-only in the box: git on the host acts on it"* ]]
	git_safe
}

@test "G05: .git cannot be moved away, replaced or made a link" {
	git_repo
	run ! cubby exec -- mv .git .git2
	run ! cubby exec -- sh -c 'rm -rf .git && ln -s fake .git'
	[ -d .git ]
	[ ! -L .git ]
	git log -1 --format=%s | grep -qx one
	git_safe
}

@test "G26: a configuration or a hook that is a link, the box's or the host's" {
	git_repo
	boxed "printf '$(evil_config)' >inc; ln -sf ../inc .git/config"
	[ ! -L .git/config ]
	[ -f .git/config ]
	run ! grep -q fsmonitor .git/config
	git_safe
	# The host's, into the tree: for the file itself, or its directory, is exchanged as well.
	for to in conf settings/conf; do
		git_repo "r-${to//\//-}"
		cd "r-${to//\//-}"
		mkdir settings tools hooks
		cp ../evil evil
		printf '#!/bin/sh\n' | tee tools/pre-commit >hooks/post-checkout
		chmod 755 tools/pre-commit hooks/post-checkout
		git config core.editor "$PWD/tools/editor"
		mv .git/config "$to"
		ln -s "../$to" .git/config
		[ $to = conf ] || { rm -rf .git/hooks; ln -s ../hooks .git/hooks; }
		[ $to != conf ] || ln -s "$PWD/tools/pre-commit" .git/hooks/pre-commit
		run -0 --separate-stderr cubby exec --here -- sh -c "for f in $to tools/editor tools/pre-commit hooks/post-checkout; do
			d=\${f%/*}; case \$d in \$f) ;; *) mv \$d was-\$d; mkdir \$d ;; esac; rm -f \$f; cp evil \$f
			cp evil was-\$f; done; printf '$(evil_config)' | tee -a .git/config $to was-$to; true"
		echo "$stderr"
		[[ $stderr == *"$to is read-only in the box: git on the host acts on it"* ]]
		run ! grep -q fsmonitor .git/config
		git_safe
		cubby rm -q -y
		cd ..
	done
}

@test "G06: .git made by the box: set aside, and said" {
	run -0 --separate-stderr boxed "git init -q .; printf '$(evil_config)' >>.git/config"
	[[ $stderr == *"set aside: .git is now .git.from-box"* ]]
	[ ! -e .git ]
	git_safe
	# renamed back, and its HEAD, it is one again (docs/troubleshooting.md)
	mkdir back && cp -r .git.from-box back/.git
	run ! git -C back rev-parse --git-dir
	mv back/.git/HEAD.from-box back/.git/HEAD && rm back/.git/config
	[ "$(git -C back rev-parse --git-dir)" = .git ]
	rm -r back
	run -0 --separate-stderr boxed "git init -q .; mkdir -p .git/hooks; cp evil .git/hooks/pre-commit"
	[[ $stderr == *".git.from-box.2: the box made it, and it has hooks"* ]]
	git_safe
	for how in 'ln -s fake .git' 'mkdir x; echo gitdir: x >.git' \
		'git init -q .; echo ../fake >.git/commondir' \
		'git init -q .; echo /etc >.git/objects/info/alternates' \
		'git init -q .; git config core.hooksPath ..' \
		'git init -q .; git config remote.origin.url "ext::sh -c evil"' \
		'git init -q .; git config remote.origin.url -oProxyCommand=evil:x' \
		'git init -q .; git config core.worktree /etc' \
		'git init -q .; printf "[include]\npath = ../inc\n" >>.git/config' \
		'git init -q .; ln -sf ../inc .git/config'; do
		run -0 --separate-stderr boxed "$how"
		[ ! -e .git ] && [ ! -L .git ] || { echo "stayed: $how"; return 1; }
		[[ $stderr == *"set aside: .git is now"* ]]
	done
}

@test "G07: what the box makes of git without harm stays, and is guarded from then on" {
	run -0 --separate-stderr boxed "
		git init -q . ; git config user.name me; git config remote.origin.url https://example.org/x.git
		echo a >a; git add a; git commit -qm first; git init -q sub/deep"
	[[ $stderr != *"set aside"* ]]
	[ "$(git log --format=%s)" = first ]
	[ -d sub/deep/.git ]
	boxed "printf '$(evil_config)' | tee -a .git/config >>sub/deep/.git/config"
	run ! grep -q fsmonitor .git/config sub/deep/.git/config
	git_safe
	git_safe sub/deep
}

@test "G08: nested repositories, of the host and of the box" {
	git_repo
	git_repo sub
	boxed "printf '$(evil_config)' >>sub/.git/config
		git init -q nested; printf '$(evil_config)' >>nested/.git/config
		git init -q --bare bare; printf '$(evil_config)' >>bare/config"
	[ ! -e nested/.git ]
	[ -e nested/.git.from-box ]
	[ ! -e bare ]
	[ -e bare.from-box ]
	for d in . sub nested; do git_safe $d; done
}

@test "G09: a gitlink added to the index beside a nested .git" {
	git_repo
	run -0 --separate-stderr boxed "
		git init -q sub; printf '$(evil_config)' >>sub/.git/config
		git update-index --add --cacheinfo 160000,\$(git rev-parse HEAD),sub"
	[[ $stderr == *"not taken over: .git/index (it names a repository that was not there"* ]]
	[ -z "$(git ls-files -s | grep ^160000)" ]
	git_safe
}

@test "G10: a submodule's modules/*/config" {
	git init -q other && echo x >other/x && git -C other add x && git -C other commit -qm x
	git_repo
	git -c protocol.file.allow=always submodule --quiet add ./other sm
	git commit -qm sm
	boxed "printf '$(evil_config)' >>.git/modules/sm/config; cp evil .git/modules/sm/hooks/post-checkout"
	run ! grep -q fsmonitor .git/modules/sm/config
	run ! cubby exec -- sh -c 'echo gitdir: fake >sm/.git'
	run ! cubby exec -- sh -c 'mv sm/.git x'
	git_safe
	git_safe sm
}

@test "G21: submodules whose git directories lie outside the project" {
	git init -q other && echo x >other/x && git -C other add x && git -C other commit -qm x
	git init -q super && cd super
	git -c protocol.file.allow=always submodule --quiet add ../other sm
	git commit -qm sm
	cp ../evil sm/evil
	before=$(git -C sm rev-parse HEAD)$(cat sm/.git .git/modules/sm/config)
	# The submodule by itself; then one in the project, whose git directory was put elsewhere.
	for where in sm .; do
		if [ $where = . ]; then
			mv .git/modules/sm ../kept
			echo 'gitdir: ../../kept' >sm/.git
			git config -f ../kept/config core.worktree ../super/sm
			before=$(git -C sm rev-parse HEAD)$(cat sm/.git ../kept/config)
		fi
		run -0 --separate-stderr env CUBBY_ANNOUNCE=yes cubby exec -C $where -- sh -c "cd '$PWD/sm' || exit
			echo gitdir: fake >.git; rm -f .git; mv .git x; ln -sf /x .git
			cd ..; mkdir -p ../kept .git/modules/sm
			for d in ../kept .git/modules/sm; do printf '$(evil_config)' >>\$d/config; done; true"
		echo "$where: $stderr"
		config=.git/modules/sm/config
		[ $where = sm ] || config=../kept/config
		[ "$before" = "$(git -C sm rev-parse HEAD)$(cat sm/.git $config)" ]
		[ $where = . ] || [[ $stderr == *"kept in the box: .git/config"* ]]
		git_safe sm
		git_safe
	done
	# Moved with what is around it.
	run -0 --separate-stderr cubby exec -- sh -c "mkdir fake; printf '$(evil_config)' >fake/config
		mv sm sm2; mkdir sm; echo gitdir: ../fake >sm/.git"
	[[ $stderr == *"set aside: sm/.git"* ]]
	[ ! -e sm/.git ]
	git_safe sm
	git_safe sm2
}

@test "G11: a worktree's .git file and worktrees/*/commondir, also from another worktree" {
	git_repo main
	git -C main worktree add -q "$PWD/wt" 2>/dev/null
	link=$(cat wt/.git)
	boxed "echo ../../../fake >main/.git/worktrees/wt/commondir
		printf '$(evil_config)' >main/.git/worktrees/wt/config.worktree"
	[ "$(cat main/.git/worktrees/wt/commondir)" = ../.. ]
	run ! cubby exec -- sh -c 'echo gitdir: fake >wt/.git'
	[ "$(cat wt/.git)" = "$link" ]
	PWNED=$PWNED git_safe wt
	git_safe main
	cp evil wt/evil
	run ! cubby exec --here -C wt -- sh -c 'echo gitdir: fake >.git; rm -f .git'
	[ "$(cat wt/.git)" = "$link" ]
}

@test "G22: a .git file that leads to a repository of somebody else's" {
	git_repo secret
	echo hidden >secret/hidden && git -C secret add hidden && git -C secret commit -qm hidden
	git -C secret worktree add -q "$PWD/theirs"
	name=$PWD/secret/.git
	mkdir -p p fake/worktrees/p fake/objects fake/refs
	echo ../.. >fake/worktrees/p/commondir
	echo "$name" >fake/worktrees/away
	for link in "$name" "$name/worktrees/theirs" ../secret/.git ../secret/.git/worktrees/theirs \
		../secret/.git/worktrees/../../.git "$PWD/link/.git/worktrees/theirs"; do
		ln -sfn secret link
		echo "gitdir: $link" >p/.git
		echo "$link"
		run -0 cubby exec -C p -- sh -c "git log; ls -A '$PWD/secret' ../secret; true"
		[[ $output != *hidden* && $output == *"not a git repository"* ]]
	done
	# One that leads back, and has its objects elsewhere: by a common directory, and by a link.
	echo "gitdir: ../fake/worktrees/p" >p/.git
	echo "$PWD/p/.git" >fake/worktrees/p/gitdir
	echo "ref: refs/heads/main" | tee fake/HEAD >fake/worktrees/p/HEAD
	for common in "$name" ../../../secret/.git ../worktrees/away; do
		echo "$common" >fake/worktrees/p/commondir
		run -0 cubby exec -C p -- sh -c 'git log; true'
		[[ $output != *hidden* && $output == *"not a git repository"* ]]
	done
	echo ../.. >fake/worktrees/p/commondir
	rmdir fake/objects && ln -s "$name/objects" fake/objects
	run -0 cubby exec -C p -- sh -c 'git log; true'
	[[ $output != *hidden* && $output == *"not a git repository"* ]]
	# Its repository, with another worktree in it.
	git clone -q --bare secret bare
	git -C bare worktree add -q inner -b inner && echo hidden >bare/inner/.env
	git -C bare worktree add -q "$PWD/outer" -b outer
	run -0 cubby exec -C outer -- sh -c 'git log; cat ../bare/inner/.env; true'
	[[ $output != *hidden* && $output == *"not a git repository"* ]]
	# And what would be let in.
	rm fake/objects && cp -a "$name/objects" "$name/refs" fake
	run -0 cubby exec -C p -- sh -c 'git log --format=%s'
	[[ $output == *hidden* ]]
}

@test "G23: a worktree's box, and what is of the repository or of others" {
	git_worktree
	git -C main worktree add -q "$PWD/theirs"
	git -C main tag old
	cp evil wt/evil
	all=$(git -C main for-each-ref refs/heads/main refs/heads/other refs/heads/theirs refs/tags)
	kept=$(cat wt/.git; git_files main/.git/hooks; git_files main/.git/info; git_files main/.git/worktrees/theirs
		cat main/.git/{HEAD,config} main/.git/worktrees/wt/{commondir,gitdir,HEAD}; sha256sum main/.git/index)
	cd wt
	run -0 --separate-stderr boxed "set +e; common=\$(git rev-parse --git-common-dir) own=\$(git rev-parse --git-dir)
		git commit -q --allow-empty -m mine; printf '$(evil_config)' >>\$common/config; printf '$(evil_config)' >\$own/config.worktree
		git config extensions.worktreeConfig true; cp evil \$common/hooks/post-commit; cp evil \$common/hooks/post-checkout
		for ref in heads/main heads/other heads/theirs tags/old; do git update-ref refs/\$ref HEAD; done
		echo 'ref: refs/heads/wt' >\$common/HEAD; echo x >\$common/index; echo '* filter=x' >\$common/info/attributes
		echo '*' >\$common/info/exclude; echo /nowhere >\$common/commondir; echo /nowhere >\$own/commondir
		echo /nowhere/.git >\$own/gitdir; mkdir -p \$own/modules/x; printf '$(evil_config)' >\$own/modules/x/config
		mkdir \$common/refs/bisect; git update-ref refs/bisect/bad HEAD; echo x >\$common/MERGE_MSG
		git rev-parse HEAD >\$common/MERGE_HEAD
		for dir in theirs new; do mkdir -p \$common/worktrees/\$dir; echo x >\$common/worktrees/\$dir/HEAD; done
		mount --bind / \$common/worktrees; umount \$common/worktrees; rm -rf \$common/worktrees
		echo gitdir: fake >.git; rm -f .git; mv .git x; true"
	echo "$stderr"
	cd ..
	[ "$(git -C wt log -1 --format=%s)" = mine ]
	[ "$all" = "$(git -C main for-each-ref refs/heads/main refs/heads/other refs/heads/theirs refs/tags)" ]
	[ "$kept" = "$(cat wt/.git; git_files main/.git/hooks; git_files main/.git/info; git_files main/.git/worktrees/theirs
		cat main/.git/{HEAD,config} main/.git/worktrees/wt/{commondir,gitdir,HEAD}; sha256sum main/.git/index)" ]
	[ ! -e main/.git/MERGE_HEAD ]
	[ ! -e main/.git/MERGE_MSG ]
	[ ! -e main/.git/commondir ]
	[ ! -e main/.git/worktrees/wt/modules ]
	[ ! -e main/.git/worktrees/wt/config.worktree ]
	[ ! -e main/.git/worktrees/new ]
	[ -z "$(git -C main for-each-ref refs/bisect)" ]
	[[ $stderr == *"refs/heads/main: another worktree is on it; the box's is refs/cubby/box/heads/main"* ]]
	[[ $stderr == *"refs/heads/theirs: another worktree is on it"* && $stderr == *"refs/heads/other: it is not this worktree's"* ]]
	[[ $stderr == *"refs/tags/old: it is not this worktree's"* && $stderr == *"kept in the box: .git/config"* ]]
	for dir in main theirs; do [ -z "$(git -C $dir status --porcelain)" ]; done
	for dir in main theirs wt; do git_safe $dir; done
}

@test "G24: a worktree's HEAD leads to no branch that is not its own" {
	git_worktree
	git -C main worktree add -q "$PWD/theirs"
	for branch in other theirs main; do
		at=$(git -C main rev-parse $branch)
		run -0 --separate-stderr cubby exec -C wt -- sh -c "
			git symbolic-ref HEAD refs/heads/$branch; git -c user.name=b -c user.email=b@x commit -q --allow-empty -m x"
		[[ $stderr == *"it is on a branch that is not this worktree's; switch here, outside of the box"* ]]
		[ "$(git -C wt symbolic-ref HEAD)" = refs/heads/wt ]
		[ "$(git -C main rev-parse $branch)" = "$at" ]
		# And not in two steps, nor after a new start.
		cubby exec -C wt -- sh -c 'git -c user.name=b -c user.email=b@x commit -q --allow-empty -m y; true'
		cubby exec -C wt --wipe -y -- true
		[ "$(git -C wt symbolic-ref HEAD)" = refs/heads/wt ]
		[ "$(git -C main rev-parse $branch)" = "$at" ]
	done
	# A branch that is a name for another one: a commit here would move that.
	at=$(git -C main rev-parse other)
	run -0 --separate-stderr cubby exec -C wt -- sh -ec 'git symbolic-ref refs/heads/wt refs/heads/other
		git symbolic-ref refs/heads/alias refs/heads/other; git symbolic-ref HEAD refs/heads/alias'
	[[ $stderr == *"refs/heads/wt: it leads to another name"* && $stderr == *"refs/heads/alias: it leads to another name"* ]]
	[ "$(git -C wt symbolic-ref HEAD)" = refs/heads/wt ]
	git -C wt commit -q --allow-empty -m host
	[ "$(git -C main rev-parse other)" = "$at" ]
	run ! git -C main rev-parse -q --verify refs/heads/alias
	cubby stop -q -C wt
	# Nor while the box changes it back and forth.
	cubby exec -C wt --detach -- sh -c 'cd $(git rev-parse --git-dir); while :; do
		echo "ref: refs/heads/wt" >h; mv h HEAD; echo "ref: refs/heads/other" >h; mv h HEAD; done'
	for ((i = 0; i < 10; i++)); do
		cubby exec -q -C wt -- sh -c 'echo x >>$(git rev-parse --git-dir)/COMMIT_EDITMSG'
		[ "$(git -C wt symbolic-ref HEAD)" = refs/heads/wt ]
	done
	cubby stop -q -C wt
	# What the box made is its own only until somebody else is on it.
	cubby exec -C wt -- sh -ec 'git checkout -q -b made'
	git -C wt checkout -q wt
	git -C theirs checkout -q made
	at=$(git -C theirs rev-parse HEAD)
	run -0 --separate-stderr cubby exec -C wt -- sh -c "git -c user.name=b -c user.email=b@x commit -q --allow-empty -m x; git update-ref refs/heads/made HEAD"
	[[ $stderr == *"refs/heads/made: another worktree is on it"* ]]
	[ "$(git -C theirs rev-parse HEAD)" = "$at" ]
}

@test "G27: the repository's box moves no branch that a worktree is on, nor its own HEAD to one" {
	git_worktree
	git -C main branch busy && git -C main worktree add -q "$PWD/rebases" -b free 2>/dev/null
	mkdir main/.git/worktrees/rebases/rebase-merge
	echo refs/heads/busy >main/.git/worktrees/rebases/rebase-merge/head-name
	kept=$(git -C main for-each-ref refs/heads/wt refs/heads/busy; cat main/.git/logs/refs/heads/wt)
	cd main
	run -0 --separate-stderr boxed 'git commit -q --allow-empty -m mine
		for branch in wt busy other; do git update-ref refs/heads/$branch HEAD; done
		git symbolic-ref refs/heads/alias refs/heads/wt; git symbolic-ref HEAD refs/heads/wt'
	echo "$stderr"
	for branch in wt busy; do
		[[ $stderr == *"refs/heads/$branch: another worktree is on it; the box's is refs/cubby/box/heads/$branch"* ]]
	done
	[[ $stderr == *"refs/heads/alias: it leads to another name"* ]]
	[[ $stderr == *"(it is on a branch that is not this worktree's; switch here"* ]]
	run -0 boxed 'git commit -q --allow-empty -m again; git update-ref -d refs/heads/wt; git update-ref -d refs/heads/busy'
	[ "$kept" = "$(git for-each-ref refs/heads/wt refs/heads/busy; cat .git/logs/refs/heads/wt)" ]
	[ "$(git symbolic-ref HEAD)" = refs/heads/main ]
	run ! git rev-parse -q --verify refs/heads/alias
	# What no worktree is on moves as ever, and what is another's is as it was.
	[ "$(git log -1 --format=%s main)-$(git log -1 --format=%s other)" = again-mine ]
	[ -z "$(git -C ../wt status --porcelain)" ]
	# A worktree that is gone is nobody's.
	git worktree remove --force ../wt
	cubby rm -q -f
	boxed 'git commit -q --allow-empty -m last; git update-ref refs/heads/wt HEAD'
	[ "$(git log -1 --format=%s wt)" = last ]
}

@test "G25: links on the box's own root, in the place of the project and of its repository" {
	AWAY=$(mktemp -d /var/tmp/cubby-t.XXXXXX) # not in /tmp, which a box has anew each time
	chmod 755 "$AWAY"
	cd "$AWAY"
	git_repo p
	mkdir p/sub
	kept=$(git_files p/.git/hooks; cat p/.git/config)
	# Once on the way to the place it is "sub" of the box's own root, the next time the project's.
	cubby exec -C p -- sh -ec "cd /; mv '$AWAY' old; mkdir -p a '$AWAY'; ln -s /a a/sub; ln -s /a/sub '$AWAY/p'"
	for mode in review ro live; do
		echo "$mode"
		cubby exec -C p --project $mode -- sh -c '[ -d /a/.git ] || exit 9
			echo x >/a/new; printf "[core]\n\tpager = /evil\n" >>/a/.git/config; echo x >/a/.git/hooks/pre-commit; true'
		[ "$kept" = "$(git_files p/.git/hooks; cat p/.git/config)" ]
		[ $mode = live ] || [ ! -e p/new ]
	done
	mkdir r
	cd r
	git_worktree
	git -C main worktree add -q "$PWD/theirs"
	echo private >main/.git/worktrees/theirs/MERGE_MSG
	kept=$(git_files main/.git/hooks; cat main/.git/config)
	cubby exec -C wt -- sh -ec "git branch worktrees/wt/x
		cd /; mv '$AWAY' old; mkdir -p b/refs '$PWD/main'; ln -s /b b/refs/heads; ln -s /b/refs/heads '$PWD/main/.git'"
	[ -d main/.git/refs/heads/worktrees/wt ]
	for mode in review live; do
		run -0 --separate-stderr cubby exec -C wt --project $mode -- sh -c '[ -d /b/objects ] || exit 9
			printf "[core]\n\tpager = /evil\n" >>/b/config; echo x >/b/hooks/pre-commit; cat /b/worktrees/*/MERGE_MSG; true'
		[ "$kept" = "$(git_files main/.git/hooks; cat main/.git/config)" ]
		[[ $output != *private* ]]
	done
}

@test "G44: a worktree under review: a .git that leads elsewhere, as a file, a directory and a link" {
	git_repo secret
	echo hidden >secret/file && git -C secret commit -qam hidden
	git_worktree
	kept=$(git_files main/.git/hooks; git_files secret/.git; cat main/.git/{HEAD,config} main/.git/worktrees/wt/{gitdir,commondir})
	was=$(cat wt/.git)
	review="cubby exec -C wt --project review -- env GIT_AUTHOR_NAME=b GIT_AUTHOR_EMAIL=b@x GIT_COMMITTER_NAME=b GIT_COMMITTER_EMAIL=b@x"
	for how in "echo gitdir: $PWD/secret/.git >.git" "rm .git; mkdir -p .git/objects .git/refs; echo ref: refs/heads/main >.git/HEAD; printf '$(evil_config)' >.git/config" \
		"rm .git; ln -s $PWD/secret/.git .git" "rm .git" "rm .git; mkdir .git; echo $PWD/secret/.git >.git/commondir"; do
		echo "$how"
		$review sh -ec "echo two >file; git commit -qam two; $how"
		run -0 cubby apply -C wt
		[[ $output == *held* ]]
		[ "$was" = "$(cat wt/.git)" ]
		# The next start is led by it, to nothing of the host's.
		run $review sh -c "git log --format=%s; cat $PWD/secret/file $PWD/secret/.git/HEAD"
		[[ $output != *hidden* && $output != *refs/heads/main* ]]
		[ "$(git -C wt log -1 --format=%s)" = one ]
		# Then the repository has its turn, from where it was left.
		cubby discard -C wt .git
		[ "$($review git log -1 --format=%s)" = two ]
		cubby apply -C wt
		[ "$(git -C wt log -1 --format=%s)" = two ]
		cubby undo -C wt
		cubby undo -C wt || true
		[ "$(git -C wt log -1 --format=%s)" = one ]
		git -C wt checkout -q .
		cubby discard -C wt --all 2>/dev/null || true
		[ "$kept" = "$(git_files main/.git/hooks; git_files secret/.git; cat main/.git/{HEAD,config} main/.git/worktrees/wt/{gitdir,commondir})" ]
	done
	# Let out by name, it leads the box to no other repository, and nothing of it there.
	$review sh -ec "git commit -q --allow-empty -m three; echo gitdir: $PWD/secret/.git >.git"
	cubby apply -C wt .git
	run $review sh -c "git log --format=%s; cat $PWD/secret/.git/HEAD"
	[[ $output != *hidden* && $output != *refs/heads/main* ]]
	run cubby apply -C wt
	[[ $output == *"kept in the box: all that it changed in .git ("*"does not lead back here"* ]] || { echo "$output"; return 1; }
	[ "$kept" = "$(git_files main/.git/hooks; git_files secret/.git; cat main/.git/{HEAD,config} main/.git/worktrees/wt/{gitdir,commondir})" ]
	echo "$was" >wt/.git
	git_safe wt
	git_safe secret
}

@test "G45: a worktree under review: settings, links and objects of the box's in its two directories" {
	git_worktree
	git -C main worktree add -q "$PWD/theirs"
	git_repo secret
	echo hidden >secret/file && git -C secret commit -qam hidden
	hidden=$(git -C secret rev-parse HEAD)
	cp evil wt/evil
	kept() { # what no box may change
		git_files main/.git/hooks; git_files main/.git/info; git_files main/.git/worktrees/theirs
		cat wt/.git main/.git/{HEAD,config} main/.git/worktrees/wt/{commondir,gitdir,HEAD}; sha256sum main/.git/index
		git -C main for-each-ref refs/heads/main refs/heads/other refs/heads/theirs refs/tags
		ls -A main/.git main/.git/objects/info main/.git/worktrees main/.git/worktrees/wt | grep -vE '^(ORIG_HEAD|COMMIT_EDITMSG|logs)$'
	}
	before=$(kept)
	cubby exec -C wt --project review -- sh -c "cd $PWD/wt; common=\$(git rev-parse --git-common-dir) own=\$(git rev-parse --git-dir)
		git -c user.name=b -c user.email=b@x commit -q --allow-empty -m mine
		printf '$(evil_config)' >>\$common/config; printf '$(evil_config)' >\$own/config.worktree
		for hook in post-checkout pre-commit post-commit reference-transaction; do cp evil \$common/hooks/\$hook; done
		for ref in heads/main heads/other heads/theirs; do git update-ref refs/\$ref HEAD; done
		git symbolic-ref refs/heads/alias refs/heads/main
		rm -rf \$common/info; ln -s $PWD/secret \$common/info; ln -s $PWD/secret/.git/objects \$common/objects/ab
		rm -rf \$common/logs; ln -s $PWD/secret \$common/logs; ln -s $PWD/secret/.git/refs \$common/refs/tags/x
		echo $PWD/secret/.git/objects >\$common/objects/info/alternates
		echo $PWD/secret/.git >\$own/commondir; echo $PWD/secret/.git >\$common/commondir; echo $PWD/theirs/.git >\$own/gitdir
		echo $hidden >\$common/refs/heads/stolen; echo x >\$common/index; echo 'ref: refs/heads/wt' >\$common/HEAD
		mv \$common/worktrees x; rm -rf \$common/worktrees; mkdir -p \$common/worktrees/theirs; umount \$common/worktrees
		ln -s /x \$common/modules; true"
	cubby diff -C wt >/dev/null
	run cubby apply -C wt --all
	echo "$output"
	[ "$before" = "$(kept)" ] || { diff <(echo "$before") <(kept); return 1; }
	run ! git -C main cat-file -e "$hidden"
	run ! git -C main rev-parse -q --verify refs/heads/stolen
	for dir in main theirs; do [ -z "$(git -C $dir status --porcelain)" ]; done
	# And the box starts again, and sees no more than it did.
	run -0 cubby exec -C wt --project review -- sh -c "cat $PWD/secret/file $PWD/main/.git/worktrees/theirs/HEAD 2>&1; true"
	[[ $output != *hidden* && $output != *refs/heads/theirs* ]]
	run cubby undo -C wt
	[ "$before" = "$(kept)" ] || { diff <(echo "$before") <(kept); return 1; }
	cubby discard -C wt --all
	[ "$(cubby exec -C wt --project review -- git log -1 --format=%s)" = one ]
	for dir in main theirs wt; do git_safe $dir; done
}

@test "G46: what the box puts in the place of modules keeps no box from its start" {
	git_worktree
	for mode in live review; do
		for how in "ln -s /x" "touch" "mkdir"; do
			cubby exec -C wt --project $mode -- sh -ec "$how $PWD/main/.git/modules"
			cubby exec -C wt --project $mode -- git log -1 --format=%s
			cubby rm -q -y -C wt
			[ ! -e main/.git/modules ]
			[ ! -L main/.git/modules ]
		done
	done
}

@test "G29: objects whose names are not their sums" {
	git_repo
	good=$(printf 'good\n' | git hash-object --stdin)
	at=.git/objects/${good:0:2}/${good:2}
	run -0 --separate-stderr boxed "
		evil=\$(printf 'evil\\n' | git hash-object -w --stdin)
		mkdir -p .git/objects/${good:0:2}; cp .git/objects/\$(echo \$evil | sed 's,^..,&/,') $at
		git update-index --add --cacheinfo 100644,$good,new
		git commit -qm false; git update-ref refs/heads/side HEAD
		was=.git/objects/\$(git rev-parse HEAD~1:file | sed 's,^..,&/,')
		rm -f \$was; cp $at \$was; test -s $at"
	echo "$stderr"
	[[ $stderr == *"kept in the box: all that it changed in .git (git unpack-objects: "* ]]
	run ! git cat-file -e "$good"
	[ "$(git log -1 --format=%s)" = one ]
	run ! git rev-parse -q --verify refs/heads/side
	[ "$(git show HEAD:file)" = one ]
	git fsck --strict
	# Nor is the index of a pack believed, which says where which sum is.
	cubby exec -q --wipe -y -- true
	run -0 --separate-stderr boxed "echo two >file; git commit -qam two; git repack -adq
		cp .git/objects/pack/*.idx /tmp/idx; chmod u+w .git/objects/pack/*.idx
		perl -0777 -pi -e 's/^(.{1032})(.{20})(.{20})/\$1\$3\$2/s' .git/objects/pack/*.idx
		! cmp -s /tmp/idx .git/objects/pack/*.idx; ! git verify-pack .git/objects/pack/*.idx 2>/dev/null"
	echo "$stderr"
	[ "$(git log -1 --format=%s)" = two ]
	[ "$(git show HEAD:file)" = two ]
	git fsck --strict
}

@test "G12: git config on the host while the box runs leaves the guard in place" {
	git_repo
	cubby exec --keep -- true
	git config user.name other
	boxed "printf '$(evil_config)' >>.git/config; cp evil .git/hooks/pre-commit"
	[ "$(git config user.name)" = other ]
	run ! grep -q fsmonitor .git/config
	git_safe
	cubby stop -q
}

@test "G13: a monitor that was killed: the next start looks at what the box made" {
	git_repo
	cubby exec --keep -- true
	pid=$(cubby info --json | jq .monitor_pid)
	boxed 'echo two >file; git commit -qam two' # taken over
	cubby exec -- sh -c 'true'
	[ "$pid" != null ] || pid=$(ps -o ppid= -p "$(cubby info --json | jq .init_pid)" | tr -d ' ')
	kill -STOP "$pid"
	init=$(pgrep -P "$pid" | head -1)
	nsenter -t "$init" -U -S 0 -G 0 -m true 2>/dev/null || { kill -CONT "$pid"; skip "cannot enter the box from here"; }
	nsenter -t "$init" -U -S 0 -G 0 -m sh -c "cd '$PWD' && git init -q new && printf '$(evil_config)' >>new/.git/config"
	kill -KILL "$pid"
	while [ -d "/proc/$init" ]; do sleep 0.01; done
	run -0 --separate-stderr cubby exec -- true
	[[ $stderr == *"set aside: new/.git"* ]]
	git_safe new
}

# A monitor ends by SIGKILL where memory is short, or because it is deaf ("rm --force").
@test "G63: a monitor that was killed: whoever removes the box or gives it away looks at what it made" {
	local dir=$LIB_PROJECT.volume end
	mkdir -p "$dir" away
	for end in "rm --yes" "mv . away" "exec --wipe -- true"; do
		cubby exec -q --keep --volume "$dir:/v:rw" -- sh -ec "for at in new /v; do
			mkdir \$at/deep -p; git init -q \$at/deep; printf '$(evil_config)' >>\$at/deep/.git/config; done; touch made; sleep 100" 3>&- &
		for _ in $(seq 600); do [ ! -e made ] || break; sleep 0.1; done
		kill -9 "$(cubby info --json | jq .monitor_pid)"
		wait $! || true
		run -0 --separate-stderr cubby $end
		[[ $stderr == *"set aside: new/deep/.git"* ]]
		[[ $stderr == *"set aside: deep/.git"* ]]
		git_safe new/deep
		git_safe "$dir/deep"
		rm -rf made new "$dir/deep"
		cubby rm -q --yes -C away 2>/dev/null || true
	done
	rm -rf "$dir"
}

# What the box has put into the place of the host's, too, and of what settings name.
@test "G59: a monitor that was killed: what is not what it was at the start is looked at" {
	git_repo
	git_repo nest/deep
	git_repo kept/deep
	git_repo linked/deep
	git_repo " blank/deep"
	mkdir tools
	git config core.fsmonitor ./tools/watch
	git config core.hooksPath h/hooks
	printf '#!/bin/sh\n' >tools/watch
	git -C kept/deep config core.editor ./mine
	git -C " blank/deep" config core.editor ./mine
	cubby exec -- sh -c "mv nest n2; mkdir -p nest/deep h/hooks; cp -r n2/deep/.git nest/deep/.git
		printf '$(evil_config)' >>nest/deep/.git/config; cp evil h/hooks/post-checkout
		mv tools t2; mkdir tools; cp evil tools/watch; mv linked l3; ln -s l3 linked; touch made; exec sleep 60" 9>&- &
	for _ in {1..500}; do [ ! -e made ] || break; sleep 0.02; done
	pid=$(cubby info --json | jq .monitor_pid)
	[ "$pid" -gt 1 ]
	init=$(cubby info --json | jq .init_pid)
	kill -KILL "$pid"
	while [ -d "/proc/$init" ]; do sleep 0.01; done
	rm -rf .git/hooks # of the host's own hand, meanwhile
	run -0 --separate-stderr cubby exec -- true
	echo "$stderr"
	for name in nest/deep/.git h/hooks tools/watch; do
		[[ $stderr == *"set aside: $name is now $name.from-box"* ]]
	done
	[ -d kept/deep/.git ]
	[ -d " blank/deep/.git" ]
	[ -d .git ]
	for d in . nest/deep kept/deep; do git_safe $d; done
	[ -L linked ] # it keeps no box from its start
}

@test "G15: a project that the box makes into a repository itself" {
	run -0 --separate-stderr boxed "mkdir -p HEAD.from-box objects refs/heads refs/deep
		git init -q refs/deep; printf '$(evil_config)' >>refs/deep/.git/config
		printf '$(evil_config)\tbare = false\n\tworktree = %s\n' \"\$PWD\" >config
		echo ref: refs/heads/main >HEAD"
	[[ $stderr == *"set aside: HEAD is now HEAD.from-box.2: the box made it, and"* ]]
	[[ $stderr == *"set aside: refs/deep/.git is now"* ]]
	[ ! -e HEAD ]
	[ ! -e refs/deep/.git ]
	git_safe
	git_safe refs/deep
}

@test "G16: a project that is a bare repository of the host" {
	git_repo src
	git clone -q --bare src bare.git
	cd bare.git
	before=$(cat config)
	run -0 --separate-stderr cubby exec -- sh -ec "printf '$(evil_config)' >>config; cp /bin/true hooks/post-update
		export GIT_AUTHOR_NAME=b GIT_AUTHOR_EMAIL=b@x GIT_COMMITTER_NAME=b GIT_COMMITTER_EMAIL=b@x
		git update-ref refs/heads/new \$(git commit-tree -p HEAD -m box HEAD^{tree})"
	[[ $stderr == *"kept in the box: ./config (names programs that git runs)"* ]]
	[ "$(cat config)" = "$before" ]
	[ ! -e hooks/post-update ]
	[ "$(git log -1 --format=%s new)" = box ]
	git fsck --strict
}

@test "G17: more repositories than get a view" {
	for i in $(seq 230); do mkdir -p "r/$i/.git/objects" "r/$i/.git/refs"; echo 'ref: refs/heads/main' >"r/$i/.git/HEAD"; done
	run -0 --separate-stderr cubby exec -- sh -c 'for d in r/*/.git; do echo evil >$d/config; done 2>/dev/null; true'
	[[ $stderr == *"the project has more than 200 repositories"* ]]
	[ -z "$(find r -name config)" ]
}

@test "G18: what takes over is limited, has no network, and runs nothing that any configuration names" {
	git_repo
	mkdir "$LIB_DIR/fake-$BATS_TEST_NUMBER" && cd "$LIB_DIR/fake-$BATS_TEST_NUMBER"
	cat >git <<-EOF
		#!/bin/bash
		{ ulimit -t -f -d; grep -c : /proc/self/net/dev; env; } >>"$PWD/seen"
		exec $(command -v git) "\$@"
	EOF
	chmod 755 git .
	cd "$OLDPWD"
	for h in reference-transaction post-index-change pre-auto-gc; do cp evil ".git/hooks/$h"; done
	git config core.fsmonitor "$PWD/evil"
	git config core.alternateRefsCommand "$PWD/evil"
	git config uploadpack.packObjectsHook "$PWD/evil"
	git config gc.auto 1
	rm -f "$PWNED"
	export SECRET_OF_MINE=x
	PATH="$LIB_DIR/fake-$BATS_TEST_NUMBER:$PATH" boxed 'git config core.fsmonitor false; git config core.hooksPath /none
		for i in 1 2 3; do echo $i >file; git commit -qam $i; done; git repack -adq'
	[ "$(git -c core.fsmonitor=false log -1 --format=%s)" = 3 ]
	[ ! -e "$PWNED" ]
	seen=$LIB_DIR/fake-$BATS_TEST_NUMBER/seen
	[ -s "$seen" ]
	run ! grep -E 'unlimited|SECRET_OF_MINE|^HOME=/[^n]' "$seen"
	grep -q 'cpu time .* 300$' "$seen"
	grep -q 'data seg size .* 2097152$' "$seen"
	grep -qx 1 "$seen" # lo alone
}

@test "G19: a .git that appears while a command runs is looked at, at once" {
	run -0 --separate-stderr timeout 60 cubby exec -- sh -ec "git init -q .
		git config user.name x; printf '$(evil_config)' >>.git/config
		while [ -e .git ]; do sleep 0.05; done
		git init -q .; mkdir -p .git/hooks; cp evil .git/hooks/pre-commit
		while [ -e .git ]; do sleep 0.05; done
		mkdir x objects refs; ln -s x .git
		while [ -L .git ]; do sleep 0.05; done
		git init -q .; git config remote.origin.url https://example.org/x.git; git status >&2"
	[[ $stderr == *"set aside: .git is now .git.from-box: the box made it, and its configuration"* ]]
	[[ $stderr == *".git.from-box.2: the box made it, and it has hooks"* ]]
	[[ $stderr == *".git.from-box.3: the box made it, and it is a link"* ]]
	[ -d .git ]
	git_safe
}

# Between the look at the box's log and the writing of it the host's git moves the branch: here slowly.
@test "G39: a log that is another one once it was looked at takes nothing of the host's away" {
	local real n
	git_repo
	real=$(command -v git)
	mkdir "$LIB_DIR/slow"
	printf '#!/bin/sh\ncase "$*" in *update-ref*) touch %q; sleep 1 ;; esac\nexec %q "$@"\n' \
		"$LIB_DIR/waited" "$real" >"$LIB_DIR/slow/git"
	chmod -R a+rx "$LIB_DIR/slow"
	cubby stop -q 2>/dev/null || true
	PATH=$LIB_DIR/slow:$PATH
	printf '%s\n' 'until [ -e go ]; do sleep 0.05; done; sleep 0.5' \
		'z=0000000000000000000000000000000000000000' \
		'printf "$z $z box <b@x> 1 +0000\tfalse\n" >.git/logs/other && mv .git/logs/other .git/logs/HEAD; touch went' >swap
	cubby exec -q -d -- sh swap
	cp .git/logs/HEAD ../host.log
	boxed 'echo two >file; git commit -qam two; touch go'
	[ -e "$LIB_DIR/waited" ]
	for ((n = 0; n < 500; n++)); do
		[ ! -e went ] || break
		read -rt 0.02 <> <(:) || true
	done
	[ -e went ]
	[ "$(git log -1 --format=%s)" = two ]
	cmp -n "$(stat -c %s ../host.log)" ../host.log .git/logs/HEAD
	rm ../host.log
}

# No filesystem that folds case can be had everywhere: what tells one is a HEAD by two names.
@test "G42: a branch that the host's filesystem takes for another stays beside it" {
	local main two='$(git commit-tree -m two refs/heads/main^{tree})'
	git_repo
	git tag v1
	git pack-refs --all
	[ ! -e .git/refs/heads/main ]
	main=$(git rev-parse main)
	boxed "git branch Other $two"
	ln .git/HEAD .git/head
	run -0 --separate-stderr boxed "git branch Main $two; git tag V1 $two; git branch more $two; git update-ref refs/heads/main $two"
	[[ $stderr == *"refs/heads/Main: the host's filesystem folds case, and may take it for another; the box's is refs/cubby/box/heads/Main"* ]]
	[[ $stderr == *"refs/tags/V1: the host's filesystem folds case, and may take it for another; the box's is refs/cubby/box/tags/V1"* ]]
	[ "$(git for-each-ref --format='%(refname)')" = "$(printf 'refs/%s\n' cubby/box/heads/Main cubby/box/tags/V1 heads/Other heads/main heads/more tags/v1)" ]
	[ "$(git rev-parse main^{commit})" != "$main" ] # its own branch moves as before
	run -0 --separate-stderr boxed 'git symbolic-ref HEAD refs/heads/MAIN'
	[[ $stderr == *"it is on a branch that the host's filesystem, which folds case, may take for another"* ]]
	[ "$(git symbolic-ref HEAD)" = refs/heads/main ]
	rm .git/head
	boxed "git update-ref refs/heads/Main $two" # whatever its HEAD is still
	git rev-parse -q --verify refs/heads/Main
}

@test "G43: names of branches that are paths, options or orders to a terminal" {
	local name sum
	git_repo
	sum=$(git commit-tree -m box 'HEAD^{tree}')
	for name in 'refs/heads/../../config' refs/heads/../../../victim refs/heads/x.lock refs/heads/.x refs/heads/a..b \
		'refs/heads/a b' $'refs/heads/\e]0;title\a' config HEAD FETCH_HEAD hooks/pre-commit 'refs/heads/@{1}' refs/heads/x/; do
		echo "$sum $name"
	done | LC_ALL=C sort -k2 >packed
	run -0 --separate-stderr boxed 'cp packed .git/packed-refs; mkdir -p ".git/refs/heads/-x"
		cp .git/refs/heads/main .git/refs/heads/-x/--exec=evil; cp .git/refs/heads/main .git/refs/heads/-d
		cp .git/refs/heads/main ".git/refs/heads/$(printf "\033]0;title\007")"; cp .git/refs/heads/main .git/refs/heads/good'
	[[ $stderr != *[$'\e\a']* ]]
	[ "$(git for-each-ref --format='%(refname)')" = $'refs/heads/good\nrefs/heads/main' ]
	[ ! -e victim ]
	rm packed
	git fsck --strict
	git_safe
}

@test "G20: a .git of the host that is a link, and refs that are not files" {
	git_repo
	mv .git real
	ln -s real .git
	boxed "rm -f .git; ln -sfn /etc .git; printf '$(evil_config)' >>real/config" || true
	[ "$(readlink .git)" = real ]
	run ! grep -q fsmonitor real/config
	cubby stop -q # what follows is looked at by a box that starts
	mkdir "$PWD/r"
	git_repo r
	git -C r config core.repositoryFormatVersion 1
	git -C r config extensions.refStorage reftable
	run -0 --separate-stderr cubby exec -- sh -c '! touch r/.git/x 2>&1'
	[[ $stderr == *"r/.git is read-only in the box: the repository keeps its refs in another way than in files"* ]] ||
		{ printf '%s\n' "$stderr"; false; }
	[ ! -e r/.git/x ]
}
