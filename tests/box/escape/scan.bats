# What the well-known scanners look for from inside (amicontained, deepce, CDK): K41.
# They are in no registry that the tests may use; their findings are listed here, and
# tests/box/escape/scan.sh looks for each of them with the image's own tools.
load ../../lib
load escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }

@test "K41: a scanner of containers finds nothing to use" {
	cp "$CUBBY_TEST_TOP/tests/box/escape/scan.sh" .
	export SCAN_HOME=$HOME SCAN_STORE=$XDG_DATA_HOME SCAN_RUN=$XDG_RUNTIME_DIR
	export AWS_SECRET_ACCESS_KEY=k41secret KUBECONFIG=/k41secret
	run -0 cubby exec --env SCAN_HOME --env SCAN_STORE --env SCAN_RUN -- sh scan.sh
	echo "$output"
	[ "${lines[-1]}" = scanned ]
	# Nothing but what it says of itself.
	[ "$(grep -vcE '^(scanned|fact: .*)$' <<<"$output")" = 0 ]
	[[ $output == *"fact: seccomp 2"* ]]
	[[ $output == *"fact: no_new_privs 1"* ]]
	[[ $output == *"fact: userns yes"* ]]
}

@test "K41: and with the network of the host, nothing but the network" {
	cp "$CUBBY_TEST_TOP/tests/box/escape/scan.sh" .
	run -0 cubby exec -q --net host -- sh scan.sh
	[ "${lines[-1]}" = scanned ]
	[ "$(grep -vcE '^(scanned|fact: .*)$' <<<"$output")" = 0 ]
}
