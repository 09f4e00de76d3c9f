# exec: streams, statuses, signals, environment, terminals, detached commands.
load ../lib

@test "exec: data through it is the same" {
	run -0 bash -c 'printf data | cubby exec -- sha256sum'
	[ "$output" = "$(printf data | sha256sum)" ]
}

# bats test_tags=long
@test "exec: more output than 31 bits can count, in a pipeline" {
	local size=2200000000
	cubby exec -- head -c $size /dev/zero | { cmp - /dev/zero || true; } >cmp 2>&1
	[ "${PIPESTATUS[*]}" = "0 0" ]
	[[ $(cat cmp) == "cmp: EOF on "*" after byte $size, "* ]] # all zeros, and as many
}

# bats test_tags=long
@test "exec: a command that does not read its input is none the worse" {
	cubby exec --keep -- true
	for _ in {1..300}; do
		printf data | cubby exec -- true
	done
	for _ in {1..50}; do
		run -0 bash -c 'head -c 300000 /dev/zero | cubby exec -- head -c 3 >/dev/null'
	done
	run -141 bash -c 'set -o pipefail; cubby exec -- yes | head -n 1'
	[ "$output" = y ]
	cubby stop -q
}

@test "exec: status of the command, and its streams apart" {
	run -7 --separate-stderr cubby exec -- sh -c 'echo out; echo err >&2; exit 7'
	[ "$output" = out ]
	[ "$stderr" = err ]
}

@test "exec: -vv says how long the start took, and what was chosen" {
	local what="image test, id map [a-z-]+, root overlay, limits by [a-z0-9-]+, network gate .*; 'cubby info' says why"
	run -0 --separate-stderr cubby exec -vv --keep -- echo said
	[ "$output" = said ]
	[[ $stderr =~ "cubby: box: started in "[0-9]+" ms: "$what ]]
	for _ in 1 2 3 4 5 6 7 8 9 10; do # its answer is not taken for another question's
		run -0 --separate-stderr cubby exec -vv -- true
		[[ $stderr =~ "cubby: box: joined in "[0-9]+" ms: "$what ]] || { echo "$stderr"; return 1; }
	done
	run -0 --separate-stderr cubby exec -v -- true
	[ -z "$stderr" ]
	cubby stop -q
}

@test "exec: 126, 127, 128+N" {
	run -127 --separate-stderr cubby exec -- no-such-program
	[ "$stderr" = "cubby exec: cannot run 'no-such-program': No such file or directory" ]
	run -126 --separate-stderr cubby exec -- /etc
	[[ $stderr == "cubby exec: cannot run '/etc': "* ]]
	run -126 cubby exec -- /etc/passwd
	run -137 cubby exec -- sh -c 'kill -9 $$'
}

@test "exec: a directory that is not there, or not one" {
	run -125 --separate-stderr cubby exec -C ./absent -- true
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *absent*"No such file or directory"* ]]
	touch file
	run -125 --separate-stderr cubby exec -C ./file -- true
	[[ $stderr == *"Not a directory"* ]]
	run -125 --separate-stderr cubby exec -C / -- true
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "exec: in a directory that was removed" {
	mkdir gone
	cd gone
	rmdir "$PWD"
	run -125 --separate-stderr cubby exec -- true
	[ "$stderr" = "cubby exec: cannot resolve directory '.': No such file or directory; it was removed; change to another" ]
}

@test "exec: a directory that was removed and made anew while its box runs" {
	mkdir again
	cubby exec -q -C again --here --keep -- true
	rmdir again
	mkdir again
	run -125 --separate-stderr cubby exec -C again --here -- true
	[ "$stderr" = "cubby exec: the directory '$PWD/again' that the box has was removed; 'cubby stop' ends the box, and the next start has the one that is there now" ]
	cubby stop -q again
	run -0 cubby exec -q -C again --here -- true
}

@test "exec: closed standard streams" {
	run -0 bash -c 'cubby exec -- cat <&-'
	[ -z "$output" ]
	run -125 --separate-stderr bash -c 'cubby exec -- echo x >&-'
	[ "$stderr" = "cubby exec: cannot write standard output: Bad file descriptor" ]
	run -0 bash -c 'cubby exec -- sh -c "echo x; echo y >&2" 2>&-'
	[ "$output" = x ]
}

@test "exec: a full disk under the output is told" {
	run -125 --separate-stderr bash -c 'cubby exec -- echo x >/dev/full'
	[ "$stderr" = "cubby exec: cannot write standard output: No space left on device" ]
}

@test "exec: a reader that goes ends the command by SIGPIPE" {
	run bash -c 'cubby exec -- yes | head -1; echo "${PIPESTATUS[0]}"'
	[ "$output" = "y"$'\n'"141" ]
}

@test "exec: output of a child that outlives the command is not waited for" {
	run -0 --separate-stderr timeout 20 cubby exec -- sh -c 'sleep 1000 & echo started'
	[ "$output" = started ]
}

# bats test_tags=long
@test "exec: a slow reader gets all that a command wrote before it ended" {
	# more than the reader's pipe holds, less than the box's: the command does not wait
	run -0 bash -c 'cubby exec -- sh -c "seq 1 100000; : >ended" |
		{ until [ -e ended ]; do sleep 0.05; done; sleep 1; sha256sum; }'
	[ "$output" = "$(seq 1 100000 | sha256sum)" ]
	run -0 bash -c 'cubby exec -- sh -c "seq 1 100000 >&2; : >ended2" 2>&1 >/dev/null |
		{ until [ -e ended2 ]; do sleep 0.05; done; sleep 1; sha256sum; }'
	[ "$output" = "$(seq 1 100000 | sha256sum)" ]
}

@test "exec: a signal ends it when the command has ended and its reader takes nothing" {
	local status=0 n
	# the reader is whoever holds the fifo open and never reads
	mkfifo full
	exec 7<>full
	cubby exec -- sh -c 'seq 1 100000; : >ended; exit 3' >full 7>&- &
	lib_until test -e ended
	for ((n = 0; n < 1200; n++)); do
		kill "$!" 2>/dev/null || break
		sleep 0.05
	done
	kill -KILL "$!" 2>/dev/null || true
	exec 7>&-
	# the first may have met the command itself, just before its end
	wait "$!" || status=$?
	[ "$status" = 3 ] || [ "$status" = 143 ]
}

# bats test_tags=long
@test "exec: a child that goes on printing after the command is not waited for" {
	run -0 timeout 30 cubby exec -- \
		sh -c '(while :; do echo more; sleep 0.05; done) & echo started'
	[ "${lines[0]}" = started ] || [[ $output == *$'\n'started$'\n'* ]]
	run -0 bash -c 'timeout 30 cubby exec -- sh -c "yes more & echo started" >/dev/null'
}

@test "exec: appends to a file that was opened for it" {
	echo first >log
	cubby exec -- echo second >>log
	[ "$(cat log)" = "first"$'\n'"second" ]
}

# bats test_tags=long
@test "exec: under timeout the command gets the signal" {
	cubby exec -- true
	run -124 --separate-stderr timeout 3 cubby exec -- \
		sh -c 'trap "echo got; exit 9" TERM; echo ready; while :; do sleep 0.1; done'
	[ "$output" = "ready"$'\n'"got" ]
}

@test "exec: what the caller ignores or blocks is not ignored inside" {
	# of the client that starts the box, and of one that joins it; 32 and 33 as make leaves them
	run -0 --separate-stderr python3 -c 'import ctypes, os, sys
nr = 13 if os.uname().machine == "x86_64" else 134 # rt_sigaction
for s in (32, 33):
	ctypes.CDLL(None).syscall(nr, s, (ctypes.c_ulong * 4)(1), None, 8)
os.execvp("bash", ["bash", "-c", sys.argv[1]])' 'trap "" HUP INT TERM USR1 CHLD
		cubby exec --keep -- grep -E "^Sig(Ign|Blk)" /proc/self/status
		cubby exec -- grep -E "^Sig(Ign|Blk)" /proc/self/status'
	[ "${#lines[@]}" -eq 4 ]
	for line in "${lines[@]}"; do
		echo "$line" # shown if it is not what is wanted
		[[ $line =~ ^Sig(Blk|Ign):[[:space:]]0{16}$ ]]
	done
	cubby stop -q
}

@test "exec: a long argument, in a box that is started and in one that runs" {
	local long
	long=$(printf '%0100000d' 0)
	for _ in 1 2; do
		run -0 --separate-stderr cubby exec --keep -- sh -c 'echo "${#1}" "$2"' sh "$long" end
		[ "$output" = "100000 end" ]
	done
	cubby stop -q
}

@test "exec: only what a terminal needs is in its environment" {
	export SECRET=1 OPENAI_API_KEY=sk-never LC_ALL=C.UTF-8
	run -0 cubby exec -- env
	[[ $output != *SECRET* && $output != *sk-never* ]]
	[[ $output == *LC_ALL=C.UTF-8* ]]
	run -0 cubby exec --env SECRET --env OTHER=2 -- sh -c 'echo $SECRET $OTHER'
	[ "$output" = "1 2" ]
	run -125 --separate-stderr cubby exec --env OPENAI_API_KEY -- true
	[ "$stderr" = "cubby exec: --env: 'OPENAI_API_KEY' is a model's key and never enters a box; --env +OPENAI_API_KEY all the same" ]
}

@test "exec: as another user" {
	cubby exec -- true
	[ "$(cubby info --json | jq -r .map.kind)" != single ] || skip "the map has one user only"
	chmod 755 "$LIB_DIR" "$LIB_PROJECT"
	run -0 --separate-stderr cubby exec --user nobody -- id -un
	[ "$output" = nobody ]
	run -125 --separate-stderr cubby exec --user no-such-user -- true
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "exec: a terminal only if asked" {
	run -1 cubby exec -- test -t 1
	run -0 cubby exec -t -- test -t 1
	run -0 cubby exec -t -- sh -c 'test -t 0 && tty'
	[[ $output == /dev/pts/* ]]
}

@test "exec: a detached command stays, and its output is kept" {
	run -0 cubby exec -d -- sh -c 'echo begun; exec sleep 1000'
	local pid=$output
	[[ $pid =~ ^[0-9]+$ ]]
	lib_wait_for_command "sleep 1000"
	[ "$(jq -r ".[] | select(.pid == $pid) | .command" <<<"$output")" = "sleep 1000" ]
	run -0 cubby logs "$pid"
	[ "$output" = begun ]
	run -0 cubby logs
	[ "$output" = begun ]
	run -0 cubby kill -s KILL "$pid"
	run -0 cubby exec -d -q -- sh -c 'printf "1\n2\n3\n"; exec sleep 1000'
	pid=$output
	until [ "$(cubby logs --tail 1)" = 3 ]; do read -rt 0.02 <> <(:) || true; done
	[ "$(cubby logs -n 2)" = $'2\n3' ]
	[ -z "$(cubby logs -n 0)" ]
	[ "$(cubby logs --tail all)" = $'1\n2\n3' ]
	cubby kill -s KILL "$pid"
	[ "$(cubby logs -f --tail 2 "$pid")" = $'2\n3' ]
	run -1 --separate-stderr cubby logs 99999
	[ "$stderr" = "cubby logs: no command was detached with number 99999; 'cubby logs' shows the one that printed last" ]
	cubby stop -q
}

# bats test_tags=long
@test "logs --follow ends with the command, after all that it wrote" {
	cubby exec -d -q -- sh -c 'printf "no newline"; sleep 1; seq 100000'
	run -0 timeout 60 "$CUBBY_TEST_BIN" logs --follow
	[ "$output" = "no newline$(seq 100000)" ]
	run -0 --separate-stderr timeout 60 "$CUBBY_TEST_BIN" logs --follow # it has ended long since
	[ "$output" = "no newline$(seq 100000)" ]
	cubby exec -d -q -- sh -c 'while :; do echo more; sleep 0.2; done'
	run -124 timeout 2 "$CUBBY_TEST_BIN" logs --follow
	[[ $output == more$'\n'more* ]]
	cubby stop -q --time 0
}

@test "exec: a detached command that cannot be run is told at once" {
	printf 'data\n' >file
	run -127 cubby exec -d -- no-such-program
	[ "$output" = "cubby exec: cannot run 'no-such-program': No such file or directory" ]
	run -127 cubby exec -d -- /no/such/program
	run -126 cubby exec -d -- ./file
	[ "$output" = "cubby exec: cannot run './file': Permission denied" ]
	run -126 cubby exec -d -- /etc
	chmod +x file # a shell would have taken it for a script
	run -126 cubby exec -d -- ./file
	run -126 cubby exec -- ./file
	run -1 --separate-stderr cubby logs # and no log is left of it
	[ "$stderr" = "cubby logs: no command was detached; 'cubby exec --detach' leaves one in the box" ]
	cubby exec -- sh -c 'rm -rf /var/log/cubby; ln -s /proc /var/log/cubby'
	run -125 cubby exec -d -- true
	[[ $output == "cubby exec: cannot keep the output: "* ]]
}

@test "exec: a detached command of another user keeps its output, too" {
	chmod 777 .
	cubby exec -d -- true
	run --separate-stderr cubby exec --user nobody -d -- id -un
	[[ $stderr != *'no user but root'* ]] || skip "one id only in this box"
	[ "$status" = 0 ]
	local n pid=$output
	for ((n = 0; n < 500; n++)); do
		run -0 cubby logs "$pid"
		[ "$output" != nobody ] || break
		read -rt 0.02 <> <(:) || true
	done
	[ "$output" = nobody ]
}

@test "exec: --rm leaves no box, --wipe a fresh one" {
	cubby exec -- touch /root/mark
	run -0 cubby exec -- test -e /root/mark
	run -1 cubby exec --wipe -- test -e /root/mark
	run -125 --separate-stderr cubby exec --rm -- true
	[ "$stderr" = "cubby exec: --rm would remove the box that this directory has; 'cubby rm' does, and without --rm the box is used" ]
	run -0 cubby exec -- true
	cubby stop -q
	run -0 cubby exec --rm --wipe -- true
	run -0 cubby exec --rm -- true
	run -0 cubby ls --json
	[[ $output != *"$LIB_PROJECT"* ]]
}

@test "exec: two directories see nothing of each other" {
	mkdir a b
	cubby exec -C a -- sh -c 'echo 1 >/root/mine; echo 2 >file'
	run -1 cubby exec -C b -- test -e /root/mine
	[ -e a/file ]
	[ ! -e b/file ]
	run -1 cubby exec -C b -- test -e "$LIB_PROJECT/a/file"
}

@test "exec: the habits of docker: -e -u -w --env-file -it" {
	printf '# of the service\nA=1\n\n  B=two words\r\n' >vars
	mkdir sub
	chmod 755 . sub
	local user=nobody
	run --separate-stderr cubby exec -q -u nobody -- true
	[[ $stderr != *'no user but root'* ]] || user=root # one id only in this box
	run -0 --separate-stderr cubby exec -e X=y -u $user -w sub --env-file vars -- sh -c 'echo "$X $A $B $(id -un) $PWD"'
	[ "$output" = "y 1 two words $user $LIB_PROJECT/sub" ]
	run -0 cubby exec -w /usr/bin -- pwd
	[ "$output" = /usr/bin ]
	run -0 cubby exec -it -- sh -c 'test -t 0 && echo terminal'
	[[ $output == terminal* ]]
	run -0 cubby exec -i -- cat <<<in
	[ "$output" = in ]
	run -127 --separate-stderr cubby exec -w nowhere -- pwd
	[[ $stderr == *"cannot enter the working directory '$LIB_PROJECT/nowhere': No such file or directory" ]]
	echo '1A=x' >vars
	run -125 --separate-stderr cubby exec --env-file vars -- true
	[ "$stderr" = "cubby exec: --env-file: vars:1: bad name '1A'; letters, digits and _ make one" ]
	run -125 --separate-stderr cubby exec --env-file none -- true
	[[ $stderr == "cubby exec: --env-file: "*"'none'"*"No such file"* ]]
	run -125 --separate-stderr cubby exec --env-file sub -- true
	[ "$stderr" = "cubby exec: --env-file: 'sub' is no file" ]
	run -125 --separate-stderr cubby python sub
	[ "$stderr" = "cubby python: 'sub' is no file" ]
	run -0 cubby exec --env-file <(echo A=5) -- sh -c 'echo "$A"'
	[ "$output" = 5 ]
}

@test "exec: a terminal comes by itself, but for filters" {
	run -0 script -qec "cubby exec -- tty" /dev/null </dev/null
	run -0 script -qec "cubby exec -- tty" /dev/null
	[[ $output == */dev/pts/* ]]
	run -0 script -qec "cubby exec --no-tty -- sh -c 'test -t 0 || echo pipes'" /dev/null
	[[ $output == *pipes* ]]
	run -0 script -qec "cubby exec -- cat /dev/null" /dev/null
	run -0 cubby exec -- sh -c 'test -t 0 || echo pipes'
	[ "$output" = pipes ]
}

@test "exec: a terminal and locales that the image has not become those of every image" {
	TERM=xterm-nosuch LANG=xx_XX.UTF-8 LC_TIME=yy_YY run -0 cubby exec -- sh -c 'echo "$TERM $LANG [$LC_TIME]"'
	[ "$output" = "xterm-256color C.UTF-8 []" ]
	TERM=vt100 LANG=C run -0 cubby exec -- sh -c 'echo "$TERM $LANG"'
	[ "$output" = "vt100 C" ]
}

@test "exec: what this machine says of a terminal goes along where the image does not know it" {
	mkdir "$LIB_PROJECT/terms"
	infocmp -x xterm-256color | sed 's/^xterm-256color|/cubbyish|/; s/colors#[^,]*/colors#0x58/' >terms.ti
	tic -x -o "$LIB_PROJECT/terms" terms.ti
	export TERM=cubbyish TERMINFO=$LIB_PROJECT/terms
	run -0 --separate-stderr cubby exec -- sh -c 'echo $TERM; tput colors; env | grep CUBBY_ || true'
	[ "$output" = $'cubbyish\n88' ]
	run -0 cubby exec -- env TERM=vt100 tput cols # another name is looked for in the image
	TERM=vt100 run -0 cubby exec -- sh -c 'echo $TERM $TERMINFO'
	[ "$output" = vt100 ]
	run -0 cubby exec -e TERMINFO=/x -- sh -c 'echo $TERM $TERMINFO'
	[ "$output" = "xterm-256color /x" ]
}

@test "exec: a time zone that the image has not is its rule there" {
	run -0 cubby exec --keep -- sh -c 'mv /usr/share/zoneinfo /usr/share/other 2>/dev/null; true'
	[ -e /usr/share/zoneinfo/America/Lima ] || skip "this machine has no zones"
	TZ=America/Lima run -0 cubby exec -- date -d @0 +%H:%M
	[ "$output" = 19:00 ]
	run -0 cubby exec -- sh -c 'mkdir -p /usr/share/zoneinfo/America; : >/usr/share/zoneinfo/America/Lima'
	TZ=America/Lima run -0 --separate-stderr cubby exec -- sh -c 'echo $TZ'
	[ "$output $stderr" = "America/Lima " ]
	# Nor has this machine: said, and the image is asked all the same.
	TZ=$'Nowhere/X\e' run -0 --separate-stderr cubby exec -- date -d @0 +%H:%M
	[ "$output" = 00:00 ]
	[ "$stderr" = "cubby: this machine has no time zone 'Nowhere/X\x1b' (TZ): unless the image has it, times in the box are those of UTC" ]
	TZ=XYZ-3 run -0 --separate-stderr cubby exec -- date -d @0 +%H:%M
	[ "$output $stderr" = "03:00 " ]
	cubby stop -q
}

@test "exec: -m and -p are docker's; resume has a -m of its own" {
	run -0 cubby exec --save -m 2G -p 0:80 -- true
	run -0 cubby set
	[[ $output == *"publish  0:80"*"memory   2G"* ]]
	cubby rm -q -y --force
	run -125 --separate-stderr cubby exec -m 10 -- true
	[ "$stderr" = "cubby exec: --memory: bad size '10'; a box needs at least 16M" ]
	for c in $(cubby help | awk '/^  [a-z]+  / { print $1 }'); do # no letter twice
		[ -z "$(cubby "$c" --help </dev/null | grep -oE '^ +-[A-Za-z0-9], ' | sort | uniq -d)" ]
	done
	run -0 cubby resume --help
	[[ $output == *" -m, --message=TEXT "*" --memory=SIZE "* ]]
}

@test "cp: a file into the box and out of it" {
	local name
	printf 'a\0b' >file
	chmod 750 file
	mkdir dir
	cubby cp file :/root/copy
	cubby cp file :/usr/local/bin
	run -0 cubby exec -- stat -c '%a %s' /root/copy /usr/local/bin/file
	[ "$output" = $'750 3\n750 3' ]
	cubby cp :/root/copy out
	cmp file out
	cubby cp :/root/copy dir
	cmp file dir/copy
	run -1 --separate-stderr cubby cp :/root/none out
	[ "$stderr" = "cubby cp: there is no ':/root/none' in the box; 'cubby exec ls' shows what is there" ]
	cmp file out
	[ -z "$(ls -- *.part* 2>/dev/null)" ]
	run -1 --separate-stderr cubby cp :/etc out
	[[ $stderr == "cubby cp: ':/etc' is a directory; 'cubby exec cp -r /etc .' copies it into the project" ]]
	cubby exec -q -- sh -c 'mkfifo /root/fifo; ln -s /dev/zero /root/zero'
	for name in fifo zero; do
		run -1 --separate-stderr timeout "$(lib_longer 60)" cubby cp ":/root/$name" out
		[ "$stderr" = "cubby cp: ':/root/$name' is no regular file; 'cubby exec cat FILE' reads it" ]
	done
	run -1 --separate-stderr cubby --json cp :/etc out
	[ "$(jq -r .error.code <<<"$stderr")" = EISDIR ]
	run -1 --separate-stderr cubby cp file :/none/there
	[ "$stderr" = "cubby cp: the directory of ':/none/there' is not there; 'cubby exec mkdir -p DIR' makes one in the box" ]
	mkfifo fifo
	run -1 --separate-stderr cubby cp fifo :/root
	[ "$stderr" = "cubby cp: 'fifo' is no file" ]
	run -2 --separate-stderr cubby cp a b
	[[ $stderr == "cubby cp: two paths are wanted, and ':' in front of "* ]]
	run -1 --separate-stderr cubby cp file :/proc/none
	[ "$stderr" = "cubby cp: cannot write ':/proc/none' in the box; 'cubby exec touch /proc/none' says why" ]
	ln -s /etc/hostname there
	run -0 cubby cp :/root/copy new
	[ ! -L new ]
	mkfifo pipe
	ln -s pipe leads
	for name in pipe leads; do # as /dev/null and /dev/stdout do
		run -1 --separate-stderr timeout "$(lib_longer 60)" cubby cp :/root/copy $name
		[ "$stderr" = "cubby cp: '$name' is no regular file; 'cubby exec cat FILE' writes to standard output" ]
	done
	[[ -p pipe && -L leads ]]
}

@test "cp, logs, wait and own leave standard input to the loop that they stand in" {
	cubby exec -q --keep -- sh -c 'echo text >/root/text'
	local pid
	pid=$(cubby exec -q -d -- echo said)
	printf '%s\n' "cp :/root/text ." "wait $pid" "logs $pid" "own ." "own ." >list
	local n=0 words
	while read -ra words; do
		cubby "${words[@]}"
		n=$((n + 1))
	done <list
	[ "$n" = 5 ]
	cubby stop -q
}

@test "cp: several files go into a directory, and whole directories into the box" {
	echo a >a
	echo b >b
	mkdir -p dir/sub out
	echo deep >dir/sub/file
	chmod 700 dir/sub
	ln -s /etc/shadow dir/link
	cubby exec -q -- mkdir /root/d
	cubby cp a b dir :/root/d
	cubby cp -r dir :/root/new/
	cubby cp dir/. :/root/flat
	run -0 cubby exec -- sh -c 'cd /root && cat d/a d/b d/dir/sub/file new/sub/file flat/sub/file && stat -c "%u %a" new/sub && readlink new/link'
	[ "$output" = $'a\nb\ndeep\ndeep\ndeep\n0 700\n/etc/shadow' ]
	cubby cp :/root/d/a :/root/d/b out
	[ "$(cat out/a out/b)" = $'a\nb' ]
	run -1 --separate-stderr cubby cp a b :/root/none
	[ "$stderr" = "cubby cp: ':/root/none' is no directory; several files go into one, and 'cubby exec mkdir -p DIR' makes it in the box" ]
	run -1 --separate-stderr cubby cp dir :/root/none/new
	[ "$stderr" = "cubby cp: the directory of ':/root/none/new' is not there; 'cubby exec mkdir -p DIR' makes one in the box" ]
	run -1 --separate-stderr cubby cp :/root/d/a :/root/d/b none
	[ "$stderr" = "cubby cp: cannot open 'none': No such file or directory; several files go into a directory" ]
	run -2 --separate-stderr cubby cp a dir/../a :/root
	[ "$stderr" = "cubby cp: 'a' and 'dir/../a' would become one file; copy one of them by itself" ]
	run -2 --separate-stderr cubby cp a :/etc/hosts :/root
	[[ $stderr == "cubby cp: two paths are wanted"* ]]
	# One line says why, however many the box's programs say.
	cubby exec -q -- sh -c 'mkdir -p /root/in/dir/sub/file && for i in $(seq 99); do mkdir -p /root/in/dir/f$i/x; done'
	touch dir/f{1..99}
	run -1 --separate-stderr cubby cp dir :/root/in
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "cubby cp: cannot copy 'dir' to ':/root/in': tar: "*": Cannot open: "* ]]
	rm dir/f*
	run -1 --separate-stderr cubby cp dir :/etc/passwd
	[[ $stderr == "cubby cp: cannot copy 'dir' to ':/etc/passwd': mkdir: "*": File exists" ]]
	run -1 --separate-stderr cubby cp a :/dev/full
	[[ $stderr == "cubby cp: cannot copy 'a' to ':/dev/full': cat: "*"No space left on device; "*"cubby prune"* ]]
	# What the box has for tar(1) may do as it likes: it is told, and ends.
	cubby exec -q -- sh -c 'printf "#!/bin/sh\nexit 0\n" >/usr/local/bin/tar && chmod +x /usr/local/bin/tar'
	head -c 3000000 /dev/zero >dir/large
	run -1 --separate-stderr timeout "$(lib_longer 60)" cubby cp dir :/root/other
	[[ $stderr == "cubby cp: cannot copy all of 'dir': "* ]]
	if [ "$(id -u)" -ne 0 ] && [ -d /etc/ssl/private ] && [ ! -r /etc/ssl/private ]; then
		cubby exec -q -- rm /usr/local/bin/tar
		run -1 --separate-stderr cubby cp /etc/ssl :/root/ssl
		[[ $stderr == *"cubby cp: cannot copy all of '/etc/ssl': cannot open 'private': Permission denied" ]]
	fi
}

@test "exec: -u of an id that the box does not have says where they are listed" {
	run -125 --separate-stderr cubby exec -q --user 4000000000 -- true
	[[ $stderr == *"; the box has not so many users and groups: 'cubby exec cat /proc/self/uid_map /proc/self/gid_map' shows them" ]] ||
		[[ $stderr == *"only root"* || $stderr == *"single"* ]] # a box of one id has its own words
}

@test "exec: -v is a volume wherever a ':' stands in its word, and what is not there is said with what to do" {
	run -125 --separate-stderr cubby exec -v /no/such:/x -- true
	[ "$stderr" = "cubby exec: volume '/no/such': cannot find it: No such file or directory; make it first, or name what is there" ]
	run -125 --separate-stderr cubby exec -v a:b true
	[ "$stderr" = "cubby exec: -v: bad volume 'a:b': it is SOURCE:/TARGET, :ro or :rw may follow" ]
	run -0 --separate-stderr cubby exec -v echo a:b
	[ "$output" = a:b ]
}

@test "ps: a command is shown as it is, escaped once" {
	cubby exec --detach -- sh -c 'sleep 1000; : "a\nb"'
	run -0 cubby ps
	[[ $output == *'sh -c sleep 1000; : "a\\nb"'* ]]
	[[ $output != *'a\\\\nb'* ]]
	run -0 cubby ps --json
	jq -e 'any(.[]; .command == "sh -c sleep 1000; : \"a\\nb\"")' <<<"$output"
	cubby stop -q
}

@test "exec: options hold for one start, with --save for all" {
	run -0 cubby exec --pids 77 --keep -- true
	[ "$(cubby info --json | jq .limits.pids)" = 77 ]
	cubby stop -q
	[ "$(cubby info --json | jq .limits.pids)" = 1024 ]
	cubby exec --pids 88 --save -- true
	cubby stop -q
	[ "$(cubby info --json | jq .limits.pids)" = 88 ]
}

@test "exec: a running box that was started otherwise says what to do" {
	cubby exec -q -d -- sleep 1000
	run -125 --separate-stderr cubby exec --net none -- true
	[ "$stderr" = "cubby exec: the box runs already, without this --net; 'cubby stop' ends it; 'cubby set' keeps an option for every start" ]
	run -125 --separate-stderr cubby exec --memory 77M -- true
	[[ $stderr == "cubby exec: the box runs already, without this --memory; "* ]]
	run -0 cubby exec --pids 1024 --net gate -- true
	cubby stop -q
	cubby exec -q --keep --net none -- true
	run -0 cubby exec --net none -- true
	cubby stop -q
}

@test "exec: --publish works at once on a running box, and says what it took" {
	cubby exec -q -d -- sleep 1000
	run -0 --separate-stderr cubby exec --publish 0:8123 -- true
	[[ $stderr =~ ^cubby:\ published\ 127.0.0.1:[0-9]+\ -\>\ 8123$ ]]
	run -0 cubby ports
	[[ $output == *8123*127.0.0.1:* ]]
	run -0 --separate-stderr cubby ports --publish 0:8124
	[[ $stderr =~ ^cubby:\ published\ 127.0.0.1:[0-9]+\ -\>\ 8124$ ]]
	cubby stop -q
}

@test "set: a user that the box does not have is refused, before a box is made, too" {
	run -1 --separate-stderr cubby set user=nosuch
	[ "$stderr" = "cubby set: user: no user 'nosuch' in the box; a number needs no account" ]
	run -1 cubby info
	cubby exec -q -- sh -c 'echo "new:x:1234:1234::/:/bin/sh" >>/etc/passwd'
	cubby set -q user=new
	run -1 --separate-stderr cubby set user=nosuch
	[ "$stderr" = "cubby set: user: no user 'nosuch' in the box; a number needs no account" ]
	run -1 --separate-stderr cubby set user=new:nosuch
	[[ $stderr == "cubby set: user: no group 'nosuch' in the box"* ]]
	run -125 --separate-stderr cubby exec --save --user nosuch -- true
	[[ $stderr == *"user: no user 'nosuch' in the box"* ]]
	run -0 cubby set
	[[ $output == *"user "*new* ]]
	cubby set -q user=4711
}

@test "set and unset: what is kept with a box, and where each setting comes from" {
	run -1 --separate-stderr cubby set
	[ "$stderr" = "cubby set: there is no box for '$LIB_PROJECT'; 'cubby ls' lists them" ]
	run -0 cubby set pids=99 allow=a.example allow=b.example env=GREETING=hello
	run -0 cubby set
	[[ $output == *allow*"a.example b.example"*box*pids*99*box* ]]
	run -0 cubby exec -- sh -c 'echo $GREETING'
	[ "$output" = hello ]
	[ "$(cubby config --json | jq -r '.[] | select(.name == "pids") | "\(.value) \(.from)"')" = "99 box" ]
	CUBBY_PIDS=98 run -0 cubby config --json
	[ "$(jq -r '.[] | select(.name == "pids") | "\(.value) \(.from)"' <<<"$output")" = "98 environment" ]
	run -0 cubby exec --wipe -q -- true
	[ "$(cubby config --json | jq -r '.[] | select(.name == "pids") | .value')" = 99 ]
	run -0 --separate-stderr cubby unset pids env
	[ "$(cubby config --json | jq -r '.[] | select(.name == "pids") | "\(.value) \(.from)"')" = "1024 default" ]
	run -0 --separate-stderr cubby unset pids
	[ "$stderr" = "cubby: that was not set for this box" ]
	cubby exec -q --keep -- true
	run -0 --separate-stderr cubby set memory=512M
	[ "$stderr" = "cubby: the box runs: this holds from its next start ('cubby stop' ends it)" ]
	cubby stop -q
	cubby exec -q --linger 1m -- true # the next command has a box that is started anew
	run -0 --separate-stderr cubby set memory=400M
	[ -z "$stderr" ]
	[ "$(cubby info --json | jq -r .state)" = lingering ]
	cubby exec -q --linger 1m --pids 300 -- true
	run -0 --separate-stderr cubby exec --linger 1m --pids 300 --save -- true
	[ -z "$stderr" ] # it is what this asks for
	cubby exec -q --keep -- true
	[ "$(cubby info --json | jq .limits.memory_bytes)" = 419430400 ]
	cubby stop -q
	run -2 --separate-stderr cubby set memory=512
	[ "$stderr" = "cubby set: memory: bad size '512'; a box needs at least 16M" ]
	run -2 --separate-stderr cubby set memry=1G
	[ "$stderr" = "cubby set: there is no setting 'memry'; did you mean 'memory'?" ]
	run -2 --separate-stderr cubby set model=x
	[ "$stderr" = "cubby set: 'model' is no setting of a box; the configuration file has it for all ('cubby config')" ]
	run -2 --separate-stderr cubby set net
	[ "$stderr" = "cubby set: 'net' has no value; NAME=VALUE sets it, 'cubby unset NAME' takes it back" ]
	run -2 --separate-stderr cubby unset
	[ "$stderr" = "cubby unset: a name is missing; 'cubby set' shows what is set" ]
}

@test "--wipe and rm ask on a terminal, and logs survive --wipe" {
	cubby exec -q -- touch /root/mark
	local dir=$XDG_DATA_HOME/cubby/boxes
	dir=$dir/$(cubby info --json | jq -r .key)
	echo old >"$dir/transcripts/kept"
	run "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby exec --wipe -- ls /root/mark" <<<no
	[[ $output == *"$LIB_PROJECT  test, "*"iB, used "*"s ago"*"Remove this box, with all that was installed there? [y/N] "*"nothing was removed"* ]]
	run "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby rm" <<<no
	[[ $output == *"nothing was removed"* ]]
	run -0 cubby exec -- ls /root/mark
	run "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby exec --wipe -- test ! -e /root/mark && echo gone" <<<yes
	[[ $output == *gone* ]]
	[ "$(cat "$dir/transcripts/kept")" = old ]
	run -0 script -qec "cubby rm -q --yes" /dev/null
	run -1 cubby info
	[ ! -e "$dir" ]
}

@test "--wipe and rm name the packages that were installed beyond the image, also below a snapshot" {
	install_package() {
		cubby exec -q -- sh -ec 'mkdir -p /root/p/DEBIAN
			printf "Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b>\nDescription: x\n" "$1" >/root/p/DEBIAN/control
			dpkg-deb -b /root/p /root/p.deb && dpkg -i /root/p.deb' sh "$1" >/dev/null
	}
	asked() { "$CUBBY_TEST_TOP/tests/on-tty" -a "$1" <<<no; }
	cubby exec -q -- true
	[[ $(asked "cubby rm") != *package* ]]
	install_package one-of-it
	[[ $(asked "cubby rm") == *", used "*" ago; 1 package installed there: one-of-it"* ]]
	cubby snapshot -q kept
	install_package another
	[[ $(asked "cubby exec --wipe -- true") == *"; 2 packages installed there: another, one-of-it"* ]]
	cubby exec -q -- dpkg -P one-of-it >/dev/null
	[[ $(asked "cubby rm") == *"; 1 package installed there: another"* ]]
	cubby rm -q --yes
}

@test "exec: another image than the box's is refused" {
	cubby exec -- true
	mkdir -p root/etc
	tar -C root -cf other.tar .
	cubby pull -q --name other ./other.tar
	run -125 --separate-stderr cubby exec --image other -- true
	[ "$stderr" = "cubby exec: this directory's box was made from 'test'; --wipe makes it anew from 'other'" ]
	run -125 --separate-stderr cubby exec --image nosuchimage -- true
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "exec: wait tells the status of what was detached, once it has ended" {
	one=$(cubby exec -q -d -- sh -c 'until [ -e go ]; do sleep 0.05; done; exit 3')
	two=$(cubby exec -q -d -- sh -c 'kill -9 $$')
	cubby wait "$one" >said 2>err 3>&- &
	waiter=$!
	run -137 --separate-stderr cubby wait "$two"
	[ "$output" = 137 ]
	kill -0 "$waiter"
	[ ! -s said ]
	touch go
	status=0
	wait "$waiter" || status=$?
	[ "$status" = 3 ]
	[ "$(cat said)" = 3 ]
	run -137 cubby wait "$one" "$two"
	[ "$output" = $'3\n137' ]
	run -125 --separate-stderr cubby wait 30000
	[ "$stderr" = "cubby wait: no command was detached with such a number; 'cubby exec --detach' printed it" ]
}

# bats test_tags=long
@test "exec: top has the busiest first" {
	busy=$(cubby exec -q -d -- sh -c 'while :; do :; done')
	cubby exec -q -d -- sleep 60
	run -0 cubby top --json
	[ "$(jq -r '.[0] | "\(.pid) \(.cpu_percent > 0)"' <<<"$output")" = "$busy true" ]
	run -0 cubby top
	[[ ${lines[0]} == "PID "*COMMAND* ]]
	cubby stop -q
	run -1 --separate-stderr cubby top
	[ "$stderr" = "cubby top: the box is not running; any command in it starts it" ]
}

@test "exec: too few descriptors for a program are told with what is enough" {
	run -125 bash -c 'ulimit -n 60; exec cubby exec -q -- true'
	[[ $output == *"its limit of open files is too low; 'ulimit -n' is to be 128 or more" ]]
	run -0 bash -c 'ulimit -n 128; exec cubby exec -q -- sh -c "ulimit -n"'
	[ "$output" = 128 ]
}
