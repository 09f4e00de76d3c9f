# --schema: an answer that is JSON of a form, or none.
load ../lib
load model

setup() {
	lib_project
	echo '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}' >form
}
teardown() { model_done; }

answer() { jq -cn --arg a "$1" --argjson s "${2-true}" --arg e "${3-}" '(if $e == "" then {} else {expect: $e} end) + {calls: [{name: "finish", args: {answer: $a, success: $s}}]}'; }

@test "schema: the model is told, what does not fit is not taken, what fits is the output" {
	model < <(answer 'It is 3.' true '{"type":"object","properties":{"n"'
		answer '{"n":"3"}' true 'Not finished: the answer does not fit the person'"'"'s schema: it is no JSON: bad JSON at byte 0.'
		answer $'```json\n{"n": 3}\n```' true '/n: it is not of type integer.')
	run -0 --separate-stderr task --schema form "count"
	[ "$output" = '{"n":3}' ]
	model < <(echo '{"text":"{\"n\": 4}"}')
	run -0 --separate-stderr task --schema form --json "how many?"
	[ "$(jq -r 'select(.event == "end").answer' <<<"$output")" = '{"n":4}' ]
}

@test "schema: words of no form, and a model that cannot, end with 1 and no output" {
	model < <(echo '{"text":"There are three."}'
		echo '{"expect":"does not fit the person'"'"'s schema: it is no JSON","text":"Three, I said."}')
	run -1 --separate-stderr task --schema form "count"
	[ -z "$output" ]
	[[ $stderr == *"Three, I said."*"the model's words do not fit the schema: it is no JSON"* ]]
	model < <(answer 'nothing to count' false)
	run -1 --separate-stderr task --schema form "count"
	[ -z "$output" ]
	[[ $stderr == *"nothing to count"*"the model gave up"* ]]
	model < <(for n in 1 2 3 4; do answer "{\"m$n\":1}"; done)
	run -1 --separate-stderr task --schema form "count"
	[[ $stderr == *"the model's answer did not fit the schema, 4 times"* ]]
}

@test "schema: one that is none, or says more than is supported, is refused before a box starts" {
	echo '{"pattern":"^a"}' >bad
	run -2 --separate-stderr cubby run --model openai:x --schema bad "count"
	[ "$stderr" = "cubby run: --schema: 'bad': 'pattern' is not supported" ]
	run -2 --separate-stderr cubby run --model openai:x --schema none "count"
	[ "$stderr" = "cubby run: --schema: cannot open 'none': No such file or directory" ]
	run -2 --separate-stderr cubby run --schema form </dev/null
	[ "${stderr_lines[0]}" = 'cubby run: --schema: a task is missing, such as "list the ports"' ]
}
