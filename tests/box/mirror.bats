# An image that scripts/mkrootfs makes: minutes, and where the mirror cannot be reached, none.
load ../lib
load toolkit

setup_file() { toolkit_setup_file; }
setup() { toolkit_setup; }

# Below the project of a box, whose programs are passed over.
@test "packages: an image of the host's distribution is made from its mirror" {
	command -v mmdebstrap >/dev/null || skip "no mmdebstrap"
	mkdir -p .venv/bin below
	printf '#!/bin/sh\ntouch "%s/ran"\nexit 3\n' "$LIB_DIR" | tee .venv/bin/sh >.venv/bin/mmdebstrap
	chmod +x .venv/bin/*
	cd below
	. /etc/os-release
	[[ $ID == debian || $ID == ubuntu ]] || skip "the host is neither Debian nor Ubuntu"
	# Where the subordinate ids that mmdebstrap works as may come.
	PATH=$LIB_PROJECT/.venv/bin:$PATH TMPDIR=/tmp run --separate-stderr timeout 280 cubby pull "$ID:$VERSION_ID"
	[ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
	[[ $stderr == *"'$ID:$VERSION_ID' is made of $VERSION_CODENAME"* ]]
	[ ! -e "$LIB_DIR/ran" ]
	mkdir "$LIB_DIR/other"
	cd "$LIB_DIR/other"
	run -0 --separate-stderr cubby exec -q --image "$ID:$VERSION_ID" -- sh -c '. /etc/os-release && echo $VERSION_CODENAME'
	[ "$output" = "$VERSION_CODENAME" ]
	cubby rm -q
}
