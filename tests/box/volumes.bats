# What a box sees beside its project: --volume, --cache, "mounts" and "caches".
load ../lib

setup() {
	lib_project
	OUT=$(mktemp -d "$HOME/o.XXXXXX")
	echo said >"$OUT/file"
}

@test "volumes: a directory and a file of the host are read-only, until :rw" {
	run -0 --separate-stderr cubby exec -v "$OUT:/lib2" -v "$OUT/file:/etc/one" -- \
		sh -c 'cat /lib2/file /etc/one; touch /lib2/x || touch /etc/one || echo no'
	[ "$output" = $'said\nsaid\nno' ]
	run -0 --separate-stderr cubby exec --volume "$OUT:/lib2:rw" -- sh -c 'echo more >>/lib2/file'
	[ "$(cat "$OUT/file")" = $'said\nmore' ]
	[ "$(stat -c %u "$OUT/file")" = "$(id -u)" ]
	run -0 cubby exec -- sh -c 'ls /lib2/file 2>&1 || true'
	[[ $output == *"No such file"* ]]
}

@test "volumes: a part of the project in another place is the box's view of it" {
	mkdir src
	echo a >src/a
	run -0 cubby exec -v ./src:/app -- sh -c 'cat /app/a; echo b >/app/b'
	[ "$(cat src/b)" = b ]
	run -0 cubby exec --project review -v ./src:/app -- sh -c 'echo c >/app/c; ls src'
	[ ! -e src/c ]
	[[ $output == *c* ]]
	run -0 --separate-stderr cubby exec --project ro -v ./src:/app:rw -- sh -c 'touch /app/d || echo no'
	[ "$output" = no ]
}

@test "volumes: a name is a directory that boxes share" {
	mkdir one two
	cubby exec -q --here -C one -v shared:/s -- sh -c 'echo here >/s/f; chown 0:0 /s/f'
	run -0 --separate-stderr cubby exec --here -C two -v shared:/s:ro -- sh -c 'cat /s/f; touch /s/x || echo no'
	[ "$output" = $'here\nno' ]
	cubby exec -q --here -C one --cache pip -- touch /root/.cache/pip/wheel
	run -0 cubby exec -q --here -C two --cache pip -- ls /root/.cache/pip
	[ "$output" = wheel ]
	run -125 --separate-stderr cubby exec --cache unheard -- true
	[[ $stderr == *"--cache: 'unheard' is not known; "* ]]
}

@test "volumes: set keeps one by its real path; info and config show it" {
	cd "$OUT"
	ln -s "$OUT" "$HOME/link-$BATS_TEST_NUMBER"
	cubby set -C "$LIB_PROJECT" "volume=../link-$BATS_TEST_NUMBER:/lib2/"
	run -0 --separate-stderr cubby exec -C "$LIB_PROJECT" -- cat /lib2/file
	[ "$output" = said ]
	[ "$(cubby info -C "$LIB_PROJECT" --json | jq -c '.volumes[0] | [.source, .target, .writable]')" = "[\"$OUT\",\"/lib2\",false]" ]
	run -0 cubby info -C "$LIB_PROJECT"
	[[ $output == *"$OUT on /lib2, read-only"* ]]
}

@test "volumes: a running box that has not got one says so" {
	cubby exec -q --keep -- true
	cubby exec -q -- sleep 100 3>&- &
	until cubby ps | grep -q sleep; do read -rt 0.02 <> <(:) || true; done
	run -125 --separate-stderr cubby exec -v "$OUT:/x" -- true
	[[ $stderr == *"the box runs already, without this --volume"* ]]
	cubby stop -q
	wait
}

@test "volumes: what cannot be is refused in one line, before anything is made" {
	local v
	for v in "$OUT/none:/x" "$OUT:/proc/x" "$OUT:/tmp" "$OUT:/" "$OUT:/a/../b" "$OUT:x" "$OUT:$PWD" \
		"$OUT:$PWD/in" ".:/x" "b@d:/x" "$OUT/sock:/x"; do
		[[ $v != */sock:* ]] || python3 -c 'import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$OUT/sock"
		run --separate-stderr cubby exec --volume "$v" -- true
		echo "$v: $status $stderr"
		((status == 125))
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
	run -125 --separate-stderr cubby exec -v "$OUT:/x" -v "$OUT:/x/y" -- true
	[[ $stderr == *"hide each other"* ]]
}

@test "volumes: what a project wants is shown, agreed to, and holds for that text" {
	mkdir .cubby
	echo "{\"mounts\": [\"$OUT:/lib2\"], \"caches\": [\"npm\"]}" >.cubby/box.json
	run -0 --separate-stderr cubby exec -- sh -c 'ls /lib2 2>/dev/null || echo none'
	[ "$output" = none ]
	[[ $stderr == *"until 'cubby agree' permits it"* ]]
	run "$CUBBY_TEST_TOP/tests/on-tty" -a "cubby agree" <<<yes
	[[ $output == *'caches: ["npm"]'*"mounts: [\"$OUT:/lib2\"]"* ]]
	run -0 --separate-stderr cubby exec -- sh -c 'cat /lib2/file; ls -d /root/.npm'
	[ "$output" = $'said\n/root/.npm' ]
	cubby rm -q
	echo '{"caches": ["unheard"]}' >.cubby/box.json
	run -125 --separate-stderr cubby exec -- true
	[[ $stderr == *"'caches': no cache is known for 'unheard'"* ]]
}

@test "volumes: -v alone is --verbose, also in front of a word with a colon" {
	run -0 --separate-stderr cubby exec -v echo a:/b
	[ "$output" = a:/b ]
	run -0 --separate-stderr cubby -v exec -- echo https://a
	[ "$output" = https://a ]
	run -0 --separate-stderr cubby exec echo -v "$OUT:/x"
	[ "$output" = "-v $OUT:/x" ]
	run -125 --separate-stderr cubby exec -v "$OUT:x" -- true
	[ "$stderr" = "cubby exec: -v: bad volume '$OUT:x': it is SOURCE:/TARGET, :ro or :rw may follow" ]
}

@test "volumes: they are listed, and removed when no box uses them" {
	cubby exec -q -v "mine-$BATS_TEST_NUMBER:/s" -- sh -c 'mkdir -m 700 /s/d; echo x >/s/d/f; chown -R 1:1 /s/d 2>/dev/null; true'
	run -0 cubby volumes --json
	[ "$(jq -r --arg n "mine-$BATS_TEST_NUMBER" '[.[] | select(.name == $n)] | length' <<<"$output")" = 1 ]
	cubby exec -q --keep -v "mine-$BATS_TEST_NUMBER:/s" -- true
	run -1 --separate-stderr cubby volumes --remove "mine-$BATS_TEST_NUMBER"
	[[ $stderr == *"uses the volume 'mine-$BATS_TEST_NUMBER'; 'cubby stop' ends it" ]]
	cubby stop -q
	run -0 cubby volumes --remove "mine-$BATS_TEST_NUMBER"
	[ ! -e "$XDG_DATA_HOME/cubby/volumes/mine-$BATS_TEST_NUMBER" ]
	run -1 --separate-stderr cubby volumes --remove nothing
	[ "$stderr" = "cubby volumes: there is no volume 'nothing'; 'cubby volumes' lists them" ]
	run -2 cubby volumes --remove ../boxes
	# a cache by the word of --cache
	cubby exec -q --cache ccache -- true
	cubby stop -q
	cubby rm -q -y
	run -0 --separate-stderr cubby volumes --remove ccache
	[ "$stderr" = "cubby: the volume 'cache-ccache' is removed" ]
}
