# cubby serve and the clients of others: the conformance suite and the inspector of the Model
# Context Protocol, JupyterLab's library. They come from npm: scripts/install-npm.
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
	lib_until test -s at
}

# conforms REVISION SCENARIO...: what is asked of a server of that revision; these fail, and no other
conforms() {
	{
		echo 'server:'
		printf '  - %s\n' "${@:2}"
	} >expected.yml
	run timeout 300 "$CLIENT_conformance" server --url "http://$(cat at)/mcp" --requirements "$1" --expected-failures expected.yml
	[ "$status" = 0 ] || { tail -n 80 <<<"$output"; return 1; }
}

passed() { # SCENARIO...
	local name
	for name; do grep -q "✓ $name: [1-9][0-9]* passed, 0 failed" <<<"$output" || { echo "$name"; return 1; }; done
}

# What the suite wants of a server that was made for it (tools, prompts and
# resources of certain names) fails here, and is expected to: what passes must go on to.
made_for_it=(completion-complete tools-call-{simple-text,image,audio,embedded-resource,mixed-content,error,with-progress}
	json-schema-2020-12 resources-{list,read-text,read-binary,templates-read}
	prompts-{list,get-simple,get-with-args,get-embedded-resource,get-with-image})

# bats test_tags=long
@test "clients: the conformance suite of the Model Context Protocol, 2025-11-25" {
	needs conformance
	serve_start
	keyed
	conforms 2025-11-25 "${made_for_it[@]}" tools-call-{with-logging,sampling,elicitation} \
		elicitation-{sep1034-defaults,sep1330-enums} resources-{subscribe,unsubscribe}
	passed server-initialize logging-set-level ping tools-list server-sse-{multiple-streams,polling} dns-rebinding-protection \
		server-session-lifecycle
}

@test "clients: the conformance suite of the Model Context Protocol, 2026-07-28" {
	needs conformance
	serve_start
	keyed
	conforms 2026-07-28 "${made_for_it[@]}" server-stateless caching sep-2164-resource-not-found http-custom-header-server-validation \
		input-required-result-{basic-{elicitation,sampling,list-roots},request-state,multiple-input-requests,multi-round} \
		input-required-result-{missing-input-response,non-tool-request,result-type,tampered-state} \
		input-required-result-{capability-check,ignore-extra-params} \
		tasks-{lifecycle,capability-negotiation,wire-fields,request-state-removal,mrtr-input,request-headers} \
		tasks-{dispatch-and-envelope,required-task-error,mrtr-composition}
	passed tools-list server-sse-multiple-streams dns-rebinding-protection http-header-validation
	# of these, all but what needs a tool, prompt or resource of its own
	grep -q '✓ sep-2164-resource-not-found: 2 passed, 0 failed' <<<"$output"
	grep -q '✗ server-stateless: 21 passed, 4 failed' <<<"$output"
	grep -q '✗ caching: 4 passed, 3 failed' <<<"$output"
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
