# cubby mcp with a box: tools, progress, cancellation, ends; and the official inspector.
# shellcheck disable=SC2016 # the box expands what is in single quotes
load ../lib

setup_file() {
	# Before HOME is a private one.
	INSPECTOR=$("$BATS_TEST_DIRNAME/../../scripts/install-npm" --cached inspector || true)
	export INSPECTOR
	lib_env
	lib_image
}

teardown() {
	[ -z "${server-}" ] || kill -9 "$server" 2>/dev/null || true
}

# ---- a client ------------------------------------------------------------------------

serve() {
	coproc MCP { exec cubby mcp 2>"$LIB_PROJECT.err"; }
	server=$MCP_PID
	exec 8>&"${MCP[1]}" 9<&"${MCP[0]}"
	eval "exec ${MCP[1]}>&- ${MCP[0]}<&-"
	send '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
	await '.id == 0'
	send '{"jsonrpc":"2.0","method":"notifications/initialized"}'
}

send() { printf '%s\n' "$1" >&8; }

# call ID TOOL ARGUMENTS [META]
call() {
	send "{\"jsonrpc\":\"2.0\",\"id\":$1,\"method\":\"tools/call\",\"params\":{\"name\":\"$2\",\"arguments\":$3${4:+,\"_meta\":$4}}}"
}

# Reads frames until one fits the jq condition; it is then in $frame, all in $frames.
await() {
	while read -rt "$(lib_longer 60)" frame <&9; do
		frames+=$frame$'\n'
		[ "$(jq -r '.jsonrpc' <<<"$frame")" = 2.0 ] # nothing but frames
		[ "$(jq "$1" <<<"$frame")" = true ] && return 0
	done
	echo "no frame fits $1 among: $frames" >&2
	return 1
}

text() { # how long it took is never the same
	jq -r '.result.content[0].text' <<<"$frame" | sed -E 's/^(\[exit [0-9]+), [0-9]+\.[0-9]s,/\1,/'
}

ends() { # the server within a minute; its status
	local i status=0
	for ((i = 0; i < $(lib_longer 6000); i++)); do
		[ -d "/proc/$server" ] || break
		read -rt 0.01 <> <(:) || true
	done
	[ ! -d "/proc/$server" ]
	wait "$server" || status=$?
	[ "$status" = "$1" ]
	server=
}

# ---- tests ---------------------------------------------------------------------------

@test "mcp: below the box's directory shells begin where the client is" {
	cubby exec -q -- true
	mkdir sub
	cd sub
	serve
	call 1 shell '{"command":"pwd"}'
	await '.id == 1'
	[[ $(text) == "$LIB_PROJECT/sub"* ]]
	exec 8>&-
	ends 0
}

@test "mcp: the shell keeps its state between calls" {
	serve
	call 1 shell '{"command":"cd /tmp && X=7; echo out; (exit 4)"}'
	await '.id == 1'
	[ "$(text)" = $'out\n[exit 4, cwd /tmp]' ]
	[ "$(jq -c '[.result.isError, .result._meta["cubby/exit"]]' <<<"$frame")" = '[false,4]' ]
	call 2 shell '{"command":"echo $X $PWD"}'
	await '.id == 2'
	[ "$(text)" = $'7 /tmp\n[exit 0, cwd /tmp]' ]
	exec 8>&-
	ends 0
}

@test "mcp: files are the project's" {
	serve
	call 1 write_file "{\"path\":\"$LIB_PROJECT/a.txt\",\"content\":\"one\\ntwo\\n\"}"
	await '.id == 1'
	[ "$(cat a.txt)" = $'one\ntwo' ]
	call 2 edit_file "{\"path\":\"$LIB_PROJECT/a.txt\",\"old_string\":\"two\",\"new_string\":\"three\"}"
	await '.id == 2'
	[ "$(cat a.txt)" = $'one\nthree' ]
	call 3 read_file '{"path":"/no/such"}'
	await '.id == 3'
	[ "$(jq .result.isError <<<"$frame")" = true ]
	call 4 shell '{"command":7}'
	await '.id == 4'
	[ "$(jq .result.isError <<<"$frame")" = true ]
	exec 8>&-
	ends 0
}

@test "mcp: a tool of the project runs in the box, and can be cancelled" {
	mkdir -p .cubby/tools
	printf '#!/bin/sh\nread -r a; echo "got $a in $PWD"; exit 3\n' >.cubby/tools/deploy
	printf '#!/bin/sh\ntouch began; sleep 1000\n' >.cubby/tools/stay
	printf '#!/bin/sh\nexec >/dev/null 2>&1; touch began; sleep 1000\n' >.cubby/tools/mute
	chmod +x .cubby/tools/*
	echo '{"description":"d","parameters":{"type":"object","properties":{"to":{"type":"string"}},"required":["to"]}}' >.cubby/tools/deploy.json
	echo '{"description":"s","parameters":{"type":"object","properties":{}}}' >.cubby/tools/stay.json
	cp .cubby/tools/stay.json .cubby/tools/mute.json
	serve
	call 1 deploy '{}'
	await '.id == 1'
	[[ $(text) == "not executed: the argument 'to' is missing"* ]]
	call 2 deploy '{"to":"x"}'
	await '.id == 2'
	[ "$(text)" = "got {\"to\":\"x\"} in $LIB_PROJECT
[exit 3]" ]
	[ "$(jq -c '.result | [.isError, ._meta["cubby/exit"]]' <<<"$frame")" = '[false,3]' ]
	local tool id=2 asked
	for tool in stay mute; do
		call $((++id)) $tool '{}'
		until [ -e began ]; do sleep 0.02; done
		asked=$SECONDS
		send '{"jsonrpc":"2.0","id":"'$tool'","method":"ping"}'
		await '.id == "'$tool'"'
		[ $((SECONDS - asked)) -lt "$(lib_longer 30)" ] # no time without news was waited out
		send '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":'$id'}}'
		call $((++id)) shell '{"command":"while grep -qsx sleep /proc/[0-9]*/comm; do read -rt 0.1 <> <(:); done; rm began; echo none"}'
		await ".id == $id"
		[[ $(text) == none* ]]
	done
	[ "$(jq -s 'any(.id == 3 or .id == 5)' <<<"$frames")" = false ]
}

@test "mcp: a question is seen and answered" {
	serve
	call 1 shell '{"command":"read -p \"name? \" n; echo hello $n"}'
	await '.id == 1'
	[ "$(jq -r '.result._meta["cubby/state"]' <<<"$frame")" = waiting ]
	call 2 input '{"text":"cubby"}'
	await '.id == 2'
	[[ $(text) == *"hello cubby"* ]]
	exec 8>&-
	ends 0
}

@test "mcp: while a command runs: progress, ping, cancellation" {
	serve
	call 1 shell '{"command":"echo working; sleep 1000"}' '{"progressToken":"p"}'
	# The first may come before the shell has said anything.
	await '.method == "notifications/progress" and (.params.message // "" | contains("working"))'
	[ "$(jq -r .params.progressToken <<<"$frame")" = p ]
	send '{"jsonrpc":"2.0","id":2,"method":"ping"}'
	await '.id == 2'
	call 3 shell '{"command":"echo after"}'
	send '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
	await '.id == 3'
	[[ $(text) == *after* ]]
	run -1 grep '"id":1,' <<<"$frames" # the cancelled call has no answer
	call 4 shell '{"command":"grep -l sleep /proc/[0-9]*/comm || echo none"}'
	await '.id == 4'
	[[ $(text) == none* ]]
	exec 8>&-
	ends 0
}

@test "mcp: requests are answered while the box starts, and its start can be cancelled" {
	cubby exec -- true
	cubby stop
	local key held
	key=$(printf %s "$LIB_PROJECT" | sha256sum)
	exec {held}<"$XDG_DATA_HOME/cubby/boxes/${key%% *}/start"
	flock "$held" # whoever starts the box waits for it
	serve
	call 1 shell '{"command":"echo never"}'
	await '.params.data == "opening the box"'
	send '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
	await '.id == 2'
	[ "$(jq -r '.result.tools[0].name' <<<"$frame")" = shell ]
	send '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
	call 3 shell '{"command":"echo second"}'
	send '{"jsonrpc":"2.0","id":4,"method":"ping"}'
	await '.id == 4'
	flock -u "$held"
	exec {held}>&-
	await '.id == 3'
	[[ $(text) == second* ]]
	run -1 grep '"id":1,' <<<"$frames"
	exec 8>&-
	ends 0
}

@test "mcp: what a background job prints is taken while nobody calls" {
	serve
	call 1 shell '{"command":"(seq 300000; touch ended) &"}'
	await '.id == 1'
	local i
	for ((i = 0; i < 6000; i++)); do # no call: a full terminal would stop it
		[ ! -e ended ] || break
		read -rt 0.01 <> <(:) || true
	done
	[ -e ended ]
	call 2 shell '{"command":"echo later"}'
	await '.id == 2'
	[[ $(text) == *$'300000\n[output of this command:]\nlater\n[exit 0,'* ]]
	exec 8>&-
	ends 0
}

@test "mcp: SIGTERM ends it while a command runs" {
	serve
	call 1 shell '{"command":"echo working; sleep 1000"}' '{"progressToken":1}'
	await '.method == "notifications/progress"'
	kill -TERM "$server"
	ends 0
}

@test "mcp: a client that is gone ends it, whatever runs" {
	serve
	call 1 shell '{"command":"echo working; sleep 1000"}' '{"progressToken":1}'
	await '.method == "notifications/progress"'
	exec 8>&- 9<&-
	ends 0
}

@test "mcp: the next call gets a new box when the old one is gone" {
	serve
	call 1 shell '{"command":"echo one"}'
	await '.id == 1'
	cubby stop
	call 2 shell '{"command":"echo two"}'
	await '.id == 2'
	[[ $(text) == *"not executed: the box had ended"* ]] # it is told, once
	[ "$(jq -r '.result._meta["cubby/state"]' <<<"$frame")" = shell_died ]
	call 3 shell '{"command":"echo two"}'
	await '.id == 3'
	[ "$(text)" = $'two\n[exit 0, cwd '"$PWD]" ]
	exec 8>&-
	ends 0
}

# bats test_tags=long
@test "mcp: the official inspector lists the tools and calls one" {
	[ -n "$INSPECTOR" ] || skip "the inspector is not installed (scripts/install-npm inspector)"
	run -0 --separate-stderr timeout 100 "$INSPECTOR" --cli cubby mcp --method tools/list
	[ "$(jq -r '.tools[0].name' <<<"$output")" = shell ]
	run -0 --separate-stderr timeout 100 "$INSPECTOR" --cli cubby mcp \
		--method tools/call --tool-name shell --tool-arg 'command=echo $((6 * 7))'
	[ "$(jq -r '.content[0].text' <<<"$output" | head -1)" = 42 ]
	run -1 timeout 100 "$INSPECTOR" --cli cubby mcp --method resources/list
	[[ $output == *"-32601"* ]]
}

@test "what acts on this machine is named at the end of the server" {
	serve
	call 1 shell '{"command":"echo x >.envrc; touch plain"}'
	await '.id == 1'
	exec 8>&-
	ends 0
	[ "$(cat "$LIB_PROJECT.err")" = "cubby: new '.envrc' acts on this machine: a shell reads it when it starts or enters the directory" ]
}
