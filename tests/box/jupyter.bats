# cubby serve as a Jupyter server: what Open WebUI's code interpreter and other clients use.
# shellcheck disable=SC2016 # Python's, not the shell's
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
}
teardown() { serve_end; }

# Another kernel; its id in $kernel.
make_kernel() {
	serve_json POST /api/kernels '{"name":"python3"}'
	kernel=$(jq -r .id <<<"$output")
	[[ $kernel =~ ^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$ ]]
}

# cells CODE...: what comes, a line each: "TYPE CONTENT"
cells() {
	run -0 timeout 120 "$CUBBY_TEST_TOP/tests/fake/jupyter_client" "$SERVE_URL" "$SERVE_KEY" "$kernel" "$@"
}

types() { cut -d' ' -f1 <<<"$output" | tr '\n' ' '; }
content() { sed -n "s/^$1 //p" <<<"$output"; }

@test "jupyter: a cell's messages in their order, as Open WebUI reads them" {
	serve_start
	make_kernel
	cells 'print("out", end="")
6 * 7'
	[ "$(types)" = 'status execute_input stream execute_result execute_reply status ' ]
	[ "$(content stream)" = '{"name": "stdout", "text": "out"}' ]
	[ "$(content execute_result)" = '{"data": {"text/plain": "42"}, "execution_count": 1, "metadata": {}}' ]
	[ "$(content execute_reply | jq -c '.status, .execution_count' | tr '\n' ' ')" = '"ok" 1 ' ]
	[ "$(content status | jq -r .execution_state | tr '\n' ' ')" = 'busy idle ' ]
	cells '_ + 1'
	[ "$(content execute_result | jq -r '.data["text/plain"]')" = 43 ]
}

@test "jupyter: errors, and what waited behind one is aborted" {
	serve_start
	make_kernel
	cells '&1 / 0' '2'
	[ "$(content error | jq -r '.ename, .evalue')" = 'ZeroDivisionError
division by zero' ]
	[[ $(content error | jq -r '.traceback[]') == *'File "<cell 1>", line 1'* ]]
	[ "$(content execute_reply | jq -r .status | tr '\n' ' ')" = 'error aborted ' ]
}

@test "jupyter: a cell that took more memory than the box may have is told why it ended" {
	serve_start --memory 100m
	make_kernel
	cells 'x = 5' 'y = bytearray(400 << 20)'
	[ -n "$(content error)" ] || skip "no memory limit can be had here"
	[ "$(content error | jq -r '.ename, .evalue')" = "KernelDied
Python was killed for the box's memory limit; what was defined in it is lost" ]
	cells 'import os; os._exit(3)' '"x" in dir()'
	[ "$(content error | jq -r .evalue)" = 'Python has ended; what was defined in it is lost' ]
	cells '"x" in dir()'
	[ "$(content execute_result | jq -r '.data["text/plain"]')" = False ]
}

@test "jupyter: display, update, clear, and pictures as base64" {
	serve_start
	make_kernel
	cells 'class P:
    def _repr_png_(self): return b"picture"
    def __repr__(self): return "P"
h = display(P(), display_id="one")
h.update(2)
clear_output(wait=True)'
	[ "$(types)" = 'status execute_input display_data update_display_data clear_output execute_reply status ' ]
	[ "$(content display_data | jq -r '.data["image/png"]' | base64 -d)" = picture ]
	[ "$(content display_data | jq -r .transient.display_id)" = one ]
	[ "$(content update_display_data | jq -r '.data["text/plain"]')" = 2 ]
	[ "$(content clear_output)" = '{"wait": true}' ]
	# what is printed after it is not told before it
	cells $'for n in range(50):\n    clear_output(); print(n)'
	[ "$(types)" = "status execute_input $(printf 'clear_output stream %.0s' {1..50})execute_reply status " ]
	cells 'display({"text/html": "é" * 2200000, "text/markdown": "é" * 2200000}, raw=True)'
	[ "$(content stream)" = '{"name": "stderr", "text": "[more than 8 MiB at once: left out]\n"}' ]
}

@test "jupyter: a question is asked of who allows it" {
	serve_start
	make_kernel
	cells 'input("who? ")' =bob
	[ "$(content input_request)" = '{"password": false, "prompt": "who? "}' ]
	[ "$(content execute_result | jq -r '.data["text/plain"]')" = "'bob'" ]
	cells 'input()'
	[ "$(content error | jq -r .ename)" = EOFError ]
}

@test "jupyter: kernels are made, listed, interrupted, restarted and deleted" {
	serve_start
	make_kernel
	serve GET /api/kernels
	[ "$(jq -r '.[0] | .id, .name, .execution_state, .connections' <<<"$output" | tr '\n' ' ')" = "$kernel python3 idle 0 " ]
	cells 'x = 5; import time'
	"$CUBBY_TEST_TOP/tests/fake/jupyter_client" "$SERVE_URL" "$SERVE_KEY" "$kernel" 'print("on", flush=True); time.sleep(600)' >out &
	client=$!
	timeout "$(lib_longer 60)" bash -c "until grep -q stream out; do sleep 0.02; done"
	serve GET "/api/kernels/$kernel"
	[ "$(jq -r '.execution_state, .connections' <<<"$output" | tr '\n' ' ')" = 'busy 1 ' ]
	serve_status POST "/api/kernels/$kernel/interrupt" 204
	wait $client
	grep -q KeyboardInterrupt out
	cells x
	[ "$(content execute_result | jq -r '.data["text/plain"]')" = 5 ]
	serve_status POST "/api/kernels/$kernel/restart" 200
	cells '"x" in globals()'
	[ "$(content execute_result | jq -r '.data["text/plain"], .execution_count' | tr '\n' ' ')" = 'False 1 ' ]
	serve_status DELETE "/api/kernels/$kernel" 204
	serve_status GET "/api/kernels/$kernel" 404
	serve GET /api/kernels
	[ "$output" = '[]' ]
	for _ in {1..8}; do make_kernel; done
	serve_status POST /api/kernels 429
}

@test "jupyter: a kernel of another language is none, Python has several names" {
	serve_start
	for name in ir julia-1.11 myenv Python 'x\u0001'; do
		serve_status POST /api/kernels "$([ "$name" = Python ] && echo 201 || echo 501)" \
			-H 'Content-Type: application/json' -d "{\"name\":\"$name\"}"
	done
	serve_status POST /api/sessions 501 -H 'Content-Type: application/json' -d '{"path":"a.ipynb","kernel":{"name":"bash"}}'
	[ "$(jq -r .message serve.body)" = "the kernel 'bash' is not available: here is python3 alone; for another install Jupyter in the box" ]
	for name in python python3.11 ''; do
		serve_status POST /api/kernels 201 -H 'Content-Type: application/json' -d "{\"name\":\"$name\",\"path\":\"a\"}"
	done
	serve_status POST /api/kernels 201 -H 'Content-Type: application/json' -d '{"name":null}'
	serve GET /api/kernels
	[ "$(jq length <<<"$output")" = 5 ]
}

@test "jupyter: sessions have a path and a kernel, one for a path" {
	serve_start
	serve_json POST /api/sessions '{"path":"a.ipynb","name":"a","type":"notebook","kernel":{"name":"python3"}}'
	id=$(jq -r .id <<<"$output") kernel=$(jq -r .kernel.id <<<"$output")
	[ "$(jq -r '.path, .name, .type' <<<"$output" | tr '\n' ' ')" = 'a.ipynb a notebook ' ]
	serve_json POST /api/sessions '{"path":"a.ipynb","kernel":{"name":"python3"}}'
	[ "$(jq -r .id <<<"$output")" = "$id" ]
	cells 1
	serve GET /api/sessions
	[ "$(jq -r 'length' <<<"$output")" = 1 ]
	serve_json POST /api/sessions "{\"path\":\"b.ipynb\",\"kernel\":{\"id\":\"$id\"}}"
	[ "$(jq -r '.kernel.id, .path' <<<"$output" | xargs)" = "$id a.ipynb" ] # it has one
	serve_json POST /api/kernels '{}'
	other=$(jq -r .id <<<"$output")
	serve_json POST /api/sessions "{\"path\":\"b.ipynb\",\"kernel\":{\"id\":\"$other\"}}"
	[ "$(jq -r '.kernel.id, .path' <<<"$output" | xargs)" = "$other b.ipynb" ]
	serve_status DELETE "/api/sessions/$other" 204
	serve_status POST /api/sessions 404 -H 'Content-Type: application/json' -d "{\"path\":\"b.ipynb\",\"kernel\":{\"id\":\"$other\"}}"
	serve_status DELETE "/api/sessions/$id" 204
	serve GET /api/sessions
	[ "$output" = '[]' ]
	# it begins beside its notebook, or at home
	mkdir sub
	for path in sub/b.ipynb:/sub none/b.ipynb: "$LIB_PROJECT/sub/c":/sub ../../etc/d:; do
		serve_json POST /api/sessions "{\"path\":\"${path%:*}\"}"
		id=$(jq -r .id <<<"$output") kernel=$(jq -r .kernel.id <<<"$output")
		cells 'import os; print(os.getcwd())'
		[ "$(content stream | jq -r .text)" = "$LIB_PROJECT${path##*:}" ]
		serve_status DELETE "/api/sessions/$id" 204
	done
	for path in sub:/sub sub/b.ipynb:/sub none: a.txt: "$LIB_PROJECT/sub":/sub; do
		serve_json POST /api/kernels "{\"path\":\"${path%:*}\"}"
		kernel=$(jq -r .id <<<"$output")
		cells 'import os; print(os.getcwd())'
		[ "$(content stream | jq -r .text)" = "$LIB_PROJECT${path##*:}" ]
		serve_status DELETE "/api/kernels/$kernel" 204
	done
	# names are names, and nothing to fill the server with
	for member in path name type; do
		jq -nc --arg m "$member" --arg long "$(printf '%05000d' 0)" '{path: "a", name: "b"} + {($m): $long}' >long.json
		serve_status POST /api/sessions 400 -d @long.json
		[ "$(jq -r .detail serve.body)" = "the $member of a session is too long" ]
	done
	serve GET /api/kernels
	[ "$output" = '[]' ]
}

@test "jupyter: what a client asks besides cells" {
	serve_start
	serve GET /api
	[ "$(jq -r .version <<<"$output")" = 2.14.0 ]
	serve GET /api/kernelspecs
	[ "$(jq -r '.default, .kernelspecs.python3.spec.language' <<<"$output" | tr '\n' ' ')" = 'python3 python ' ]
	make_kernel
	cells @kernel_info_request @comm_info_request @is_complete_request @history_request
	[ "$(content kernel_info_reply | jq -r '.status, .protocol_version, .language_info.name' | tr '\n' ' ')" = 'ok 5.3 python ' ]
	[ "$(content is_complete_reply)" = '{"status": "unknown"}' ]
	# names, without a cell's code: in their turn, behind a cell that runs
	cells 'class A:
    @property
    def prop(self): print("RAN")
a = A(); a.höhe = 5' '&import time; time.sleep(0.5); a.hub = 1' '@complete_request {"code": "ö = a.h", "cursor_pos": 7}' \
		'@complete_request {"code": "a.prop.", "cursor_pos": 7}' '@inspect_request {"code": "a.höhe", "cursor_pos": 3}' \
		'&@complete_request {"code": 1}' '@inspect_request {"code": "", "cursor_pos": "x"}'
	[ "$(content complete_reply)" = '{"cursor_end": 7, "cursor_start": 6, "matches": ["hub", "höhe"], "metadata": {}, "status": "ok"}
{"cursor_end": 7, "cursor_start": 7, "matches": [], "metadata": {}, "status": "ok"}' ]
	[ "$(content inspect_reply | jq -r '.found, (.data["text/plain"] // "none")[:9]')" = $'true\na.höhe: 5\nfalse\nnone' ]
	[ -z "$(content stream)" ]
	# no reply comes to what is malformed, and the kernel goes on
	cells '&@execute_request {"code": 1}' '%colors nocolor' 'print(1)'
	[ "$(content stream)" = '{"name": "stdout", "text": "1\n"}' ]
}

@test "jupyter: a kernel that ends says so, and the next cell has another" {
	serve_start
	make_kernel
	cells 'import os; os._exit(3)'
	[ "$(content error | jq -r '.ename, .evalue')" = 'KernelDied
Python has ended; what was defined in it is lost' ]
	cells '1 + 1'
	[ "$(content execute_result | jq -r '.data["text/plain"]')" = 2 ]
	cubby stop -q
	cells '2 + 2'
	[ "$(content execute_result | jq -r '.data["text/plain"], .execution_count' | tr '\n' ' ')" = '4 1 ' ]
}

@test "jupyter: without the key there is nothing, and it may come in three ways" {
	serve_start
	make_kernel
	for path in /api/kernels "/api/kernels/$kernel" /api/sessions /api/kernelspecs; do
		run -0 curl -sS -o /dev/null -w '%{http_code}' "$SERVE_URL$path"
		[ "$output" = 401 ]
		run -0 curl -sS -o /dev/null -w '%{http_code}' "$SERVE_URL$path?token=no"
		[ "$output" = 401 ]
		run -0 curl -sS -o /dev/null -w '%{http_code}' "$SERVE_URL$path?token=$SERVE_KEY"
		[ "$output" = 200 ]
		run -0 curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: token $SERVE_KEY" "$SERVE_URL$path"
		[ "$output" = 200 ]
	done
	run -1 "$CUBBY_TEST_TOP/tests/fake/jupyter_client" "$SERVE_URL" no "$kernel" 1
	[[ $output == 'HTTP/1.1 401'* ]]
}

@test "jupyter: much output waits for a slow client, and the server stays small" {
	serve_start
	make_kernel
	cells 1
	before=$(lib_memory "$SERVE_PID")
	run -0 bash -c '"$0" "$@" | { sleep 3; cut -d" " -f1 | sort | uniq -c | grep -c .; }' \
		"$CUBBY_TEST_TOP/tests/fake/jupyter_client" "$SERVE_URL" "$SERVE_KEY" "$kernel" \
		'for i in range(600): print("x" * 100000)'
	[ "$output" -ge 4 ]
	after=$(lib_memory "$SERVE_PID")
	[ $((after - before)) -lt 20000 ]
}

@test "jupyter: a box without python3 is an error of the cell" {
	export CUBBY_IMAGE=test
	serve_start
	make_kernel
	cells 1
	[[ $(content error | jq -r .evalue) == 'there is no python3 in this box; install it in the box: '* ]]
	echo '{"cells":[]}' >n.ipynb
	serve_status POST /notebooks 500 -d '{"path":"n.ipynb"}'
	[[ $(jq -r .detail serve.body) == "Failed to start kernel 'python3': there is no python3 in this box; install it"* ]]
}

# bats test_tags=long
@test "jupyter: E2B's contract: contexts, a stream of what a cell says, its end" {
	local id
	serve_start
	run_code() { # CODE [MEMBERS]: an object a line, without what differs each time
		serve_json POST /execute "$(jq -nc --arg c "$1" "{code: \$c${2:+, $2}}")"
		output=$(jq -c 'del(.timestamp)' <<<"$output")
	}
	run_code $'import sys\nprint("a")\nprint("b", file=sys.stderr)\nx = 41\nx + 1'
	[ "$output" = '{"text":"a\n","type":"stdout"}
{"text":"b\n","type":"stderr"}
{"is_main_result":true,"text":"42","type":"result"}
{"execution_count":1,"type":"number_of_executions"}
{"type":"end_of_execution"}' ]
	run_code $'class P:\n  def _repr_png_(self): return b"\\x89PNG"\n  def _repr_html_(self): return "<b>"\ndisplay(P())'
	[ "$(jq -c 'select(.type == "result") | [.is_main_result, .png, .html]' <<<"$output" | head -n 1)" = '[false,"iVBORw==","<b>"]' ]
	run_code '1/0'
	[ "$(jq -rs '.[0] | .name + ": " + .value' <<<"$output")" = 'ZeroDivisionError: division by zero' ]
	[[ $(jq -rs '.[0].traceback' <<<"$output") == *'1/0'* && $output == *end_of_execution* ]]
	serve_json POST /contexts '{"language":"python","cwd":"/etc"}'
	id=$(jq -r .id <<<"$output")
	run_code 'import os; os.getcwd(), os.environ.get("A"), "x" in globals()' "context_id: \"$id\", env_vars: {A: \"b\\\"c\"}"
	[ "$(jq -rs '.[0].text' <<<"$output")" = "('/etc', 'b\"c', False)" ]
	run_code 'os.environ.get("A")  or "gone"' "context_id: \"$id\""
	[ "$(jq -rs '.[0].text' <<<"$output")" = gone ] # a string has no quotes around it there
	run_code 'display({"text/plain": "g", "application/vnd.x+json": "{\"a\": 1}"}, raw=True)'
	[ "$(jq -cs '.[0] | .text, .extra' <<<"$output")" = $'"g"\n{"application/vnd.x+json":{"a":1}}' ]
	[ "$(jq -cs '.[0] | .type, has("timestamp")' <<<"$(curl -sS -m 60 -H "Authorization: Bearer $SERVE_KEY" -d '{"code": "display({\"text/html\": \"é\" * 2200000, \"text/markdown\": \"é\" * 2200000}, raw=True)"}' "$SERVE_URL/execute")" | xargs)" = 'stderr true' ]
	serve_json POST /contexts '{"cwd":null,"language":null}'
	serve_status DELETE "/contexts/$(jq -r .id <<<"$output")" 204
	run_code 'os.environ["A"] = "c"; os.environ["B"] = "own"' "context_id: \"$id\", env_vars: {A: \"b\"}"
	run_code 'os.environ.get("A"), os.environ.pop("B", None)' "context_id: \"$id\"" # what the cell itself has set stays
	[ "$(jq -rs '.[0].text' <<<"$output")" = "(None, 'own')" ]
	run_code x
	[ "$(jq -rs '.[0].text' <<<"$output")" = 41 ]
	serve GET /contexts
	[ "$(jq -r '.[].cwd' <<<"$output" | sort)" = "$(printf '%s\n' /etc "$LIB_PROJECT" | sort)" ]
	run_code '1/0' "context_id: \"$id\", env_vars: {A: \"b\"}" # it is as it was behind an error, too, and a cell is one cell
	run_code '[n for n in dir() if n[0] != "_"], os.environ.get("A")' "context_id: \"$id\""
	[ "$(jq -rs '.[0].text, (.[] | .execution_count // empty)' <<<"$output")" = $'([\'os\'], None)\n6' ]
	serve_status POST /execute 400 -d "{\"code\":\"1\",\"context_id\":\"$id\",\"env_vars\":{\"A\":true}}"
	serve_status POST /execute 400 -d "{\"code\":\"1\",\"context_id\":\"$id\",\"env_vars\":{\"A=\":\"\"}}"
	serve_status POST "/contexts/$id/restart" 200
	run_code 'import os; os.getcwd()' "context_id: \"$id\""
	[ "$(jq -rs '.[0].text' <<<"$output")" = /etc ]
	serve_status DELETE "/contexts/$id" 204
	serve_json POST /contexts '{"cwd":"none"}'
	run_code 1 "context_id: $(jq .id <<<"$output")"
	[ "$(jq -rs '.[0].value' <<<"$output")" = "cannot enter the working directory '$LIB_PROJECT/none': No such file or directory" ]
	serve_status POST /contexts 400 -d "{\"cwd\":\"$(printf '%05000d' 0)\"}"
	serve_status POST /execute 404 -d "{\"code\":\"1\",\"context_id\":\"$id\"}"
	serve_status POST /contexts 400 -d '{"language":"r"}'
	# much output waits for a slow client, and the server stays small
	export -f lib_memory
	run -0 bash -c 'curl -sS -m 60 -H "Authorization: Bearer $SERVE_KEY" -d "{\"code\":\"for i in range(300): print(chr(120) * 100000)\"}" "$SERVE_URL/execute" |
		{ sleep 2; lib_memory "$SERVE_PID" >rss; wc -c; }'
	[ "$output" -gt 30000000 ]
	[ "$(cat rss)" -lt 12000 ]
	run_code $'class P:\n  def _repr_html_(self): return "y" * 9000000\nP()'
	[[ $(jq -rs '.[0].text' <<<"$output") == *'[text/html, 8.6 MiB: /tmp/cubby-out/'* ]]
	# who leaves interrupts
	run curl -sS -m 2 -H "Authorization: Bearer $SERVE_KEY" -d '{"code":"import time\ntry:\n  time.sleep(1000)\nfinally:\n  open(\"left\", \"w\")"}' "$SERVE_URL/execute"
	lib_until test -e left
	run_code 'x'
	[ "$(jq -rs '.[0].text' <<<"$output")" = 41 ]
}

@test "jupyter: who leaves while a cell waits takes that one along, and no other" {
	serve_start
	curl -sS -m 60 -H "Authorization: Bearer $SERVE_KEY" -d '{"code":"import time\nopen(\"on\", \"w\").close()\ntime.sleep(6)\n\"kept\""}' \
		"$SERVE_URL/execute" >first 3>&- &
	cell=$!
	lib_until test -e on
	run -28 curl -sS -m 1 -H "Authorization: Bearer $SERVE_KEY" -d '{"code":"open(\"never\", \"w\").close()"}' "$SERVE_URL/execute"
	wait "$cell"
	[ "$(jq -r 'select(.type == "result") | .text' first)" = kept ]
	[ "$(grep -cF '{"type":"keepalive"}' first)" = 1 ] # a proxy cuts who is silent
	serve_json POST /execute '{"code":"6 * 7"}'
	[ "$(jq -rs '.[0].text' <<<"$output")" = 42 ]
	[ ! -e never ]
}

@test "jupyter: variables of cells that wait are of what they may hold" {
	local asks=() ask
	serve_start
	serve_json POST /execute '{"code":"1"}'
	jq -n '{code: "import time; time.sleep(60)", env_vars: ([range(20000) | {key: "n\(.)", value: ""}] | from_entries)}' >env.json
	for _ in {1..4}; do
		curl -sS -m 4 -o /dev/null -w '%{http_code}\n' -H "Authorization: Bearer $SERVE_KEY" -d @env.json "$SERVE_URL/execute" >>statuses 2>/dev/null 3>&- &
		asks+=($!)
	done
	lib_until test -s statuses
	[ "$(cat statuses)" = 429 ]
	for ask in "${asks[@]}"; do wait "$ask" || true; done
	[ "$(sort statuses | tr '\n' ' ')" = '200 200 200 429 ' ]
}

@test "jupyter: a password is the key, shown once, and then a cookie with its header" {
	serve_start
	python3 - "$SERVE_ADDR" "$SERVE_KEY" <<-'END'
		import http.client, json, re, socket, sys, urllib.parse
		addr, key = sys.argv[1:]
		def ask(method, path, body=None, **headers):
		    c = http.client.HTTPConnection(addr, timeout=60)
		    c.request(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()})
		    r = c.getresponse()
		    return r, r.read()
		def log_in(password, token=None, cookie=None):
		    return ask("POST", "/login", urllib.parse.urlencode({"_xsrf": token or xsrf, "password": password}),
		        Content_Type="application/x-www-form-urlencoded", Cookie=cookie or "a=b; _xsrf=" + xsrf)
		r, page = ask("GET", "/login")
		assert r.status == 200 and b'type="password"' in page
		assert "default-src 'none'" in r.headers["Content-Security-Policy"]
		xsrf = re.match(r"_xsrf=([0-9a-f]{32}); Path=/; SameSite=Lax$", r.headers["Set-Cookie"]).group(1)
		assert xsrf.encode() in page and xsrf.encode() not in ask("GET", "/login")[1]
		# a plain cookie goes to all ports of a host: behind TLS it is none
		assert ask("GET", "/login", X_Forwarded_Proto="https")[0].headers["Set-Cookie"].endswith("; SameSite=Lax; Secure")
		assert ask("POST", "/login", urllib.parse.urlencode({"_xsrf": xsrf, "password": key}), Content_Type="application/x-www-form-urlencoded",
		    Cookie="_xsrf=" + xsrf, X_Forwarded_Proto="https")[0].headers["Set-Cookie"].endswith("; SameSite=Strict; Secure")
		# without the form's token, or with another's, the password is not looked at
		assert log_in(key, "x" * 32)[0].status == 403
		assert log_in(key, xsrf, "a=b")[0].status == 403
		assert log_in(key, "", "_xsrf=")[0].status == 403
		assert log_in("x" * 5000)[0].status == 413
		assert ask("POST", "/login", "")[0].status == 403 # no body has no end to wait for
		assert log_in("wrong")[0].status == 401
		r, _ = log_in(key)
		assert r.status == 302, r.status
		session = re.match(r"(cubby-login=[0-9a-f]{64}); Path=/api; HttpOnly; SameSite=Strict$", r.headers["Set-Cookie"]).group(1)
		assert key not in str(r.headers)
		cookies = session + "; _xsrf=" + xsrf
		r, kernel = ask("POST", "/api/kernels", Cookie=cookies, X_XSRFToken=xsrf)
		assert r.status == 201, kernel
		kernel = json.loads(kernel)["id"]
		def channels(**headers):
		    host, port = addr.rsplit(":", 1)
		    s = socket.create_connection((host, int(port)), 60)
		    s.sendall((f"GET /api/kernels/{kernel}/channels HTTP/1.1\r\nHost: {addr}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
		        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
		        "".join(f"{k.replace('_', '-')}: {v}\r\n" for k, v in headers.items()) + "\r\n").encode())
		    return int(s.recv(4096).split()[1])
		assert channels(Cookie=cookies, X_XSRFToken=xsrf) == 101
		# the cookie alone is what another origin's page could send
		assert channels(Cookie=cookies) == 401
		assert ask("GET", "/api/kernels", Cookie=cookies)[0].status == 401
		assert ask("GET", "/api/kernels", Cookie=cookies, X_XSRFToken="0" * 32)[0].status == 401
		assert ask("GET", "/api/kernels", Cookie=session + "; _xsrf=", X_XSRFToken="")[0].status == 401
		assert ask("GET", "/api/kernels", Cookie=session[:-1] + "; _xsrf=" + xsrf, X_XSRFToken=xsrf)[0].status == 401
		# and it opens nothing else
		for path in "/execute", "/files/list", "/v1/boxes", "/proxy/80/", "/api/terminals", "/metrics":
		    assert ask("GET", path, Cookie=cookies, X_XSRFToken=xsrf)[0].status == 401, path
		# no more tries than some; a token needs none
		seen = [log_in("wrong")[0].status for _ in range(12)]
		assert seen == [401] * 9 + [429] * 3, seen
		assert log_in(key)[0].status == 429
		assert ask("GET", "/api/kernels?token=" + key)[0].status == 200
		assert ask("DELETE", "/api/kernels/" + kernel, Cookie=cookies, X_XSRFToken=xsrf)[0].status == 204
	END
}

# bats test_tags=long
@test "jupyter: a notebook's cells run by their index, and the file keeps what they said" {
	local id
	serve_start
	jq -n '{nbformat: 4, cells: [{cell_type: "code", source: ["x = 41\n", "print(\"hi\")\n", "x + 1"], metadata: {a: 1}, outputs: [], execution_count: null},
		{cell_type: "code", source: "x * 2", outputs: [], execution_count: null}], metadata: {}}' >n.ipynb
	serve_status POST /notebooks 404 -d '{"path":"none.ipynb"}'
	echo '{}' >bad.ipynb
	serve_status POST /notebooks 400 -d '{"path":"bad.ipynb"}'
	grep -q 'Invalid notebook: it has no cells' serve.body
	# one in another language is not run as Python; one of another Python is
	jq '.metadata = {kernelspec: {name: "ir", language: "R"}}' n.ipynb >r.ipynb
	serve_status POST /notebooks 500 -d '{"path":"r.ipynb"}'
	[ "$(jq -r .detail serve.body)" = "Failed to start kernel 'ir': the notebook is in R, and Python alone is run here" ]
	jq '.metadata = {kernelspec: {name: "venv"}, language_info: {name: "julia"}}' n.ipynb >r.ipynb
	serve_status POST /notebooks 500 -d '{"path":"r.ipynb"}'
	jq '.metadata = {kernelspec: {name: "venv", language: "python"}}' n.ipynb >venv.ipynb
	serve_json POST /notebooks '{"path":"venv.ipynb"}'
	serve DELETE "/notebooks/$(jq -r .id <<<"$output")"
	# what is no notebook, what is too large to be one, and what has cells that are none
	printf '{"cells":[' >bad.ipynb
	serve_status POST /notebooks 400 -d '{"path":"bad.ipynb"}'
	grep -q 'Invalid notebook: ' serve.body
	mkfifo pipe.ipynb
	serve_status POST /notebooks 400 -d '{"path":"pipe.ipynb"}'
	truncate -s $(((64 << 20) + 1)) bad.ipynb
	serve_status POST /notebooks 413 -d '{"path":"bad.ipynb"}'
	echo '{"cells":[0]}' >bad.ipynb
	serve_json POST /notebooks '{"path":"bad.ipynb"}'
	id=$(jq -r .id <<<"$output")
	serve_status POST "/notebooks/$id/execute" 400 -d '{"cell_index":0}'
	rm bad.ipynb
	serve_status POST "/notebooks/$id/execute" 404 -d '{"cell_index":0}'
	serve DELETE "/notebooks/$id"
	serve_json POST /notebooks '{"path":"n.ipynb"}'
	[ "$(jq -r '.kernel + " " + .status' <<<"$output")" = 'python3 ready' ]
	id=$(jq -r .id <<<"$output")
	[[ $id =~ ^[0-9a-f]{12}$ ]]
	serve_json POST "/notebooks/$id/execute" '{"cell_index":0}'
	[ "$(jq -c '[.status, .execution_count, .outputs[0].text, .outputs[1].output_type, .outputs[1].data["text/plain"]]' <<<"$output")" = \
		'["ok",1,"hi\n","execute_result","42"]' ]
	[ "$(jq -c '[keys_unsorted, .cells[0].metadata.a, .cells[0].execution_count, .cells[0].outputs[1].data["text/plain"], (.cells | length)]' n.ipynb)" = \
		'[["nbformat","cells","metadata"],1,1,"42",2]' ]
	cp n.ipynb before
	serve_json POST "/notebooks/$id/execute" '{"cell_index":1,"source":"1/0"}'
	[ "$(jq -c '[.status, .outputs[0].output_type, .outputs[0].ename]' <<<"$output")" = '["error","error","ZeroDivisionError"]' ]
	cmp before n.ipynb
	serve_json POST "/notebooks/$id/execute" '{"cell_index":1}'
	[ "$(jq -r '.outputs[0].data["text/plain"]' <<<"$output")" = 82 ]
	serve_json POST "/notebooks/$id/execute" '{"cell_index":1,"source":"while True: print(chr(120) * 100000)"}'
	[ "$(jq -r '.outputs[-1].ename // .outputs[-1].text' <<<"$output")" = '[more than 8 MiB of output: interrupted]' ]
	[ "$(jq -r .status <<<"$output")" = error ]
	# more than a pipe, and a buffer, holds
	serve_json POST "/notebooks/$id/execute" '{"cell_index":1,"source":"print(chr(120) * 1000000)"}'
	[ "$(jq -r '[.outputs[].text] | add | length' <<<"$output")" = 1000001 ]
	[ "$(jq -r '[.cells[1].outputs[].text] | add | length' n.ipynb)" = 1000001 ]
	# what is cleared is no more in the way: a picture that is drawn again and again
	serve_json POST "/notebooks/$id/execute" '{"cell_index":1,"source":"for n in range(20):\n    clear_output(wait=n % 2)\n    print(n)\n    print(chr(120) * 1000000)"}'
	[ "$(jq -r '.status, .outputs[0].text[:3]' <<<"$output")" = $'ok\n19' ]
	[ "$(jq -r '[.cells[1].outputs[].text] | add | length' n.ipynb)" = 1000004 ]
	serve_json POST "/notebooks/$id/execute" '{"cell_index":1,"source":"print(1)\nclear_output(wait=True)"}'
	[ "$(jq -r '.outputs[].text' <<<"$output")" = 1 ]
	# what was displayed is what it was updated to, in its place, and as often as one likes
	serve_json POST "/notebooks/$id/execute" "$(jq -nc --arg c 'a = display(1, display_id="a")
	print("between")
	b = display(2, display_id=True); display(3, display_id="a")
	class H:
	    def _repr_html_(self): return "x" * 1000000
	for n in range(20): a.update(H())
	a.update(n); b.update("b"); display("none", display_id="z"); print("end")' '{cell_index: 1, source: ($c | gsub("\n\t"; "\n"))}')"
	[ "$(jq -r '.status, (.outputs[] | .text // .data["text/plain"])' <<<"$output")" = $'ok\n19\nbetween\n\n'"'b'"$'\n19\n'"'none'"$'\nend' ]
	[ "$(jq -c .outputs <<<"$output")" = "$(jq -c '.cells[1].outputs' n.ipynb)" ]
	[ "$(jq -r '.outputs[0] | .output_type, has("transient")' <<<"$output" | tr '\n' ' ')" = 'display_data false ' ]
	serve_json POST "/notebooks/$id/execute" '{"cell_index":1,"source":"class H:\n    def _repr_html_(self): return chr(120) * 300000\nfor n in range(40):\n    d = display(n, display_id=True); d.update(H())"}'
	[ "$(jq -r '.outputs[-1].text' <<<"$output")" = '[more than 8 MiB of output: interrupted]' ]
	# the text that ran is the one whose outputs the file has
	serve_json POST "/notebooks/$id/execute" '{"cell_index":1,"source":"y = \"ä\"\ny"}'
	[ "$(jq -c '[.cells[1].source, .cells[1].outputs[0].data["text/plain"], .cells[0].source[0]]' n.ipynb)" = \
		'[["y = \"ä\"\n","y"],"'"'ä'"'","x = 41\n"]' ]
	# a cell of text is none to be run
	jq '.cells += [{cell_type: "markdown", source: "x = 1"}, {cell_type: "raw", source: ""}]' n.ipynb >text.ipynb
	cp text.ipynb n.ipynb
	for cell in '{"cell_index":2}' '{"cell_index":3,"source":"x = 1"}'; do
		serve_json POST "/notebooks/$id/execute" "$cell"
		[ "$output" = '{"status":"ok","execution_count":null,"outputs":[]}' ]
	done
	cmp text.ipynb n.ipynb
	serve_status POST "/notebooks/$id/execute" 400 -d '{"cell_index":4}'
	serve_status POST "/notebooks/$id/execute" 400 -d '{}'
	serve GET "/notebooks/$id"
	[ "$(jq -r '.path + " " + .status' <<<"$output")" = "$LIB_PROJECT/n.ipynb ready" ]
	serve DELETE "/notebooks/$id"
	[ "$output" = '{"status":"stopped"}' ]
	serve_status GET "/notebooks/$id" 404
	# a python3 of the box that is none
	serve_json POST '/execute?wait=20' '{"command":"printf \"#!/bin/sh\\nyes\\n\" >/usr/local/bin/python3; chmod 755 /usr/local/bin/python3"}'
	serve_status POST /notebooks 413 -d '{"path":"n.ipynb"}'
	[ "$(cat serve.body)" = '{"detail":"the file is too large"}' ]
}
