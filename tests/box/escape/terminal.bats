# K42: a program in the box attacks the person's terminal with what it writes.
load ../../lib

setup() {
	lib_project
	cubby exec --keep -- true
}
teardown() { cubby stop -q 2>/dev/null || true; }

# What the terminal gets while COMMAND-LINE runs; its input is ours.
on_tty() { TERM=xterm "$CUBBY_TEST_TOP/tests/on-tty" "$1"; }

# Each line: a name, and what is attempted, for printf(1).
attacks() {
	cat <<-'END'
		clipboard \033]52;c;ZXZpbA==\007
		clipboard, other end \033]52;c;ZXZpbA==\033\\
		title \033]0;evil\007\033]2;evil\033\\
		title of screen \033kevil\033\\
		title, told back \033]2;evil\007\033[21t
		directory \033]7;file:///evil\007
		link \033]8;;http://evil/\033\\text\033]8;;\033\\
		notices \033]9;evil\007\033]777;notify;evil;evil\007\033]99;;evil\033\\
		iTerm2 \033]1337;File=name=ZXZpbA==;inline=0:ZXZpbA==\007
		shell marks \033]133;C\007
		kitty \033_Gt=f,a=t;L2V0Yy9wYXNzd2Q=\033\\
		device control \033P$qm\033\\\033P+q544e\033\\
		other strings \033^evil\033\\\033Xevil\033\\
		C1 in one byte \2335i\2350;evil\007
		C1 in two bytes \302\2335i\302\2350;evil\007
		printer \033[5i
		window \033[8;1;1t\033[3;1;1t\033[2t
		keyboard \033[2h\033[>4;2m\033[>1u\033[>31u
		locator, checksum \033[1;1;1;1;1;1*y
		who are you \005
		eight bits \033 G
		VT52 \033[?2l
		turned text \342\200\256evil\342\201\251
	END
}

# Fails where what came holds one of the openings that no program of the box may have.
harmless() { # TEXT
	local bad
	for bad in $'\033]' $'\033P' $'\033_' $'\033^' $'\033X' $'\033k' $'\302\233' $'\302\235' \
		$'\033[5i' $'\033[21t' $'\033[8;' $'\033[3;' $'\033[2t' $'\033[2h' $'\033[>' \
		'*y' $'\005' $'\033 G' $'\033[?2l' $'\342\200\256' $'\342\201\251'; do
		[[ $1 != *"$bad"* ]] || {
			printf 'passed: %q in %q\n' "$bad" "$1"
			return 1
		}
	done
	! LC_ALL=C grep -qE $'(^|[^\xc2-\xf4\x80-\xbf])[\x80-\x9f]' <<<"$1"
}

# The detached command has written all that it has to say.
wait_for_text() {
	local n
	for ((n = 0; n < 500; n++)); do
		[[ $(cubby logs) != *text* ]] || return 0
	done
	return 1
}

@test "K42: what exec, exec -t, shell and logs show holds no attack" {
	local how sequences
	sequences=$(attacks | sed 's/^[^\\]* //' | tr -d '\n')
	printf '%s' "printf '${sequences//\'/}'" >attack.sh
	for how in "exec -- sh attack.sh" "exec -- sh -c 'sh attack.sh >&2'" "exec -t -- sh attack.sh" \
		"shell --shell-command ./shell"; do
		printf '#!/bin/sh\nsh attack.sh\n' >shell
		chmod +x shell
		run -0 on_tty "cubby $how" </dev/null
		harmless "$output"
		[[ $output == *text* ]]
	done
	cubby exec -d -- sh attack.sh >pid
	wait_for_text
	run -0 on_tty "cubby logs" </dev/null
	harmless "$output"
	[[ $output == *text* ]]
}

@test "K42: what draws comes as it is written; in pipes and with --raw all does" {
	local draws='\033[1;31mred\033[0m \033[38;5;1mx\033[m\033[2K\033[1A\033(0q\033(B é\r\n'
	run -0 on_tty "cubby exec --no-tty -- printf '$draws'" </dev/null
	[ "$output" = "$(printf "$draws")"$'\r' ] || { printf '%q\n' "$output"; false; }
	run -0 bash -c "cubby exec --no-tty -- printf '\033]0;t\007\033[5i' | od -An -tx1"
	[ "$output" = " 1b 5d 30 3b 74 07 1b 5b 35 69" ]
	run -0 on_tty "cubby exec --raw -- printf '\033]0;t\007'" </dev/null
	[ "$output" = $'\033]0;t\a' ]
	run -0 on_tty "cubby exec --raw -t -- printf '\033[5i'" </dev/null
	[ "$output" = $'\033[5i' ]
}

@test "K42: a program that is killed leaves the terminal as it was" {
	run -0 on_tty "cubby exec -t -- sh -c 'printf \"\033[?1049h\033[?25l\033[?1000;1006h\033[?2004h\033=\033[2;5r\033[31m\"; kill -9 \$\$' || :" </dev/null
	[[ $output == *$'\033[?1000l\033[?1006l\033[?2004l\033[?1049l\033[?25h\0337\033[r\0338\033>\033[m' ]] ||
		{ printf '%q\n' "$output"; false; }
	# The client, a second after the program has written.
	cat >killed <<-'END'
	(until [ -e written ]; do sleep 0.05; done; sleep 1; kill $$) &
	exec cubby exec -t -- sh -c 'printf "\033[?1049h"; : >written; sleep 100'
	END
	run -0 on_tty "sh ./killed || :" </dev/null
	[ "$output" = $'\033[?1049h\033[?1049l' ]
}

# A terminal that answers late, and a person who then types a line.
@test "K42: answers to questions of a program do not reach the shell that comes after it" {
	cat >"$LIB_DIR/terminal.py" <<-'END'
		import os, pty, re, select, sys, time
		pid, fd = pty.fork()
		if pid == 0:
		    os.execvp("bash", ["bash", "-c", sys.argv[1] + '; stty -echo; echo rea""dy; read -r x; '
		                       'printf "left=[%q]" "$x"; read -r y; printf "then=[%q]" "$y"'])
		seen, answered, typed = b"", set(), 0
		while True:
		    try:
		        seen += os.read(fd, 4096)
		    except OSError:
		        break
		    for m in re.finditer(rb"\x1b\[([56]n|c|18t)|\x1b\]11;\?\x07", seen):
		        if m.start() in answered:
		            continue
		        answered.add(m.start())
		        time.sleep(0.2)
		        os.write(fd, {b"5n": b"\x1b[0n", b"6n": b"\x1b[1;1R", b"c": b"\x1b[?62c", b"18t":
		                 b"\x1b[8;24;80t", None: b"\x1b]11;rgb:0000/0000/0000\x07"}[m.group(1)])
		    if b"ready" in seen and typed == 0:
		        typed = os.write(fd, b"typed\n")
		        time.sleep(0.5)
		        os.write(fd, b"second\n")
		os.waitpid(pid, 0)
		sys.stdout.buffer.write(seen)
	END
	local ask='\033[6n\033[c\033[18t\033]11;?\007'
	run -0 timeout 60 python3 "$LIB_DIR/terminal.py" "cubby exec -t -- printf '$ask'"
	[[ $output == *'left=[typed]then=[second]'* ]] || { printf '%q\n' "$output"; false; }
	[[ $output == *$'\033[18t'* ]]
	run -0 timeout 60 python3 "$LIB_DIR/terminal.py" "cubby exec --no-tty -- printf '$ask'"
	[[ $output == *'left=[typed]then=[second]'* ]] || { printf '%q\n' "$output"; false; }
	[[ $output != *$'\033['* ]]
}

@test "K42: what cubby itself prints hides nothing: names, messages, lists, JSON" {
	local evil=$'e\033]0;t\a\302\2335i\342\200\256x' words
	mkdir "$evil" && cd "$evil"
	cubby exec --keep -- true
	cubby exec -d -- sh -c "exec -a '$evil' sleep 1000" || cubby exec -d -- bash -c "exec -a '$evil' sleep 1000"
	for words in ls "ls --json" info "info --json" ps "ps --json" stop images "log" "net" ports \
		"exec -- '$evil'" "exec --json -- '$evil'" "kill '$evil'" "'$evil'" "run --image '$evil' x" \
		"rmi '$evil'" "log '$evil'" "rm --force"; do
		run on_tty "cubby $words" </dev/null
		harmless "$output" || { echo "of: $words"; false; }
	done
}

# A model is asked what it wants by names; what it answers is text from elsewhere.
@test "K42: what a model names hides nothing: tools, arguments, keys" {
	local evil='e\u001b]0;t\u0007\u001b]52;c;QQ==\u0007\u009b5i\u202ex text' how
	printf '%s\n' '{"type":"task","task":"x"}' \
		'{"type":"response","message":{"role":"assistant","content":"'"$evil"'","tool_calls":[{"id":"1","function":{"name":"'"$evil"'","arguments":"{}"}},{"id":"2","function":{"name":"'"$evil"'","arguments":"{\"path\":\"a'"${evil//\\/\\\\}"'\",\"'"${evil//\\/\\\\}"'\":\"b\"}"}}]}}' \
		'{"type":"response","message":{"role":"assistant","content":"done"}}' >"$BATS_TEST_TMPDIR/replay"
	for how in '' '--json'; do
		run on_tty "cubby $how --replay $BATS_TEST_TMPDIR/replay" </dev/null
		[[ $output == *text* ]]
		harmless "$output" || { echo "of: $how"; false; }
	done
}
