# cubby inside a container of another engine: the daemon of this host's distribution on a
# socket, with data and a network (none) of its own, started and ended by this file.
load ../lib
load ../box/escape/escape

start_dockerd() {
	mkdir -p "$ENGINE/data" "$ENGINE/exec"
	dockerd --host "unix://$ENGINE/sock" --data-root "$ENGINE/data" --exec-root "$ENGINE/exec" \
		--pidfile "$ENGINE/pid" --bridge=none --iptables=false --ip6tables=false \
		>"$ENGINE/log" 2>&1 </dev/null 3>&- &
	DOCKERD=$!
	export DOCKERD
	local i
	for ((i = 0; i < $(lib_longer 1200); i++)); do
		! docker version >/dev/null 2>&1 || return 0
		kill -0 "$DOCKERD" 2>/dev/null || break
		read -rt 0.1 <> <(:) || true
	done
	return 1
}

# What the remedy says for containers without CAP_SYS_ADMIN.
mend='chmod u-s /usr/bin/newuidmap /usr/bin/newgidmap; setcap cap_setuid=ep /usr/bin/newuidmap
	setcap cap_setgid=ep /usr/bin/newgidmap'

# An image "host", in it the user "dev" with a subordinate range; and "mended".
make_image() { # TARBALL
	{
		zstd -qdc "$1" | docker import --change 'ENV PATH=/cubby:/usr/sbin:/usr/bin:/sbin:/bin' - bare &&
			docker run --name maker --network none bare useradd -m -s /bin/sh dev &&
			docker commit maker host && docker rm maker &&
			docker run --name maker --network none host sh -ec "$mend" &&
			docker commit maker mended && docker rm maker
	} >"$ENGINE/image.log" 2>&1
}

last_line() { grep -v '^$' "$1" | tail -n 1 | cut -c1-300; }

why_not() {
	if [ "$(id -u)" != 0 ]; then
		echo "dockerd wants root"
	elif ! command -v dockerd >/dev/null || ! command -v docker >/dev/null; then
		echo "docker is not installed (scripts/install-deps --engine)"
	fi
}

setup_file() {
	lib_skip_file "$(why_not)"
	[ -z "$LIB_SKIP" ] || return 0
	# Before HOME is a private one, for it is cached there.
	ENGINE_TAR=${ENGINE_TAR:-$("$BATS_TEST_DIRNAME/rootfs")}
	export ENGINE_TAR
	lib_env
	# Beside /tmp, which may be in memory; short, for there are sockets in it.
	ENGINE=$(mktemp -d /var/tmp/cubby-e.XXXXXX)
	export ENGINE DOCKER_HOST=unix://$ENGINE/sock DOCKER_CONFIG=$ENGINE/config
	start_dockerd || {
		lib_skip_file "dockerd does not run here: $(last_line "$ENGINE/log")"
		return 0
	}
	make_image "$ENGINE_TAR" || { cat "$ENGINE/image.log"; return 1; }
	mkdir "$ENGINE/bin"
	cp "$CUBBY_TEST_BIN" "$(dirname "$CUBBY_TEST_BIN")/cubby-init" "$ENGINE/bin/"
	chmod 711 "$LIB_DIR"
	mv "$(escape_image box)" "$ENGINE/box"
	cat >"$ENGINE/bin/task.jsonl" <<-'END'
	{"type":"task","task":"say hello"}
	{"type":"response","message":{"role":"assistant","tool_calls":[{"function":{"name":"shell","arguments":{"command":"echo hello >hello.txt"}}}]}}
	{"type":"response","message":{"role":"assistant","content":"hello.txt is there."}}
	END
}

teardown_file() {
	[ -n "${ENGINE-}" ] || return 0
	local i
	if [ -n "${DOCKERD-}" ] && kill "$DOCKERD" 2>/dev/null; then
		for ((i = 0; i < 600; i++)); do
			[ -d "/proc/$DOCKERD" ] || break
			read -rt 0.1 <> <(:) || true
		done
	fi
	rm -rf "$ENGINE"
	lib_done
}

setup() {
	lib_skipped
	VOLUME=$(mktemp -d "$ENGINE/volume.XXXXXX")
	chmod 777 "$VOLUME"
}

# contained SCRIPT OPTION...: runs it in a container of $IMAGE with a project
contained() {
	local script=$1
	shift
	run timeout -k 10 "$(lib_longer 300)" docker run --rm --network none --volume "$ENGINE/bin:/cubby:ro" \
		--volume "$ENGINE/box:/box:ro" --volume "$VOLUME:/volume" "$@" "${IMAGE:-host}" sh -c '
		mkdir -p ~/project && cd ~/project || exit
		'"$script"
	echo "$output"
}

open=(--security-opt seccomp=unconfined --security-opt apparmor=unconfined
	--security-opt systempaths=unconfined)

# Every command that would start a box says the one cause and its remedy.
refusals='cubby doctor >doctor.out 2>&1; echo "doctor: $?"
	grep -A2 FAIL doctor.out
	cubby pull -q --name box /box; echo "pull: $?"
	cubby exec --image box -- true; echo "exec: $?"
	cubby --image box --shell-command sh --replay /cubby/task.jsonl; echo "task: $?"'

refused() { # CAUSE FIX
	[[ $output == *"doctor: 5"*"exec: 125"*"task: 5"* ]]
	[[ $output == *"why: $1"*"fix: $2"* ]]
	[[ $output == *"cubby exec: "*"$1; fix: $2"* ]]
}

works='cubby pull -q --name box /box && cubby doctor && echo "doctor: $?"
	cubby exec --keep --image box -- sh -c "echo in the box; cat /proc/self/uid_map; echo made >file"
	cubby info --json >info; stat -c "owner %U" file
	cubby exec -- sh -c "echo again >/root/kept"; cubby stop -q; cubby exec -- cat /root/kept
	cubby -q --shell-command sh --replay /cubby/task.jsonl && cat hello.txt
	printf "json: "; cat info; cubby rm -q'

info() { # MEMBER: of what the box said while it ran
	sed -n 's/^json: //p' <<<"$output" | jq -r "$1"
}

root_works() {
	[[ $output == *"doctor: 0"*"in the box"*"owner root"*"again"*"hello.txt is there."*"hello"* ]]
	[ "$(info .root)" = overlay ]
	[ "$(info .map.kind)" = root ]
}

limited() { [ "$(info .cgroup)" != rlimits ]; }

# First, for it is the one that an emulated machine runs (tests/vm/inside).
@test "privileged, root: everything works" {
	run docker run --rm --network none --privileged host true
	[ "$status" -ne 125 ] || skip "docker starts nothing privileged here: ${lines[0]}"
	contained "$works" --privileged --env HOME=/volume
	root_works
	limited && return
	# Pure v2: the container's own processes are in the way, and the remedy that is named works.
	[[ $output == *"are in the way"*"fix: move them, as root: "* ]]
	local remedy
	remedy=$(sed -n 's/^ *fix: move them, as root: //p' <<<"$output" | head -n 1)
	VOLUME=$(mktemp -d "$ENGINE/volume.XXXXXX")
	contained "{ $remedy; } 2>/dev/null; $works" --privileged --env HOME=/volume
	root_works
	[ "$(info .cgroup)" = v2 ]
}

@test "default profile: no box, and what to start the container with" {
	for user in root dev; do
		contained "$refusals" --user $user
		refused "this container forbids new namespaces (seccomp)" \
			"docker run --security-opt seccomp=unconfined "
	done
}

@test "seccomp unconfined alone: /proc is masked, and the option for that is named" {
	contained "$refusals" --user dev --security-opt seccomp=unconfined
	refused "/proc is partly masked here, so the kernel refuses a fresh one" \
		"docker run --security-opt systempaths=unconfined"
}

worked() { # MAP ROOT OWNER
	[[ $output == *"doctor: 0"*"in the box"*"owner $3"*"again"*"hello.txt is there."*"hello"* ]]
	[[ $output != *FAIL* ]]
	[ "$(info .map.kind)" = "$1" ]
	[ "$(info .root)" = "$2" ]
}

@test "unconfined, an ordinary user: simulated users on the container's disk, and the remedies" {
	contained "$works" --user dev "${open[@]}"
	worked single copy dev
	[[ $output == *"newuidmap: write to uid_map failed"*"fix: in the container's image: chmod u-s /usr/bin/newuidmap /usr/bin/newgidmap; setcap"* ]]
	[[ $output == *"the store is on overlay, which cannot hold an overlay upper"* ]]
	[[ $output == *"no cgroup: memory and process limits are best effort"* ]]
	[[ $output != *"are in the way"* ]] # who may not write to cgroups is not told to
}

@test "unconfined, an ordinary user: those remedies give an overlay and subordinate ids" {
	IMAGE=mended contained "$works" --user dev "${open[@]}" --env XDG_DATA_HOME=/volume/data
	worked subuid overlay dev
	contained "$works" --user dev "${open[@]}" --cap-add SYS_ADMIN
	worked subuid copy dev
}

@test "unconfined, an ordinary user: a whole distribution with its own users" {
	IMAGE=mended contained 'cubby pull -q --name box /rootfs.tar.zst && cubby exec --image box -- sh -c "
			apt-get --version | head -n 1; stat -c %G /etc/shadow; su nobody -s /bin/sh -c id"' \
		--user dev "${open[@]}" --env XDG_DATA_HOME=/volume/data \
		--volume "$ENGINE_TAR:/rootfs.tar.zst:ro"
	[ "$status" -eq 0 ]
	[[ $output == *"apt "*"shadow"*"(nobody)"* ]]
}

@test "unconfined and no new privileges: simulated users, and why" {
	contained "$works" --user dev "${open[@]}" --security-opt no-new-privileges
	worked single copy dev
	[[ $output == *"newuidmap does not work ("*"users other than root are simulated"* ]]
}

@test "unconfined, a user without a name" {
	contained "$works" --user 4321 --env HOME=/volume "${open[@]}"
	worked single overlay UNKNOWN
	[[ $output == *"no subordinate ids for 4321"* ]]
}

@test "unconfined, root of the container without its privileges" {
	contained "$works" "${open[@]}"
	[[ $output == *"in the box"*"owner root"*"again"*"hello.txt is there."*"hello"* ]]
	[[ $output != *"are in the way"* ]]
}

# What that option gives, one by one, with the capabilities that this host has.
@test "as good as privileged, root: everything works" {
	have=$(sed -n 's/^CapBnd:\t/0x/p' /proc/self/status)
	drop=()
	(((have >> 24) & 1)) || drop=(--cap-drop SYS_RESOURCE) # as where a virtual machine took it
	contained "$works" "${open[@]}" --cap-add ALL "${drop[@]}" --device-cgroup-rule 'a *:* rwm' \
		--volume /sys/fs/cgroup:/sys/fs/cgroup --env HOME=/volume
	root_works
	limited
}

@test "privileged, an ordinary user" {
	contained "$works" --privileged --user dev
	worked subuid copy dev
}
