# A task makes a checkpoint before each turn, and the project and the conversation go back to one.
load ../lib
load ../cli/model

setup() {
	lib_project
	echo h >f
	echo h >gone
	mkdir d
	echo h >d/x
}

teardown() {
	model_done
	cubby rm --all --force -q >/dev/null 2>&1 || true
}

# Three turns that change the project, and a fourth that ends the task.
three_turns() {
	model < <(
		call "echo 1 >f; mkdir d/sub; echo 1 >d/sub/y"
		call "echo 2 >f; rm gone; rm -r d; mkdir d; echo 2 >d/z"
		call "echo 3 >f; rm d/z; echo 3 >new"
		finish "done"
	)
	run -0 task --project review "change it" "$@"
	model_done
}

box() { cubby exec --project review -- sh -ec "$1"; }
ALL='cat f; ls -R . | tr "\n" " "'

@test "rewind: the project is what it was after each turn, and what was taken over is taken back" {
	three_turns
	[ "$(cat f new)" = $'3\n3' ]
	[ ! -e gone ]
	run -0 --separate-stderr cubby rewind --list --json
	[ "$(jq -r '.[].name' <<<"$output" | tr '\n' ' ')" = "0 1 2 3 " ]
	run -0 cubby rewind 1
	# not the files of each apply
	[ "$output" = "cubby: the project is as it was after 1 turn; 'cubby resume --at 1' goes on from there
cubby: 3 changes wait in the box; 'cubby diff' shows, 'cubby apply' takes over" ] || { echo "$output"; return 1; }
	[ "$(cat f gone d/x)" = $'h\nh\nh' ] # of this machine
	[ ! -e new ]
	[ "$(box 'cat f gone d/x d/sub/y')" = $'1\nh\nh\n1' ]
	cubby rewind 2
	[ "$(box 'cat f d/z; ls d; test ! -e gone')" = $'2\n2\nz' ]
	cubby rewind 0
	[ "$(box 'cat f gone d/x; test ! -e d/sub')" = $'h\nh\nh' ]
	[ -z "$(cubby diff)" ]
	cubby rewind 3
	[ "$(box 'cat f new; test ! -e d/z')" = $'3\n3' ]
	cubby rewind
	[ "$(box 'cat f new')" = $'3\n3' ] # before the last turn, which only said so
}

@test "rewind: what was taken back is no conflict when it is taken over again" {
	three_turns
	cubby rewind 2
	run -0 cubby apply
	[[ $output != *"changed on this machine"* ]]
	[ "$(cat f d/z)" = $'2\n2' ]
	[ ! -e gone ]
	[ ! -e d/x ]
}

@test "rewind: what a person has changed meanwhile stays, and is a conflict" {
	three_turns
	echo mine >f
	run -0 cubby rewind 1
	[[ $output == *"f"*"changed"* ]]
	[ "$(cat f)" = mine ]
	run cubby apply
	[ "$(cat f)" = mine ]
	[[ $output == *"changed on this machine"* ]]
}

@test "resume --at: the conversation ends where the project is" {
	three_turns
	rm "$BATS_TEST_TMPDIR/requests"
	model < <(
		echo '{"expect":"try another way","calls":[{"name":"shell","args":{"command":"cat f; ls -1 d; echo 9 >nine"}}]}'
		echo '{"expect":"1\nsub\nx","calls":[{"name":"finish","args":{"answer":"other","success":true}}]}'
	)
	run -0 --separate-stderr task_resume --at 1 -m "try another way"
	[ "${stderr_lines[0]}" = "cubby: the project is as it was after 1 turn" ] || { echo "$stderr"; return 1; }
	[[ $output$stderr == *"other"* ]]
	[ "$(cat f nine gone)" = $'1\n9\nh' ]
	[ ! -e new ]
	grep -q 'the person has gone back to this point' "$BATS_TEST_TMPDIR/requests"
	! grep -q 'echo 3 >new' "$BATS_TEST_TMPDIR/requests" || return 1
	run -0 --separate-stderr cubby rewind --list --json
	[ "$(jq -r '.[].name' <<<"$output" | grep -c '^[0-9]*$')" = 3 ]
	run -0 cubby rewind 0
	[ "$output" = "cubby: the project is as it was before the task; 'cubby resume --at 0' begins it again" ]
	[ "$(cat f gone)" = $'h\nh' ]
	model < <(finish "again")
	run -0 --separate-stderr task_resume --at 0
	[ "${stderr_lines[0]}" = "cubby: the project is as it was before the task" ]
	[[ $output$stderr == *again* ]]
}
task_resume() { (no_model cubby resume --no-color "$@" </dev/null); }

@test "resume --at: a number that is none, and a task without checkpoints" {
	run -2 cubby resume --at x
	[ "${lines[0]}" = "cubby resume: --at: bad number of turns 'x'; 'cubby rewind --list' lists them" ]
	three_turns
	model < <(finish "never")
	run -5 task_resume --at 9
	[[ $output == *"the box has no checkpoint '9'; 'cubby rewind --list' lists them"* ]]
	model_done
	model < <(finish "live")
	run -0 task --project live "nothing"
	run -5 task_resume --at 1
	[[ $output == *"the checkpoints are of another task"* ]]
}

@test "checkpoint NAME: kept while the box is in use" {
	cubby exec -q --project review --detach -- sh -c 'echo 1 >f; while [ ! -e go ]; do sleep 0.05; done; echo 2 >f; touch gone2; sleep 1000'
	timeout 60 sh -c "until cubby diff --name-only | grep -qx f; do sleep 0.1; done"
	cubby checkpoint first
	run -1 cubby rewind first
	[[ $output == *"the box is in use; 'cubby stop' ends it"* ]]
	touch go
	cubby stop
	box 'echo 3 >f; rm gone'
	cubby rewind first
	[ "$(box 'cat f gone')" = $'1\nh' ]
	cubby rewind before-rewind
	[ "$(box 'cat f; test ! -e gone')" = 3 ]
	run -0 cubby checkpoint # one that gets a name
	[ "$output" = "cubby: checkpoint 'c1': what is under review" ]
	run -0 --separate-stderr cubby checkpoint --json
	[ "$(jq -r .name <<<"$output")" = c2 ]
	cubby rewind c1
	[ "$(box 'cat f; test ! -e gone')" = 3 ]
	run -2 cubby checkpoint 7
	[ "${lines[0]}" = "cubby checkpoint: bad name '7'; numbers are turns of a task" ]
	run -1 cubby rewind other
	[[ $output == *"the box has no checkpoint 'other'; 'cubby rewind --list' lists them"* ]]
}

@test "checkpoint: of a box whose files come, go and are moved all the time" {
	cubby exec -q --project review --detach -- sh -c 'while :; do
		mkdir -p a/b/c; (cd a/b/c; seq 2000 | xargs touch); rm gone; mv a moved; echo live >gone; rm -r moved; done' 2>/dev/null
	timeout 60 sh -c "until cubby diff --name-only | grep -q gone; do sleep 0.1; done"
	for i in $(seq 30); do
		cubby checkpoint -q "all$i"
	done
	cubby stop
	cubby rewind all30
	[ "$(box 'cat f')" = h ]
}

@test "diff --since: what a task has changed from a turn on, taken over or not" {
	three_turns
	run -0 --separate-stderr cubby diff --since 1 --json
	[ "$(jq -c '[.[] | [.kind, .path]] | sort' <<<"$output")" = \
		'[["changed","/f"],["deleted","/d/sub/y"],["deleted","/d/x"],["deleted","/gone"],["new","/new"]]' ]
	run -0 cubby diff --since 2 f
	[ "$(tail -n +4 <<<"$output")" = $'@@ -1 +1 @@\n-2\n+3' ]
	[ -z "$(cubby diff --since 3)" ]
	[ -z "$(cubby diff)" ]
	echo mine >other # of this machine: no change of the box
	[ "$(cubby diff --since 0 --name-only | xargs)" = "d/x f gone new" ]
	mkdir ../old && (cd ../old && echo h >f && echo h >gone && mkdir d && echo h >d/x)
	cubby diff --since 0 >../patch
	(cd ../old && git init -q . && git apply ../patch && [ "$(cat f new)" = $'3\n3' ] && [ ! -e gone ] && [ ! -e d/x ])
	rm -r ../old
}

@test "a rewind that was killed: one undo does the rest" {
	box 'echo 0 >a'
	cubby apply -q
	cubby checkpoint here
	local client
	while
		box 'echo 1 >b'
		cubby apply -q
		box 'for i in $(seq 900); do echo $i >d/$i; done'
		cubby apply -q
		box 'echo 2 >c'
		cubby apply -q
		setsid cubby rewind here -q >/dev/null 2>&1 3>&- &
		client=$!
		while [ -e c ]; do :; done
		kill -KILL -- -$client
		wait $client || true
		[ ! -e b ] # it was faster
	do :; done
	run -1 cubby apply
	[[ $output == *"an undo did not come to its end; 'cubby undo' goes on with it"* ]]
	run -0 cubby undo
	[ "$output" = "cubby: what a rewind was taking back is taken back" ] || { echo "$output"; return 1; }
	[ "$(cat a)" = 0 ]
	[ ! -e b ]
	[ ! -e c ]
	[ "$(ls d)" = x ]
	[ -z "$(cubby diff --name-only)" ]
	box 'echo 3 >b'
	cubby apply -q
	run -0 cubby undo
	[ "$output" = $'  back     b\ncubby: the last apply is taken back' ]
	[ "$(cat a)" = 0 ]
	[ ! -e b ]
}

@test "diff --since: applies and undos meanwhile, from the same moment" {
	box 'echo 1 >f; echo 1 >a; rm gone; rm -r d; mkdir d; echo 1 >d/new; umask 0; echo 1 >mode'
	cubby checkpoint one
	[ -z "$(cubby diff --since one)" ]
	cubby apply --all -q
	[ -z "$(cubby diff --since one)" ]
	cubby checkpoint two
	box 'echo 2 >f; rm a; rm -r d; echo 2 >d'
	[ "$(cubby diff --since one --name-only | xargs)" = "a d d/new f" ]
	cubby apply --all -q
	box 'echo 3 >f; echo 3 >a; echo 3 >later'
	cubby apply --all -q
	run -0 cubby diff --since two --stat
	[[ $output == *"changed  f"*"+1"*"-1"* && $output == *"deleted  d/new"* && $output == *"new      later"* ]]
	[ "$(cubby diff --since one f | tail -n 2)" = $'-1\n+3' ]
	cubby undo -q
	[ "$(cubby diff --since two --name-only | xargs)" = "a d d/new f" ]
	cubby undo -q
	[ -z "$(cubby diff --since two)" ]
	cubby undo -q # of what was there at that moment
	[ "$(cat f gone)" = $'h\nh' ]
	[ "$(cubby diff --since two f gone | grep '^[-+][^-+]')" = $'-1\n+h\n+h' ]
	run -0 cubby diff --since one --name-only
	[ "$(xargs <<<"$output")" = "a d/new d/x f gone mode" ]
}

# bats test_tags=long
@test "diff --since, -b: a file too large to be shown that is the same on both sides is no change" {
	box 'head -c 9M /dev/zero >large; cp large other; echo 1 >f'
	cubby checkpoint one
	cubby branch -q b
	box 'echo 2 >f; echo x | dd of=other bs=1 seek=9000000 conv=notrunc status=none'
	[ "$(cubby diff --since one --name-only | xargs)" = "f other" ]
	[ "$(cubby diff -b - -b b --name-only | xargs)" = "f other" ]
}

@test "diff --since: no checkpoint, two boxes, applies that are gone, a box in use" {
	run -1 cubby diff --since one
	box 'echo 1 >f'
	run -1 cubby diff --since one
	[[ $output == *"the box has no checkpoint 'one'; 'cubby rewind --list' lists them"* ]]
	run -2 cubby diff --since one -b a -b b
	[ "${lines[0]}" = "cubby diff: --since is for one box, not for two" ]
	cubby checkpoint one
	cubby exec -q --project review --detach -- sh -c 'echo 2 >f; rm gone; sleep 1000'
	timeout 60 sh -c "until cubby diff --since one --name-only | grep -qx gone; do sleep 0.1; done"
	[ "$(cubby diff --since one f | tail -n 2)" = $'-1\n+2' ]
	cubby apply -q f
	[ "$(cubby diff --since one f | tail -n 2)" = $'-1\n+2' ]
	cubby stop -q
	local i
	for i in $(seq 22); do
		box "echo $i >f"
		cubby apply -q
	done
	run -1 cubby diff --since one
	[[ $output == *"the checkpoint 'one': only the last 20 applies are kept, and there were more since" ]]
	for i in $(seq 20); do cubby undo -q; done
	run -1 --separate-stderr cubby undo
	[ "$stderr" = "cubby undo: there is nothing to take back" ]
	[ "$(cat f)" = 2 ]
}

@test "checkpoints: a new task begins anew, and nothing stays of the old one's" {
	local none before
	layers() { find "$XDG_DATA_HOME/cubby/layers" -mindepth 1 -maxdepth 1 -type d | wc -l; }
	none=$(layers)
	three_turns
	before=$(layers)
	model < <(finish "nothing to do")
	run -0 task --project review "look"
	run -0 --separate-stderr cubby rewind --list --json
	[ "$(jq -r '.[].name' <<<"$output" | tr '\n' ' ')" = "0 " ]
	[ "$(layers)" -lt "$before" ]
	cubby rm -y
	[ "$(layers)" = "$none" ]
}

# How many files the checkpoints have by that name.
kept_inodes() { find "$XDG_DATA_HOME/cubby/layers" -path "*/project/upper/$1" -printf '%i\n' | sort -u | wc -l; }

@test "checkpoints: a file that has not changed takes room once, and what a box then writes changes none" {
	box 'seq 1000 >a; echo 1 >b'
	sleep 3 # what has just been changed is copied again
	cubby checkpoint one
	box 'echo 2 >b'
	cubby checkpoint two
	[ "$(kept_inodes a) $(kept_inodes b)" = "1 2" ]
	cubby rewind one
	[ "$(box 'stat -c %h a; echo more >>a; cat b')" = $'1\n1' ]
	cubby rewind two
	[ "$(box 'tail -n 1 a; cat b')" = $'1000\n2' ]
	cubby checkpoint three
	cubby rewind one
	[ "$(box 'tail -n 1 a; cat b; echo x >b')" = $'1000\n1' ]
	[ "$(cubby diff --since two --name-only)" = b ]
}

# bats test_tags=long
@test "checkpoints: a turn without a change costs no copy; too much is said, once" {
	model < <(
		call "echo 1 >f"
		call "true"
		call "mkdir many; cd many; seq 50100 | xargs touch"
		call "true"
		finish "done"
	)
	run -0 task --project review --apply never "much"
	[ "$(grep -c "no checkpoint from this turn on: more than 50000 files or 1024 MiB" <<<"$output")" = 1 ]
	[ "$(find "$XDG_DATA_HOME/cubby/layers" -mindepth 2 -maxdepth 2 -name project | wc -l)" = 2 ]
}

# bats test_tags=long
@test "checkpoint NAME: of one that a box keeps from its end nothing stays in the store" {
	local made=0
	box 'mkdir a; cd a; seq 2000 | xargs touch'
	# shellcheck disable=SC2016
	cubby exec --project review --detach -- perl -e 'mkdir "b"; for (;;) {
		unlink glob "b/*"; for $i (1 .. 2000) { open F, ">b/$i" } }' >/dev/null
	for try in 1 2 3 4; do
		! cubby checkpoint "c$try" || made=$((made + 1))
	done
	cubby stop
	[ "$(find "$XDG_DATA_HOME/cubby/layers" -mindepth 1 -maxdepth 1 -type d | wc -l)" = "$made" ]
}
