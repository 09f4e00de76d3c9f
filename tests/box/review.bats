# A project under review (--project review): what the box sees and changes, what of it comes
# out and how, and that nothing else does.
load ../lib

teardown() { ! mountpoint -q "$LIB_PROJECT/small" || umount -l "$LIB_PROJECT/small"; }

box() { cubby exec --project review -- sh -ec "$1"; }

state() { # of the project: names, kinds, modes, contents
	find . -mindepth 1 -not -path './.git/*' -printf '%p %y %m %l\n' | sort
	find . -type f -not -path './.git/*' -print0 | sort -z | xargs -0r sha256sum
}

box_state() { cubby exec --project review -- sh -c '
	find . -mindepth 1 -not -path "./.git/*" -printf "%p %y %m %l\n" | sort
	find . -type f -not -path "./.git/*" -print0 | sort -z | xargs -0r sha256sum'; }

# What the box sees is what the host has after an apply; undo brings the old state back.
comes_out() { # SCRIPT [OPTION of apply...]
	local before after box
	before=$(state)
	box "$1"
	[ "$(state)" = "$before" ] || { echo "the host's files have changed"; return 1; }
	box=$(box_state)
	shift
	cubby apply "$@"
	after=$(state)
	[ "$after" = "$box" ] || { diff <(echo "$box") <(echo "$after"); return 1; }
	[ -z "$(cubby diff --name-only)" ]
	[ "$(box_state)" = "$box" ]
	cubby undo
	[ "$(state)" = "$before" ] || { diff <(echo "$before") <(state); return 1; }
}

@test "nothing comes out by itself, and the box goes on with what it has" {
	echo one >a
	box 'echo two >>a; echo new >b; mkdir d; echo x >d/x'
	[ "$(cat a)" = one ]
	[ ! -e b ]
	[ ! -e d ]
	[ "$(box 'cat a b d/x' | tr '\n' ' ')" = "one two new x " ]
	[ "$(cubby exec -- cat a)" = one ]
	[ "$(cubby diff --name-only | tr '\n' ' ')" = "a b d/x " ]
}

@test "a shell and a server of tools under review: nothing comes out by itself" {
	local frame
	cubby shell --project review <<<'echo x >a; echo x >.envrc'
	[ ! -e a ]
	[ ! -e .envrc ]
	[ "$(cubby diff --name-only | xargs)" = ".envrc a" ]
	coproc MCP { exec cubby mcp --project review; }
	local pid=$MCP_PID
	printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
		'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
		'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shell","arguments":{"command":"cat a; echo x >b"}}}' >&"${MCP[1]}"
	while read -rt "$(lib_longer 60)" frame <&"${MCP[0]}" && [[ $frame != *'"id":1'* ]]; do :; done
	[[ $frame == *'"id":1'* ]] || { echo "$frame"; return 1; }
	[ ! -e b ]
	eval "exec ${MCP[1]}>&-"
	wait "$pid"
	[ ! -e b ]
	[ "$(cubby diff --name-only | xargs)" = ".envrc a b" ]
}

@test "a patch is one that git takes" {
	printf '%s\n' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 >a
	printf 'no newline' >b
	echo gone >c
	printf 'x' >'q"uo te'
	ln -s a l
	cp -r . ../patched
	box 'sed -i "2s/.*/two/; 10d; \$s/.*/last/" a; printf more >>b; rm c; echo new >n
		chmod +x n; echo y >"q\"uo te"; ln -sfn b l; echo u >"$(printf "\303\251\n")"'
	cubby diff >../patch
	[ "$(cubby diff --patch)" = "$(cat ../patch)" ]
	git -C ../patched init -q
	git -C ../patched apply --unsafe-paths ../patch || git -C ../patched apply ../patch
	rm -rf ../patched/.git
	cubby apply --all
	diff -r --no-dereference . ../patched
	[ -x ../patched/n ]
}

@test "diff --binary: what is no text is in it, and git takes it forth and back" {
	printf 'a\0old' >changed
	head -c 70000 /dev/zero >long
	printf '\0gone' >gone
	: >was-empty
	printf '\0mode' >mode
	cp -r . ../binary
	git -C ../binary init -q
	box 'printf "a\0new" >changed; head -c 200001 /dev/urandom >long; rm gone; printf "\0" >was-empty
		chmod 755 mode; printf "\1\0\2" >mode; printf "1\0" >"n\"w"; echo text >text; : >new-empty'
	cubby diff >../patch
	run -1 git -C ../binary apply ../patch # as git's own without --binary: only that they differ
	[[ $output == *"cannot apply binary patch to 'changed' without full index line"* ]] || { echo "$output"; return 1; }
	cubby diff --binary >../patch
	cp -r ../binary ../was
	git -C ../binary apply ../patch
	cubby apply --all
	diff -r -x .git . ../binary
	[ -x ../binary/mode ]
	git -C ../binary apply -R ../patch
	diff -r ../was ../binary
}

@test "a diff on a terminal hides nothing behind a long line, nor behind a NUL" {
	box 'head -c 150001 /dev/zero | tr "\0" x | sed "s/x/é/g" >a.js
		{ yes plain | head -n 2000; printf "shown\0behind\n"; } >b; echo last >z'
	"$CUBBY_TEST_TOP/tests/on-tty" 'cubby diff' </dev/null >../shown
	[[ $(tail -c 400 ../shown) == *'+shown\x00behind'*'+++ b/z'*'+last'* ]]
	[ "$(grep -o é ../shown | wc -l)" -eq 150001 ]
	[ "$(grep -c '\\x' ../shown)" -eq 1 ]
}

@test "files and directories are made, changed and deleted" {
	mkdir -p d/e x
	echo 1 >a; echo 2 >d/b; echo 3 >d/e/c; echo 4 >x/y
	comes_out 'echo 5 >>a; rm d/b; mkdir n; echo 6 >n/f; rm -r x; mkdir -p d/e/g; echo 7 >d/e/g/h'
}

@test "a directory is replaced by another of its name" {
	mkdir -p d/sub; echo 1 >d/a; echo 2 >d/b; echo 3 >d/sub/c
	comes_out 'rm -r d; mkdir d; echo 9 >d/b; mkdir d/sub; echo 8 >d/sub/new'
}

@test "a file becomes a directory, a directory a file, either a link" {
	echo 1 >f; mkdir d; echo 2 >d/x; echo 3 >g; mkdir h; echo 4 >h/y; ln -s f l
	comes_out 'rm f; mkdir f; echo 5 >f/z; rm -r d; echo 6 >d; rm g; ln -s d g; rm -r h
		ln -s f h; rm l; echo 7 >l'
}

@test "what was removed and made again is what it is now" {
	echo 1 >a; mkdir d; echo 2 >d/b
	comes_out 'rm a; echo 3 >a; rm -r d; mkdir d; echo 4 >d/b'
	box 'rm a; echo 1 >a'
	[ -z "$(cubby diff)" ]
}

@test "a mode alone is a change; the same bytes written again are none" {
	echo 1 >a; echo 2 >b; echo 3 >c; chmod 600 c
	box 'chmod +x a; cat b >b2; cat b2 >b; rm b2; touch b'
	run cubby diff
	[[ $output == *"old mode 100644"*"new mode 100755"* ]]
	[ "$(cubby diff --name-only)" = a ]
	run cubby apply
	[[ $output == *"can be run now"* ]]
	[ ! -x a ]
	comes_out 'true' --all
}

@test "what was taken over waits no more, whatever rights the umask took from it" {
	box 'umask 0; echo 1 >new; mkdir -p d/e; echo 1 >d/e/new; echo 1 >a'
	(umask 077 && cubby apply -q)
	[ "$(stat -c %a new d/e d/e/new)" = $'600\n700\n600' ]
	[ -z "$(cubby diff)" ]
	cubby apply --all -q
	[ "$(stat -c %a new d/e d/e/new)" = $'600\n700\n600' ]
	box 'chmod 666 a; echo 2 >new' # what waits of the rights alone still waits
	(umask 077 && cubby apply -q new)
	[ "$(cubby diff --name-only)" = a ]
}

@test "names of any bytes" {
	comes_out 'echo 1 >"$(printf "new\nline")"; echo 2 >"$(printf "\377\376")"; echo 3 >" "
		mkdir -- "-d"; echo 4 >"-d/\$x"; echo 5 >"$(printf "%0250d" 0)"'
	box 'echo 1 >"$(printf "a\033[31mb")"'
	run cubby diff --stat
	[[ $output != *$'\033[31m'* ]]
}

@test "what acts on this machine is shown first, however many other files there are" {
	local i
	box 'for i in $(seq 30); do echo x >"!$i"; done; echo x >.envrc; echo x >random.py; echo x >Makefile; echo x >sub.c'
	[ "$(cubby diff --name-only | head -n 3 | xargs)" = ".envrc random.py Makefile" ]
	run -0 cubby diff
	[ "$(grep -m 3 '^+++ ' <<<"$output" | xargs)" = "+++ b/.envrc +++ b/random.py +++ b/Makefile" ]
	[ "$(grep -c '^+++ ' <<<"$output")" -eq 34 ]
	run -0 cubby diff --stat
	[[ ${lines[0]} == *" .envrc "*"a shell reads it"* ]]
	[[ ${lines[1]} == *" random.py "*"python"* ]]
	run -0 cubby diff --json
	[ "$(grep -o '"path":"[^"]*"' <<<"${output//\": /\":}" | head -n 3 | xargs)" = "path:/.envrc path:/random.py path:/Makefile" ]
	run -0 --separate-stderr cubby apply
	[[ ${lines[0]} == *" Makefile "* ]]
	# so many that all of them are held
	box 'for i in $(seq 1001); do echo x >"!!$i"; done; echo y >Makefile'
	run -0 cubby diff --stat
	[[ ${lines[0]} == *" .envrc "*"a shell reads it"* ]]
	[[ ${lines[2]} == *" Makefile "* && ${lines[2]} != *" 1000 "* ]]
	[[ ${lines[3]} == *" !!"*"more than 1000"* ]]
}

@test "of many changes, which two processes count, there are as many lines as the patch has" {
	local i
	for i in $(seq 300); do seq "$((i % 7 + 3))" >"$i"; done
	box 'for i in $(seq 300); do case $((i % 4)) in
		0) sed -i 2d $i ;; 1) seq $((i % 5 + 1)) >>$i ;; 2) rm $i ;; *) seq $i >new$i; echo x >>$i ;; esac; done'
	echo top | cat - 297 >temp && mv temp 297 # of both sides
	run -0 cubby diff --json
	jq -r '.[] | select(.directory | not) | "\(.added)\t\(.removed)\t\(.path[1:])"' <<<"$output" | sort >"$BATS_TEST_TMPDIR/counted"
	cubby diff | git apply --numstat | sort >"$BATS_TEST_TMPDIR/of-patch"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/counted")" = 375 ]
	diff "$BATS_TEST_TMPDIR/of-patch" "$BATS_TEST_TMPDIR/counted"
	[ "$(cubby diff --json 290 | jq -c '[.[] | .removed]')" = "[$((290 % 7 + 3))]" ]
}

@test "many files that act for one reason have one line, a few have theirs" {
	box 'mkdir -p .venv/lib .github/workflows .vscode; for i in $(seq 800); do echo x >.venv/lib/$i.py; done
		for i in 1 2 3; do echo x >.github/workflows/$i.yml; done; echo {} >.vscode/tasks.json'
	run -0 cubby diff --stat
	[[ $output == *"  in       .venv/ (800 files) +800  "* ]]
	[[ $output == *".github/workflows/1.yml"*".github/workflows/3.yml"* ]]
	[[ $output == *".vscode/tasks.json"* ]]
	[ "${#lines[@]}" = 5 ]
	[ "$(cubby diff --name-only | wc -l)" = 804 ]
}

@test "a large file with holes" {
	truncate -s 2G hole
	box 'printf x | dd of=hole bs=1 seek=1000000 conv=notrunc 2>/dev/null'
	run cubby diff
	[[ $output == *"Binary files a/hole and b/hole differ"* ]]
	run cubby apply
	[[ $output == *"more than 100 MiB"* ]]
	cubby apply --all
	[ "$(dd if=hole bs=1 skip=1000000 count=1 2>/dev/null)" = x ]
	[ "$(stat -c %s hole)" = 2147483648 ]
}

@test "a file with two names: the one that the box writes is its own from then on" {
	echo 1 >a
	ln a b
	box 'echo 2 >a'
	[ "$(box 'cat b')" = 1 ]
	[ "$(cubby diff --name-only)" = a ]
	cubby apply
	[ "$(cat a b | xargs)" = "2 1" ]
	cubby undo
	[ "$(cat a b | xargs)" = "1 1" ]
	[ a -ef b ]
}

@test "both names of a file are removed, or changed, and back" {
	mkdir d; for i in 1 2 3; do echo $i >d/$i; ln d/$i $i; ln d/$i d/$i.again; done
	comes_out 'rm -r d' --all
	comes_out 'rm -r d 1 2 3' --all
	comes_out 'echo new >d/1; echo newer >1; echo 3 >>d/3.again' --all
	[ 1 -ef d/1.again ]
}

@test "a new name of a file, or several, is no conflict" {
	echo one >a; echo two >b; chmod 755 b
	comes_out 'ln a x; ln a y; ln b z'
	comes_out 'ln a x; ln a y; rm a; ln b z; echo more >>z'
	box 'ln a x; echo 5 >>b'
	rm b
	run cubby apply
	[[ $output == *"new      x"*"1 change is held"*"new      b"*"changed on this machine, too"* ]] || { echo "$output"; return 1; }
	cubby discard --all
}

@test "a file that was moved is no conflict either where its old name was taken over before" {
	mkdir d e; echo one >d/a; echo two >b
	box 'mv d/a e/x; ln b c; mv b e/y'
	cubby apply d b
	[ ! -e d/a ]
	run -0 cubby apply
	[[ $output != *held* ]] || { echo "$output"; return 1; }
	[ "$(cat e/x e/y c | xargs)" = "one two two" ]
}

@test "an old apply that is forgotten changes no file that has a name in it" {
	echo 1 >a; ln a b
	box 'rm a'
	cubby apply
	# As after nineteen more.
	first=$(find "$XDG_DATA_HOME"/cubby/boxes/*/applied/1 -maxdepth 0 -newer b)
	[ -d "$first" ]
	mkdir "${first%/1}/20"
	box 'rm b'
	run -0 cubby apply
	[ ! -e b ] || { echo "$output"; return 1; }
	[ ! -e "$first" ]
	# One that was not forgotten at its time.
	mkdir "${first%/1}/"{2,3,22}
	box 'echo c >c'
	run -0 cubby apply
	[ ! -e "${first%/1}/2" ]
	[ ! -e "${first%/1}/3" ]
}

@test "the disk is full in the middle: the apply goes on when there is room, or back" {
	[ "$(id -u)" = 0 ] || skip "only root mounts a small filesystem"
	mkdir small
	mount -t tmpfs -o size=1m none small
	cd small
	run -0 box true
	[[ $output != *"live"* ]] || skip "$output"
	echo old | tee a z >/dev/null
	local before fill='for f in b c; do head -c 700000 /dev/zero | tr "\0" $f >$f; done; echo new >a; echo new >z'
	before=$(state)
	box "$fill"
	run -1 cubby apply
	[[ $output == *"cannot apply the box's changes: No space left on device; an apply did not come to its end; 'cubby apply --continue'"* ]] || { echo "$output"; return 1; }
	run -1 cubby apply
	[[ $output == *"an apply did not come to its end; 'cubby apply --continue' goes on with it, 'cubby undo' takes it back"* ]]
	cubby undo
	[ "$(state)" = "$before" ]
	run -1 cubby apply
	mount -o remount,size=4m none .
	cubby apply --continue
	[ "$(cat a z | xargs)" = "new new" ]
	[ "$(stat -c %s b c | xargs)" = "700000 700000" ]
	[ -z "$(cubby diff)" ]
	[ -z "$(find . -name '.cubby-*')" ]
	cubby undo
	[ "$(state)" = "$before" ]
}

@test "an apply and an undo that a signal cuts off say what to do" {
	local client status
	mkdir d
	while
		status=0
		box 'cd d; seq 5000 | xargs touch'
		setsid cubby apply --all >out 2>&1 3>&- &
		client=$!
		until [ -e d/50 ]; do :; done
		kill -TERM -- -$client
		wait $client || status=$?
		[ $status = 0 ] # it was faster
	do cubby undo; done
	[ $status = 143 ]
	[ "$(<out)" = "cubby apply: an apply did not come to its end; 'cubby apply --continue' goes on with it, 'cubby undo' takes it back" ] || { cat out; return 1; }
	cubby apply --continue
	[ "$(find d -type f | wc -l)" = 5000 ]
	[ -z "$(find . -name '.cubby-*')" ]
	setsid cubby undo >out 2>&1 3>&- &
	client=$!
	while [ -e d/1 ] && [ -e d/999 ]; do :; done
	kill -TERM -- -$client
	wait $client || status=$?
	[ $status = 143 ]
	[ "$(tail -n 1 out)" = "cubby undo: an undo did not come to its end; 'cubby undo' goes on with it" ] || { cat out; return 1; }
	cubby undo
	[ -z "$(ls d)" ]
}

# bats test_tags=long
@test "thousands of files are applied, and taken back" {
	local n
	n=$(lib_fewer 20000)
	mkdir d
	echo old | tee d/1 d/2 >/dev/null
	box "cd d; seq $n | xargs touch; seq $n | split -l 1000 - part"
	cubby apply --all -q
	[ "$(find d -type f | wc -l)" = $((n + (n + 999) / 1000)) ]
	[ -z "$(cubby diff --name-only)" ]
	cubby undo -q
	[ "$(find d -type f | sort | xargs)" = "d/1 d/2" ]
}

@test "R01: what is neither file, directory nor link does not come out, nor do set-id bits" {
	mkfifo here
	box 'mkfifo pipe; echo x >s; chmod 6755 s; echo y >t; chmod 7777 t; mkdir -m 3777 d'
	run timeout 60 cubby apply --all
	[[ $output == *"neither a file nor a directory nor a link"* ]]
	[ ! -e pipe ]
	[ -p here ]
	[ -f s ]
	[ -f t ]
	[ -d d ]
	[ -z "$(find . -perm /7000)" ]
	[ "$(stat -c %u:%g s)" = "$(id -u):$(id -g)" ]
}

@test "R02: what acts on the host is held, until it is named" {
	box 'echo "touch pwned" >.envrc; mkdir -p .vscode .git/hooks; echo x >.git/hooks/post-checkout; echo {} >.vscode/tasks.json
		echo ok >plain; ln -s /etc out; ln -s ../../x up'
	run cubby apply
	[[ $output == *"5 changes are held"* ]] || { echo "$output"; return 1; }
	[ -e plain ]
	[ ! -e .git/hooks/post-checkout ]
	[ ! -e .envrc ]
	[ ! -e .vscode/tasks.json ]
	[ ! -L out ]
	[ ! -L up ]
	cubby apply .envrc
	[ -e .envrc ]
	[ ! -L out ]
	cubby apply --allow 'o*'
	[ -L out ]
	[ ! -L up ]
	box 'echo more >>plain'
	cubby apply --deny 'pl*'
	[ "$(cat plain)" = ok ]
}

@test "R03: a link in the way is not followed" {
	mkdir d ../outside; echo 1 >d/a
	box 'echo 2 >d/a; echo 3 >d/b'
	mv d e; ln -s ../outside d
	run cubby apply --all --overwrite
	[ -z "$(ls -A ../outside)" ]
	[ "$(cat e/a)" = 1 ]
}

@test "R04: what the host has changed meanwhile is a conflict, both ways" {
	echo 1 >a; echo 1 >b; echo 1 >c
	box 'echo 2 >a; echo 2 >b; rm c; echo 2 >n'
	echo host >a; sed -i s/1/host/ c; echo host >n
	run cubby apply
	[[ $output == *"3 changes are held"*"changed on this machine, too"* ]]
	[ "$(cat a b c n | tr '\n' ' ')" = "host 2 host host " ]
	cubby diff >../patch
	[ "$(grep -c '^cubby: [acn]: changed on this machine, too, since the box began; ' ../patch)" = 3 ]
	grep -A1 '^cubby: a: changed' ../patch | grep -q '^diff --git a/a b/a'
	cp -r . ../patched
	git -C ../patched init -q
	git -C ../patched apply ../patch
	[ "$(cat ../patched/a)" = 2 ]
	[ ! -e ../patched/c ]
	run cubby apply --all
	[ "$(cat a)" = host ]
	cubby apply --all --overwrite
	[ "$(cat a b n | tr '\n' ' ')" = "2 2 2 " ]
	[ ! -e c ]
	cubby undo
	[ "$(cat a c n | tr '\n' ' ')" = "host host host " ]
}

@test "R04: of files in conflict the box's is taken, this machine's kept, or both are merged by hand" {
	printf '%s\n' a b c d e | tee box mine merged >base
	box 'sed -i s/a/box/ box mine merged'
	sed -i s/e/host/ box mine merged
	run -0 cubby apply --overwrite box
	[ "$(xargs <box)" = "box b c d e" ]
	cubby discard mine
	[ "$(xargs <mine)" = "a b c d host" ]
	[ "$(box 'xargs <mine')" = "a b c d host" ]
	mkdir ../there
	cubby apply -q --to ../there merged
	git merge-file merged base ../there/merged
	[ "$(xargs <merged)" = "box b c d host" ]
	[ "$(cubby diff --name-only)" = merged ]
	cubby discard merged
	[ -z "$(cubby diff)" ]
}

@test "R04: what both have changed is put together, and back; of the same lines nothing is lost" {
	printf '%s\n' a b c d e | tee two same >.envrc
	printf 'a\0b\n' >binary
	chmod 644 two
	box 'sed -i s/a/box/ two same .envrc binary; echo new >added'
	sed -i s/e/host/ two .envrc; sed -i s/a/host/ same binary; echo mine >added
	chmod 600 two
	cubby diff >../patch
	grep -q "^cubby: two: changed on this machine, too.*'cubby apply --merge' puts both together" ../patch
	run ! grep -q '^cubby: same: .*--merge' ../patch
	run -0 cubby apply
	[[ $output == *"'cubby apply --merge' puts together"* ]]
	run -0 cubby apply --merge
	[[ $output == *"changed  two +1 -1  merged with what was changed here"* ]]
	[ "$(xargs <two)" = "box b c d host" ]
	[ "$(stat -c %a two)" = 600 ]
	# what acts on this machine is held as ever, and what cannot be merged as it was
	[ "$(cubby diff --name-only | LC_ALL=C sort | xargs)" = ".envrc added binary same" ]
	[ "$(xargs <.envrc)$(cat added)" = "a b c d hostmine" ]
	run -0 cubby apply --merge
	[[ $output == *"'cubby apply --merge PATH' takes over what is merged"* ]]
	run -0 cubby apply --3way same binary
	[ "$(xargs <same)" = "host b c d e" ]
	[ "$(box 'xargs <two')" = "box b c d host" ]
	run -0 cubby apply --markers same .envrc
	printf '%s\n' '<<<<<<< this machine' host ======= box '>>>>>>> the box' b c d e | cmp - same
	[ "$(xargs <.envrc)" = "box b c d host" ]
	[ "$(cubby diff --name-only | LC_ALL=C sort | xargs)" = "added binary" ]
	cubby undo
	[ "$(xargs <same)" = "host b c d e" ]
	cubby undo
	[ "$(xargs <two)" = "a b c d host" ]
	# the box's side of each is in the store
	[ "$(grep -l '^box$' "$XDG_DATA_HOME"/cubby/boxes/*/applied/*/*.box | wc -l)" -ge 3 ]
	run -2 cubby apply --merge --overwrite
	[[ $output == *"--overwrite takes the box's side alone; --merge wants both"* ]]
}

@test "R04: what a box in use goes on to do to a merged file is a conflict again, and another branch's merges, too" {
	printf '%s\n' a b c d e >f
	cubby exec --project review --keep -- sed -i s/a/box/ f
	sed -i s/e/host/ f
	run -0 cubby apply --merge
	[ "$(xargs <f)" = "box b c d host" ]
	[ -z "$(cubby diff --name-only)" ]
	cubby exec --project review -- sed -i s/c/more/ f # which sees its own copy as long as it is mounted
	run -0 cubby apply
	[[ $output == *"changed  f"*"changed on this machine, too"* ]]
	run -0 cubby apply --merge
	[ "$(xargs <f)" = "box b more d host" ]
	# what it takes back of that is a change, too
	cubby exec --project review -- sed -i s/more/c/ f
	sed -i s/host/again/ f
	run -0 cubby apply --merge
	[ "$(xargs <f)" = "box b c d again" ]
	sed -i -e s/c/more/ -e s/again/host/ f
	cubby stop
	[ -z "$(cubby diff --name-only)" ]
	[ "$(box 'xargs <f')" = "box b more d host" ]
	cubby branch other
	cubby exec -b other --project review -- sed -i 's/^b$/other/' f
	box 'sed -i s/host/here/ f'
	run -0 cubby apply
	[ "$(xargs <f)" = "box b more d here" ]
	run -0 cubby apply -b other --merge
	[ "$(xargs <f)" = "box other more d here" ]
}

@test "R04: what the host has removed meanwhile is a conflict, however the box changed it" {
	printf '%s\n' a b | tee by-rename in-place >moved
	box 'sed -i s/a/box/ by-rename; echo box >>in-place; mv moved elsewhere; echo new >new'
	rm by-rename in-place
	run -0 cubby apply
	[[ $output == *"2 changes are held"*"in-place"*"changed on this machine, too"* ]]
	[ "$(cubby diff --name-only | LC_ALL=C sort | xargs)" = "by-rename in-place" ]
	[ "$(xargs <elsewhere)$(cat new)" = "a bnew" ]
	[ ! -e by-rename ]
	cubby apply --overwrite by-rename
	[ "$(xargs <by-rename)" = "box b" ]
}

@test "R04: what a program changed that was ended with its box is merged, too" {
	printf '%s\n' a b c d e >f
	cubby exec --project review -q -d -- sh -c 'sed -i s/a/box/ f; touch done; exec sleep 1000'
	until [ "$(cubby diff --name-only | LC_ALL=C sort | xargs)" = "done f" ]; do read -rt 0.05 <> <(:) || true; done
	cubby stop -q
	sed -i s/e/host/ f
	run -0 cubby apply --merge
	[ "$(xargs <f)" = "box b c d host" ]
}

@test "R04: no name of a file in conflict spoils the patch" {
	echo 1 >'@@ -1 +1 @@'
	box 'echo 2 >"@@ -1 +1 @@"'
	echo host >'@@ -1 +1 @@'
	cubby diff >../patch
	grep -q '^cubby: @@ -1 +1 @@: changed on this machine, too' ../patch
	cp -r . ../patched
	git -C ../patched init -q
	git -C ../patched apply ../patch
	[ "$(cat '../patched/@@ -1 +1 @@')" = 2 ]
}

@test "what the host changes is seen by the next command" {
	echo 1 >a; mkdir d
	[ "$(box 'cat a')" = 1 ]
	echo 2 >a2; mv a2 a; echo 3 >new; rmdir d
	[ "$(box 'cat a new; ls')" = $'2\n3\na\nnew' ]
	box 'echo 4 >a'
	cubby apply
	echo 5 >a
	[ "$(box 'cat a')" = 5 ]
}

@test "what the host changes is seen in a box that is in use, too" {
	echo 1 >a; echo x >gone; mkdir d
	cubby exec --project review --detach -- sh -c '
		until [ -e d/new/deep ]; do sleep 0.05; done
		cat d/new/deep >seen
		until [ "$(cat a)" = 3 ]; do sleep 0.05; done
		cat a >again'
	[ "$(box 'cat a gone; ! ls b')" = $'1\nx' ]
	echo 2 >temp && mv temp a; echo new >b; rm gone
	[ "$(box 'cat a b; ls')" = $'2\nnew\na\nb\nd' ] # by the next command, at once
	mkdir d/new && echo deep >d/new/deep
	until [ -s "$(lib_layer)/seen" ]; do sleep 0.05; done # and by one that runs
	echo 3 >temp && mv temp a
	until [ -s "$(lib_layer)/again" ]; do sleep 0.05; done
	cubby stop
}

# bats test_tags=long
@test "what the host changes is seen in a project of more directories than are watched" {
	echo 1 >a; mkdir -p d{1..42}/{1..100}
	cubby exec --project review --detach -- sh -c '
		: >up; until [ "$(cat a)" = 2 ]; do sleep 0.05; done; cat a >seen; sleep 1000'
	until [ -e "$(lib_layer)/up" ]; do sleep 0.05; done
	echo 2 >temp && mv temp a
	until [ -s "$(lib_layer)/seen" ]; do sleep 0.05; done
	echo 3 >temp && mv temp a
	[ "$(box 'cat a')" = 3 ]
	[ -z "$(find "/proc/$(cubby info --json | jq .monitor_pid)/fd" -lname '*inotify*')" ]
	cubby stop --time 0
}

@test "undo leaves what was changed since, and says so" {
	echo 1 >a; echo 1 >b
	box 'echo 2 >a; echo 2 >b; echo 2 >n'
	cubby apply
	echo host >b; echo host >n
	run cubby undo
	[[ $output == *"left as it is: b: it was changed meanwhile"* ]] || { echo "$output"; return 1; }
	[ "$(cat a b n | tr '\n' ' ')" = "1 host host " ]
	run -1 cubby undo
	[[ $output == *"nothing to take back"* ]]
}

@test "undo goes back one apply after another, also of the same file" {
	echo 1 >a; echo 1 >b
	for i in 2 3 4; do
		box "echo $i >a; echo $i >n; [ $i != 3 ] || rm b; [ $i != 4 ] || echo $i >b"
		cubby apply
	done
	for want in "3 3" "2 2 1" "1 1"; do
		run -0 cubby undo
		[[ $output != *"left as it is"* ]] || { echo "$want: $output"; return 1; }
		[ "$(cat a n b 2>/dev/null | xargs)" = "$want" ]
	done
}

@test "a part is applied or discarded, the rest stays" {
	mkdir d; echo 1 >d/a; echo 1 >b; echo 1 >c
	box 'echo 2 >d/a; echo 2 >d/n; echo 2 >b; rm c'
	cubby apply d
	[ "$(cat d/a d/n b c | tr '\n' ' ')" = "2 2 1 1 " ]
	cubby discard b
	[ "$(cubby diff --name-only)" = c ]
	[ "$(box 'cat b; ls c' 2>&1 | head -1)" = 1 ]
	cubby discard --all
	[ -z "$(cubby diff)" ]
	[ "$(box 'cat c')" = 1 ]
	run -2 cubby discard
	box 'echo 3 >d/a; echo 3 >c'
	(cd d; cubby apply a)
	[ "$(cat d/a c | tr '\n' ' ')" = "3 1 " ]
	run -1 cubby apply ../x
	[[ $output == *"is not below the project directory"* ]]
}

@test "many changes at once, or many deletions, are held" {
	for i in $(seq 50); do echo "$i" >"f$i"; done
	box 'rm f1*'
	run cubby apply
	[[ $output == *"more than a fifth"* ]]
	[ -e f1 ]
	cubby discard --all
	box 'mkdir many; cd many; for i in $(seq 1001); do : >$i; done'
	run cubby apply
	[[ $output == *"1001 changes are held"*"more than 1000"* ]] || { echo "$output" | head; return 1; }
	[ ! -e many/1 ]
	cubby apply many
	[ "$(ls many | wc -l)" = 1001 ]
	cubby undo
	[ ! -e many ]
}

@test "a box that is in use is applied from; what it gave is no change until it changes again" {
	echo 1 >a
	echo gone >b
	echo mine >c
	cubby exec --project review --detach -- sleep 600
	run cubby exec -- sh -c 'echo 2 >a; rm b; echo 2 >c; mkdir d; echo new >d/n; ln -s a l'
	[[ $output == *"in use with --project review"* ]]
	cubby apply
	[ "$(cat a c d/n l | xargs)" = "2 2 new 2" ]
	[ ! -e b ]
	[ -z "$(cubby diff --name-only)" ]
	run -1 cubby discard --all
	[[ $output == *"the box is in use"* ]]
	# Both go on: the box alone in a, the host alone in c, both in d/n.
	cubby exec -q -- sh -c 'echo 3 >>a; echo box >d/n'
	echo host >c
	echo host >d/n
	[ "$(cubby diff --name-only | xargs)" = "d/n a" ]
	run -0 cubby apply
	[[ $output == *"d/n"*"changed on this machine, too"* ]]
	[ "$(cat a c d/n | xargs)" = "2 3 host host" ]
	cubby undo
	[ "$(cat a c | xargs)" = "2 host" ]
	cubby stop
	cubby discard d/n
	cubby apply
	[ "$(box 'cat c d/n' | xargs)" = "host host" ]
	[ -z "$(cubby diff --name-only)" ]
}

@test "a directory that a box in use gave, and that was taken back, stays away" {
	cubby exec --project review --detach -- sleep 600
	cubby exec -q -- sh -c 'mkdir -p d/e f; echo 1 >d/n'
	cubby apply
	[ -d d/e ]
	[ -d f ]
	[ -f d/n ]
	cubby undo
	[ -z "$(ls)" ]
	[ -z "$(cubby diff --name-only)" ]
	run -0 cubby apply
	[ -z "$(ls)" ]
	# what the box changes in one brings it along
	cubby exec -q -- sh -c 'echo 2 >d/n'
	[ "$(cubby diff --name-only)" = d/n ]
	cubby apply
	[ "$(cat d/n)" = 2 ]
	[ "$(find . | sort | xargs)" = ". ./d ./d/n" ]
	cubby undo
	cubby stop
	run -0 cubby apply
	[ -z "$(ls)" ]
}

@test "apply by the configuration, and into another directory" {
	local to=$LIB_DIR/elsewhere
	mkdir "$to"
	echo old >a
	box 'echo new >a; echo x >.envrc; echo y >Makefile; mkdir d empty .vscode; echo z >d/f; echo x >.vscode/tasks.json'
	run -0 cubby apply --to "$to"
	[[ $output == *"2 changes are held"* && $output != *undo* ]]
	[ "$(cat "$to/a" "$to/d/f" "$to/Makefile" | xargs)" = "new z y" ]
	[ ! -e "$to/.envrc" ]
	[ -d "$to/empty" ]
	[ ! -e "$to/.vscode" ] # of which nothing comes out yet
	[ "$(cat a)" = old ]
	[ "$(cubby diff --name-only | xargs)" = ".envrc .vscode/tasks.json Makefile a d/f empty/" ]
	run -1 cubby undo
	mkdir -p "$HOME/.config/cubby"
	echo '{"apply":"safe","apply-allow":[".env*"],"apply-deny":["d/*"]}' >"$HOME/.config/cubby/config.json"
	cubby apply
	echo '{"apply":"ask"}' >"$HOME/.config/cubby/config.json"
	run -0 cubby apply
	rm "$HOME/.config/cubby/config.json"
	[ "$(cat a .envrc | xargs)" = "new x" ]
	[ ! -e d/f ]
	[ "$(cubby diff --name-only | xargs)" = ".vscode/tasks.json d/f" ]
	cubby apply .vscode/tasks.json
	[ -e .vscode/tasks.json ]
	[ "$(cubby diff --name-only)" = d/f ]
}

# An apply that began while the box was in use may still be at work when that has ended.
@test "while changes are taken over nothing else touches the layer" {
	local applying=$(lib_layer)/../../applying out
	box 'echo 1 >a'
	: >"$applying"
	exec {out}>"$applying"
	flock "$out"
	for command in "discard --all" "snapshot one" undo "rm -y"; do
		read -ra words <<<"$command"
		run -1 cubby "${words[@]}" {out}>&-
		[[ $output == *"another command takes changes over just now"* ]] || { echo "$command: $output"; return 1; }
	done
	cubby exec --project review -- cat a >late 2>&1 {out}>&- &
	read -rt 0.5 <> <(:) || true
	[ ! -s late ]
	exec {out}>&-
	until [ "$(cat late)" = 1 ]; do read -rt 0.02 <> <(:) || true; done
}

# What is shown is what comes out: a file that grows meanwhile is left.
@test "an apply copies no more of a file than it had" {
	box 'truncate -s 1M big'
	cubby exec --project review --keep --detach -- sh -c '
		while :; do truncate -s 90M big; truncate -s 3G big; done' >/dev/null
	for i in $(seq 10); do
		cubby apply >out 2>&1 || true
		[ ! -e big ] || [ "$(stat -c %s big)" -le $((90 << 20)) ]
		[ -z "$(find . -maxdepth 1 -name '.cubby-*')" ]
	done
	cubby stop --time 0
}

# A file that the box has copied and the host has not: it was moved here, or removed there.
@test "a file that was moved is no conflict, one that the host removed is" {
	echo one >a; echo two two >b; echo three >c; mkdir d
	comes_out 'mv a d/x; mv b y; echo more >>y; mv c z; echo new >c' --all
	box 'mv a x; echo 5 >>b; echo 6 >>c'
	rm b
	run cubby apply
	echo "$output"
	[[ $output == *"new      x"*"1 change is held"*"new      b"*"changed on this machine, too"* ]]
	[ -e x ]
	[ ! -e a ]
	[ ! -e b ]
}

# As git mv does it: by rename(2), which an overlay refuses (EXDEV) for what lies below it.
rename() { # [OPTION...] FROM TO
	cubby exec --project review "${@:1:$#-2}" -- \
		perl -e 'rename($ARGV[0], $ARGV[1]) or print "$!"' "${@: -2}"
}

@test "a directory of the project is renamed, with all that is in it" {
	mkdir -p d/sub/deep full empty closed other
	echo 1 >d/a; echo 2 >d/sub/b; echo 3 >d/sub/deep/c; ln -s a d/l; echo 4 >full/x
	echo 5 >closed/r; chmod 750 d/sub; touch -d 2020-02-02 d/sub; chmod 555 closed
	[ -z "$(rename d e)" ]
	[[ $(box 'stat -c "%a %y" e/sub') == "750 2020-02-02"* ]]
	cubby discard --all -q
	comes_out 'perl -e "rename(q(d), q(e)) or die"' --all
	comes_out 'cd other; perl -e "rename(q(../d), q(e/)) or die"; mkdir e/sub/new
		perl -e "rename(q(e), q($PWD/../f)) or die"' --all
	comes_out 'perl -e "rename(q(d), q(empty)) or die"' --all
	comes_out 'perl -e "rename(q(closed), q(open)) or die"; chmod 755 open; rm -r open' --all
	[ "$(rename d full)" = "Directory not empty" ]
	[ "$(rename d d/x)" = "Invalid argument" ]
	[ "$(rename d full/x)" = "Not a directory" ]
	[ "$(rename d /tmp/d)" = "Invalid cross-device link" ]
	[ "$(rename none x)" = "No such file or directory" ]
	chmod 755 closed # what is left of the test is removed by whoever runs it
	[ -z "$(cubby diff)" ]
}

# Each attribute and ACL below a directory that tar sees, with the name that it is of.
attributes() { # DIR, in the box
	box "cd $1; find . | sort | while read -r x; do echo \"\$x\"; tar --no-recursion --xattrs --xattrs-include='*' --acls \
		-cf - \"\$x\" | tr '\\0' '\\n' | grep -ao 'SCHILY.[xa].*' | sort; done"
}

@test "a directory of the project that is renamed keeps attributes and ACLs, and gets none of its new place" {
	mkdir -p d/sub/deep d/plain place
	python3 - <<-'EOF' || skip "no attributes or ACLs here"
		import os, struct
		os.setxattr("d", "user.note", b"one")
		os.setxattr("d/sub", "user.note", b"two")
		def acl(path, *perms): # of owner, group, others: for what is made there
		    os.setxattr(path, "system.posix_acl_default", struct.pack("<I", 2) + b"".join(
		        struct.pack("<HHI", tag, perm, 0xffffffff) for tag, perm in zip((1, 4, 32), perms)))
		acl("d/sub", 7, 5, 0)
		acl("place", 7, 0, 0)
	EOF
	before=$(attributes d)
	[[ $before == *user.note*one*user.note*two* && $before == *SCHILY.acl.default* ]] || { echo "$before"; return 1; }
	box 'perl -e "rename(q(d), q(place/e)) or die"'
	after=$(attributes place/e)
	[ "$after" = "$before" ] || { diff <(echo "$before") <(echo "$after"); return 1; }
}

@test "a directory that cannot be renamed is as it was" {
	local deep
	deep=$(printf 'd/%.0s' {1..70})
	mkdir -p "d/$deep" g; echo 1 >d/d/a; echo 2 >"d/${deep}b"; chmod 2755 g
	touch -d 2020-02-02 d/d/d d/d d g
	comes_back() {
		cubby exec --project review -- sh -ec '
			mkdir /tmp/empty
			look() { find d g /tmp/empty -printf "%p %m %TF\n" | sort; }
			look >/tmp/before
			perl -e "rename(q(d), q(x)) or print qq(\$!)"
			perl -e "rename(q(g), q(/tmp/empty)) or print qq(\$!)"
			perl -e "rename(q(g), q(/tmp/new)) or print qq(\$!)"
			[ ! -e /tmp/new ]
			[ ! -e x ]
			look | diff /tmp/before -
			perl -e "rename(q(g), q(h)) or die"
			stat -c " %a" h'
	}
	[ "$(comes_back)" = "$(printf 'Invalid cross-device link%.0s' 1 2 3) 2755" ]
}

@test "a rename by /proc/self is the caller's" {
	[ "$(box 'mkdir -p mnt/sub /mnt/sub
		perl -e "rename(q(/proc/self/cwd/mnt/sub), q(/proc/self/cwd/mnt/new)) or print qq(\$!)"
		ls mnt /mnt | xargs')" = "/mnt: sub mnt: new" ]
}

# A name that the box has looked for before the host made it is listed and not found.
@test "a directory with a name that is not found is not moved for ever" {
	mkdir loop other
	cubby exec --project review --keep --detach -- sh -c '
		! [ -e loop/f ] && touch /tmp/looked
		until ls other | grep -q flag; do sleep 0.05; done
		timeout -s KILL 20 perl -e "rename(q(loop), q(new)); exit 0"
		echo $? >/tmp/done; sleep 1000' >/dev/null
	until cubby exec --project review -- test -e /tmp/looked; do sleep 0.05; done
	echo 1 >loop/f; : >other/flag
	until cubby exec --project review -- test -s /tmp/done; do sleep 0.1; done
	[ "$(cubby exec --project review -- cat /tmp/done)" = 0 ]
	cubby stop --time 0
}

@test "a directory is renamed by whoever may do it, and by nobody else" {
	mkdir d; echo 1 >d/a
	chmod 755 . # for other users of the box
	cubby exec --project review -- true
	[ "$(cubby info --json | jq -r .map.kind)" != single ] || skip "there are no other users"
	cubby exec -q --project review --detach -- sleep 1000 # a box of root's
	[ "$(rename -q --user 7:7 d e)" = "Permission denied" ]
	[ -z "$(cubby diff)" ]
	cubby stop -q
	[ "$(cubby info --json | jq -r .map.kind)" != root ] || [ -z "$(rename --user 7:7 d e)" ]
}

@test "read-only: the project can be seen and not changed" {
	echo 1 >a
	before=$(state)
	[ "$(cubby exec --project ro -- cat a)" = 1 ]
	run cubby exec --project ro -- sh -c 'echo 2 >a; echo 3 >b; mkdir c; touch a; chmod +x a; rm a'
	[[ $output == *"Read-only"* ]]
	[ "$(state)" = "$before" ]
	[ "$(cat a)" = 1 ]
	[ "$(ls)" = a ]
	run -125 cubby exec --project odd -- true
	[[ $output == *"bad mode 'odd'; it is review, live or ro"* ]]
}

@test "doctor, and rm --all, which counts changes, pass over the programs of a project" {
	local name
	mkdir bin
	printf '#!/bin/sh\ntouch "%s/ran"\nexit 1\n' "$LIB_DIR" >bin/newuidmap
	chmod +x bin/newuidmap
	for name in newgidmap getsubids getent; do cp bin/newuidmap "bin/$name"; done
	box "touch waits"
	PATH=$PWD/bin:$PATH cubby doctor
	[ ! -e "$LIB_DIR/ran" ]
	PATH=$PWD/bin:$PATH run -1 "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby rm --all" <<<no
	[[ $output == *"1 change of its project not taken over"*"nothing was removed"* && ! -e $LIB_DIR/ran ]]
	cubby rm -q --yes
}

@test "two names of one file below are two files from the first change on, and one again after an undo" {
	local i before
	for i in 1 2 3 4; do echo old >a$i; ln a$i b$i; done
	before=$(stat -c '%n %i %h' a? b?)
	box 'mv a3 b3 2>/dev/null || true; echo new >>a1; chmod 600 a2; ln a4 c4; echo more >>c4'
	[ "$(box 'cat a1 b1 b2 a3 b3 b4; stat -c %a a2 b2; cat a4 c4' | xargs)" = "old new old old old old old 600 644 old more old more" ]
	cubby apply
	[ "$(cat a1 b1 b2 a3 b3 b4 a4 c4 | xargs)" = "old new old old old old old old more old more" ]
	[ "$(stat -c %a a2 b2 | xargs)" = "600 644" ]
	[ ! a4 -ef c4 ]
	[ a3 -ef b3 ]
	cubby undo
	[ "$before" = "$(stat -c '%n %i %h' a? b?)" ]
}

@test "a change that is never taken over is not said to be by naming it" {
	box 'mkfifo p'
	run -0 --separate-stderr cubby apply
	[[ $stderr == *"'cubby diff' shows it, 'cubby discard PATH' throws it away"* ]] || { echo "$stderr"; return 1; }
	box 'echo x >.envrc'
	run -0 --separate-stderr cubby apply
	[[ $stderr == *"'cubby diff' shows it, 'cubby apply PATH' takes it over"* ]] || { echo "$stderr"; return 1; }
	[ "$(cubby diff --json | jq -c '[.[] | [.path, .never]]')" = '[["/.envrc",false],["/p",true]]' ]
}
