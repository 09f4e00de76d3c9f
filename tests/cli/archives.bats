# Archives as real programs write them: every compression, GNU's sparse files, cuts.
bats_require_minimum_version 1.5.0
load ../lib

setup_file() {
	lib_env
}
teardown_file() { lib_done; }
setup() {
	lib_project
	mkdir -p root/etc
	echo "ID=archive-$RANDOM-$BATS_TEST_NUMBER" >root/etc/os-release
}

files() { # JSON of a pull
	echo "$XDG_DATA_HOME/cubby/images/$(jq -r .dir <<<"$1")/rootfs"
}

@test "pull: plain, gzip, xz, bzip2 and zstd, whatever the name says" {
	tar -C root -cf plain .
	gzip -c plain >gzip
	xz -c plain >xz
	bzip2 -c plain >bzip2
	zstd -qc plain >zstd
	for c in plain gzip xz bzip2 zstd; do
		mv "$c" "$c.tar.gz" # the bytes decide
		run -0 --separate-stderr cubby pull --json --name "$c" "./$c.tar.gz"
		cmp root/etc/os-release "$(files "$output")/etc/os-release"
		cubby rmi -q "$c"
	done
}

@test "pull: a cut archive leaves nothing, in every compression (A33)" {
	head -c 300000 /dev/urandom >root/noise
	tar -C root -cf plain.tar .
	gzip -k plain.tar
	xz -k plain.tar
	bzip2 -k plain.tar
	zstd -qk plain.tar
	for f in plain.tar plain.tar.gz plain.tar.xz plain.tar.bz2 plain.tar.zst; do
		head -c 100000 "$f" >"cut-$f"
		run -1 --separate-stderr cubby pull -q "./cut-$f"
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *truncated* ]]
		[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" "$XDG_DATA_HOME/cubby/images" -mindepth 1)" ]
	done
}

@test "pull: sparse files of GNU tar keep their holes (A27)" {
	truncate -s 1G root/sparse
	echo end >>root/sparse
	tar -C root -S --format=gnu -cf sparse.tar .
	run -0 --separate-stderr cubby pull --json --name sparse ./sparse.tar
	run -0 stat -c '%s %b' "$(files "$output")/sparse"
	[ "${output% *}" = 1073741828 ]
	[ "${output#* }" -lt 1000 ]
	cubby rmi -q sparse
}
