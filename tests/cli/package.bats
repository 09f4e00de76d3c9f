# The package: lintian accepts it, a clean system installs it, uses it and loses it again; the
# source tarball builds from itself.
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

# dpkg as it works on a system, in a directory of its own.
@test "package: a newer one takes the place of an older one while a box runs, and settings stay" {
	[ "$(id -u)" -eq 0 ] || skip "only root can install a package"
	local root=$PWD/root new id
	mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/home" there
	touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
	place() { dpkg --root="$root" --force-depends --force-script-chrootless --log=/dev/null -i "$1" >log 2>&1 || { cat log; return 1; }; }
	place "$DEB"
	local cubby=$root/usr/bin/cubby
	"$cubby" set -q -C there memory=1G
	id=$("$cubby" exec -q -C there --detach -- sh -c 'echo begun; exec sleep 1000')
	# a later version of the same: only its number is another
	dpkg-deb -R "$DEB" next
	sed -i 's/^Version: .*/Version: 9.9.9/' next/DEBIAN/control
	new=$(mktemp -u "$PWD/XXXXXX.deb")
	dpkg-deb --root-owner-group -b next "$new" >/dev/null
	local was
	was=$(stat -c %i "$cubby")
	place "$new"
	[ "$(stat -c %i "$cubby")" != "$was" ] # another file
	[ "$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${Version}' cubby)" = 9.9.9 ]
	# What ran runs on, is joined, has network, is watched, and ends when it is asked to.
	run -0 "$cubby" exec -q -C there -- sh -c 'kill -0 "$1" && cat /proc/"$1"/cmdline | tr "\0" " "' sh "$id"
	[ "$output" = "sleep 1000 " ]
	run -0 "$cubby" logs -C there "$id"
	[ "$output" = begun ]
	run -0 "$cubby" ports -C there --publish 0:8000
	run -0 "$cubby" config -C there --json
	[ "$(jq -r '.[] | select(.name == "memory") | "\(.value) \(.from)"' <<<"$output")" = "1G box" ] || { echo "$output"; return 1; }
	run -0 "$cubby" stop -q -C there
	run -0 "$cubby" exec -q -C there -- echo again # a start by the new one
	[ "$output" = again ]
	"$cubby" rm -q -y -C there
	# and it goes again
	dpkg --root="$root" --force-script-chrootless --log=/dev/null -P cubby >log 2>&1 || { cat log; return 1; }
	[ ! -e "$cubby" ]
}

@test "install: install-strip leaves out what debuggers read, and works" {
	run -0 make -s -C "$CUBBY_TEST_TOP" install-strip DESTDIR="$PWD/to" PREFIX=/usr
	[ "$(stat -c %s to/usr/bin/cubby)" -lt "$(stat -c %s "$CUBBY_TEST_TOP/build/release/cubby")" ]
	run ! grep -q . <(nm to/usr/bin/cubby 2>/dev/null)
	mkdir there
	run -0 to/usr/bin/cubby exec -q -C there -- echo works
	[ "$output" = works ]
	cubby rm -q -y -C there
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
	# What the administrator changed in it stays over an upgrade, which says so where both have changed it.
	run -0 cubby exec -q -- sh -c 'dpkg-deb -R "$1" next && sed -i "s/^Version: .*/Version: 99/" next/DEBIAN/control
		dpkg-deb -Zgzip -z1 -b next 1.deb >log && dpkg -i 1.deb >log 2>&1 </dev/null || cat log
		tail -n 1 /etc/apparmor.d/cubby
		echo "# of a new version" >>next/etc/apparmor.d/cubby; sed -i "s/^Version: .*/Version: 100/" next/DEBIAN/control
		dpkg-deb -Zgzip -z1 -b next 2.deb >log && dpkg --force-confold -i 2.deb >log 2>&1 </dev/null || cat log
		tail -n 1 /etc/apparmor.d/cubby; ls /etc/apparmor.d/ | grep cubby' sh "$deb"
	[ "$output" = $'nonsense,\nnonsense,\ncubby\ncubby.dpkg-dist' ]
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
