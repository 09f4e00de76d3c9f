# A task as a whole command. The model's turns come from a transcript: every command
# really runs. What the wires do is tested against tests/fake.
load ../lib

setup_file() {
	lib_env
	lib_image
	cat >"$LIB_DIR/hello.jsonl" <<-'END'
	{"type":"task","task":"say hello"}
	{"type":"response","message":{"role":"assistant","content":"I write the file.","tool_calls":[{"function":{"name":"shell","arguments":{"command":"echo hello >hello.txt; cat hello.txt"}}}]}}
	{"type":"response","message":{"role":"assistant","content":"Something fails.","tool_calls":[{"function":{"name":"shell","arguments":{"command":"echo oops; false"}}}]}}
	{"type":"response","message":{"role":"assistant","tool_calls":[{"function":{"name":"finish","arguments":{"answer":"hello.txt is there.","success":true}}}]}}
	END
	cat >"$LIB_DIR/endless.jsonl" <<-'END'
	{"type":"task","task":"count"}
	{"type":"response","message":{"role":"assistant","tool_calls":[{"function":{"name":"shell","arguments":{"command":"echo 1"}}}]}}
	{"type":"response","message":{"role":"assistant","tool_calls":[{"function":{"name":"shell","arguments":{"command":"echo 2"}}}]}}
	{"type":"response","message":{"role":"assistant","tool_calls":[{"function":{"name":"shell","arguments":{"command":"echo 3"}}}]}}
	{"type":"response","message":{"role":"assistant","content":"I stopped at two."}}
	END
	cat >"$LIB_DIR/fail.jsonl" <<-'END'
	{"type":"task","task":"fly"}
	{"type":"response","message":{"role":"assistant","tool_calls":[{"function":{"name":"finish","arguments":{"answer":"I cannot fly.","success":false}}}]}}
	END
}

@test "run: words, commands, output, status, files, answer" {
	run -0 --separate-stderr cubby --replay "$LIB_DIR/hello.jsonl"
	[ "$output" = "hello.txt is there." ]
	[[ $stderr == *"I write the file."*'$ echo hello >hello.txt; cat hello.txt'*"  hello"*"exit 0, "* ]]
	[[ $stderr == *'$ echo oops; false'*"  oops"*"exit 1, "* ]]
	[[ $stderr == *"  new      hello.txt +1"* ]]
	[[ $stderr == *"cubby: done, 3 rounds, 3 calls"* ]]
	[ "$(cat hello.txt)" = hello ]
	[ "$(stat -c %u hello.txt)" = "$(id -u)" ]
}

@test "run: -q shows the answer alone" {
	run -0 --separate-stderr cubby -q --replay "$LIB_DIR/hello.jsonl"
	[ "$output" = "hello.txt is there." ]
	[ -z "$stderr" ]
}

@test "run: --json is a stream of events" {
	run -0 --separate-stderr cubby --json --replay "$LIB_DIR/hello.jsonl"
	[ "$(jq -r .event <<<"$output" | sort -u | xargs)" = "call end output result round start turn words" ]
	[ "$(jq -r 'select(.event == "end") | "\(.end) \(.status) \(.answer)"' <<<"$output")" = \
		"done 0 hello.txt is there." ]
	[ "$(jq -r 'select(.event == "end") | .files[].path' <<<"$output")" = hello.txt ]
	[ "$(jq -r 'select(.event == "result" and .number == 2) | .exit' <<<"$output")" = 1 ]
}

@test "run: giving up is 1, a limit is 3, each with its reason" {
	run -1 --separate-stderr cubby --replay "$LIB_DIR/fail.jsonl"
	[ "$output" = "I cannot fly." ]
	run -3 --separate-stderr cubby --max-rounds 2 --replay "$LIB_DIR/endless.jsonl"
	[[ $stderr == *"round"* ]]
}

@test "run: no model, no key, a bad address: 4, before anything is started" {
	run -4 --separate-stderr cubby "do it"
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *OPENAI_API_KEY* ]]
	run -4 --separate-stderr cubby --model openai: "do it"
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *OPENAI_API_KEY* ]]
	OPENAI_API_KEY=k OPENAI_BASE_URL=nonsense run -4 --separate-stderr cubby "do it"
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *nonsense* ]]
	run -0 cubby ls --json
	[[ $output != *"$LIB_PROJECT"* ]]
}

@test "run: --ask without a terminal, a transcript that is not there: 2" {
	run -2 --separate-stderr cubby --ask "do it" </dev/null
	[ "$stderr" = "cubby: --ask needs a terminal to ask at" ]
	run --separate-stderr cubby --replay ./absent.jsonl
	[ "$stderr" = "cubby: --replay: cannot open './absent.jsonl': No such file or directory" ]
	run -2 --separate-stderr cubby --save-transcript=/absent/t.jsonl --replay "$LIB_DIR/hello.jsonl"
	[[ $stderr == *"--save-transcript: cannot open '/absent/t.jsonl'"* ]]
}

@test "run: the transcript is kept, listed, shown and can be replayed" {
	cubby -q --save-transcript=t.jsonl --replay "$LIB_DIR/hello.jsonl"
	[ "$(stat -c %a t.jsonl)" = 600 ]
	run -0 cubby log --json
	[ "$(jq -r '.[0] | "\(.end) \(.rounds) \(.text)"' <<<"$output")" = "done 3 say hello" ]
	run -0 cubby log --last
	[[ $output == "task: say hello"*'$ echo oops; false'*"end: done" ]]
	local name
	name=$(cubby log --json | jq -r '.[0].name')
	run -0 cubby log --json "$name"
	[ "$(jq -r .type <<<"$output" | head -1)" = task ]
	run -1 --separate-stderr cubby log 19700101
	[ "$stderr" = "cubby log: there is no task '19700101'; 'cubby log' lists them" ]
	rm hello.txt
	run -0 --separate-stderr cubby --replay t.jsonl
	[[ $stderr == *"replayed with 0 differences"* ]]
	[ "$(cat hello.txt)" = hello ]
}

@test "run: no key is in a transcript, the environment of the box or the output" {
	export OPENAI_API_KEY=sk-very-secret-1234 ANTHROPIC_API_KEY=sk-other-secret-1234
	cat >env.jsonl <<-'END'
	{"type":"task","task":"look at sk-very-secret-1234"}
	{"type":"response","message":{"role":"assistant","tool_calls":[{"function":{"name":"shell","arguments":{"command":"env; cat /proc/*/environ | tr '\\0' '\\n'; echo sk-very-secret-1234"}}}]}}
	{"type":"response","message":{"role":"assistant","content":"done"}}
	END
	run -0 cubby --save-transcript=t.jsonl --replay env.jsonl
	lib_no_word sk-other-secret-1234 t.jsonl
	run -1 grep -l "sk-very-secret-1234" t.jsonl
}

@test "run: --rm leaves no box" {
	cubby -q --rm --replay "$LIB_DIR/hello.jsonl"
	run -0 cubby ls --json
	[[ $output != *"$LIB_PROJECT"* ]]
}

@test "resume: nothing to go on with, and what cannot be combined" {
	cubby exec -- true
	export OPENAI_API_KEY=k
	run -5 --separate-stderr cubby resume
	[ "$stderr" = "cubby resume: there is no task in this box yet" ]
	run -2 --separate-stderr cubby resume --wipe
	[ "$stderr" = "cubby resume: --wipe: the task's work would be gone" ]
}

@test "run: the task from standard input" {
	OPENAI_API_KEY=k OPENAI_BASE_URL=nonsense run -4 --separate-stderr cubby - <<<"do it"
	[[ $stderr == *nonsense* ]]
}
