# cubby serve with boxes: commands, files, terminals, ports, by the contract of Open Terminal.
bats_require_minimum_version 1.5.0
load ../lib
load ../serve

setup_file() {
	lib_env
	lib_image
}
teardown_file() { lib_done; }
setup() { lib_project; }
teardown() { serve_end; }

# Runs the command $1; its text in $text, its exit code in $code.
execute() {
	serve_json POST '/execute?wait=60' "$(jq -nc --arg c "$1" '{command: $c}')" "${@:2}"
	text=$(jq -r '[.output[].data] | add // ""' <<<"$output" | tr -d '\r')
	code=$(jq -r .exit_code <<<"$output")
}

@test "serve: a command, its output, its end" {
	serve_start
	execute 'echo hi; pwd; exit 3'
	[ "$text" = "hi
$LIB_PROJECT" ]
	[ "$code" = 3 ]
	[ "$(jq -r '.status, .truncated, .next_offset' <<<"$output" | tr '\n' ' ')" = 'done false 1 ' ]
	execute 'kill -9 $$'
	[ "$code" = -9 ]
	serve_json POST '/execute?wait=60' '{"command":"echo $A; tty; stty size; pwd","cwd":"/etc","env":{"A":"b"}}'
	text=$(jq -r '[.output[].data] | add' <<<"$output" | tr -d '\r')
	[[ $text == $'b\n/dev/pts/'*$'\n24 80\n/etc' ]]
	serve_status POST /execute 422 -H 'Content-Type: application/json' -d '{}'
	serve_status POST /execute 422 -H 'Content-Type: application/json' -d '{"command":'
	serve_status POST '/execute?wait=x' 422 -H 'Content-Type: application/json' -d '{"command":"true"}'
	serve_status POST '/execute?wait=null' 200 -H 'Content-Type: application/json' -d '{"command":"true"}'
}

@test "serve: a session stays where it went" {
	serve_start
	execute 'mkdir -p a/b; cd a/b' -H 'X-Session-Id: one'
	execute pwd -H 'X-Session-Id: one'
	[ "$text" = "$LIB_PROJECT/a/b" ]
	execute 'cd /; exit 1' -H 'X-Session-Id: one'
	execute pwd -H 'X-Session-Id: one'
	[ "$text" = / ]
	execute pwd -H 'X-Session-Id: two'
	[ "$text" = "$LIB_PROJECT" ]
	execute pwd
	[ "$text" = "$LIB_PROJECT" ]
}

@test "serve: a command that goes on is asked, answered and killed" {
	local id
	serve_start
	serve_json POST '/execute' '{"command":"read x; echo got $x; sleep 1000"}'
	id=$(jq -r .id <<<"$output")
	[ "$(jq -r .status <<<"$output")" = running ]
	serve_json POST "/execute/$id/input" '{"input":"y\\n"}'
	until serve GET "/execute/$id/status" && [[ $output == *'got y'* ]]; do :; done
	serve GET "/execute/$id/status?offset=$(jq .next_offset <<<"$output")"
	[ "$(jq -c .output <<<"$output")" = '[]' ]
	serve GET /execute
	[ "$(jq -r '.[0].id' <<<"$output")" = "$id" ]
	serve_status GET "/execute/$id/status" 404 -H 'X-Session-Id: other'
	serve DELETE "/execute/$id"
	[ "$output" = '{"status":"killed"}' ]
	serve GET "/execute/$id/status?wait=60"
	[ "$(jq -r '.status, .exit_code' <<<"$output" | tr '\n' ' ')" = 'killed -15 ' ]
	serve_status POST "/execute/$id/input" 400 -H 'Content-Type: application/json' -d '{"input":"x"}'
	serve_status GET /execute/nothing/status 404
}

@test "serve: large output is kept outside of memory, and its end can be had alone" {
	local before after
	serve_start
	execute true
	before=$(awk '/RssAnon/ { print $2 }' "/proc/$SERVE_PID/status")
	execute 'seq 1 1000000'
	[ "$(tail -n 1 <<<"$text")" = 1000000 ]
	after=$(awk '/RssAnon/ { print $2 }' "/proc/$SERVE_PID/status")
	[ $((after - before)) -lt 4096 ]
	serve_json POST '/execute?wait=60&tail=1' '{"command":"seq 1 10000"}'
	[ "$(jq '.output | length' <<<"$output")" = 1 ]
	[ "$(jq .truncated <<<"$output")" = true ]
	[[ $(jq -r '.output[0].data' <<<"$output") == *10000* ]]
}

@test "serve: users and chats have boxes of their own" {
	local who
	mkdir boxes
	serve_start --boxes boxes
	execute 'echo sesame >secret; sleep 4321 & echo' -H 'X-User-Id: alice'
	[ "$code" = 0 ]
	for who in 'X-User-Id: bob' 'X-User-Id: ALICE' 'X-User-Id: alice ' 'X-User-Id: alice/' 'X-User-Id: ../alice' \
		'X-User-Id: alice%00' 'X-Terminal-Context-Id: alice' 'X-Session-Id: alice'; do
		[ "$who" != 'X-User-Id: alice ' ] || continue # the blank is the field's, not the name's
		execute 'cat secret; cat ../*/secret; cat /proc/*/cmdline | tr "\0" " "; ls -a .. | wc -l' -H "$who"
		[[ $text != *sesame* && $text != *'sleep 4321'* && $text == *3 ]] || { echo "$who: $text"; return 1; }
	done
	execute 'cat secret' -H 'X-User-Id: alice' -H 'X-Terminal-Context-Id: chat:1'
	[[ $text == *'No such file'* ]]
	execute 'cat secret' -H 'X-User-Id: alice'
	[ "$text" = sesame ]
	serve_status GET /execute 400 -H "X-User-Id: $(head -c 300 /dev/zero | tr '\0' a)"
	[ "$(find boxes -mindepth 1 -maxdepth 1 | wc -l)" = 9 ]
	[ -z "$(find boxes -mindepth 1 -maxdepth 1 ! -perm 700)" ]
}

@test "serve: no more boxes than there may be" {
	mkdir boxes
	serve_start --boxes boxes --max-boxes 1
	execute true -H 'X-User-Id: a'
	serve_status GET /execute 429 -H 'X-User-Id: b'
	execute true -H 'X-User-Id: a'
	[ "$code" = 0 ]
}

@test "serve: a box that ends takes its commands along, and the next request has another" {
	local id
	serve_start
	serve_json POST /execute '{"command":"sleep 1000"}'
	id=$(jq -r .id <<<"$output")
	cubby stop
	serve GET "/execute/$id/status?wait=60"
	[ "$(jq -r .status <<<"$output")" = done ]
	execute 'echo again'
	[ "$text" = again ]
}

@test "serve: a server that is killed leaves no command and no broken box" {
	serve_start
	serve_json POST /execute '{"command":"touch runs; sleep 1234"}'
	until [ -e runs ]; do sleep 0.05; done
	kill -9 "$SERVE_PID"
	wait "$SERVE_PID" || true
	run -0 cubby exec -- sh -c 'for i in $(seq 200); do grep -qs "^sleep" /proc/*/comm || exit 0; sleep 0.05; done; exit 1'
	serve_start
	execute 'echo again'
	[ "$text" = again ]
}

@test "serve: a box that cannot start is told in the answer" {
	mkdir boxes
	serve_start --boxes boxes --image /nowhere.tar
	serve_status GET /execute 503 -H 'X-User-Id: a'
	grep -q nowhere serve.body
}
