# Archives as real programs write them: every compression, GNU's sparse files, cuts.
load ../lib

setup_file() {
	unset CUBBY_TEST_STORE # what a pull leaves is counted
	lib_env
}
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

# Nothing of it is left, and the reason is one line.
refused() { # FILE PATTERN
	run -1 --separate-stderr timeout 200 cubby pull -q "./$1"
	echo "$stderr"
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *$2* ]]
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" "$XDG_DATA_HOME/cubby/images" -mindepth 1)" ]
}

@test "pull: a gzip bomb ends at the ratio, an xz dictionary of 4 GiB at the memory (A34)" {
	truncate -s 400M zero
	tar -cf - zero | gzip -6 >bomb.tar.gz
	refused bomb.tar.gz "grows more than 300 times"
	# A small stream whose header asks for the largest dictionary that there is.
	python3 - huge.tar.xz <<-'END'
	import lzma, struct, sys, zlib
	raw = bytearray(lzma.compress(b"x" * 1024, check=lzma.CHECK_NONE))
	size = (raw[12] + 1) * 4
	head = raw[12:12 + size]
	head[head.index(b"\x21\x01") + 2] = 40
	head[-4:] = struct.pack("<I", zlib.crc32(bytes(head[:-4])))
	raw[12:12 + size] = head
	open(sys.argv[1], "wb").write(raw)
	END
	refused huge.tar.xz ""
}

@test "pull: what is not restored is counted, and named with -v (A18)" {
	python3 - odd.tar <<-'END'
	import io, sys, tarfile
	out = tarfile.open(sys.argv[1], "w")
	def node(name, kind, **more):
	    i = tarfile.TarInfo(name)
	    i.type = kind
	    for k in more: setattr(i, k, more[k])
	    out.addfile(i)
	node("dev", tarfile.DIRTYPE, mode=0o755)
	node("dev/null", tarfile.CHRTYPE, devmajor=1, devminor=3)
	node("dev/sda\x1b[31m", tarfile.BLKTYPE, devmajor=8, devminor=0)
	node("srv/jail/null", tarfile.CHRTYPE, devmajor=1, devminor=3)
	node("pipe", tarfile.FIFOTYPE)
	out.close()
	END
	run -0 --separate-stderr cubby pull --name odd ./odd.tar
	# Those of the image's /dev nobody misses: a box has its own.
	[[ $stderr == *"1 device not restored (a box has only those of its own /dev)"* ]]
	[[ $stderr != *null* ]]
	cubby rmi -q odd
	run -0 --separate-stderr cubby pull -v --name odd ./odd.tar
	[[ $stderr == *"not restored: 'dev/null' (device)"* ]]
	[[ $stderr == *"not restored: 'dev/sda\\x1b[31m' (device)"* ]]
	[[ $stderr != *$'\e[31m'* && $stderr == *"1 device not restored"* ]]
	[[ $stderr == *"not restored: 'srv/jail/null' (device)"* ]]
	run -0 find "$XDG_DATA_HOME/cubby/images" -type p -name pipe
	[ -n "$output" ] # made, and opened by nobody: we are still here
	[ -z "$(find "$XDG_DATA_HOME/cubby/images" -type b -o -type c)" ]
	cubby rmi -q odd
}

@test "pull: killed in the middle it leaves a temporary directory, which the next one cleans (A48)" {
	mkdir many
	(cd many && seq 1 20000 | xargs touch)
	tar -cf many.tar many
	tar -cf small.tar -C root .
	for ((try = 0; try < 10; try++)); do
		cubby pull -q --name many ./many.tar >/dev/null 2>&1 3>&- &
		pull=$!
		made=
		while kill -0 $pull 2>/dev/null && [ -z "$made" ]; do
			made=$(find "$XDG_DATA_HOME/cubby/tmp" -path '*/many/*' -print -quit 2>/dev/null)
		done
		kill -9 $pull 2>/dev/null || true
		wait $pull || true
		[ -z "$(find "$XDG_DATA_HOME/cubby/images" -mindepth 1)" ] && break
		cubby rmi -q many # it was faster
	done
	run -0 cubby images --json
	[ "$output" = "[]" ]
	run -0 cubby pull -q --name small ./small.tar
	# Its helper may still be on its way out, and hold it.
	for ((i = 0; i < 200; i++)); do
		[ -n "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ] || break
		read -rt 0.05 <> <(:) || true
		cubby rmi -q small
		cubby pull -q --name small ./small.tar
	done
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ]
	cubby rmi -q small
}
