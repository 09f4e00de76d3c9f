# cubby serve with boxes: commands, files, terminals, ports, by the contract of Open Terminal.
load ../lib
load ../serve

teardown() { serve_end; }

# Runs the command $1; its text in $text, its exit code in $code.
execute() {
	serve_json POST '/execute?wait=60' "$(jq -nc --arg c "$1" '{command: $c}')" "${@:2}"
	text=$(jq -j '.output[].data' <<<"$output" | tr -d '\r')
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

@test "serve: a server whose program was replaced says to start it again" {
	mkdir bin
	cp "$(dirname "$CUBBY_TEST_BIN")"/cubby{,-init} bin
	PATH=$PWD/bin:$PATH serve_start
	cp "$CUBBY_TEST_BIN" bin/new
	mv bin/new bin/cubby
	serve_status POST '/execute?wait=60' 503 -H 'Content-Type: application/json' -d '{"command":"true"}'
	[[ $(<serve.body) == *"another cubby was installed while this one runs; end it and start it again"* ]]
}

# bats test_tags=long
@test "serve: the image's environment holds where nobody says anything else" {
	case $CUBBY_TEST_ROOTFS in
	*.zst) zstd -q -dc "$CUBBY_TEST_ROOTFS" >"$LIB_DIR/base.plain" ;;
	*) gzip -dc "$CUBBY_TEST_ROOTFS" >"$LIB_DIR/base.plain" ;;
	esac
	"$CUBBY_TEST_TOP/tests/mklayout" lay x "$LIB_DIR/base.plain" --config '{"Env":["HELLO=image","MINE=image","ASKED=image","PATH=/opt/own:/usr/bin:/bin"]}'
	rm "$LIB_DIR/base.plain"
	cubby pull -q oci:lay
	serve_start --image lay --env MINE=server
	serve_json POST '/execute?wait=60' '{"command":"echo $HELLO $MINE $ASKED","env":{"ASKED":"request"}}'
	text=$(jq -r '[.output[].data] | add' <<<"$output" | tr -d '\r')
	[ "$text" = "image server request" ]
	serve POST /api/terminals # what a login shell reads would set another PATH
	talk_ws "$(jq -r .id <<<"$output")" <<-'END'
		import sys
		from ws_client import WS
		addr, key, id = sys.argv[1:]
		w = WS(addr, f"/api/terminals/{id}")
		w.json(type="auth", token=key)
		w.send(b"echo P''=$PATH $MINE.\n")
		assert "P=/opt/own:/usr/bin:/bin server." in w.until("server.\r")
	END
	serve_end
	cubby rm -y -q
	cubby rmi -q lay
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
	# seconds may have a fraction; what counts things may not
	serve_json POST '/execute?wait=0.95' '{"command":"mkfifo p; read x <p"}'
	id=$(jq -r .id <<<"$output")
	[ "$(curl -s -H "Authorization: Bearer $SERVE_KEY" -o /dev/null -w '%{time_total}' "$SERVE_URL/execute/$id/status?wait=0.95" | jq '. > 0.9')" = true ]
	serve_status GET "/execute/$id/status?offset=0.5" 422
}

# bats test_tags=long
@test "serve: large output is kept outside of memory, and its end can be had alone" {
	local before after
	serve_start
	execute true
	before=$(lib_memory "$SERVE_PID")
	execute 'seq 1 1000000'
	[ "$(tail -n 1 <<<"$text")" = 1000000 ]
	after=$(lib_memory "$SERVE_PID")
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
	# names whose shown part is the same
	execute 'echo sesame >secret' -H 'X-User-Id: carol/x'
	execute 'cat secret' -H 'X-User-Id: carol_x'
	[[ $text == *'No such file'* ]]
	serve_status GET /execute 400 -H "X-User-Id: $(head -c 300 /dev/zero | tr '\0' a)"
	[ "$(find boxes -mindepth 1 -maxdepth 1 | wc -l)" = 11 ]
	[ -z "$(find boxes -mindepth 1 -maxdepth 1 ! -perm 700)" ]
}

@test "serve: what a user's box may have says the policy for the user and chat" {
	local who dir
	mkdir boxes
	printf '%s\n' '# who has what' 'talk  lab-* chat:* --memory=128M --net=none' \
		'lab   lab-* *      --memory=256M --pids=50' 'big   boss  *' >policies
	serve_start --boxes boxes --policies policies --memory 512M
	for who in lab-a boss; do
		execute 'echo mine' -H "X-User-Id: $who"
		[ "$text" = mine ]
	done
	execute 'echo mine' -H 'X-User-Id: lab-a' -H 'X-Terminal-Context-Id: chat:1'
	[ "$text" = mine ]
	for dir in boxes/*; do cubby info -C "$dir" --json | jq -c '[.limits, .net]'; done >found
	cat found
	[ "$(grep 134217728 found | grep -c '"none"')" = 1 ]
	[ "$(grep 268435456 found | grep -v '"none"' | grep -c '"pids":50[,}]')" = 1 ]
	[ "$(grep 536870912 found | grep -v '"none"' | grep -vc '"pids":50[,}]')" = 1 ]
	# nobody else, and no policy but one's own
	serve_status GET /files/cwd 403 -H 'X-User-Id: eve'
	serve_status GET /files/cwd 403
	serve_status GET /p/big/files/cwd 403 -H 'X-User-Id: lab-a'
	serve_status GET /p/none/files/cwd 404 -H 'X-User-Id: lab-a'
	serve_status GET /p/lab/v1/boxes 403
	serve_status GET /p/lab/files/cwd 403 -H 'X-Cubby-Box: boss'
	serve GET /p/lab/files/cwd -H 'X-User-Id: lab-a' -H 'X-Terminal-Context-Id: chat:1'
	[ "$(ls boxes | wc -l)" = 4 ]
	serve_end
	run -2 cubby serve --policies policies
	[[ $output == *"--boxes DIR makes more"* ]]
	echo 'x * * --memory=lots' >policies
	run -2 cubby serve --boxes boxes --policies policies
	[ "$output" = "cubby serve: --policies 'policies': policy 'x': --memory: bad size 'lots'; it is such as 512M or 2G" ]
	echo 'x * * --keep=yes' >policies
	run -2 cubby serve --boxes boxes --policies policies
	[ "$output" = "cubby serve: --policies 'policies': policy 'x': '--keep=yes' is no option of a box" ]
}

@test "serve: a policy that one request asks for is not the next one's on the connection" {
	mkdir boxes
	printf '%s\n' 'lab lab-* * --memory=128M' 'big boss * --memory=256M' >policies
	serve_start --boxes boxes --policies policies
	run -0 curl -sS -m 60 -o serve.body -w '%{http_code} %{num_connects}\n' -H "Authorization: Bearer $SERVE_KEY" \
		-H 'X-User-Id: lab-a' "$SERVE_URL/p/lab/files/cwd" --next -sS -m 60 -o serve.body \
		-w '%{http_code} %{num_connects}\n' -H "Authorization: Bearer $SERVE_KEY" \
		-H 'X-User-Id: boss' "$SERVE_URL/files/cwd" --next -sS -m 60 -o serve.body \
		-w '%{http_code} %{num_connects}\n' -H "Authorization: Bearer $SERVE_KEY" "$SERVE_URL/v1/boxes"
	[ "$output" = $'200 1\n200 0\n200 0' ]
}

@test "serve: a user's policy holds whatever the holder of the key did with the box" {
	local box id
	mkdir boxes
	echo 'lab lab-* * --memory=128M --net=none' >policies
	limits() { cubby info -C "boxes/$box" --json | jq -c '[.limits.memory_bytes, .net]'; }
	serve_start --boxes boxes --policies policies --memory 512M
	execute 'echo mine' -H 'X-User-Id: lab-a'
	[ "$text" = mine ]
	box=$(ls boxes)
	run -0 limits
	[ "$output" = '[134217728,"none"]' ]
	# who looks starts nothing
	serve POST "/v1/boxes/$box/stop"
	for path in ports network processes; do serve_status GET "/v1/boxes/$box/$path" 404; done
	[ "$(cubby info -C "boxes/$box" --json | jq -r .state)" = stopped ]
	execute 'echo mine' -H 'X-User-Id: lab-a'
	[ "$(limits)" = '[134217728,"none"]' ]
	# the holder opens it first, works in it, and leaves it to its user
	serve POST "/v1/boxes/$box/stop"
	serve_end
	serve_start --boxes boxes --policies policies --memory 512M
	serve_json POST /execute '{"command":"read x"}' -H "X-Cubby-Box: $box"
	id=$(jq -r .id <<<"$output")
	[ "$(limits)" != '[134217728,"none"]' ]
	serve_status GET /files/cwd 409 -H 'X-User-Id: lab-a'
	grep -q "without its user's policy" serve.body
	serve DELETE "/execute/$id" -H "X-Cubby-Box: $box"
	serve GET "/execute/$id/status?wait=60" -H "X-Cubby-Box: $box"
	execute 'echo mine' -H 'X-User-Id: lab-a'
	[ "$text" = mine ]
	[ "$(limits)" = '[134217728,"none"]' ]
}

@test "serve: a key of fewer rights gets no box past its user's policy by the box's name" {
	local holder=holder-0123456789 runs=runs-0123456789ab box
	mkdir boxes
	echo 'lab lab-* * --net=none' >policies
	printf '%s\n' "h $holder all" "t $runs read,run,network lab-*" >keys
	serve_start --boxes boxes --policies policies --keys keys
	SERVE_KEY=$runs execute 'echo mine' -H 'X-User-Id: lab-a'
	[ "$text" = mine ]
	box=$(ls boxes)
	SERVE_KEY=$holder serve POST "/v1/boxes/$box/stop"
	SERVE_KEY=$runs serve_status POST /execute 403 -H "X-Cubby-Box: $box" -H 'Content-Type: application/json' \
		-d '{"command":"true"}'
	SERVE_KEY=$runs serve_status GET /proxy/8080/ 403 -H "X-Cubby-Box: $box"
	[ "$(cubby info -C "boxes/$box" --json | jq -r .state)" = stopped ]
	SERVE_KEY=$holder execute 'echo all' -H "X-Cubby-Box: $box"
	[ "$text" = all ]
}

@test "serve: a key has its rights, and no other boxes than its own" {
	local reads=reads-0123456789 runs=runs-0123456789ab ports=ports-0123456789a all=all-0123456789abc
	mkdir boxes
	printf '%s\n' "r $reads read" "t $runs read,run team-*" "p $ports network" "a $all all" >keys
	serve_start --boxes boxes --keys keys --access-log
	try() { # KEY STATUS METHOD PATH [CURL ARGUMENT]...
		SERVE_KEY=$1 serve_status "$3" "$4" "$2" -H 'X-User-Id: team-1' -H 'Content-Type: application/json' "${@:5}"
	}
	try $runs 200 POST '/execute?wait=60' -d '{"command":"echo sesame >secret"}'
	try $reads 200 GET '/files/read?path=secret'
	for path in /execute /files/write /files/mkdir /api/terminals /api/kernels /mcp; do
		try $reads 403 POST $path -d '{"command":"true","path":"x","content":"y"}'
		try $ports 403 POST $path -d '{"command":"true","path":"x","content":"y"}'
	done
	try $reads 403 DELETE '/files/delete?path=secret'
	try $reads 403 GET /proxy/8080/
	try $runs 403 GET /proxy/8080/
	try $runs 400 GET /mcp
	try $reads 403 GET /mcp
	try $ports 403 GET '/files/read?path=secret'
	try $ports 404 GET /proxy/8080/
	for who in 'X-User-Id: other' 'X-User-Id: Team-1' 'X-User-Id: xteam-1' 'X-Cubby-Box: other' 'X-Session-Id: team-1'; do
		SERVE_KEY=$runs serve_status GET /files/list 403 -H "$who"
		SERVE_KEY=$all serve_status GET /v1/boxes 200
	done
	SERVE_KEY=$runs serve_status GET /v1/boxes 403
	SERVE_KEY=$reads serve_status GET '/api/kernels' 200 -H 'X-User-Id: team-1'
	serve_end
	grep -q ' GET /files/read 200 .* r$' serve.err
	! grep -qE "$reads|$runs|$ports|$all" serve.err
}

@test "serve: one user's requests that wait leave places for another's" {
	printf 'a %s read,run alice*\nb %s read,run bob*\n' aaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbb >keys
	mkdir boxes
	serve_start --boxes boxes --keys keys --max-connections 16
	SERVE_KEY=aaaaaaaaaaaaaaaaaaaaaaaa serve_json POST /execute '{"command":"sleep 60"}' -H 'X-User-Id: alice'
	python3 - "$SERVE_ADDR" "$(jq -r .id <<<"$output")" <<-'END'
		import http.client, socket, sys
		host, port = sys.argv[1].rsplit(":", 1)
		head = "X-User-Id: alice\r\nAuthorization: Bearer " + 24 * "a" + "\r\n\r\n"
		def ask():
		    s = socket.create_connection((host, int(port)))
		    s.sendall(f"GET /execute/{sys.argv[2]}/status?wait=50 HTTP/1.1\r\nHost: h\r\n{head}".encode())
		    return s
		hung = [ask() for _ in range(14)]
		refused = 0
		for s in hung:
		    s.settimeout(0.5)
		    try:
		        refused += b"429" in s.recv(100)
		    except socket.timeout:
		        pass
		assert refused == 6, refused
		c = http.client.HTTPConnection(host, int(port), timeout=60)
		c.request("GET", "/files/cwd", headers={"X-User-Id": "bob", "Authorization": "Bearer " + 24 * "b"})
		assert c.getresponse().status == 200
	END
}

# bats test_tags=long
@test "serve: commands that have ended hold no descriptors, and no more output than there is room for" {
	local before i kept
	ulimit -Sn 100
	serve_start
	serve_json POST /execute '{"command":"true"}' -H 'X-Session-Id: s'
	[[ $(jq -r .id <<<"$output") =~ ^20[0-9]{6}-[0-9]{6}-[0-9a-f]{6}$ ]]
	execute 'ulimit -Sn' # the server has more for itself alone
	[ "$text" = 100 ]
	[ "$(awk '/open files/ { print $4 }' "/proc/$SERVE_PID/limits")" -gt 100 ]
	held() { find "/proc/$SERVE_PID/fd" -type l | wc -l; }
	before=$(held)
	for i in $(seq 40); do execute "echo $i"; done
	[ "$(held)" -le $((before + 2)) ]
	for i in $(seq 6); do
		serve_status POST '/execute?wait=60&tail=1' 200 -d '{"command":"seq 1300000 | tail -c 9000000"}' -H 'Content-Type: application/json'
	done
	[[ $(jq -j '.output[-1].data' serve.body | tail -n 1 | tr -d '\r') == 1300000 ]]
	kept=$(for i in /proc/"$SERVE_PID"/fd/*; do
		case $(readlink "$i") in *cubby-output*) stat -Lc %b "$i" ;; esac
	done | awk '{ n += $1 } END { print int(n / 2048) }')
	[ "$kept" -ge 8 ]
	[ "$kept" -le 32 ]
	serve_status GET /files/cwd 400 -H "X-Session-Id: $(printf '%0300d' 7)"
}

@test "serve: what one has is nobody else's by its id, whoever is named" {
	local command terminal kernel context mcp box who route method path n=0
	local -a alice=(-H 'X-User-Id: alice' -H 'X-Session-Id: s') fields
	mkdir boxes
	serve_start --boxes boxes
	serve_json POST /execute '{"command":"read x; echo got $x"}' "${alice[@]}"
	command=$(jq -r .id <<<"$output")
	serve POST /api/terminals "${alice[@]}"
	terminal=$(jq -r .id <<<"$output")
	serve_json POST /api/sessions '{"path":"a.ipynb"}' "${alice[@]}"
	kernel=$(jq -r .kernel.id <<<"$output")
	serve_json POST /contexts '{}' "${alice[@]}"
	context=$(jq -r .id <<<"$output")
	serve_json POST /mcp '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
		"${alice[@]}" -H 'Accept: application/json, text/event-stream' -D head
	mcp=$(tr -d '\r' <head | sed -n 's/^mcp-session-id: //Ip')
	[ -n "$command" ]
	[ -n "$terminal" ]
	[ -n "$kernel" ]
	[ -n "$context" ]
	[ -n "$mcp" ]
	box=$(cd boxes && echo alice-*)
	for who in 'X-User-Id: bob' 'X-Session-Id: s' 'X-User-Id: bob|X-Session-Id: s' 'X-User-Id: alice|X-Terminal-Context-Id: chat:1' \
		'X-Terminal-Context-Id: alice' "X-User-Id: bob|X-Cubby-Box: $box" "X-Terminal-Context-Id: alice|X-Cubby-Box: $box"; do
		IFS='|' read -ra fields <<<"$who"
		for route in "GET /execute/$command/status" "POST /execute/$command/input" "DELETE /execute/$command" \
			"GET /api/terminals/$terminal" "DELETE /api/terminals/$terminal" "GET /api/kernels/$kernel" "POST /api/kernels/$kernel/interrupt" \
			"POST /api/kernels/$kernel/restart" "DELETE /api/kernels/$kernel" "GET /api/sessions/$kernel" "DELETE /api/sessions/$kernel" \
			"GET /notebooks/${kernel##*-}" "DELETE /notebooks/${kernel##*-}" "POST /contexts/$context/restart" "DELETE /contexts/$context" \
			"POST /execute" 'DELETE /mcp'; do
			read -r method path <<<"$route"
			run -0 curl -sS -m 60 -o serve.body -w '%{http_code}' -X "$method" -H "Authorization: Bearer $SERVE_KEY" "${fields[@]/#/-H}" \
				-H "Mcp-Session-Id: $mcp" -d "{\"input\":\"x\",\"code\":\"1\",\"context_id\":\"$context\"}" "$SERVE_URL$path?user_id=alice&box=$box"
			[ "$output" = 404 ] || [[ $who == *Cubby-Box* && $output == 40[03] ]] || { echo "$who: $route: $output $(cat serve.body)"; return 1; }
			n=$((n + 1))
		done
	done
	[ "$n" = 119 ]
	serve GET "/execute/$command/status" "${alice[@]}"
	[ "$(jq -r .status <<<"$output")" = running ]
	for path in "/api/terminals/$terminal" "/api/kernels/$kernel" "/api/sessions/$kernel"; do serve_status GET "$path" 200 "${alice[@]}"; done
	serve GET /contexts "${alice[@]}"
	[ "$(jq -r '.[].id' <<<"$output")" = "$context" ]
	serve_status DELETE /mcp 204 "${alice[@]}" -H "Mcp-Session-Id: $mcp"
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

# bats test_tags=long
@test "serve: a box that ends while its ports are asked for takes no server along" {
	local asking
	serve_start
	serve GET /ports
	curl -sS -m 60 -Z --parallel-immediate --parallel-max 8 -o /dev/null -H 'Connection: close' -H "Authorization: Bearer $SERVE_KEY" "$SERVE_URL/ports#[1-200]" 3>&- &
	asking=$!
	# The more often it ends, the more surely while they are asked for.
	for _ in {1..20}; do
		read -rt 0.05 <> <(:) || true
		cubby stop || true
	done
	wait "$asking" || true
	kill -0 "$SERVE_PID"
	serve GET /ports
}

@test "serve: a server that is killed leaves no command and no broken box" {
	serve_start
	serve_json POST /execute '{"command":"touch runs; sleep 1234"}'
	lib_until test -e runs
	kill -9 "$SERVE_PID"
	wait "$SERVE_PID" || true
	run -0 cubby exec -- sh -c 'for i in $(seq 200); do grep -qs "^sleep" /proc/*/comm || exit 0; sleep 0.05; done; exit 1'
	serve_start
	execute 'echo again'
	[ "$text" = again ]
}

@test "serve: a stop waits for what is being answered, and takes nothing more" {
	serve_start
	execute true
	curl -sS -m 20 -H "Authorization: Bearer $SERVE_KEY" -d '{"command":"touch runs; sleep 1; echo end"}' \
		"$SERVE_URL/execute?wait=60" >answer &
	lib_until test -e runs
	kill "$SERVE_PID"
	until ! curl -sS -o /dev/null "$SERVE_URL/health" 2>/dev/null; do sleep 0.02; done
	wait "$SERVE_PID"
	SERVE_PID=
	wait $!
	[ "$(jq -r ".status, .output[0].data" answer | tr -d "\r" | tr "\n" " ")" = "done end  " ] || { cat answer; return 1; }
}

@test "serve: a box that cannot start is told in the answer" {
	mkdir boxes
	serve_start --boxes boxes --image /nowhere.tar
	serve_status GET /execute 503 -H 'X-User-Id: a'
	grep -q nowhere serve.body
}

@test "serve: files are written, read, listed, edited, moved and removed in the box" {
	local p
	serve_start
	p=$LIB_PROJECT
	serve_json POST /files/write '{"path":"a/b.txt","content":"one\ntwo\nth\"ree\\\n"}'
	[ "$output" = "{\"path\":\"$p/a/b.txt\",\"size\":16}" ]
	[ "$(cat a/b.txt)" = $'one\ntwo\nth"ree\\' ]
	serve GET '/files/read?path=a/b.txt&start_line=2&end_line=null'
	[ "$(jq -c . <<<"$output")" = "{\"path\":\"$p/a/b.txt\",\"total_lines\":3,\"content\":\"two\\nth\\\"ree\\\\\\n\"}" ]
	printf x >file
	serve_status POST /files/mkdir 400 -H 'Content-Type: application/json' -d '{"path":"file"}'
	serve_status GET /files/view?path=none 404
	[ "$(cat serve.body)" = '{"detail":"File not found"}' ]
	for p in file/below /proc/none/x; do # as the contract has it, not 404
		serve_status POST /files/write 400 -H 'Content-Type: application/json' -d '{"path":"'$p'","content":"x"}'
	done
	p=$LIB_PROJECT
	rm file
	serve_json POST /files/replace '{"path":"a/b.txt","replacements":[{"target":"two","replacement":"2"}]}'
	serve_status POST /files/replace 400 -H 'Content-Type: application/json' \
		-d '{"path":"a/b.txt","replacements":[{"target":"2","replacement":"x"},{"target":"two","replacement":"x"}]}'
	[ "$(sed -n 2p a/b.txt)" = 2 ]
	serve_status POST /files/replace 400 -H 'Content-Type: application/json' \
		-d '{"path":"a/b.txt","replacements":[{"target":"if x:\n\ty = \"é\"\n","replacement":"x"}]}'
	[ "$(jq -r .detail serve.body)" = 'Target string not found: if x:\n\ty = "é"\n' ]
	for size in 16777216 16777217; do # the largest that is edited, and one more
		{ echo two; head -c $((size - 4)) /dev/zero | tr '\0' a; } >large
		serve_status POST /files/replace $((size == 16777216 ? 200 : 413)) -H 'Content-Type: application/json' \
			-d '{"path":"large","replacements":[{"target":"two\n","replacement":"tw\n"}]}'
		[ "$(head -n 1 large)" = "$([ $size = 16777216 ] && echo tw || echo two)" ]
	done
	rm large
	truncate -s 4294967297 large # read as text it would take long before anything comes
	serve_status GET '/files/read?path=large&start_line=1&end_line=1' 413
	rm large
	serve_status POST /files/replace 404 -H 'Content-Type: application/json' \
		-d '{"path":"none","replacements":[{"target":"2","replacement":"x"}]}'
	serve GET '/files/list?directory=a'
	[ "$(jq -c '.entries[] | [.name, .type, .size, .writable]' <<<"$output")" = '["b.txt","file",14,true]' ]
	serve_status GET '/files/list?directory=none' 404
	serve_json POST /files/mkdir '{"path":"c/d"}'
	serve_json POST /files/move '{"source":"a/b.txt","destination":"c/d/e"}'
	serve_status POST /files/move 404 -H 'Content-Type: application/json' -d '{"source":"a/b.txt","destination":"c/d/f"}'
	serve_status POST /files/move 409 -H 'Content-Type: application/json' -d '{"source":"a","destination":"c/d/e"}'
	serve_status POST /files/move 400 -H 'Content-Type: application/json' -d '{"source":"a","destination":"x/y"}'
	ln -s c/d link
	serve DELETE '/files/delete?path=link'
	[ "$(jq -r .type <<<"$output")" = file ]
	[ -e c/d/e ]
	serve DELETE '/files/delete?path=c'
	[ "$output" = "{\"path\":\"$p/c\",\"type\":\"directory\"}" ]
	[ ! -e c ]
	serve_status DELETE '/files/delete?path=c' 404
	serve_status DELETE '/files/delete?path=.' 403
}

# bats test_tags=long
@test "serve: a move to another file system is a whole copy, and then the original goes" {
	local at=/root/away
	move() { # STATUS FROM TO
		serve_status POST /files/move "$1" -H 'Content-Type: application/json' -d "{\"source\":\"$2\",\"destination\":\"$3\"}"
	}
	serve_start
	execute "mkdir -p $at/tree/sub; echo one >$at/file; chmod 6755 $at/file; echo two >$at/tree/sub/two; ln -s two $at/tree/sub/link; chmod 750 $at/tree; mkfifo -m 600 $at/tree/pipe"
	move 200 $at/file file
	[ "$(jq -r .destination serve.body)" = "$LIB_PROJECT/file" ]
	[ "$(cat file)" = one ]
	[ "$(stat -c %a file)" = 755 ] # in the project nothing runs as its owner
	move 200 $at/tree tree
	[ "$(cat tree/sub/link) $(stat -c %a tree) $(stat -c %F tree/pipe)" = 'two 750 fifo' ]
	move 200 tree $at/back
	execute "ls -A . $at; cat $at/back/sub/two"
	[[ $text != *tree* && $text != *.cubby-* && $text == *two* ]]
	# what is there stays, and so does what was to be moved
	mkdir -p here/in
	move 409 $at/back here
	move 400 $at/back none/at
	move 404 $at/none x
	[ -z "$(ls -A here/in)" ]
	execute "cat $at/back/sub/two"
	[ "$text" = two ]
	# what is mounted is no part of what moves or goes
	move 409 "$LIB_PROJECT" /dev/shm/project
	move 409 "$(dirname "$LIB_PROJECT")" /dev/shm/above
	serve_status DELETE "/files/delete?path=$(dirname "$LIB_PROJECT")" 409
	execute 'ls -A /dev/shm; ls'
	[[ $text != *above* && $text != *project* && $text == *here* ]]
	# who asks and leaves finds it moved: what was begun is not left half done
	execute "mkdir $at/many; cd $at/many; for i in \$(seq 5000); do echo x >\$i; done"
	timeout 0.05 curl -sS -m 60 -X POST -H "Authorization: Bearer $SERVE_KEY" -H 'Content-Type: application/json' \
		-d "{\"source\":\"$at/many\",\"destination\":\"$LIB_PROJECT/many\"}" "$SERVE_URL/files/move" || true
	if ! [ -e .many.cubby-* ] && ! [ -e many ]; then move 200 $at/many many || test -e many; fi # it had not begun, or begins now
	lib_until test -e many
	lib_until test -z "$(compgen -G '.many.*')"
	[ "$(ls many | wc -l)" = 5000 ]
}

@test "serve: pictures and other bytes as they are, pages without rights, signs to a viewer" {
	serve_start
	printf '\x89PNG\0\xff' >x.png
	printf '\xff\xfe\0' >x.bin
	[ "$(curl -sS -D head -H "Authorization: Bearer $SERVE_KEY" "$SERVE_URL/files/read?path=x.png" | od -An -tx1)" = " 89 50 4e 47 00 ff" ]
	grep -qi '^content-type: image/png' head
	serve_status GET '/files/read?path=x.bin' 415
	[ "$(cat serve.body)" = '{"detail":"Unsupported binary file type: application/octet-stream (3 bytes)"}' ]
	serve_status GET '/files/read?path=none' 404
	serve_status GET '/files/read?path=/proc/self/mem' 415 || serve_status GET '/files/read?path=/proc/self/mem' 500
	serve_status GET '/files/read' 422
	echo '<script>1</script>' >x.html
	[ "$(curl -sS -D head -H "Authorization: Bearer $SERVE_KEY" "$SERVE_URL/files/serve$LIB_PROJECT/x.html")" = '<script>1</script>' ]
	grep -qi '^content-security-policy: sandbox' head
	grep -qi '^content-type: text/html; charset=utf-8' head
	serve GET '/files/display?path=x.png'
	[ "$(jq -c '[.exists, .mime_type, .full_path == .path]' <<<"$output")" = '[true,"image/png",true]' ]
	serve GET '/files/display?path=none'
	[ "$(jq .exists <<<"$output")" = false ]
	mkfifo pipe
	serve_status GET '/files/read?path=pipe' 400
	serve_status GET '/files/view?path=pipe' 400
	serve_status GET '/files/view?path=.' 400
}

# bats test_tags=long
@test "serve: of many small files at once each is answered whole" {
	serve_start
	printf '\x89PNG\0\xff' >x.png
	serve GET /files/cwd
	# Two programs for each, the second begun at the end of the first.
	seq "$(lib_fewer 400)" | xargs -P 8 -I{} curl -sS -m 60 -o got.{} -H "Authorization: Bearer $SERVE_KEY" \
		"$SERVE_URL/files/read?path=x.png"
	for got in got.*; do
		cmp "$got" x.png || { cat "$got"; return 1; }
	done
}

@test "serve: HEAD ends with the head, however long what it is about" {
	serve_start
	truncate -s 1T large
	serve_json POST /mcp '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
		-H 'Accept: application/json, text/event-stream' -D head
	python3 - "$SERVE_ADDR" "$SERVE_KEY" "$(tr -d '\r' <head | sed -n 's/^mcp-session-id: //Ip')" <<-'END'
		import socket, sys
		host, port = sys.argv[1].rsplit(":", 1)
		s = socket.create_connection((host, int(port)))
		s.settimeout(20)
		for path in ("/files/view?path=large", "/mcp", "/files/list", "/files/none"):
		    s.sendall((f"HEAD {path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {sys.argv[2]}\r\nMcp-Session-Id: {sys.argv[3]}\r\n\r\n"
		        "GET /health HTTP/1.1\r\nHost: h\r\n\r\n").encode())
		    got = b""
		    while not got.endswith(b'{"status":"ok"}'):
		        more = s.recv(65536)
		        assert more, (path, got)
		        got += more
		    assert got.startswith(b"HTTP/1.1 404 " if "none" in path else b"HTTP/1.1 200 ") and got.count(b"HTTP/1.1 ") == 2, (path, got)
		    assert "large" not in path or b"Content-Length: 1099511627776\r\n" in got, got
	END
}

@test "serve: paths mean what they mean in the box, whatever leads out of the project" {
	serve_start
	ln -s / out
	echo host >"$LIB_DIR/secret"
	serve_status GET "/files/read?path=$LIB_DIR/secret" 404
	serve_status GET "/files/read?path=out$LIB_DIR/secret" 404
	serve_status GET "/files/read?path=../secret" 404
	serve_status GET "/files/serve/..%2f..$LIB_DIR/secret" 404
	serve_status GET "/files/read?path=/proc/1/environ" 403
	serve_status GET '/files/read?path=a%00b' 400
	serve GET '/files/read?path=/etc/hostname'
	serve_json POST /files/write '{"path":"/etc/new","content":"x"}'
	[ ! -e /etc/new ]
}

@test "serve: searches by content and by name" {
	serve_start
	mkdir -p src .git
	printf 'int main(void)\n{\n\treturn 42;\n}\n' >src/a.c
	printf 'Main 7\n' >b.txt
	printf 'main\0' >c.bin
	echo main >.git/x
	serve GET '/files/grep?query=main'
	[ "$(jq -c '.matches[] | [.file, .line]' <<<"$output")" = "[\"$LIB_PROJECT/src/a.c\",1]" ]
	serve GET '/files/grep?query=MAIN&case_insensitive=true&match_per_line=false'
	[ "$(jq '.matches | length' <<<"$output")" = 2 ]
	serve GET '/files/grep?query=%5Cd%2B&include=*.c'
	[ "$(jq -r '.matches[].content' <<<"$output")" = $'\treturn 42;' ]
	serve GET '/files/grep?query=main(void)&regex=false&path=src/a.c'
	[ "$(jq '.matches | length' <<<"$output")" = 1 ]
	serve_status GET '/files/grep?query=(' 400
	serve_status GET '/files/grep' 422
	[ "$(jq -c .detail serve.body)" = '[{"type":"missing","loc":["query","query"],"msg":"Field required","input":null}]' ]
	serve_status GET '/files/grep?query=x&max_results=501' 422
	[ "$(jq -c '.detail[0] | [.type, .input]' serve.body)" = '["value_error","501"]' ]
	serve_status GET '/files/grep?query=x&path=none' 404
	serve GET '/files/grep?query=.&max_results=2'
	[ "$(jq -c '[.truncated, (.matches | length)]' <<<"$output")" = '[true,2]' ]
	serve GET '/files/glob?pattern=*.c'
	[ "$(jq -c '.matches[] | [.path, .type]' <<<"$output")" = '["src/a.c","file"]' ]
	serve GET '/files/glob?pattern=*&type=directory&exclude=.git'
	[ "$(jq -r '.matches[].path' <<<"$output")" = src ]
}

@test "serve: a search knows what Python writes otherwise than POSIX" {
	serve_start
	printf '%s\n' 'def first(a):' 'DEF second(b):' 'x = 1' 'xx=22;' 'a?b' >a.py
	lines() { # REGEX [FILE]: the numbers of the lines that match
		run -0 curl -sS -m 60 -G -H "Authorization: Bearer $SERVE_KEY" "$SERVE_URL/files/grep?path=${2-a.py}" --data-urlencode "query=$1"
		jq -r '[.matches[].line] | join(",")' <<<"$output"
	}
	[ "$(lines '(?P<name>def) (?:first|third)')" = 1 ]
	[ "$(lines '(?i)def \w+\(.*?\):')" = 1,2 ]
	[ "$(lines '^x+?\s*?=\s*?\d{1,2}?;?$')" = 3,4 ]
	[ "$(lines 'a\??b')" = 5 ]
	[ "$(lines '[?]?b$')" = 5 ]
	[ "$(lines 'def (?=first|other)')" = 1 ]
	[ "$(lines '(?<=xx)=\d')" = 4 ]
	[ "$(lines '^(?!def|x).')" = 2,5 ]
	[ "$(lines '^(?=.*b).*(?<!x)=|\(a(?=\))')" = 1 ]
	[ "$(lines '(?<!x)(x)\1=(?>2+);')" = 4 ]
	[ "$(lines '(?P<c>x)(?P=c)')" = 4 ]
	[ "$(lines '\u0078\x3d|(?i:SECOND)')" = 2,4 ]
	printf 'eins\r\nzwei\r\nGRÜẞE ٣\r\n' >a.txt # its lines end as elsewhere
	[ "$(lines 'zwei$' a.txt)" = 2 ]
	[ "$(lines '(?i)^grüße \d$' a.txt)" = 3 ]
	refused() { # REGEX WHY
		[ "$(curl -sS -m 60 -o body -w '%{http_code}' -G -H "Authorization: Bearer $SERVE_KEY" "$SERVE_URL/files/grep" --data-urlencode "query=$1")" = 400 ]
		[[ "$(jq -r .detail body)" == "Invalid regex: "*"$2"* ]] || { cat body; return 1; }
	}
	refused '(?<=a*)b' 'lookbehind assertion is not ' # PCRE2 10.43 knows some that end
	refused '(' 'missing closing parenthesis at position 1'
	refused '(?P=name)' 'reference to non-existent subpattern'
	refused 'x{,3}' 'write {0,N} for {,N}'
	refused '\C' 'using \\C is disabled'
	printf "%0.sa" {1..40} >slow.txt
	serve_status GET '/files/grep?query=(a%2B)%2B%24&path=slow.txt' 200
	echo b >>slow.txt
	serve_status GET '/files/grep?query=(a%2B)%2B%24&path=slow.txt' 400
	[ "$(jq -r .detail serve.body)" = "line 1 of '$LIB_PROJECT/slow.txt': Invalid regex: it tries too much on a line; write it with fewer repetitions" ]
}

@test "serve: two files are compared where they are, and nothing else is read" {
	serve_start
	printf 'a\nb\n' >a.txt
	printf ' a\nc\n' >b.txt
	printf 'secret\n' >"$LIB_DIR/secret"
	ln -s "$LIB_DIR/secret" out
	serve_json POST /files/compare '{"original":"a.txt","revised":"b.txt","ignore_whitespace":true}'
	[ "$(jq -c '[.additions, .deletions, (.hunks[0].lines[0] | .type, .content, .revisedContent)]' <<<"$output")" = \
		'[1,1,"context","a"," a"]' ]
	compare() { # STATUS ORIGINAL REVISED
		serve_status POST /files/compare "$1" -H 'Content-Type: application/json' -d "{\"original\":\"$2\",\"revised\":\"$3\"}"
		jq -r .detail "$LIB_PROJECT/serve.body"
	}
	[ "$(compare 404 none a.txt)" = 'none: File not found.' ]
	[ "$(compare 404 a.txt out)" = 'out: File not found.' ]
	[ "$(compare 404 a.txt /tmp)" = 'tmp: File not found.' ]
	compare 403 a.txt /proc/1/environ
	[ "$(compare 422 a.txt /bin/sh)" = 'sh: no text' ]
	truncate -s 51M big
	[ "$(compare 422 big a.txt)" = 'big: more than 50 MiB' ]
	serve_status POST /files/compare 422 -H 'Content-Type: application/json' -d '{"original":"a.txt"}'
	serve_status POST /files/compare 422 -H 'Content-Type: application/json' -d '{"original":7,"revised":"a.txt"}'
}

@test "serve: names and texts by what was typed of them, the best first" {
	serve_start
	mkdir -p src/note .hidden
	printf 'x\n\303\244\360\237\230\200 the Note here\n' >src/other.txt
	touch note note.txt src/my-note.c .hidden/note
	printf 'note\0' >src/binary
	serve GET '/files/search?query=NOTE'
	[ "$(jq -r '.results[] | .path + " " + .type' <<<"$output" | sed "s|$LIB_PROJECT/||" | tr '\n' ',')" = \
		'note file,src/note directory,note.txt file,src/my-note.c file,' ]
	serve GET '/files/search?query=note&limit=1&type=directory'
	[ "$(jq -r '.results[].name' <<<"$output")" = note ]
	serve GET '/files/search?query=note&show_hidden=true'
	[ "$(jq '.results | length' <<<"$output")" = 5 ]
	serve GET '/files/matches?query=note&path=src'
	[ "$(jq -c '.results[] | [.relative_path, .name_match, .content_matches]' <<<"$output" | tr '\n' ' ')" = \
		'["note",true,[]] ["my-note.c",true,[]] ["other.txt",false,[{"line":2,"column":9,"text":"ä😀 the Note here"}]] ' ]
	[ "$(jq .next_offset <<<"$output")" = null ]
	serve GET '/files/matches?query=note&path=src&limit=1&offset=1'
	[ "$(jq -r '.results[0].name, .next_offset' <<<"$output" | tr '\n' ' ')" = 'my-note.c 2 ' ]
	# upper and lower case of any alphabet, also in a text of another encoding
	mkdir words
	printf 'x\n\360\237\230\200 STRASSEN\303\234BERGANG\n' >words/a.txt
	printf '\374ber \320\226\n' >words/b.txt
	touch words/ÄPFEL words/äpfelmus
	serve GET "/files/search?path=words&query=%C3%A4PFEL"
	[ "$(jq -r '.results[].name' <<<"$output" | tr '\n' ' ')" = 'ÄPFEL äpfelmus ' ]
	serve GET "/files/matches?path=words&query=%C3%BCberg"
	[ "$(jq -c '.results[] | [.name, .content_matches[0].line, .content_matches[0].column]' <<<"$output")" = '["a.txt",2,12]' ]
	serve GET "/files/matches?path=words&query=%D0%B6"
	[ "$(jq -r '.results[].name' <<<"$output")" = b.txt ]
	serve_status GET '/files/search?query=%ff' 400
	serve_status GET '/files/matches?query=+' 400
	serve_status GET '/files/matches' 422
	serve_status GET '/files/search?query=a&path=none' 404
	serve_status GET '/files/search?query=a&limit=101' 422
}

@test "serve: a search in a git worktree finds what git lists, and more of nothing" {
	serve_start
	git init -q
	mkdir -p src/deep build/out lib/node_modules/m named
	printf '%s\n' '*.log' /build/ node_modules named/ '!keep.log' >.gitignore
	printf '%s\n' '!deep.log' /only.c >src/.gitignore
	echo 'private*' >>.git/info/exclude
	touch a.log keep.log src/deep.log src/only.c src/deep/only.c build/tracked.c build/out/x.c \
		lib/node_modules/m/x.js named/a.c named/b.c private.c src/private.h 'x y.c'
	git add -f build/tracked.c named/b.c
	found() { # QUERY STRING: the paths of files, sorted
		serve GET "/files/search?query=$1&type=file&limit=100$2"
		jq -r '.results[].path' <<<"$output" | sed "s|^$LIB_PROJECT/||" | sort
	}
	listed() { git ls-files -co --exclude-standard "$@" | grep -v '^serve\.\|^\.\|/\.' | sort; }
	[ "$(found '' | grep -v '^serve\.')" = "$(listed)" ]
	[ "$(found only '&path=src')" = src/deep/only.c ]
	[ "$(found log)" = "$(printf '%s\n' keep.log src/deep.log)" ]
	serve GET '/files/search?query=node_modules'
	[ "$(jq '.results | length' <<<"$output")" = 0 ]
	[ "$(found x '&path=build')" = build/out/x.c ] # who looks there wants to see it
	serve GET '/files/matches?query=a.log'
	[ "$(jq -r '.results[0].relative_path' <<<"$output")" = a.log ]
	# what makes no sense ignores nothing, and holds nothing up
	rm .gitignore .git/index
	mkfifo .gitignore .git/index
	[ "$(found a.log)" = a.log ]
	rm .gitignore .git/index
	printf '\0\377[[[\\\n!\n/\n[a-\n//\n[!\n[[:x:]\n\0**\n' >.gitignore
	printf 'DIRC\0\0\0\2\377\377\377\377' >.git/index
	[ "$(found keep.log)" = keep.log ] || { echo "$output"; false; }
	# the worktree of another
	rm .gitignore .git/index
	git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x
	git worktree add -q other
	echo w.c >other/.gitignore
	touch other/w.c other/v.c other/private.c
	[ "$(found .c '&path=other')" = other/v.c ]
}

@test "serve: an upload is whole or nothing, and its name is a name" {
	serve_start
	head -c 3000000 /dev/urandom >big
	serve POST '/files/upload?directory=up' -F 'file=@big;filename=../../x y.bin'
	[ "$output" = "{\"path\":\"$LIB_PROJECT/up/x y.bin\",\"size\":3000000}" ]
	cmp big 'up/x y.bin'
	serve GET '/files/view?path=up/x%20y.bin' -o back
	cmp big back
	serve_status POST '/files/upload?directory=up' 400 -F 'other=@big'
	serve_status POST '/files/upload?directory=up' 400 -F 'file=@big;filename=..'
	serve_status POST '/files/upload?directory=up' 400 -d x
	python3 - "$SERVE_ADDR" "$SERVE_KEY" <<-'END'
		import socket, sys
		host, port = sys.argv[1].rsplit(":", 1)
		s = socket.create_connection((host, int(port)))
		s.sendall((f"POST /files/upload?directory=up HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {sys.argv[2]}\r\n"
		    "Content-Type: multipart/form-data; boundary=B\r\nContent-Length: 100000\r\n\r\n"
		    '--B\r\nContent-Disposition: form-data; name="file"; filename="half"\r\n\r\n').encode() + b"x" * 5000)
		s.close()
	END
	serve GET '/files/list?directory=up'
	[ "$(ls -A up)" = 'x y.bin' ] || { sleep 1; [ "$(ls up)" = 'x y.bin' ]; }
}

@test "serve: the document of routes is what Open WebUI makes tools of" {
	serve_start
	run -0 curl -sS "$SERVE_URL/openapi.json"
	[ "$(jq -r '[.paths[][] | .operationId] | sort | join(" ")' <<<"$output")" = "display_file get_process_status glob_search grep_search kill_process list_files list_processes match_files read_file read_user_terminal replace_file_content run_command search_files send_process_input send_user_terminal_input write_file" ]
	[ "$(jq '[.paths[][] | .description | length > 20] | all' <<<"$output")" = true ]
	[ "$(jq -c '.paths["/execute"].post.requestBody.content["application/json"].schema.required' <<<"$output")" = '["command"]' ]
	run -0 curl -sS -D head "$SERVE_URL/docs" # the same for people, without a script
	[[ $output == *'<h2 id="run_command">POST /execute</h2>'* && $output != *'<script'* ]]
	grep -q "^Content-Security-Policy: default-src 'none';" head
	serve GET /system
	[[ $(jq -r .prompt <<<"$output") == *"$LIB_PROJECT"* ]]
	serve GET /files/cwd
	[ "$(jq -r '.cwd, .home, .root.path' <<<"$output" | sort -u)" = "$LIB_PROJECT" ]
	serve_json POST /files/cwd '{"path":"/etc"}' -H 'X-Session-Id: s'
	serve GET /files/cwd -H 'X-Session-Id: s'
	[ "$(jq -r .cwd <<<"$output")" = /etc ]
	serve_status POST /files/cwd 404 -H 'Content-Type: application/json' -d '{"path":"/nothing"}'
}

@test "serve: where a chat was is known to the next server, until it is gone" {
	local chat=(-H 'X-Session-Id: chat "1"')
	serve_start
	execute 'mkdir -p "/var/a b/c" /var/other; cd "/var/a b/c"' "${chat[@]}"
	execute 'cd /etc' -H 'X-Session-Id: 2'
	serve_end
	serve_start
	execute 'pwd; cd /var/other' "${chat[@]}"
	[ "$text" = '/var/a b/c' ]
	serve GET /files/cwd -H 'X-Session-Id: 2'
	[ "$(jq -r .cwd <<<"$output")" = /etc ]
	serve GET /files/cwd
	[ "$(jq -r .cwd <<<"$output")" = "$LIB_PROJECT" ]
	# and nothing of it is in the box, which cannot lead anybody anywhere with it
	execute 'find / -xdev -name sessions.json; rmdir /var/other'
	[ "$text" = '' ]
	serve_status POST /execute 404 -H 'Content-Type: application/json' -d '{"command":"pwd"}' "${chat[@]}"
	[ "$(jq -r .detail serve.body)" = "cannot enter the working directory '/var/other': No such file or directory; the next command begins at home" ]
	execute 'pwd; echo ${BASH##*/}' "${chat[@]}"
	[ "$text" = "$LIB_PROJECT"$'\nbash' ]
	# so is a terminal, and a directory that a command names is no chat's
	execute 'mkdir /var/other; cd /var/other' "${chat[@]}"
	serve_status POST /execute 404 -H 'Content-Type: application/json' -d '{"command":"pwd","cwd":"/none"}' "${chat[@]}"
	execute 'pwd; echo ${BASH##*/}; rmdir /var/other' "${chat[@]}"
	[ "$text" = $'/var/other\nbash' ]
	serve_status POST /api/terminals 404 "${chat[@]}"
	serve_status POST /api/terminals 200 "${chat[@]}"
}

# Python with a WebSocket client, a server's address, its key and the terminal $1.
talk_ws() {
	PYTHONPATH=$CUBBY_TEST_TOP/tests/fake python3 -B - "$SERVE_ADDR" "$SERVE_KEY" "$@"
}

@test "serve: a terminal in the browser, which outlives its socket" {
	local id
	serve_start
	serve POST /api/terminals
	id=$(jq -r .id <<<"$output")
	[[ $id =~ ^[0-9a-f]{8}$ ]]
	talk_ws "$id" <<-'END'
		import sys
		from ws_client import WS
		addr, key, id = sys.argv[1:]
		w = WS(addr, f"/api/terminals/{id}?user_id=u")
		w.json(type="auth", token=key)
		w.json(type="resize", cols=99, rows=33)
		w.json(type="ping")
		w.send(b"stty size; echo A=$((40+2))\n")
		assert "33 99" in w.until("A=42")
		w.send(b"", 9)
		while w.message()[0] != 10: pass
		second = WS(addr, f"/api/terminals/{id}")
		second.json(type="auth", token=key)
		assert second.closed() == 4009
		w.send(b"export LEFT=here\n")
		w.until("LEFT=here")
		w.s.close()
		w = WS(addr, f"/api/terminals/{id}")
		w.json(type="auth", token=key)
		assert "A=42" in w.until("A=42")
		w.send(b"echo $LEFT$LEFT\n")
		w.until("herehere")
		w.send(b"exit\n")
		assert w.closed() == 1000
	END
	serve_status GET "/api/terminals/$id" 404
	[ "$(cat serve.body)" = '{"error":"Terminal not found"}' ]
}

@test "serve: a shell that nobody typed in ends when it is left, one that was used or runs something stays" {
	serve_start --idle "$(lib_longer 1)s" # or it ends before one can look
	talk_ws <<-'END'
		import json, sys, time, urllib.request
		from ws_client import WS
		addr, key = sys.argv[1:]
		def ask(method, path, body=None):
		    r = urllib.request.Request(f"http://{addr}{path}", body, {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}, method=method)
		    return json.load(urllib.request.urlopen(r, timeout=60))
		def see(id):
		    w = WS(addr, f"/api/terminals/{id}")
		    w.json(type="auth", token=key)
		    w.json(type="resize", cols=80, rows=24)
		    return w
		def new(): return ask("POST", "/api/terminals")["id"]
		def there(): return {t["id"] for t in ask("GET", "/api/terminals")}
		ask("POST", "/execute?wait=60", json.dumps({"command": "echo 'set -m; echo be$((1+1))gun; sleep 1000' >~/.bashrc"}).encode())
		runs = new()
		w = see(runs); w.until("be2gun"); w.s.close()
		ask("POST", "/execute?wait=60", json.dumps({"command": "echo 'PS1=pro$((1+1))mpt' >~/.bashrc"}).encode())
		used, watched, left, never = new(), new(), new(), new()
		w = see(used); w.until("pro2mpt"); w.send(b"x=$((40+2)); echo $x\n"); w.until("42"); w.s.close()
		stays = see(watched); stays.until("pro2mpt")
		w = see(left); w.until("pro2mpt"); w.s.close()
		end = time.monotonic() + 60
		while there() & {left, never}:
		    assert time.monotonic() < end, there()
		    time.sleep(0.05)
		assert there() == {runs, used, watched}, (there(), runs, used, watched)
		w = see(used); w.send(b"echo $x$x\n"); w.until("4242")
	END
}

@test "serve: a terminal needs the key, and says nothing before it has come" {
	local id
	mkdir boxes
	serve_start --boxes boxes
	serve POST /api/terminals -H 'X-User-Id: alice'
	id=$(jq -r .id <<<"$output")
	talk_ws "$id" <<-'END'
		import sys
		from ws_client import WS
		addr, key, id = sys.argv[1:]
		def code(path, *messages):
		    w = WS(addr, path)
		    for m in messages:
		        w.send(m)
		    return w.closed()
		good = '{"type":"auth","token":"%s"}' % key
		assert code(f"/api/terminals/{id}?user_id=alice", '{"type":"auth","token":"x"}') == 4001
		assert code(f"/api/terminals/{id}?user_id=alice", "hello") == 4001
		assert code(f"/api/terminals/{id}?user_id=alice", good.encode()) == 4001
		assert code(f"/api/terminals/{id}?user_id=bob", good) == 4004
		assert code(f"/api/terminals/{id}", good) == 4004
		assert code("/api/terminals/00000000?user_id=alice", good) == 4004
		w = WS(addr, f"/api/terminals/{id}", ["X-User-Id: alice"])
		w.send(good)
		w.send(b"echo B=$((1+1))\n")
		w.until("B=2")
	END
	[ "$(ls boxes | wc -l)" = 1 ]
	serve DELETE "/api/terminals/$id" -H 'X-User-Id: alice'
	[ "$output" = '{"status":"deleted"}' ]
	serve GET /api/terminals -H 'X-User-Id: alice'
	[ "$output" = '[]' ]
}

# bats test_tags=long
@test "serve: broken and huge frames end their socket alone, a flood is held up" {
	local id
	serve_start
	serve POST /api/terminals
	id=$(jq -r .id <<<"$output")
	talk_ws "$id" <<-'END'
		import socket, sys
		from ws_client import WS
		addr, key, id = sys.argv[1:]
		def rude(data):
		    w = WS(addr, f"/api/terminals/{id}")
		    w.s.sendall(data)
		    return w.closed()
		assert rude(b"\x81\x02hi") == 1002
		assert rude(b"\xc1\x80abcd") == 1002
		assert rude(b"\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xffabcd") == 1009
		assert rude(b"\x81\x81abcd\x9f") == 1007
		w = WS(addr, f"/api/terminals/{id}")
		w.json(type="auth", token=key)
		w.send(b"stty -icanon -echo; sleep 1000\n")
		w.until("sleep 1000")
		w.s.settimeout(3)
		sent = 0
		try:
		    while sent < 200 << 20:
		        w.send(b"x" * 60000)
		        sent += 60000
		except socket.timeout:
		    pass
		assert sent < 64 << 20, sent
	END
	[ "$(lib_memory "$SERVE_PID")" -lt 20000 ]
	execute 'echo well'
	[ "$text" = well ]
}

@test "serve: what is pasted in one piece arrives whole" {
	local id
	serve_start
	serve POST /api/terminals
	id=$(jq -r .id <<<"$output")
	talk_ws "$id" <<-'END'
		import hashlib, sys
		from ws_client import WS
		addr, key, id = sys.argv[1:]
		w = WS(addr, f"/api/terminals/{id}")
		w.json(type="auth", token=key)
		w.send(b"stty -icanon -echo; echo ready$((1+1)); head -c 1000000 | md5sum\n")
		w.until("ready2")
		data = b"".join(b"%d line\n" % i for i in range(120000))[:1000000]
		w.send(data)
		w.until(hashlib.md5(data).hexdigest())
	END
}

@test "serve: a model sees and types what the user's terminal has" {
	local id
	serve_start
	serve_status GET /api/terminals/user/output 404
	serve POST /api/terminals
	id=$(jq -r .id <<<"$output")
	talk_ws "$id" <<-'END'
		import json, sys, urllib.request
		from ws_client import WS
		addr, key, id = sys.argv[1:]
		def ask(path, body=None):
		    r = urllib.request.Request(f"http://{addr}{path}", body and json.dumps(body).encode(),
		        {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
		    return json.load(urllib.request.urlopen(r))
		w = WS(addr, f"/api/terminals/{id}")
		w.json(type="auth", token=key)
		w.send(b"echo C=$((1+2))\n")
		w.until("C=3")
		assert "C=3" in ask("/api/terminals/user/output")["output"]
		assert ask("/api/terminals/user/input", {"input": "echo D=$((2+2))\n"}) == {"status": "ok"}
		w.until("D=4")
	END
}

@test "serve: no more terminals than there may be" {
	serve_start
	for i in $(seq 16); do serve_status POST /api/terminals 200; done
	serve_status POST /api/terminals 429
}

# A server in the box that answers each connection by what it was sent, in chunks; with
# Upgrade it goes on with the bytes in capitals.
port_server() {
	cat >server.pl <<-'END'
		use IO::Socket::INET;
		my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 8080, Listen => 5, ReuseAddr => 1) or die;
		open(my $f, ">", "listens"); close($f);
		$SIG{CHLD} = "IGNORE";
		while (my $c = $s->accept()) {
			next if fork();
			my $head = "";
			while ($head !~ /\r\n\r\n$/) { sysread($c, my $b, 1) or exit; $head .= $b; }
			if ($head =~ /Upgrade: websocket/) {
				syswrite($c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n");
				while (sysread($c, my $b, 4096)) { syswrite($c, uc($b)); }
				exit;
			}
			if ($head =~ m{^GET /large }) {
				print $c "HTTP/1.1 200 OK\r\n\r\n" . ("x" x 400000);
				exit;
			}
			my $body = "";
			$body = do { read($c, my $b, $1); $b } if $head =~ /Content-Length: (\d+)/;
			# all of it first: curl 7.88 waits for ever for the end of an answer that came before it has sent its body
			my $sent = $head =~ /Transfer-Encoding: chunked/ ? "" : "0\r\n\r\n";
			while ($sent !~ /0\r\n\r\n$/) { sysread($c, my $b, 4096) or exit; $sent .= $b; }
			my $text = $head . $body;
			syswrite($c, "HTTP/1.1 203 Fine\r\nX-From: box\r\nTransfer-Encoding: chunked\r\n\r\n" . sprintf("%x\r\n%s\r\n0\r\n\r\n", length($text), $text));
			exit;
		}
	END
	serve_json POST /execute '{"command":"perl server.pl"}' "$@"
	lib_until test -e listens
}

@test "serve: a port of the box through the server, streams and WebSockets too" {
	serve_start
	port_server
	serve GET /ports
	[ "$(jq -c '[.ports[].port]' <<<"$output")" = '[8080]' ]
	run -0 curl -sS -D head -m 20 -X PUT -H "Authorization: Bearer $SERVE_KEY" -H 'X-User-Id: u' -H 'X-A: b' \
		-H 'Connection: X-Mine, X-B' -H 'X-Mine: c' -H 'Proxy-Connection: x-b' --data-binary hello "$SERVE_URL/proxy/8080/a%2Fb/../c?x=%20y" --path-as-is
	grep -q '^HTTP/1.1 203' head
	grep -qi '^x-from: box' head
	[ "$(head -n 1 <<<"$output" | tr -d '\r')" = 'PUT /a%2Fb/../c?x=%20y HTTP/1.1' ]
	[[ $output == *'Host: localhost:8080'* && $output == *'x-a: b'* && $output == *hello ]]
	[ -z "$(grep -i "authorization\|$SERVE_KEY\|x-user-id\|x-mine\|proxy-connection" <<<"$output")" ]
	serve_status GET /proxy/8081/ 502
	grep -q 'Connection refused: localhost:8081' serve.body
	serve_status GET /proxy/99999/ 422
	serve_status GET /proxy/x/ 422
	[ "$(curl -sS -o /dev/null -w '%{http_code}' "$SERVE_URL/proxy/8080/")" = 401 ]
	python3 - "$SERVE_ADDR" "$SERVE_KEY" <<-'END'
		import socket, sys
		host, port = sys.argv[1].rsplit(":", 1)
		s = socket.create_connection((host, int(port)))
		s.settimeout(20)
		s.sendall((f"GET /proxy/8080/ws HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {sys.argv[2]}\r\nConnection: Upgrade\r\n"
		    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
		def until(text):
		    got = b""
		    while text not in got:
		        more = s.recv(4096)
		        assert more, got
		        got += more
		    return got
		assert until(b"\r\n\r\n").startswith(b"HTTP/1.1 101 ")
		s.sendall(b"abc")
		until(b"ABC")
		s.sendall(b"x" * 300000)
		n = 0
		while n < 300000:
		    got = s.recv(65536)
		    assert got and set(got) == {88}, got[:20]
		    n += len(got)
	END
}

# bats test_tags=long
@test "serve: a program behind a port does not say how long the client's connection lives" {
	local answer
	serve_start
	mkfifo next
	# the answer of each connection is what the fifo gives; then it stays silent, and open
	serve_json POST /execute '{"command":"perl -MIO::Socket::INET -e \"our \\$s=IO::Socket::INET->new(LocalPort=>8080,Listen=>9);mkdir q(listens);while(\\$c=\\$s->accept){push @k,\\$c;open F,q(<next);print \\$c <F>;close F;\\$c->flush}\""}'
	lib_until test -e listens
	ask() { # ANSWER: what the client of it gets, for three seconds
		printf "$1" >next &
		run -0 "$CUBBY_TEST_TOP/tests/fake/http_talk" -s 3 "$SERVE_ADDR" <<<"GET /proxy/8080/ HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer $SERVE_KEY\r\nConnection: close\r\n\r\n"
	}
	# one answer more than was asked for: the client is told not to use the connection again
	ask 'HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=99\r\nX-Accel-Redirect: /x\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 EVIL\r\n\r\n'
	[[ $output == *'Connection: close'* ]]
	[ -z "$(grep -iE 'keep-alive|x-accel|EVIL' <<<"$output")" ]
	# nor is anything behind the end that it said
	ask 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nallHTTP/1.1 200 EVIL\r\n\r\n'
	[[ $output == *all* && $output != *EVIL* ]]
	ask 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nall\r\n0\r\n\r\nHTTP/1.1 200 EVIL\r\n\r\n'
	[[ $output == *all* && $output != *EVIL* ]]
	ask 'HTTP/1.1 200 OK\r\nX-Hop: a\r\nConnection: x-hop\r\nContent-Length: 3\r\n\r\nall'
	[[ $output == *all* && $output != *Hop* ]]
	for answer in 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 9\r\n\r\n' 'HTTP/1.1 101 Now\r\n\r\nHTTP/1.1 200 EVIL\r\n\r\n' \
		'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n' 'EVIL\r\n\r\n' 'HTTP/1.1 200 OK\r\nX : EVIL\r\n\r\n' \
		'HTTP/1.1 200 OK\r\n:status: 500\r\nX: EVIL\r\n\r\n' 'HTTP/1.1 200 OK\r\nX: \1EVIL\r\n\r\n' 'HTTP/1.1 200 OK\r\nX\r: EVIL\r\n\r\n' \
		'HTTP/1.1 200 OK\r\n X: EVIL\r\n\r\n' 'HTTP/1.1 200 OK\r\nX: a\rSet-Cookie: EVIL\r\n\r\n'; do
		ask "$answer"
		[[ $output == 'HTTP/1.1 502 '* && $output != *EVIL* ]] || { echo "$answer: $output"; return 1; }
	done
	ask 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.0 200 OK\n\nall'
	[[ $output == 'HTTP/1.1 200 OK'*'Connection: close'*all* ]]
	# nor does it keep the server with heads that are none of the answer's
	ask "$(printf 'HTTP/1.1 100 Continue\\r\\n\\r\\n%.0s' {1..17})HTTP/1.0 200 OK\\n\\nall"
	[[ $output == 'HTTP/1.1 502 '* ]]
}

@test "serve: a request that breaks off in its body ends its connection to the port, which has answered" {
	serve_start
	serve_json POST /execute '{"command":"perl -MIO::Socket::INET -e \"our \\$s=IO::Socket::INET->new(LocalPort=>8080,Listen=>9);mkdir q(listens);\\$c=\\$s->accept;print \\$c qq(HTTP/1.1 200 OK\\r\\n\\r\\nfirst);\\$c->flush;1 while sysread \\$c,\\$_,99;mkdir q(left);sleep 9\""}'
	lib_until test -e listens
	run -0 python3 - "$SERVE_ADDR" "$SERVE_KEY" <<-'END'
		import socket, sys
		host, port = sys.argv[1].rsplit(":", 1)
		s = socket.create_connection((host, int(port)))
		s.settimeout(20)
		s.sendall((f"POST /proxy/8080/ HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {sys.argv[2]}\r\n"
		    "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n").encode())
		got = b""
		while b"first" not in got:
		    more = s.recv(4096)
		    assert more, got
		    got += more
		s.sendall(b"no chunk\r\n")
		assert s.recv(4096) == b""
	END
	lib_until test -e left
	execute 'echo well'
	[ "$text" = well ]
}

@test "serve: nobody reaches another's ports" {
	mkdir boxes
	serve_start --boxes boxes
	serve_json POST /execute '{"command":"perl -MIO::Socket::INET -e \"our \\$s=IO::Socket::INET->new(LocalPort=>8080,Listen=>1);mkdir q(up);sleep 1000\""}' -H 'X-User-Id: alice'
	lib_until compgen -G 'boxes/alice-*/up'
	serve GET /ports -H 'X-User-Id: alice'
	[ "$(jq -c '[.ports[].port]' <<<"$output")" = '[8080]' ]
	serve GET /ports -H 'X-User-Id: bob'
	[ "$output" = '{"ports":[]}' ]
	# nobody can tell another's port from one that nobody has
	serve_status GET /proxy/8080/ 404 -H 'X-User-Id: bob'
	[ "$(cat serve.body)" = '{"detail":"Port not found"}' ]
	serve_status GET /proxy/8081/ 404 -H 'X-User-Id: bob'
	[ "$(cat serve.body)" = '{"detail":"Port not found"}' ]
}

@test "serve: a port is told with its process" {
	serve_start
	cat >port.pl <<-'END'
		use IO::Socket::INET;
		use Socket qw(:all);
		$a = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 8080, Listen => 1);
		socket($b, AF_INET6, SOCK_STREAM, 0); bind($b, pack_sockaddr_in6(8081, inet_pton(AF_INET6, "::1"))); listen($b, 1);
		$0 = "a\"\xff\n";
		mkdir "pid-$$";
		sleep 1000;
	END
	serve_json POST /execute '{"command":"perl port.pl"}'
	lib_until compgen -G 'pid-*'
	local pid
	pid=$(echo pid-*)
	pid=${pid#pid-}
	serve GET /ports
	jq -e --argjson pid "$pid" '.ports == [{port: 8080, pid: $pid, process: "a\"\ufffd"}, {port: 8081, pid: $pid, process: "a\"\ufffd"}]' <<<"$output" || { echo "$output"; false; }
	serve_end
	# as a user who may not look at root's process: the port is there
	serve_start --user nobody
	serve_json POST '/execute?wait=20' '{"command":"id -un"}'
	serve GET /ports
	jq -e '[.ports[] | keys] | all(. == ["pid", "port", "process"])' <<<"$output"
}

# bats test_tags=long
@test "serve: what is left alone ends after a minute, five, half an hour, an hour, and not before" {
	[ -z "${CUBBY_TEST_SANITIZED-}" ] || skip "a sanitizer has a clock of its own"
	command -v gcc >/dev/null || skip "gcc is not installed"
	gcc -shared -fPIC -o fast.so "$CUBBY_TEST_TOP/tests/fake/fast_clock.c"
	FAST_CLOCK=200 LD_PRELOAD=$LIB_PROJECT/fast.so serve_start
	PYTHONPATH="$CUBBY_TEST_TOP/tests/fake" python3 - "$SERVE_ADDR" "$SERVE_KEY" <<-'END'
		import http.client, json, sys, time
		from ws_client import WS
		addr, key = sys.argv[1:]
		def ask(method, path, body=None, **more):
		    c = http.client.HTTPConnection(addr, timeout=60)
		    c.request(method, path, json.dumps(body), {"Authorization": "Bearer " + key, "Content-Type": "application/json",
		        "Accept": "application/json, text/event-stream", **more})
		    answer = c.getresponse()
		    text = answer.read()
		    return answer, json.loads(text) if text.startswith((b"{", b"[")) else text
		ask("GET", "/files/cwd") # the box is there
		minute = 60 / 200
		hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
		    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
		def make():
		    made = {"unused": ask("POST", "/api/terminals")[1]["id"], "used": ask("POST", "/api/terminals")[1]["id"]}
		    w = WS(addr, f"/api/terminals/{made['used']}")
		    w.json(type="auth", token=key)
		    w.send(b"sleep 10000\n")
		    w.until("sleep")
		    w.s.close()
		    made["kernel"] = ask("POST", "/api/kernels", {})[1]["id"]
		    made["command"] = ask("POST", "/execute?wait=300", {"command": "true"})[1]["id"]
		    made["session"] = ask("POST", "/mcp", hello)[0].headers["mcp-session-id"]
		    return made
		def there(what):
		    path = {"unused": "/api/terminals", "used": "/api/terminals", "kernel": "/api/kernels", "command": "/execute"}[what]
		    return made[what] in [one["id"] for one in ask("GET", path)[1]]
		limits = {"unused": 1, "command": 5, "kernel": 30, "used": 60}
		began = time.monotonic()
		made = make()
		since = time.monotonic() # all of them are older
		gone = {}
		while len(gone) < len(limits):
		    for what in limits.keys() - gone.keys():
		        if not there(what):
		            gone[what] = (time.monotonic() - began) / minute, (time.monotonic() - since) / minute
		    assert time.monotonic() - since < 180 * minute, gone
		    time.sleep(0.06)
		for what, (most, least) in gone.items():
		    assert most > limits[what] and least < 2 * limits[what] + 20, gone
		assert ask("DELETE", "/mcp", None, **{"Mcp-Session-Id": made["session"]})[0].status == 404
		# a session that is asked goes on
		made = ask("POST", "/mcp", hello)[0].headers["mcp-session-id"]
		end = time.monotonic() + 70 * minute
		while time.monotonic() < end:
		    answer = ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 2, "method": "ping"}, **{"Mcp-Session-Id": made})[0]
		    assert answer.status == 200, answer.status
		    time.sleep(5 * minute)
	END
}

# bats test_tags=long
@test "serve: a WebSocket needs the right key in the right place, for that user" {
	mkdir boxes
	printf '%s\n' 'r reads-0123456789 read' 't runs-0123456789ab read,run' 'o other-0123456789a read,run team-*' 'p ports-0123456789a network' 'a all-0123456789abc all' >keys
	SERVE_KEY=all-0123456789abc
	serve_start --boxes boxes --keys keys
	SERVE_KEY=all-0123456789abc
	serve POST /api/terminals -H 'X-User-Id: alice'
	local terminal
	terminal=$(jq -r .id <<<"$output")
	serve_json POST /api/kernels '{}' -H 'X-User-Id: alice'
	run -0 env PYTHONPATH="$CUBBY_TEST_TOP/tests/fake" python3 - "$SERVE_ADDR" "$terminal" "$(jq -r .id <<<"$output")" <<-'END' || { echo "$output"; return 1; }
		import sys
		from ws_client import WS
		addr, terminal, kernel = sys.argv[1:]
		keys = {"none": "", "wrong": "x" * 20, "read": "reads-0123456789", "run": "runs-0123456789ab", "other": "other-0123456789a",
		        "ports": "ports-0123456789a", "all": "all-0123456789abc"}
		places = {"bearer": lambda k: (f"Authorization: Bearer {k}", ""), "token": lambda k: (f"Authorization: token {k}", ""),
		          "query": lambda k: ("X: x", f"&token={k}"), "cookie": lambda k: (f"Cookie: cubby-login={k}; _xsrf=a", ""),
		          "protocol": lambda k: (f"Sec-WebSocket-Protocol: v1.kernel.websocket.jupyter.org, {k}", "")}
		n = 0
		for name, key in keys.items():
		    for place, put in places.items():
		        field, query = put(key)
		        for origin in ([], ["Origin: http://evil.example"], ["Origin: http://" + addr]):
		            for user in ("alice", "bob"):
		                what = (name, place, origin, user)
		                for who, more in (([f"X-User-Id: {user}"], ""), ([], f"&user_id={user}")):
		                    def ask(path):
		                        w = WS(addr, f"{path}?a=b{query}{more}", [field, *who, *origin])
		                        w.s.settimeout(20)
		                        return w
		                    known = place in ("bearer", "token", "query") and name not in ("none", "wrong")
		                    want = 401 if not known else 403 if name not in ("run", "all") else 101 if user == "alice" else 404
		                    got = ask(f"/api/kernels/{kernel}/channels")
		                    assert got.status == want, (what, got.status, want)
		                    got.s.close()
		                    want = [401] if place != "bearer" or name in ("none", "wrong") else [404, 502] if name in ("ports", "all") else [403]
		                    got = ask("/proxy/8080/x")
		                    assert got.status in want, (what, got.status, want)
		                    got.s.close()
		                    # the terminal's key comes by its first message, whatever the head says
		                    got = ask(f"/api/terminals/{terminal}")
		                    got.json(type="auth", token=key)
		                    if name not in ("run", "all"):
		                        assert got.closed() == 4001, what
		                    elif user == "bob":
		                        assert got.closed() == 4004, what
		                    else:
		                        assert got.message()[0] == 2, what
		                    got.s.close()
		                    n += 3
		assert n == 1260, n
	END
}

@test "serve: another origin's page, and a host that is forged, get nothing of a WebSocket without the key" {
	serve_start
	local id
	serve POST /api/terminals
	id=$(jq -r .id <<<"$output")
	serve_json POST /api/kernels '{}'
	run -0 python3 - "$SERVE_ADDR" "$SERVE_KEY" "$id" "$(jq -r .id <<<"$output")" <<-'END' || { echo "$output"; return 1; }
		import json, socket, struct, sys
		addr, key, terminal, kernel = sys.argv[1:]
		def ask(path, host, origin, upgrade=True, body=b"", *more):
		    s = socket.create_connection((addr.rsplit(":", 1)[0], int(addr.rsplit(":", 1)[1])))
		    s.settimeout(20)
		    lines = [f"{'GET' if upgrade else 'POST'} {path} HTTP/1.1", f"Host: {host}", f"Origin: {origin}", *more]
		    if upgrade:
		        lines += ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
		                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
		    else:
		        lines += [f"Content-Length: {len(body)}", "Content-Type: application/json", f"Authorization: Bearer {key}"]
		    s.sendall("\r\n".join(lines + ["", ""]).encode() + body)
		    got = s.recv(4096)
		    return int(got.split(b" ")[1]), s, got.partition(b"\r\n\r\n")[2]
		def frame(s, data):
		    s.sendall(bytes([0x81, 0x80 | len(data)]) + b"\0\0\0\0" + data)
		origins = ("http://evil.example", "null", "http://127.0.0.1:1", "http://" + addr, "https://" + addr)
		hosts = ("evil.example", addr, "localhost.evil.example", "[::1]:80", "")
		for origin in origins:
		    for host in hosts:
		        status, s, rest = ask(f"/api/terminals/{terminal}", host, origin)
		        assert status == 101 and not rest, (status, rest) # nothing is shown before a key
		        frame(s, json.dumps({"type": "auth", "token": "x" * 64}).encode())
		        got = s.recv(4096)
		        assert got[0] == 0x88 and struct.unpack(">H", got[2:4])[0] == 4001, got
		        for query in ("", "?token=", "?token=" + "x" * 64, "?token=null"):
		            status, _, _ = ask(f"/api/kernels/{kernel}/channels{query}", host, origin)
		            assert status == 401, (host, origin, query, status)
		for host in ("a b", "127.0.0.1:1@evil", "h/..", 'h"', "h,i"):
		    assert ask(f"/api/terminals/{terminal}", host, "null")[0] == 400, host
		for more in ("Host: other", "Origin: http://other"):
		    assert ask(f"/api/terminals/{terminal}", "h", "null", True, b"", more)[0] == 400, more
		# a name that an attacker points at this host is not this host, though both fields agree on it
		ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
		for name in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "127.0.0.1x"):
		    status, _, _ = ask("/mcp", name, "http://" + name, False, ping)
		    assert status in (400, 403), (name, status)
		assert ask("/mcp", addr, "https://" + addr, False, ping)[0] == 403
	END
}

@test "serve: MCP over HTTP: a session, tools, a lost stream, an origin" {
	local session init='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
	mkdir boxes
	serve_start --boxes boxes --memory 1G
	mcp() { # JSON [CURL ARGUMENT]...
		serve_json POST /mcp "$1" -D head -H 'X-User-Id: alice' -H 'Accept: application/json, text/event-stream' \
			-H "Mcp-Session-Id: $session" "${@:2}"
	}
	serve_json POST /mcp "$init" -D head -H 'X-User-Id: alice' -H 'Accept: application/json, text/event-stream'
	[ "$(sed -n 's/^data: //p' <<<"$output" | jq -r .result.serverInfo.name)" = cubby ]
	session=$(sed -n 's/^Mcp-Session-Id: //p' head | tr -d '\r')
	[[ $session =~ ^[0-9a-f]{32}$ ]]
	mcp '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	grep -q '^HTTP/1.1 202' head
	mcp '{"jsonrpc":"2.0","id":"two","method":"tools/list"}'
	[ "$(jq -r '.id, .result.tools[0].name' <<<"$output" | tr '\n' ' ')" = 'two shell ' ]
	mcp '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"shell","arguments":{"command":"echo made >x; pwd"}}}'
	grep -qi '^content-type: text/event-stream' head
	[[ $(sed -n 's/^data: //p' <<<"$output" | tail -n 1 | jq -r '.result.content[0].text') == *"$LIB_PROJECT/boxes/alice-"* ]]
	[ "$(cat boxes/alice-*/x)" = made ]
	serve_status POST /mcp 404 -H 'X-User-Id: bob' -H "Mcp-Session-Id: $session" -H 'Content-Type: application/json' \
		-d '{"jsonrpc":"2.0","id":4,"method":"ping"}'
	serve_status POST /mcp 400 -H 'X-User-Id: alice' -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":4,"method":"ping"}'
	serve_status POST /mcp 400 -H 'X-User-Id: alice' -H 'Content-Type: application/json' -d '[]'
	serve_status POST /mcp 403 -H 'Origin: https://evil.example' -H 'X-User-Id: alice' -H 'Content-Type: application/json' -d "$init"
	# nor one of a name that somebody has made lead here
	serve_status POST /mcp 403 -H 'Host: evil.example' -H 'Origin: http://evil.example' -H 'X-User-Id: alice' -H 'Content-Type: application/json' -d "$init"
	python3 - "$SERVE_ADDR" "$SERVE_KEY" "$session" "$(echo boxes/alice-*)" <<-'END'
		import json, os, re, socket, sys, time
		addr, key, session, box = sys.argv[1:]
		host, port = addr.rsplit(":", 1)
		def ask(method, extra, body=b""):
		    s = socket.create_connection((host, int(port)))
		    s.settimeout(30)
		    s.sendall((f"{method} /mcp HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {key}\r\nX-User-Id: alice\r\nMcp-Session-Id: {session}\r\n"
		        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n{extra}\r\n").encode() + body)
		    return s
		s = ask("POST", "", json.dumps({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "shell",
		    "arguments": {"command": "touch began; until [ -e go ]; do sleep 0.05; done; echo late"}}}).encode())
		while not os.path.exists(box + "/began"):
		    time.sleep(0.02)
		stream = 3 # initialize, list, call and this one have streams 1 to 4
		s.close()
		open(box + "/go", "w").close()
		seen = b""
		for stream in range(1, 9):
		    s = ask("GET", f"Last-Event-ID: {stream}-0\r\n")
		    try:
		        while b"0\r\n\r\n" not in seen[-7:]:
		            got = s.recv(65536)
		            if not got:
		                break
		            seen += got
		    except socket.timeout:
		        pass
		    if b"late" in seen:
		        break
		    seen = b""
		assert b"late" in seen, seen
	END
	serve_status DELETE /mcp 204 -H 'X-User-Id: alice' -H "Mcp-Session-Id: $session"
	for _ in $(seq 20); do # clients that never say that they are done
		serve_status POST /mcp 200 -H 'X-User-Id: alice' -H 'Content-Type: application/json' -d "$init"
	done
	serve_status DELETE /mcp 404 -H 'X-User-Id: alice' -H "Mcp-Session-Id: $session"
}

# bats test_tags=long
@test "serve: MCP over HTTP: several messages at once, in the revision that has them" {
	local session='' accept='application/json, text/event-stream' V='"jsonrpc":"2.0"'
	begin() { # REVISION
		serve_json POST /mcp '{'$V',"id":0,"method":"initialize","params":{"protocolVersion":"'"$1"'","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
			-D head -H "Accept: $accept"
		session=$(sed -n 's/^Mcp-Session-Id: //p' head | tr -d '\r')
	}
	batch() { # STATUS JSON [CURL ARGUMENT]...
		serve_json POST /mcp "$2" -D head -H "Accept: $accept" -H "Mcp-Session-Id: $session" "${@:3}"
		grep -q "^HTTP/1.1 $1" head || { cat head; return 1; }
	}
	serve_start --memory 1G
	begin 2025-03-26
	batch 200 '[{'$V',"id":1,"method":"ping"},{'$V',"method":"notifications/initialized"},{'$V',"id":"two","method":"tools/list"},{"id":3,"method":"ping"},7,{'$V',"id":4,"method":"initialize"}]'
	grep -qi '^content-type: application/json' head
	[ "$(jq -c 'sort_by(.id | tostring)[] | [.id, .error.code, (.result | type)]' <<<"$output" | tr '\n' ' ')" = \
		'[1,null,"object"] [3,-32600,"null"] [4,-32600,"null"] [null,-32600,"null"] ["two",null,"object"] ' ]
	batch 202 '[{'$V',"method":"notifications/initialized"},{'$V',"id":5,"result":{}}]'
	# a call of a tool makes it a stream: each answer as it comes, and its end after the last
	batch 200 '[{'$V',"id":6,"method":"tools/call","params":{"name":"shell","arguments":{"command":"echo one-$((40 + 1))"}}},{'$V',"id":7,"method":"tools/call","params":{"name":"shell","arguments":{"command":"echo two-$((40 + 2))"}}}]'
	grep -qi '^content-type: text/event-stream' head
	[ "$(sed -n 's/^data: //p' <<<"$output" | jq -r 'select(.id) | [.id, .result.content[0].text] | join(" ")' | grep -oE '^[67] .*(one-41|two-42)' | tr '\n' ' ')" = '6 one-41 7 two-42 ' ]
	# as JSON for who wants no stream; cancelled ones have no answer
	accept=application/json batch 200 '[{'$V',"id":8,"method":"tools/call","params":{"name":"shell","arguments":{"command":"sleep 30"}}},{'$V',"id":9,"method":"ping"},{'$V',"method":"notifications/cancelled","params":{"requestId":8}}]'
	[ "$(jq -c 'map(.id)' <<<"$output")" = '[9]' ]
	batch 400 '[]'
	batch 400 "[$(yes '{},' | head -n 256 | tr -d '\n'){}]"
	batch 400 '{'$V',"result":{},"id":1,"method":7}'
	# what its answers are together has a bound, and so has what is asked
	python3 -c '
import os, struct, zlib
part = lambda t, d: struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d))
rows = b"".join(b"\0" + os.urandom(580 * 3) for _ in range(560))
open("big.png", "wb").write(b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", 580, 560, 8, 2, 0, 0, 0))
                            + part(b"IDAT", zlib.compress(rows, 0)) + part(b"IEND", b""))'
	views() { jq -nc --argjson n "$1" '[range($n) | {jsonrpc: "2.0", id: ., method: "tools/call", params: {name: "view_image", arguments: {path: "big.png"}}}]'; }
	accept=application/json batch 200 "$(views 12)"
	[ "$(jq -c 'map(.result.content | any(.type == "image")) | [length, all]' <<<"$output")" = '[12,true]' ]
	accept=application/json batch 503 "$(views 14)"
	[[ $output == *'are too large together'* ]]
	batch 200 "$(views 28)"
	[ "$(grep -c '"type":"image"' <<<"$output")" = 28 ]
	batch 200 '{'$V',"id":1,"method":"ping"}'
	{ printf '[{'$V',"id":1,"method":"ping","params":{"a":"'; head -c 34000000 /dev/zero | tr '\0' a; printf '"}}]'; } >large.json
	serve_status POST /mcp 413 -H 'Content-Type: application/json' -H "Accept: $accept" -H "Mcp-Session-Id: $session" -d @large.json
	batch 200 '{'$V',"id":1,"method":"ping"}'
	begin 2025-06-18
	batch 400 '[{'$V',"id":1,"method":"ping"}]'
	[[ $output == *'2025-03-26'* ]]
	batch 200 '{'$V',"id":1,"method":"ping"}'
}

# bats test_tags=long
@test "serve: MCP over HTTP without sessions: revision 2026-07-28" {
	local own=io.modelcontextprotocol accept='application/json, text/event-stream'
	serve_start
	mcp() { # ID METHOD PARAMETERS [CURL ARGUMENT]...
		local params='{"_meta":{"'$own'/protocolVersion":"2026-07-28","'$own'/clientCapabilities":{},"progressToken":"p"}'${3:+,$3}'}'
		run -0 curl -sS -m 60 -D head -H "Authorization: Bearer $SERVE_KEY" -H 'Content-Type: application/json' \
			-H "Accept: $accept" -H 'MCP-Protocol-Version: 2026-07-28' -H "Mcp-Method: $2" \
			-d '{"jsonrpc":"2.0","id":'"$1"',"method":"'"$2"'","params":'"$params"'}' "${@:4}" "$SERVE_URL/mcp"
	}
	data() { sed -n 's/^data: //p' <<<"$output"; }
	status() { [ "$(sed -n 's/^HTTP.1.1 \([0-9]*\).*/\1/p' head) $(jq -c '[.id, .error.code]' <<<"$output")" = "$1" ]; }
	mcp '"a"' server/discover
	[ "$(jq -c '[.id, .result.supportedVersions]' <<<"$output")" = '["a",["2026-07-28"]]' ]
	[ "$(grep -ci mcp-session-id head)" = 0 ]
	# the shell that is named stays, whoever asks; its ids and tokens are the client's own
	mcp 1 tools/call '"name":"shell","arguments":{"command":"cd /tmp; echo one; sleep 1.2; echo two","session":"s"}' -H 'Mcp-Name: shell'
	grep -qi '^content-type: text/event-stream' head
	grep -qi '^x-accel-buffering: no' head
	[ -z "$(grep '^id:' <<<"$output")" ]
	[ "$(data | jq -r 'select(.method == "notifications/progress").params.progressToken' | sort -u)" = p ]
	[ "$(data | tail -n 1 | jq -r '.id, .result.resultType, .result._meta["cubby/cwd"]' | tr '\n' ' ')" = '1 complete /tmp ' ]
	accept=application/json
	mcp 1 tools/call '"name":"shell","arguments":{"command":"pwd","session":"s"}' -H 'Mcp-Name: shell'
	[[ $(jq -r '.result.content[0].text' <<<"$output") == /tmp$'\n'* ]]
	mcp 2 ping
	status '404 [2,-32601]'
	mcp 3 tools/list '' -H 'Mcp-Method: tools/call'
	status '400 [null,null]' # twice in the head
	mcp 4 tools/call '"name":"shell","arguments":{}' -H 'Mcp-Name: python'
	status '400 [4,-32020]'
	mcp 5 tools/list '' -H 'Origin: https://evil.example'
	grep -q '^HTTP/1.1 403' head
	serve_status POST /mcp 400 -H 'Content-Type: application/json' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list' \
		-d '{"jsonrpc":"2.0","id":6,"method":"tools/list"}'
	[ "$(jq .error.code "$LIB_PROJECT/serve.body")" = -32602 ]
	# a stream that is closed ends its command, and the next is not held up
	run -28 curl -sS -m 2 -H "Authorization: Bearer $SERVE_KEY" -H 'Content-Type: application/json' -H 'Accept: text/event-stream' \
		-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: shell' "$SERVE_URL/mcp" \
		-d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shell","arguments":{"command":"touch began; sleep 300; touch ended"},
			"_meta":{"'$own'/protocolVersion":"2026-07-28","'$own'/clientCapabilities":{}}}}'
	[ -e began ]
	accept=text/event-stream
	mcp 7 tools/call '"name":"shell","arguments":{"command":"echo $((40 + 2))"}' -H 'Mcp-Name: shell'
	[[ $(data | tail -n 1 | jq -r '.result.content[0].text') == *42* ]]
	[ ! -e ended ]
}

# bats test_tags=long
@test "serve: by TLS large bodies and WebSockets arrive whole" {
	command -v openssl >/dev/null || skip 'no openssl to make a certificate'
	local id
	serve_certificate
	serve_start --tls-cert s.pem --tls-key s.key
	head -c 8000000 /dev/urandom >big
	serve POST '/files/upload?directory=up' --cacert ca.pem -F file=@big
	cmp big up/big
	serve GET '/files/view?path=up/big' --cacert ca.pem -o back
	cmp big back
	serve POST '/execute?wait=60' --cacert ca.pem -H 'Content-Type: application/json' -d '{"command":"seq 100000"}'
	[ "$(jq -j '.output[].data' <<<"$output" | tr -d '\r' | md5sum)" = "$(seq 100000 | md5sum)" ]
	serve POST /api/terminals --cacert ca.pem
	id=$(jq -r .id <<<"$output")
	run -0 env PYTHONPATH="$CUBBY_TEST_TOP/tests/fake" python3 - "$SERVE_ADDR" "$SERVE_KEY" "$id" <<-'END' || { echo "$output"; return 1; }
		import hashlib, socket, ssl, sys
		import ws_client
		addr, key, id = sys.argv[1:]
		c = ssl.create_default_context(cafile="ca.pem")
		connect = socket.create_connection
		ws_client.socket.create_connection = lambda at: c.wrap_socket(connect(at), server_hostname="localhost")
		w = ws_client.WS(addr, f"/api/terminals/{id}")
		w.json(type="auth", token=key)
		w.send(b"stty -icanon -echo; echo ready$((1+1)); head -c 1000000 | md5sum\n")
		w.until("ready2")
		data = b"".join(b"%d line\n" % i for i in range(120000))[:1000000]
		w.send(data)
		w.until(hashlib.md5(data).hexdigest())
	END
}

# bats test_tags=long
@test "serve: by HTTP/2 commands, files, ports and streams are what they are by HTTP/1.1" {
	command -v openssl >/dev/null || skip 'no openssl to make a certificate'
	curl --version | grep -q HTTP2 || skip 'this curl does not speak HTTP/2'
	local two=(--cacert ca.pem --http2) i
	serve_certificate
	serve_start --tls-cert s.pem --tls-key s.key
	serve GET /health "${two[@]}" -o out -w '%{http_version}'
	[ "$output" = 2 ] || skip 'built or run without libnghttp2'
	head -c 8000000 /dev/urandom >big
	serve POST '/files/upload?directory=up' "${two[@]}" -F file=@big
	cmp big up/big
	# many large ones at once, over one connection
	for i in {1..8}; do printf 'url=%s\noutput=back%s\n' "$SERVE_URL/files/view?path=up/big" "$i"; done >list
	run -0 curl -sS -m 60 "${two[@]}" -H "Authorization: Bearer $SERVE_KEY" --parallel --parallel-max 8 -K list
	for i in {1..8}; do cmp big "back$i"; done
	execute 'seq 100000' "${two[@]}"
	[ "$(md5sum <<<"$text")" = "$(seq 100000 | md5sum)" ]
	execute 'exit 3' "${two[@]}"
	[ "$code" = 3 ]
	port_server "${two[@]}"
	for i in 'Content-Length: 5' 'Content-Length:'; do # known, and not known before its end
		run -0 curl -sS -D head -m 20 "${two[@]}" -X PUT -H "Authorization: Bearer $SERVE_KEY" -H 'X-User-Id: u' -H "$i" \
			-H 'Cookie: a=b' -T - "$SERVE_URL/proxy/8080/a%2Fb?x=%20y" <<<hell
		grep -q '^HTTP/2 203' head
		grep -qi '^x-from: box' head
		! grep -qi '^transfer-encoding\|^connection' head
		[ "$(head -n 1 <<<"$output" | tr -d '\r')" = 'PUT /a%2Fb?x=%20y HTTP/1.1' ]
		[[ $output == *'Host: localhost:8080'* && $output == *'cookie: a=b'* ]]
		[ -z "$(grep -i "authorization\|$SERVE_KEY\|x-user-id" <<<"$output")" ]
	done
	# names and values that HTTP/2 does not have, and more than an answer
	serve_json POST /execute '{"command":"perl -MIO::Socket::INET -e \"our \\$s=IO::Socket::INET->new(LocalPort=>8090,Listen=>9);mkdir q(listens);while(\\$c=\\$s->accept){sysread \\$c,\\$r,65536;open F,q(<answer);local \\$/;print \\$c <F>;close F;close \\$c}\""}' "${two[@]}"
	lib_until test -e listens
	for i in ':status: 500\r\nX: EVIL' 'X: \1EVIL' 'X: \177EVIL' 'X\303\244: EVIL' 'X Y: EVIL' 'X\r: EVIL' ' X: EVIL' 'X: a\rSet-Cookie: EVIL' 'X' \
		'Content-Length: 0\r\nTransfer-Encoding: chunked\r\nX: EVIL'; do
		printf "HTTP/1.1 200 OK\r\n$i\r\n\r\n" >answer
		run -0 curl -sS -m 20 -D head "${two[@]}" -H "Authorization: Bearer $SERVE_KEY" "$SERVE_URL/proxy/8090/"
		grep -q '^HTTP/2 502' head || { echo "$i"; cat head; return 1; }
		[ -z "$(grep EVIL head)" ]
	done
	printf 'HTTP/1.1 200 OK\r\nX-GOOD: a\tb\r\nX-Hop: c\r\nConnection: keep-alive, x-hop\r\nKeep-Alive: timeout=5\r\nUpgrade: h2c\r\nContent-Length: 3 \r\n\r\nallHTTP/1.1 200 EVIL\r\n\r\n' >answer
	run -0 curl -sS -m 20 -D head "${two[@]}" -H "Authorization: Bearer $SERVE_KEY" "$SERVE_URL/proxy/8090/"
	[ "$output" = all ]
	[ "$(tr -d '\r' <head)" = $'HTTP/2 200 \nx-good: a\tb\ncontent-length: 3' ]
	# an answer that ends with its connection, to a client that takes its time: whole, and no processor spins
	run -0 python3 - "${SERVE_URL##*:}" "$SERVE_KEY" "$CUBBY_TEST_TOP/tests/fake/frames_hostile" "$SERVE_PID" <<-'END' || { echo "$output"; return 1; }
		import sys, time
		pid = sys.argv[4]
		sys.argv = ["", sys.argv[1], "ca.pem", sys.argv[2], sys.argv[3]]
		exec(open(sys.argv[4]).read().rsplit("\nmain()", 1)[0])
		def spent():
		    return sum(map(int, open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[11:13]))
		c = Conn(settings=struct.pack(">HI", 4, 40000))
		c.frame(WINDOW, 0, 0, struct.pack(">I", 1 << 20))
		c.ask(1, "GET", "/proxy/8080/large")
		c.until(lambda k, fl, i, b: k == DATA)
		time.sleep(1)
		c.frame(WINDOW, 0, 1, struct.pack(">I", 240000)) # the rest is in sockets now, and their other end goes
		time.sleep(1)
		before = spent()
		time.sleep(4)
		assert spent() - before < 50, (before, spent())
		c.frame(WINDOW, 0, 1, struct.pack(">I", 1 << 20))
		c.until(lambda k, fl, i, b: k in (RST, GOAWAY) or fl & END_STREAM)
		body = b"".join(b for k, fl, i, b in c.frames if k == DATA)
		assert len(body) == 400000, len(body)
	END
	# a call of a tool by MCP is a stream of events
	serve POST /mcp "${two[@]}" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -D head \
		-d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
	serve POST /mcp "${two[@]}" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
		-H "$(grep -i '^mcp-session-id' head | tr -d '\r')" \
		-d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shell","arguments":{"command":"echo fro\"m\"-h2"}}}'
	[[ $output == *from-h2* ]]
}

# bats test_tags=long
@test "serve: an archive of files and directories" {
	serve_start
	mkdir -p d/e
	echo one >d/a
	head -c 200000 /dev/urandom >'d/e/b c'
	ln -s /etc/passwd d/link
	ln -s . d/loop
	serve POST /files/archive -H 'Content-Type: application/json' -d '{"paths":["d"]}' -D head -o x.zip
	grep -qi '^content-disposition: attachment; filename="d.zip"' head
	python3 - <<-'END'
		import zipfile
		z = zipfile.ZipFile("x.zip")
		assert z.testzip() is None
		assert z.namelist() == ["d/", "d/a", "d/e/", "d/e/b c"], z.namelist()
		assert z.read("d/e/b c") == open("d/e/b c", "rb").read()
	END
	mkdir many
	touch many/{1..300}
	serve POST /files/archive -H 'Content-Type: application/json' -d "$(jq -nc '{paths: [range(1; 301) | "many/\(.)"]}')" -o y.zip
	[ "$(python3 -m zipfile -l y.zip | wc -l)" = 301 ]
	# names that are no UTF-8 do not spoil the others
	mkdir odd
	touch odd/$'bad\xff' odd/$'a\nb' 'odd/k\u00e4se'
	touch odd/$'\u00e4'
	serve POST /files/archive -H 'Content-Type: application/json' -d '{"paths":["odd"]}' -o odd.zip
	python3 -c 'import zipfile; z = zipfile.ZipFile("odd.zip"); assert len(z.namelist()) == 5 and "odd/\u00e4" in z.namelist() and "odd/a\nb" in z.namelist(), z.namelist()'
	# what is too much is said before anything is sent, and before it is read
	truncate -s 3G d/large odd/large
	serve_status POST /files/archive 413 -H 'Content-Type: application/json' -d '{"paths":["d","odd"]}'
	[ "$(cat serve.body)" = '{"detail":"too much for one archive: 4 GiB and 65000 files are the most"}' ]
	truncate -s 1T d/large
	serve_status POST /files/archive 413 -H 'Content-Type: application/json' -d '{"paths":["d"]}'
	(cd many && seq 300 65001 | xargs touch)
	serve_status POST /files/archive 413 -H 'Content-Type: application/json' -d '{"paths":["many"]}'
	serve_status POST /files/archive 404 -H 'Content-Type: application/json' -d '{"paths":["d","none"]}'
	serve_status POST /files/archive 400 -H 'Content-Type: application/json' -d '{"paths":[]}'
}
