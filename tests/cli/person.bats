# A person at a terminal beside a task: --ask, ^C, the status line, colours.
load ../lib
load model

setup_file() {
	lib_env
	lib_image
	export TERM=xterm
}
teardown() { model_done; }

talk() { (no_model "$CUBBY_TEST_TOP/tests/cli/talk" cubby run --net none "$@"); }

@test "person: --ask takes yes, no with a reason, edit, and always for a program" {
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"echo one >one"}}]}
	{"expect":"[exit 0","calls":[{"name":"shell","args":{"command":"echo two >two"}}]}
	{"expect":"The person refused this call: no twos","calls":[{"name":"shell","args":{"command":"echo three >three"}}]}
	{"expect":"what ran instead: echo 3 >edited]","calls":[{"name":"shell","args":{"command":"touch four"}}]}
	{"expect":"[exit 0","calls":[{"name":"shell","args":{"command":"touch five"}}]}
	{"expect":"[exit 0","calls":[{"name":"shell","args":{"command":"touch six; touch seven"}}]}
	{"expect":"The person refused this call.","calls":[{"name":"finish","args":{"answer":"asked","success":true}}]}
	END
	run -0 talk --ask "make files" <<-'END'
	["$ echo one", ""]
	["run it?", "y\n"]
	["run it?", "n\n"]
	["why not?", "no twos\n"]
	["run it?", "e\n"]
	["instead", ""]
	["echo three", "\u0001\u000becho 3 >edited\n"]
	["[a]lways for 'touch'", "a\n"]
	["$ touch five", ""]
	["$ touch six; touch seven", ""]
	["run it?", "n\n"]
	["why not?", "\n"]
	["asked", ""]
	END
	[ "$(echo *)" = "edited five four one" ]
}

@test "person: --ask asks for a tool of the project, whatever its name is" {
	mkdir -p .cubby/tools
	printf '#!/bin/sh\ntouch made\n' >.cubby/tools/changes
	chmod +x .cubby/tools/changes
	echo '{"description":"Look.","parameters":{"type":"object","properties":{}}}' >.cubby/tools/changes.json
	model <<-'END'
	{"calls":[{"name":"changes","args":{}}]}
	{"expect":"The person refused this call.","calls":[{"name":"finish","args":{"answer":"asked","success":true}}]}
	END
	run -0 talk --ask "look" <<-'END'
	["run it?", "n\n"]
	["why not?", "\n"]
	["asked", ""]
	END
	[ ! -e made ]
}

@test "person: --ask permits what was kept for the directory, and no project can" {
	cubby set always=touch
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"touch one"}}]}
	{"expect":"[exit 0","calls":[{"name":"shell","args":{"command":"mkdir two"}}]}
	{"expect":"The person refused this call: no","calls":[{"name":"finish","args":{"answer":"asked","success":true}}]}
	END
	run -0 talk --ask "make files" <<-'END'
	["permitted always: 'touch'", ""]
	["$ mkdir two", ""]
	["run it?", "n\n"]
	["why not?", "no\n"]
	["asked", ""]
	END
	[ "$(echo *)" = one ]
	mkdir .cubby
	echo '{"always": ["mkdir"]}' >.cubby/config.json
	model <<<"$(finish done)"
	run -0 talk "go on" <<-'END'
	["Use them, and later unless they change?", "y\n"]
	["'always' is not for a project to set", ""]
	["done", ""]
	END
}

@test "person: --ask runs nothing where the edit is empty, and asks again" {
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"echo one >one"}}]}
	{"expect":"The person refused this call: no","calls":[{"name":"finish","args":{"answer":"asked","success":true}}]}
	END
	run -0 talk --ask "make files" <<-'END'
	["run it?", "e\n"]
	["instead", ""]
	["echo one", "\u0001\u000b\n"]
	["run it?", "n\n"]
	["why not?", "no\n"]
	["asked", ""]
	END
	[ ! -e one ]
}

@test "person: --ask shows all of it, and what is hidden, also with -q" {
	local many
	many=$(printf 'echo %s\\n' {1..40})
	model <<-END
	{"calls":[{"name":"shell","args":{"command":"${many}touch last # \u202e\u200b\u009b"}}]}
	{"expect":"refused","calls":[{"name":"write_file","args":{"path":"f","content":"${many}end\n"}}]}
	{"expect":"refused","calls":[{"name":"edit_file","args":{"path":"f","edits":[{"old_string":"a\nb\n","new_string":"c\n"}]}}]}
	{"expect":"refused","calls":[{"name":"finish","args":{"answer":"asked","success":true}}]}
	END
	run -0 talk --ask -q "make files" <<-'END'
	["$ echo 1", ""]
	["  echo 40", ""]
	["  touch last # <U+202E><U+200B><U+009B>", ""]
	["run it?", "n\n"]
	["why not?", "\n"]
	["write_file f", ""]
	["  + echo 1", ""]
	["  + echo 40", ""]
	["  + end", ""]
	["run it?", "n\n"]
	["why not?", "\n"]
	["edit_file f", ""]
	["  - a", ""]
	["  - b", ""]
	["  + c", ""]
	["run it?", "n\n"]
	["why not?", "\n"]
	["asked", ""]
	END
	[ "$(echo *)" = "*" ]
}

@test "person: --ask shows what write_file changes in a file that is there, all of it" {
	local new
	seq 40 >f
	printf 'a\0b\n' >binary
	new=$(printf '%s\\n' {1..19} 'twen\u202ety' {21..40})
	model <<-END
	{"calls":[{"name":"shell","args":{"command":"cd /tmp"}}]}
	{"calls":[{"name":"write_file","args":{"path":"$PWD/f","content":"$new"}}]}
	{"expect":"wrote 118 bytes","calls":[{"name":"write_file","args":{"path":"$PWD/binary","content":"text\n"}}]}
	{"expect":"refused","calls":[{"name":"finish","args":{"answer":"asked","success":true}}]}
	END
	run -0 talk --ask -q "make files" <<-'END'
	["run it?", "y\n"]
	["write_file ", ""]
	["(the file is there: +1 -1)", ""]
	["  @@ -17,7 +17,7 @@", ""]
	["    19", ""]
	["  - 20", ""]
	["  + twen<U+202E>ty", ""]
	["    23", ""]
	["run it?", "y\n"]
	["  + text", ""]
	["run it?", "n\n"]
	["why not?", "\n"]
	["asked", ""]
	END
	[[ $output != *"  + 1"* && $output != *"    30"* ]]
	[ "$(sed -n 20p f)" = $'twen\u202ety' ]
	[ "$(wc -l <f)" = 40 ]
}

# It is for the model, as all that is typed while the task works.
@test "person: what was typed before the question was asked does not answer it" {
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"touch one; sleep 0.5"}}]}
	{"expect":"\"content\": \"y\"","calls":[{"name":"shell","args":{"command":"touch two"}}]}
	{"expect":"The person refused this call: too early","calls":[{"name":"finish","args":{"answer":"asked","success":true}}]}
	END
	run -0 talk --ask "make files" <<-'END'
	["run it?", "y\ny\n"]
	["run it?", "n\n"]
	["why not?", "too early\n"]
	["asked", ""]
	END
	[[ $output == *"you, for its next turn: y"* ]]
	[ "$(echo *)" = one ]
}

@test "person: --ask ends with q, and at the end of input" {
	model < <(call "touch a"; call "touch b")
	run -130 talk --ask "x" <<<'["run it?", "q\n"]'
	[ ! -e a ]
}

# A ^C that comes while bash forks is lost in bash: the commands say that they run from a
# child of it.
@test "person: ^C once stops the command and asks; the task goes on with what is told" {
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"sh -c 'echo begun; sleep 1000'; echo never"}}]}
	{"expect":"use tea","calls":[{"name":"shell","args":{"command":"echo again"}}]}
	{"expect":"again","calls":[{"name":"finish","args":{"answer":"went on","success":true}}]}
	END
	run -0 talk "wait" <<-'END'
	["  begun", "\u0003"]
	["interrupted:", "t\n"]
	["tell it:", "use tea\n"]
	["went on", ""]
	END
	[ "$(requests)" = 3 ]
}

@test "person: ^C twice ends the task with 130; it can be resumed" {
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"sh -c 'echo begun; sleep 1000'"}}]}
	{"expect":"goes on now","calls":[{"name":"finish","args":{"answer":"resumed","success":true}}]}
	END
	run -130 talk "wait" <<-'END'
	["  begun", "\u0003"]
	["interrupted:", "\u0003"]
	["cubby resume", ""]
	END
	run -0 no_model cubby resume -q --net none </dev/null
	[ "$output" = resumed ]
}

@test "person: words before the call that ^C ended are not shown again as the answer" {
	model <<-'END'
	{"text":"I count now.","calls":[{"name":"shell","args":{"command":"true"}}]}
	{"calls":[{"name":"shell","args":{"command":"sh -c 'echo begun; sleep 1000'"}}]}
	END
	run -130 talk "wait" <<-'END'
	["  begun", "\u0003"]
	["interrupted:", "q\n"]
	["cubby resume", ""]
	END
	[[ $output == *"I count now."*interrupted:* && ${output#*interrupted:} != *"I count now."* ]]
}

@test "person: ^C while a refused request waits" {
	model <<-'END'
	{"status":429,"headers":{"Retry-After":"100"},"body":{"error":{"message":"slow down"}}}
	{"text":"not reached"}
	END
	run -130 talk "wait" <<-'END'
	["attempt 2 of 6 in 1m40s", "\u0003"]
	["interrupted:", "q\n"]
	END
	[ "$(requests)" = 1 ]
}

@test "person: ^C while the model thinks; going on asks it again" {
	model <<-'END'
	{"text":"half of a long answer that does not come to its end","stall_ms":30000}
	{"text":"whole"}
	END
	run -0 talk "think" <<-'END'
	["half of", "\u0003"]
	["interrupted:", "g\n"]
	["whole", ""]
	END
	[ "$(requests)" = 2 ]
}

@test "person: colours and a status line on a terminal, none of either elsewhere" {
	model < <(echo '{"config":{"append_only":false}}'
		call "echo out"; finish done; call "echo out"; finish done)
	run -0 talk "look" <<<'["done", ""]'
	[[ $output = *$'\033['* ]]
	[[ $output = *"waiting for the model · round 1, 0 tokens, 0s"* ]]
	run -0 task "look"
	[[ $output != *$'\033'* ]]
	[[ $output != *"round 1"* ]]
}
