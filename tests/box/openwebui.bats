# Every request that Open WebUI makes of an Open Terminal server, in the order and with the
# fields that it sends: its backend at the start and in a chat's turn, its file panel through
# its own proxy, a person's terminal, previews of ports, notebooks.
load ../lib
load ../serve

setup_file() {
	lib_env
	lib_image
	lib_python
}
setup() {
	lib_skipped
	lib_project
	mkdir boxes
	serve_start --boxes boxes
	user=2f1c9a54-0000-4000-8000-000000000001 chat=7d0e0b5c-1111-4111-8111-111111111111
}
teardown() { serve_end; }

# backend METHOD PATH [CURL ARGUMENT]...: as its tools ask, in a chat of an orchestrator's connection
backend() {
	serve "$1" "$2" -H "X-User-Id: $user" -H "X-Session-Id: $chat" -H "X-Terminal-Context-Id: chat:$chat" "${@:3}"
}
tool() { backend "$1" "$2" -H 'Content-Type: application/json' -d "$3"; }
# panel METHOD PATH [CURL ARGUMENT]...: as its proxy passes the browser's on: few fields
panel() { serve "$1" "$2" -H "X-User-Id: $user" -H "X-Session-Id: $chat" "${@:3}"; }

@test "openwebui: settings are saved: the document, the features, the prompt" {
	run -0 curl -sS -m 5 "$SERVE_URL/health"
	[ "$(jq -r .status <<<"$output")" = ok ]
	serve GET /openapi.json
	# each operation becomes a tool: a name, a description, parameters with types, a JSON body
	[ "$(jq '[.paths[][] | select(.operationId and .description and .parameters)] | length' <<<"$output")" -ge 16 ]
	[ "$(jq -r '.paths["/execute"].post.requestBody.content["application/json"].schema.properties.command.type' <<<"$output")" = string ]
	run -0 curl -sS -m 5 "$SERVE_URL/api/config"
	[ "$(jq -c .features <<<"$output")" = '{"terminal":true,"notebooks":true,"system":true}' ]
	backend GET /system
	[[ $(jq -r .prompt <<<"$output") == *"$LIB_PROJECT/boxes/"* ]]
}

@test "openwebui: a turn of a chat: the directory, each tool with all that a model gives it" {
	local id
	backend GET /files/cwd
	[ "$(jq -r .cwd <<<"$output")" = "$(jq -r .home <<<"$output")" ]
	# all arguments stand in the body, too, and those that are null in the query
	tool POST '/execute?wait=30&tail=null' '{"command":"mkdir -p work && cd work && echo hi","wait":30,"tail":null,"cwd":null,"env":null}'
	[ "$(jq -r '.status + .output[0].data' <<<"$output" | tr -d '\r')" = donehi ]
	backend GET /files/cwd
	[[ $(jq -r .cwd <<<"$output") == */work ]]
	tool POST /files/write '{"path":"a.py","content":"print(1)\n"}'
	tool POST /files/replace '{"path":"a.py","replacements":[{"target":"1","replacement":"2","start_line":1,"end_line":1,"allow_multiple":false}]}'
	backend GET '/files/read?path=a.py&start_line=1&end_line='
	[ "$(jq -r .content <<<"$output")" = 'print(2)' ]
	backend GET '/files/list?directory=NuLL'
	[ "$(jq -r '.entries[].name' <<<"$output")" = a.py ]
	backend GET '/files/grep?query=print&path=.&regex=true&case_insensitive=false&include=*.py&match_per_line=true&max_results=50'
	[ "$(jq -r '.matches[0].line' <<<"$output")" = 1 ]
	backend GET '/files/glob?pattern=*.py&path=.&type=any&max_results=50'
	[ "$(jq -r '.matches[0].path' <<<"$output")" = a.py ]
	backend GET '/files/display?path=a.py&page=1&inline=true'
	[ "$(jq -c '[.exists, .page, .inline]' <<<"$output")" = '[true,1,true]' ]
	tool POST '/execute?wait=0' '{"command":"read x; echo got $x"}'
	id=$(jq -r .id <<<"$output")
	tool POST "/execute/$id/input" '{"input":"y\\n"}'
	backend GET "/execute/$id/status?wait=30&offset=0"
	[[ $output == *'got y'* && $(jq -r .status <<<"$output") = done ]]
	backend GET /execute
	[ "$(jq length <<<"$output")" = 2 ]
	backend DELETE "/execute/$id?force=false"
	# another chat of the same person sees nothing of it
	chat=other
	backend GET /execute
	[ "$output" = '[]' ]
	backend GET '/files/search?query=a.py'
	[ "$output" = '{"results":[]}' ]
}

@test "openwebui: the file panel, through its proxy" {
	local home
	panel GET /files/cwd
	home=$(jq -r .home <<<"$output")
	panel POST /files/mkdir -H 'Content-Type: application/json' -d "{\"path\":\"$home/d\"}"
	printf 'hello\n' >up.txt
	panel POST "/files/upload?directory=$home/d" -F "file=@up.txt;filename=up.txt"
	[ "$(jq -c '[.path, .size]' <<<"$output")" = "[\"$home/d/up.txt\",6]" ]
	panel POST /files/cwd -H 'Content-Type: application/json' -d "{\"path\":\"$home/d\"}"
	[ "$(jq -r .cwd <<<"$output")" = "$home/d" ]
	panel GET "/files/list?directory=$home/d"
	[ "$(jq -c '[.writable, .entries[0].name, .entries[0].type]' <<<"$output")" = '[true,"up.txt","file"]' ]
	panel GET "/files/view?path=$home/d/up.txt"
	[ "$output" = hello ]
	panel GET "/files/serve$home/d/up.txt"
	[ "$output" = hello ]
	panel GET '/files/matches?query=hell&path=.&show_hidden=false&offset=0&limit=100'
	[ "$(jq -r '.results[0].content_matches[0].text' <<<"$output")" = hello ]
	printf 'hello you\n' >rev.txt
	panel POST "/files/upload?directory=$home/d" -F "file=@rev.txt;filename=rev.txt"
	panel POST /files/compare -H 'Content-Type: application/json' \
		-d "{\"original\":\"up.txt\",\"revised\":\"$home/d/rev.txt\",\"ignore_whitespace\":false}"
	[ "$(jq -c '[.original.path, .revised.name, .additions, .deletions, .hunks[0].header]' <<<"$output")" = \
		"[\"$home/d/up.txt\",\"rev.txt\",1,1,\"@@ -1,1 +1,1 @@\"]" ]
	[ "$(jq -c '.hunks[0].lines[1] | [.type, .oldNumber, .newNumber, .content, .segments]' <<<"$output")" = \
		'["added",null,1,"hello you",[{"text":"hello","changed":false},{"text":" you","changed":true}]]' ]
	panel DELETE "/files/delete?path=$home/d/rev.txt"
	panel POST /files/move -H 'Content-Type: application/json' -d "{\"source\":\"$home/d/up.txt\",\"destination\":\"$home/d/b.txt\"}"
	run -0 curl -sS -m 60 -D head -o a.zip -H "Authorization: Bearer $SERVE_KEY" -H "X-User-Id: $user" -H 'Content-Type: application/json' \
		-d "{\"paths\":[\"$home/d\"]}" "$SERVE_URL/files/archive"
	grep -qi 'content-disposition: attachment; filename="d.zip"' head
	[[ $(python3 -m zipfile -l a.zip) == *d/b.txt* ]]
	panel DELETE "/files/delete?path=$home/d"
	panel GET /ports
	[ "$output" = '{"ports":[]}' ]
	panel GET /api/terminals
	[ "$output" = '[]' ]
}

@test "openwebui: a person's terminal: its proxy says who by the query, the key comes first, pings are ignored" {
	local id
	panel POST /api/terminals
	id=$(jq -r .id <<<"$output")
	[[ $id =~ ^[0-9a-f]{8}$ && $(jq .pid <<<"$output") -gt 0 ]]
	PYTHONPATH=$CUBBY_TEST_TOP/tests/fake python3 - "$SERVE_ADDR" "$SERVE_KEY" "$id" "$user" <<-'END'
		import sys
		from ws_client import WS
		addr, key, id, user = sys.argv[1:]
		w = WS(addr, f"/api/terminals/{id}?user_id={user}")
		w.json(type="auth", token=key, chat_id="7d0e")
		w.json(type="resize", cols=100, rows=30)
		w.json(type="ping")
		w.send(b"stty size; echo do''ne\n")
		assert "30 100" in w.until("done")
	END
	panel DELETE "/api/terminals/$id"
	[ "$(jq -r .status <<<"$output")" = deleted ]
}

@test "openwebui: the skills of the box, the first of a name, and no others" {
	local home
	panel GET /files/cwd
	home=$(jq -r .home <<<"$output")
	skill() { panel POST /files/write -H 'Content-Type: application/json' -d "$(jq -nc --arg p "$home/$1" --arg c "$2" '{path: $p, content: $c}')"; }
	skill .agents/skills/pdf/SKILL.md $'---\nname: read pdf\ndescription: Reads PDF.\n---\nUse pdftotext.\n'
	skill .agents/skills/pdf/tools/run.sh 'true'
	skill .claude/skills/other/SKILL.md $'---\nname: read pdf\ndescription: Another.\n---\n'
	skill .claude/skills/plain/SKILL.md $'---\ndescription: "says: <b>much</b>"\n---\n'
	skill .codex/skills/.hidden/SKILL.md $'---\ndescription: no\n---\n'
	skill .codex/skills/bad/SKILL.md 'no head'
	panel GET /skills
	[ "$(jq -r '.[] | .id, .name, .description' <<<"$output")" = $'terminal:read%20pdf\nread pdf\nReads PDF.\nterminal:plain\nplain\nsays: <b>much</b>' ]
	[ "$(jq -r '.[0] | .location, .scope, .source' <<<"$output")" = "$home"$'/.agents/skills/pdf/SKILL.md\nglobal\nterminal' ]
	panel GET '/skills/read?name=read%20pdf'
	[ "$(jq -r '.content, .resources[]' <<<"$output")" = $'Use pdftotext.\n\ntools/run.sh' ]
	serve_status GET '/skills/read?name=none' 404 -H "X-User-Id: $user"
	serve_status GET '/skills/read' 422 -H "X-User-Id: $user"
}

@test "openwebui: the notebook view" {
	local id
	panel GET /files/cwd
	panel POST /files/write -H 'Content-Type: application/json' -d "$(jq -nc --arg p "$(jq -r .home <<<"$output")/n.ipynb" \
		'{path: $p, content: ({nbformat: 4, nbformat_minor: 5, metadata: {kernelspec: {name: "python3"}}, cells: [{cell_type: "code", source: "6*7", outputs: []}]} | tostring)}')"
	panel POST /notebooks -H 'Content-Type: application/json' -d "{\"path\":$(jq .path <<<"$output")}"
	id=$(jq -r .id <<<"$output")
	panel POST "/notebooks/$id/execute" -H 'Content-Type: application/json' -d '{"cell_index":0,"source":"6*7"}'
	[ "$(jq -r '.outputs[0].data["text/plain"]' <<<"$output")" = 42 ]
	panel GET "/notebooks/$id"
	[ "$(jq -r .status <<<"$output")" = ready ]
	panel DELETE "/notebooks/$id"
}
