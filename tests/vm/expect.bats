# What cubby says of itself in each scenario of tests/vm/run.
load ../lib

setup() {
	lib_project
	case $VM_SCENARIO in
	root | v1) map=root ;;
	*) map=$VM_SCENARIO ;;
	esac
	case $VM_SCENARIO in
	root) method=v2 ;;
	v1) method=v1 ;;
	*) method=systemd ;; # the user manager's, for nothing is delegated to a login
	esac
}

@test "info: the id map, the root, the limits and the gate are the best of this machine" {
	cubby exec --keep true
	run -0 cubby info --json
	cubby stop -q
	echo "$output"
	[ "$(jq -r .map.kind <<<"$output")" = "$map" ]
	[ "$(jq -r .cgroup <<<"$output")" = "$method" ]
	[ "$(jq -r .root <<<"$output")" = overlay ]
	[ "$(jq -r .caught <<<"$output")" = held ]
	[ "$(jq -r .why <<<"$output")" = "" ]
}

@test "doctor: the same, nothing fatal, and a lesser map with its reason" {
	run --separate-stderr cubby doctor --json
	echo "$output $stderr"
	facility() { jq -r --arg id "$1" ".facilities[] | select(.id == \$id).$2" <<<"$output"; }
	[ "$status" -eq 0 ]
	[ "$(jq .ok <<<"$output")" = true ]
	[ "$(facility idmap rung)" = "$map" ]
	[ "$(facility cgroup rung)" = "$method" ]
	[[ $(facility cgroup reason) == null || $(facility cgroup reason) == D14 ]]
	[ "$(facility root rung)" = overlay ]
	[ "$(facility box rung)" = "started and removed" ]
	[ "$VM_SCENARIO" != single ] || [ "$(facility idmap reason)" = D11 ]
	[ "$VM_SCENARIO" = single ] || [ "$(facility idmap cause)" = "" ]
}

@test "an ordinary user of a machine with v1 alone: limits are best effort, and that is said" {
	[ "$VM_SCENARIO" = v1 ] || skip "the machine has v2"
	mkdir -m 711 "$LIB_DIR/user"
	chmod 711 "$LIB_DIR"
	chown user: "$LIB_DIR/user"
	cat >"$LIB_DIR/user/script" <<-'END'
	export HOME=$1 XDG_DATA_HOME=$1/data XDG_RUNTIME_DIR=$1/run
	mkdir -m 700 "$1/run" "$1/project" && cd "$1/project" || exit
	cubby pull -q --name test "$CUBBY_TEST_ROOTFS" || exit
	cubby exec --keep --memory 256M -- echo started || exit
	cubby info --json
	cubby rm -q -f
	END
	run -0 --separate-stderr env -u CUBBY_TEST_STORE setpriv --reuid=user --regid=user --init-groups \
		bash "$LIB_DIR/user/script" "$LIB_DIR/user"
	echo "$output $stderr"
	[ "${lines[1]}" = started ]
	json=$(sed 1,2d <<<"$output")
	[ "$(jq -r .cgroup <<<"$json")" = rlimits ]
	[[ $(jq -r .why <<<"$json") == *"no cgroup: memory and process limits are best effort"* ]]
}
