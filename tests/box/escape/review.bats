# What a box under review leaves in its layer, and what of it reaches the host.
load ../../lib
load git

setup_file() { git_setup_file; }
setup() { git_setup; rm -f evil; }

review() { # SCRIPT
	cubby exec --project review -- sh -ec "export GIT_AUTHOR_NAME=box GIT_AUTHOR_EMAIL=b@x
export GIT_COMMITTER_NAME=box GIT_COMMITTER_EMAIL=b@x
$1"
}

@test "V01: a commit comes out with its files, and not before" {
	git_repo
	review 'echo two >file; git add -A; git commit -qm two; git checkout -q -b side
		echo s >s; git add s; git commit -qm side'
	[ "$(git log -1 --format=%s)" = one ]
	[ "$(cat file)" = one ]
	cubby apply
	git fsck --strict
	[ "$(git log -1 --format=%s side)" = side ]
	[ "$(git symbolic-ref HEAD)" = refs/heads/side ]
	[ -z "$(git status --porcelain)" ]
	[ -z "$(cubby diff --name-only)" ]
	echo three >file; git commit -qam three
	[ "$(review 'git log -1 --format=%s')" = three ]
	review 'echo four >file; git commit -qam four'
	cubby apply
	[ "$(git log -1 --format=%s)" = four ]
}

@test "V02: a branch that the host has moved keeps its place" {
	git_repo
	review 'echo two >file; git commit -qam two'
	echo host >other; git add other; git commit -qm host
	cubby apply
	[ "$(git log -1 --format=%s)" = host ]
	[ "$(git log -1 --format=%s refs/cubby/box/heads/main)" = two ]
}

@test "V03: hooks and configuration of a repository stay in the box" {
	git_repo
	review 'printf "#!/bin/sh\ntouch '"$PWNED"'\n" >.git/hooks/post-commit; chmod +x .git/hooks/post-commit
		git config core.fsmonitor "touch '"$PWNED"'"; echo two >file; git commit -qam two || true
		git init -q sub; printf "[core]\nfsmonitor = touch '"$PWNED"'\n" >>sub/.git/config'
	cubby apply
	git status >/dev/null; git commit -q --allow-empty -m host; git -C sub status || true
	[ ! -e "$PWNED" ]
	[ ! -e .git/hooks/post-commit ]
	[ ! -e sub/.git ]
	git config --get core.fsmonitor && return 1
	cubby diff --name-only | grep -qx .git/config
	cubby discard .git
	[ -z "$(cubby diff --name-only .git)" ]
}

@test "V04: nothing that was put into a name, a link or the layer leads out" {
	mkdir ../outside in; echo 1 >in/a
	review 'rm -r in; ln -s ../outside in; mkdir -p real; ln -s real way'
	cubby apply --all
	[ -z "$(ls -A ../outside)" ]
	review 'rm way; mkdir way; echo 2 >way/x'
	rm way; ln -s ../outside way
	cubby apply --all --overwrite || true
	[ -z "$(ls -A ../outside)" ]
}

# As the box's root, by the system call: the image has no program for it.
plant() { # PATH NAME VALUE
	review "perl -e '\$n = {x86_64 => 188, aarch64 => 5}->{\$ARGV[0]} or die;
		print syscall(\$n, \$ARGV[1], \$ARGV[2], \$ARGV[3], length \$ARGV[3], 0) == 0 ? \"set\" : \"refused: \$!\", \"\n\"' \"\$(uname -m)\" $*"
}

@test "V11: attributes of the overlay that the box sets hide nothing, and do not come out" {
	mkdir real lower; echo 1 >real/keep; echo 1 >lower/keep; echo 1 >file
	review 'echo 2 >real/new; echo 2 >file; mkdir made'
	plant file user.own yes >../own
	[ "$(cat ../own)" = set ] # so the call is the right one
	local at
	for at in "real user.overlay.opaque y" "real user.overlay.redirect /etc" "made user.overlay.redirect /lower" \
		"file user.overlay.metacopy x" "file user.overlay.whiteout y" "lower user.overlay.opaque y"; do
		# shellcheck disable=SC2086 # three words
		plant $at | grep -E '^(set|refused: )'
	done
	run -0 cubby diff --name-only
	[ "$(sort <<<"$output" | xargs)" = "file made/ real/new" ]
	cubby apply --all
	[ "$(cat real/keep lower/keep file real/new | xargs)" = "1 1 2 2" ]
	[ -z "$(ls -A made)" ]
	python3 -c 'import os
for d, dirs, files in os.walk("."):
	for n in dirs + files:
		for x in os.listxattr(os.path.join(d, n), follow_symlinks=False):
			assert not x.startswith(("user.", "trusted.")), (d, n, x)'
}

@test "V05: the layer and its state cannot be seen or named in the box" {
	review 'echo 1 >a'
	review '! grep -q "project/upper\|boxes" /proc/self/mountinfo; ! ls -d /box /stage 2>/dev/null'
	review '! umount "$PWD" 2>/dev/null; [ "$(cat a)" = 1 ]'
	[ ! -e a ]
}

@test "V06: a command that wants a review does not join a live box, nor the other way in silence" {
	cubby exec --detach -- sleep 600 >/dev/null
	run -125 cubby exec --project review -- touch made
	[[ $output == *"--project live"*"'cubby stop' ends it"* ]] || { echo "$output"; return 1; }
	# Also where it asks for what the box has already.
	run -125 cubby exec --net gate --project review -- touch made
	[[ $output == *"the box runs already, without this --project"* ]] || { echo "$output"; return 1; }
	[ ! -e made ]
	cubby stop
	cubby exec --project review --detach -- sleep 600 >/dev/null
	run -0 cubby exec -- touch made
	[[ $output == *"in use with --project review"* ]]
	[ ! -e made ]
	cubby stop
}

@test "V07: what cannot be reviewed is live, and said" {
	[ "$(id -u)" -eq 0 ] || skip "mounts"
	mkdir sub
	mount -t tmpfs none sub || skip "no mounts here"
	run cubby exec --project review -- touch made
	umount sub
	[[ $output == *"no review here, the project is live: something else is mounted in it, at '$PWD/sub'"* ]] ||
		{ echo "$output"; return 1; }
	[ -e made ]
	git init -q --bare .
	run cubby exec --project review -- true
	[[ $output == *"the project is live: it is a bare repository itself"* ]] ||
		{ echo "$status: $output"; return 1; }
}

@test "V09: an apply from a box that goes on takes nothing that was not judged" {
	review 'mkdir -p in; echo ok >in/f'
	cubby exec --project review --detach -- sh -c '
		while :; do ln -sfn in/f l; ln -sfn /etc/passwd l; echo x >g; ln -sf /etc/shadow g; rm -f g; done' >/dev/null
	for i in $(seq 20); do
		cubby apply -q >/dev/null 2>&1 || true
		for f in l g; do
			[ ! -L "$f" ] || [[ $(readlink "$f") == in/f ]] || { readlink "$f"; return 1; }
		done
	done
	cubby stop
}

@test "V08: a layer that cannot be read does not make the project live" {
	review 'd=x; for i in $(seq 80); do d=$d/x; done; mkdir -p $d; echo 1 >$d/f'
	run -125 cubby exec --project review -- touch made
	[[ $output == *"what waits in the box cannot be shown"*"cubby discard --all"* ]] ||
		{ echo "$output"; return 1; }
	[ ! -e made ]
	local how
	for how in apply diff undo "checkpoint c"; do
		# shellcheck disable=SC2086 # two words
		run -1 cubby $how
		[[ $output == *"nested directories too deep; 'cubby discard --all' throws away what waits"* ]] ||
			{ echo "$how: $output"; return 1; }
	done
	[ ! -e x ]
	cubby discard --all
	review 'touch made'
	[ ! -e made ]
}

@test "V10: going back takes no branch, no HEAD and no index of the host's back" {
	git_repo
	review 'echo two >file; git commit -qam two; git config core.fsmonitor "touch '"$PWNED"'"'
	cubby snapshot kept
	cubby apply
	[ "$(git log -1 --format=%s)" = two ]
	echo host >other; git add other; git commit -qm host
	host=$(git rev-parse HEAD)
	cubby restore kept
	cubby branch side kept
	for of in "" side; do
		cubby apply ${of:+-b $of}
		[ "$(git rev-parse HEAD)" = "$host" ]
		[ "$(git ls-files)" = $'file\nother' ]
		git fsck --strict
		run ! git config --get core.fsmonitor
		git_safe
		git reset -q --hard "$host"; git checkout -q -f main; git reset -q --hard "$host"
	done
}

@test "V12: a directory that git takes for a repository by what is in it stays in the box" {
	git_repo
	evil_config='printf "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ..\nfsmonitor = touch '"$PWNED"';:\n"'
	review "mkdir -p docs/objects docs/refs docs/more; echo ref: refs/heads/main >docs/HEAD
		$evil_config >docs/config; echo 1 >docs/more/page
		mkdir -p far/o/objects far/o/refs; echo ref: refs/heads/main >far/HEAD
		echo o >far/commondir; $evil_config >far/o/config; echo ref: refs/heads/main >far/o/HEAD
		mkdir plain; echo 1 >plain/HEAD; echo 1 >plain/config"
	cubby apply
	[ -z "$(ls -d docs far 2>/dev/null)" ] || { find docs far; return 1; }
	[ "$(cat plain/HEAD)" = 1 ]
	run -0 cubby diff --json
	jq -e '.[] | select(.path == "/docs/more/page") | .class == "held" and .why == "a part of a repository that the box has made"' \
		<<<"$output" >/dev/null || { echo "$output"; return 1; }
	# What is there of it already does not let the rest come by itself.
	mkdir -p docs/objects docs/refs
	cubby apply
	[ ! -e docs/HEAD ]
	[ ! -e docs/config ]
	for d in docs far far/o; do [ ! -d "$d" ] || (cd "$d" && git status >/dev/null); done
	[ ! -e "$PWNED" ]
}

@test "V13: settings and hooks of a bare repository of the host stay in the box" {
	echo 1 >file
	git init -q --bare mirror
	mkdir late
	echo 1 >mirror/notes
	review 'printf "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ..\nfsmonitor = touch '"$PWNED"';:\n" >mirror/config
		printf "#!/bin/sh\ntouch '"$PWNED"'\n" >mirror/hooks/post-update; chmod +x mirror/hooks/post-update
		echo two >mirror/notes; mkdir late/hooks; cp mirror/hooks/post-update late/hooks/'
	git init -q --bare late.git # the host's, made since the box began
	cp -a late.git/. late/
	cubby apply
	for d in mirror late; do
		run ! git -C "$d" config --get core.fsmonitor
		git -C "$d" status >/dev/null 2>&1 || true
	done
	[ ! -e "$PWNED" ]
	[ -z "$(ls -d mirror/hooks/post-update late/hooks/post-update 2>/dev/null)" ]
	[ "$(cat mirror/notes)" = 1 ]
	cubby diff --json | jq -e '.[] | select(.path == "/mirror/config") | .class == "held"' >/dev/null
}

@test "V14: links that lead out only together with others are held" {
	mkdir -p sub/deep ../outside; ln -s ../outside data
	review 'cd sub/deep; ln -s ../.. up; ln -s up/../x over; ln -s ../../data/x through; ln -s ../../file in'
	cubby apply
	[ "$(readlink sub/deep/up)" = ../.. ]
	[ "$(readlink sub/deep/in)" = ../../file ]
	[ ! -L sub/deep/over ]
	[ ! -L sub/deep/through ] # "data" is the host's, and leads out
}

@test "V15: what a link of the host leads to under a name that acts is held" {
	mkdir -p env conf/vs scripts .husky; echo 1 >env/rc; echo 1 >scripts/pre-push
	ln -s ./env/rc .envrc; ln -s conf/vs .vscode; ln -s ../scripts/pre-push .husky/pre-push
	review 'echo 2 >env/rc; echo 2 >env/other; echo 2 >conf/vs/tasks.json; echo 2 >scripts/pre-push; echo 2 >scripts/other'
	cubby apply
	[ "$(cat env/rc env/other scripts/pre-push scripts/other | xargs)" = "1 2 1 2" ]
	[ ! -e conf/vs/tasks.json ]
	cubby apply env/rc
	[ "$(cat env/rc)" = 2 ]
}

@test "V16: names of changes give no orders to a terminal" {
	command -v script >/dev/null || skip "no script(1)"
	review 'touch "$(printf "a\033]52;c;eA==\007b")"'
	run -0 script -qec 'cubby diff --name-only' /dev/null
	[[ $output == *'a\x1b]52;c;eA==\x07b'* ]] || { printf '%q\n' "$output"; return 1; }
	[[ $output != *$'\e'* ]]
	[ "$(cubby diff --name-only)" = $'a\e]52;c;eA==\ab' ]
}

@test "V17: two directories that change places while they are taken over bring out nothing unjudged" {
	review 'mkdir d e; for i in $(seq 200); do
		echo judged >d/f$i; ln -s /etc/passwd e/f$i; ln -s f$i d/g$i; ln -s /etc/passwd e/g$i; done'
	cubby exec --project review --detach -- perl -e '
		$n = {x86_64 => 316, aarch64 => 276}->{$ARGV[0]} or die;
		($d, $e) = ("d\0", "e\0");
		1 while syscall($n, -100, $d, -100, $e, 2) == 0' "$(uname -m)" >/dev/null
	local i files=0
	for i in $(seq 12); do
		cubby apply -q >/dev/null 2>&1 || true
		[ -z "$(find . -type l -lname "/*")" ] || { find . -type l -lname "/*" -ls; return 1; }
		files=$(find d e 2>/dev/null | wc -l)
	done
	[ "$files" -gt 0 ]
	cubby stop
}

@test "V20: what is mounted in the project after its review began is neither shown nor changed" {
	[ "$(id -u)" -eq 0 ] || skip "mounts"
	local ask out=
	mkdir sub "$LIB_DIR/keys"
	echo words >"$LIB_DIR/keys/secret"
	review 'echo mine >sub/secret; echo mine >sub/new; echo mine >file'
	mount --bind "$LIB_DIR/keys" sub || skip "no mounts here"
	for ask in diff "diff --stat" apply "apply --all" "apply sub/secret" "discard sub" undo; do
		# shellcheck disable=SC2086
		run cubby $ask
		out+="$ask: $status: $output"$'\n'
	done
	umount sub
	echo "$out"
	[[ $out == *"diff: 1: cubby diff: what waits stays in the box: something else is mounted in it, at '$PWD/sub'; 'umount' it first"* ]]
	[[ $out != *words* ]]
	[ "$(ls "$LIB_DIR/keys")" = secret ]
	[ "$(cat "$LIB_DIR/keys/secret")" = words ]
	[ ! -e file ]
	cubby apply --all
	[ "$(cat sub/secret sub/new file)" = $'mine\nmine\nmine' ]
}

# As in a live project, where it is read-only (escape/gitmade, G51, G52, G55).
@test "V18: what git's settings name is held" {
	export HOME=$LIB_DIR/home.v18
	mkdir -p "$HOME" tools githooks conf sub/tools "$HOME/up/front/tools"
	git init -q .; git init -q sub; git init -q "$HOME/up"
	git config --global core.attributesFile attributes
	git config core.hooksPath githooks
	git config filter.x.clean 'sh tools/clean'
	git config include.path ../conf/more
	printf '[diff]\n\texternal = ./tools/differ\n' >conf/more
	git -C sub config pager.log tools/pager
	local name names=(tools/clean tools/differ tools/plain conf/more sub/tools/pager githooks/pre-push attributes sub/attributes)
	for name in "${names[@]}"; do echo old >"$name"; done
	printf '[diff]\n\texternal = ./tools/differ\n' >conf/more
	review "for name in ${names[*]}; do echo new >\$name; done; echo new >githooks/pre-commit"
	run -0 --separate-stderr cubby apply
	[[ $stderr == *"8 changes are held"* ]] || { echo "$stderr"; return 1; }
	for name in "${names[@]}"; do
		[ "$name" = tools/plain ] && continue
		! grep -q new "$name" || { echo "$name came out"; return 1; }
	done
	[ ! -e githooks/pre-commit ]
	[ "$(<tools/plain)" = new ]
	cubby apply githooks
	[ "$(<githooks/pre-commit)" = new ]
	# And of a repository that the project lies in.
	cd "$HOME/up"
	git config core.fsmonitor front/tools/watch
	git config core.hooksPath front
	cd front
	cubby exec --project review -- sh -c 'mkdir -p tools; echo new >tools/watch; echo new >tools/other; echo new >post-merge'
	run -0 cubby apply
	[ ! -e tools/watch ]
	[ ! -e post-merge ]
	[ -e tools/other ]
	cubby rm --yes
}

# Of a submodule and of a worktree in the project, whose settings stand elsewhere.
@test "V19: what the settings of a submodule and of a worktree in the project name is held" {
	git_parts
	git -C sm config diff.external ./tools/differ
	git -C sm config include.path ../../../conf/sm
	mkdir conf
	: >conf/sm
	git config pager.log tools/pager
	review 'mkdir sm/tools wt/tools fake; for name in sm/tools/differ sm/tools/plain wt/tools/pager conf/sm; do echo new >$name; done
		echo "gitdir: ../.git" >fake/.git'
	run -0 --separate-stderr cubby apply
	echo "$stderr"
	[ ! -e sm/tools/differ ]
	[ ! -e wt/tools/pager ]
	[ ! -e fake/.git ]
	[ ! -s conf/sm ]
	[ "$(<sm/tools/plain)" = new ]
	git status >/dev/null
}

# The box that exchanges them is the one under review, which may be running, or one that it
# handed the directory to: that takes a moment, which is the host's here.
@test "V22: an apply removes no directory of the host's for one of git's in the layer" {
	local i upper hit=0
	mkdir -p "$LIB_DIR/victim/.git"
	chmod 711 "$LIB_DIR"
	for ((i = 0; i < 10 && hit == 0; i++)); do
		git_repo "sub$i"
		review "cd sub$i; seq 500 | while read -r n; do echo \$n >f\$n; done; git add -A; git commit -qm two"
		upper=$XDG_DATA_HOME/cubby/boxes/$(cubby info --json | jq -r .key)/project/upper
		[ -e "$upper/sub$i/.git/index" ]
		ln -sfn "$LIB_DIR/victim" "$upper/link"
		timeout "$(lib_longer 20)" sh -c 'while [ -e "$1/.git/index" ]; do :; done
			exec "$2" "$1" "$3" </dev/null' sh "$upper/sub$i" \
			"$CUBBY_TEST_TOP/build/release/tests/box/probes/swap" "$upper/link" 3>&- &
		cubby apply -q >/dev/null 2>&1 || true
		wait $!
		[ -d "$LIB_DIR/victim/.git" ]
		# Else it was removed before: then that was too late.
		[ ! -d "$upper/link/.git" ] || hit=1
	done
	[ "$hit" = 1 ]
	cubby rm -q -y
}

@test "V23: what a box makes its project lead to is not asked to be as it was" {
	mkdir -p "$PWD-up/p"
	cd "$PWD-up/p"
	run -0 --separate-stderr cubby exec -q --project review -- sh -c '
		grep devpts /proc/mounts >/root/before; up=${PWD%/p}
		cd /; mv "$up" "$up-was"; mkdir "$up"; ln -s /dev/pts "$up/p"
		sleep 1; grep devpts /proc/mounts | diff /root/before -'
	[ -z "$output" ]
}

@test "V21: a disk that the box has filled does not make the project live" {
	[ "$(id -u)" -eq 0 ] || skip "mounts"
	review true
	cubby stop
	local dir
	dir=$XDG_DATA_HOME/cubby/boxes/$(cubby info --json | jq -r .key)/project
	mount -t tmpfs -o size=64k,mode=711 none "$dir" || skip "no mounts here"
	mkdir "$dir/upper"
	head -c 1M /dev/zero >"$dir/fill" 2>/dev/null || true
	run cubby exec --project review -- touch made
	umount "$dir"
	[ "$status" = 125 ]
	[[ $output == *"the project cannot be put under review: "*"No space left on device"*"cubby prune"* ]] ||
		{ echo "$output"; return 1; }
	[ ! -e made ]
	review 'touch made'
	[ ! -e made ]
}

# Another checkout has settings of its own, and lies in repositories of its own.
@test "V24: what git's settings name is held in another directory, too, to which changes are taken" {
	local up=$LIB_PROJECT.up
	git init -q "$up"
	git -C "$up" config core.fsmonitor to/tools/watch
	git init -q "$up/to"
	git -C "$up/to" config core.hooksPath githooks
	git -C "$up/to" config diff.external ./tools/differ
	mkdir tools githooks
	review 'for name in tools/differ tools/watch tools/plain githooks/pre-commit; do echo new >$name; done'
	run -0 --separate-stderr cubby apply --to "$up/to"
	[[ $stderr == *"3 changes are held"* ]] || { echo "$stderr"; return 1; }
	[ "$(<"$up/to/tools/plain")" = new ]
	[ ! -e "$up/to/githooks/pre-commit" ]
	[ ! -e "$up/to/tools/differ" ]
	[ ! -e "$up/to/tools/watch" ]
	rm -rf "$up"
}
