# The package: lintian accepts it, a clean system installs it, uses it and loses it again; the
# source tarball builds from itself.
bats_require_minimum_version 1.5.0
load ../lib

setup_file() {
	lib_env
	command -v dpkg-shlibdeps >/dev/null || lib_skip_file "this is no system with dpkg-dev"
	[ -w "$CUBBY_TEST_TOP/build" ] || lib_skip_file "the tree cannot be built by this user"
	[ -z "${LIB_SKIP-}" ] || return 0
	lib_image
	DEB=$CUBBY_TEST_TOP/$("$CUBBY_TEST_TOP/scripts/package")
	export DEB
}
teardown_file() { lib_done; }
setup() {
	lib_skipped
	lib_project
}

@test "package: lintian has nothing against it" {
	command -v lintian >/dev/null || skip "there is no lintian here"
	run -0 lintian --allow-root --fail-on error,warning "$DEB"
	! grep -E '^[EW]:' <<<"$output"
}

@test "package: a clean system installs it, uses it, and loses it without a trace" {
	cp "$DEB" cubby.deb
	cubby exec -q -- apt-get -qq update >update.log 2>&1 && ! grep -q '^[WE]:' update.log ||
		skip "the image's package mirror cannot be reached from here"
	cubby exec -q -- sh -c 'find /usr /etc -name "*cubby*" | sort' >before
	run -0 cubby exec -q -- sh -c 'DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends ./cubby.deb >log 2>&1 || cat log >&2
		cubby --version; cubby ls; test -s /usr/share/doc/cubby/project.md && bash -n /usr/share/bash-completion/completions/cubby'
	[[ $output == "cubby $(cat "$CUBBY_TEST_TOP/VERSION")"* ]]
	run -0 cubby exec -q -- sh -c 'ldd /usr/bin/cubby /usr/libexec/cubby/cubby-init 2>&1; true'
	[[ $output != *"not found"* ]]
	run -0 cubby exec -q -- sh -c 'apt-get -qq purge -y cubby >log 2>&1 || cat log >&2; find /usr /etc -name "*cubby*" | sort'
	[ "$output" = "$(cat before)" ]
}

@test "package: the source tarball builds from itself" {
	git -C "$CUBBY_TEST_TOP" rev-parse HEAD >/dev/null 2>&1 || skip "this tree is no git repository"
	make -s -C "$CUBBY_TEST_TOP" dist >/dev/null
	tar -xzf "$CUBBY_TEST_TOP/build/cubby-$(cat "$CUBBY_TEST_TOP/VERSION").tar.gz"
	cd cubby-*
	run -0 env CCACHE_BASEDIR="$PWD" HOME=/root make -s -j2
	run -0 build/release/cubby --version
}
