# cubby mcp as a client sees it before any tool is called: no box is needed.
load ../lib

setup_file() { lib_env; }

start='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"REV","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}'

# Frames on standard input, after the start of revision $1; answers in $output.
mcp() {
	run -0 --separate-stderr cubby mcp < <(
		[ "$1" = - ] || printf '%s\n' "${start/REV/$1}"
		shift
		[ $# -eq 0 ] || printf '%s\n' "$@"
	)
	[ -z "$stderr" ]
}

@test "mcp: revisions are negotiated" {
	local asked
	for asked in 2025-11-25 2025-06-18 2025-03-26 2024-11-05; do
		mcp $asked
		[ "$(jq -r .result.protocolVersion <<<"$output")" = $asked ]
	done
	mcp 1999-12-31
	[ "$(jq -r .result.protocolVersion <<<"$output")" = 2025-11-25 ]
	[ "$(jq -r .result.serverInfo.name <<<"$output")" = cubby ]
	[[ $(jq -r .result.instructions <<<"$output") == *"'$LIB_PROJECT'"* ]]
}

@test "mcp: requests that say their revision need no session" {
	local own=io.modelcontextprotocol meta
	meta='"params":{"_meta":{"'$own'/protocolVersion":"2026-07-28","'$own'/clientCapabilities":{}}}}'
	mcp - '{"jsonrpc":"2.0","id":1,"method":"server/discover",'"$meta" '{"jsonrpc":"2.0","id":2,"method":"tools/list",'"$meta" \
		'{"jsonrpc":"2.0","id":3,"method":"ping",'"$meta" '{"jsonrpc":"2.0","id":4,"method":"tools/list",'"${meta/2026/2099}"
	[ "$(jq -c 'select(.id == 1).result | .supportedVersions, .resultType' <<<"$output" | tr '\n' ' ')" = '["2026-07-28"] "complete" ' ]
	[ "$(jq -r 'select(.id == 2).result | .tools[0].name, .ttlMs, .cacheScope, ._meta["'$own'/serverInfo"].name' <<<"$output" | tr '\n' ' ')" = \
		'shell 300000 private cubby ' ]
	[ "$(jq -r 'select(.error) | "\(.id) \(.error.code)"' <<<"$output" | tr '\n' ,)" = '3 -32601,4 -32022,' ]
	[ -z "$(ls -A "$XDG_DATA_HOME/cubby/boxes")" ]
}

@test "mcp: the tools, with schemas, without a box" {
	mcp 2025-06-18 '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
	[ "$(jq -r 'select(.id == 1).result.tools[].name' <<<"$output" | tr '\n' ' ')" = \
		"shell python input screen read_file write_file edit_file view_image " ]
	[ "$(jq -c 'select(.id == 1).result.tools[0].inputSchema.required' <<<"$output")" = \
		'["command"]' ]
	[ -z "$(ls -A "$XDG_DATA_HOME/cubby/boxes")" ]
}

@test "mcp: tools of the project are listed behind them" {
	local want='{"type":"object","properties":{"to":{"type":"string"}},"required":["to"]}'
	mkdir -p .cubby/tools sub
	printf '#!/bin/sh\ncat\n' >.cubby/tools/deploy
	chmod +x .cubby/tools/deploy
	echo '{"description":"Deploy to a place.","parameters":'"$want"'}' >.cubby/tools/deploy.json
	mcp 2025-06-18 '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
	[ "$(jq -c 'select(.id == 1).result.tools[-1] | [.name, .description, .annotations.readOnlyHint, .inputSchema]' <<<"$output")" = \
		'["deploy","(tool of the project) Deploy to a place.",false,'"$want"']' ]
	[ -z "$(ls -A "$XDG_DATA_HOME/cubby/boxes")" ]
	echo '{' >.cubby/tools/broken.json
	run -0 --separate-stderr cubby mcp <<<'{"jsonrpc":"2.0","id":1,"method":"ping"}'
	[[ $stderr == *".cubby/tools/broken.json: bad JSON"* ]]
	[ "$output" = '{"jsonrpc":"2.0","id":1,"result":{}}' ]
}

@test "mcp: what is wrong gets the protocol's errors, and the server goes on" {
	mcp 2025-06-18 'no json' '{"jsonrpc":"2.0","id":1,"method":"no/method"}' \
		'{"id":2,"method":"ping"}' '[{"jsonrpc":"2.0","id":3,"method":"ping"}]' \
		'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"no_tool"}}' \
		'{"jsonrpc":"2.0","id":5,"method":"ping"}'
	[ "$(jq -r 'select(.error) | "\(.id) \(.error.code)"' <<<"$output" | tr '\n' ,)" = \
		'null -32700,1 -32601,2 -32600,null -32600,4 -32602,' ]
	[ "$(jq -c 'select(.id == 5).result' <<<"$output")" = '{}' ]
}

@test "mcp: who sends what cannot be read is answered by its own id" {
	mcp 2025-06-18 '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shell","arguments":{"command":"a\u0000b"}}}' \
		'{"jsonrpc":"2.0","method":"ping","params":{"x":"\ud83d"},"id":"two"}' \
		$'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":"\xe2\x82"}}' \
		'{"jsonrpc":"2.0","id":4,"method":"ping","params":{' \
		'{"jsonrpc":"2.0","params":{"id":99},"method":"ping"x' \
		'{"jsonrpc":"2.0","id":5,"result":{"x":"\ud83d"}}' \
		'[{"id":6,"x":"\u0000"},{"id":7}]' \
		'{"jsonrpc":"2.0","id":8,"method":"ping"}'
	[ "$(jq -r 'select(.error) | "\(.id) \(.error.code)"' <<<"$output" | tr '\n' ,)" = \
		'1 -32700,two -32700,3 -32700,4 -32700,null -32700,null -32700,6 -32700,7 -32700,' ]
	[[ $output == *'a string holds U+0000, half a surrogate pair or broken UTF-8'* ]]
	[ "$(jq -c 'select(.id == 8).result' <<<"$output")" = '{}' ]
}

@test "mcp: a frame of 20 MB is refused, the next is answered" {
	run -0 --separate-stderr cubby mcp < <(
		head -c 20000000 /dev/zero | tr '\0' x
		printf '\n%s\n' '{"jsonrpc":"2.0","id":1,"method":"ping"}'
	)
	[ "${lines[0]}" = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the frame is larger than 16 MiB"}}' ]
	[ "${lines[1]}" = '{"jsonrpc":"2.0","id":1,"result":{}}' ]
	run -0 --separate-stderr cubby mcp < <(
		printf '{"jsonrpc":"2.0","id":7,"method":"x","params":"'
		head -c 20000000 /dev/zero | tr '\0' x
		printf '"}\n'
	)
	[ "$output" = '{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"the frame is larger than 16 MiB"}}' ]
}

@test "mcp: batches in the one revision that has them" {
	mcp 2025-03-26 '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":2,"method":"ping"}]'
	[ "${lines[1]}" = '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]' ]
}

@test "mcp: input from a file, and operands are refused" {
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"ping"}' >frames
	run -0 cubby mcp <frames
	[ "$output" = '{"jsonrpc":"2.0","id":1,"result":{}}' ]
	run -2 cubby mcp extra
}

@test "mcp: an answer that cannot be written is told" {
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"ping"}' >frames
	run -1 --separate-stderr bash -c 'cubby mcp <frames >&-'
	[ "$stderr" = "cubby mcp: cannot write standard output: Bad file descriptor" ]
	run -1 --separate-stderr bash -c 'cubby mcp <frames >/dev/full'
	[ "$stderr" = "cubby mcp: cannot write standard output: No space left on device" ]
	# but a client may go when it likes
	run -0 --separate-stderr bash -c 'set -o pipefail; cubby mcp <frames | :'
	[ -z "$stderr" ]
}
