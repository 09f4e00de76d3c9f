# docs/schemas says what --json prints, and docs/json.md with it: what each command prints fits its schema.
load ../lib
load model

setup_file() {
	lib_env
	lib_image
	make -s -C "$CUBBY_TEST_TOP" cli-build
}
teardown() {
	model_done
	[ -z "${REGISTRY-}" ] || kill "$REGISTRY"
}

# Each value of $output fits docs/schemas/NAME.json, in which members that are not named are none here.
as_documented() { # NAME
	[ -e "$CUBBY_TEST_TOP/docs/schemas/$1.json" ] || { echo "docs/schemas has nothing of '$1'"; return 1; }
	jq 'walk(if type == "object" and (.properties | type) == "object" then .additionalProperties = false else . end)' \
		"$CUBBY_TEST_TOP/docs/schemas/$1.json" >"$BATS_TEST_TMPDIR/closed.json"
	jq -c . <<<"$output" | "$CUBBY_TEST_TOP/build/release/tests/cli/fits" "$BATS_TEST_TMPDIR/closed.json" ||
		{ echo "of '$1'"; return 1; }
}

# bats test_tags=long
@test "json: every list and description is as docs/json.md says" {
	local pid
	pid=$(cubby exec -q -d -v kept:/s -- sh -c 'echo said; exec sleep 1234')
	run -0 cubby ports --publish 0:8123 --json 2>/dev/null
	local command
	until [ "$(cubby logs)" = said ]; do read -rt 0.02 <> <(:) || true; done
	for command in ls ps top volumes images ports net config stats logs; do
		run -0 --separate-stderr cubby $command --json
		as_documented $command
	done
	run --separate-stderr cubby doctor --json
	as_documented doctor
	run -0 --separate-stderr cubby kill -s CONT "$pid" --json
	as_documented kill
	run -0 --separate-stderr cubby exec --detach --json -- true
	as_documented exec-detach
	run -0 --separate-stderr cubby wait --json "$(jq .pid <<<"$output")"
	as_documented wait
	run -0 --separate-stderr cubby info --json
	as_documented info
	cubby set -q pids=99
	run -0 --separate-stderr cubby set --json
	as_documented set
	run -0 --separate-stderr cubby stop --json
	as_documented stop
	run -0 --separate-stderr cubby info --json
	as_documented info
	for command in snapshot snapshots "restore 1" "branch b"; do
		run -0 --separate-stderr cubby $command --json
		as_documented "${command% *}"
	done
	cubby exec -q --project review -- sh -c 'echo a >a; echo b >Makefile'
	cubby checkpoint -q c
	run -0 --separate-stderr cubby diff --json
	as_documented diff
	cubby exec -q --project review -- sh -c 'echo b >a'
	run -0 --separate-stderr cubby diff --since c --json
	as_documented diff
	run -0 --separate-stderr cubby apply --json
	as_documented apply
	[ "$(jq -c '[.review[] | [.path, .chosen]]' <<<"$output")" = '[["/Makefile",true],["/a",true]]' ]
	run -0 --separate-stderr cubby checkpoint --json d
	as_documented checkpoint
	run -0 --separate-stderr cubby rewind --list --json
	as_documented rewind
	run -0 --separate-stderr cubby commit --json made
	as_documented commit
	run -0 --separate-stderr cubby save made oci:lay
	mkdir .cubby
	echo '{"services": {"a": {"run": "exec sleep 100"}}}' >.cubby/box.json
	for command in "agree --yes" up down; do
		run -0 --separate-stderr cubby $command --json
		as_documented "${command% *}"
	done
	run -0 --separate-stderr cubby rm --yes --json
	as_documented rm
	run -0 --separate-stderr cubby pull --json oci:lay
	as_documented pull
	run -0 --separate-stderr cubby rmi --json made lay
	as_documented rmi
	mkdir gone
	cubby exec -q -C gone --here -- true
	cubby stop -q gone
	rmdir gone
	run -0 --separate-stderr cubby prune --json --yes
	as_documented prune
	run -1 --separate-stderr cubby rmi --json nosuch
	output=$stderr
	as_documented error
	[ "$(jq -r '.error | "\(.code | type) \(.message | type) \(.status)"' <<<"$output")" = "string string 1" ]
}

# bats test_tags=long
@test "json: tasks, models and what the network log has are as docs/json.md says" {
	model <<-END
	{"config":{"models":["gpt-5.1","odd"],"cards":{"odd":{"context_length":9000}}}}
	$(call "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(PeerAddr => q(10.1.2.3), PeerPort => 80); gethostbyname q(no.invalid)'")
	$(finish done)
	END
	task_net -q "look"
	run -0 --separate-stderr cubby log --json
	as_documented log
	[ "$(jq -r '.[0].end' <<<"$output")" = "done" ]
	run -0 --separate-stderr cubby log --net --json
	[ "$(jq -rs 'map(select(.address == "10.1.2.3")) | length' <<<"$output")" -ge 1 ]
	as_documented log-net
	run -0 --separate-stderr cubby models --json
	as_documented models
	run -0 --separate-stderr cubby models --known --json
	as_documented models-known
	jq -e 'map(select(.model == "odd" and .from == "service")) | length == 1' <<<"$output"
	model <<-END
	$(call "echo said; echo one >one; mkdir two; echo all: >Makefile; cd two; false")
	{"text":"word"}
	$(finish done)
	END
	run --separate-stderr task --json "make it"
	as_documented run
	[ "$(jq -r .event <<<"$output" | sort -u | tr '\n' ' ')" = "call end output result round start turn words " ]
	output=$(jq -c 'select(.review)' <<<"$stderr")
	as_documented apply
	model <<-END
	$(finish done)
	END
	run -0 --separate-stderr task --json --detach "go"
	as_documented run-detach
	until [ "$(cubby log --json | jq -r '.[0].end')" = "done" ]; do read -rt 0.05 <> <(:) || true; done
	cubby stop -q
	cubby rm -q --yes --force
}

# bats test_tags=long
@test "json: push and snapshots --remove are as docs/json.md says" {
	local at
	mkdir -p l/etc
	echo one >l/etc/one
	tar --owner 0 --group 0 -C l -cf one.tar etc
	"$CUBBY_TEST_TOP/tests/mklayout" layout 1 one.tar
	"$CUBBY_TEST_TOP/tests/fake/registry" layout ready >requests 3>&- &
	REGISTRY=$!
	until [ -e ready ]; do kill -0 $REGISTRY; read -rt 0.02 <> <(:) || true; done
	at=127.0.0.1:$(cat ready)
	cubby exec -q -- touch /root/one
	cubby commit -q pushed
	run -0 --separate-stderr cubby push --json pushed "$at/new/y:1"
	as_documented push
	cubby rmi -q pushed
	cubby snapshot -q s
	run -0 --separate-stderr cubby snapshots --json --remove s
	[ -z "$output" ]
	cubby rm -q --yes
}

@test "json: a repository under review, init and what acts are as docs/json.md says" {
	git init -q .
	git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first
	cubby exec -q --project review -- sh -c 'cp .git/refs/heads/* .git/refs/heads/other; echo x >x'
	run -0 --separate-stderr cubby diff --json
	as_documented diff
	[ "$(jq -c '[.[] | select(.kind == "git") | .objects]' <<<"$output")" = "[0]" ]
	run -0 --separate-stderr cubby apply --json
	as_documented apply
	run -0 --separate-stderr cubby init --json
	as_documented init
	run -0 --separate-stderr cubby exec --json --project live -- sh -c 'echo x >.envrc'
	output=$stderr
	as_documented acting
	cubby rm -q --yes
}
