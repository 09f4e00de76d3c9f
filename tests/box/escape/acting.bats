# shellcheck disable=SC2016 # scripts of the box
# What acts on the host by itself is said, by whatever made it: hooks, settings, links out.
load ../../lib
load escape

load ../../serve

setup_file() { escape_setup_file; }
teardown() { serve_end; }

@test "acting: what acts on this machine is named, and nothing else" {
	echo old >.envrc
	mkdir -p .git/hooks
	run -0 --separate-stderr cubby exec -- sh -c 'touch plain Makefile; mkdir .git/objects; echo x >.git/objects/x'
	[ -z "$stderr" ]
	run -0 --separate-stderr cubby exec -- sh -c 'mkdir -p .vscode .github/workflows
		echo {} >.vscode/tasks.json; echo x >.github/workflows/ci.yml; echo x >random.py
		ln -s ../.. away; ln -s plain here; for i in $(seq 100); do touch "!$i"; done; rm .envrc
		printf x >"$(printf "a\033b.pth")"'
	[ "$stderr" = "cubby: new '.github/workflows/ci.yml' acts on this machine: a workflow of the CI service
cubby: new '.vscode/tasks.json' acts on this machine: an editor's settings and tasks
cubby: new 'a\x1bb.pth' acts on this machine: python loads it by itself
cubby: new 'away' acts on this machine: a link that points out of the project
cubby: new 'random.py' acts on this machine: shadows a module of python's library" ]
	run -0 --separate-stderr cubby exec -- sh -c 'echo y >random.py'
	[ "$stderr" = "cubby: changed 'random.py' acts on this machine: shadows a module of python's library" ]
	run -0 --separate-stderr cubby exec -q -- sh -c 'echo z >random.py'
	[ -z "$stderr" ]
	run -0 --separate-stderr cubby exec --json -- sh -c 'echo yy >random.py; rm here; echo x >"a	b.pth"'
	[ "$(jq -c .acting.new,.acting.path,.acting.why <<<"$stderr" | paste -sd' ')" = 'true "a\\tb.pth" "python loads it by itself" false "random.py" "shadows a module of python'"'"'s library"' ]
	cubby rm -q
}

@test "acting: what is linked from outside of the project is looked for by whoever starts the box" {
	mkdir q
	cubby exec -C q -q --keep -- true
	echo from here >outside
	ln outside q/inside
	run -0 --separate-stderr cubby exec -C q -- true
	[ -z "$stderr" ]
	cubby stop -q -C q
	run -0 --separate-stderr cubby exec -C q -- true
	[[ $stderr == "cubby: 'inside': also linked from outside of this directory;"* ]]
	cubby rm -q -C q
}

@test "acting: what is linked from outside of the project is said once, and broken up by --unlink" {
	mkdir -p store node_modules/.pnpm/a@1/node_modules/a p
	echo from the store >store/index.js
	mv node_modules p
	ln store/index.js p/node_modules/.pnpm/a@1/node_modules/a/index.js
	echo one >p/own
	ln p/own p/twin
	touch -d 2001-02-03 store/index.js
	chmod 640 store/index.js
	run -0 --separate-stderr cubby exec -C p -- true
	[ "$stderr" = "cubby: 'node_modules/.pnpm/a@1/node_modules/a/index.js': also linked from outside of this directory; what changes here changes there (--unlink makes copies first)" ]
	run -0 --separate-stderr cubby exec -C p --keep -- true
	[ -z "$stderr" ]
	run -125 --separate-stderr cubby exec -C p --unlink -- true
	[[ $stderr == "cubby exec: --unlink: "*"'cubby stop'"* ]]
	[ "$(stat -c %h store/index.js)" = 2 ]
	cubby stop -q -C p
	run -0 --separate-stderr cubby exec -C p --unlink -- sh -c \
		'stat -c "%a %Y" "$1"; echo of the box >>"$1"; chmod 600 "$1"' sh node_modules/.pnpm/a@1/node_modules/a/index.js
	[ "$output" = "640 $(date -d 2001-02-03 +%s)" ]
	[ "$stderr" = "cubby: 1 file linked from outside of this directory is its own now (15 B)" ]
	[ "$(cat store/index.js)" = "from the store" ]
	[ "$(stat -c '%h %a' store/index.js)" = "1 640" ]
	[ "$(cat p/node_modules/.pnpm/a@1/node_modules/a/index.js)" = "from the store
of the box" ]
	[ "$(stat -c %h p/own)" = 2 ]
	run -0 --separate-stderr cubby exec -C p --unlink -- true
	[ -z "$stderr" ]
	cubby rm -q -C p
}

@test "acting: what a program makes that runs on is told by the next command, and once" {
	echo old >.npmrc
	pid=$(cubby exec -q -d -- sh -c 'until [ -e go ]; do sleep 0.05; done; echo x >.envrc; touch made; sleep 1000')
	touch go
	lib_until test -e made
	run -0 --separate-stderr cubby info
	[[ $output == *"acts here          new '.envrc': a shell reads it when it starts or enters the directory"* ]]
	[ "$(cubby info --json | jq -c '[.acting[] | .path, .new]')" = '[".envrc",true]' ]
	run -0 --separate-stderr cubby exec -q -- true
	[ -z "$stderr" ]
	run -0 --separate-stderr cubby logs "$pid"
	[[ $stderr == "cubby: new '.envrc' acts on this machine: "* ]]
	run -0 --separate-stderr cubby exec -- true
	[[ $stderr != *acts* ]]
	run -0 --separate-stderr cubby exec -- sh -c 'rm made; (until [ -e go2 ]; do sleep 0.05; done
		echo y >.npmrc; touch made; exec sleep 1000) >/dev/null 2>&1 &'
	[[ $stderr != *acts* ]]
	touch go2
	lib_until test -e made
	run -0 --separate-stderr cubby stop
	[[ $stderr == *"cubby: changed '.npmrc' acts on this machine: "* ]]
	[[ $stderr != *.envrc* ]]
	echo mine >.npmrc # the person's own, while nothing runs
	run -0 --separate-stderr cubby exec -- true
	[ -z "$stderr" ]
}

@test "acting: what a command makes behind a server is in its answer, the box's status, and told by the next command" {
	command -v curl >/dev/null || skip "no curl"
	mkdir -m 700 sock && mkdir p
	echo old >p/.envrc
	echo key-of-the-test-0123456789 >sock/key
	cubby serve -q --here -C p --listen "unix:$PWD/sock/s" --key-file sock/key >serve.log 2>&1 3>&- &
	server=$!
	ask() { curl -sS --unix-socket sock/s -H "Authorization: Bearer key-of-the-test-0123456789" "$@"; }
	until [ -S sock/s ]; do kill -0 $server || { cat serve.log; return 1; }; read -rt 0.02 <> <(:) || true; done
	run -0 ask -d '{"command":"mkdir .vscode; echo {} >.vscode/tasks.json"}' -H 'Content-Type: application/json' \
		'http://x/execute?wait=60'
	[ "$(jq -r .status <<<"$output")" = "done" ]
	[ "$(jq -c '[.acting[] | .path, .why, .new]' <<<"$output")" = '[".vscode/tasks.json","an editor'"'"'s settings and tasks",true]' ]
	run -0 ask "http://x/execute/$(jq -r .id <<<"$output")/status"
	[ "$(jq -r '.acting[].path' <<<"$output")" = .vscode/tasks.json ]
	run -0 ask -d '{"command":"touch plain"}' -H 'Content-Type: application/json' 'http://x/execute?wait=60'
	[ "$(jq -c '[.status, has("acting")]' <<<"$output")" = '["done",false]' ] # another's is not this one's
	run -0 ask http://x/v1/boxes/here
	[ "$(jq -c '[.acting[] | .path, .why]' <<<"$output")" = '[".vscode/tasks.json","an editor'"'"'s settings and tasks"]' ]
	kill $server
	wait $server || true
	run -0 --separate-stderr cubby exec -C p --here -- true
	[[ $stderr == *"cubby: new '.vscode/tasks.json' acts on this machine: an editor's settings and tasks"* ]]
	run -0 --separate-stderr cubby exec -C p --here -- true
	[[ $stderr != *acts* ]]
}

@test "acting: a terminal behind a server says at its end what was made in it" {
	command -v curl >/dev/null || skip "no curl"
	command -v python3 >/dev/null || skip "no python3"
	serve_start
	serve POST /api/terminals
	run -0 env PYTHONPATH="$CUBBY_TEST_TOP/tests/fake" timeout 60 python3 -B - "$(jq -r .id <<<"$output")" <<-'END'
		import os, sys
		from ws_client import WS
		w = WS(os.environ["SERVE_ADDR"], f"/api/terminals/{sys.argv[1]}")
		w.json(type="auth", token=os.environ["SERVE_KEY"])
		w.send(b"touch plain $(printf 'a\\033b.pth'); exit\n")
		shown, op = b"", 0
		while op != 8:
		    shown += data if op == 2 else b""
		    op, data = w.message()
		sys.stdout.write(shown.decode().replace("\r", ""))
	END
	[ "$(grep '^cubby:' <<<"$output")" = "cubby: new 'a\\x1bb.pth' acts on the host: python loads it by itself" ]
}
