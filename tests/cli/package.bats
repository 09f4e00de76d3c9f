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

@test "package: made again of the same commit it is the same, byte for byte" {
	git -C "$CUBBY_TEST_TOP" rev-parse HEAD >/dev/null 2>&1 || skip "this tree is no git repository"
	sleep 1.1 # times in it have seconds
	run -0 "$CUBBY_TEST_TOP/scripts/package" "$PWD"
	cmp "$DEB" cubby_*.deb
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

@test "package: where AppArmor wants a profile it has one, which that system's parser accepts, and takes it away" {
	local root deb
	root=$("$CUBBY_TEST_TOP/scripts/mkrootfs" --suite trixie --include apparmor 2>log) ||
		skip "no root filesystem of Debian 13 with apparmor: $(tail -n 1 log)"
	# A system with AppArmor 4, as far as the package looks for it.
	unshare -m bash -ec 'mount -t tmpfs none /etc/apparmor.d; mkdir /etc/apparmor.d/abi; touch /etc/apparmor.d/abi/4.0
		"$CUBBY_TEST_TOP/scripts/package" "$PWD"' || skip "a mount namespace with another /etc/apparmor.d cannot be made here"
	deb=$(basename cubby_*.deb)
	if command -v lintian >/dev/null; then
		run -0 lintian --allow-root --fail-on error,warning "$deb"
	fi
	cubby pull -q --name apparmor13 "$root" >/dev/null
	cubby exec -q --image apparmor13 -- apt-get -qq update >update.log 2>&1 && ! grep -q '^[WE]:' update.log ||
		skip "the mirror of Debian 13 cannot be reached from a box"
	run -0 cubby exec -q -- sh -c 'DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends ./"$1" >log 2>&1 || cat log >&2
		cat /etc/apparmor.d/cubby; cat /var/lib/dpkg/info/cubby.conffiles; apparmor_parser -Q -K -S /etc/apparmor.d/cubby | wc -c
		echo "nonsense," >>/etc/apparmor.d/cubby; ! apparmor_parser -Q -K -S /etc/apparmor.d/cubby 2>/dev/null; echo $?' sh "$deb"
	[[ $output == *$'\nprofile cubby /usr/bin/cubby flags=(unconfined) {\n'*$'\n/etc/apparmor.d/cubby\n'* ]]
	[ "${lines[-2]}" -gt 100 ]
	[ "${lines[-1]}" = 0 ]
	run -0 cubby exec -q -- sh -c 'apt-get -qq purge -y cubby >log 2>&1 || cat log >&2; ls /etc/apparmor.d/cubby 2>&1; true'
	[[ $output == *"No such file"* ]]
	cubby rm -q --yes
	cubby rmi -q apparmor13
}

@test "package: the source tarball builds from itself" {
	git -C "$CUBBY_TEST_TOP" rev-parse HEAD >/dev/null 2>&1 || skip "this tree is no git repository"
	make -s -C "$CUBBY_TEST_TOP" dist >/dev/null
	tar -xzf "$CUBBY_TEST_TOP/build/cubby-$(cat "$CUBBY_TEST_TOP/VERSION").tar.gz"
	cd cubby-*
	run -0 env CCACHE_BASEDIR="$PWD" HOME=/root make -s -j2
	run -0 build/release/cubby --version
}
