# A task against a model service: the fake one, over real HTTP. What each wire and fault
# means in detail is tested in tests/unit/agent.
load ../lib

setup() {
	lib_project
	SERVER=''
}
teardown() { stop_server; }

# SCENARIO on standard input: one JSON object a line.
serve() {
	cat >"$LIB_PROJECT/.scenario"
	mkfifo "$LIB_PROJECT/.port"
	python3 "$CUBBY_TEST_TOP/tests/fake/model_server" --log "$LIB_PROJECT/.seen" \
		"$LIB_PROJECT/.scenario" >"$LIB_PROJECT/.port" 2>"$LIB_PROJECT/.server" 3>&- &
	SERVER=$!
	local port
	read -r port <"$LIB_PROJECT/.port"
	export OPENAI_API_KEY=sk-test-1234567 OPENAI_BASE_URL=http://127.0.0.1:$port/v1
}

stop_server() {
	[ -n "$SERVER" ] || return 0
	kill "$SERVER" 2>/dev/null || true
	wait "$SERVER" 2>/dev/null || true
	SERVER=''
}

one_line() { # STATUS PATTERN: what cubby said last
	[ "$status" = "$1" ] && [ "${#stderr_lines[@]}" = 1 ] && [[ $stderr == $2 ]] || {
		echo "status $status: $stderr"
		return 1
	}
}

@test "model: writes a file, fails, recovers, finishes" {
	serve <<-'END'
	{"config": {"key": "sk-test-1234567", "split": true, "pings": true}}
	{"text": "I begin.", "calls": [{"name": "shell", "args": {"command": "cd /tmp; export A=1; f() { echo \"f $A\"; }; echo data >$OLDPWD/out.txt"}}]}
	{"calls": [{"name": "shell", "args": {"command": "f; pwd; cd - >/dev/null; false"}}], "expect": "exit 0"}
	{"text": "It failed.", "calls": [{"name": "write_file", "args": {"path": "second.txt", "content": "two\n"}}], "expect": "f 1"}
	{"calls": [{"name": "finish", "args": {"answer": "Both are there.", "success": true}}]}
	END
	run -0 --separate-stderr cubby "make two files"
	[ "$output" = "Both are there." ]
	[ "$(cat out.txt second.txt)" = "data"$'\n'"two" ]
	[[ $stderr == *"I begin."*"  f 1"*"  /tmp"*"exit 1, "*"It failed."* ]]
	[[ $stderr != *sk-test* ]]
}

@test "model: a plain answer ends the task" {
	serve <<-'END'
	{"text": "It is 42."}
	END
	run -0 --separate-stderr cubby -q "what is it?"
	[ "$output" = "It is 42." ]
	[ -z "$stderr" ]
}

@test "model: a service that speaks HTTP/2 alone" {
	local port
	command -v node >/dev/null || skip "there is no node to speak HTTP/2 with"
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 9 -subj /CN=localhost \
		-addext subjectAltName=DNS:localhost 2>/dev/null
	serve <<-'END'
	{"text": "I look.", "calls": [{"name": "shell", "args": {"command": "echo seen"}}]}
	{"text": "It is 42.", "expect": "seen"}
	END
	mkfifo life front
	port=${OPENAI_BASE_URL%/v1}
	"$CUBBY_TEST_TOP/tests/fake/http2_front.mjs" cert.pem key.pem "${port##*:}" <life >front 3>&- &
	exec {LIFE}>life {FRONT}<front
	read -r port <&$FRONT
	SSL_CERT_FILE=$PWD/cert.pem OPENAI_BASE_URL=https://localhost:$port/v1 run -0 --separate-stderr cubby "what is it?"
	[ "$output" = "It is 42." ]
	exec {LIFE}>&-
	[ "$(grep -c '^HTTP/2.0 POST /v1/chat/completions$' <&$FRONT)" = 2 ]
}

# bats test_tags=long
@test "model: nobody listens" {
	OPENAI_API_KEY=k OPENAI_BASE_URL=http://127.0.0.1:9/v1 run --separate-stderr \
		timeout 120 cubby run -q --timeout 3s "x"
	[[ $status == 3 || $status == 4 ]]
	[ -n "$stderr" ]
}

@test "model: a wrong key, a page of HTML, a refused request: 4 and one line" {
	serve <<-'END'
	{"status": 401, "body": {"error": {"message": "Incorrect API key provided"}}, "times": 9}
	END
	run --separate-stderr cubby run -q "x"
	one_line 4 "cubby run: *OPENAI_API_KEY*"
	stop_server
	rm .port
	serve <<-'END'
	{"html": "Welcome to the hotel network", "times": 9}
	END
	run --separate-stderr timeout 100 cubby run -q --timeout 20s "x"
	[[ $status == 3 || $status == 4 ]]
	[[ $stderr == *"hotel network"* ]]
}

@test "model: rounds end with 3, and can be resumed" {
	serve <<-'END'
	{"calls": [{"name": "shell", "args": {"command": "echo one"}}]}
	{"text": "I got as far as one."}
	{"calls": [{"name": "shell", "args": {"command": "echo two >two"}}]}
	{"calls": [{"name": "finish", "args": {"answer": "Now two.", "success": true}}]}
	END
	run -3 --separate-stderr cubby run --max-rounds 1 "count"
	[[ $stderr == *"cubby resume"* ]]
	run -0 --separate-stderr cubby resume --max-rounds 9
	[ "$output" = "Now two." ]
	[ -e two ]
	[ "$(cubby log --json | jq -r '[.[] | .end] | join(" ")')" = "limit done" ]
}

@test "model: killed in the middle, resumed" {
	serve <<-'END'
	{"calls": [{"name": "shell", "args": {"command": "echo begun; sleep 1000"}}]}
	{"calls": [{"name": "finish", "args": {"answer": "Went on.", "success": true}}], "expect": "nterrupted"}
	END
	mkfifo out
	cubby run --json "wait" >out 2>/dev/null 3>&- &
	local pid=$! line
	while read -r line; do
		[[ $line == *'"output"'*begun* ]] && kill -9 "$pid"
	done <out
	wait "$pid" || true
	run -0 --separate-stderr cubby resume
	[ "$output" = "Went on." ]
}

@test "model: an interrupt ends a task that nobody can be asked about, with 130" {
	serve <<-'END'
	{"calls": [{"name": "shell", "args": {"command": "echo begun; sleep 1000"}}]}
	{"text": "not reached"}
	END
	mkfifo out
	bash -c 'trap - INT; exec cubby run --json wait' >out 2>/dev/null </dev/null 3>&- &
	local pid=$! line status=0
	while read -r line; do
		[[ $line == *'"output"'*begun* ]] && kill -INT "$pid"
	done <out
	wait "$pid" || status=$?
	[ "$status" = 130 ]
	[ "$(cubby log --json | jq -r '.[0].end')" = interrupted ]
}

@test "model: the key is in its header and nowhere else" {
	serve <<-'END'
	{"config": {"key": "sk-test-1234567"}}
	{"calls": [{"name": "shell", "args": {"command": "env | grep -c sk-test; cat /proc/*/environ | grep -c sk-test"}}]}
	{"text": "ok"}
	END
	run -0 cubby run --save-transcript=t.jsonl "look"
	lib_no_word sk-test-1234567 t.jsonl
	[[ $output != *sk-test-1234567* ]]
}
