# Tasks from end to end: the real binary, a real box, a model service that follows a
# script (tests/fake/model_server) and checks every request.
load ../lib
load model

teardown() { model_done; }

@test "task: a command fails, is mended, a file is there" {
	model <<-END
	{"text":"I try.","calls":[{"name":"shell","args":{"command":"cp missing out.txt"}}]}
	{"expect":"s, cwd $LIB_PROJECT]","calls":[{"name":"shell","args":{"command":"echo hello >out.txt"}}]}
	{"expect":"s, cwd $LIB_PROJECT]","calls":[{"name":"finish","args":{"answer":"out.txt says hello","success":true}}]}
	END
	run -0 --separate-stderr task "make out.txt"
	[[ $output$stderr = *"out.txt says hello"* ]]
	[ "$(cat out.txt)" = hello ]
	[ "$(requests)" = 3 ]
	[ "$(stat -c %u out.txt)" = "$(id -u)" ]
}

# A window of 8192 tokens is told, of which one result has an eighth, at three bytes each.
@test "task: the model is told its machine, its limits and what stays" {
	model <<-END
	{"config":{"models":["fake"],"cards":{"fake":{"max_model_len":8192}}}}
	{"calls":[{"name":"shell","args":{"command":"seq 5000"}}]}
	{"expect":"[the whole output is in /var/tmp/cubby-output/main-1.txt]","text":"I see"}
	END
	run -0 task -q --max-rounds 7 --timeout 1h "look"
	run -0 jq -rs '[.[] | select(.body)][0].body.messages[0].content' "$BATS_TEST_TMPDIR/requests"
	[[ $output == *"- System: $(cubby exec -q -- sh -c '. /etc/os-release; echo "$PRETTY_NAME"'), apt-get (first apt-get update), $(uname -m), $(nproc) processors"$'\n'* ]]
	[[ $output == *"- Programs: there are bash"*" perl"*"; there are not "* ]]
	[[ $output == *"- Network: none: nothing can be downloaded or installed"$'\n'* ]]
	[[ $output == *" of memory, "*" processes; 7 turns, 1h00m for all; a result has up to 3072 characters"$'\n'* ]]
	[[ $output == *"- Nobody answers questions"*"- $LIB_PROJECT (also /workspace), the project: "*$'\n- The rest of the machine: '*$'\n- /tmp and /run: until the machine stops.'* ]]
	[ "$(jq -rs '[.[] | select(.body)][1].body.messages | last.content | length' "$BATS_TEST_TMPDIR/requests")" -lt 3300 ]
}

@test "task: the next task is told what came and what went" {
	told() { # the programs, as the next task has them
		model <<<'{"text":"ok"}'
		run -0 task -q "look"
		run -0 jq -rs '[.[] | select(.body)][0].body.messages[0].content' "$BATS_TEST_TMPDIR/requests"
		model_done
		rm "$BATS_TEST_TMPDIR/requests"
	}
	told
	[[ $output == *"; there are not "*" jq "* ]]
	cubby exec -q -- sh -c 'echo "#!/bin/sh" >/opt/x; chmod +x /opt/x; ln -s /opt/x /usr/local/bin/jq'
	told
	[[ $output == *"there are "*" jq"*"; there are not "* ]]
	cubby exec -q -- rm /opt/x
	told
	[[ $output == *"; there are not "*" jq "* ]]
}

@test "task: --effort is said in each wire's way" {
	says() { # MODEL PATH: the member of the request that says it
		model <<<'{"text":"ok"}'
		run -0 task -q --model "$1" --effort low "think"
		run -0 jq -c "select(.body) | .body$2" "$BATS_TEST_TMPDIR/requests"
		model_done
		rm "$BATS_TEST_TMPDIR/requests"
	}
	says openai:x .reasoning_effort
	[ "$output" = '"low"' ]
	says responses:x .reasoning
	[ "$output" = '{"effort":"low"}' ]
	says responses:gpt-5.1 .reasoning
	[ "$output" = '{"effort":"low","summary":"auto"}' ]
	says anthropic:x .thinking
	[ "$output" = '{"type":"enabled","budget_tokens":2048}' ]
}

@test "task: the model is told where git does not know who commits" {
	mkdir .git
	model <<<'{"text":"I see"}'
	run -0 task -q "look"
	model_done
	grep -q 'git knows no author: commit with -c user.name=' "$BATS_TEST_TMPDIR/requests"
	printf '[user]\n\temail = a@b.test\n' >.git/config
	rm "$BATS_TEST_TMPDIR/requests"
	model <<<'{"text":"I see"}'
	run -0 task -q "look"
	! grep -q 'knows no author' "$BATS_TEST_TMPDIR/requests"
}

@test "task: one that is begun below the box's directory begins there" {
	mkdir sub
	cubby exec -q -- true
	cd sub
	model <<-END
	{"calls":[{"name":"shell","args":{"command":"pwd"}}]}
	{"expect":"s, cwd $LIB_PROJECT/sub]","calls":[{"name":"write_file","args":{"path":"here.txt","content":"ok"}}]}
	{"calls":[{"name":"finish","args":{"answer":"done","success":true}}]}
	END
	run -0 --separate-stderr task "where am I"
	[ "$(cat here.txt)" = ok ]
}

# asks COMMAND SAYS OPTION...: a task of one command, whose result the service expects.
asks() {
	model <<-END
	{"calls":[{"name":"shell","args":{"command":"$1"}}]}
	{"expect":"$2","calls":[{"name":"finish","args":{"answer":"done","success":true}}]}
	END
	run -0 task_net "${@:3}" "look"
	model_done
}

# bats test_tags=long
@test "task: what is installed stays with the directory, until --wipe or --rm" {
	cubby exec -q -- apt-get -qq update >update.log 2>&1 && ! grep -q '^[WE]:' update.log ||
		skip "the image's package mirror cannot be reached from here"
	cubby exec -q --wipe -- true # the task brings its own lists
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"hello"}}]}
	{"expect":"[exit 127","calls":[{"name":"shell","args":{"command":"apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends hello >apt.log 2>&1 && hello -g installed","timeout":600}}]}
	{"expect":"[exit 0","calls":[{"name":"write_file","args":{"path":"note.txt","content":"ok"}}]}
	{"calls":[{"name":"finish","args":{"answer":"done","success":true}}]}
	END
	run -0 task_net "install hello"
	model_done
	[ "$(cat note.txt)" = ok ]
	asks "hello -g again" "[exit 0"
	mkdir other
	asks "command -v hello" "[exit 1" --here -C other
	asks "command -v hello" "[exit 1" --wipe
	asks "true" "[exit 0" --rm --wipe
	run -0 cubby ls --json
	[[ $output == *"\"$LIB_PROJECT/other\""* && $output != *"\"$LIB_PROJECT\""* ]]
	cubby rm -q -C other
}

@test "task: -q prints the answer alone" {
	model < <(call "echo noise"; finish "42")
	run -0 --separate-stderr task -q "what is it?"
	[ "$output" = 42 ]
	[ -z "$stderr" ]
}

@test "task: directory, variables, functions hold from call to call" {
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"cd /tmp; export A=1; f() { echo hi $A; }"}}]}
	{"expect":"cwd /tmp","calls":[{"name":"shell","args":{"command":"f; pwd"}}]}
	{"expect":"hi 1","text":"good"}
	END
	run -0 task -q "remember"
	[ "$output" = good ]
}

@test "task: an answer in words is an end, and --json a stream of events" {
	model <<<'{"text":"forty-two"}'
	run -0 --separate-stderr task --json "what is six by seven?"
	jq -es 'length > 2 and all(type == "object")' <<<"$output"
	[[ $output = *forty-two* ]]
}

@test "task: --json has what a command draws, and nothing that reaches beyond the screen" {
	model < <(call 'printf \"a\\033[1mb\\033]52;c;QQ==\\007\\033[6n\\033]2;t\\007\\005c\"'; finish "done")
	run -0 --separate-stderr task --json "draw"
	[ "$(jq -rj 'select(.event == "output").text' <<<"$output" | tr -d '\r\n')" = $'a\e[1mbc' ]
}

@test "task: the model gives up: 1" {
	model < <(finish "no such animal" false)
	run -1 task "convert a unicorn"
	[[ $output = *"no such animal"* ]]
}

@test "task: rounds run out: 3, with the model's last words" {
	model < <(call true; call false; echo '{"expect":"No more calls","text":"half done"}')
	run -3 task --max-rounds 2 "never ends"
	[[ $output = *"half done"* ]]
	[[ $output = *"limit of rounds"* ]]
}

@test "task: the service fails: 4, with its words; the key is shown nowhere" {
	model <<<"{\"status\":401,\"body\":{\"error\":{\"message\":\"bad key $KEY\"}}}"
	run -4 task "anything"
	[[ $output = *"answered 401: bad key ****"*"OPENAI_API_KEY"* ]]
	[[ $output != *"$KEY"* ]]
}

@test "task: a web page instead of a service: 4" {
	model <<<'{"html":"Please sign in"}'
	run -4 task "anything"
	[[ $output = *"web page ('Please sign in')"* ]]
}

# bats test_tags=long
@test "task: nobody listens: 4, with the address" {
	OPENAI_API_KEY=$KEY OPENAI_BASE_URL=http://127.0.0.1:1 run -4 task "anything"
	[[ $output = *"http://127.0.0.1:1"* ]]
}

@test "task: a cut connection is asked again, and nothing ran twice" {
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"echo x >>log"}}],"cut_at":0.9}
	{"calls":[{"name":"shell","args":{"command":"echo x >>log"}}]}
	{"text":"ok"}
	END
	run -0 task "once"
	[ "$(cat log)" = x ]
}

@test "task: 429 is waited for as long as it says" {
	model <<-'END'
	{"status":429,"headers":{"Retry-After":"0.2"},"body":{"error":{"message":"slow down"}}}
	{"text":"ok"}
	END
	run -0 task "patience"
	[[ $output = *ok* ]]
}

@test "task: going in circles is told, then ended: 1" {
	model < <(for _ in 1 2 3; do call "ls nowhere"; done
		echo '{"expect":"you have made the same call","calls":[{"name":"shell","args":{"command":"ls nowhere"}}]}'
		for _ in 1 2 3; do call "ls nowhere"; done)
	run -1 task "be stubborn"
	[[ $output = *stuck* ]]
}

@test "task: a program that asks is answered with input" {
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"read -p 'name? ' x; echo \"hello $x\""}}]}
	{"expect":"[waiting for a line","calls":[{"name":"input","args":{"text":"Bob"}}]}
	{"expect":"hello Bob","text":"ok"}
	END
	run -0 task "ask me"
}

@test "task: the Messages wire does the same" {
	model <<-END
	{"reasoning":"hm","text":"I look.","calls":[{"name":"shell","args":{"command":"echo one"}},{"name":"shell","args":{"command":"echo two"}}]}
	{"expect":"two","calls":[{"name":"finish","args":{"answer":"fine","success":true}}]}
	END
	run -0 task -q --model anthropic:fake "two at once"
	[ "$output" = fine ]
	grep -q '"path": "/v1/messages"' "$BATS_TEST_TMPDIR/requests"
}

@test "task: what was saved can be replayed, without key or service" {
	model < <(call "echo real >file"; finish done)
	run -0 task --save-transcript=t.jsonl "make a file"
	rm file
	unset OPENAI_API_KEY OPENAI_BASE_URL
	run -0 task -q --replay t.jsonl
	[ "$output" = done ]
	[ "$(cat file)" = real ]
}

@test "task: a hand-written transcript is enough" {
	cat >t.jsonl <<-'END'
	{"type":"task","task":"say hello"}
	{"type":"response","message":{"role":"assistant","tool_calls":[{"function":{"name":"shell","arguments":{"command":"echo hello >hello"}}}]}}
	{"type":"response","message":{"role":"assistant","content":"there"}}
	END
	run -0 task -q --replay t.jsonl
	[ "$output" = there ]
	[ "$(cat hello)" = hello ]
}

@test "task: transcripts hold the task, and no key" {
	model < <(call "env | sort"; finish done)
	run -0 task --save-transcript=t.jsonl "look around"
	[ "$(stat -c %a t.jsonl)" = 600 ]
	jq -es '[.[].type] | index("task") == 0 and (index("end") == length - 1)' t.jsonl
	jq -es 'map(select(.type == "result"))[0].text | contains("PWD=")' t.jsonl
	lib_no_word "$KEY" t.jsonl
}

# The service refuses a request with its key in it; a piece of it is looked for here.
@test "O13: a key in a file is stars in what is read and edited, and stays in the file" {
	local piece=${KEY:0:9} line
	line=$(printf '%011990d' 0)
	printf 'one\nkey=%s;\nb=1\nend\n' "$KEY" >conf
	printf '%s%s\nlast\n' "$line" "$KEY" >long
	model <<-END
	{"calls":[{"name":"read_file","args":{"path":"conf"}}]}
	{"expect":"2\\\\tkey=***;\\\\n","expect_not":"$piece","calls":[{"name":"edit_file","args":{"path":"conf","edits":[{"old_string":"b=1","new_string":"b=2"}]}}]}
	{"expect":" key=***;\\\\n-b=1\\\\n+b=2","expect_not":"$piece","calls":[{"name":"read_file","args":{"path":"conf","first":2,"last":2}}]}
	{"expect":"[*** stands for a secret; edit_file keeps it","expect_not":"$piece","calls":[{"name":"edit_file","args":{"path":"conf","edits":[{"old_string":"key=***;","new_string":"x"}]}}]}
	{"expect":"where *** stands for a secret that is not shown","calls":[{"name":"read_file","args":{"path":"long"}}]}
	{"expect":"[lines 1 to 1 of 2; go on with first 2]","expect_not":"$piece","calls":[{"name":"shell","args":{"command":"mkdir d && mv conf d/\$(sed -n 's/key=\\\\(.*\\\\);/\\\\1/p' conf) && cd d && ls"}}]}
	{"expect":"[exit 0","expect_not":"$piece","calls":[{"name":"read_file","args":{"path":"no such"}}]}
	{"text":"good"}
	END
	run -0 task -q "look"
	[ "$output" = good ]
	[ "$(cat "d/$KEY")" = "$(printf 'one\nkey=%s;\nb=2\nend' "$KEY")" ]
}

@test "O2: what the terminal showed is kept on the host, byte for byte" {
	model < <(call "printf '\\\\033[31mred\\\\033[0m end\\\\r\\\\n'"; finish done)
	run -0 task "show"
	local record
	record=$(ls -t "$XDG_DATA_HOME"/cubby/boxes/*/transcripts/*.tty | head -1)
	[ "$(stat -c %a "$record")" = 600 ]
	grep -q $'\033\\[31mred\033\\[0m end\r' "$record"
	run -1 grep 7717 "$record" # no marks
	lib_no_word "$KEY" "$record"
}

@test "task: of a large record --terminal gives all, the page the first 4 MiB" {
	model < <(call "head -c 5000000 /dev/zero | tr '\\\\0' x; echo the end"; finish ok)
	run -0 task -q "much"
	cubby log --terminal >all
	[ "$(tr -dc x <all | wc -c)" = 5000000 ]
	grep -q 'the end' all
	cubby log --html page.html
	grep -q '<summary>The first 4 MiB that the terminals showed' page.html
	[ "$(stat -c %s page.html)" -gt 4194304 ]
}

@test "task: resume goes on after kill -9" {
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"echo one >>log; sleep 30"}}]}
	{"expect":"goes on now","calls":[{"name":"shell","args":{"command":"echo two >>log"}}]}
	{"text":"both"}
	END
	# The first command ends when its client does; the client is killed once it runs.
	cubby run --net none "count" {MODEL_FD}>&- </dev/null >out 2>&1 &
	pid=$!
	for ((i = 0; i < 1000; i++)); do
		[ -s "$(lib_layer)/log" ] && break
		read -rt 0.02 <> <(:) || true
	done
	kill -9 "$pid"
	wait "$pid" || true
	[ ! -e log ]
	[ "$(cat "$(lib_layer)/log")" = one ]
	run -0 --separate-stderr cubby resume -q --net none {MODEL_FD}>&- </dev/null
	[ "$output" = both ]
	[ "$(cat log)" = one$'\n'two ]
	[ "$(requests)" = 3 ]
}

@test "task: resume keeps model, limits and options, and says how it had ended" {
	model <<-'END'
	{"config":{"append_only":false}}
	{"calls":[{"name":"finish","args":{"answer":"first","success":true}}]}
	{"expect":"[cubby: the task had ended: you had finished it. It goes on now.","text":"fine"}
	{"expect":"also as webp","text":"second"}
	{"text":"third"}
	END
	go_on() { (no_model cubby resume -q "$@" </dev/null); }
	run -0 task_net -q --net none --model anthropic:claude-x --max-rounds 9 --system-extra "be brief" "make it"
	CUBBY_MAX_ROUNDS=3 run -0 go_on
	run -0 go_on -m "also as webp"
	run -0 go_on --model openai:gpt-x --max-rounds 12
	run -0 cat "$(lib_box)"/transcripts/*.jsonl
	[ "$(jq -r 'select(.type == "model") | "\(.provider):\(.model)"' <<<"$output" | sort | uniq -c | tr -s ' ' | tr '\n' ,)" = \
		' 9 anthropic:claude-x, 1 openai:gpt-x,' ]
	[ "$(jq -r 'select(.type == "task").settings["max-rounds"]' <<<"$output" | sort -u | tr '\n' ,)" = 12,9, ]
	[ "$(jq -r 'select(.type == "task").settings["system-extra"]' <<<"$output" | sort -u)" = 'be brief' ]
}

@test "task: ^C without anybody to ask ends it: 130" {
	model < <(call "echo up >up; sleep 30"; call true)
	cubby run --net none "long" {MODEL_FD}>&- </dev/null >out 2>&1 &
	pid=$!
	for ((i = 0; i < 1000; i++)); do
		[ -s "$(lib_layer)/up" ] && break
		read -rt 0.02 <> <(:) || true
	done
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 130 ]
	[ "$(requests)" = 1 ]
}

# stop_when FILE: the box is stopped when it is there, and then FILE.stopped is
stop_when() {
	(
		until [ -e "$(lib_layer)/$1" ]; do read -rt 0.02 <> <(:) || true; done
		cubby stop && touch "$1.stopped"
	) >"$1.log" 2>&1 3>&- {MODEL_FD}>&- &
	stoppers+=($!)
}

@test "task: a box that is stopped is told to the model, and the task goes on" {
	model <<-END
	{"calls":[{"name":"shell","args":{"command":"A=1; echo ok >kept"}}]}
	{"expect":"s, cwd $LIB_PROJECT]","until":"$LIB_PROJECT/kept.stopped","calls":[{"name":"shell","args":{"command":"touch ran"}},{"name":"shell","args":{"command":"touch ran"}}]}
	{"expect":"the shell died in an earlier call of this turn","calls":[{"name":"shell","args":{"command":"echo \${A-unset}; touch up; sleep 1000"}}]}
	{"expect":"[shell died: the box has ended","until":"$LIB_PROJECT/up.stopped","calls":[{"name":"read_file","args":{"path":"kept"}}]}
	{"expect":"ok","calls":[{"name":"finish","args":{"answer":"done","success":true}}]}
	END
	stop_when kept
	stop_when up
	run -0 task "go on"
	[[ $output == *"done"* ]]
	[ ! -e ran ]
	[ "$(cat kept)" = ok ]
	local log
	log=$(ls -t "$XDG_DATA_HOME"/cubby/boxes/*/transcripts/*.jsonl | head -1)
	grep -q 'not executed: the box had ended' "$log"
	grep -q '"text":"unset' "$log"
	wait "${stoppers[@]}"
}

@test "task: a box that is removed ends it: 5" {
	model <<-END
	{"calls":[{"name":"write_file","args":{"path":"kept","content":"x"}}]}
	{"until":"$LIB_PROJECT/removed","calls":[{"name":"read_file","args":{"path":"kept"}}]}
	END
	(
		until [ -e "$(lib_layer)/kept" ]; do read -rt 0.02 <> <(:) || true; done
		cubby rm --force && touch removed
	) >rm.log 2>&1 3>&- {MODEL_FD}>&- &
	run -5 task "go on"
	[[ $output == *"the box has ended and cannot be started again"* ]]
	wait $!
}

@test "task: bad words are usage errors: 2" {
	run -2 task --max-rounds lots "x"
	run -2 task ""
	unset OPENAI_API_KEY OPENAI_BASE_URL ANTHROPIC_API_KEY
	run -4 task --model openai:x "no key"
	[[ $output = *OPENAI_API_KEY* ]]
}

@test "task: what a shell left that ended is among what ends with the task" {
	model <<-END
	{"calls":[{"name":"shell","args":{"command":"setsid sleep 3000 </dev/null >/dev/null 2>&1 & sleep 0.1; exit 3"}}]}
	{"expect":"what it left still runs: ","calls":[{"name":"shell","args":{"command":"setsid sleep 4000 </dev/null >/dev/null 2>&1 & sleep 0.1; exit 4"}}]}
	{"expect":"what it left still runs: ","calls":[{"name":"shell","args":{"command":"pkill -f 'sleep 3000' || kill \$(grep -lz '^3000' /proc/[0-9]*/cmdline | cut -d/ -f3)"}}]}
	$(finish started)
	END
	run -0 --separate-stderr task "start it"
	[[ $stderr == *"cubby: ended with the task (with --keep it runs on): "*"sleep 4000"* ]]
	[[ $stderr != *"ended with the task"*"sleep 3000"* ]]
	model <<-END
	{"calls":[{"name":"shell","args":{"command":"setsid sleep 5000 </dev/null >/dev/null 2>&1 & sleep 0.1; exit 3"}}]}
	$(finish started)
	END
	run -0 --separate-stderr task --keep "start it"
	[[ $stderr == *"cubby: still running in the box ('cubby stop' ends it): "*"sleep 5000"* ]]
	run -0 cubby ps
	[[ $output == *"sleep 5000"* ]]
	cubby stop -q
}

@test "task: what it leaves in the background ends with it, and that is said; with --keep it runs on" {
	model <<-END
	{"calls":[{"name":"shell","args":{"command":"sleep 1000 & setsid sleep 2000 </dev/null >/dev/null 2>&1 & sleep 0.1"}}]}
	$(finish started)
	END
	run -0 --separate-stderr task "start it"
	[[ $stderr == *"cubby: ended with the task (with --keep it runs on): "*"sleep 1000"*"sleep 2000"* ]]
	run -0 cubby log -l
	[[ $output == *"end: done"*"in the background, and not kept (--keep): "*"sleep 2000"* ]]
	run cubby ps
	[[ $output != *sleep* ]]
	grep -q "What runs in the background ends with the task" "$BATS_TEST_TMPDIR/requests"
	model <<-END
	{"calls":[{"name":"shell","args":{"command":"sleep 1000 & setsid sleep 2000 </dev/null >/dev/null 2>&1 & sleep 0.1"}}]}
	$(finish started)
	END
	run -0 --separate-stderr task --keep "start it"
	[[ $stderr == *"cubby: still running in the box ('cubby stop' ends it): "*"sleep 1000"* ]]
	run -0 cubby ps
	[[ $output == *"sleep 1000"*"sleep 2000"* ]]
	cubby stop -q
}

@test "task: a shell that cannot be had ends it before a model is asked" {
	model <<<"$(finish done)"
	run -5 --separate-stderr task --shell-command nosuchword "look"
	[ "$stderr" = "cubby run: shell-command: 'nosuchword' is no shell that can be driven; use bash, zsh, dash or sh" ]
	cubby set -q shell-command=/opt/zsh
	run -5 --separate-stderr task "look"
	[ "$stderr" = "cubby run: shell-command: cannot start the shell '/opt/zsh': cannot run '/opt/zsh': No such file or directory; 'cubby unset shell-command' takes it back" ]
	[ ! -e "$BATS_TEST_TMPDIR/requests" ] || [ "$(requests)" = 0 ]
	run -0 cubby log
	[[ $output != *look* ]]
	cubby set -q shell-command=sh
	run -0 --separate-stderr task "look"
}
