# MCP servers of the configuration as tools of a task's model: one written in bash, hostile
# ones, and the reference servers of npm in a box.
# shellcheck disable=SC2016 # the servers expand what is in single quotes
load ../lib
load model

setup_file() {
	# Before HOME is a private one.
	SERVERS=$("$BATS_TEST_DIRNAME/../../scripts/install-mcp-servers" --cached || true)
	export SERVERS
	lib_env
	lib_image
}
setup() {
	lib_project
	mkdir -p "$HOME/.config/cubby"
	rm -f "$HOME/.config/cubby/config.json"
}
teardown() { model_done; }

config() { cat >"$HOME/.config/cubby/config.json"; }
# one server, "s": a script of bash in the project
server() {
	cat >s.sh
	echo '{"mcp-servers": {"s": {"command": "bash", "args": ["s.sh"], "env": {"WHO": "me"}}}}' | config
}
# what a server that works says before the calls
GREETS='answer() { printf "{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n" "$1" "$2"; }
id() { local l=${line#*\"id\":}; l=${l%%,*}; echo "${l%%\}*}"; }
hello() {
	while read -r line; do
		case $line in
		*\"initialize\"*) answer "$(id)" "\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}" ;;
		*tools/list*) answer "$(id)" "\"result\":{\"tools\":[{\"name\":\"${1-say}\",\"description\":\"Says it.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"what\":{\"type\":[\"string\",\"null\"],\"default\":\"x\"}}}}]}" ;;
		*tools/call*) return ;;
		esac
	done
	exit
}
hello'
say() { printf '{%s"calls":[{"name":"mcp__s__say","args":{"what":"%s"}}]}\n' "$2" "$1"; }
sent() { jq -s "[.[] | select(.body)] | $1" "$BATS_TEST_TMPDIR/requests"; }

@test "mcp servers: a tool is offered with a plain schema, called in the box, its answer shown" {
	server <<-END
		$GREETS
		echo "a line for people"
		echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
		echo '{"jsonrpc":"2.0","id":"q","method":"roots/list"}'
		n=\$(id); read -r reply
		answer "\$n" "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\$WHO in \$(cat /etc/hostname)\"},{\"type\":\"audio\",\"data\":\"AA\"}]}"
		case \$reply in *-32601*) ;; *) exit ;; esac
		hello
	END
	model < <(say hi; say again '"expect":"me in ",'; finish done)
	run -0 --separate-stderr task "say it"
	[ "$(sent '.[0].body.tools[] | select(.function.name == "mcp__s__say") | .function')" = "$(jq . <<<'{"name":"mcp__s__say","description":"(MCP server s) Says it.","parameters":{"type":"object","properties":{"what":{"type":"string"}}}}')" ]
	sent '.[1].body.messages | last.content' | grep -F '[a part that is not shown, audio]'
	[ -z "$(sent '.[1].body.messages | last.content' | grep -F "in $(cat /etc/hostname)")" ]
	sent '.[2].body.messages | last.content' | grep -F "MCP server 's': it has ended"
}

@test "mcp servers: one that ended is started again, with its last words" {
	server <<-END
		$GREETS
		if [ ! -e /tmp/once ]; then : >/tmp/once; echo "cannot go on" >&2; exit 3; fi
		answer "\$(id)" "\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"second life\"}]}"
		hello
	END
	model < <(say 1; say 2 '"expect":"it has ended; its last words: cannot go on",'
		echo '{"expect":"second life","calls":[{"name":"finish","args":{"answer":"ok"}}]}')
	run -0 --separate-stderr task "say it"
}

@test "mcp servers: what does not work is said, and the task goes on" {
	config <<-'END'
		{"mcp-servers": {"gone": {"command": "no-such-program"}, "deaf": {"command": "true"},
		"bad": {"command": "sh", "args": ["-c", "read a; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"1999\"}}'; cat"]}}}
	END
	model <<<"$(finish done)"
	run -0 --separate-stderr task "go on"
	[[ $stderr == *"MCP server 'gone': "*"no-such-program"*"; its tools are not there"* ]]
	[[ $stderr == *"MCP server 'deaf': it has ended; its tools are not there"* ]]
	[[ $stderr == *"MCP server 'bad': it speaks another version of the protocol; its tools are not there"* ]]
}

@test "mcp servers: floods, frames and lists without an end are cut off" {
	config <<-'END'
		{"mcp-servers": {"flood": {"command": "sh", "args": ["-c", "yes '{\"jsonrpc\":\"2.0\",\"method\":\"m\"}'"]},
		"large": {"command": "sh", "args": ["-c", "tr '\\0' x </dev/zero"]},
		"loud": {"command": "sh", "args": ["-c", "yes >&2"]},
		"pages": {"command": "bash", "args": ["pages.sh"]}}}
	END
	cat >pages.sh <<-'END'
		while read -r line; do
			id=${line#*\"id\":}; id=${id%%,*}; id=${id%%\}*}
			case $line in
			*\"initialize\"*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2024-11-05\"}}" ;;
			*tools/list*) n=$((n + 1)); echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"nextCursor\":\"$n\",\"tools\":[{\"name\":\"t$n\",\"inputSchema\":{\"type\":\"object\"}},{\"name\":\"t$n\",\"inputSchema\":{\"type\":\"object\"}},{\"name\":\"u$n\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"description\":\"$(printf %09000d 1)\"}}}},{\"name\":7}]}}" ;;
			esac
		done
	END
	model <<<"$(finish done)"
	run -0 --separate-stderr task "go on"
	[[ $stderr == *"MCP server 'flood': it says too much at once and was ended; its tools"* ]]
	[[ $stderr == *"MCP server 'large': it says too much at once and was ended; its tools"* ]]
	[[ $stderr == *"MCP server 'loud': it says too much at once and was ended; its tools"* ]]
	[[ $stderr == *"its tool 't1' is left out: there is a tool of that name"* ]]
	[[ $stderr == *"its tool 'u1' is left out: its description has more than 8192 bytes"* ]]
	[ "$(sent '.[0].body.tools | map(.function.name | select(startswith("mcp__"))) | length')" = 16 ]
	[ "$(sent '.[0].body.tools | map(.function.name | select(startswith("mcp__"))) | .[0]')" = '"mcp__pages__t1"' ]
}

@test "mcp servers: a call that is not answered ends with its limit" {
	server <<-END
		$GREETS
		read -r line
		case \$line in *notifications/cancelled*) : >told ;; esac
		cat >/dev/null
	END
	model < <(say 1; echo '{"expect":"it does not answer in time","calls":[{"name":"finish","args":{"answer":"ok"}}]}')
	run -0 --separate-stderr task --command-timeout 1 "say it"
	[ -e told ]
}

@test "mcp servers: those of a project need the person's word, and keys stay outside" {
	mkdir .cubby
	echo '{"mcp-servers": {"p": {"command": "true"}}}' >.cubby/config.json
	model <<<"$(finish done)"
	run -0 --separate-stderr task "go on"
	[[ $stderr == *".cubby/config.json of this project is not used: nobody has agreed to it"* ]]
	[[ $stderr != *"MCP server"* ]]
	rm .cubby/config.json
	echo '{"mcp-servers": {"k": {"command": "true", "env": {"OPENAI_API_KEY": "x"}}}}' | config
	model <<<"$(finish done)"
	run -0 --separate-stderr task "go on"
	[[ $stderr == *"MCP server 'k': 'OPENAI_API_KEY' is a model's key and never enters a box; its tools are not there"* ]]
}

@test "mcp servers: one outside of the box, where the person's own file says so, without model keys" {
	cat >"$HOME/s.sh" <<-END
		$GREETS
		answer "\$(id)" "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"on \$(cat /etc/hostname) in \$(pwd): \$WHO \${OPENAI_API_KEY-none} \$HOME\"}]}"
		cat
	END
	echo '{"mcp-servers": {"s": {"command": "bash", "args": ["'"$HOME"'/s.sh"], "env": {"WHO": "me"}, "outside": true}}}' | config
	model < <(say hi; finish done)
	run -0 --separate-stderr task "say it"
	[[ $stderr == *"MCP server 's' runs on this computer, outside of the box"* ]]
	sent '.[0].body.tools[].function.description' | grep -F "(MCP server s, outside of your machine) Says it."
	sent '.[1].body.messages | last.content' | grep -F "on $(cat /etc/hostname) in /: me none $HOME"
}

@test "mcp servers: one outside of the box is no program of the project, nor runs one" {
	mkdir -p .venv/bin "$HOME/bin"
	printf '#!/bin/sh\ntouch "%s/ran"\n' "$HOME" | tee .venv/bin/srv .venv/bin/sh .venv/bin/git >.venv/bin/newuidmap
	chmod +x .venv/bin/*
	printf '#!/usr/bin/env sh\necho "$PATH" >"%s/path"\n' "$HOME" >"$HOME/bin/own"
	chmod +x "$HOME/bin/own"
	ln -s "$PWD/.venv/bin/srv" "$HOME/bin/linked"
	ln -s "$PWD/.venv/bin" "$HOME/venv"
	config <<-END
		{"mcp-servers": {"venv": {"command": "srv", "outside": true}, "own": {"command": "own", "outside": true},
		"given": {"command": "$PWD/.venv/bin/srv", "outside": true}, "link": {"command": "linked", "outside": true}}}
	END
	model <<<"$(finish done)"
	PATH=$PWD/.venv/bin:$HOME/venv:$HOME/bin:$PATH run -0 --separate-stderr task "go on"
	[[ $stderr == *"MCP server 'venv': "*"cannot run 'srv'"* ]] || { echo "$stderr"; return 1; }
	for s in given link; do
		[[ $stderr == *"MCP server '$s': its program is in the project, where a box may have written it"* ]]
	done
	[ ! -e "$HOME/ran" ]
	[[ $(cat "$HOME/path") == *"$HOME/bin:"* && $(cat "$HOME/path") != *venv* ]]
}

@test "mcp servers: one outside of the box has no variable that leads into the project" {
	mkdir lib
	printf 'touch "%s/ran"\n' "$HOME" >lib/rc
	ln -s "$PWD" "$HOME/linked"
	printf '#!/bin/sh\nenv >"%s/env"\n' "$HOME" >"$HOME/own"
	chmod +x "$HOME/own"
	config <<-END
		{"mcp-servers": {"bash": {"command": "bash", "args": ["-c", "true"], "outside": true},
		"own": {"command": "$HOME/own", "env": {"GIVEN": "$PWD"}, "outside": true}}}
	END
	model <<<"$(finish done)"
	BASH_ENV=$PWD/lib/rc PYTHONPATH=/usr/x:$HOME/linked/lib LATER=$HOME/linked/no/such PERL5OPT=-I$PWD/lib \
		BESIDE=$PWD-2/lib KEPT=/usr/x:$HOME run -0 --separate-stderr task "go on"
	[ ! -e "$HOME/ran" ]
	run -1 grep -E '^(BASH_ENV|PYTHONPATH|LATER|PERL5OPT|PWD|OLDPWD)=.*(linked|lib|cubby-t)' "$HOME/env"
	grep -qx "BESIDE=$PWD-2/lib" "$HOME/env"
	grep -qx "KEPT=/usr/x:$HOME" "$HOME/env"
	grep -qx "GIVEN=$PWD" "$HOME/env"
}

# ---- the reference servers ------------------------------------------------------------------

reference() {
	[ -n "$SERVERS" ] || skip "no reference servers: scripts/install-mcp-servers"
	lib_node
	lib_skipped
	cp -r "$SERVERS/node_modules" .
	config <<-'END'
		{"mcp-servers": {
		"every": {"command": "node", "args": ["node_modules/@modelcontextprotocol/server-everything/dist/index.js"]},
		"files": {"command": "node", "args": ["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "/workspace"]}}}
	END
}

# bats test_tags=long
@test "mcp servers: the reference servers of npm run in a box and their tools are called" {
	reference
	echo "words in a file" >here.txt
	model <<-END
	{"calls":[{"name":"mcp__every__echo","args":{"message":"to and fro"}},{"name":"mcp__every__add","args":{"a":2,"b":40}},{"name":"mcp__files__read_text_file","args":{"path":"$LIB_PROJECT/here.txt"}},{"name":"mcp__files__write_file","args":{"path":"$LIB_PROJECT/there.txt","content":"made"}},{"name":"mcp__files__read_text_file","args":{"path":"/etc/passwd"}},{"name":"mcp__every__getTinyImage","args":{}}]}
	{"calls":[{"name":"finish","args":{"answer":"done"}}]}
	END
	run -0 --separate-stderr task "use them"
	[ "$(cat there.txt)" = made ]
	local got
	got=$(sent '.[1].body.messages | map(select(.role == "tool").content)')
	[[ $got == *"to and fro"*42*"words in a file"*"Access denied"*"a picture, which follows, image/png"* ]]
}
