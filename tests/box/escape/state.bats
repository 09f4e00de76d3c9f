# shellcheck disable=SC2016,SC2154 # programs in single quotes; stderr is set by run
# What is kept between runs, what an image calls itself, and what a box leaves in the way of
# the caller: K29, K32, K33, K45.
load ../../lib
load escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }

teardown() {
	[ -z "${keeper-}" ] || kill "$keeper" 2>/dev/null || true
}

@test "K29: links where the next start writes its files are replaced, not followed" {
	chmod 711 "$LIB_DIR" "$ESCAPE_HOST" # whoever box root is on the host gets that far
	chmod 777 "$ESCAPE_HOST/victim"
	chmod 666 "$ESCAPE_HOST/victim/file"
	before=$(escape_snapshot)
	for target in "$ESCAPE_HOST/victim/file" "../../../../../../..$ESCAPE_HOST/victim/file" \
		"$ESCAPE_HOST/victim/new"; do
		cubby exec -- sh -c 'for f in resolv.conf hostname hosts; do
			ln -sf "$1" /etc/$f; done
			ln -sfn "$1" /workspace' sh "$target"
		cubby stop -q 2>/dev/null || true # the next command may meet the box in its last moment
		run -0 cubby exec -- sh -c 'cd /etc && stat -c "%n %F" resolv.conf hostname hosts
			cat hostname; grep -c localhost hosts; readlink /workspace'
		[ "${lines[0]}" = "resolv.conf regular file" ]
		[ "${lines[1]}" = "hostname regular file" ]
		[ "${lines[2]}" = "hosts regular file" ]
		[ "${lines[4]}" -gt 0 ]
		[ "${lines[5]}" = "$LIB_PROJECT" ]
		[ "$before" = "$(escape_snapshot)" ]
	done
	# The directory that they lie in.
	cubby exec -- sh -c 'mv /etc /etc2; ln -s "$1" /etc' sh "$ESCAPE_HOST/victim"
	cubby stop -q 2>/dev/null || true
	cubby exec -- true || true
	[ "$before" = "$(escape_snapshot)" ]
	cubby rm -q
}

@test "K29: what else may lie where the next start writes its files" {
	chmod 711 "$LIB_DIR" "$ESCAPE_HOST"
	before=$(escape_snapshot)
	# /etc is one of the box's own now: what is in the image may not be a link's second name.
	cubby exec -- sh -c 'cp /etc/services /etc/outside 2>/dev/null || echo x >/etc/outside
		chmod 600 /etc/outside; cp /etc/outside /etc/copy'
	for kind in fifo unreadable huge link directory; do
		cubby exec -- sh -c 'cd /etc && for f in resolv.conf hostname hosts; do
			rm -f "$f"
			case $1 in
			fifo) mkfifo "$f" ;;
			unreadable) echo other >"$f"; chmod 0 "$f" ;;
			huge) truncate -s 1G "$f" ;;
			link) ln outside "$f" ;;
			directory) mkdir "$f" ;;
			esac
		done' sh $kind
		cubby stop -q 2>/dev/null || true
		run -0 timeout 60 cubby exec -- sh -c 'cd /etc && stat -c "%n %F" resolv.conf hostname hosts
			cat hostname resolv.conf; cmp outside copy'
		[ "${lines[0]}" = "resolv.conf regular file" ]
		[ "${lines[1]}" = "hostname regular file" ]
		[ "${lines[2]}" = "hosts regular file" ]
		[[ $output == *"nameserver 198.18.0.1" ]]
		[ "$before" = "$(escape_snapshot)" ]
	done
	# A directory with something in it is not ours to remove: the start says so.
	cubby exec -- sh -c 'rm /etc/resolv.conf; mkdir /etc/resolv.conf; echo mine >/etc/resolv.conf/file'
	cubby stop -q 2>/dev/null || true
	run -125 --separate-stderr timeout 60 cubby exec -- true
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"'/etc/resolv.conf' of the box is a directory"*"--wipe"* ]]
	run -0 cubby exec --wipe -- grep nameserver /etc/resolv.conf
	[ "$before" = "$(escape_snapshot)" ]
	cubby rm -q
}

@test "K29: a file that the host made immutable stays, and the start says so" {
	[ "$(id -u)" = 0 ] || skip "only root of the host can make a file immutable"
	cubby exec -- sh -c 'echo mine >/etc/hosts; echo mine >/etc/resolv.conf'
	cubby stop -q 2>/dev/null || true
	etc=$(dirname "$(find "$XDG_DATA_HOME/cubby/boxes" -path '*/upper/etc/hosts')")
	chattr +i "$etc/hosts" "$etc/resolv.conf" || skip "this file system has no immutable files"
	run --separate-stderr timeout 60 cubby exec -- true
	chattr -i "$etc/resolv.conf"
	[ "$status" -eq 125 ] || { chattr -i "$etc/hosts"; false; }
	[[ $stderr == *"/etc/resolv.conf of the box: cannot write"* ]] || { chattr -i "$etc/hosts"; false; }
	run timeout 60 cubby exec -- cat /etc/hosts
	chattr -i "$etc/hosts"
	[ "$status" -eq 0 ]
	[ "$output" = mine ]
	cubby rm -q
}

@test "K29: a link where a transcript is to be saved is not followed" {
	cat >"$LIB_DIR/plant.jsonl" <<-'END'
	{"type":"task","task":"say hello"}
	{"type":"response","message":{"role":"assistant","content":"hello"}}
	END
	before=$(escape_snapshot)
	cubby exec -- sh -c 'ln -s "$1/file" cubby-transcript.jsonl; ln -s "$1" logs
		mkfifo pipe' sh "$ESCAPE_HOST/victim"
	for name in '' =logs/file =logs/new =pipe "=$LIB_PROJECT/cubby-transcript.jsonl"; do
		run -2 --separate-stderr timeout "$(lib_longer 60)" cubby "--save-transcript$name" \
			--replay "$LIB_DIR/plant.jsonl"
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *"--save-transcript: "* ]]
		[ "$before" = "$(escape_snapshot)" ]
	done
	cubby -q --save-transcript=plain.jsonl --replay "$LIB_DIR/plant.jsonl"
	grep -q hello plain.jsonl
}

@test "K45: a file that the caller names is not reached through a link that a box made" {
	local before name
	cat >"$LIB_DIR/plant.jsonl" <<-'END'
	{"type":"task","task":"say hello"}
	{"type":"response","message":{"role":"assistant","content":"hello"}}
	END
	echo secret >"$ESCAPE_HOST/secret"
	echo 'print(1)' >"$ESCAPE_HOST/code.py"
	mkdir "$ESCAPE_HOST/empty"
	before=$(escape_snapshot)
	cubby exec -- sh -c 'ln -s "$1" sub; ln -s sub again; ln -s "$1/secret" f; mkdir real
		ln -s real inside; echo from the box >/root/x' sh "$ESCAPE_HOST"
	cubby --replay "$LIB_DIR/plant.jsonl" -q
	refused() { # COMMAND...
		echo "$*" >&2
		run --separate-stderr timeout "$(lib_longer 60)" "$@"
		[ "$status" -ne 0 ]
		[[ $stderr == *"leads by a link out of a directory that a box can write; name the place that you mean"* ]]
		[ "$before" = "$(escape_snapshot)" ]
	}
	for name in sub/new again/new "$PWD/sub/new" real/../sub/new sub f; do
		refused cubby cp :/root/x "$name"
	done
	for name in sub/secret f "$PWD/f"; do
		refused cubby cp "$name" :/root/copy
		refused cubby run --attach "$name" --replay "$LIB_DIR/plant.jsonl"
	done
	for name in sub again sub/empty/.. "$PWD/sub/"; do # a whole directory
		refused cubby cp "$name" :/root/copy
	done
	# What has such links in it is copied with them, as links.
	cubby cp . :/root/all
	run -0 cubby exec -- sh -c 'cd /root/all && readlink sub f && find . -name secret -o -name code.py'
	[ "$output" = "$ESCAPE_HOST"$'\n'"$ESCAPE_HOST/secret" ] || { echo "$output"; return 1; }
	refused cubby run --schema sub/secret --replay "$LIB_DIR/plant.jsonl"
	refused cubby python sub/code.py
	refused cubby exec --env-file sub/secret -- true
	refused cubby exec --env-file "$PWD/f" -- true
	refused cubby log --html sub/new.html
	refused cubby log --html "$PWD/sub/new.html"
	refused cubby apply --to sub
	refused cubby save test oci:sub/new
	refused cubby save test oci:sub/empty
	refused cubby save test oci-archive:sub/new.tar
	ln -s "$LIB_PROJECT" "$LIB_DIR/way"
	refused cubby cp :/root/x "$LIB_DIR/way/sub/new"
	ln -s "$LIB_PROJECT/sub" "$LIB_DIR/farther"
	refused cubby cp :/root/x "$LIB_DIR/farther/new"
	# What stays in the directory, and the caller's own links elsewhere, lead where they lead.
	cubby cp :/root/x inside/new
	[ "$(cat real/new)" = "from the box" ]
	cubby cp inside/new :/root/copy
	mkdir "$LIB_DIR/mine"
	ln -s mine "$LIB_DIR/own"
	cubby cp :/root/x "$LIB_DIR/own/new"
	(cd real && cubby cp :/root/x ../../up && cubby cp :/root/x ../here)
	[ "$(cat "$LIB_DIR/mine/new" ../up here)" = "$(printf 'from the box\n%.0s' 1 2 3)" ]
	cubby log --html "$LIB_DIR/own/page.html"
	# A directory that was renamed is still that of its box.
	[ -n "$(jq -r '.mark // empty' "$XDG_DATA_HOME"/cubby/boxes/*/box.json)" ] || return 0
	mkdir was
	cubby exec --here -C was -- sh -c 'ln -s "$1" sub; echo from the box >/root/x' sh "$ESCAPE_HOST"
	cubby stop -q -C was || true
	mv was is
	refused cubby cp :/root/x is/sub/new
	mkdir "$LIB_DIR/out"
	mv is "$LIB_DIR/out/"
	refused cubby cp :/root/x "$LIB_DIR/out/is/sub/new"
	cd "$LIB_DIR/out/is"
	refused cubby cp :/root/x sub/new
	refused cubby cp sub/secret :/root/y
	cd "$LIB_PROJECT"
	cubby rm -q -C "$LIB_DIR/out/is"
}

# What a command says that a link may not lead there.
LEADS="leads by a link out of a directory that a box can write; name the place that you mean"

@test "K45: nor a directory, an image, a server's file or socket" {
	local before name
	mkdir -p "$ESCAPE_HOST/other" "$LIB_DIR/mine2"
	echo key-of-twenty-letters >"$ESCAPE_HOST/other/key"
	echo SECRET=of-the-host >"$ESCAPE_HOST/other/env"
	echo '{"type":"task","task":"x"}' >"$ESCAPE_HOST/other/replay"
	dir=$(escape_image k45)
	tar -C "$dir" -cf "$ESCAPE_HOST/other/root.tar" .
	mv "$dir" "$ESCAPE_HOST/other/root"
	before=$(escape_snapshot)
	cubby exec -- sh -c 'ln -s "$1/other" way; for f in key env replay root root.tar; do
		ln -s "$1/other/$f" "$f"; done; mkdir real; ln -s real inside' sh "$ESCAPE_HOST"
	refused() { # COMMAND...
		echo "$*" >&2
		run --separate-stderr timeout "$(lib_longer 60)" "$@"
		echo "$status: $output $stderr" >&2
		[ "$status" -ne 0 ]
		[[ $stderr == *"$LEADS"* ]]
		[ "$before" = "$(escape_snapshot)" ]
	}
	for name in way "$PWD/way" way/../way; do
		refused cubby exec -C "$name" -- touch made
		refused cubby info -C "$name"
		refused cubby init -C "$name"
		refused cubby stop "$name"
		refused cubby mv "$LIB_PROJECT" "$name"
	done
	refused cubby exec --env-file env -- env
	refused cubby exec --env-file way/env -- env
	refused cubby run --replay replay
	for name in ./root ./root.tar way/root way/root.tar "$PWD/root"; do
		refused cubby pull "$name"
		refused cubby exec --name new --image "$name" -- true
	done
	refused cubby serve --listen 127.0.0.1:0 --key-file key
	refused cubby serve --listen 127.0.0.1:0 --key-file way/key
	refused cubby serve --listen 127.0.0.1:0 --keys key
	refused cubby serve --listen 127.0.0.1:0 --info key
	refused cubby serve --listen 127.0.0.1:0 --tls-cert way/key --tls-key way/key
	refused cubby serve --listen 127.0.0.1:0 --boxes way
	refused cubby serve --listen 127.0.0.1:0 --boxes way --policies key
	refused cubby serve --listen "unix:$PWD/way/socket"
	# From beside it, where another box's links are as little the caller's.
	cd "$LIB_DIR/mine2"
	refused cubby exec --rm --volume "$LIB_PROJECT/way:/x" -- true
	refused cubby exec --rm --volume "$LIB_PROJECT/way:/x:rw" -- true
	refused cubby exec -C "$LIB_PROJECT/way" -- true
	cd "$LIB_PROJECT"
	# What stays in it leads where it leads.
	run -0 cubby exec -C inside -- pwd
	[ "$output" = "$LIB_PROJECT/real" ]
	ln -s "$LIB_PROJECT" "$LIB_DIR/own2"
	run -0 cubby exec -C "$LIB_DIR/own2" -- pwd
	[ "$output" = "$LIB_PROJECT" ]
}

# The command lines of the host that hold WORD, but for the one of the client.
others_with() { # WORD CLIENT
	local pid
	for pid in $(pgrep -f -- "$1"); do
		[ "$pid" = "$2" ] || { tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null || true
	done
}

@test "K32: names and words of an image never reach a command line of the host" {
	dir=$(escape_image k32)
	mark="k32mark$$"
	cat >"$dir/etc/os-release" <<-END
	NAME="\$(touch $LIB_PROJECT/ran)"
	ID=\`touch $LIB_PROJECT/ran\` $mark
	END
	echo "PATH=$LIB_PROJECT/evil LD_PRELOAD=$mark.so CUBBY_MODEL=$mark" >"$dir/etc/environment"
	cp "$dir/etc/passwd" passwd
	echo "evil:x:0:0:\$(touch $LIB_PROJECT/ran):/$mark:/bin/sh" >>"$dir/etc/passwd"
	before=$(escape_snapshot)
	for name in "\$(touch $LIB_PROJECT/ran) $mark" "\`touch ran\`$mark" "a;touch ran;$mark" \
		"--help$mark" "-n$mark" "../../$mark" "/$mark" "a b $mark" $'new\nline'"$mark" \
		"$mark|touch ran" "$mark%s%n"; do
		# A name is kept as it is, or refused; nothing of it is run.
		run --separate-stderr cubby pull -q "--name=$name" "$dir"
		[[ $status -eq 0 || ( $status -eq 1 && ${#stderr_lines[@]} -eq 1 ) ||
			$status -eq 2 ]] || { echo "'$name': $status $stderr"; return 1; }
		[ ! -e ran ]
		[ "$status" -eq 0 ] || continue
		cubby exec -q "--image=$name" -- sleep 1000 >sleeper.out 2>&1 3>&- &
		keeper=$!
		until cubby ps >/dev/null 2>&1; do
			kill -0 "$keeper" || { cat sleeper.out; return 1; }
			read -rt 0.02 <> <(:) || true
		done
		pgrep -f "$mark" | grep -qx "$keeper" # so they can be seen
		seen=$(others_with "$mark" "$keeper")
		kill "$keeper"
		wait "$keeper" || true
		[ -z "$seen" ] || { echo "$seen"; return 1; }
		cubby stop >/dev/null 2>&1 || true
		cubby rm -q
	done
	[ ! -e ran ]
	[ -z "$(find "$XDG_DATA_HOME/cubby" -maxdepth 3 -name "*$mark*")" ]
	[ "$before" = "$(escape_snapshot)" ]
	run -0 cubby exec -q --image "$(cubby pull -q "$dir")" -- sh -c 'echo "$LD_PRELOAD$CUBBY_MODEL"'
	[ -z "$output" ]
}

# A tarball with one file that says who it is; it has the shell and tools of this host.
claim() { # WORD
	local dir
	dir=$(escape_image "k33-$1")
	echo "$1" >"$dir/etc/claim"
	tar -C "$dir" -cf "$1.tar" .
}

@test "K33: two sources that claim one name are two images, by digest" {
	claim first
	claim second
	cubby pull -q --name claimed ./first.tar
	mkdir a b
	run -0 cubby exec -q -C a --image claimed -- cat /etc/claim
	[ "$output" = first ]
	cubby pull -q --name claimed ./second.tar
	# The name now means the second; what was made from the first stays so.
	run -0 cubby exec -q -C b --image claimed -- cat /etc/claim
	[ "$output" = second ]
	run -0 cubby exec -q -C a -- cat /etc/claim
	[ "$output" = first ]
	for word in first second; do
		digest=$(sha256sum $word.tar | cut -d' ' -f1)
		[ "$(cubby images --json | jq -r --arg d "$digest" '[.[] | select(.digest == $d)] | length')" = 1 ]
		mkdir "by-$word"
		run -0 cubby exec -q -C "by-$word" --image "$digest" -- cat /etc/claim
		[ "$output" = "$word" ]
	done
	# A digest that nothing has is an error, whatever else there is.
	run cubby exec -q -C b --wipe --image "$(printf '0%.0s' {1..64})" -- true
	[ "$status" -eq 125 ]
	run -0 cubby exec -q -C b -- cat /etc/claim # and costs no box
	[ "$output" = second ]
	for d in a b by-first by-second; do cubby rm -q -C $d; done
}

@test "K47: what is agreed to is the text that was asked about, whatever the box puts there meanwhile" {
	mkdir .cubby
	echo '{"allow": ["shown.example"]}' >.cubby/box.json
	cubby exec -q -d -- sh -c 'until [ -e go ]; do sleep 0.05; done
		echo "{\"allow\": [\"evil.example\"]}" >.cubby/new; mv .cubby/new .cubby/box.json; touch swapped; exec sleep 1000'
	touch out
	{
		until grep -q shown.example out && grep -q '\[y' out; do read -rt 0.02 <> <(:) || true; done
		touch go
		until [ -e swapped ]; do read -rt 0.02 <> <(:) || true; done
		echo yes
	} | timeout "$(lib_longer 30)" script -qefc "cubby agree" /dev/null >out
	cubby stop -q
	run -0 --separate-stderr cubby exec --keep -- true
	[[ $stderr == *"wants more than a box has by itself"* ]]
	run -0 cubby net
	[[ $output != *evil.example* && $output != *shown.example* ]]
	mv .cubby/box.json .cubby/evil
	echo '{"allow": ["shown.example"]}' >.cubby/box.json
	cubby stop -q
	cubby exec -q --keep -- true
	run -0 cubby net
	[[ $output == *"allow shown.example"* ]]
	cubby rm -q --force
}

@test "K48: services and names of branches that a box writes lead nowhere" {
	local name before log n=0
	chmod 711 "$LIB_DIR" "$ESCAPE_HOST"
	chmod 777 "$ESCAPE_HOST/victim"
	before=$(escape_snapshot)
	mkdir .cubby
	for name in ../../../../up a/b . .. -x '' $'\e]0;title\a' $'\xe2\x80\xae' $'two\nlines' "$(printf x%.0s {1..300})"; do
		jq -n --arg name "$name" '{services: {($name): {run: "echo up; sleep 1000"}}}' >said
		cubby exec -q -- cp said .cubby/box.json
		cubby stop -q 2>/dev/null || true
		run -1 --separate-stderr cubby up
		[[ $stderr == "cubby up: .cubby/box.json: "* ]]
		[[ ${#stderr_lines[@]} -eq 1 && $stderr != *[$'\e\a']* && $stderr != *$'\xe2\x80\xae'* ]]
		rm .cubby/box.json
		run ! --separate-stderr cubby branch -- "$name"
		[[ $stderr != *[$'\e\a']* && $stderr != *$'\xe2\x80\xae'* ]]
		run ! --separate-stderr cubby exec -b "$name" -- touch ran
		[ ! -e ran ]
		n=$((n + 1))
	done
	[ "$n" = 10 ]
	# A log of a service is a file of the box's, wherever the box's links lead.
	echo '{"services": {"a": {"run": "echo up; exec sleep 1000"}}}' >.cubby/box.json
	cubby up -q
	lib_until sh -c 'cubby logs a | grep -qx up'
	log=$(cubby exec -q -- ls /var/log/cubby)
	[ "$log" = a.log ]
	cubby stop -q --time 1
	for name in victim victim/file secret; do
		cubby exec -q -- sh -c 'rm -rf /var/log/cubby; mkdir -p /var/log/cubby; ln -sf "$1" /var/log/cubby/a.log' sh "$ESCAPE_HOST/$name"
		run cubby up
		run cubby logs a
		[[ $output != *secret* ]]
		cubby stop -q --time 1 || true
	done
	[ "$before" = "$(escape_snapshot)" ]
	cubby rm -q --force
}
