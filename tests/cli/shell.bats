# shell and exec -t on a real terminal.
load ../lib

setup() {
	lib_project
	cubby exec --keep -- true
}
teardown() { cubby stop -q 2>/dev/null || true; }

on_tty() { # COMMAND-LINE, its input from ours
	TERM=xterm "$CUBBY_TEST_TOP/tests/on-tty" "$1" | tr -d '\r'
}

@test "shell: a login shell on a terminal, in the project directory" {
	run -0 on_tty "cubby shell" <<<'shopt -q login_shell && tty; pwd; echo $TERM; exit 0'
	[[ $output == *"/dev/pts/"* ]]
	[[ $output == *"$LIB_PROJECT"* ]]
	[[ $output == *xterm* ]]
}

@test "shell: it has the directories of PATH that its profiles take away, and the profiles" {
	cubby exec -- sh -c 'echo "export OF_PROFILE=\$((OF_PROFILE + 1)); PATH=\$PATH:/opt/profile" >/etc/profile.d/x.sh; rm -f ~/.bash_profile'
	local system path
	system=$(cubby shell <<<'echo "$PATH"')
	[[ $system == *:/opt/profile ]]
	path="/go/bin:/a * b::/opt/profile:$system"
	run -0 cubby shell --env "PATH=$path" <<<'echo "$PATH"; echo "$OF_PROFILE $0 $#"'
	[ "$output" = "/go/bin:/a * b:$system"$'\n1 bash 0' ]
	for path in /usr/bin:/bin /go/bin:/usr/bin:/bin; do # what it works with is not in the way
		run -0 cubby shell -e "PATH=$path" -e dir=1 -e own=2 -e lost=3 -e shell=4 <<<'echo "$dir $own $lost $shell"'
		[ "$output" = "1 2 3 4" ]
	done
	run -0 on_tty "cubby shell -e PATH=/go/bin:/usr/bin:/bin" <<<'echo "<$PATH>"; shopt -q expand_aliases && exit 0'
	[[ $output == *"</go/bin:$system>"* ]]
	run -0 cubby exec -- sh -c 'rm "$(command -v bash)" && ! command -v bash'
	run -3 cubby shell -e PATH=/go/bin:/usr/bin:/bin <<<'echo "$0 $PATH"; exit 3'
	[ "$output" = "sh /go/bin:$system" ]
}

@test "shell: what acts on this machine is named when it ends" {
	run -0 --separate-stderr cubby shell <<<'echo x >.envrc; touch plain'
	[ "$stderr" = "cubby: new '.envrc' acts on this machine: a shell reads it when it starts or enters the directory" ]
}

@test "shell: its exit status is that of the shell" {
	run -0 on_tty "cubby shell; echo status=\$?" <<<'exit 5'
	[[ $output == *"status=5"* ]]
}

@test "shell: the terminal has the size of ours" {
	run -0 on_tty "stty rows 31 cols 97; cubby shell" <<<'stty size; exit'
	[[ $output == *"31 97"* ]]
}

# bats test_tags=long
@test "shell: the terminal's mode is restored" {
	run -0 on_tty 'a=$(stty -g); cubby exec -t -- true; b=$(stty -g); [ "$a" = "$b" ] && echo same' </dev/null
	[[ $output == *same* ]]
	run -0 on_tty 'a=$(stty -g); cubby exec -t -- sh -c "kill -9 \$\$"; b=$(stty -g); [ "$a" = "$b" ] && echo same' </dev/null
	[[ $output == *same* ]]
	run -0 on_tty 'a=$(stty -g); timeout 2 cubby exec -t -- sleep 100; b=$(stty -g); [ "$a" = "$b" ] && echo same' </dev/null
	[[ $output == *same* ]]
}

@test "exec: a job that is fetched from the background has the terminal" {
	# bash sends no SIGCONT to a job that was not stopped
	local how
	for how in "" -t; do
		run -0 "$CUBBY_TEST_TOP/tests/cli/talk" env PS1='=$ ' bash --norc --noediting -i <<-END
			["=$ ", "cubby exec $how -- sh -c 'echo in-''box; head -n 1 | sed s/^/got-/' &\n"]
			["in-box", "true; fg\n"]
			["cubby exec", "hello\n"]
			["got-hello", ""]
			["=$ ", "exit 0\n"]
		END
	done
}

@test "shell: commands from a pipe, without a terminal" {
	run -3 bash -c 'echo "echo hi; test -t 0 || echo no-tty; exit 3" | cubby shell'
	[ "$output" = "hi"$'\n'"no-tty" ]
}

@test "shell: another shell" {
	run -0 bash -c 'echo "echo \$0" | cubby shell --shell-command sh'
	[ "$output" = sh ]
	run -127 --separate-stderr cubby shell --shell-command no-such-shell </dev/null
	[[ $stderr == *"no-such-shell"* ]]
}

@test "shell: sh, in an image without bash" {
	run -0 cubby exec -- sh -c 'rm "$(command -v bash)" && ! command -v bash'
	run -3 bash -c 'echo "echo \$0; exit 3" | cubby shell'
	[[ $output == *sh && $output != *bash* ]]
	run -0 cubby mcp <<-'END'
		{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
		{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shell","arguments":{"command":"cd /etc; false"}}}
		{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"shell","arguments":{"command":"pwd"}}}
	END
	[[ $output == *"there is no bash in this image: the shell is sh"* ]]
	[[ $output == *'[exit 1, '*'s, cwd /etc]'* ]]
	[[ $output == *'"text":"/etc'* ]]
	run -0 --separate-stderr cubby mcp --shell-command bash <<-'END'
		{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
		{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shell","arguments":{"command":"pwd"}}}
	END
	[[ $output == *"cannot start the shell 'bash': cannot run 'bash': No such file or directory"* ]]
}

@test "shell: ^C and ^D are the program's" {
	# A ^C that meets the copy of sh that is about to become cat is lost: it is typed until
	# it is answered.
	run -0 python3 - <<'END'
import os, pty, select, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp("cubby", ["cubby", "exec", "-t", "--", "sh", "-c",
                        'trap "echo got" INT; echo ready; cat; cat; echo end'])
seen = b""
for word, key in ((b"ready", b""), (b"got", b"\x03"), (b"end", b"\x04")):
    while word not in seen:
        if select.select([fd], [], [], 0.3)[0]:
            seen += os.read(fd, 4096)
        else:
            os.write(fd, key)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
}
