# What a task has changed in a project under review, when it ends.
load ../lib
load model

teardown() { model_done; }

change() { # SCRIPT: a task that runs it and ends
	model < <(call "$1"; finish done)
}

review() { task "$@"; } # it is the default

@test "discard --all: what is lost is counted, and asked about at a terminal" {
	cubby exec -q --project review -- sh -c 'mkdir d; touch d/one two'
	run "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby discard --all" <<<n
	[[ $output == *"2 changes wait here, and cannot be got back. Throw them away? [y/N]"*"cubby discard: nothing was thrown away"* ]]
	run -0 cubby diff
	[[ $output == *two* ]]
	run script -qec "cubby discard two" /dev/null </dev/null # what is named is meant
	[[ $output != *"[y/N]"* ]]
	run "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby discard --all" <<<y
	[[ $output == *"1 change waits here, and cannot be got back. Throw it away? [y/N]"* ]]
	run -0 cubby diff
	[ -z "$output" ]
	cubby exec -q --project review -- touch three
	run script -qec "cubby discard --all -y" /dev/null </dev/null
	[[ $output != *"[y/N]"* ]]
	cubby rm -q -y
}

@test "apply: of what both have changed it is said which apply takes it over" {
	printf '%s\n' a b c >same
	cubby exec -q --project review -- sh -c 'sed -i s/a/box/ same'
	sed -i s/a/host/ same
	run -0 cubby apply --merge
	[[ $output == *"kept in the box; 'cubby diff' shows it, 'cubby apply --markers PATH' takes over both sides' lines, --overwrite the box's"* ]]
	run -0 cubby apply --overwrite same
	[[ $output != *"kept in the box"* ]]
	cubby exec -q --project review -- sh -c 'echo box >new'
	echo host >new
	run -0 cubby apply --markers new
	[[ $output == *"kept in the box; 'cubby diff' shows it, 'cubby apply --overwrite PATH' takes the box's over"* ]]
	cubby exec -q --project review -- sh -c 'echo box >.envrc'
	run -0 cubby apply
	[[ $output == *"shows it, 'cubby apply PATH' takes it over, 'cubby apply --overwrite PATH' takes the box's over"* ]]
	cubby rm -q -y
}

@test "what a message tells to type is for the box that -b named" {
	cubby -b other exec -q --project review -- sh -c 'echo one >a'
	run -0 --separate-stderr cubby -b other apply
	[[ $stderr == *"cubby: 'cubby -b other undo' takes back what was taken over" ]]
	cubby exec -q -- true
	run -1 --separate-stderr cubby undo -b -
	[ "$stderr" = "cubby undo: nothing of this directory is under review; what a box does with '--project review', or after 'cubby set project=review', waits here" ]
	run -1 --separate-stderr cubby -b third undo
	[ "$stderr" = "cubby undo: there is no box 'third' for '$PWD'; 'cubby ls' lists them" ]
	run -1 --separate-stderr cubby -b other rewind 7
	[ "$stderr" = "cubby rewind: the box has no checkpoint '7'; 'cubby -b other rewind --list' lists them" ]
	cubby rm -q -y -b other
	cubby rm -q -y
}

@test "what is harmless is there when the task ends, with a line for each file" {
	echo one >a
	change 'echo two >>a; mkdir d; echo x >d/n'
	run -0 --separate-stderr review "do it"
	[ "$(cat a d/n | tr '\n' ' ')" = "one two x " ]
	[[ $stderr == *"changed  a +1"*"new      d/n +1"*"'cubby undo' takes back"* ]] ||
		{ echo "$stderr"; return 1; }
	cubby undo
	[ "$(cat a)" = one ]
	[ ! -e d ]
}

@test "--project live, and beside a live command: it is there at once" {
	change 'echo x >a'
	run -0 --separate-stderr task --project live "do it"
	[[ $stderr == *"+ a +1"* ]]
	[ -z "$(cubby diff)" ]
	model_done
	cubby exec -d --net none -- sleep 1000
	change 'echo y >b'
	run -5 review --project review "do it"
	[[ $output == *"the box runs already, without this --project"* ]]
	run -125 cubby exec --project review -- true
	[[ $output == *"is in use, and sees the project with --project live"* ]]
	run -0 --separate-stderr review "do it"
	[ "$(cat b)" = y ]
	[[ $stderr == *"no review here, the project is live: the box is in use without one"*"+ b"* ]]
	cubby stop
}

@test "what acts on this machine waits, and the last line says for what" {
	change 'echo x >.envrc; echo y >plain'
	run -0 --separate-stderr review "do it"
	[ -e plain ]
	[ ! -e .envrc ]
	[[ $stderr == *"1 change is held"*".envrc"*"'cubby apply PATH' takes it over"* ]]
	run -1 --separate-stderr cubby apply .envrk
	[ "$stderr" = "cubby apply: the box has not changed '.envrk'" ] || { echo "$stderr"; return 1; }
	run -1 --separate-stderr cubby apply .envrk .envrc
	[ -e .envrc ]
	[[ $stderr == *"cubby apply: the box has not changed '.envrk'" ]]
	run -0 --separate-stderr cubby apply . # nothing is left, and none is missing
	[ -z "$output$stderr" ]
}

@test "--apply: all, never, ask" {
	change 'echo x >.envrc'
	review --apply all "do it"
	[ -e .envrc ]
	model_done
	change 'echo y >plain'
	review --apply never "do it"
	[ ! -e plain ]
	model_done
	change 'echo z >other'
	review --apply ask "do it"
	[ ! -e plain ]
	[ ! -e other ]
	[ "$(cubby diff --name-only | xargs)" = "other plain" ]
	run -2 review --apply odd "do it"
	[[ $output == *"it is safe, ask, all or never"* ]]
}

@test "--apply-every call: what a call did is there before the next, and each is an undo" {
	model < <(
		call "echo one >a; echo x >.envrc"
		call "echo two >a; echo b >b"
		finish done
	)
	run -0 --separate-stderr review --apply-every call "do it"
	[[ $stderr == *"taken over: a"*"taken over: a"*"taken over: b"*"1 change is held"*".envrc"* ]] || { echo "$stderr"; return 1; }
	[ "$(cat a b)" = $'two\nb' ]
	[ ! -e .envrc ]
	cubby undo
	[ "$(cat a)" = one ]
	[ ! -e b ] # before the task ended
	cubby undo
	[ ! -e a ]
	run -2 review --apply-every turn "do it"
	[[ $output == *"it is message or call"* ]]
}

@test "--apply-every call: why nothing is taken over is said once, when it happens" {
	local box
	cubby exec --project review -- true
	box=$XDG_DATA_HOME/cubby/boxes/$(cubby info --json | jq -r .key)
	rm -rf "$box/applied"
	echo "in the way" >"$box/applied"
	model < <(
		call "echo one >a"
		call "echo two >b"
		finish done
	)
	run ! --separate-stderr review --apply-every call "do it"
	[ "$(grep -c 'not taken over yet: ' <<<"$stderr")" = 1 ] || { echo "$stderr"; return 1; }
	[[ $stderr == *"not taken over yet: "*"echo two"* ]] || { echo "$stderr"; return 1; }
	[ ! -e a ]
	rm "$box/applied"
	cubby apply # nothing was lost
	[ "$(cat a b | xargs)" = "one two" ]
}

@test "a task that fails, and --rm, come out all the same" {
	model < <(call 'echo x >a'; finish no false)
	run -1 review "do it"
	[ -e a ]
	cubby rm --yes
	model_done
	change 'echo y >b'
	review --rm "do it"
	[ "$(cat b)" = y ]
}

@test "what users of the box made is the person's under review, and named where the project is live" {
	lib_needs_users
	change 'touch theirs; chown 33:33 theirs'
	run -0 --separate-stderr review "do it"
	[ -O theirs ]
	[[ $stderr != *"cubby own"* ]]
	model_done
	change 'touch other; chown 33:33 other'
	run -0 --separate-stderr task --project live "do it"
	[ ! -O other ]
	[[ $stderr == *"some files belong to users of the box; 'cubby own' gives them to you"* ]]
	cubby own
	[ -O other ]
}

@test "the model sees its changes, and the transcript has them turn by turn" {
	echo one >a
	model <<-'END'
	{"calls":[{"name":"changes","args":{}}]}
	{"expect":"[nothing has changed]","calls":[{"name":"shell","args":{"command":"echo two >>a; echo x >b"}}]}
	{"calls":[{"name":"changes","args":{}}]}
	{"expect":"--- a/a\\n+++ b/a\\n@@ -1 +1,2 @@\\n one\\n+two","calls":[{"name":"changes","args":{"path":"/etc"}},{"name":"changes","args":{"path":"b"}}]}
	{"expect":"new file mode 100644","calls":[{"name":"shell","args":{"command":"rm b"}}]}
	{"text":"done"}
	END
	run -0 task -q "look"
	[ "$output" = done ]
	grep -q "'/etc' is not below the project directory" "$BATS_TEST_TMPDIR/requests"
	run -0 cat "$(lib_box)"/transcripts/*.jsonl
	[ "$(jq -r 'select(.type == "patch") | "\(.round) \(.patch | contains("+two")) \(.patch | contains("b/b"))"' <<<"$output" | tr '\n' ,)" = \
		"2 true true,5 true false," ]
	model_done
	model < <(echo '{"calls":[{"name":"changes","args":{}}]}'; finish done)
	run -0 task --project live "look"
	grep -q "there is no tool 'changes'" "$BATS_TEST_TMPDIR/requests"
}

@test "rm, --wipe and prune name what was not taken over" {
	change 'echo x >.envrc; echo y >.npmrc'
	task "do it"
	run -1 cubby rm
	[[ $output == *"2 changes of its project would be lost, not taken over; 'cubby diff' shows them, --yes throws them away"* ]]
	run -125 cubby exec --wipe -- true
	[[ $output == *"2 changes of its project would be lost"* ]]
	cubby snapshot -q one
	touch -d '2 hours ago' "$XDG_DATA_HOME"/cubby/boxes/*/box.json
	printf 'n\n' | "$CUBBY_TEST_TOP/tests/on-tty" -a 'cubby prune --older 1h --no-color' >out || true
	grep -q "2 changes of its project not taken over; 1 snapshot" out || { cat out; return 1; }
	[ "$(cubby diff --name-only | xargs)" = ".envrc .npmrc" ]
	cubby apply .envrc .npmrc
	cubby rm
}

@test "with --json the changes are an object on standard error" {
	change 'echo x >a'
	run -0 --separate-stderr review --json "do it"
	[ "$(jq -r '.review[0].path, .review[0].chosen' <<<"$stderr" | xargs)" = "/a true" ]
	[ -e a ]
}

@test "on a terminal what is held is asked for" {
	cubby exec --project review -- sh -c 'echo x >.envrc; echo y >plain'
	printf 'd\na\n' | timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" -a 'cubby apply --no-color' >out
	[ -e plain ]
	[ "$(cat .envrc)" = x ] || { cat out; return 1; }
	grep -q '^+x' out
	cubby exec --project review -- sh -c 'echo z >.envrc'
	printf '\004' | timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" -a 'cubby apply --no-color' >out
	! grep -q 'discard? cubby' out || { cat out; return 1; } # what comes next has a line of its own
	[ "$(cubby diff --name-only)" = .envrc ]
	printf 'k\n' | "$CUBBY_TEST_TOP/tests/on-tty" -a 'cubby apply --no-color' >out
	[ "$(cubby diff --name-only)" = .envrc ]
	# a letter or a whole word, on a narrow terminal, too
	printf 'abort\nxyz\nKEE\nNo\n' | timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" -a 'stty rows 24 cols 40; cubby apply --no-color' >out
	[ "$(cat .envrc)" = x ]
	[ "$(cubby diff --name-only)" = .envrc ]
	[ "$(tr -d '\r' <out | grep -c '^discard? ')" = 4 ] || { cat out; return 1; }
	printf 'x\n' | "$CUBBY_TEST_TOP/tests/on-tty" -a 'cubby apply --no-color' >out
	[ -z "$(cubby diff --name-only)" ]
	[ "$(cat .envrc)" = x ]
	[[ $(<out) != *"takes back"* ]] || { cat out; return 1; } # nothing was taken over
}

@test "one undo takes back what was taken over at once and what was answered after it" {
	git init -q .
	git -c user.name=a -c user.email=a@b commit -qm one --allow-empty
	echo before >first
	cubby exec --project review -- sh -c 'echo x >first'
	cubby apply
	cubby exec --project review -- sh -c 'echo x >.envrc; echo y >plain; echo "#" >.git/hooks/pre-commit'
	printf 'a\n' | timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" -a 'cubby apply --no-color' >out
	rm out
	[ -e plain ]
	[ -e .envrc ]
	[ -e .git/hooks/pre-commit ]
	run -0 --separate-stderr cubby undo
	[[ $stderr == *"  back     .envrc"*"  back     plain"* ]] || { echo "$stderr"; return 1; }
	[ ! -e plain ]
	[ ! -e .envrc ]
	[ ! -e .git/hooks/pre-commit ]
	[ "$(cat first)" = x ] # another's
	cubby undo
	[ "$(cat first)" = before ]
}

@test "undo and rewind take back a .cubby/box.json that nobody can read" {
	local back
	cubby exec --project review -- true
	cubby checkpoint before
	for back in undo "rewind before"; do
		cubby exec --project review -- sh -c 'mkdir .cubby; echo "{" >.cubby/box.json'
		cubby apply --all
		run -125 cubby exec -- true
		[[ $output == *".cubby/box.json: bad JSON"* ]]
		run -0 bash -c "cubby $back"
		[ ! -e .cubby ] || { echo "$output"; return 1; }
	done
}

@test "an undo of several whose git fails at an older one stops no apply" {
	local applied
	git init -q -b main .
	git -c user.name=a -c user.email=a@b commit -qm one --allow-empty
	cubby exec --project review -- sh -c 'cp .git/refs/heads/main .git/refs/heads/new; echo x >.envrc'
	printf 'a\n' | timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" -a 'cubby apply --no-color' >../out
	git rev-parse -q --verify new
	[ -e .envrc ]
	applied=$(lib_layer)/../../applied
	[ "$(cat "$applied/1/unit")" = "$(cat "$applied/2/unit")" ]
	mv "$applied/1/git-0" "$applied/1/was"
	: >"$applied/1/git-0"
	run -1 --separate-stderr cubby undo
	[ -e .envrc ]
	cubby exec --project review -- sh -c 'echo y >plain'
	run -0 cubby apply
	[ "$(cat plain)" = y ]
	cubby undo
	rm "$applied/1/git-0"
	mv "$applied/1/was" "$applied/1/git-0"
	cubby undo
	[ ! -e .envrc ]
	run ! git rev-parse -q --verify new
}

@test "on a terminal what is held is asked for, one by one" {
	mkdir .vscode
	cubby exec --project review -- sh -c \
		'for i in .bashrc .envrc .npmrc .vscode/tasks.json; do echo "of $i" >$i; done'
	# it is asked in the order of the list: names that are sorted
	printf 'f\nk\nd\na\nx\na\n' | timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" -a 'cubby apply --no-color' >out
	[ "$(cat .envrc .vscode/tasks.json)" = $'of .envrc\nof .vscode/tasks.json' ] || { cat out; return 1; }
	[ ! -e .bashrc ]
	[ ! -e .npmrc ]
	[ "$(grep -c '^+of' out)" = 1 ]
	grep -q '^+of .envrc' out
	[ "$(cubby diff --name-only)" = .bashrc ]
	[[ $(<out) == *"'cubby undo' takes back"*"kept in the box"* ]]
	cubby undo # one takes back all that was answered
	[ ! -e .envrc ]
	[ -z "$(ls -A .vscode)" ]
	printf 'f\nx\nx\nx\n' | timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" -a 'cubby apply --no-color' >out
	[ -z "$(cubby diff --name-only)" ] || { cat out; return 1; }
}

@test "on a terminal what both have changed is merged by an answer, and the rest asked for again" {
	printf '%s\n' a b c d e | tee f g >h
	cubby exec --project review -- sh -c 'sed -i s/a/box/ f g h; echo x >.envrc'
	sed -i s/e/host/ f g; sed -i s/a/host/ h
	printf 'f\nk\nk\nm\nk\n' | timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" -a 'cubby apply --no-color' >out
	[ "$(xargs <g)" = "box b c d host" ] || { cat out; return 1; }
	[ "$(xargs <f)" = "a b c d host" ]
	[ "$(grep -c '\[m\]erge, \[a\]pply the box' out)" = 2 ] || { cat out; return 1; } # not of h and .envrc
	printf 'm\nk\n' | timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" -a 'cubby apply --no-color' >out
	[[ $(<out) == *"what is left:"* ]] || { cat out; return 1; }
	[ "$(xargs <f)" = "box b c d host" ]
	[ "$(cubby diff --name-only | LC_ALL=C sort | xargs)" = ".envrc h" ]
}

@test "one by one, until no answer comes any more: what was answered is done, the rest stays" {
	cubby exec --project review -- sh -c 'for i in .bashrc .envrc .npmrc; do echo "of $i" >$i; done'
	printf 'f\na\n\004' | timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" -a 'cubby apply --no-color' >out
	[ -e .bashrc ] || { cat out; return 1; }
	[ "$(grep -c '\[x\] discard?' out)" -le 3 ] || { cat out; return 1; } # of all, of two files
	[ "$(cubby diff --name-only | xargs)" = ".envrc .npmrc" ]
}

@test "an answer whose step fails is no success" {
	mkdir d
	cubby exec --project review -- sh -c 'echo x >d/.envrc; echo y >.envrc'
	chattr +i d 2>/dev/null || skip "only root can make a directory that nobody writes to"
	printf 'a\n' | { timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" -a 'cubby apply --no-color' >out; echo $? >status; } || true
	chattr -i d
	[ "$(cat status)" = 1 ] || { cat status out; return 1; }
	grep -q 'left as it is: d/.envrc' out
	[ "$(cat .envrc)" = y ]
}

asked() { # HOW OFTEN
	until [ "$(grep -o 'discard?' out | wc -l)" -ge "$1" ]; do
		kill -0 "$apply" || { cat out; return 1; }
		read -rt 0.02 <> <(:) || true
	done
}

@test "what was typed before a question was shown answers nothing" {
	local question
	cubby exec --project review -- sh -c 'echo x >.envrc'
	mkfifo keys
	for question in "cubby apply" "cubby discard --all"; do
		: >out
		timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" "read -r go; $question --no-color" <keys >out &
		apply=$!
		exec {keys}>keys
		printf 'go\n%s\n' "$([ "$question" = "cubby apply" ] && echo a || echo y)" >&"$keys"
		until grep -q 'discard? $\|\[y/N\] $' out; do
			kill -0 "$apply" || { cat out; return 1; }
			read -rt 0.02 <> <(:) || true
		done
		echo n >&"$keys"
		wait $apply || true
		exec {keys}>&-
		[ ! -e .envrc ] && [ "$(cubby diff --name-only)" = .envrc ] || { cat out; return 1; }
	done
}

@test "a patch is of what is agreed to: what a box has changed since is listed again" {
	local answer key n=1
	cubby exec --project review --keep -- sh -c 'echo one >.envrc'
	mkfifo keys
	timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" 'cubby apply --no-color' <keys >out &
	apply=$!
	exec {keys}>keys
	asked 1
	for answer in d "f d"; do
		cubby exec --project review -- sh -c 'echo evil >>.envrc'
		for key in $answer; do # "one by one" asks, too
			echo "$key" >&"$keys"
			asked $((++n))
		done
		[ "$(grep -c 'it has changed since it was shown' out)" -eq $((n / 2)) ]
		! grep -q '+evil' out
	done
	echo d >&"$keys"
	asked $((n + 1))
	grep -q '+evil' out
	echo k >&"$keys"
	wait $apply
	exec {keys}>&-
	[ ! -e .envrc ]
}

@test "an answer is for what was shown: what a box has changed since is shown again" {
	echo mine >README
	cubby exec --project review --keep -- sh -c 'echo x >.envrc'
	mkfifo keys
	timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" 'cubby apply --no-color' <keys >out &
	apply=$!
	exec {keys}>keys
	asked 1
	cubby exec --project review -- sh -c 'echo evil >.envrc; echo evil >.gdbinit; echo evil >README'
	echo yours >README
	echo a >&"$keys"
	asked 2
	[ ! -e .envrc ]
	[ ! -e .gdbinit ]
	[ "$(cat README)" = yours ]
	grep -q 'it has changed since it was shown' out
	grep -q '\.gdbinit' out
	grep -q README out
	echo a >&"$keys"
	wait $apply
	exec {keys}>&-
	[ "$(cat .envrc .gdbinit README | xargs)" = "evil evil evil" ] || { cat out; return 1; }
	cubby stop
}

@test "who thinks about an answer keeps no other command from the box" {
	cubby exec --project review -- sh -c 'echo x >.envrc'
	mkfifo keys
	timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" 'cubby apply --no-color' <keys >out &
	apply=$!
	exec {keys}>keys
	asked 1
	timeout 60 cubby exec --project review -- sh -c 'echo y >.gdbinit'
	timeout 60 cubby discard .envrc
	echo x >&"$keys"
	asked 2
	[ "$(cubby diff --name-only)" = .gdbinit ] || { cat out; return 1; }
	echo x >&"$keys"
	wait $apply
	exec {keys}>&-
	[ -z "$(cubby diff --name-only)" ]
	[ ! -e .envrc ]
	[ ! -e .gdbinit ]
}

@test "an answer is for what the box has, though it was restored meanwhile" {
	cubby exec --project review -- sh -c 'echo kept >.gdbinit'
	cubby snapshot -q before
	cubby exec --project review -- sh -c 'echo gone >.envrc'
	mkfifo keys
	timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" 'cubby apply --no-color' <keys >out &
	apply=$!
	exec {keys}>keys
	asked 1
	timeout 60 cubby restore -q before
	echo a >&"$keys"
	asked 2
	[ ! -e .envrc ] && [ ! -e .gdbinit ] || { cat out; return 1; }
	echo a >&"$keys"
	wait $apply
	exec {keys}>&-
	[ ! -e .envrc ] && [ "$(cat .gdbinit)" = kept ] || { cat out; return 1; }
}

@test "an answer is for what was shown of a repository, too" {
	local head
	git init -q -b main
	git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
	head=$(git rev-parse HEAD)
	tag() { timeout 60 cubby exec --project review -- sh -c 'mkdir -p .git/refs/tags; echo "$1" >".git/refs/tags/$2"' sh "$head" "$1"; }
	mkdir -p "$HOME/.config/cubby"
	echo '{"apply":"ask"}' >"$HOME/.config/cubby/config.json"
	mkfifo keys
	for answer in x a; do
		tag one
		: >out # the questions before are not asked again
		timeout 120 "$CUBBY_TEST_TOP/tests/on-tty" 'cubby apply --no-color' <keys >out &
		apply=$!
		exec {keys}>keys
		asked 1
		tag two
		echo $answer >&"$keys"
		asked 2
		grep -q 'it has changed since it was shown' out
		[ -z "$(git tag)" ]
		echo $answer >&"$keys"
		wait $apply
		exec {keys}>&-
	done
	rm "$HOME/.config/cubby/config.json"
	[ "$(git tag | xargs)" = "one two" ]
}

@test "an empty directory that is new or gone has its line" {
	mkdir gone
	cubby exec --project review -- sh -c 'mkdir -p a/b a/c a.d; echo x >a/c/f; rmdir gone'
	run -0 cubby apply
	[ "${output%cubby: *}" = "  new      a.d/
  new      a/b/
  new      a/c/f +1
  deleted  gone/
" ] || { echo "$output"; return 1; }
	[ -d a/b ]
	[ ! -e gone ]
	cubby exec --project review -- mkdir later
	cubby diff --name-only | xargs cubby apply
	[ -d later ]
}

@test "what is changed here while a task runs is seen by what it runs" {
	echo old >replaced
	mkdir -p d/e
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"cat replaced; ls new d/e/deep; touch up"}}]}
	{"calls":[{"name":"shell","args":{"command":"until [ -e d/e/deep ]; do sleep 0.05; done; cat new replaced"}}]}
	{"expect":"one\\ntwo","text":"seen"}
	END
	{
		until [ -e "$(lib_layer)/up" ]; do read -rt 0.02 <> <(:) || true; done
		echo one >new
		echo two >temp && mv temp replaced
		mkdir -p d/e/f && touch d/e/deep
	} 3>&- {MODEL_FD}>&- &
	run -0 task -q "look"
	[ "$output" = seen ]
	wait $!
}

told() { # what the model was told of AGENTS.md in the last request's prompt
	tail -n 1 "$BATS_TEST_TMPDIR/requests" | grep -o '## AGENTS.md[^"]*' | sed 's/\\n.*//'
	model_done
}

# bats test_tags=long
@test "words of the project that a task wrote are said to be changed, until they are others" {
	echo mine >AGENTS.md
	change 'echo of the box >AGENTS.md'
	task --project live "do it"
	[ "$(told)" = "## AGENTS.md" ]
	change 'true'
	task --project live "do it"
	[ "$(told)" = "## AGENTS.md (changed by an earlier task in this machine)" ]
	change 'true'
	review "do it"
	[ "$(told)" = "## AGENTS.md (changed by an earlier task in this machine)" ]
	echo mine again >AGENTS.md
	change 'echo held >AGENTS.md'
	review "do it"
	[ "$(told)" = "## AGENTS.md" ]
	change 'true'
	review "do it" # which the person has not let through
	[ "$(told)" = "## AGENTS.md" ]
	change 'echo more >AGENTS.md'
	review --apply all "do it"
	model_done
	change 'true'
	review "do it"
	[ "$(told)" = "## AGENTS.md (changed by an earlier task in this machine)" ]
}

@test "words that a task wrote are its own, however many other names it made" {
	echo mine >AGENTS.md
	change 'mkdir 0; cd 0; seq -f %g.pth 1001 | xargs touch; echo of the box >../AGENTS.md'
	task --project live "do it"
	[ "$(told)" = "## AGENTS.md" ]
	change 'true'
	task --project live "do it"
	[ "$(told)" = "## AGENTS.md (changed by an earlier task in this machine)" ]
}
