# What a person sees on a real terminal (tmux), and a conversation driven by its keys.
load ../lib
load model

setup_file() {
	lib_env
	lib_image
	unset TMUX
}
teardown() {
	tmux -S "$BATS_TEST_TMPDIR/tmux" kill-server 2>/dev/null || true
	model_done
}

terminal() { tmux -S "$BATS_TEST_TMPDIR/tmux" "$@" 3>&-; }

# begin COLUMNS ROWS COMMAND...: on a terminal of that size; its status in the last line
begin() {
	local cols=$1 rows=$2
	shift 2
	(no_model tmux -S "$BATS_TEST_TMPDIR/tmux" -f /dev/null new-session -d -x "$cols" -y "$rows" \
		"cd '$PWD' && $*; echo \"status \$?\"; exec sleep 1000" 3>&-)
}

screen() { terminal capture-pane -p "$@" | sed -e 's/ *$//'; }
keys() { terminal send-keys "$@"; }

# shows TEXT...: waits until the screen has all of them
shows() {
	local n text
	for ((n = 0; n < 600; n++)); do
		seen=$(screen)
		for text; do
			[[ $seen == *"$text"* ]] || { sleep 0.1; continue 2; }
		done
		return 0
	done
	printf 'never on the screen: %s\n%s\n' "$*" "$seen"
	return 1
}

@test "screen: words are Markdown, by the width of the terminal" {
	model <<-'END'
	{"text":"# Cats\n\nSome *words* that are too long for a row of this terminal.\n\n- 一二三四五六七八九十一二三四五六七八九十\n\n| name | n |\n|---|--:|\n| 你好 | 1 |\n\n```sh\nls  -l\n```\n","calls":[{"name":"shell","args":{"command":"echo 'a long command line that does not fit'"}}]}
	{"calls":[{"name":"finish","args":{"answer":"See [it](http://x.test/).","success":true}}]}
	END
	begin 40 30 cubby run --net none "'look'"
	shows "status 0"
	[ "$(sed '1d;/^cubby:/,$d;s/^  exit 0, [0-9.]*s$/  exit 0, 0.0s/' <<<"$seen")" = "$(cat <<-'END'
	Cats

	Some words that are too long for a row
	of this terminal.

	• 一二三四五六七八九十一二三四五六七八
	  九十

	name │ n
	─────┼──
	你好 │ 1

	    ls  -l
	$ echo 'a long command line that does
	  not fit'
	  a long command line that does not fit
	  exit 0, 0.0s

	See it (http://x.test/).
	END
	)" ] || { echo "$seen"; return 1; }
	[[ $seen == *"cubby: done, 2 rounds, 2 calls,"*$'\n'"  "*" out, "*s$'\n'"status 0"* ]]
}

@test "screen: what acts on this machine is not broken by the end of a row" {
	model < <(call "echo all: >Makefile"; finish done)
	begin 46 30 cubby run --net none --apply all "'write'"
	shows "status 0"
	[[ $seen == *$'  new      Makefile +1\n           runs when the project is built or\n           tested\n'* ]] || { echo "$seen"; return 1; }
}

# bats test_tags=long
@test "screen: the status line moves, follows the window's size and leaves nothing behind" {
	model < <(call "until [ -e go ]; do sleep 0.1; done; echo went"; finish done)
	begin 80 24 cubby run --net none "'wait'"
	shows "until [ -e go ]; do" " · round 1, " ", 2s"
	terminal resize-window -x 51 -y 20
	shows "]… " # cut for it
	terminal resize-window -x 31 -y 20
	shows "do s…"
	touch go
	shows "status 0"
	# tmux tells a new size a quarter of a second late: what is drawn meanwhile may stay
	all=$(screen -S -100 | sed '1,/^  went/d')
	[[ $all != *[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]* ]] || { echo "$all"; return 1; }
	[ "$(grep -c '^  went$' <<<"$seen")" = 1 ]
}

@test "screen: ^C leaves no litter" {
	model < <(call "sh -c 'echo begun; sleep 1000'")
	begin 80 24 cubby run --net none "'wait'"
	shows "  begun" "round 1"
	keys C-c
	shows "interrupted:"
	keys q Enter
	shows "status 130"
	[[ $seen != *"⠋"* && $seen != *"begun^C"* ]]
}

@test "screen: ^C at a narrow terminal leaves no litter, and questions are broken at words" {
	model < <(call "sh -c 'echo begun; sleep 1000 # of a second that takes long'")
	begin 40 24 cubby run --net none "'wait'"
	shows "  begun" "…"
	keys C-c
	shows "interrupted:" "again):"
	[[ $seen != *"⠋"* && $seen != *"…"* ]] || { echo "$seen"; return 1; }
	[[ $seen == *$'\ninterrupted: [g]o on, [t]ell it\nsomething, [q]uit, then Enter (or ^C\nagain):'* ]] || { echo "$seen"; return 1; }
	keys q Enter
	shows "status 130"
}

@test "screen: an apply of nothing says so" {
	model < <(call "echo x >a"; finish done)
	begin 80 24 cubby run --net none "'write';" cubby apply
	shows "status 0"
	[[ $seen == *$'\ncubby: nothing waits to be taken over\nstatus 0'* ]] || { echo "$seen"; return 1; }
}

@test "screen: what /help lists is broken at words" {
	model <<<'{"text":"not asked"}'
	begin 60 40 cubby --net none
	shows "/help lists"
	keys /help Enter
	shows "next turn."
	[[ $seen == *$'\n  /model [PROVIDER:]NAME   talk to another model, or say\n                           which it is\n  /effort LEVEL'* ]] || { echo "$seen"; return 1; }
	keys /quit Enter
	shows "status 0"
}

@test "screen: a terminal that is lost ends the task as interrupted" {
	local n
	model < <(call "sh -c 'echo begun; sleep 1000'")
	begin 80 24 cubby run --net none "'wait'"
	shows "  begun"
	terminal kill-server
	for ((n = 0; n < 300; n++)); do
		[ -z "$(cubby log -l | grep '^end: ')" ] || break
		sleep 0.1
	done
	run -0 cubby log -l
	[ "${lines[-1]}" = "end: interrupted" ]
}

@test "screen: a terminal that is lost answers no question; the task is interrupted" {
	local n
	model < <(call "touch one"; finish no)
	begin 80 24 cubby run --net none --ask "'x'"
	shows "run it?"
	terminal kill-server
	for ((n = 0; n < 300; n++)); do
		[ -z "$(cubby log -l | grep '^end: ')" ] || break
		sleep 0.1
	done
	run -0 cubby log -l
	[ "${lines[-1]}" = "end: interrupted" ]
	[ ! -e one ]
	[ "$(requests)" = 1 ]
}

@test "screen: a full-screen program is drawn as its screen" {
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"printf '\\033[?1049h\\033[2J\\033[3;5HMenu\\033[5;5H> one.'; until [ -e go ]; do sleep 0.1; done; printf '\\033[?1049l'; echo left"}}]}
	{"calls":[{"name":"finish","args":{"answer":"seen","success":true}}]}
	END
	begin 80 24 cubby run --net none "'menu'"
	shows "  │     Menu" "  │     > one"
	touch go
	shows "status 0" "  left"
	[[ $seen != *"│"* ]]
}

@test "screen: a conversation is one history; what is typed meanwhile steers it" {
	model <<-'END'
	{"expect":"first task","text":"One.","calls":[{"name":"shell","args":{"command":"x=kept; until [ -e go ]; do sleep 0.1; done; touch made .envrc"}}]}
	{"expect":"also as webp","text":"Both."}
	{"expect":"the second\nline","calls":[{"name":"shell","args":{"command":"echo $x"}}]}
	{"expect":"kept","text":"The shell is *the same*."}
	END
	touch readme
	begin 80 40 cubby --net none
	shows "/help lists"
	keys "first task" Enter
	shows "$ x=kept" "round 1"
	keys "also as webx" BSpace p
	shows "› also as webp"
	keys Enter
	shows "you, for its next turn: also as webp"
	touch go
	shows "Both." "cubby: done" "new      made" "1 change is held until you leave"
	[ -e made ]
	[ ! -e .envrc ]
	keys "the second" M-Enter line Enter
	shows "The shell is the same."
	keys /cos Tab Enter
	shows "4 rounds, "
	keys "see rea" Tab
	shows "› see readme"
	keys C-c
	keys Up Up
	shows "› the second"
	keys C-c
	keys "two words" Home one End s PPage C-Left x Home C-Right y
	shows "› onetwoy xwordss"
	keys C-c
	keys "/effort hgh" Enter
	shows "/effort: "
	keys "/effort high" Enter
	keys "/effort" Enter
	shows "› /effort"$'\n'"cubby: high"
	keys /nonsense Enter
	shows "there is no '/nonsense'"
	keys C-d
	shows "[k]eep"
	keys k Enter
	shows "status 0"
	[ "$(requests)" = 4 ]
	run -0 cubby log
	[ "${#lines[@]}" = 2 ]
	run -0 cubby log -l
	[[ $output = *"first task"*"also as webp"*"the second"*"The shell is"* ]]
	[[ $output != *"the shell is a new one"* ]]
}

@test "screen: what is typed while a task works is told to its model, and not to the shell after it" {
	model <<-'END'
	{"expect":"first task","text":"One.","calls":[{"name":"shell","args":{"command":"until [ -e go ]; do sleep 0.1; done"}}]}
	{"expect":"also as webp","calls":[{"name":"shell","args":{"command":"until [ -e go2 ]; do sleep 0.1; done"}},{"name":"finish","args":{"answer":"Both.","success":true}}]}
	{"expect":"and as gif","calls":[{"name":"shell","args":{"command":"until [ -e go3 ]; do sleep 0.1; done"}},{"name":"finish","args":{"answer":"All three.","success":true}}]}
	END
	begin 80 40 cubby --net none --project live "'first task'"
	shows "$ until" "round 1"
	keys "also as webx" BSpace p
	shows "› also as webp"
	keys Enter
	shows "you, for its next turn: also as webp"
	touch go
	shows "go2"
	keys "and as gif" Enter # it finishes in this very turn
	shows "you, for its next turn: and as gif"
	touch go2
	shows "go3"
	keys "half a"
	shows "› half a"
	touch go3
	shows "All three." "cubby: the model was not told: half a" "status 0"
	[[ $seen != *"Both."* ]]
	[ "$(requests)" = 3 ]
}

@test "screen: a task that was stopped by ^Z goes on, in the background unseen, and hears its keys again" {
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"until [ -e go ]; do sleep 0.1; done; echo went on"}}]}
	{"expect":"also as webp","calls":[{"name":"finish","args":{"answer":"Done.","success":true}}]}
	END
	begin 80 40 PS1=there: bash --norc --noprofile -i
	shows "there:"
	keys "clear; cubby --net none --project live 'first task'" Enter
	shows "$ until" "round 1"
	keys C-z
	shows "Stopped"
	keys "clear; bg" Enter
	shows "there:"
	keys "e=chosen; echo \$e" Enter
	shows chosen
	[[ $seen != *"round 1"* ]]
	keys "clear; fg" Enter
	shows "round 1"
	keys "also as webp"
	shows "› also as webp"
	keys Enter
	shows "you, for its next turn: also as webp"
	touch go
	shows "went on" "Done." "there:"
	keys "exit" Enter
	shows "status 0"
}

@test "screen: the line of a conversation that was stopped by ^Z is edited on" {
	model <<<'{"expect":"half a line","text":"Whole."}'
	begin 80 40 PS1=there: bash --norc --noprofile -i
	shows "there:"
	keys "clear; cubby --net none" Enter
	shows "/help lists"
	keys "half a"
	shows "› half a"
	keys C-z
	shows "Stopped"
	keys "clear; fg" Enter
	shows "› half a"
	keys " linf" BSpace e Enter
	shows "› half a line" "Whole." "done, 1 round" # until then keys are the model's
	keys C-d
	shows "there:"
	keys "exit" Enter
	shows "status 0"
}

@test "screen: a conversation shows what was done, takes it back, and changes its model" {
	model <<-'END'
	{"config":{"append_only":false,"summary":{"text":"Done: SUMMARY."}}}
	{"calls":[{"name":"shell","args":{"command":"perl -MIO::Socket -e 'IO::Socket::INET->new(\"10.1.2.3:80\")'; touch made; echo x >.envrc"}}]}
	{"text":"Made."}
	{"text":"Again."}
	END
	begin 80 40 cubby --model openai:first
	shows "/help lists"
	keys "make it" Enter
	shows "cubby: done" "new      made"
	[ -e made ]
	keys /net Enter
	shows "refused  10.1.2.3 port 80"
	keys /diff Enter
	shows "+++ b/.envrc"
	keys /undo Enter
	shows "is taken back"
	[ ! -e made ]
	keys "/model openai:second" Enter
	shows "cubby: openai:second"
	keys /compact Enter
	shows "summarised before your next line"
	keys "one more" Enter
	shows "replaced by a summary" "Again."
	run -0 jq -r 'select(.path) | "\(.body.model) \(.body.messages | tostring | contains("SUMMARY"))"' "$BATS_TEST_TMPDIR/requests"
	[ "${lines[0]} ${lines[-1]}" = "first false second true" ]
	jq -se 'all(.[].body.messages[0].content // "The person is there: "; contains("The person is there: ") or contains("notes of a long task"))' "$BATS_TEST_TMPDIR/requests"
	keys /shell Enter
	shows "root@"
	keys "echo by \"hand\"; exit" Enter
	shows "by hand"
	keys /help Enter
	shows "/compact"
	keys /quit Enter
	shows "[k]eep"
	keys k Enter
	shows "status 0"
	terminal respawn-pane -k "cd '$PWD' && cubby --net none" # what was typed in the one before is there
	shows "/help lists"
	keys Up Up Up Up
	shows "› one more"
}

@test "screen: pasted lines are one line; a task of a conversation is interrupted alone" {
	model < <(echo '{"expect":"a\nb\nc","calls":[{"name":"shell","args":{"command":"sh -c \"echo begun; sleep 1000\""}}]}'
		echo '{"text":"Still here."}')
	begin 80 24 cubby --net none
	shows "/help lists"
	terminal set-buffer $'a\nb\nc'
	terminal paste-buffer -p
	shows $'› a\nb\nc'
	keys Enter
	shows "  begun"
	shows $'› a\nb\nc\n' # which stands as it was typed
	keys C-c
	shows "interrupted:"
	keys q Enter
	shows "cubby: interrupted"
	keys "are you there" Enter
	shows "Still here."
	keys /quit Enter
	shows "status 0"
}

@test "screen: --ask edits the command that is there; nothing runs when it is emptied" {
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"echo one >file\necho two"}}]}
	{"expect":"what ran instead: echo one >file","calls":[{"name":"finish","args":{"answer":"asked","success":true}}]}
	END
	begin 80 24 cubby run --net none --ask "'x'"
	shows "run it?"
	keys e Enter
	shows "ask again): echo one"
	keys C-u Enter
	shows "run it?" # again
	[ ! -e file ]
	keys e Enter
	shows "echo two"
	keys " 2>&1" Enter
	shows "status 0"
	[ "$(cat file)" = one ]
}

@test "screen: a task is written as one page, whatever it printed" {
	model <<-'END'
	{"text":"**Look** <script>","calls":[{"name":"shell","args":{"command":"printf '\\033[31m<b>red</b>\\033[0m\\n'"}}]}
	{"calls":[{"name":"finish","args":{"answer":"</pre><i>","success":true}}]}
	END
	run -0 task "look <here>"
	run -0 cubby log --html "$PWD/page.html"
	[ -z "$output" ]
	page=$(<page.html)
	[[ $page == "<!DOCTYPE html>"*"<h1>look &#60;here&#62;</h1>"*"</html>" ]]
	[[ $page == *"&#60;/pre&#62;&#60;i&#62;"* && $page != *"<script"* && $page != *"<b>"* ]]
	[[ $page == *'<span class="s c1">&#60;b&#62;red&#60;/b&#62;</span>'* ]]
	cubby log --html - | cmp - page.html
	[ ! -e ./- ]
	! cubby log --html - >/dev/full || false
	ln -sf /etc/passwd link
	run -1 cubby log --html link
	[[ $output == *"is a link"* ]]
}

@test "screen: settings of a project are used once they were agreed to, and not wider" {
	model < <(echo '{"config":{"append_only":false}}'
		echo '{"times":9,"calls":[{"name":"finish","args":{"answer":"done","success":true}}]}')
	mkdir .cubby
	echo '{"max-rounds":1}' >.cubby/config.json
	run -0 --separate-stderr task "x"
	[[ $stderr == *".cubby/config.json of this project is not used: nobody has agreed"* ]]
	begin 80 24 cubby run --net none x y
	shows '{"max-rounds":1}' "[y/N]"
	keys y Enter
	shows "status 0"
	run -0 --separate-stderr task "x" # without a question
	[[ $stderr != *config.json* ]]
	[ "$(cubby log --json -l | jq 'select(.type == "task").max_rounds')" = 1 ]
	echo '{"max-rounds":2}' >.cubby/config.json
	run -0 --separate-stderr task "x"
	[[ $stderr == *"is not used: nobody"* ]]
	[ "$(cubby log --json -l | jq 'select(.type == "task").max_rounds')" = 200 ]
	rm .cubby/config.json
	ln -s /etc/hostname .cubby/config.json
	run -0 --separate-stderr task "x"
	[[ $stderr == *"cubby: cannot read '.cubby/config.json'"* ]]
}

@test "screen: a pipe is a part of the task" {
	model < <(echo '{"expect":"standard input of this command, 8 bytes:]\nerr: 42","text":"It is 42."}')
	echo "err: 42" | (no_model cubby run -q --net none "explain") >answer
	[ "$(cat answer)" = "It is 42." ]
	model_done
	model < <(echo '{"expect":"explain\n\n[cubby: standard input of this command, 8 bytes:]\nerr: 42","text":"Still."}')
	echo "err: 42" | (CUBBY_NET=none no_model cubby explain) >answer # beside a pipe a word is a task
	[ "$(cat answer)" = Still. ]
	for word in explain lss; do # what says nothing is none, and what is nearly a command
		{ [ $word = explain ] || echo x; } | (no_model cubby $word) 2>&1 | grep "unknown command '$word'"
	done
	[ "$(requests)" = 2 ]
}

@test "screen: cubby -c goes on with the last task" {
	model <<-'END'
	{"text":"Hello."}
	{"expect":"also as webp","text":"As webp, too."}
	END
	run -0 task "say hello"
	run -0 task -c "also as webp"
	[[ $output = *"As webp, too."* ]]
	run -2 cubby run -c --wipe "x" </dev/null
	[[ $output = *"--continue"* ]]
}
