# Who runs a box, and of which image, whatever happens in the same moment. The long suite
# does what depends on the moment five times as often.
load ../../lib
load ../../monitors
load escape

setup_file() { escape_setup_file; }
teardown() { [ -z "${LIB_MNT-}" ] || escape_overlay_done; }

# The runtime directory of one shell is not that of another (cron, ssh, su), and a logout
# may take it away. Which monitor has the box is decided by the lock in the store.
@test "another runtime directory finds the box that runs, and starts no second" {
	local other=$LIB_DIR/run2 pid
	mkdir -p -m 700 "$other"
	cubby exec --keep -- sh -c 'echo mark >/tmp/mark'
	pid=$(info monitor_pid)
	for elsewhere in "XDG_RUNTIME_DIR=$other" "-uXDG_RUNTIME_DIR" XDG_RUNTIME_DIR=/nowhere; do
		run -0 --separate-stderr env "$elsewhere" cubby exec -- cat /tmp/mark
		[ "$output" = mark ]
		[ -z "$stderr" ]
		[ "$(env "$elsewhere" cubby info --json | jq -r .monitor_pid)" = "$pid" ]
	done
	XDG_RUNTIME_DIR=$other cubby stop -q
	wait_gone "$pid"
	# the other way round, after a monitor that could tidy nothing
	XDG_RUNTIME_DIR=$other cubby exec --keep -- true
	pid=$(info monitor_pid)
	kill -9 "$pid"
	wait_gone "$pid"
	run -1 --separate-stderr cubby ps
	[ "$stderr" = "cubby ps: the box is not running; any command in it starts it" ]
	run -0 cubby exec -- echo again
	[ "$output" = again ]
	[ "$(info monitor_pid)" != "$pid" ]
	cubby stop -q
	no_leftovers
}

@test "a running box whose runtime directory was removed is named, and has no second monitor" {
	local pid name status clients=()
	cubby exec --keep -- true
	pid=$(info monitor_pid)
	rm -r "$XDG_RUNTIME_DIR/cubby"
	for words in "exec -- true" stop ps; do # each looks for seconds
		read -ra words <<<"$words"
		cubby "${words[@]}" 2>"${words[0]}" 3>&- &
		clients+=("$!:${words[0]}")
	done
	for client in "${clients[@]}"; do
		name=${client#*:}
		status=0
		wait "${client%:*}" || status=$?
		[ "$status" -ne 0 ]
		run cat "$name"
		[[ $output == "cubby $name: "*"process $pid (cubby-monitor) runs this box, but its socket is gone; 'kill $pid' ends it" ]]
		[ "${#lines[@]}" -eq 1 ]
	done
	kill -0 "$pid"
	kill "$pid"
	run -0 cubby exec -- echo again
	[ "$output" = again ]
	cubby stop -q
	wait_gone "$pid"
	no_leftovers
}

# Whoever is first wins; the other says so in one line, and no box is left whose image is gone.
@test "rmi in the moment in which a box begins to use the image: whole, or one line" {
	local n key dir image
	mkdir -p tiny/bin && echo x >tiny/bin/x
	for ((n = 0; n < $(lib_often 200); n++)); do
		cubby pull -q --name race ./tiny >/dev/null
		mkdir "race$n"
		cubby exec -q -C "race$n" --image race -- /bin/none >"out$n" 2>"err$n" &
		cubby pull -q --name "race-$n" ./tiny >/dev/null 2>"pull$n" &
		cubby rmi race >/dev/null 2>"rmi$n" || true
		wait
		cat "err$n" "pull$n" "rmi$n"
		[ "$(wc -l <"err$n")" -le 1 ]
		[ "$(wc -l <"pull$n")" -le 1 ]
		[ "$(wc -l <"rmi$n")" -le 1 ]
		if cubby info -C "race$n" --json >info 2>/dev/null; then
			image=$(jq -r .image info)
			[ -d "$XDG_DATA_HOME/cubby/images/$image" ]
			cubby rm -q -y -C "race$n"
		fi
		# A pull that did not fail has its image, whoever removed one with the same bytes.
		if [ ! -s "pull$n" ]; then
			image=$(cubby images --json | jq -r ".[] | select(.name == \"race-$n\") | .dir")
			[ -n "$image" ]
			[ -d "$XDG_DATA_HOME/cubby/images/${image##*/}/" ]
		fi
		cubby rmi "race-$n" >/dev/null 2>&1 || true
	done
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ]
}

@test "D16: a kernel before 5.12 cannot confine a tree of mounts: no box, and both say why" {
	run -125 --separate-stderr "$ESCAPE_PROBES/oldkernel" cubby exec -- true
	[[ $stderr == *"this kernel (2.6."*") is too old: it cannot confine what is mounted below the project"* ]]
	[[ $stderr == *"fix: boot Linux 5.12 or newer"* ]]
	run ! cubby ps
	run "$ESCAPE_PROBES/oldkernel" cubby doctor
	[ "$status" -eq 5 ]
	[[ $output == *"is too old: it cannot confine what is mounted below the project"* ]]
	[[ $output == *"fix: boot Linux 5.12 or newer"* ]]
}

# bats test_tags=long
@test "a first copy that takes longer than any other start may is waited for" {
	local client monitor children
	[ "$(id -u)" = 0 ] || skip "only root can mount what makes a copy needed"
	escape_overlay
	mkdir p
	mkdir -m 700 data
	export XDG_DATA_HOME=$PWD/data
	lib_image
	cd p
	cubby exec -- echo there >out 3>&- &
	client=$!
	until ls ../data/cubby/boxes/*/copy/partial >/dev/null 2>&1; do kill -0 $client; done
	read -r monitor _ <"$(echo ../data/cubby/boxes/*/lock)"
	children=$(pgrep -P "$monitor")
	# shellcheck disable=SC2086 # process ids
	kill -STOP $children
	ls ../data/cubby/boxes/*/copy/partial # it is not done yet
	sleep 21 # longer than a start, and than an answer
	# shellcheck disable=SC2086
	kill -CONT $children
	wait $client
	[ "$(cat out)" = there ]
}

@test "D3: where the caller may have one more user namespace, no more, the start says so" {
	[ "$(id -u)" -ne 0 ] || skip "root would make boxes of another map there"
	mkdir -p one
	cd one
	run -125 --separate-stderr unshare -Ur sh -c 'cubby exec -q --here -- true &&
		echo 1 >/proc/sys/user/max_user_namespaces && exec cubby exec --here -- true'
	echo "$stderr"
	[[ $stderr == *"all of user.max_user_namespaces=1 are used"* ]]
	unshare -Ur cubby rm -q --here
}
