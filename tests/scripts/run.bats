# tests/run counts what its tests say; here in a tree that has nothing else.
load ../lib

setup_file() { :; }
setup() {
	lib_env
	cd "$LIB_DIR"
	mkdir -p tests/cli tests/box/escape
	cp "$CUBBY_TEST_TOP/tests/run" tests/
	echo 'all probes-build:' >Makefile
	export CUBBY_TEST_ROOTFS=none
	unset AGAIN
}
teardown() { lib_done; }

bats_test() { printf '@test "%s" {\n%s\n}\n' "$1" "$2"; } # NAME BODY

bats_file() { # PATH, the body of its one test from standard input
	bats_test it "$(cat)" >"tests/$1.bats"
}

@test "run: passed, skipped with the reason, and failed with the output" {
	bats_file cli/good <<<true
	bats_file cli/skips <<<'skip "no reason to run"'
	run -0 tests/run --no-deps cli
	[[ $output == *"cli/skips: it: no reason to run"* ]]
	[ "${lines[-1]}" = "2 passed, 0 failed, 1 skipped" ] # with the build
	bats_file cli/bad <<<'echo some words; false'
	run -1 tests/run --no-deps cli
	[[ $output == *"FAIL  cli/bad "*"some words"*"failed:"*"cli/bad"* ]]
	[ "${lines[-1]}" = "2 passed, 1 failed, 1 skipped" ]
}

@test "run: nothing of that name is a failure, and so is a file without tests" {
	run -1 tests/run --no-deps cli/absent
	[[ $output == *"no test is called 'cli/absent'"* ]]
	echo 'true' >tests/cli/empty.bats
	run -1 tests/run --no-deps cli
}

@test "run: AGAIN=1: what passes only alone is named, what never passes fails" {
	bats_file cli/once <<<'[ -e seen ] || { touch seen; false; }'
	AGAIN=1 run -0 tests/run --no-deps cli
	[[ $output == *"unsteady"*"cli/once"* ]]
	[ "${lines[-1]}" = "2 passed, 0 failed, 0 skipped" ]
	rm seen
	run -1 tests/run --no-deps cli
	bats_file cli/once <<<false
	AGAIN=1 run -1 tests/run --no-deps cli
	[ "${lines[-1]}" = "1 passed, 1 failed, 0 skipped" ]
}

@test "run: AGAIN=1: an escape is not asked twice" {
	bats_file box/escape/once <<<'[ -e seen ] || { touch seen; false; }'
	AGAIN=1 run -1 tests/run --no-deps box/escape/once
	[ "${lines[-1]}" = "2 passed, 1 failed, 0 skipped" ]
}

@test "run: every test is in one pass, fuzzers and races are in each in their way, and without time it is said" {
	cd "$CUBBY_TEST_TOP"
	[ -e tests/unit/unit.h ] || skip "not the whole tree"
	tests/run --list --no-deps | grep . | sort >"$LIB_DIR/check"
	tests/run --list --no-deps --long | grep . | sort >"$LIB_DIR/long"
	[ -z "$(comm -12 "$LIB_DIR/check" "$LIB_DIR/long" | grep -v -e "^box/escape/race$" -e "^box/escape/starts$" -e "^box.*/lifecycle$" -e "^fault/r[ou]")" ]
	[ "$(sed -n 's,^replay/,,p' "$LIB_DIR/check")" = "$(sed -n 's,^fuzz/,,p' "$LIB_DIR/long")" ]
	grep -q ^replay/untar "$LIB_DIR/check"
	grep -qx box/escape/race "$LIB_DIR/check"
	[ "$(id -u)" -ne 0 ] || grep -q ^box-subuid/escape/ "$LIB_DIR/check"
	grep -qx rules/tidy "$LIB_DIR/long"
	for suite in asan box cli fault scripts; do
		grep -q "^$suite/" "$LIB_DIR/check"
	done
	[ "$(sort -u "$LIB_DIR/check" "$LIB_DIR/long")" = "$(tests/run --list --no-deps --all | grep . | sort -u)" ]
	run -0 tests/run --list --no-deps quick
	[[ $output == *rules/format* && $output == *unit/base* && $output != *rules/tidy* ]]
	! grep -qE "^(box|asan|cli|fuzz|replay)" <<<"$output"
}

@test "run: a row that is marked as long is in that pass alone, and in any where its file is named" {
	{
		bats_test short true
		echo '# bats test_tags=long'
		bats_test long 'skip "no time today"'
	} >tests/cli/two.bats
	mkdir -p scripts
	for name in check-layers check-symbols lint; do
		printf '#!/bin/sh\n' >"scripts/$name"
		chmod 755 "scripts/$name"
	done
	echo 'headers tidy objects unit-build faults-build fuzz-build:' >>Makefile
	run -0 tests/run --no-deps
	[[ $output == *"ok    cli/two "*" 1 passed  "* && $output != *"no time today"* ]]
	run -0 tests/run --no-deps --long
	[[ $output == *"ok    cli/two:long "*" 0 passed, 1 skipped  "*"no time today"* ]]
	run -0 tests/run --no-deps cli/two
	[[ $output == *"ok    cli/two "*" 1 passed, 1 skipped  "* ]]
}

@test "run: a long test that has no time left is skipped, and said" {
	mkdir -p tests/engine scripts
	bats_file engine/one <<<false
	for name in check-layers check-symbols lint; do
		printf '#!/bin/sh\n' >"scripts/$name"
		chmod 755 "scripts/$name"
	done
	echo 'headers tidy objects unit-build faults-build fuzz-build:' >>Makefile
	run -0 tests/run --no-deps --all --within 0
	[[ $output == *"engine/one: no time was left for it (tests/run --long)"* ]]
	[[ $output == *"rules/tidy: no time was left"* && $output == *"ok    rules/layers"* ]]
}
