# A machine that forbids user namespaces to ordinary users (tests/vm/run refused).
load ../lib

setup_file() { :; }
setup() {
	lib_env
	lib_project
}

teardown() { lib_done; }

@test "no user namespaces: the cause, the remedy, status 5" {
	run -125 --separate-stderr cubby exec true
	run ! cubby doctor
	[[ $output == *"kernel.unprivileged_userns_clone=0"* ]] || { echo "$output"; false; }
	[[ $output == *"sudo sysctl -w kernel.unprivileged_userns_clone=1"* ]]
}
