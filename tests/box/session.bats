# The session inside a box, by the numbers of its contract (agent/session/session.h, docs). What
# needs no box is tested with shells of the host: tests/unit/agent/test_session*.c.
# shellcheck disable=SC2016 # the box expands what is in single quotes
load ../lib
load toolkit

teardown() { unserve; }

# How many processes of the name are in the box; a bare image has no pgrep.
sleepers='n=0; for p in /proc/[0-9]*/comm; do { read -r c <$p; } 2>/dev/null && [ "$c" = sleep ] && n=$((n + 1)); done; echo $n'

# none_sleeps SESSION: within five seconds; a session's processes have one to end
none_sleeps() {
	call shell command "for i in \$(seq $(lib_longer 50)); do $sleepers >/dev/null; [ \$n = 0 ] && break; sleep 0.1; done; echo \$n left" session "$1"
	has '0 left
[exit 0,'
}

@test "S4: starts in the project directory, as root with root's home" {
	serve
	call shell command 'pwd; echo $HOME $USER $LOGNAME; id -u; echo $TERM; tty'
	is "$PWD
/root root root
0
xterm-256color
/dev/pts/0
[exit 0, cwd $PWD]"
}

@test "S4: the user of --user" {
	chmod 777 .
	serve --user nobody
	call shell command 'id -un; echo $USER; touch x; ls -l x | cut -d" " -f3'
	[[ $text != *'no user but root'* ]] || skip "one id only in this box"
	is "nobody
nobody
nobody
[exit 0, cwd $PWD]"
	call write_file path by-tool content hi
	call shell command 'stat -c %U by-tool'
	has "nobody"
}

# bats test_tags=long
@test "S6: sessions share nothing and run side by side" {
	serve
	call shell command 'A=1; cd /tmp'
	call shell command 'echo ${A-unset} $PWD' session second
	is "unset $PWD
[exit 0, cwd $PWD]"
	call shell command 'sleep 60' timeout 1
	has '[running, limit of 1s reached]'
	call shell command 'echo free' session second
	is "free
[exit 0, cwd $PWD]"
	call input keys C-c
	has '[exit 130, cwd /tmp]'
}

@test "S7: reset ends what runs and forgets" {
	serve
	call shell command 'A=1; cd /tmp; sleep 1234' timeout 1
	call shell command 'echo ${A-unset} $PWD' reset true
	is "unset $PWD
[exit 0, cwd $PWD]"
	none_sleeps main
}

@test "S9: a shell that is not there, or cannot be driven" {
	serve --shell-command nosuchshell
	call shell command 'echo hi'
	has "'nosuchshell' is no shell that can be driven; use bash, zsh, dash or sh"
}

@test "S9: a shell by its path" {
	serve --shell-command /bin/sh
	call shell command 'echo $0; cd /tmp; false'
	is '/bin/sh
[exit 1, cwd /tmp]'
}

@test "X1, X4: waits are known in the box" {
	serve
	call shell command "read -p 'name? ' x; echo \"<\$x>\""
	is 'name? 
[waiting for a line]
[answer with input; C-c interrupts]'
	call input text Bob
	is "Bob
<Bob>
[exit 0, cwd $PWD]"
	call shell command 'read -e -p "line? " x; echo "<$x>"; read -n1 -p "key? " x; echo; echo "<$x>"'
	is 'line? 
[waiting for a key]
[answer with input: text, with enter false where one key is enough; or keys]'
	call input text Ann
	has '<Ann>'
	has '[answer with input: text, with enter false where one key is enough; or keys]'
	call input text y enter false
	has '<y>'
	call shell command 'read -rs x; echo ${#x}'
	has '[waiting for a password]'
	call input text hunter2
	is "7
[exit 0, cwd $PWD]"
}

@test "X1: a wait of a program that another user runs" {
	command -v python3 >/dev/null || skip "no python3"
	[ "$(cubby exec -- sh -c 'command -v su && id -u nobody >/dev/null && echo yes' | tail -1)" = yes ] ||
		skip "no su in the image"
	cubby exec -- su nobody -s /bin/sh -c true || skip "nobody cannot be had with this id map"
	serve
	call shell command 'su nobody -s /bin/sh -c "read x; id -un; echo \$x"'
	has '[waiting for a line]'
	call input text hello
	has 'hello'
}

@test "X3: apt-get asks, is answered, and is not waiting while dpkg works" {
	serve
	call shell command 'apt-get remove ca-certificates' timeout "$(lib_longer 50)"
	[[ $text != *'is not installed'* ]] || skip "ca-certificates is not in the image"
	has '[Y/n]'
	has '[waiting for a line]'
	call input text n
	has 'Abort.'
	has '[exit 1,'
	call shell command 'apt-get remove ca-certificates' timeout "$(lib_longer 50)"
	call input text y timeout "$(lib_longer 50)"
	has 'Removing ca-certificates'
	has '[exit 0,'
	call shell command 'update-ca-certificates --version 2>&1; dpkg -s ca-certificates | grep Status'
	has 'deinstall ok config-files'
}

@test "X5: a command while one runs is refused" {
	serve
	call shell command 'sleep 60' timeout 1
	call shell command 'echo no'
	has 'not executed: the earlier command is still running'
	call input keys C-c
	call input text hello
	is 'not sent: no command is running'
}

@test "J4: the end of the session ends its processes, daemons too" {
	serve
	call shell command 'setsid sleep 1111 >/dev/null 2>&1 & (setsid sleep 2222 >/dev/null 2>&1 &); nohup sleep 3333 >/dev/null 2>&1 & true'
	call shell command "$sleepers" session second
	has '3
[exit 0,'
	call shell command : reset true
	none_sleeps second
}

@test "O7, O8: a long output is cut, and whole in a file of the box" {
	serve
	call shell command 'seq 1 100000'
	has 'lines, '
	has "[exit 0, cwd $PWD]
[the whole output is in /var/tmp/cubby-output/main-1.txt]"
	call shell command 'seq 1 100000 | cmp - /var/tmp/cubby-output/main-1.txt && echo same'
	is "same
[exit 0, cwd $PWD]"
	cubby stop
	[ "$(cubby exec -q -- wc -l /var/tmp/cubby-output/main-1.txt)" = "100000 /var/tmp/cubby-output/main-1.txt" ]
}

@test "R1: a shell that ends is replaced where it was" {
	serve
	call shell command 'cd /tmp; A=1'
	call shell command 'exit 7'
	has '[shell died: exit 7; new shell in /tmp]'
	call shell command 'kill -9 $$'
	has '[shell died: signal KILL; new shell in /tmp]'
	call shell command 'echo ${A-unset}'
	is 'unset
[exit 0, cwd /tmp]'
}

@test "R6: no /dev/tty, read-only /tmp, cwd removed" {
	serve
	call shell command 'mkdir /tmp/gone; cd /tmp/gone; rmdir /tmp/gone; echo ok'
	is 'ok
[exit 0, cwd /tmp/gone]'
	call shell command 'exit 1'
	has "new shell in $PWD]"
	call shell command 'rm -f /dev/tty; echo ok'
	has ok
	call shell command 'echo ok'
	has ok
}

@test "R7: a command that is killed for memory" {
	serve --memory 64M
	call shell command 'head -c 200M /dev/zero | tail >/dev/null' timeout "$(lib_longer 50)"
	case $text in
	*'[exit 0,'*) skip "no memory limit can be had here" ;;
	*'[exit 137,'* | *'[shell died'*) ;;
	*'memory exhausted'*) ;; # where the limit is one of address space
	*) has '[exit 137,' ;;
	esac
	case $text in
	*'[exit 137,'*) has '[a process of the box was killed for its memory limit]' ;;
	esac
	call shell command 'echo ok'
	has ok
	[[ $text != *'memory limit'* ]]
	call shell command 'sh -c "kill -9 \$\$"'
	has '[exit 137,'
	[[ $text != *'memory limit'* ]]
	call shell command 'head -c 200M /dev/zero | tail >/dev/null; echo over' timeout "$(lib_longer 50)"
	has '[a process of the box was killed for its memory limit]'
	# what happened between two commands is told with the next one that takes time or fails, once
	run cubby exec -- sh -c 'head -c 200M /dev/zero | tail >/dev/null'
	call shell command 'test -e /none'
	has '[a process of the box was killed for its memory limit]'
	call shell command 'test -e /none'
	[[ $text != *'memory limit'* ]]
}

@test "R8: a client that is killed leaves nothing of its session" {
	serve
	local left="sleep 43$$" # no other file's
	call shell command "$left & until grep -qs '^sleep' /proc/\$!/comm; do :; done; echo started"
	[ -n "$(pgrep -xf "$left")" ]
	kill -9 "$server"
	wait "$server" || true
	server=
	for _ in $(seq "$(lib_longer 600)"); do
		pgrep -xf "$left" >/dev/null || break
		read -rt 0.05 <> <(:) || true
	done
	[ -z "$(pgrep -xf "$left")" ]
	run cubby exec -- echo again
	[ "$output" = again ]
}

ended='and all that ran in it; the next command starts it again, with a new shell]
[files are kept, but for /tmp; variables, functions and jobs are lost]'

@test "R11: a box that is stopped between two calls is told, and the next call works" {
	serve
	call shell command 'cd /srv; A=1; echo kept >file; sleep 1000 &'
	has '[exit 0, cwd /srv]'
	cubby stop
	call shell command "touch $PWD/ran; echo no"
	is "[not executed: the box had ended, $ended"
	[ ! -e ran ]
	call shell command "echo \${A-unset} \$(cat file); $sleepers"
	is "unset kept
0
[exit 0, cwd /srv]"
}

@test "R11: a box that is stopped while a command runs" {
	serve
	(
		lib_until test -e up
		exec cubby stop
	) 3>&- 8>&- 9<&- &
	call shell command 'echo said; touch up; sleep 1000'
	wait $!
	# what the shell says of its command's end may stand between
	[[ $text == $'said\n'*"[shell died: the box has ended, $ended" ]]
	lacks '[exit '
	call input # nothing waits on
	has 'no command is running'
	call shell command 'echo on'
	is "on
[exit 0, cwd $PWD]"
}

# The shell outlives its command and could tell of that end by itself.
@test "R11: a command that ends because the box is stopped is told as the box's end" {
	serve
	(
		lib_until test -e up
		exec cubby stop --time 1
	) 3>&- 8>&- 9<&- &
	call shell command 'trap : HUP; echo said; touch up; sleep 1000; touch after'
	wait $!
	[[ $text == said*"[shell died: the box has ended, $ended" ]]
	lacks '[exit '
	call shell command 'echo on'
	is "on
[exit 0, cwd $PWD]"
}

runs() { [[ $(cubby ps) == *"$1"* ]]; } # COMMAND
ended() { ! runs "$1"; }

# bats test_tags=long
@test "R11: a command that ended while the box is being stopped is not told before that" {
	serve
	call shell command 'trap : HUP; echo said; sleep 1000' timeout 1
	has '[running, limit of 1s reached]'
	cubby exec -q -d -- sh -c 'trap "" TERM HUP; while :; do sleep 0.1; done' >/dev/null # holds it up
	cubby stop -q --time "$(lib_longer 8)" 3>&- 8>&- 9<&- &
	lib_until ended 'sleep 1000'
	call shell command "touch $PWD/ran"
	is 'not executed: the box is being stopped; wait for its end with input'
	[ ! -e ran ]
	call input
	has "[shell died: the box has ended, $ended"
	wait $!
	[ ! -e ran ]
}

@test "R11: a stop that is given up takes no end from a command" {
	serve
	(
		lib_until test -e up
		lib_until runs 'sleep 1000' # or it would be told to end before it began, and never again
		cubby stop -q --time 1000 &
		stop=$!
		lib_until ended 'sleep 1000'
		kill -9 "$stop"
	) 3>&- 8>&- 9<&- &
	cubby exec -q -d -- sh -c 'trap "" TERM; while :; do sleep 0.1; done' >/dev/null # holds it up
	call shell command 'echo said; touch up; sleep 1000'
	wait $!
	[[ $text == said* ]]
	lacks 'the box has ended'
	call shell command 'echo on'
	[[ $text == "on
[exit 0, cwd $PWD]"* ]] # and, if it had not come to end before, that its shell was told to
	lacks 'the box has ended'
	cubby stop -q --time 0
}

@test "R11: files, another session and a reset after the end of the box's init" {
	end_init() { kill -KILL "$(cubby info --json | jq -r .init_pid)"; }
	serve
	call shell command 'A=1'
	end_init
	call write_file path by-tool content hi
	is 'wrote 2 bytes to by-tool
[note: the box had ended, and all that ran in it; it is started again where it is needed]'
	[ "$(cat by-tool)" = hi ]
	call read_file path by-tool
	lacks note
	end_init
	call shell command 'echo hello' session second
	has 'hello
'
	has '[note: the box had ended'
	call shell command 'echo $A' # this one hears of it by itself
	has '[not executed: the box had ended'
	end_init
	call shell command 'echo ${A-unset}' reset true
	has 'unset
[exit 0,'
	has '[note: the box had ended'
}

@test "F1: write_file makes parents, keeps mode and owner, and every byte" {
	serve
	call write_file path a/b/c.txt content $'one\ntwo\ttab "q" \\ \u00e4\n'
	has 'wrote 21 bytes'
	[ "$(cat a/b/c.txt)" = $'one\ntwo\ttab "q" \\ \u00e4' ]
	chmod 751 a/b/c.txt
	call write_file path a/b/c.txt content x
	[ "$(stat -c %a a/b/c.txt)" = 751 ]
	[ "$(ls -A a/b)" = c.txt ]
	call write_file path /proc/nothing content x
	[ "$(jq .result.isError <<<"$frame")" = true ]
}

@test "F1: write_file and edit_file keep whoever a file belongs to" {
	local before
	echo old >mine
	echo old >theirs
	chmod 664 theirs
	chgrp 54321 theirs 2>/dev/null || # else one of the user that the box has no number for
		chgrp "$(id -G | tr ' ' '\n' | grep -vxm1 "$(id -g)")" theirs ||
		skip "no other group can be given to a file here"
	before=$(stat -c '%u %g %a' mine theirs)
	serve
	call write_file path theirs content new
	has 'wrote 3 bytes'
	call edit_file path theirs old_string new new_string newer
	call edit_file path mine old_string old new_string new
	[ "$(stat -c '%u %g %a' mine theirs)" = "$before" ]
	[ "$(cat mine theirs)" = $'new\nnewer' ]
	[ "$(ls -A)" = $'mine\ntheirs' ]
	call write_file path by-tool content new
	call shell command 'echo new >by-shell; mkdir -p d1/e; echo >d1/e/f'
	call write_file path d2/e/f content new
	[ "$(stat -c '%u %g %a' by-tool d2 d2/e d2/e/f)" = "$(stat -c '%u %g %a' by-shell d1 d1/e d1/e/f)" ]
}

@test "F2: read_file numbers lines, names what is binary, and says why it cannot" {
	seq 1 100 >n
	serve
	call read_file path n first 98
	is '    98	98
    99	99
   100	100
[lines 98 to 100 of 100]'
	call read_file path /bin/sh
	has "'/bin/sh' is an ELF program, "
	call read_file path none
	is "cannot open 'none': No such file or directory"
	call read_file path /tmp
	is "cannot read '/tmp': Is a directory"
	: >empty
	call read_file path empty
	is '[the file is empty]'
}

@test "F2: read_file says which bytes are no UTF-8, and edit_file keeps them" {
	printf 'caf\351\na=1\n' >latin
	printf 'caf\303\251 \357\277\275\n' >utf8
	serve
	call read_file path latin
	is '     1	caf�
     2	a=1
[lines 1 to 2 of 2]
[� stands for a byte that is no UTF-8; edit_file keeps it, write_file would not]'
	call edit_file path latin old_string caf� new_string café
	is 'nothing was changed: old_string is not there; where � stands for a byte that is no UTF-8, leave it out'
	call edit_file path latin old_string a=1 new_string a=2
	[ "$(od -An -c latin | tr -d ' \n')" = 'caf351\na=2\n' ]
	call read_file path utf8
	is '     1	café �
[lines 1 to 1 of 1]'
	call edit_file path utf8 old_string x� new_string y
	is 'nothing was changed: old_string is not there; nothing like it is: read the file'
}

# bats test_tags=long
@test "F2: read_file says what it left out of a long line, and how to get it" {
	{ printf 'ä%.0s' $(seq 70000); printf '\nend'; } >long
	serve
	call read_file path long
	[[ $text == *$'ä[… 64000 characters left out …]\n[line 1 of 2: characters 1 to 6000 of 70000; go on with first 1 and column 6001]' ]]
	call read_file path long column 69999
	is "     1	ää
     2	end
[line 1 of 2: characters 69999 to 70000 of 70000; then the lines to 2]"
	call read_file path long column 70001
	is "line 1 of 'long' has only 70000 characters"
	seq 20000 >n
	call read_file path n first 2
	[[ $text =~ '[lines 2 to '([0-9]+)' of 20000; go on with first '([0-9]+)']'$ ]]
	[ $((BASH_REMATCH[1] + 1)) = "${BASH_REMATCH[2]}" ]
	printf '%070000d' 0 >one
	call edit_file path one old_string "$(printf '%030000d' 0)" new_string x
	has 'nothing was changed: old_string stands there 40001 times'
	printf '%070000dx' 0 >one
	call edit_file path one old_string x new_string y
	has 'bytes of the diff left out]'
	[ ${#text} -lt 13000 ]
	{ seq 5000; printf '\0'; } >late
	call read_file path late
	has "'late' is binary data"
}

@test "O13: a key that the server knows is stars in every answer" {
	export OPENAI_API_KEY=sk-mcp-0123456789abcdef
	printf 'key %s\n' "$OPENAI_API_KEY" >secret
	mkdir "dir-$OPENAI_API_KEY"
	serve
	call shell command 'cat secret; cd dir-*; pwd'
	[[ $frame == *'key ***'* && $frame != *"$OPENAI_API_KEY"* ]]
	call read_file path "$PWD/secret"
	[[ $frame == *'key ***'* && $frame != *"$OPENAI_API_KEY"* ]]
	call read_file path "/none/$OPENAI_API_KEY"
	[[ $frame != *"$OPENAI_API_KEY"* ]]
}

@test "I12: a test in brackets and a group in braces are commands" {
	serve
	call shell command '[ "$USER" = root ] && echo "is $USER"; true'
	has '[exit 0,'
	lacks 'not executed'
	call shell command "[ 'a' ] && echo yes"
	has yes
	call shell command '{ "echo" grouped; }'
	has grouped
	call shell command '["ls", "-l"]'
	has 'not executed: the command is a list or a map'
}

@test "X2: an empty text presses nothing; Enter is a key" {
	serve
	call shell command 'read -r a; echo "got <$a>"'
	has '[waiting for a line]'
	call input text '' timeout 1
	has '[waiting for a line]'
	call input keys Enter
	has 'got <>'
}

@test "F1: a tool says what set-id bits a file has lost, and nothing where it has kept them" {
	echo old >here
	chmod 6755 here || skip "no such bits here"
	serve
	call edit_file path here old_string old new_string new
	has '[note: its mode was 6755 and is '
	[ "$(cat here)" = new ]
	[[ $(stat -c %a here) != 6755 ]]
	call shell command 'echo old >/root/there; chmod 4755 /root/there; stat -c %a /root/there'
	has 4755
	call edit_file path /root/there old_string old new_string new
	call shell command 'echo "mode $(stat -c %a /root/there)"'
	has 'mode '
	call edit_file path here old_string new new_string newer
	lacks 'set-id'
	chmod 6755 here
	call write_file path here content newest
	has $'wrote 6 bytes to here\n[note: its mode was 6755 and is '
	call write_file path here content newest
	is 'wrote 6 bytes to here'
}

@test "F3: edit_file wants exactly one occurrence, and keeps line ends" {
	printf 'a\r\nb\r\nb\r\n' >f
	serve
	call edit_file path f old_string b new_string c
	is "nothing was changed: old_string stands there 2 times, in the lines 2, 3; give more of what stands around it, or set replace_all"
	call edit_file path f old_string x new_string c
	is 'nothing was changed: old_string is not there; nothing like it is: read the file'
	call edit_file path f old_string $'a\n\tb' new_string $'a\nz'
	has 'only blanks or line ends differ from what stands from line 1 on:'
	call edit_file path f old_string $'a\nb' new_string $'a\nz'
	is $'changed f: +1 -1\n@@ -1,3 +1,3 @@\n a\r\n-b\r\n+z\r\n b\r'
	[ "$(od -An -c f | tr -d ' \n')" = 'a\r\nz\r\nb\r\n' ]
}

# bats test_tags=long
@test "F4: paths are those of the box, relative to the shell, while a command runs" {
	serve
	call shell command 'ln -s /etc/hostname link; cd /tmp; echo inside >there; sleep 60' timeout 1
	call read_file path "$PWD/link"
	[[ $text != *"$(cat /etc/hostname)"* ]] || [ "$(cat /etc/hostname)" = "$(cubby exec -- cat /etc/hostname)" ]
	call read_file path /tmp/there
	has inside
	call input keys C-c
	call read_file path there
	has inside
}

# As docs/session.md says: the project directory is both sides, and what lies elsewhere
# goes through exec, with the rights of the box's user and by no path of the host.
@test "F5: files and directories go in and out through exec" {
	copy_in() { tar -C "$1" -H posix -cf - "$2" | cubby exec -- tar -C / -xpof - --transform "s,^,$3/,S"; }
	copy_out() { cubby exec -- tar -C "$1" -H posix -cf - "$2" | tar -C "$3" -xpof -; }
	listing() { find . -printf '%p %y %m %T@ %s %l\n' | grep -v ' d ' | sort; }
	set -o pipefail
	mkdir -p from/d/e out
	echo one >'from/d/e/a b'
	chmod 751 'from/d/e/a b'
	touch -d '2001-02-03 04:05:06 UTC' 'from/d/e/a b'
	ln -s '../no where' from/d/link
	copy_in from d srv/new # and below it d, which was not there
	copy_in from/d/e 'a b' srv/file
	[ "$(cubby exec -- cat '/srv/file/a b' '/srv/new/d/e/a b')" = $'one\none' ]
	[ "$(cubby exec -- stat -c '%u %a' '/srv/new/d/e/a b')" = '0 751' ]
	[ "$(cubby exec -- readlink /srv/new/d/link)" = '../no where' ]
	echo two >'from/d/e/a b'
	copy_in from d srv/new
	[ "$(cubby exec -- cat '/srv/new/d/e/a b')" = two ]
	run ! copy_in from nosuch srv/none
	[ "$(cubby exec -- sh -c 'ls -d /srv/none 2>/dev/null || echo nothing')" = nothing ]
	copy_out /srv/new d out
	[ "$(cd from/d && listing)" = "$(cd out/d && listing)" ]
	run ! copy_out /srv nosuch out
	[ "$(ls -A out)" = d ]
	copy_out /srv/file 'a b' out
	[ "$(cat 'out/a b')" = one ]
}

@test "F6: modes, times, links, holes and odd names survive both ways" {
	mkdir -p 'in/a b'
	echo x >'in/a b/'$'odd\n\xff\'"name'
	chmod 4751 'in/a b/'*
	touch -d '2001-02-03 04:05:06.789 UTC' 'in/a b/'*
	ln -s '../no where' in/link
	ln in/link in/same 2>/dev/null || true
	truncate -s 50M in/hole
	serve
	call shell command 'mkdir /var/copy && cp -a in/. /var/copy/ && cp -a /var/copy out && echo copied'
	has 'copied
[exit 0,'
	local from to
	from=$(cd in && find . -printf '%p %y %m %T@ %l\n' | sort | grep -v '^\. ')
	to=$(cd out && find . -printf '%p %y %m %T@ %l\n' | sort | grep -v '^\. ')
	[ "$from" = "$to" ]
	diff -r --no-dereference in out
	[ "$(stat -c %b out/hole)" -lt 1000 ]
}

@test "F7: the project's files are the caller's, and nothing of ours is left in it" {
	serve
	call shell command 'echo x >made; mkdir d; echo y >d/z; git --version'
	[ "$(stat -c %u made d d/z | sort -u)" = "$(id -u)" ]
	if [[ $text == *'git version'* ]]; then # as far as the image has it
		call shell command 'git init -q . && git add . && git -c user.email=a@b -c user.name=c commit -qm m && git status --short'
		has '[exit 0,'
		[ "$(git log --format=%s)" = m ]
		rm -rf .git
	fi
	call write_file path w content x
	kill -9 "$server"
	wait "$server" || true
	server=
	[ "$(ls -A | tr '\n' ' ')" = 'd made w ' ]
}

@test "I9: --on-error stop" {
	serve --on-error stop
	call shell command $'echo one\nfalse\necho no'
	is "one
[exit 1, cwd $PWD]
[note: the commands behind the one that failed were not run]"
}

@test "S5: an environment of 100 variables" {
	local more=() i big
	big=$(printf %01000d 0)
	for i in $(seq 100); do more+=(--env "V$i=$big"); done
	serve "${more[@]}"
	call shell command 'env | grep -c "^V[0-9]*=0000"'
	is "100
[exit 0, cwd $PWD]"
}

# bats test_tags=long
@test "J4: jobs leave no zombies, and init does not grow" {
	serve
	call shell command 'size() { while read -r k v _; do [ "$k" != VmRSS: ] || echo "$v"; done </proc/1/status; }; for i in $(seq 50); do (: &); done; before=$(size)' timeout 60
	call shell command 'for i in $(seq 1000); do (: &) ; done; wait; after=$(size); echo $((after - before < 512))' timeout 90
	has '1
[exit 0,'
	call shell command 'for n in $(seq 100); do z=0; for s in /proc/[0-9]*/stat; do { read -r l <$s; } 2>/dev/null; case $l in *") Z "*) z=$((z + 1)) ;; esac; done; [ $z = 0 ] && break; sleep 0.1; done; echo $z zombies' timeout 60
	has '0 zombies'
}

@test "S7: what ignores the signals of a reset is gone when the new shell begins" {
	serve
	call shell command 'sh -c "trap \"\" HUP TERM; echo \$\$ >pid; while :; do sleep 1; done" & until [ -s pid ]; do sleep 0.05; done'
	call shell command 'kill -0 $(cat pid) && echo there' timeout 60
	has there
	call shell command 'kill -0 $(cat pid) 2>/dev/null || echo gone' reset true timeout 60
	has gone
}

# bats test_tags=long
@test "R7: a fork bomb ends at the process limit, and reset works" {
	serve --pids 64
	call shell command 'for i in $(seq 100); do sleep 1000 & done 2>err' timeout 9
	grep -q 'temporarily unavailable' err || skip "no process limit can be had here"
	call shell command 'echo ready' reset true timeout 60
	has ready
	call shell command 'bomb() { bomb | bomb & }; bomb' timeout 3
	call shell command 'echo ok' reset true timeout 60
	has 'ok
[exit 0,'
}

# until_told TEXT: among what is said of the background, where a subshell becomes a program
until_told() {
	local n
	for n in $(seq "$(lib_longer 100)"); do
		call input
		[[ $text != *"$1"* ]] || return 0
		sleep 0.1
	done
	has "$1"
}

@test "J2: what runs in the background is named once, and told with its last output" {
	serve
	call input
	is "not sent: no command has been run in the session 'main'"
	call shell command 'for i in $(seq 9); do echo "line $i"; done >log; sleep 3001 >>log & sleep 3002 & (sleep 3003 &); for p in $(jobs -p); do until [[ $(</proc/$p/comm) == sleep ]]; do :; done; done'
	has '[in the background: '
	has ' sleep 3001; '
	has ' sleep 3002; '
	call shell command 'kill -STOP %2; until [[ $(jobs) == *Stopped* ]]; do :; done'
	has ' sleep 3001; '
	has ' sleep 3002 (stopped); '
	call shell command 'echo again'
	is "again
[exit 0, cwd $PWD]"
	until_told ' sleep 3003
'
	has " sleep 3001
  its output is in $PWD/log (63 bytes); the end of it:
  | line 5
  | line 6
  | line 7
  | line 8
  | line 9
"
	has ' sleep 3002 (stopped)
'
	has '[no command is running; in the background: 3]'
	call shell command 'kill -9 %1 %2; { wait %1 %2; } 2>/dev/null; (until [ -e print ]; do sleep 0.1; done; echo printed; touch done; exec sleep 3004) &'
	touch print
	local n
	for n in $(seq "$(lib_longer 600)"); do
		[ ! -e done ] || break
		sleep 0.1
	done
	call input
	has '[printed since the last result:]
printed
[in the background:]
'
	until_told ' sleep 3004
'
	call input # nothing new: the same again
	has '[last printed while no command ran:]'
	has 'printed
[in the background:]
'
	has '[no command is running; in the background: 2]'
	call shell command 'kill $(jobs -p); echo bye'
	lacks $'printed\n'
	call shell command 'echo' reset true
	call input
	is 'no command is running: nothing to wait for'
}

@test "J2: the end of the last job is told once" {
	serve
	call shell command 'sleep 1000 &'
	has '[in the background: '
	call shell command 'kill %1; wait; (exit 3)'
	has '[exit 3, '
	has '[in the background: nothing any more]'
	call shell command ''
	is "[exit 3, cwd $PWD]"
	call shell command 'echo "status $?"; sleep 1000 &'
	has 'status 3
'
	cubby exec -- sh -c 'kill $(pidof sleep)'
	for _ in $(seq 100); do
		[ -n "$(cubby exec -- pidof sleep)" ] || break
	done
	call input
	has '[no command is running; in the background: 0]'
	call input
	has 'nothing to wait for'
}

@test "R1: what a shell that ended has left running is named" {
	serve
	call shell command 'sleep 4321 & (setsid sleep 4322 >/dev/null 2>&1 &); exit 7'
	has '[shell died: exit 7; new shell in '
	has $'\n[variables and functions are lost]\n[what it left still runs: '
	has ' sleep 4321'
	has ' sleep 4322'
	call shell command "kill \$(pidof sleep); $sleepers"
	call shell command 'exit 8'
	has '[variables, functions and jobs are lost]'
	lacks 'still runs'
}

@test "J3: jobs, kill, wait, and a pipeline's status" {
	serve
	call shell command 'sleep 1000 & jobs; kill %1; wait %1; echo $?'
	has '143
[exit 0,'
	call shell command 'false | true; echo ${PIPESTATUS[0]}'
	has '1
[exit 0,'
}
