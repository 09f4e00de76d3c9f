# Hostile images: K04, K10, K11, K12, K13, K14, K15, K17, K26, K27, K28.
load ../../lib
load escape

setup_file() { escape_setup_file; }
setup() { escape_setup; }

@test "a harmless image of this kind works" {
	dir=$(escape_image plain)
	escape_run "$dir" cat /etc/passwd
	[ "$status" -eq 0 ]
	[ "$output" = root:x:0:0:root:/root:/bin/sh ]
}

@test "K04: /proc and /sys as links or files" {
	for name in proc sys; do
		for kind in link file up; do
			dir=$(escape_image "k04-$name-$kind")
			rmdir "$dir/$name"
			case $kind in
			link) ln -s "$ESCAPE_HOST/victim" "$dir/$name" ;;
			up) ln -s "../../../../../..$ESCAPE_HOST/victim" "$dir/$name" ;;
			file) echo x >"$dir/$name" ;;
			esac
			escape_run "$dir" sh -c "stat -f -c %T /$name; ls /$name"
			[[ $status -ne 0 || $output == "$name"* || $output == sysfs* ]]
			[[ $output != *untouched* ]]
		done
	done
}

@test "K10, K14: /dev/null and /dev/console as links: the masks are 1:3" {
	pattern=$(cat /proc/sys/kernel/core_pattern)
	dir=$(escape_image k10)
	ln -s /proc/sys/kernel/core_pattern "$dir/dev/null"
	ln -s "$ESCAPE_HOST/victim/file" "$dir/dev/console"
	ln -s "$ESCAPE_HOST/victim" "$dir/dev/pts"
	escape_run "$dir" sh -c 'stat -c "%t:%T" /dev/null; echo x >/dev/null
		for f in /proc/kcore /proc/keys /proc/timer_list /proc/interrupts; do
			[ ! -e $f ] || stat -c "%t:%T" $f; done'
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -gt 1 ]
	for line in "${lines[@]}"; do [ "$line" = 1:3 ]; done
	[ "$pattern" = "$(cat /proc/sys/kernel/core_pattern)" ]
}

@test "K12: an image that has files where /proc is" {
	dir=$(escape_image k12)
	mkdir -p "$dir/proc/sys/user" "$dir/proc/sys/kernel" "$dir/proc/self"
	echo 12345 >"$dir/proc/sys/user/max_user_namespaces"
	ln -s "$ESCAPE_HOST/victim/file" "$dir/proc/sys/kernel/core_pattern"
	escape_run "$dir" cat /proc/sys/user/max_user_namespaces
	[ "$status" -eq 0 ]
	[ "$output" = 0 ]
}

@test "K13: /dev as a link to the host" {
	dir=$(escape_image k13)
	rmdir "$dir/dev"
	ln -s "../../../../../..$ESCAPE_HOST/victim" "$dir/dev"
	escape_run "$dir" sh -c 'echo x >/dev/null; touch /dev/new; ls /dev/null'
	[[ $status -ne 0 || $output == /dev/null ]]
	[ ! -e "$ESCAPE_HOST/victim/null" ]
}

@test "K15: the files that we write, as links to the host" {
	dir=$(escape_image k15)
	mkdir -p "$dir/etc/apt/apt.conf.d" "$dir/etc/dpkg/dpkg.cfg.d" "$dir/usr/sbin"
	for file in etc/resolv.conf etc/hosts etc/hostname etc/apt/apt.conf.d/99cubby \
		etc/dpkg/dpkg.cfg.d/99cubby usr/sbin/policy-rc.d; do
		ln -sf "$ESCAPE_HOST/victim/file" "$dir/$file"
	done
	escape_run "$dir" cat /etc/hosts
	[ "$status" -eq 0 ]
	[[ $output == *localhost* && $output != *untouched* ]]
}

@test "K15: their directories as links to the host" {
	dir=$(escape_image k15b)
	mv "$dir/etc" "$dir/etc2"
	ln -s "../../../../../..$ESCAPE_HOST/victim" "$dir/etc"
	escape_run "$dir" ls /
	[ ! -e "$ESCAPE_HOST/victim/hosts" ]
}

@test "K17, K27: the project's place in the image is a link out of it" {
	dir=$(escape_image k17)
	top=/$(echo "$LIB_PROJECT" | cut -d/ -f2)
	rm -rf "${dir:?}$top"
	ln -s "$ESCAPE_HOST" "$dir$top"
	rm -rf "$dir/workspace"
	ln -s "$ESCAPE_HOST/victim" "$dir/workspace"
	escape_run "$dir" ls /workspace/
	[[ $output != *victim* && $output != *secret* ]]
	[ "$status" -ne 0 ] || [[ $output == *calls* ]]
}

@test "K17: /run reached through /var/run" {
	dir=$(escape_image k17b)
	ln -s /run "$dir/var/run"
	escape_run "$dir" sh -c 'touch /var/run/x && ls /run/x'
	[ "$status" -eq 0 ]
	[ "$output" = /run/x ]
}

@test "/run has the directories of the image, as it has them, and nothing else of it" {
	dir=$(escape_image run)
	mkdir -p "$dir/run/lock" "$dir/run/some/where/deep/er/than/that"
	chmod 1777 "$dir/run/lock"
	chmod 2755 "$dir/run/some"
	echo secret >"$dir/run/lock/file"
	ln -s "$ESCAPE_HOST/victim" "$dir/run/lock/link"
	mkfifo "$dir/run/fifo"
	ln -s "$ESCAPE_HOST/victim"
	escape_run "$dir" sh -c 'cd /run && for f in * */* */*/* */*/*/* */*/*/*/*; do
		[ ! -e "$f" ] || stat -c "%a %n" "$f"; done; touch lock/mine'
	[ "$status" -eq 0 ]
	[ "${lines[*]}" = "1777 lock 2755 some 755 some/where 755 some/where/deep 755 some/where/deep/er" ]
	cubby rm -q --yes
	dir=$(escape_image runs)
	mkdir "$dir/run"/d{1..300}
	escape_run "$dir" sh -c 'set -- /run/*; echo $#'
	[ "$output" = 256 ]
}

@test "K26: an image with its own gzip, zstd, tar, newuidmap: never run by us" {
	dir=$(escape_image k26)
	for tool in gzip zstd tar newuidmap mount sh-helper xz git; do
		printf '#!/bin/sh\necho ran %s >>%s/ran\n' $tool "$LIB_PROJECT" >"$dir/usr/bin/$tool"
		cp "$dir/usr/bin/$tool" "$dir/bin/$tool"
		chmod +x "$dir/usr/bin/$tool" "$dir/bin/$tool"
	done
	escape_run "$dir" true
	[ "$status" -eq 0 ]
	[ ! -e ran ]
}

@test "K28: passwd and group as a pipe, a link, a huge file, a million groups" {
	for kind in fifo link huge groups dir; do
		dir=$(escape_image "k28-$kind")
		case $kind in
		fifo) rm "$dir/etc/passwd"; mkfifo "$dir/etc/passwd" ;;
		link) ln -sf "$ESCAPE_HOST/secret" "$dir/etc/passwd" ;;
		huge) truncate -s "$(lib_fewer 1024)M" "$dir/etc/passwd" ;;
		dir) rm "$dir/etc/passwd"; mkdir "$dir/etc/passwd" ;;
		groups) seq "$(lib_fewer 1000000)" | sed 's/.*/g&:x:&:nobody/' >"$dir/etc/group" ;;
		esac
		before=$(escape_snapshot)
		name=$(timeout "$(lib_longer 60)" cubby pull -q "$dir") || continue # a pipe in an image: refused
		run timeout "$(lib_longer 20)" cubby exec --image "$name" --user nobody -- true
		[ "$status" -ne 0 ]
		[ "$status" -ne 124 ]
		run timeout "$(lib_longer 20)" cubby exec -- true
		[ "$status" -ne 124 ]
		[ "$before" = "$(escape_snapshot)" ]
		cubby rm -q
		rm -rf "$dir"
	done
}
