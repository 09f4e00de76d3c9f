# What cubby says of itself in each scenario of tests/vm/run.
bats_require_minimum_version 1.5.0
load ../lib

setup_file() {
	lib_env
	lib_image
}

teardown_file() { lib_done; }

setup() { lib_project; }

info() { # MEMBER: of a running box
	cubby exec --keep true
	cubby info --json | jq -r "$1"
	cubby stop -q
}

@test "the id map is the best that this machine can do" {
	case $VM_SCENARIO in
	root | v1) [ "$(info .map.kind)" = root ] ;;
	*) [ "$(info .map.kind)" = "$VM_SCENARIO" ] ;;
	esac
}

@test "the limits are held by a cgroup" {
	kind=$(info .cgroup)
	echo "cgroup: $kind"
	case $VM_SCENARIO in
	v1) [ "$kind" = v1 ] ;;
	*) [ "$kind" = v2 ] || [ "$kind" = systemd ] ;;
	esac
}
