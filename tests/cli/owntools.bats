# The person's own tools: executables of the project, called by a model, run in the box.
load ../lib
load model

teardown() { model_done; }

@test "own tools: one in .cubby/tools is offered, checked and run in the box" {
	mkdir -p .cubby/tools
	printf '#!/bin/sh\nread -r a; echo "got $a in $(cat /etc/hostname)"; echo warned >&2; exit 3\n' >.cubby/tools/deploy
	chmod +x .cubby/tools/deploy
	echo '{"description":"Deploy to a place.","parameters":{"type":"object","properties":{"to":{"type":"string"}},"required":["to"]}}' >.cubby/tools/deploy.json
	echo '{' >.cubby/tools/broken.json
	model <<-END
	{"calls":[{"name":"deploy","args":{}}]}
	{"expect":"not executed: the argument 'to' is missing","calls":[{"name":"deploy","args":{"to":"x"}}]}
	{"expect":"[exit 3]","calls":[{"name":"finish","args":{"answer":"deployed"}}]}
	END
	run -0 --separate-stderr task "deploy it"
	[[ $stderr == *".cubby/tools/broken.json: bad JSON"* ]]
	jq -se '[.[] | select(.body)] | (.[0].body.tools | any(.function.name == "deploy" and .function.description == "(tool of the project) Deploy to a place.")) and (.[2].body.messages | last.content | startswith("got {\"to\":\"x\"} in ") and contains("warned"))' "$BATS_TEST_TMPDIR/requests"
	jq -se --arg h "$(cat /etc/hostname)" '[.[] | select(.body)][2].body.messages | last.content | contains("in " + $h + "\n") | not' "$BATS_TEST_TMPDIR/requests"
}
