# cubby serve, /v1: boxes by name, tasks that outlive the server, changes, network, ports.
load ../lib
load ../serve
load model

teardown() {
	touch go
	serve_end
	model_done
}

# value PROGRAM: what jq makes of the last answer
value() { jq -r "$1" <<<"$output"; }

has() { serve GET "$1" && [[ $output == *"$2"* ]]; }

# answers PATH: its status to a GET
answers() {
	curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $SERVE_KEY" "${@:2}" "$SERVE_URL$1"
}

@test "rest: the one box is started, described, stopped and removed" {
	serve_start
	serve GET /v1/boxes
	[ "$(value '(.boxes | length), .several')" = $'0\nfalse' ]
	serve PUT /v1/boxes/here
	[ "$(value '.project, .state')" = "$LIB_PROJECT"$'\nrunning' ]
	serve GET /v1/boxes
	[ "$(value '.boxes[] | .id, .state')" = $'here\nrunning' ]
	serve_json POST /execute '{"command":"exec sleep 300"}'
	serve GET /v1/boxes/here/processes
	[ "$(value '[.[] | select(.command | startswith("sleep 300"))] | length')" = 1 ]
	serve POST /v1/boxes/here/stop
	[ "$(value '.[0].running')" = true ]
	serve GET /v1/boxes/here
	[ "$(value .state)" = stopped ]
	serve DELETE /v1/boxes/here
	serve GET /v1/boxes
	[ "$(value '.boxes | length')" = 0 ]
	serve_status GET /v1/boxes/here 404
	[[ $(jq -r .detail serve.body) == *"no box"* ]]
	serve_status GET /v1/boxes/other 404
	# a task that no model is there for: the service cannot, and says what it lacks
	serve_status POST /v1/boxes/here/tasks 503 -H 'Content-Type: application/json' -d '{"task":"x"}'
	[[ $(jq -r .detail serve.body) == "no language model"*OPENAI_API_KEY* ]]
	serve_status GET /v1/boxes/-x 400
	serve_status GET "/v1/boxes/..%2fx" 400
}

@test "rest: boxes of --boxes by their name, never another directory" {
	mkdir boxes outside
	ln -s ../outside boxes/link
	serve_start --boxes boxes
	serve_status GET /v1/boxes/one 404
	[ ! -e boxes/one ]
	serve PUT /v1/boxes/one
	[ "$(value .project)" = "$LIB_PROJECT/boxes/one" ]
	(cd outside && cubby exec -q true)
	serve GET /v1/boxes
	[ "$(value '.boxes[].id, .several')" = $'one\ntrue' ]
	serve_status PUT /v1/boxes/link 404
	serve_status PUT /v1/boxes/here%00 400
	serve_json POST '/execute?wait=5' '{"command":"pwd"}' -H 'X-Cubby-Box: one'
	[[ $output == *"$LIB_PROJECT/boxes/one"* ]]
	serve_status POST '/execute' 404 -H 'X-Cubby-Box: two' -H 'Content-Type: application/json' -d '{"command":"true"}'
}

# A box above the directory of boxes may make a link of it.
@test "rest: no directory is made where the one of --boxes leads since the server began" {
	mkdir -p top/boxes outside/boxes
	serve_start --boxes top/boxes
	mv top was
	ln -s outside top
	serve PUT /v1/boxes/one
	[[ $output == *"$LIB_PROJECT/top/boxes"* ]]
	[ ! -e outside/boxes/one ]
	rm top
	mv was top
	serve PUT /v1/boxes/one
	[ -d top/boxes/one ]
}

@test "rest: no user of a service names a box, starts a task or changes the network" {
	local who path
	mkdir boxes
	serve_start --boxes boxes
	serve PUT /v1/boxes/one
	for who in 'X-User-Id: eve' 'X-User-Id;' 'X-Terminal-Context-Id: chat:1'; do
		for path in /v1/boxes /v1/boxes/one /v1/boxes/one/tasks /v1/boxes/one/network; do
			[ "$(answers $path -H "$who")" = 403 ]
		done
	done
	[ "$(answers /files/cwd -H 'X-User-Id: eve' -H 'X-Cubby-Box: one')" = 403 ]
	[ "$(answers /files/cwd -H 'X-Cubby-Box: one' -H 'X-Cubby-Box: two')" = 400 ]
	[ "$(answers /v1/boxes -H 'Authorization: Bearer wrong')" = 400 ]
	[ "$(curl -sS -o /dev/null -w '%{http_code}' "$SERVE_URL/v1/boxes")" = 401 ]
}

@test "rest: a key that is for some boxes sees and names no others" {
	mkdir boxes
	printf 'root %s all\nteam %s all team-*\nlooks %s read\n' {r,t,l}0123456789abcdef >keys
	serve_start --keys keys --boxes boxes
	SERVE_KEY=r0123456789abcdef
	serve PUT /v1/boxes/team-a
	serve PUT /v1/boxes/other
	serve GET /v1/boxes
	[ "$(value '[.boxes[].id] | sort | join(" ")')" = "other team-a" ]
	SERVE_KEY=t0123456789abcdef
	serve GET /v1/boxes
	[ "$(value '[.boxes[].id] | join(" ")')" = team-a ]
	serve GET /v1/boxes -H 'X-Cubby-Box: team-a'
	[ "$(value '[.boxes[].id] | join(" ")')" = team-a ]
	[ "$(answers /v1/boxes/team-a)" = 200 ]
	[ "$(answers /v1/boxes/other)" = 403 ]
	[ "$(answers /v1/boxes/other -H 'X-Cubby-Box: team-a')" = 403 ]
	[ "$(answers /files/cwd -H 'X-Cubby-Box: other')" = 403 ]
	SERVE_KEY=l0123456789abcdef
	[ "$(answers /v1/boxes)" = 403 ]
	[ "$(answers /ports -H 'X-User-Id: new')" = 404 ] # it looks, and makes nothing
	[ "$(ls boxes | xargs)" = "other team-a" ]
}

@test "rest: the name of a user opens no box where there is one for all" {
	printf 'ci %s read,run ci-*\n' c0123456789abcdef >keys
	serve_start --keys keys
	SERVE_KEY=c0123456789abcdef
	[ "$(answers /ports)" = 403 ]
	[ "$(answers /ports -H 'X-User-Id: ci-x')" = 403 ]
}

@test "rest: a task outlives a killed server; its events are read by the next" {
	local id
	model < <(call 'echo so it began; until [ -e go ]; do sleep 0.05; done; echo late'; finish "all done")
	serve_start
	serve_json POST /v1/boxes/here/tasks '{"task":"take your time; --help","max_rounds":5}'
	id=$(value .task)
	[[ $id =~ ^[0-9]{8}-[0-9]{6} ]]
	lib_until has "/v1/boxes/here/tasks/$id" '"type":"call"'
	lib_until has "/v1/boxes/here/tasks/$id/terminal" 'so it began'
	kill -9 "$SERVE_PID"
	wait "$SERVE_PID" || true
	serve_start
	serve GET /v1/boxes/here/tasks
	[ "$(value '.[] | .name, .end, .text')" = "$id"$'\nrunning\ntake your time; --help' ]
	(sleep 0.3; touch go) 3>&- &
	serve GET "/v1/boxes/here/tasks/$id/events"
	events=$output
	serve GET "/v1/boxes/here/tasks/$id"
	[ "$(sed -n 's/^data: //p' <<<"$events")" = "$output" ]
	output=$events
	grep -q '^id: 1$' <<<"$output"
	grep -A1 '^id: ' <<<"$output" | sed -n 's/^data: //p' | jq -e 'select(.type == "end") | .reason == "done"'
	[[ $output == *late*"all done"* ]]
	serve GET "/v1/boxes/here/tasks/$id/events" -H 'Last-Event-ID: 3'
	[[ $output == 'id: 4'* ]]
	serve GET "/v1/boxes/here/tasks/$id/terminal?follow=1"
	[[ $output == *"so it began"*late* ]]
	serve GET "/v1/boxes/here/tasks/$id"
	jq -e . <<<"$output" >/dev/null
	serve_status GET /v1/boxes/here/tasks/--help 404
	serve_status POST "/v1/boxes/here/tasks/$id/interrupt" 409
}

@test "rest: a task is interrupted; words of the request are no options" {
	local id
	model < <(call 'until [ -e go ]; do sleep 0.05; done'; finish "never")
	serve_start
	serve_json POST /v1/boxes/here/tasks '{"task":"wait"}'
	id=$(value .task)
	lib_until has "/v1/boxes/here/tasks/$id" '"type":"call"'
	serve POST "/v1/boxes/here/tasks/$id/interrupt"
	serve GET "/v1/boxes/here/tasks/$id/events"
	[[ $output == *'"reason":"interrupted"'* ]]
	serve_status POST /v1/boxes/here/tasks 422 -H 'Content-Type: application/json' -d '{}'
	serve_status POST /v1/boxes/here/tasks 400 -H 'Content-Type: application/json' -d '{"task":"x","max_rounds":"many"}'
	serve_status POST /v1/boxes/here/tasks 400 -H 'Content-Type: application/json' -d '{"task":"x","model":["--rm"]}'
	serve_status POST /v1/boxes/here/tasks 400 -H 'Content-Type: application/json' -d '{"task":""}'
}

@test "rest: a task has files of its directory, and an answer of a schema" {
	local id
	mkdir sub
	echo "line of the file" >sub/note.txt
	echo secret >../outside
	ln -s ../outside link
	model < <(echo '{"expect":"The file sub/note.txt, from the person:\\nline of the file","calls":[{"name":"finish","args":{"answer":"three","success":true}}]}'
		echo '{"expect":"does not fit the person'"'"'s schema","calls":[{"name":"finish","args":{"answer":"{\"n\":3}","success":true}}]}')
	serve_start
	serve_json POST /v1/boxes/here/tasks '{"task":"count","attach":["sub/note.txt"],"schema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}'
	id=$(value .task)
	serve GET "/v1/boxes/here/tasks/$id/events"
	sed -n 's/^data: //p' <<<"$output" | jq -e 'select(.type == "end") | .answer == "{\"n\":3}"'
	no() { # STATUS MEMBERS WORDS
		serve_status POST /v1/boxes/here/tasks "$1" -H 'Content-Type: application/json' -d "{\"task\":\"x\",$2}"
		[[ $(jq -r .detail serve.body) == *"$3"* ]] || { cat serve.body; return 1; }
	}
	no 400 '"attach":["../outside"]' "'attach' has to be names of files in the box's directory"
	no 400 '"attach":["/etc/passwd"]' "'attach' has to be names of files"
	no 400 '"attach":"sub/note.txt"' "'attach' has to be a list of at most 64 texts"
	no 400 '"attach":["link"]' "--attach: 'link' leads by a link out of a directory that a box can write"
	no 404 '"attach":["--help"]' "--attach: cannot open '--help': No such file"
	no 400 '"attach":["sub"]' "--attach: 'sub' is no file"
	no 400 '"schema":"sub/note.txt"' "'schema' has to be an object"
	no 400 '"schema":{"pattern":"^a"}' "schema: 'pattern' is not supported"
	no 413 "\"schema\":{\"title\":\"$(printf '%040000d' 1)\"}" "'schema' has more than 32 KiB"
	run -0 curl -sS "$SERVE_URL/v1/openapi.json"
	[ "$(value '.paths["/v1/boxes/{box}/tasks"].post.requestBody.content["application/json"].schema.properties | [.schema, .attach] | map(del(.description)) == [{type: "object"}, {type: "array", items: {type: "string"}}]')" = true ]
}

@test "rest: a task hears what it is told while it works, and goes on with what comes at its end" {
	local id
	model < <(call 'until [ -e go ]; do sleep 0.05; done'
		finish "done at once"
		finish "heard both")
	serve_start
	serve_json POST /v1/boxes/here/tasks '{"task":"wait"}'
	id=$(value .task)
	lib_until has "/v1/boxes/here/tasks/$id" '"type":"call"'
	serve_json POST "/v1/boxes/here/tasks/$id/message" '{"text":"--make it blue"}'
	serve_json POST "/v1/boxes/here/tasks/$id/message" '{"text":"and round"}'
	serve_status POST "/v1/boxes/here/tasks/$id/message" 400 -H 'Content-Type: application/json' -d '{"text":" "}'
	serve_status POST "/v1/boxes/here/tasks/$id/message" 413 -H 'Content-Type: application/json' -d "{\"text\":\"$(printf '%040000d' 1)\"}"
	serve_status POST "/v1/boxes/here/tasks/$id/message" 413 -H 'Content-Type: application/json' \
		-d @<(printf '{"text":"%0200000d"}' 1)
	serve_status POST "/v1/boxes/here/tasks/$id/message" 413 -H 'Content-Type: application/json' \
		-d @<(printf '{"text":"%02000000d"}' 1)
	touch go
	serve GET "/v1/boxes/here/tasks/$id/events"
	[[ $output == *'"type":"user"'*'--make it blue\nand round'*'"type":"end"'* ]]
	grep -q 'make it blue' "$BATS_TEST_TMPDIR/requests"
	serve_status POST "/v1/boxes/here/tasks/$id/message" 409 -H 'Content-Type: application/json' -d '{"text":"too late"}'
	[ -z "$(find "$XDG_DATA_HOME" -name '*.said')" ]
}

@test "rest: what a killed task did not hear, it hears when it goes on" {
	local id pid
	model < <(call 'until [ -e go ]; do sleep 0.05; done'
		finish "after all")
	serve_start
	serve_json POST /v1/boxes/here/tasks '{"task":"wait"}'
	id=$(value .task)
	lib_until has "/v1/boxes/here/tasks/$id" '"type":"call"'
	serve_json POST "/v1/boxes/here/tasks/$id/message" '{"text":"a last word"}'
	pid=$(lib_writer "$id")
	kill -9 "$pid"
	lib_until sh -c "! kill -0 $pid"
	serve_json POST "/v1/boxes/here/tasks/$id/resume" '{"message":"go on","max_rounds":4}'
	[ "$(value .task)" != "$id" ]
	serve GET "/v1/boxes/here/tasks/$(value .task)/events"
	[[ $output == *'go on\na last word'*"after all"* ]]
	serve_status POST "/v1/boxes/here/tasks/none/resume" 404 -H 'Content-Type: application/json' -d '{}'
	serve_status POST "/v1/boxes/here/tasks/$id/resume" 400 -H 'Content-Type: application/json' -d '{"at":"--help"}'
}

@test "rest: what a task is told stands on no command line, and may be long" {
	local id words
	model < <(finish "once"; call 'until [ -e go ]; do sleep 0.05; done'; finish "again")
	serve_start
	serve_json POST /v1/boxes/here/tasks '{"task":"wait"}'
	id=$(value .task)
	serve GET "/v1/boxes/here/tasks/$id/events"
	serve_json POST '/execute' '{"command":"sleep 300"}'
	for wrong in '"message":["a"]' '"apply":7' '"max_cost":true' '"at":{}'; do
		serve_status POST "/v1/boxes/here/tasks/$id/resume" 400 -H 'Content-Type: application/json' -d "{$wrong}"
	done
	serve_status POST /v1/boxes/here/tasks 400 -H 'Content-Type: application/json' -d '{"task":"x","apply":7}'
	serve_status POST /v1/boxes/here/changes/apply 400 -H 'Content-Type: application/json' -d '{"all":"yes"}'
	serve_status POST /v1/boxes/here/snapshots 400 -H 'Content-Type: application/json' -d '{"name":7}'
	serve_status POST "/v1/boxes/here/tasks/$id/resume" 400 -H 'Content-Type: application/json' -d '{"max_cost":0.5}'
	grep -q 'costs at .* is not known' serve.body # the number was understood
	serve_json POST "/v1/boxes/here/tasks/$id/resume" '{"message":"the word is sesame","max_tokens":1e9}'
	id=$(value .task)
	lib_until has "/v1/boxes/here/tasks/$id" '"type":"call"'
	words=$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ')
	[[ $words == *resume* && $words == *--max-tokens=1000000000* && $words != *sesame* ]]
	touch go
	serve GET "/v1/boxes/here/tasks/$id/events"
	[[ $output == *"the word is sesame"*again* ]]
	serve_json POST "/v1/boxes/here/tasks/$id/resume" "{\"message\":\"-\",\"max_rounds\":1}"
	run -0 curl -sS -m 60 -o serve.body -w '%{http_code}' -H "Authorization: Bearer $SERVE_KEY" \
		-d @<(printf '{"message":"%0200000d","max_rounds":1}' 1) -H 'Content-Type: application/json' \
		"$SERVE_URL/v1/boxes/here/tasks/$id/resume"
	[ "$output" = 201 ] || { cat serve.body; return 1; }
}

@test "rest: a task goes on from where it was after some turns, the project too" {
	local id
	model < <(call 'echo one >a.txt'; call 'echo two >a.txt'; finish "done")
	serve_start --project review
	serve_json POST /v1/boxes/here/tasks '{"task":"count"}'
	id=$(value .task)
	serve GET "/v1/boxes/here/tasks/$id/events"
	serve GET /v1/boxes/here/changes/patch
	[[ $output == *+two* ]]
	serve GET /v1/boxes/here/checkpoints
	[ "$(value length)" -ge 3 ]
	# the service does not know that history: what the task was to apply, never, still holds
	serve_json POST "/v1/boxes/here/tasks/$id/resume" '{"at":1,"message":"stop there"}'
	serve GET "/v1/boxes/here/tasks/$(value .task)/events"
	serve GET /v1/boxes/here/changes/patch
	[[ $output == *+one* ]]
	serve_json POST /v1/boxes/here/checkpoints '{"name":"mine"}'
	serve_json POST '/execute?wait=5' '{"command":"echo three >a.txt"}'
	serve POST /v1/boxes/here/checkpoints/mine/rewind
	serve GET /v1/boxes/here/changes/patch
	[[ $output == *+one* ]]
	serve_status POST /v1/boxes/here/checkpoints/--list/rewind 400
}

@test "rest: a branch is a box of its own, found by its name" {
	serve_start
	serve_json POST '/execute?wait=5' '{"command":"echo one >/root/state"}'
	serve_json POST /v1/boxes/here/branches '{"name":"trial"}'
	[ "$(value .id)" = here@trial ]
	serve_json POST '/execute?wait=5' '{"command":"echo two >/root/state"}' -H 'X-Cubby-Box: here@trial'
	serve_json POST '/execute?wait=5' '{"command":"cat /root/state"}'
	[[ $(value '.output[].data') == one* ]]
	serve GET '/files/read?path=/root/state' -H 'X-Cubby-Box: here@trial'
	[ "$(value .content)" = two ]
	serve GET /v1/boxes
	[ "$(value '[.boxes[].id] | sort | join(" ")')" = "here here@trial" ]
	serve_status GET /files/cwd 404 -H 'X-Cubby-Box: here@none'
	serve_status GET /v1/boxes/here@none 404
	serve_status GET /v1/boxes/here@ 400
	serve_status GET /v1/boxes/here@a@b 400
	serve_status POST /v1/boxes/here/branches 409 -H 'Content-Type: application/json' -d '{"name":"trial"}'
	serve_status POST /v1/boxes/here/branches 400 -H 'Content-Type: application/json' -d '{"name":"--help"}'
	serve DELETE /v1/boxes/here@trial
	serve GET /v1/boxes
	[ "$(value '[.boxes[].id] | join(" ")')" = here ]
}

@test "rest: changes under review are seen, taken over, thrown away, taken back" {
	echo old >a.txt
	serve_start --project review
	serve_json POST '/execute?wait=5' '{"command":"echo new >a.txt; echo b >b.txt; echo c >c.txt; printf \"#!/bin/sh\\n\" >run.sh; chmod +x run.sh"}'
	serve GET /v1/boxes/here/changes
	[ "$(value '[.[] | select(.kind) | .path] | sort | join(" ")')" = "/a.txt /b.txt /c.txt /run.sh" ]
	serve GET '/v1/boxes/here/changes/patch?path=a.txt'
	[[ $output == *$'-old\n+new'* && $output != *b.txt* ]]
	[ "$(cat a.txt)" = old ]
	serve_json POST /v1/boxes/here/changes/apply '{"paths":["a.txt"]}'
	[ "$(cat a.txt)" = new ]
	[ ! -e b.txt ]
	serve_json POST /v1/boxes/here/changes/discard '{"paths":["c.txt"]}'
	serve GET /v1/boxes/here/changes
	[ "$(value '[.[] | select(.kind) | .path] | sort | join(" ")')" = "/b.txt /run.sh" ]
	serve POST /v1/boxes/here/changes/undo
	[ "$(cat a.txt)" = old ]
	serve_status POST /v1/boxes/here/changes/discard 400 -H 'Content-Type: application/json' -d '{"paths":"x"}'
	serve_status POST /v1/boxes/here/changes/apply 400 -H 'Content-Type: application/json' -d '{"paths":["../x"]}'
}

@test "rest: the state of a box is kept, gone back to and thrown away" {
	serve_start
	serve_json POST '/execute?wait=5' '{"command":"echo one >/root/state"}'
	serve_json POST /v1/boxes/here/snapshots '{"name":"good"}'
	[ "$(value .name)" = good ]
	serve_json POST '/execute?wait=5' '{"command":"echo two >/root/state"}'
	serve POST /v1/boxes/here/snapshots/good/restore
	serve_json POST '/execute?wait=5' '{"command":"cat /root/state"}'
	[[ $output == *one* && $output != *two* ]]
	serve GET /v1/boxes/here/snapshots
	[[ $(value '[.[].name] | sort | join(" ")') == "before-restore good" ]]
	serve DELETE /v1/boxes/here/snapshots/before-restore
	serve_status POST /v1/boxes/here/snapshots/none/restore 404
	serve_status POST /v1/boxes/here/snapshots/--help/restore 400
	serve_json POST /execute '{"command":"exec sleep 300"}'
	serve_json POST /v1/boxes/here/snapshots '{"name":"inuse"}'
	[ "$(value '.still_ms >= 0')" = true ]
	serve_status POST /v1/boxes/here/snapshots/good/restore 409
	serve GET /v1/boxes/here/snapshots
	[[ $(value '[.[].name] | sort | join(" ")') == "good inuse" ]]
}

@test "rest: the network's rules and record, ports" {
	serve_start
	serve_json POST /v1/boxes/here/network '{"deny":["bad.example"]}'
	[[ $(value '.rules[]') == *"deny bad.example"* ]]
	serve_json POST '/execute?wait=20' '{"command":"getent hosts bad.example"}'
	serve GET /v1/boxes/here/network/log
	[[ $output == *bad.example* ]]
	serve_json POST /v1/boxes/here/network '{"drop":["bad.example"]}'
	[[ $(value '.rules[]') != *bad.example* ]]
	serve_status POST /v1/boxes/here/network 400 -H 'Content-Type: application/json' -d '{"allow":["a b"]}'
	serve_json POST /v1/boxes/here/ports '{"publish":"0:8080"}'
	serve GET /v1/boxes/here/ports
	port=$(value '.[0].host' | sed 's/.*://')
	[ "$port" -gt 0 ]
	serve DELETE "/v1/boxes/here/ports/$port"
	serve GET /v1/boxes/here/ports
	[ "$(value length)" = 0 ]
}

@test "rest: the document names every route, and no route of the model's" {
	serve_start
	run -0 curl -sS "$SERVE_URL/v1/openapi.json"
	[ "$(value '.info.title, (.paths | keys | map(select(startswith("/v1/") | not)) | length)')" = $'cubby\n0' ]
	[ "$(value '.paths["/v1/boxes/{box}/tasks"].post.operationId')" = start_task ]
	run -0 curl -sS "$SERVE_URL/openapi.json"
	[ "$(value '.paths | keys | map(select(startswith("/v1/"))) | length')" = 0 ]
}

# bats test_tags=long
@test "rest: who knows the document alone can call all of it, and gets what it says" {
	model < <(call 'until [ -e go ]; do sleep 0.05; done'; finish "well"; finish "well")
	serve_start --project review
	run timeout 300 "$CUBBY_TEST_TOP/tests/fake/rest_client" "$SERVE_URL" "$SERVE_KEY" here
	[ "$status" = 0 ] || { echo "$output"; return 1; }
}

@test "rest: a project that is not under review has a list of no changes" {
	serve_start
	serve PUT /v1/boxes/here
	serve GET /v1/boxes/here/changes
	[ "$output" = '[]' ]
	[ "$(cubby diff --json)" = '[]' ]
}
