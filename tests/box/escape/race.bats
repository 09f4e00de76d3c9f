# Paths that somebody exchanges while we use them: K05, K06, K25, K31, K50, K51.
load ../../lib
load escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }

teardown() {
	exec 6>&- || true
	[ -z "${server-}" ] || kill "$server" 2>/dev/null || true
	[ -z "${outside-}" ] || rm -rf "$outside"
}

# swapping COMMAND...: a "swap A B" of the host or of a box, until swapped; the first
# exchange has happened when this returns.
swapping() {
	mkfifo "$LIB_PROJECT.hold"
	"$@" <"$LIB_PROJECT.hold" >"$LIB_PROJECT.swap" 3>&- &
	swapper=$!
	exec 6>"$LIB_PROJECT.hold"
	for ((i = 0; i < 3000; i++)); do
		! grep -q first "$LIB_PROJECT.swap" || return 0
		kill -0 "$swapper"
		read -rt 0.02 <> <(:) || true
	done
	return 1
}

swapped() {
	exec 6>&-
	wait "$swapper"
	cat "$LIB_PROJECT.swap"
}

@test "K05: a box above exchanges a project for a link to the host, while boxes start" {
	mkdir sub
	ln -s "$ESCAPE_HOST/victim" link
	exec 8<sub
	before=$(escape_snapshot)
	swapping cubby exec -- ./swap sub link
	started=0
	local most least end
	most=$(lib_often 500) least=$(lib_fewer 50)
	end=$((SECONDS + 60)) # as many as a busy host makes in a minute
	for ((i = 0; i < most && (i < least || SECONDS < end); i++)); do
		# In the directory itself, by whatever name it has at this moment.
		out=$(cd -P /proc/self/fd/8 && cubby exec -q --here -- \
			sh -c 'cat file; echo x >planted; echo began' 2>&1 6>&- 8<&-) || true
		[[ $out != *untouched* ]] || { echo "start $i: $out"; return 1; }
		[[ $out != *began* ]] || started=$((started + 1))
	done
	swapped
	[ "$before" = "$(escape_snapshot)" ]
	echo "$started of $i started"
	[ "$started" -gt 0 ]
}

@test "K06: a directory on the way to a mount point is exchanged while it is made" {
	cd /
	outside=$(mktemp -d /var/tmp/cubby-t.XXXXXX) # below /tmp it would be on a tmpfs
	mkdir -p "$outside/a/p"
	chmod 755 "$outside"
	cd "$outside/a/p"
	cubby exec -- true
	upper=$XDG_DATA_HOME/cubby/boxes/$(cubby info --json | jq -r .key)/upper$outside
	[ -d "$upper/a/p" ]
	chmod 711 "$LIB_DIR" "$ESCAPE_HOST" # whoever box root is on the host gets that far
	chmod 777 "$ESCAPE_HOST/victim"
	ln -s "$ESCAPE_HOST/victim" "$upper/link"
	before=$(escape_snapshot)
	swapping "$ESCAPE_PROBES/swap" "$upper/a" "$upper/link"
	local most least end=$((SECONDS + 30))
	most=$(lib_often 200) least=$(lib_fewer 30)
	for ((i = 0; i < most && (i < least || SECONDS < end); i++)); do
		cubby exec -q -- true >/dev/null 2>&1 6>&- || true
		rmdir "$upper/a/p" "$upper/link/p" 2>/dev/null || true
		[ "$before" = "$(escape_snapshot)" ] || { echo "start $i"; return 1; }
	done
	swapped
	[ "$before" = "$(escape_snapshot)" ]
	cubby rm -q
}

# ---- the file tools, as a client of mcp calls them ---------------------------------------

send() { printf '%s\n' "$1" >&9; }

answer() { # ID: its frame is then in $frame
	while read -rt "$(lib_longer 60)" frame <&7; do
		[ "$(jq -r .id <<<"$frame")" != "$1" ] || return 0
	done
	return 1
}

call() { # ID TOOL ARGUMENTS
	send "{\"jsonrpc\":\"2.0\",\"id\":$1,\"method\":\"tools/call\",\"params\":{\"name\":\"$2\",\"arguments\":$3}}"
	answer "$1"
}

@test "K25: file tools while the box exchanges a directory for a link to the host" {
	mkdir dir
	echo inside >dir/file
	ln -s "$ESCAPE_HOST/victim" link
	chmod 711 "$LIB_DIR" "$ESCAPE_HOST"
	chmod 777 "$ESCAPE_HOST/victim" . dir
	before=$(escape_snapshot)
	coproc MCP { exec cubby mcp 2>"$LIB_PROJECT.err" 3>&-; }
	server=$MCP_PID
	exec 9>&"${MCP[1]}" 7<&"${MCP[0]}"
	send '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
	answer 0
	send '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	swapping cubby exec -- ./swap dir link
	read=0
	local least
	least=$((3 * $(lib_often 100)))
	for ((i = 1; i <= least || (read == 0 && i < 300); i += 3)); do
		call $i read_file '{"path":"dir/file"}'
		[[ $frame != *untouched* ]] || { echo "$frame"; return 1; }
		[[ $frame != *inside* ]] || read=$((read + 1))
		call $((i + 1)) write_file '{"path":"dir/new","content":"theirs"}'
		call $((i + 2)) edit_file '{"path":"dir/file","old_string":"untouched","new_string":"theirs"}'
	done
	exec 9>&- 7<&-
	swapped
	[ "$before" = "$(escape_snapshot)" ]
	[ "$read" -gt 0 ]
}

# Who does it in a layer that nothing writes to any more is a box that was handed a directory
# of this one, open, while it was the upper one. They are merged when the box has ended.
@test "K50: a directory of a layer is exchanged for a link to the host while layers are merged" {
	local i try at box to hit=0
	chmod 711 "$LIB_DIR" "$ESCAPE_HOST" # whoever box root is on the host gets that far
	chmod 777 "$ESCAPE_HOST/victim"
	chmod 666 "$ESCAPE_HOST/victim/file"
	cubby exec -q -- sh -c 'cd /srv && mkdir -p d/victim && seq 6000 | xargs mkdir &&
		ln -s "../../../../../../../../../../../..$1" link' sh "$ESCAPE_HOST"
	for ((i = 0; i < 8; i++)); do
		cubby snapshot -q "s$i"
		[ $i = 7 ] || cubby exec -q -- touch "/root/$i"
	done
	box=$(lib_box)
	to=$box/merging/top/machine/srv/d/victim
	at=$(echo "$XDG_DATA_HOME"/cubby/layers/*/machine/srv/d)
	for ((try = 0; try < 10 && hit == 0; try++)); do
		cubby restore -q s7
		timeout "$(lib_longer 20)" sh -c 'until [ -e "$1" ]; do :; done
			exec "$2" "$3" "$4" </dev/null' sh "$to" "$ESCAPE_PROBES/swap" "$at" "${at%/d}/link" 3>&- &
		cubby exec -q -- true
		wait $! || continue # they were merged before it looked
		lib_until flock -n "$box/merging.lock" true
		[ "$(stat -c %h "$ESCAPE_HOST/victim/file")" = 1 ]
		[ "$(jq ".layers | length" "$box/chain")" = 2 ] || hit=1
		"$ESCAPE_PROBES/swap" "$at" "${at%/d}/link" </dev/null
	done
	[ "$hit" = 1 ]
	cubby rm -q -y
}

@test "K51: a directory of an image that is saved into the project is exchanged for a link to the host" {
	mkdir -m 777 out "$ESCAPE_HOST/victim/sha256"
	echo untouched >"$ESCAPE_HOST/victim/new"
	chmod 711 "$LIB_DIR" "$ESCAPE_HOST"
	chmod 777 "$ESCAPE_HOST/victim"
	before=$(escape_snapshot)
	cubby exec -q -- sh -c 'touch ready; until [ -d out/blobs/sha256 ]; do :; done
		mv out/blobs out/was; ln -s "$1/victim" out/blobs' sh "$ESCAPE_HOST" 3>&- &
	lib_until test -e ready
	cubby save -q "$CUBBY_IMAGE" oci:out || true
	wait $!
	[ -L out/blobs ]
	[ "$before" = "$(escape_snapshot)" ]
	rm -r "$ESCAPE_HOST/victim/new" "$ESCAPE_HOST/victim/sha256"
}

@test "K31: a directory of an image is exchanged for a link while it is unpacked" {
	mkdir -p tree/d tree/e
	(cd tree && seq -f 'd/%g' 1 6000 | xargs touch && seq -f 'e/%g' 1 6000 | xargs touch)
	{ # in turn, so that each file's directory is looked up again
		printf 'd\ne\n'
		seq 1 6000 | sed 's,.*,d/&\ne/&,'
	} >list
	tar -cf image.tar -C tree --no-recursion -T list
	chmod 711 "$LIB_DIR" "$ESCAPE_HOST"
	chmod 777 "$ESCAPE_HOST/victim"
	before=$(escape_snapshot)
	for ((try = 0; try < 10; try++)); do
		echo $try >>image.tar # another digest: behind the end, ignored
		cubby pull -q --name "k31-$try" ./image.tar >pull.out 2>&1 3>&- &
		pull=$!
		root=
		while kill -0 $pull 2>/dev/null && [ -z "$root" ]; do
			for at in "$XDG_DATA_HOME"/cubby/tmp/*/image/rootfs/d; do
				[ ! -d "$at" ] || root=$(dirname "$at")
			done
		done
		if [ -n "$root" ] && ln -s "$ESCAPE_HOST/victim" "$root/link" 2>/dev/null; then
			mkfifo "hold$try"
			"$ESCAPE_PROBES/swap" "$root/d" "$root/link" <"hold$try" >swap.out 3>&- &
			swapper=$!
			exec 6>"hold$try"
			wait $pull || true
			exec 6>&-
			wait $swapper || true
		fi
		wait $pull || true
		[ "$before" = "$(escape_snapshot)" ]
		! grep -qE '^[1-9][0-9]+ exchanges' swap.out 2>/dev/null || break
	done
	cat swap.out pull.out
	grep -qE '^[1-9][0-9]+ exchanges' swap.out # once it was really done
}
