# The page of cubby serve, in a headless Chromium, as a person uses it (tests/fake/page_client.mjs).
# PICTURES=DIRECTORY keeps pictures, of which docs/pictures has the good ones.
load ../lib
load ../serve
load model

setup_file() {
	lib_env
	lib_image
	local tool
	for tool in node npm chromium; do
		command -v $tool >/dev/null || { lib_skip_file "no $tool: scripts/install-deps --check"; return 0; }
	done
	HOME=/tmp make -s -C "$CUBBY_TEST_TOP" page >"$LIB_DIR/page.log" 2>&1 || lib_skip_file "$(tail -1 "$LIB_DIR/page.log")"
}
teardown() {
	serve_end
	model_done
}

# The page in a browser, scenario $1.
page() {
	lib_skipped
	run timeout 150 node "$CUBBY_TEST_TOP/tests/fake/page_client.mjs" "$SERVE_URL/" "$SERVE_KEY" "$@"
	echo "$output"
	[ "$status" = 0 ]
}

@test "page: it is whole, and asks for nothing from elsewhere" {
	local part
	lib_skipped
	serve_start
	[[ $(curl -sSI "$SERVE_URL/" | tr -d '\r') == *"script-src 'self'; style-src 'self';"*"trusted-types 'none'"* ]]
	for part in "$CUBBY_TEST_TOP"/agent/server/page/*.js "$CUBBY_TEST_TOP"/agent/server/page/*.css xterm.mjs addon-fit.mjs xterm.css; do
		[ "$(curl -sS -o /dev/null -w '%{http_code}' "$SERVE_URL/page/${part##*/}")" = 200 ]
	done
	[ "$(curl -sS -o /dev/null -w '%{http_code}' "$SERVE_URL/page/package.json")" = 404 ]
	[ "$(curl -sS --path-as-is -o /dev/null -w '%{http_code}' "$SERVE_URL/page/..%2fcubby")" = 404 ]
	run -1 grep -nE '(https?:)?//[a-z]' "$CUBBY_TEST_TOP"/agent/server/page/*.{html,js,css}
	run -1 grep -nE 'innerHTML|outerHTML|insertAdjacent|eval\(|document\.write' "$CUBBY_TEST_TOP"/agent/server/page/*.js
}

@test "page: what it shows of hidden characters is what a terminal shows, over all of Unicode" {
	lib_skipped
	run -0 node "$CUBBY_TEST_TOP/tests/fake/page_hidden.mjs" "$CUBBY_TEST_TOP/agent/server/page/dom.js" \
		"$CUBBY_TEST_TOP/tests/unit/base/hidden.txt"
	[[ $output == *'0 differences' ]]
}

@test "page: without npm it is missing, and says so" {
	local bin
	mkdir tools
	ln -s "$(command -v dirname)" tools/
	run -1 env PATH="$LIB_PROJECT/tools" /bin/sh "$CUBBY_TEST_TOP/scripts/mkpage" "$LIB_PROJECT/page"
	[[ $output == "mkpage: npm is missing, so 'cubby serve' has no page;"* ]]
	bin=$(dirname "$CUBBY_TEST_BIN")
	mkdir alone
	cp "$bin/cubby" "$bin/cubby-init" alone/
	PATH=$LIB_PROJECT/alone:$PATH serve_start
	[[ $(curl -sS "$SERVE_URL/") == *"the page was not made when this cubby was built; 'make page' makes it, with npm"* ]]
}

@test "page: the key opens it and is in no address; keys alone move about" {
	serve_start
	page login
	run -1 grep -q "$SERVE_KEY" serve.err
}

@test "page: a shell, which is there again when the page is loaded again" {
	serve_start
	page shell
}

@test "page: boxes of --boxes are made, used, stopped and removed" {
	mkdir boxes
	serve_start --boxes boxes
	page boxes
	[ "$(cat boxes/first/made)" = 42 ]
}

@test "page: names and output of the box are text" {
	echo '<b>not bold</b>' >'<img src=x onerror=alert(1)>.txt'
	printf 'if\u200b \u2066x\e[1m \U1f469\u200d\U1f4bb \u06cc\u200c\u06a9 \ufeffy\r\n' >$'\u202egpj.exe'
	serve_start
	page hostile
}

@test "page: a task live, its changes, one taken over, one thrown away" {
	lib_skipped
	model <<-'END'
	{"text":"I write the page.","calls":[{"name":"shell","args":{"command":"printf '<h1>Cats</h1>\\n<p>They sleep.</p>\\n' >cats.html; echo notes >notes.txt; echo a page about cats"}}],"usage":[1200,80]}
	{"calls":[{"name":"finish","args":{"answer":"the page is there","success":true}}],"usage":[1300,40]}
	END
	serve_start --project review
	page task
	[ "$(cat cats.html)" = "<h1>Cats</h1>
<p>They sleep.</p>" ]
	[ ! -e notes.txt ]
}

@test "page: the network's record, with a rule more and less" {
	serve_start
	page network
}
