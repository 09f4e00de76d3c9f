# What a packager does: install into a directory, uninstall, a tarball of the sources.
load ../lib

setup_file() { lib_env; }
setup() { :; }

make_() { make -s -C "$CUBBY_TEST_TOP" VARIANT=release "$@" </dev/null; }

installed() { (cd "$1" && find . ! -type d -printf '%m %P\n' | LC_ALL=C sort -k2); }

# Each page of docs/ besides what is listed.
docs_installed() {
	(cd "$CUBBY_TEST_TOP" && printf '644 usr/share/doc/cubby/%s\n' \
		CHANGELOG.md LICENSE README.md book.md $(cd docs && ls -- *.md adr/*.md pictures/*.png recipes/* schemas/*) |
		sed 's|^644\(.*/git[a-z]*-\)|755\1|' | LC_ALL=C sort -uk2)
}

# The page of cubby serve, where it was made (make page, with npm).
page_installed() {
	local page=$CUBBY_TEST_TOP/build/release/page
	[ ! -e "$page" ] || (cd "$page" && printf '644 usr/share/cubby/page/%s\n' * | LC_ALL=C sort -k2)
}

# cubby(1), and a page for each command.
manuals_installed() {
	(cd "$CUBBY_TEST_TOP/docs/commands" && ls | sed 's/\.md$//' | grep -vx common |
		sed 's|.*|644 usr/share/man/man1/cubby-&.1|'; echo '644 usr/share/man/man1/cubby.1') | LC_ALL=C sort -k2
}

@test "make: a packager's flags, on its command line, come beside the tree's own" {
	run -0 make -n V=1 -C "$CUBBY_TEST_TOP" O="$LIB_DIR/o" CFLAGS=-O1 CPPFLAGS=-DOTHER LDFLAGS=-Wl,-z,now \
		"$LIB_DIR/o/base/err.o" "$LIB_DIR/o/cubby"
	[[ $output == *"-DOTHER -D_GNU_SOURCE -I. "*"-O1 -std=gnu17 -Wall "*" -fPIE "*"-o $LIB_DIR/o/base/err.o"* ]]
	[[ $output == *"-Wl,-z,now -pie "*"-o $LIB_DIR/o/cubby.linked"* ]]
	# Warnings fail the build with our own flags alone.
	[[ $output != *" -Werror "* ]]
	run -0 make -n V=1 -C "$CUBBY_TEST_TOP" O="$LIB_DIR/o" "$LIB_DIR/o/base/err.o"
	[[ $output == *" -Werror "* ]]
	# What is harder than ours stays.
	run -0 make -n V=1 -C "$CUBBY_TEST_TOP" O="$LIB_DIR/o" CPPFLAGS=-D_FORTIFY_SOURCE=3 "$LIB_DIR/o/base/err.o"
	[[ $output == *"-D_FORTIFY_SOURCE=3"* && $output != *"-D_FORTIFY_SOURCE=2"* ]]
}

# bats test_tags=long
@test "make install: files with their modes, in DESTDIR alone; they work there" {
	local dest=$LIB_DIR/dest
	run -0 make_ install DESTDIR="$dest" PREFIX=/usr
	[ "$(installed "$dest")" = "755 usr/bin/cubby
755 usr/libexec/cubby/cubby-init
644 usr/share/bash-completion/completions/cubby
$(page_installed && docs_installed)
644 usr/share/fish/vendor_completions.d/cubby.fish
$(manuals_installed)
644 usr/share/zsh/site-functions/_cubby" ] || { installed "$dest"; false; }
	# what a page leads to is there, but for the sources
	run -0 bash -c 'cd "$1" && for page in *.md adr/*.md; do
		grep -oE "\]\([^):# ]+" "$page" | cut -c3- | grep -v "^\(\.\./\)*\(tests\|scripts\|runtime\|rootfs\|agent\|cli\|base\)/" | while read -r to; do
			[ -e "$(dirname "$page")/$to" ] || echo "$page: $to"; done; done' sh "$dest/usr/share/doc/cubby"
	[ -z "$output" ]
	run -0 "$dest/usr/bin/cubby" --version
	[ "$output" = "cubby $(cat "$CUBBY_TEST_TOP/VERSION")" ]
	run -0 bash -c ". '$dest/usr/share/bash-completion/completions/cubby'; complete -p cubby"
	[[ $output == *"-F _cubby cubby" ]]
}

# bats test_tags=long
@test "make install again changes nothing, and uninstall leaves no file" {
	local dest=$LIB_DIR/twice before
	make_ install DESTDIR="$dest" PREFIX=/opt/cubby
	before=$(installed "$dest")
	make_ install DESTDIR="$dest" PREFIX=/opt/cubby
	[ "$(installed "$dest")" = "$before" ]
	echo mine >"$dest/opt/cubby/bin/other"
	run -0 make_ uninstall DESTDIR="$dest" PREFIX=/opt/cubby
	[ "$(installed "$dest")" = "$(stat -c %a "$dest/opt/cubby/bin/other") opt/cubby/bin/other" ]
	run -0 make_ uninstall DESTDIR="$dest" PREFIX=/opt/cubby # nothing there is no failure
}

# bats test_tags=long
@test "make dist: the sources of the last commit, and nothing that was built" {
	git -C "$CUBBY_TEST_TOP" rev-parse -q --verify HEAD >/dev/null 2>&1 ||
		skip "this is no git checkout"
	local version tar
	version=$(cat "$CUBBY_TEST_TOP/VERSION")
	tar=$CUBBY_TEST_TOP/build/cubby-$version.tar.gz
	run -0 make_ dist
	tar -xzf "$tar" -C "$LIB_DIR"
	cd "$LIB_DIR/cubby-$version"
	for f in Makefile LICENSE README.md VERSION docs/cubby.1 cli/main.c tests/run scripts/install-deps; do
		[ -e "$f" ] || { echo "no $f"; false; }
	done
	[ ! -e build ]
	[ ! -e .git ]
	[ -x tests/run ]
	[ -x scripts/install-deps ]
	run -0 scripts/check-layers
	# The same commit gives the same bytes.
	local first
	first=$(sha256sum <"$tar")
	make_ dist
	[ "$(sha256sum <"$tar")" = "$first" ]
}

@test "make demo: where no box can be started this is said before anything is fetched, with the remedy" {
	unshare -Ur true 2>/dev/null || skip "no user namespace can be made here"
	cd "$LIB_DIR" || return 1
	# A tree that is built; its host forbids namespaces by the limit of one above it.
	mkdir -p demo/scripts demo/build/release
	cp "$CUBBY_TEST_TOP/scripts/demo" "$CUBBY_TEST_TOP/scripts/demo-cat.jpg" demo/scripts
	printf '#!/bin/sh\n' >demo/scripts/install-deps
	chmod +x demo/scripts/install-deps
	echo 'all: ;' >demo/Makefile
	ln -s "$CUBBY_TEST_BIN" demo/build/release/cubby
	run -1 unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec demo/scripts/demo'
	[ "$output" = "demo: FAIL namespaces           none
demo:        why: no user namespaces allowed (user.max_user_namespaces=0)
demo:        fix: sudo sysctl -w user.max_user_namespaces=15000 (keep it: a line in /etc/sysctl.d/90-cubby.conf)
demo: no box can be started here; do what stands behind 'fix:', then run it again" ]
	[ ! -e demo/build/demo ]
}
