# doctor: can this host run boxes.
load ../lib

@test "doctor: a row per facility, and a box that started" {
	run -0 cubby doctor
	[[ $output == *"namespaces"*"id map"*"boxes share"*"root filesystem"*"review of changes    they wait for a task's end"*"a box                started and removed"* ]]
	[[ $output != *FAIL* ]]
}

@test "doctor: an image that has nothing to run is no reason why a box cannot be started" {
	mkdir none
	echo x >none/file
	cubby pull -q --name 0 "$PWD/none"
	run -0 cubby doctor
	[[ $output == *"a box                started and removed"* ]]
	cubby rmi -q 0
}

@test "doctor: as JSON" {
	run -0 cubby doctor --json
	[ "$(jq -r .ok <<<"$output")" = true ]
	[ "$(jq -r '.facilities[] | select(.id == "box") | .rung' <<<"$output")" = "started and removed" ]
	[ "$(jq -r '.facilities[] | select(.id == "review") | .rung' <<<"$output")" = "they wait for a task's end" ]
	[ "$(jq '[.facilities[] | select(.fatal)] | length' <<<"$output")" = 0 ]
}

@test "doctor: says what boxes share, by the id map that they have" {
	run -0 cubby doctor --json
	local row map
	row=$(jq -r '.facilities[] | select(.id == "sharing") | .rung' <<<"$output")
	cubby exec -q -- true
	map=$(cubby info --json | jq -r .map.kind)
	echo "$map: $row"
	case $map in
	root) [[ $row == "nothing: each that runs has ids of its own" || $row == "one range of ids" ]] ;;
	real-root) [ "$row" = "root, all that the kernel counts by user" ] ;;
	single) [ "$row" = "the account, all that the kernel counts by user" ] ;;
	subuid) [ "$row" = "the account's pipes, inotify, descriptors in flight" ] ;;
	*) false ;;
	esac
	cubby rm -q -y
}

@test "doctor: leaves no box and no directory" {
	cubby doctor >/dev/null
	run -0 cubby ls --json
	[ "$output" = "[]" ]
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ]
}

@test "doctor: interrupted with its box there it leaves no box and no directory either" {
	local n pid status=0 caught=0
	mkdir tmp
	for ((n = 0; n < 20 && caught < 3; n++)); do
		TMPDIR=$PWD/tmp env --default-signal=INT cubby doctor >/dev/null 2>&1 3>&- &
		pid=$!
		# It is there for some hundredths of a second.
		until compgen -G 'tmp/cubby-doctor-*' >/dev/null || ! kill -0 "$pid" 2>/dev/null; do :; done
		kill -INT "$pid" 2>/dev/null || true
		wait "$pid" && status=0 || status=$?
		[ "$status" != 130 ] || caught=$((caught + 1))
		[ -z "$(ls tmp)" ]
	done
	[ "$caught" = 3 ]
	run -0 cubby ls --json
	[ "$output" = "[]" ]
}

@test "doctor: without an image it says how to get one" {
	XDG_DATA_HOME=$LIB_PROJECT/empty run cubby doctor
	[[ $output == *"not tried"*"cubby pull ubuntu"* ]]
}

@test "doctor: the AppArmor profile names the binary" {
	run -0 cubby doctor --apparmor
	[[ $output == *userns* ]]
	[[ $output == *"$(readlink -f "$(command -v cubby)")"* ]]
}

@test "doctor: AppArmor's parser accepts the profile" {
	command -v apparmor_parser >/dev/null && [ -e /etc/apparmor.d/abi/4.0 ] ||
		skip "there is no AppArmor 4 here"
	cubby doctor --apparmor >profile
	run -0 apparmor_parser -Q -K -S profile
}

@test "no user namespaces: one line and status 5, from every command that starts a box" {
	[ "$(id -u)" = 0 ] || skip "closing user namespaces needs root"
	# A child namespace whose own limit is 0 can make none below it.
	unshare -Ur --fork bash -c 'echo 0 >/proc/sys/user/max_user_namespaces' 2>/dev/null ||
		skip "the limit of a user namespace cannot be set here"
	run -5 --separate-stderr unshare -Ur --fork bash -c '
		echo 0 >/proc/sys/user/max_user_namespaces
		XDG_DATA_HOME=$LIB_DIR/other cubby doctor >doctor.out; s=$?
		grep -q FAIL doctor.out || echo "no FAIL"
		exit $s'
	run -125 --separate-stderr unshare -Ur --fork bash -c '
		echo 0 >/proc/sys/user/max_user_namespaces
		XDG_DATA_HOME=$LIB_DIR/other cubby exec -- true'
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *max_user_namespaces* ]]
}
