# The profile of `cubby doctor --apparmor`, loaded into a kernel that has AppArmor.
load ../lib

setup_file() { lib_env; }
setup() { :; }

teardown_file() {
	[ ! -s "$LIB_DIR/profile" ] || apparmor_parser -R "$LIB_DIR/profile" || true
	lib_done
}

user() { su - user -c "PATH='${CUBBY_TEST_BIN%/*}':\$PATH CUBBY_IMAGE=test; export PATH CUBBY_IMAGE; mkdir -p aa; cd aa; $1"; }

@test "it is parsed without a word, and cubby runs under it: boxes, reviews, snapshots" {
	[ -d /sys/kernel/security/apparmor ] || skip "the kernel has no AppArmor"
	[ -e /etc/apparmor.d/abi/4.0 ] || skip "AppArmor here is before 4.0: $(apparmor_parser --version | head -n 1)"
	cubby doctor --apparmor >"$LIB_DIR/profile"
	run -0 apparmor_parser -r "$LIB_DIR/profile"
	echo "$output"
	[ -z "$output" ]
	grep -q '^cubby (unconfined)$' /sys/kernel/security/apparmor/profiles
	user "cubby pull -q --name test '$CUBBY_TEST_ROOTFS'"
	run -0 user "cubby doctor"
	echo "$output"
	run -0 user "cubby exec -q -- sh -c 'cat /proc/self/attr/current; touch /opt/made; id -u'"
	echo "$output"
	[ "${lines[0]}" = "cubby (unconfined)" ]
	[ "${lines[1]}" = 0 ]
	user "cubby snapshot -q one && cubby exec -q --project review -- touch new && cubby apply -q --all && test -e new"
	user "cubby rm -q -f"
}
