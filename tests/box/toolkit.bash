# toolkit - the tools of a box, called through `cubby mcp` as a model's client would. Load
# after ../lib; unserve belongs into teardown().
# shellcheck shell=bash

unserve() {
	[ -n "${server-}" ] || return 0
	exec 8>&- 9<&-
	wait "$server" || true
}

# serve [OPTION...]: tools of a box, over a pipe each way
serve() {
	coproc MCP { exec cubby mcp "$@" 2>"$LIB_PROJECT.err"; }
	server=$MCP_PID
	exec 8>&"${MCP[1]}" 9<&"${MCP[0]}"
	eval "exec ${MCP[1]}>&- ${MCP[0]}<&-"
	id=0
	send '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
	await 0
	send '{"jsonrpc":"2.0","method":"notifications/initialized"}'
}

send() { printf '%s\n' "$1" >&8; }

await() {
	while read -rt "$(lib_longer 60)" frame <&9; do
		[[ $frame =~ ^\{\"jsonrpc\":\"2.0\",\"id\":$1[,}] ]] && return 0
	done
	echo "no answer to $1; $(cat "$LIB_PROJECT.err")" >&2
	return 1
}

# call TOOL [KEY VALUE]...: strings, except numbers and booleans; the text is in $text
call() {
	id=$((id + 1))
	# One jq for a call and one for its answer: they would take half of such a file's time.
	# shellcheck disable=SC2016 # variables of jq
	send "$(jq -cn --argjson i "$id" '
		def value: if test("^([0-9]{1,3}|true|false)$") then fromjson else . end;
		$ARGS.positional as [$tool] | $ARGS.positional[1:]
		| [range(0; length; 2) as $n | {key: .[$n], value: (.[$n + 1] | value)}] | from_entries
		| {jsonrpc: "2.0", id: $i, method: "tools/call", params: {name: $tool, arguments: .}}' \
		--args -- "$@")"
	await "$id"
	# how long it took is never the same
	text=$(jq -r '.result.content[0].text' <<<"$frame" | sed -E 's/^(\[exit [0-9]+), [0-9]+\.[0-9]s,/\1,/')
}

is() {
	[ "$text" = "$1" ] || {
		printf 'wanted: %s\ngot: %s\n' "$1" "$text" >&2
		return 1
	}
}

has() {
	[[ $text == *"$1"* ]] || {
		printf 'wanted: %s\nin: %s\n' "$1" "$text" >&2
		return 1
	}
}

lacks() {
	[[ $text != *"$1"* ]] || {
		printf 'not wanted: %s\nin: %s\n' "$1" "$text" >&2
		return 1
	}
}

# toolkit_apt: the box of the project stays, reaches the mirror that its image was made
# from, and knows its packages. To be used in setup_file(), which must not skip: the tests
# are skipped (lib_skipped) where there is no such mirror.
toolkit_apt() {
	local rules=() host address # the rules in APT_RULES, too
	if ! cubby exec -q -- sh -c 'command -v apt-get >/dev/null'; then
		lib_skip_file "the image has no apt-get"
		return
	fi
	# An address that is not public, as a mirror of a site has, must be named too.
	while read -r host; do
		rules+=(--allow "$host")
		while read -r address; do
			rules+=(--allow "$address")
		done < <(getent ahosts "$host" | awk '{ print $1 }' | sort -u)
	done < <(cubby exec -- sh -c 'cat /etc/apt/sources.list /etc/apt/sources.list.d/*' 2>/dev/null |
		grep -oE 'https?://[^/ ]+' | sed 's,.*//,,; s,:.*,,' | sort -u)
	cubby rm -q
	APT_RULES="${rules[*]}"
	export APT_RULES
	cubby exec -q --keep "${rules[@]}" -- true
	timeout 240 cubby exec -- apt-get -o Acquire::Retries=2 -o APT::Update::Error-Mode=any update \
		>"$LIB_DIR/update.log" 2>&1 || {
		tail -3 "$LIB_DIR/update.log"
		lib_skip_file "the image's mirror cannot be reached from a box here"
	}
}

# For a file whose rows share a box that reaches the mirror of its image.
toolkit_setup_file() {
	lib_env
	lib_image
	lib_project
	toolkit_apt
}

toolkit_setup() {
	lib_skipped
	cd "$LIB_PROJECT" || return 1
}
