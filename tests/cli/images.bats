# Images: pulled, listed, removed; bad sources.
load ../lib

# An archive with a shell-less root that is good enough to be listed.
small() { # NAME
	mkdir -p root/etc root/bin
	echo "ID=small-$1" >root/etc/os-release
	tar -C root -czf "$1.tar.gz" .
}

@test "pull: a tarball gets a name, is listed and removed" {
	small one
	run -0 --separate-stderr cubby pull --name one ./one.tar.gz
	[ "$output" = one ]
	run -0 cubby images --json
	[ "$(jq -r '.[] | select(.name == "one") | .digest' <<<"$output")" = \
		"$(sha256sum one.tar.gz | cut -d' ' -f1)" ]
	run -0 cubby images
	[[ $output == NAME*one* ]]
	run -0 cubby rmi one
	run -0 cubby images
	[[ $output != *one* ]]
	run -1 --separate-stderr cubby rmi one
	[[ $stderr == "cubby rmi: "*"one"* ]]
}

@test "pull: the same bytes are not unpacked twice" {
	small twice
	run -0 cubby pull --json --name a ./twice.tar.gz
	local first=$output
	run -0 cubby pull --json --name b ./twice.tar.gz
	[ "$(jq -r .dir <<<"$first")" = "$(jq -r .dir <<<"$output")" ]
	cubby rmi -q b
}

@test "pull: an image may have several names, and goes with the last" {
	small several
	cubby pull -q --name first ./several.tar.gz
	cubby pull -q --name second ./several.tar.gz
	run -0 cubby images --json
	[ "$(jq -r '[.[] | select(.name == "first" or .name == "second") | .digest] | unique | length' <<<"$output")" = 1 ]
	[ "$(jq -r '[.[] | select(.name == "first" or .name == "second")] | length' <<<"$output")" = 2 ]
	run -0 --separate-stderr cubby rmi second
	[ "$stderr" = "cubby: the name 'second' is removed; the image has others" ]
	run -0 cubby images --json
	[ "$(jq -r '[.[] | select(.name == "first" or .name == "second") | .name] | join(" ")' <<<"$output")" = first ]
	run -0 cubby rmi -q first
	run -1 cubby rmi first
}

@test "tag: one more name, which may be another image's; images -q are names" {
	small tagged
	small other
	cubby pull -q --name tagged ./tagged.tar.gz
	cubby pull -q --name other ./other.tar.gz
	digest() { cubby images --json | jq -r --arg n "$1" '.[] | select(.name == $n) | .digest' | head -n1; }
	run -0 --separate-stderr cubby tag tagged again
	[[ -z $output && $stderr == "cubby: 'again' is the image $(digest tagged | cut -c1-12) now, too" ]]
	[ "$(digest again)" = "$(digest tagged)" ]
	run -0 --separate-stderr cubby images -q
	[ -z "$stderr" ]
	[[ $'\n'$output$'\n' == *$'\n'tagged$'\n'* && $'\n'$output$'\n' == *$'\n'again$'\n'* && $output != *" "* ]]
	# by its digest, over a name that is in use
	cubby tag -q "$(digest tagged | cut -c1-12)" other
	[ "$(cubby images -q | grep -cx other)" = 1 ] # what had it has none while another is meant
	cubby rmi -q other # the newest meaning of it
	[ "$(digest other)" != "$(digest tagged)" ]
	run -1 --separate-stderr cubby tag nosuch mine
	[[ $stderr == "cubby tag: no image"*"nosuch"* ]]
	run -2 --separate-stderr cubby tag tagged 'a b'
	[[ $stderr == "cubby tag: "*"'a b'"* ]]
	run -2 --separate-stderr cubby tag tagged
	[ "$stderr" = "cubby tag: the image and its new name are wanted, such as 'ubuntu mine'" ]
	cubby rmi -q tagged again other
	[ -z "$(cubby images -q | grep -x again)" ]
}

@test "pull: an archive of nothing is no image" {
	local said="there is nothing in it: no root filesystem"
	head -c 100000 /dev/zero >zeros.tar.gz
	run -1 --separate-stderr cubby pull --name zeros ./zeros.tar.gz
	[[ $stderr == *"$said"* ]]
	tar -cf empty.tar -T /dev/null
	run -1 --separate-stderr cubby pull --name empty ./empty.tar
	[[ $stderr == *"$said"* ]]
	run -0 cubby images
	[[ $output != *zeros* && $output != *empty* ]]
}

@test "pull: an image in layers is taken for none without, and the words for it are told" {
	mkdir -p layout/blobs/sha256
	echo '{"imageLayoutVersion":"1.0.0"}' >layout/oci-layout
	echo '{}' >layout/index.json
	tar -C layout -cf one.tar .
	run -1 --separate-stderr cubby pull ./one.tar
	[[ $stderr == *"'one' is an image in layers; cubby pull oci-archive:$PWD/one.tar" ]]
	run -1 --separate-stderr cubby pull ./layout
	[[ $stderr == *"'layout' is an image in layers; cubby pull oci:$PWD/layout" ]]
	rm layout/oci-layout
	mv layout/index.json layout/manifest.json
	tar -C layout -cf two.tar .
	run -1 --separate-stderr cubby pull --name two ./two.tar
	[[ $stderr == *"'two' is an image in layers; cubby pull docker-archive:$PWD/two.tar" ]]
	run -0 cubby images --json
	[ "$(jq -c "map(.name) - [\"one\", \"two\", \"layout\"] == map(.name)" <<<"$output")" = true ]
}

@test "pull: a directory" {
	small dir
	run -0 cubby pull --name dir ./root
	run -0 cubby rmi dir
}

leaves_nothing() {
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ]
}

@test "pull: no such image, file or host" {
	run -1 --separate-stderr cubby pull nosuchthing
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == "cubby pull: "*nosuchthing* ]]
	run -1 --separate-stderr cubby pull ./absent.tar.gz
	[[ $stderr == *"there is no file or directory '"*"' here; a path of your computer is meant; "* ]]
	run -1 --separate-stderr cubby pull -q http://127.0.0.1:9/x.tar.gz
	[ "${#stderr_lines[@]}" = 1 ]
	leaves_nothing
}

@test "pull: a truncated tarball leaves nothing" {
	small cut
	head -c 100 cut.tar.gz >short.tar.gz
	run -1 --separate-stderr cubby pull -q ./short.tar.gz
	[ "${#stderr_lines[@]}" = 1 ]
	leaves_nothing
	run -0 cubby images
	[[ $output != *short* ]]
}

@test "pull: a tarball that climbs out of its root is refused" {
	mkdir -p a/b
	echo evil >evil
	tar -C a/b -czPf climb.tar.gz ../../evil
	run --separate-stderr cubby pull -q --name climb ./climb.tar.gz
	[ ! -e "$XDG_DATA_HOME/cubby/images/evil" ]
	[ -z "$(find "$XDG_DATA_HOME/cubby" -maxdepth 3 -name evil)" ]
}

@test "pull: no tarball at all" {
	head -c 5000 /dev/urandom >noise.tar.gz
	run -1 --separate-stderr cubby pull -q ./noise.tar.gz
	[ "$stderr" = "cubby pull: '$PWD/noise.tar.gz': not a tar archive" ]
	run -1 --separate-stderr cubby pull -q --name other ./noise.tar.gz
	[ "$stderr" = "cubby pull: '$PWD/noise.tar.gz': not a tar archive" ]
	leaves_nothing
}

@test "pull: a name of a registry that is a file here, too" {
	echo text >here
	CUBBY_MIRRORS=docker.io= run -1 --separate-stderr cubby pull here
	[[ $stderr == *"; the one of that name here is './here'" ]]
}

@test "pull: a full disk is told, and leaves nothing" {
	[ "$(id -u)" = 0 ] || skip "mounting a small filesystem needs root"
	unshare -m true 2>/dev/null || skip "no mount namespace here"
	head -c 20000000 /dev/urandom >big
	tar -cf big.tar big
	run unshare -m bash -c '
		mkdir -m 700 small && mount -t tmpfs -o size=4m,mode=700 tmpfs small &&
		XDG_DATA_HOME=$PWD/small cubby pull -q ./big.tar; s=$?
		find small/cubby/tmp small/cubby/images -mindepth 1; exit $s'
	[ "$status" = 1 ]
	[ "${#lines[@]}" = 1 ]
	[[ $output == *"No space left on device; 'cubby prune', 'cubby rm' and 'cubby rmi' make room, 'cubby ls' and 'cubby images' show what takes it; XDG_DATA_HOME names a larger disk for the store (~/.local/share without it)"* ]]
}

@test "a full disk: what could not become a box leaves nothing" {
	[ "$(id -u)" = 0 ] || skip "mounting a small filesystem needs root"
	unshare -m true 2>/dev/null || skip "no mount namespace here"
	mkdir -p root/usr root/etc root/bin work
	echo x >root/etc/os-release
	run unshare -m bash -c '
		mkdir -m 700 small && mount -t tmpfs -o size=1m,mode=700 tmpfs small &&
		export XDG_DATA_HOME=$PWD/small; cubby pull -q --name one ./root
		head -c 2M /dev/zero >small/fill 2>/dev/null
		cd work; cubby exec --image one -- true; s=$?
		find ../small/cubby/boxes -mindepth 1; exit $s'
	[ "$status" = 125 ]
	[[ ${lines[*]: -1} == *"cannot write 'box.json': No space left on device"* ]] || { echo "$output"; return 1; }
}

@test "prune: a disk without room for another file is what it is for" {
	[ "$(id -u)" = 0 ] || skip "mounting a small filesystem needs root"
	unshare -m true 2>/dev/null || skip "no mount namespace here"
	mkdir -p root/usr root/etc root/bin
	echo x >root/etc/os-release
	run unshare -m bash -c '
		mkdir -m 700 small && mount -t tmpfs -o nr_inodes=200,mode=700 tmpfs small &&
		export XDG_DATA_HOME=$PWD/small; cubby pull -q --name one ./root
		mkdir small/cubby/tmp/pull-of-one-that-was-killed
		while : >small/$((++i)); do :; done 2>/dev/null
		cubby prune'
	[ "$status" = 0 ] || { echo "$output"; return 1; }
	[ "${lines[*]: -1}" = "removed what 1 command began and did not end" ] || { echo "$output"; return 1; }
}

@test "a store on a read-only filesystem" {
	[ "$(id -u)" = 0 ] || skip "mounting needs root"
	unshare -m true 2>/dev/null || skip "no mount namespace here"
	run unshare -m bash -c '
		mkdir -m 700 ro && mount -t tmpfs -o ro,mode=700 tmpfs ro &&
		XDG_DATA_HOME=$PWD/ro cubby ls'
	[ "$status" = 1 ]
	[ "${#lines[@]}" = 1 ]
	[[ $output == *"Read-only file system"* ]]
}

@test "rmi: an image in use stays, unless forced" {
	cubby exec -q -- true
	run -1 --separate-stderr cubby rmi test
	[[ $stderr == *"--force"* ]]
	run -0 cubby images
	[[ $output == *test* ]]
	cubby rm -q --force
}

@test "pull: '..' in front of a path leads through no directory that a box writes" {
	mkdir inside etc
	echo x >etc/which
	tar --owner 0 --group 0 -cf beside.tar etc
	cd inside
	cubby exec -q --here -- true
	run -0 --separate-stderr cubby pull -q --name beside ../beside.tar
	[ "$(cubby images --json | jq -r '.[] | select(.name == "beside") | .source')" = "$LIB_PROJECT/beside.tar" ]
	ln -s .. up
	run -1 --separate-stderr cubby pull -q --name linked up/beside.tar
	[[ $stderr == *"leads by a link out of a directory that a box can write; name the place that you mean" ]]
	cubby rmi -q beside
	cubby rm -q --yes
}

# ended_by SIGNAL WHERE COMMAND...: cubby's, ended when something stands at WHERE
ended_by() {
	local signal=$1 where=$2 pid status=0
	shift 2
	env --default-signal=INT,TERM,HUP cubby "$@" 3>&- &
	pid=$!
	lib_until compgen -G "$where"
	kill -"$signal" "$pid"
	wait "$pid" || status=$?
	echo "$signal $1: $status"
	[ "$status" = $((128 + $(kill -l "$signal"))) ]
}

@test "save and commit: whoever ends them finds nothing half made" {
	local signal
	local tmp=$XDG_DATA_HOME/cubby/tmp
	cubby exec -q -- sh -c 'head -c 200M /dev/zero >/root/much'
	for signal in INT TERM HUP; do
		ended_by $signal 'dir/blobs/sha256/new' save "$CUBBY_IMAGE" oci:dir
		[ -z "$(ls -A dir)" ]
		ended_by $signal "$tmp/save*/layout/blobs/sha256/new" save "$CUBBY_IMAGE" docker-archive:file
		[ ! -e file ]
		ended_by $signal "$tmp/commit*/blobs/sha256/new" commit halfway
		[ -z "$(find "$tmp" -mindepth 1 -name 'save*' -o -mindepth 1 -name 'commit*')" ]
	done
	run cubby images
	[[ $output != *halfway* ]]
	ended_by KILL "$tmp/save*/layout/blobs/sha256/new" save "$CUBBY_IMAGE" docker-archive:file
	[ -n "$(find "$tmp" -mindepth 1 -name 'save*')" ]
	run -0 cubby save "$CUBBY_IMAGE" docker-archive:file
	[ -z "$(find "$tmp" -mindepth 1 -name 'save*')" ]
	run -0 cubby save "$CUBBY_IMAGE" oci:dir
	[ -e dir/index.json ]
}
