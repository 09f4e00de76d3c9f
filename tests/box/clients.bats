# cubby serve and the clients of others: the conformance suite and the inspector of the Model
# Context Protocol, JupyterLab's library. They come from npm: scripts/install-npm.
bats_require_minimum_version 1.5.0
load ../lib
load ../serve

setup_file() {
	local name
	for name in inspector conformance jupyterlab; do # before lib_env hides the cache
		eval "export CLIENT_$name=$("$BATS_TEST_DIRNAME/../../scripts/install-npm" --cached $name || true)"
	done
	lib_env
	lib_image
}
teardown_file() { lib_done; }
setup() { lib_project; }
teardown() { serve_end; }

needs() { # NAME: $CLIENT_NAME is there
	local path=CLIENT_$1
	[ -n "${!path}" ] || skip "it is not installed (scripts/install-npm $1)"
}

# A way to the server for clients that know of no key; its address is in the file "at".
keyed() {
	mkfifo hold
	"$CUBBY_TEST_TOP/tests/fake/http_keyed" "$SERVE_ADDR" "$SERVE_KEY" <hold >at 3>&- &
	exec 9>hold # its end is the proxy's
	until [ -s at ]; do sleep 0.05; done
}

# What the suite wants of a server that was made for it (tools, prompts and
# resources of certain names) fails here, and is expected to: what passes must go on to.
@test "clients: the conformance suite of the Model Context Protocol" {
	needs conformance
	serve_start
	keyed
	{
		echo 'server:'
		printf '  - %s\n' completion-complete tools-call-{simple-text,image,audio,embedded-resource,mixed-content} \
			tools-call-{with-logging,error,with-progress,sampling,elicitation} json-schema-2020-12 server-sse-polling \
			elicitation-{sep1034-defaults,sep1330-enums} resources-{list,read-text,read-binary,templates-read} \
			resources-{subscribe,unsubscribe} prompts-{list,get-simple,get-with-args,get-embedded-resource,get-with-image}
	} >expected.yml
	run timeout 400 "$CLIENT_conformance" server --url "http://$(cat at)/mcp" --suite all --expected-failures expected.yml
	[ "$status" = 0 ] || { tail -n 50 <<<"$output"; return 1; }
	for what in server-initialize logging-set-level ping tools-list server-sse-multiple-streams dns-rebinding-protection; do
		grep -q "✓ $what: [1-9][0-9]* passed, 0 failed" <<<"$output"
	done
}

@test "clients: the inspector lists the tools and calls one" {
	needs inspector
	serve_start
	keyed
	inspect() { run -0 timeout 120 "$CLIENT_inspector" --cli "http://$(cat at)/mcp" --transport http "$@"; }
	inspect --method tools/list
	[ "$(jq -r '.tools[0].name' <<<"$output")" = shell ]
	inspect --method tools/call --tool-name shell --tool-arg 'command=echo made >x; pwd'
	[[ $(jq -r '.content[0].text' <<<"$output") == *"$LIB_PROJECT"* ]]
	[ "$(cat x)" = made ]
}

@test "clients: JupyterLab's library: cells, a picture, a question, an interrupt, a restart" {
	needs jupyterlab
	command -v node >/dev/null || skip 'no node'
	lib_python
	lib_skipped
	serve_start
	run -0 timeout 120 "$CUBBY_TEST_TOP/tests/fake/jupyterlab_client" "$CLIENT_jupyterlab" "$SERVE_URL" "$SERVE_KEY"
	[ "${lines[-1]}" = well ]
}
