# model - a model service that follows a script, for tests of tasks (tests/fake/model_server).
# shellcheck shell=bash
KEY=sk-bats-0123456789abcdef

# model: a server that follows the scenario on standard input, one line a turn
model() {
	local dir=$BATS_TEST_TMPDIR
	{ echo "{\"config\":{\"key\":\"$KEY\",\"split\":true}}"; cat; } >"$dir/scenario"
	rm -f "$dir/life" "$dir/port" # of the one before
	mkfifo "$dir/life" "$dir/port"
	"$CUBBY_TEST_TOP/tests/fake/model_server" --with-stdin --log "$dir/requests" \
		"$dir/scenario" <"$dir/life" >"$dir/port" 3>&- &
	exec {MODEL_FD}>"$dir/life"
	read -r MODEL_PORT <"$dir/port"
	export OPENAI_API_KEY=$KEY OPENAI_BASE_URL=http://127.0.0.1:$MODEL_PORT
	export ANTHROPIC_API_KEY=$KEY ANTHROPIC_BASE_URL=http://127.0.0.1:$MODEL_PORT
}

# no_model: without our end of the server's life, which a box that stays would hold
no_model() {
	[ -z "${MODEL_FD-}" ] || exec {MODEL_FD}>&-
	"$@"
}

task() { task_net --net none "$@"; }
task_net() { (no_model cubby run --no-color "$@" </dev/null); } # with the network of the box

requests() { grep -c '"path"' "$BATS_TEST_TMPDIR/requests"; }

SHELL_CALL='{"name":"shell","args":{"command":"%s"}}'
call() { printf "{\"calls\":[$SHELL_CALL]}\n" "$1"; }
finish() { printf '{"calls":[{"name":"finish","args":{"answer":"%s","success":%s}}]}\n' "$1" "${2-true}"; }

# model_done: for teardown(): the server ends with its standard input
model_done() {
	[ -z "${MODEL_FD-}" ] || exec {MODEL_FD}>&-
	MODEL_FD=''
}
