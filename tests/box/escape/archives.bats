# Hostile archives through the whole pull: K34. Every row of the table of crafted archives
# (A01 to A48) has a test of its own beside the code that it aims at; the first test here
# counts them, the others send the worst ones through the commands.
load ../../lib
load escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }

@test "K34: each row A01 to A48 is a test by its number" {
	missing=
	for n in $(seq -w 1 48); do
		grep -rqE "\"[^\"]*\bA$n\b|@test \"[^\"]*\bA$n\b" "$CUBBY_TEST_TOP/tests/unit" \
			"$CUBBY_TEST_TOP/tests/box" "$CUBBY_TEST_TOP/tests/cli" || missing+=" A$n"
	done
	[ -z "$missing" ] || { echo "without a test:$missing"; return 1; }
}

# A tar of entries that no tar(1) would write; @entries are lines of Python that call
# file(name, text), link(name, to), hard(name, to), dir(name), node(name).
crafted() { # OUT LINES
	python3 - "$1" "$2" <<-'END'
	import io, sys, tarfile
	out = tarfile.open(sys.argv[1], "w", format=tarfile.PAX_FORMAT)
	def add(name, kind, data=b"", to="", mode=0o644):
	    i = tarfile.TarInfo(name)
	    i.type, i.size, i.linkname, i.mode = kind, len(data), to, mode
	    out.addfile(i, io.BytesIO(data))
	def file(name, text, mode=0o644): add(name, tarfile.REGTYPE, text.encode(), mode=mode)
	def link(name, to): add(name, tarfile.SYMTYPE, to=to)
	def hard(name, to): add(name, tarfile.LNKTYPE, to=to)
	def dir(name, mode=0o755): add(name, tarfile.DIRTYPE, mode=mode)
	def node(name): add(name, tarfile.CHRTYPE)
	exec(sys.argv[2])
	out.close()
	END
}

@test "K34: archives that aim at the host, through pull" {
	up=../../../../../../../../../..$ESCAPE_HOST/victim
	at=$ESCAPE_HOST/victim
	chmod 711 "$LIB_DIR" "$ESCAPE_HOST" # whoever box root is on the host gets that far
	chmod 777 "$ESCAPE_HOST/victim"
	before=$(escape_snapshot)
	n=0
	while IFS='|' read -r what want lines; do
		n=$((n + 1))
		crafted "$n.tar" "$(eval "echo \"$lines\"")"
		run --separate-stderr timeout "$(lib_longer 60)" cubby pull -q --name "k34-$n" "./$n.tar"
		echo "$what: $status $stderr"
		[ "$before" = "$(escape_snapshot)" ]
		[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ]
		case $want in
		error) [ "$status" -eq 1 ] && [ "${#stderr_lines[@]}" -eq 1 ] ;;
		done) [ "$status" -eq 0 ] ;;
		either) [ "$status" -le 1 ] ;;
		esac
		[ "$status" -ne 0 ] || [ -z "$(find "$XDG_DATA_HOME/cubby/images" \
			-path '*victim*' -name new -newer "$n.tar" -path "*/rootfs$at/*" -quit)" ]
		[ "$status" -ne 0 ] || cubby rmi -q "k34-$n"
	done <<-'END'
	dots|error|file('$up/new', 'x')
	dots inside|error|dir('a'); file('a/../../new', 'x')
	an absolute name|done|file('$at/new', 'x')
	a file through an absolute link|either|link('l', '$at'); file('l/new', 'x')
	a file through a relative link|either|link('l', '$up'); file('l/new', 'x')
	a file over a link|done|link('l', '$at/file'); file('l', 'x')
	a directory that becomes a link|either|dir('d'); link('d', '$at'); file('d/new', 'x')
	a hard link to the host|error|hard('h', '$at/file')
	a hard link to the host by dots|error|hard('h', '$up/file')
	a hard link to a link, then data|done|link('l', '$at/file'); hard('h', 'l'); file('h', 'x')
	the root as a link|error|link('.', '$at')
	a mode of a directory that is a link by then|either|dir('d', 0o777); link('d', '$at')
	a node and a link in its place|done|node('n'); link('n', '$at/file'); file('n', 'x')
	etc as a link|either|link('etc', '$at'); file('etc/passwd', 'x')
	END
	[ "$n" -eq 14 ]
}

# The worker waits for the archive: its root is what it will have when hostile bytes come.
@test "K34: nothing of the host is above the root of who unpacks" {
	cubby exec -- true
	map=$(cubby info --json | jq -c .map)
	mkdir stage
	[ "$(escape_map)" != root ] || chown "$(jq -r '.uid[] | select(.[0] == 0)[1]' <<<"$map"):$(jq -r '.gid[] | select(.[0] == 0)[1]' <<<"$map")" stage
	mkfifo archive
	cubby __helper unpack "$map" <archive 3<stage >result &
	keeper=$!
	exec 9>archive
	printf x >&9
	for ((n = 0; n < 500; n++)); do
		worker=$(tr -d ' ' </proc/$keeper/task/$keeper/children)
		[ -z "$worker" ] || ! grep -q '^NoNewPrivs:.1' "/proc/$worker/status" || break
		sleep 0.02
	done
	[ -n "$worker" ]
	run -0 ./upward "$worker"
	[ "$output" = nothing ]
	exec 9>&-
	wait "$keeper" || true
}

@test "K34: nothing of the host is above the root of the box and of its gate" {
	cubby exec --keep -- true
	init=$(cubby info --json | jq -r .init_pid)
	run cubby exec -- getent hosts nowhere.invalid # with the first question it is there
	gate=$(pgrep -P "$(cubby info --json | jq -r .monitor_pid)" -f __gate)
	run -0 cubby exec -- sh -c '[ "$(stat -c %d:%i /..)" = "$(stat -c %d:%i /)" ] &&
		[ "$(cd / && cd .. && pwd -P)" = / ] && ls -d /../etc/debian_version /proc/self/root/..'
	# The host's tree is in no mount of theirs.
	if [ "$(id -u)" -eq 0 ]; then
		run ! grep -F " $LIB_DIR " "/proc/$init/mountinfo"
		[ "$(wc -l <"/proc/$gate/mountinfo")" -eq 1 ]
		run -0 ./upward "$gate"
	fi
	cubby stop
}

# Each of the layers below would reach the host, or a layer of another image, if one were
# unpacked over another without care.
@test "K34: layers that aim at the host, apart and put into one" {
	local base=$LIB_DIR/hostile.plain dir layout=$LIB_DIR/hostile before name
	dir=$(escape_image layered)
	ln -s "$ESCAPE_HOST" "$dir/out"
	ln -s "$ESCAPE_HOST/secret" "$dir/link"
	echo below >"$dir/below"
	tar --owner 0 --group 0 -C "$dir" -cf "$base" .
	python3 - "$LIB_DIR/over.tar" "$ESCAPE_HOST" <<'PY'
import io, sys, tarfile
host = sys.argv[2].lstrip("/")
t = tarfile.open(sys.argv[1], "w")
def add(name, kind=tarfile.REGTYPE, link="", data=b"pwned\n", mode=0o6755):
    i = tarfile.TarInfo(name); i.type = kind; i.linkname = link; i.mode = mode
    i.size = len(data) if kind == tarfile.REGTYPE else 0
    t.addfile(i, io.BytesIO(data) if i.size else None)
for name in ("out/victim/file", "link", "../../../" + host + "/up", "/" + host + "/root", "out/.wh.victim",
             "out/victim/.wh..wh..opq", ".wh...", ".wh.", ".wh..", "etc/.wh.../x", ".wh..wh.plnk/x",
             "out/.wh..wh.aufs"):
    add(name)
add("hard", tarfile.LNKTYPE, "link")
add("hard2", tarfile.LNKTYPE, "out/secret")
add("hard3", tarfile.LNKTYPE, "../../" + host + "/secret")
add("hard4", tarfile.LNKTYPE, "below")
add("hard4", data=b"changed\n")
add("out", tarfile.SYMTYPE, "/" + host)
add("out/victim/after")
t.close()
PY
	before=$(escape_snapshot)
	"$CUBBY_TEST_TOP/tests/mklayout" "$layout" x "$base" "$LIB_DIR/over.tar"
	for how in "" --flat; do
		run cubby pull $how --name "hostile$how" "oci:$layout:x"
		echo "$how: $output"
		[ "$before" = "$(escape_snapshot)" ]
		[ "$status" -ne 0 ] || run cubby exec --image "hostile$how" -- sh -c 'cat /below /link /hard* /out/* /out/victim/*'
		echo "$output"
		[[ $output != *secret$'\n'* && $output != *untouched* ]]
		[ "$before" = "$(escape_snapshot)" ]
		cubby rm -q --yes || true
	done
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ]
}

# What reads hostile bytes is not even there where there are none to read.
@test "K34: what unpacks nothing works without the library that reads archives" {
	mkdir broken tree
	: >broken/libarchive.so.13
	echo text >tree/f
	tar -cf tree.tar -C tree .
	run ! env LD_LIBRARY_PATH="$PWD/broken" cubby pull -q --name broken tree.tar
	[[ $output == *libarchive* ]]
	LD_LIBRARY_PATH=$PWD/broken cubby exec -q --project review -- sh -c 'echo text >made'
	LD_LIBRARY_PATH=$PWD/broken run -0 cubby diff --stat
	[[ $output == *made* ]]
	LD_LIBRARY_PATH=$PWD/broken cubby apply -q --all
	[ "$(cat made)" = text ]
	LD_LIBRARY_PATH=$PWD/broken cubby rm -q --yes
}
