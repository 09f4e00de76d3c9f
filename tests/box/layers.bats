# Images in layers: layouts and archives, what is shared, what is refused.
load ../lib

setup_file() {
	lib_env
	lib_image
	MK=$CUBBY_TEST_TOP/tests/mklayout
	BASE=$LIB_DIR/base.plain # a layer that is a root filesystem
	case $CUBBY_TEST_ROOTFS in
	*.zst) zstd -q -dc "$CUBBY_TEST_ROOTFS" >"$BASE" ;;
	*) gzip -dc "$CUBBY_TEST_ROOTFS" >"$BASE" ;;
	esac
	export MK BASE LAYOUT=$LIB_DIR/layout
	upper one "$LIB_DIR/one.tar"
	upper two "$LIB_DIR/two.tar"
	zstd -q "$LIB_DIR/two.tar" -o "$LIB_DIR/two.zst"
	"$MK" "$LAYOUT" base "$BASE"
	"$MK" "$LAYOUT" one "$BASE" "$LIB_DIR/one.tar"
	"$MK" "$LAYOUT" both "$BASE" "$LIB_DIR/one.tar" "$LIB_DIR/two.zst"
	cubby pull -q "oci:$LAYOUT:base" # unpacked once for all tests
}

# A layer over the base: "one" adds, "two" takes away what "one" and the base have.
upper() { # NAME TAR
	local d
	d=$(mktemp -d "$LIB_DIR/layer.XXXXXX")
	mkdir -p "$d/etc" "$d/opt/dir"
	if [ "$1" = one ]; then
		echo one >"$d/etc/which"
		echo one >"$d/opt/dir/one"
		echo here >"$d/etc/gone"
	else
		echo two >"$d/etc/which"
		touch "$d/etc/.wh.gone" "$d/etc/.wh.debian_version" "$d/opt/dir/.wh..wh..opq"
		echo two >"$d/opt/dir/two"
	fi
	tar --owner 0 --group 0 -C "$d" -cf "$2" etc opt
}

# Beside the base.
diffs() { find "$XDG_DATA_HOME/cubby/diffs" -mindepth 1 -maxdepth 1 2>/dev/null | tail -n +2 | wc -l; }

leaves_nothing() {
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ]
}

# What it hides is no less hidden because another image has nothing below it.
@test "layers: one that is the lowest of an image takes away in another what it says" {
	"$MK" "$LAYOUT" lowest "$LIB_DIR/two.zst" "$LIB_DIR/one.tar"
	run -0 cubby pull -q "oci:$LAYOUT:lowest"
	run -0 cubby pull -q "oci:$LAYOUT:both"
	run -0 --separate-stderr cubby exec --image both -- sh -c 'ls /opt/dir; ls -d /etc/gone /etc/debian_version 2>&1; true'
	[ "${lines[0]}" = two ]
	[[ ${lines[1]} == *"/etc/gone"*"No such file"* ]]
	[[ ${lines[2]} == *"/etc/debian_version"*"No such file"* ]]
	cubby rm -y -q
	cubby rmi -q both lowest
	leaves_nothing
}

@test "layers: shared by images, put together in boxes, gone with the last image" {
	run -0 cubby pull -q "oci:$LAYOUT:one"
	[ "$(diffs)" = 1 ]
	run -0 cubby pull -q "oci:$LAYOUT:both"
	[ "$(diffs)" = 2 ]
	run -0 --separate-stderr cubby exec --image both -- sh -c 'cat /etc/which; ls /opt/dir; ls -d /etc/gone /etc/debian_version 2>&1; dpkg --version | head -1'
	[ "${lines[0]}" = two ]
	[ "${lines[1]}" = two ]
	[[ ${lines[2]} == *"/etc/gone"*"No such file"* ]]
	[[ ${lines[3]} == *"/etc/debian_version"*"No such file"* ]]
	[[ ${lines[4]} == Debian* ]]
	run -0 cubby exec -- sh -c 'echo new >/opt/dir/two; rm -r /opt/dir; mkdir /opt/dir; ls /opt/dir'
	[ "$output" = "" ]
	cubby rm -y -q
	run -0 cubby rmi -q both
	[ "$(diffs)" = 1 ]
	run -0 --separate-stderr cubby exec --image one -- sh -c 'cat /etc/which /opt/dir/one /etc/gone'
	[ "$output" = $'one\none\nhere' ]
	run -1 cubby rmi one
	[ "$(diffs)" = 1 ]
	cubby rm -y -q
	cubby rmi -q one
	[ "$(diffs)" = 0 ]
	leaves_nothing
}

@test "layers: an image whose list of them cannot be opened does not start without them" {
	local list
	cubby pull -q "oci:$LAYOUT:both"
	list=$XDG_DATA_HOME/cubby/images/$(cubby images --json | jq -r '.[] | select(.name == "both").dir')/layers
	mv "$list" "$list.away"
	ln -s layers.away "$list"
	run -125 --separate-stderr cubby exec --image both -- cat /etc/which
	[[ $stderr == *"cannot open the image's list of layers: Too many levels of symbolic links"* ]]
	mv "$list.away" "$list"
	run -0 cubby exec --image both -- cat /etc/which
	[ "$output" = two ]
	cubby rm -y -q
	cubby rmi -q both
	leaves_nothing
}

@test "layers: a box's mount table names no digest and no path" {
	cubby pull -q "oci:$LAYOUT:one"
	run -0 --separate-stderr cubby exec --image one -- grep ' / / .* overlay ' /proc/self/mountinfo
	[[ $output == *"lowerdir=lower:1:2,"* ]]
	[[ $output != *"$HOME"* ]]
	cubby rm -y -q
	cubby rmi -q one
}

@test "layers: --flat makes one directory of them" {
	cubby pull -q --flat --name flat "oci:$LAYOUT:both"
	[ "$(diffs)" = 0 ]
	run -0 --separate-stderr cubby exec --image flat -- sh -c 'cat /etc/which; ls /opt/dir; [ ! -e /etc/gone ]'
	[ "$output" = $'two\ntwo' ]
	cubby rm -y -q
	cubby rmi -q flat
}

# bats test_tags=long
@test "layers: what has no meaning by itself goes into one directory" {
	mkdir -p l/lib
	echo x >l/lib/through-a-link # the base has lib -> usr/lib
	tar --owner 0 --group 0 -C l -cf l.tar lib/through-a-link
	"$MK" lay odd "$BASE" l.tar
	run -0 --separate-stderr cubby pull oci:lay
	[[ $stderr == *"all layers go into one directory: "*"'lib/through-a-link'"* ]]
	run -0 --separate-stderr cubby exec --image lay -- cat /usr/lib/through-a-link
	[ "$output" = x ]
	cubby rm -y -q
	cubby rmi -q lay
}

@test "layers: one that an image has twice counts where it is uppermost" {
	"$MK" "$LAYOUT" twice "$BASE" "$LIB_DIR/one.tar" "$LIB_DIR/two.zst" "$LIB_DIR/one.tar"
	run -0 cubby pull -q "oci:$LAYOUT:twice"
	seen() { cubby exec --image "$1" -- sh -c 'cat /etc/which /etc/gone; ls /opt/dir; [ ! -e /etc/debian_version ]' | xargs; }
	[ "$(seen twice)" = "one here one two" ]
	cubby exec -- touch /opt/mine
	cubby commit -q made
	cubby rm -y -q
	for to in oci:saved oci-archive:saved.tar docker-archive:docker.tar; do
		cubby save -q made "$to"
		run -0 cubby pull -q --name again "$to"
		[ "$(seen again)" = "one here one two" ]
		cubby exec --image again -- test -e /opt/mine
		cubby rm -y -q
		cubby rmi -q again
	done
	cubby rmi -q made twice
	leaves_nothing
}

# bats test_tags=long
@test "layers: archives of a layout and of docker" {
	tar -C "$LAYOUT" -cf oci.tar .
	run -0 --separate-stderr cubby pull -q oci-archive:oci.tar:one
	[ "$output" = one ]
	run -0 --separate-stderr cubby exec --image one -- cat /etc/which
	[ "$output" = one ]
	cubby rm -y -q
	cubby rmi -q one
	mkdir saved
	echo '{"architecture":"'"$(jq -r .architecture <(for f in "$LAYOUT"/blobs/sha256/*; do jq -c 'select(.architecture)' "$f" 2>/dev/null; done) | head -1)"'","os":"linux","rootfs":{"diff_ids":["sha256:'"$(sha256sum <"$LIB_DIR/one.tar" | cut -d' ' -f1)"'"]}}' >saved/c.json
	cp "$LIB_DIR/one.tar" saved/layer.tar
	mkdir saved/id
	ln -s ../layer.tar saved/id/layer.tar # as old docker wrote a layer that came twice
	echo '[{"Config":"c.json","RepoTags":["it:1"],"Layers":["id/layer.tar"]}]' >saved/manifest.json
	tar -C saved -cf saved.tar .
	run -0 --separate-stderr cubby pull -q docker-archive:saved.tar:it:1
	[ "$output" = it:1 ]
	cubby rmi -q it:1
	run -1 --separate-stderr cubby pull -q docker-archive:saved.tar:other
	[[ $stderr == *"there is no image 'other' in it; there is it:1"* ]]
	leaves_nothing
}

# bats test_tags=long
@test "layers: as skopeo and umoci write them" {
	command -v skopeo umoci >/dev/null || skip "no skopeo or umoci"
	skopeo copy -q "oci:$LAYOUT:one" docker-archive:saved.tar:one:1
	run -0 --separate-stderr cubby pull -q docker-archive:saved.tar
	run -0 --separate-stderr cubby exec --image saved -- cat /etc/which
	[ "$output" = one ]
	cubby rm -y -q
	cubby rmi -q saved
	skopeo copy -q "oci:$LAYOUT:one" oci:mine:x
	umoci config --image mine:x --tag y --config.user nobody
	cubby pull -q oci:mine:y
	run -0 --separate-stderr cubby exec --image y -- cat /etc/which
	[ "$output" = one ]
	cubby rm -y -q
	cubby rmi -q y
}

# bats test_tags=long
@test "layers: an image whose digests are of sha512 runs, is saved, and leaves nothing when it goes" {
	"$MK" long x --sum sha512 "$BASE" "$LIB_DIR/one.tar"
	cubby pull -q oci:long
	run -0 cubby exec -q --image long -- true
	cubby save -q long oci:saved:x
	cubby pull -q --name again oci:saved:x
	run -0 cubby exec -q --wipe -y --image again -- true
	cubby rm -y -q
	cubby rmi -q long again
	[ "$(diffs)" = 0 ]
}

@test "layers: what is not what was announced is refused, and leaves nothing" {
	local wrong
	declare -A said=([diff]="uncompressed it is not what the image's configuration says"
		[digest]="is not what was announced" [size]="is larger than the" [many]="more than 127 layers")
	for wrong in diff digest size many; do
		"$MK" "$wrong" x --wrong "$wrong" "$LIB_DIR/one.tar"
		run -1 --separate-stderr cubby pull -q "oci:$wrong"
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *"${said[$wrong]}"* ]] || { echo "$wrong: $stderr"; return 1; }
		leaves_nothing
	done
	[ "$(diffs)" = 0 ]
}

# A tarball of entries NAME:KIND:REST: f = a file with REST in it, l = a link to REST, h = a hard
# link, c = a device 0:0, x = a directory with the attribute REST.
crafted() { # TAR ENTRY...
	python3 - "$@" <<'END'
import io, sys, tarfile
with tarfile.open(sys.argv[1], "w", format=tarfile.PAX_FORMAT) as tar:
    for entry in sys.argv[2:]:
        name, kind, rest = entry.split(":", 2)
        t = tarfile.TarInfo(name)
        t.type = {"f": tarfile.REGTYPE, "l": tarfile.SYMTYPE, "h": tarfile.LNKTYPE, "c": tarfile.CHRTYPE, "x": tarfile.DIRTYPE}[kind]
        t.mode = 0o755
        if kind in "lh":
            t.linkname = rest
        if kind == "x":
            t.pax_headers["SCHILY.xattr." + rest.split("=")[0]] = rest.split("=")[1]
        if kind == "f":
            t.size = len(rest)
        tar.addfile(t, io.BytesIO(rest.encode()) if kind == "f" else None)
END
}

@test "layers: marks of overlayfs in one hide nothing of those below it" {
	crafted l.tar "opt:x:trusted.overlay.opaque=y" "opt/mine:f:mine" "etc:x:user.overlay.opaque=y" "etc/mine:f:mine" \
		"usr:x:user.overlay.redirect=/etc" "usr/mine:f:mine" "etc/passwd:c:" \
		stargz.index.json:f:toc .prefetch.landmark:f:x
	"$MK" lay marked "$BASE" l.tar
	cubby pull -q oci:lay:marked
	run -0 --separate-stderr cubby exec --image marked -- sh -c 'cat /opt/mine /etc/mine /usr/mine; ls -d /etc/debian_version /etc/passwd /usr/bin /*stargz* /.prefetch* 2>/dev/null; true'
	[ "$output" = $'mineminemine/etc/debian_version\n/etc/passwd\n/usr/bin' ] || { echo "$output"; return 1; }
	cubby rm -y -q
	cubby rmi -q marked
}

@test "layers: one that reaches out of its directory is refused, and leaves nothing" {
	local entry
	for entry in ../out:f:x a/../../out:f:x up:h:../../etc/passwd .wh...:f: .wh.:f: etc/.wh...:f: ; do
		crafted l.tar "$entry"
		rm -rf lay
		"$MK" lay x "$LIB_DIR/one.tar" l.tar
		run -1 --separate-stderr cubby pull -q oci:lay
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *"layer 2 of 2: "* ]] || { echo "$entry: $stderr"; return 1; }
		leaves_nothing
	done
	# Through links of the same layer, and of one below it.
	echo untouched >"$LIB_DIR/witness"
	crafted l.tar "out:l:$LIB_DIR" out/witness:f:bad "deep:l:../../../../../../../..$LIB_DIR" deep/witness:f:bad
	rm -rf lay
	"$MK" lay x "$LIB_DIR/one.tar" l.tar
	run cubby pull -q oci:lay
	crafted low.tar "out:l:$LIB_DIR"
	crafted l.tar out/witness:f:bad "out/.wh.witness:f:"
	rm -rf lay
	"$MK" lay x "$LIB_DIR/one.tar" low.tar l.tar
	run cubby pull -q oci:lay
	[ "$(cat "$LIB_DIR/witness")" = untouched ]
	cubby rmi -q x 2>/dev/null || true
}

# Four are unpacked at once: each may have a fourth of what one archive may.
@test "layers: one that wants much memory to be unpacked is refused, what usual packers write is not" {
	crafted l.tar opt/long:f:x
	zstd -q --long=27 <l.tar >window.zst
	python3 - l.tar <<'END'
import lzma, sys, zlib
packed = lzma.compress(open(sys.argv[1], "rb").read(), preset=9)
open("nine.xz", "wb").write(packed)
head = bytearray(packed[12:12 + (packed[12] + 1) * 4 - 4])
head[head.index(b"\x21\x01") + 2] = 35 # the dictionary: 768 MiB
open("huge.xz", "wb").write(packed[:12] + head + zlib.crc32(head).to_bytes(4, "little") + packed[12 + len(head) + 4:])
END
	local file
	for file in window.zst nine.xz; do
		"$MK" lay "${file%.*}" "$LIB_DIR/one.tar" "$file"
		run -0 cubby pull -q "oci:lay:${file%.*}"
		cubby rmi -q "${file%.*}"
	done
	"$MK" lay huge "$LIB_DIR/one.tar" huge.xz
	run -1 --separate-stderr cubby pull -q oci:lay:huge
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"layer 2 of 2: "*"memory"* ]] || { echo "$stderr"; return 1; }
	leaves_nothing
}

# bats test_tags=long
@test "layers: the root hidden, and a name of a file below: one directory" {
	crafted l.tar .wh..wh..opq:f: bin/own:f:x
	"$MK" opaque opaque "$BASE" "$LIB_DIR/one.tar" l.tar
	run -0 --separate-stderr cubby pull oci:opaque
	[[ $stderr == *"all layers go into one directory: "* ]]
	cubby save opaque oci:saved
	for blob in saved/blobs/sha256/*; do tar -tf "$blob" 2>/dev/null || true; done >names
	grep -q '\(^\|/\)bin/own$' names
	run ! grep debian_version names
	crafted l.tar opt/again:h:etc/debian_version
	"$MK" linked linked "$BASE" l.tar
	run -0 --separate-stderr cubby pull oci:linked
	[[ $stderr == *"all layers go into one directory: "* ]]
	run -0 --separate-stderr cubby exec --image linked -- cmp /opt/again /etc/debian_version
	cubby rm -y -q
	cubby rmi -q opaque linked
}

@test "layers: another machine, no layout, no such name" {
	"$MK" foreign x --arch pdp11 "$LIB_DIR/one.tar"
	run -1 --separate-stderr cubby pull -q oci:foreign
	[[ $stderr == *"the image is for linux/pdp11, and not for linux/"* ]]
	mkdir empty
	run -1 --separate-stderr cubby pull -q oci:empty
	[[ $stderr == *"no OCI layout: it has no index.json"* ]]
	run -1 --separate-stderr cubby pull -q "oci:$LAYOUT"
	[[ $stderr == *"there are several images in it; add ':NAME' to say which one"* ]]
	run -1 --separate-stderr cubby pull -q "oci:$LAYOUT:none"
	[[ $stderr == *"there is no image 'none' in it; there is base, one, both"* ]]
	run -1 --separate-stderr cubby pull -q oci:./absent
	[[ $stderr == *"there is no file or directory './absent' here; "* ]]
	leaves_nothing
}

many() { # LAYERS: an image "many" of them, each but the first with a file in /many
	local i tars=("$BASE")
	mkdir -p l/many
	for ((i = 1; i < $1; i++)); do
		echo "$i" >"l/many/$i"
		tar --owner 0 --group 0 -C l --no-recursion -cf "$i.plain" many "many/$i"
		tars+=("$i.plain")
	done
	"$MK" many x "${tars[@]}"
	cubby pull -q oci:many
}

# bats test_tags=long
@test "layers: 127 of them start" {
	many 127
	run -0 --separate-stderr cubby exec --image many -- sh -c 'ls /many | wc -l; cat /many/1 /many/126'
	[ "$output" = $'126\n1\n126' ]
	cubby rm -y -q
	cubby rmi -q many
	[ "$(diffs)" = 0 ]
}

# bats test_tags=long
@test "layers: a box with more of them than an image may have is an image all the same" {
	local i
	many 120
	for i in 1 2 3 4 5 6 7; do
		cubby exec -q --image many -- sh -c "echo $i >/root/of$i; rm /many/$i"
		cubby snapshot -q "s$i"
	done
	cubby exec -q -- sh -c 'echo 8 >/root/of8'
	run -0 cubby commit -q deep
	cubby restore -q s3
	run -0 cubby exec -q -- sh -c 'ls /root/of* | wc -l; ls /many | wc -l'
	[ "$output" = $'3\n116' ]
	cubby rm -y -q
	run -0 cubby exec -q --image deep -- sh -c 'ls /root/of* | wc -l; ls /many | wc -l; cat /many/119'
	[ "$output" = $'8\n112\n119' ]
	cubby rm -y -q
	cubby rmi -q many deep
}

# bats test_tags=long
@test "layers: a box on as many of them as an image may have is an image of one" {
	many 127
	cubby exec -q --image many -- sh -c 'echo 1 >/root/of1; rm /many/1; rm -r /opt; mkdir /opt; echo new >/opt/new'
	cubby snapshot -q
	cubby exec -q -- sh -c 'echo 2 >/root/of2; rm /many/2'
	run -0 cubby commit -q full
	cubby rm -y -q
	run -0 cubby exec -q --image full -- sh -c 'cat /root/of*; ls /many | wc -l; cat /many/126; ls /opt'
	[ "$output" = $'1\n2\n124\n126\nnew' ]
	[ "$(cubby exec -q -- stat -c %u /etc/passwd)" = 0 ]
	cubby rm -y -q
	cubby rmi -q many full
	[ "$(diffs)" = 0 ]
	leaves_nothing
}

# bats test_tags=long
@test "layers: what is not restored of one is said when it is unpacked, not of each image on it" {
	python3 - <<-'END'
	import tarfile
	with tarfile.open("l.tar", "w") as tar:
	    t = tarfile.TarInfo("srv")
	    t.type, t.mode = tarfile.DIRTYPE, 0o755
	    tar.addfile(t)
	    t = tarfile.TarInfo("srv/null")
	    t.type, t.devmajor, t.devminor = tarfile.CHRTYPE, 1, 3
	    tar.addfile(t)
	END
	"$MK" lay dev "$BASE" l.tar
	run -0 --separate-stderr cubby pull oci:lay
	[[ $stderr == *"1 device not restored"* ]]
	cubby exec -q --image lay -- touch /root/x
	run -0 --separate-stderr cubby commit more
	[[ $stderr != *"not restored"* ]]
	cubby rm -y -q
	cubby rmi -q lay more
}

# Says which signal came; the others would end it with another word, or none.
heed() { echo 'for s in INT TERM QUIT RTMIN+3; do trap "echo $s >/root/told; exit" $s; done; echo up; while :; do sleep 0.1; done'; }

# bats test_tags=long
@test "layers: an image says what its programs are asked to end with" {
	local n=0 given
	for given in SIGQUIT:QUIT SIGRTMIN+3:RTMIN+3 SIGSTOP:TERM 'kill\n-9:TERM'; do
		"$MK" "lay$((++n))" x "$BASE" --config "{\"StopSignal\":\"${given%:*}\"}"
		cubby pull -q "oci:lay$n"
		mkdir "$n"
		cubby exec -C "$n" -q -d --image "lay$n" -- bash -c "$(heed)"
		until [[ $(cubby logs -C "$n" 2>&1) == *up* ]]; do read -rt 0.05 <> <(:) || true; done
		cubby stop -q "$n"
		run -0 cubby exec -C "$n" -q -- cat /root/told
		[ "$output" = "${given#*:}" ]
		cubby rm -y -q "$n"
		cubby rmi -q "lay$n"
	done
}

# bats test_tags=long
@test "layers: an image says how it is run, and what a person says counts more" {
	"$MK" lay x "$BASE" --config '{"Env":["HELLO=image","LANG=image","PATH=/opt/bin:/usr/bin:/bin"],
		"Entrypoint":["/bin/sh","-c"],"Cmd":["echo $HELLO $(id -un) $PWD; exit 7"],
		"User":"root:root","WorkingDir":"/var/tmp"}'
	cubby pull -q oci:lay
	run -7 --separate-stderr cubby exec --image lay
	[ "$output" = "image root /var/tmp" ]
	run -7 --separate-stderr cubby exec --image lay --env HELLO=mine -w /etc
	[ "$output" = "mine root /etc" ]
	run -0 --separate-stderr cubby exec -- sh -c 'echo "$HELLO $PATH $PWD"'
	[ "$output" = "image /opt/bin:/usr/bin:/bin $LIB_PROJECT" ]
	LANG=C.UTF-8 run -0 --separate-stderr cubby exec -- sh -c 'echo "$LANG"'
	[ "$output" = C.UTF-8 ]
	run -125 --separate-stderr cubby exec
	[ "$stderr" = "cubby exec: a command is missing; 'cubby shell' is a shell" ]
	cubby rm -y -q
	run -125 --separate-stderr cubby exec --image test
	[[ $stderr == *"a command is missing; the image 'test' has none of its own" ]]
	cubby rmi -q lay
}

# bats test_tags=long
@test "layers: a box becomes an image, and that a layout" {
	cubby pull -q "oci:$LAYOUT:one"
	cubby exec -q --image one -- sh -c 'echo mine >/opt/mine; rm /etc/gone; rm -r /opt/dir; mkdir /opt/dir; echo new >/opt/dir/new
		ln /opt/mine /opt/again; chown 1:1 /opt/mine 2>/dev/null; ln -s mine /opt/link; echo left >left'
	run -0 --separate-stderr cubby commit made:1
	[ "$output" = made:1 ]
	[[ $stderr == *"making made:1: done"* && $stderr != *tmp/* ]]
	[ "$(diffs)" = 2 ] # that of "one", and the box's
	cubby rm -y -q
	run -0 --separate-stderr cubby exec --image made:1 -- sh -c 'cat /opt/link /opt/again; ls /opt/dir; stat -c %u:%h /opt/mine; [ ! -e /etc/gone ] && cat /etc/which; find / -xdev -name left -not -path "$PWD/*" 2>/dev/null'
	[ "${lines[0]}" = mine ]
	[ "${lines[1]}" = mine ]
	[ "${lines[2]}" = new ]
	[[ ${lines[3]} == [01]:2 ]]
	[ "${lines[4]}" = one ]
	[ "${#lines[@]}" = 5 ]
	cubby snapshot -q
	cubby exec -q -- sh -c 'echo second >/opt/second'
	run -0 --separate-stderr cubby commit made:2
	cubby rm -y -q
	run -0 --separate-stderr cubby exec --image made:2 -- cat /opt/mine /opt/second
	[ "$output" = $'mine\nsecond' ]
	cubby rm -y -q
	cubby rmi -q one
	run -0 --separate-stderr cubby save made:1 oci:out
	run -1 --separate-stderr cubby save made:1 oci:out
	[[ $stderr == *"'out' is not empty; name a directory that is, or a new one" ]]
	cubby rmi -q made:1 made:2
	[ "$(diffs)" = 0 ]
	run -0 --separate-stderr cubby pull -q oci:out
	[ "$output" = out ]
	run -0 --separate-stderr cubby exec --image out -- cat /opt/mine
	[ "$output" = mine ]
	cubby rm -y -q
	cubby rmi -q out
	if command -v skopeo >/dev/null; then
		run -0 skopeo inspect --raw oci:out
	fi
	leaves_nothing
}

# bats test_tags=long
@test "layers: what was made of a tarball can be committed, too" {
	cubby exec -q -- sh -c 'echo mine >/opt/mine'
	run -0 --separate-stderr cubby commit --json mine
	[ "$(jq -r .name <<<"$output")" = mine ]
	cubby rm -y -q
	run -0 --separate-stderr cubby exec --image mine -- sh -c 'cat /opt/mine; dpkg --version | head -1; stat -c %U /etc/passwd'
	[ "${lines[0]}" = mine ]
	[[ ${lines[1]} == Debian* ]]
	cubby rm -y -q
	cubby rmi -q mine
	run -1 --separate-stderr cubby commit x
	[[ $stderr == *"no box for"* ]]
}

# A hostile box makes a file of any size in a moment; what it has of it is a byte.
# bats test_tags=long
@test "layers: holes of a file stay holes in a commit and in what is saved, and a file beyond the limit is refused at once" {
	local used
	cubby exec -q -- sh -c 'truncate -s 300M /opt/holes; echo end >>/opt/holes; truncate -s 40G /opt/huge'
	run -1 --separate-stderr timeout "$(lib_longer 60)" cubby commit holes
	[[ $stderr == *"'opt/huge' of 40 GiB: the files of a layer have 32 GiB at the most; what a file has as holes counts, too"* ]]
	cubby exec -q -- rm /opt/huge
	run -0 --separate-stderr cubby commit holes
	cubby rm -y -q
	run -0 cubby save -q holes oci-archive:holes.tar
	used=$(du -k holes.tar | cut -f 1)
	[ "$(($(stat -c %s holes.tar) / 1024 - used))" -gt 200000 ]
	cubby rmi -q --force holes
	cubby pull -q --name again oci-archive:holes.tar
	run -0 --separate-stderr cubby exec --image again -- sh -c 'du -k /opt/holes; stat -c %s /opt/holes; tail -c 4 /opt/holes'
	[ "${output%%[!0-9]*}" -lt 10000 ]
	[ "${lines[1]}" -eq $(((300 << 20) + 4)) ]
	[ "${lines[2]}" = end ]
	cubby rm -y -q
	cubby rmi -q again
}
