# Snapshots, going back and branches: what the box shows afterwards, what of the project goes
# with it, what stays on disk, and what is refused.
load ../lib
load ../cli/model

teardown() { cubby rm --all --force -q >/dev/null 2>&1 || true; }

layers() { find "$XDG_DATA_HOME/cubby/layers" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | wc -l; }
box() { cubby exec "${@:1:$#-1}" -- sh -ec "${!#}"; }

@test "a box goes back to what it was, and forth again" {
	box 'echo 1 >/root/a; rm /etc/issue; rm -r /var/tmp; mkdir /var/tmp; echo 1 >/var/tmp/x'
	cubby snapshot one
	box 'echo 2 >/root/a; echo 2 >/root/b; echo i >/etc/issue; rm -r /var/tmp; chmod 700 /root; ln -s a /root/l'
	run -0 --separate-stderr cubby snapshot --json
	[ "$(jq -c . <<<"$output")" = '{"name":"1","layers":2,"project":false,"still_ms":null}' ]
	cubby restore one
	[ "$(box 'cat /root/a /var/tmp/x; ls /root; test ! -e /etc/issue')" = $'1\n1\na' ]
	box 'echo 3 >/root/a'
	cubby restore 1
	[ "$(box 'cat /root/a /root/b /root/l /etc/issue; test ! -e /var/tmp')" = $'2\n2\n2\ni' ]
	[ "$(box 'stat -c %a /root')" = 700 ]
	cubby restore before-restore
	[ "$(box 'cat /root/a')" = 3 ]
	run -0 --separate-stderr cubby snapshots --json
	[ "$(jq -r '.[].name' <<<"$output" | sort | tr '\n' ' ')" = "1 before-restore one " ]
}

@test "rights and times of what is below are what they were" {
	box 'mkdir /root/d; echo 1 >/root/d/f; chmod 640 /root/d/f; touch -d @1000000000 /root/d/f; chmod 711 /; ln /root/d/f /root/d/g'
	before=$(box 'stat -c "%a %u %g" /; stat -c "%n %a %u %g %Y %s" /root/d /root/d/f; cat /root/d/g')
	cubby snapshot
	[ "$(box 'stat -c "%a %u %g" /; stat -c "%n %a %u %g %Y %s" /root/d /root/d/f; cat /root/d/g')" = "$before" ]
	box 'chmod 755 /; rm /root/d/f'
	cubby restore 1
	[ "$(box 'stat -c "%a %u %g" /; stat -c "%n %a %u %g %Y %s" /root/d /root/d/f; cat /root/d/g')" = "$before" ]
}

@test "a box whose / may not be written is kept, too" {
	box 'echo 1 >/root/a; chmod 555 /'
	cubby snapshot
	[ "$(box 'cat /root/a; stat -c %a /')" = $'1\n555' ]
}

@test "users of the box own what they owned" {
	box 'id nobody >/dev/null; install -d -o nobody /srv/n; echo x >/srv/n/f; chown nobody /srv/n/f'
	before=$(box 'stat -c "%u %a" /srv/n /srv/n/f')
	cubby snapshot
	cubby branch other 1
	[ "$(box -b other 'stat -c "%u %a" /srv/n /srv/n/f; echo y >/srv/n/f; rm /srv/n/f')" = "$before" ]
	[ "$(box 'cat /srv/n/f')" = x ]
}

@test "what is under review goes with it, deletions as well" {
	mkdir sub
	echo h >f
	echo h >gone
	echo h >sub/h
	box --project review 'echo 1 >f; rm gone; rm -r sub; mkdir sub; echo 1 >sub/o; chmod 750 sub/o; ln -s f l'
	first=$(cubby diff)
	cubby snapshot one
	[ "$(cubby diff)" = "$first" ]
	box --project review 'echo 2 >f; echo 2 >new; rm sub/o'
	second=$(cubby diff)
	[ "$second" != "$first" ]
	cubby branch b one
	[ "$(cubby -b b diff)" = "$first" ]
	cubby restore one
	[ "$(box --project review 'cat f sub/o; ls . sub')" = "$(printf '1\n1\n.:\nf\nl\nsub\n\nsub:\no')" ]
	[ "$(cubby diff)" = "$first" ]
	cubby restore before-restore
	[ "$(cubby diff)" = "$second" ]
	[ "$(cat f gone sub/h)" = $'h\nh\nh' ] # nothing of it came out
	cubby apply --all
	[ "$(cat f new)" = $'2\n2' ]
	[ ! -e gone ]
}

@test "a state with nothing under review takes away what is" {
	echo h >f
	box 'true'
	cubby snapshot one
	box --project review 'echo 1 >f'
	run -0 cubby restore one
	[ -z "$(cubby diff)" ]
	[ "$(box --project review 'cat f')" = h ]
	cubby restore before-restore
	[ "$(box --project review 'cat f')" = 1 ]
}

@test "a state has the project only where something waits" {
	echo h >f
	box --project review 'echo 1 >/root/a'
	cubby snapshot one
	cubby restore one
	box --project review 'echo 1 >f'
	cubby snapshot two
	cubby restore two
	box --project review 'true'
	cubby discard --all
	cubby snapshot three
	run -0 --separate-stderr cubby snapshots --json
	[ "$(jq -r '.[] | "\(.name) \(.project)"' <<<"$output" | sort)" = $'before-restore review\none null\nthree null\ntwo review' ]
	cubby restore three
	[ "$(cubby snapshots --json | jq -r '.[] | select(.name == "before-restore") | .project')" = null ]
	[ "$(box --project review 'cat f')" = h ]
	cubby restore before-restore
	[ "$(box --project review 'cat f /root/a')" = $'h\n1' ]
	cubby restore two
	[ "$(box --project review 'cat f')" = 1 ]
}

@test "a change of this machine's is a conflict after going back, as it was before" {
	echo h >f
	box --project review 'echo 1 >f'
	cubby snapshot one
	echo other >f
	cubby discard --all
	cubby restore one
	box --project review 'true'
	run cubby apply
	[ "$(cat f)" = other ]
	[[ $output == *"changed on this machine"* ]]
}

@test "without a review the directory is no part of it, which is said" {
	echo h >f
	box 'echo 1 >f; echo 1 >/root/a'
	run -0 cubby snapshot
	[ "${lines[-1]}" = "cubby: snapshot '1': the box; nothing of the project is under review, so the directory is no part of it" ]
	box 'echo 2 >f'
	cubby restore 1
	[ "$(cat f)" = 2 ]
}

@test "a box in use does not go back, which is said with the remedy" {
	cubby exec -q --detach -- sleep 1000
	cubby snapshot
	run -1 cubby restore 1
	[ "${lines[-1]}" = "cubby restore: the box is in use; 'cubby stop' ends it" ]
	run -1 cubby restore 2 # for which nobody is to stop it
	[[ ${lines[-1]} == "cubby restore: the box has no snapshot '2'"* ]]
	cubby stop
	run -0 cubby restore 1
}

# Two files that grow in turns; a stopped process; a shell that looks after jobs.
writer='sleep 1000 & kill -STOP $!; echo $! >/root/stopped
	i=0; while :; do i=$((i + 1)); echo $i >>/root/a; echo $i >>/root/b; done'

@test "a box in use stands still while it is kept, and goes on" {
	echo h >f
	cubby exec -q --project review --detach --keep -- bash -mc "$writer"
	box 'until [ -s /root/b ]; do sleep 0.05; done; mkdir /root/d; ln /root/stopped /root/d/same; rm -r /var/tmp; mkdir /var/tmp
		echo box >f; echo box >new'
	run -0 --separate-stderr cubby snapshot live
	[[ ${stderr_lines[0]} =~ ^"cubby: the box stood still for "[0-9]+" ms and goes on"$ ]]
	[ "${stderr_lines[1]}" = "cubby: snapshot 'live': the box, and what is under review" ]
	run -0 --separate-stderr cubby branch --json other
	[ "$(jq -r .name <<<"$output")" = other ]
	[ "$(jq .still_ms <<<"$output")" -ge 0 ]
	box 'n=$(wc -l </root/b); until [ "$(wc -l </root/b)" -gt $((n + 100)) ]; do sleep 0.05; done
		grep -q "^State:.T" /proc/$(cat /root/stopped)/status; rm -r /root/d; echo later >f'
	before=$(box 'wc -l </root/b')
	cubby stop
	look='a=$(wc -l </root/a); b=$(wc -l </root/b); [ "$a" -eq "$b" ] || [ "$a" -eq $((b + 1)) ]
		tail -1 /root/b | grep -qx "$b"; [ "$b" -lt '$before' ]; [ /root/d/same -ef /root/stopped ]
		[ -z "$(ls /var/tmp)" ]; cat f new'
	[ "$(box -b other --project review "$look")" = $'box\nbox' ]
	cubby restore live
	[ "$(box --project review "$look")" = $'box\nbox' ]
	[ "$(cat f)" = h ]
	[ "$(box 'stat -c %a /; id -u')" = $'755\n0' ]
}

@test "a box goes on when the command that holds it is killed" {
	local kept=$XDG_DATA_HOME/cubby/tmp
	cubby exec -q --detach --keep -- bash -c 'head -c 600M /dev/zero >/root/big; while :; do echo . >>/root/a; done'
	timeout 120 sh -c "until cubby exec -q -- test -s /root/a; do :; done"
	cubby snapshot cut 3>&- &
	until [ -n "$(find "$kept" -name upper 2>/dev/null)" ]; do kill -0 $!; done
	kill -KILL $!
	run wait $!
	box 'n=$(wc -c </root/a); until [ "$(wc -c </root/a)" -gt "$n" ]; do sleep 0.05; done'
	run -0 --separate-stderr cubby snapshots --json
	[ "$output" = "[]" ]
	cubby stop
	cubby rm -y -q
	[ "$(layers)" = 0 ]
}

@test "a box goes on when a signal ends or stops the command that holds it, of which nothing is left" {
	local kept=$XDG_DATA_HOME/cubby/tmp client s
	cubby prune -q # what the one before has left
	[ -z "$(ls "$kept")" ]
	cubby exec -q --detach --keep -- bash -c 'head -c 600M /dev/zero >/root/big; while :; do echo . >>/root/a; done'
	timeout 120 sh -c "until cubby exec -q -- test -s /root/a; do :; done"
	for s in TERM TSTP; do
		set -m # nobody else stops it
		cubby snapshot $s >out 2>&1 3>&- &
		set +m
		client=$!
		until [ -n "$(find "$kept" -name upper 2>/dev/null)" ]; do kill -0 $client; done
		kill -$s -- -$client
		if [ $s = TERM ]; then
			wait $client || [ $? = 143 ]
			[ -z "$(ls "$kept")" ]
			[ -z "$(<out)" ] || { cat out; return 1; }
		fi
		timeout 20 cubby exec -q -- sh -ec 'n=$(wc -c </root/a); until [ "$(wc -c </root/a)" -gt "$n" ]; do sleep 0.05; done'
	done
	kill -CONT -- -$client
	wait $client
	[ "$(cubby snapshots --json | jq -r '.[].name')" = TSTP ]
	cubby stop
}

@test "a box that only waits is kept at once" {
	CUBBY_LINGER=60 box 'echo 1 >/root/a'
	cubby snapshot
	box 'echo 2 >/root/a'
	cubby restore 1
	[ "$(box 'cat /root/a')" = 1 ]
}

@test "branch: one that cannot be made leaves nothing behind" {
	box true
	before=$(find "$XDG_DATA_HOME/cubby/boxes" "$XDG_DATA_HOME/cubby/marks" -maxdepth 1 | sort)
	run -1 --separate-stderr cubby branch a nosuch
	[ "$stderr" = "cubby branch: the box has no snapshot 'nosuch'; 'cubby snapshots' lists them" ]
	[ "$(find "$XDG_DATA_HOME/cubby/boxes" "$XDG_DATA_HOME/cubby/marks" -maxdepth 1 | sort)" = "$before" ]
}

@test "branch: a name that a running box has is taken, as any other" {
	cubby exec -q -- true
	cubby branch -q taken
	cubby -b taken exec -q -d --keep -- sleep 300
	run -1 --separate-stderr cubby branch taken
	[[ $stderr == *"there is a box of that name"* ]]
	cubby -b taken stop -q
}

@test "branches run at the same time and see nothing of each other" {
	local i pids=() n
	n=$(lib_fewer 6)
	box 'echo base >/root/a; mkdir /root/m; echo m >/root/m/m'
	for ((i = 0; i < n; i++)); do cubby branch -q "b$i"; done
	[ "$(layers)" = 1 ]
	for ((i = 0; i < n; i++)); do
		box -b "b$i" "cat /root/m/m; echo $i >>/root/a; while [ ! -e go ]; do sleep 0.05; done; cat /root/a" >"out$i" &
		pids+=($!)
	done
	for ((i = 0; i < n; i++)); do # all of them, before any goes on
		timeout 60 sh -c "until [ -s out$i ]; do sleep 0.05; done"
	done
	touch go
	wait "${pids[@]}"
	for ((i = 0; i < n; i++)); do [ "$(cat "out$i")" = "$(printf 'm\nbase\n%s' "$i")" ]; done
	[ "$(box 'cat /root/a')" = base ]
}

# Each on a branch of its own, at the same time, of one project: what the box had installed
# before, and what the project has, is there once.
# bats test_tags=long
@test "tasks run on branches at once, and share what was there before" {
	local i n pids=() lives=() began
	n=$(lib_fewer 6)
	mkdir -p src node_modules/m
	echo 1 >node_modules/m/i
	box 'head -c 8M /dev/urandom >/root/tool'
	for ((i = 0; i < n; i++)); do
		cubby branch -q "b$i"
		cubby exec -q -b "b$i" --linger 0 -- sh -c "echo $i >/root/number"
	done
	[ "$(layers)" = 1 ]
	[ "$(du -sm --apparent-size "$XDG_DATA_HOME/cubby/boxes" | cut -f1)" -lt 8 ]
	for ((i = 0; i < n; i++)); do # a service each: it follows one conversation
		mkdir "../m$i"
		BATS_TEST_TMPDIR=$(realpath "../m$i") model < <(
			call 'until [ -e go ]; do sleep 0.05; done; cat /root/number node_modules/m/i >src/$(cat /root/number); wc -c </root/tool >>src/$(cat /root/number)'
			finish done
		)
		lives+=("$MODEL_FD")
		task -b "b$i" "change it" >"../task$i" 2>&1 &
		pids+=($!)
	done
	began=$SECONDS
	for ((i = 0; i < n; i++)); do # all of them, before any goes on
		until grep -qs '"path"' "../m$i/requests"; do
			[ $((SECONDS - began)) -lt 60 ] || { cat ../task*; return 1; }
			read -rt 0.05 <> <(:) || true
		done
	done
	touch go
	for i in "${!pids[@]}"; do wait "${pids[i]}" || { cat "../task$i"; return 1; }; done
	for MODEL_FD in "${lives[@]}"; do model_done; done
	for ((i = 0; i < n; i++)); do [ "$(cat "src/$i")" = $i$'\n1\n8388608' ] || { cat "../task$i"; return 1; }; done
	[ "$(du -sm "$XDG_DATA_HOME/cubby/layers" | cut -f1)" -lt 16 ]
}

@test "diff -b A -b B: what is different between two branches" {
	mkdir d e
	printf '1\n2\n3\n' >f
	echo h >same
	echo h >d/x
	echo h >e/y
	box --project review 'echo both >same'
	cubby branch a
	cubby branch b
	box -b a --project review 'echo a >>f; rm -r d; echo a >new; chmod 755 e/y'
	box -b b --project review 'echo b >>f; echo b >d/x; echo b >d/z; rm -r e; echo one >e'
	run -0 --separate-stderr cubby diff -b a -b b --json
	[ "$(jq -c '[.[] | [.kind, .path]] | sort' <<<"$output")" = \
		'[["changed","/f"],["deleted","/e/y"],["deleted","/new"],["new","/d/x"],["new","/d/z"],["new","/e"]]' ]
	run -0 cubby diff -b a -b b f
	[ "$(tail -n +4 <<<"$output")" = "$(printf '@@ -1,4 +1,4 @@\n 1\n 2\n 3\n-a\n+b')" ]
	cubby diff -b a -b b >between
	cubby -b a apply --all
	git init -q . && git apply between
	cp -r . ../b.view
	cubby undo -b a
	box -b b --project review 'cat f same d/x d/z e' >seen
	[ "$(cat ../b.view/f ../b.view/same ../b.view/d/x ../b.view/d/z ../b.view/e)" = "$(cat seen)" ]
	[ ! -e ../b.view/new ]
	run -0 cubby diff -b a -b a
	[ -z "$output" ]
	box --project review 'echo mine >n' # of the one without a name
	[ "$(cubby diff -b - -b b n | tail -n 1)" = -mine ]
	[ "$(cubby diff -b b -b - n | tail -n 1)" = +mine ]
	[ "$(cubby diff -b - --name-only n)" = n ]
	run -1 cubby diff -b a -b none
	[[ $output == *"there is no box 'none' for"* ]]
}

@test "diff -b A -b B: what acts on this machine comes first, with the reason" {
	local want="held /.envrc, held /away, held /b.pth, marked /Makefile, plain /!1, plain /!2, plain /here,"
	echo old | tee .npmrc b.pth >/dev/null
	box --project review 'echo both >same; echo a >b.pth'
	cubby branch a
	cubby branch b
	box -b a --project review 'echo a >a'
	box -b b --project review 'echo x | tee "!1" "!2" .envrc Makefile b.pth >/dev/null; ln -s /etc away; ln -s same here; rm .npmrc'
	run -0 --separate-stderr cubby diff -b a -b b --json
	[ "$(jq -r 'map(select(.kind != "deleted"))[] | "\(.class) \(.path),"' <<<"$output" | xargs)" = "$want" ]
	[ "$(jq -r '.[] | select(.kind == "deleted") | "\(.class) \(.path)"' <<<"$output" | sort | xargs)" = "plain /.npmrc plain /a" ]
	run -0 cubby diff -b a -b b --stat
	[[ ${lines[0]} == *" .envrc "*"a shell reads it"* && ${lines[1]} == *" away "*"points out of the project"* ]]
	run -0 cubby diff -b a -b b
	[ "$(grep -m 4 '^diff ' <<<"$output" | sed 's,.* b/,,' | xargs)" = ".envrc away b.pth Makefile" ]
}

@test "two branches apply one after the other: what both have changed is a conflict" {
	echo 1 >f
	box --project review true
	cubby branch a
	cubby branch b
	box -b a --project review 'echo a >f; echo a >new-a'
	box -b b --project review 'echo b >f; echo b >new-b'
	cubby -b a apply
	run -0 cubby -b b apply
	[[ $output == *"1 change is held"*"changed on this machine, too"* ]]
	[ "$(cat f new-a new-b | xargs)" = "a a b" ]
	cubby -b b apply --overwrite f
	[ "$(cat f)" = b ]
	cubby -b b undo
	[ "$(cat f)" = a ]
}

@test "what nobody has any more goes, and what a branch has stays" {
	box 'echo 1 >/root/a'
	cubby snapshot one
	box 'echo 2 >/root/a'
	cubby snapshot two
	cubby branch b one
	[ "$(layers)" = 2 ]
	run -0 cubby snapshots --remove one
	[ "${lines[0]}" = "cubby: the snapshot 'one' is removed" ]
	[ "$(layers)" = 2 ]
	cubby rm -y
	[ "$(layers)" = 1 ]
	[ "$(box -b b 'cat /root/a')" = 1 ]
	cubby -b b rm -y
	[ "$(layers)" = 0 ]
	[ -z "$(ls "$XDG_DATA_HOME/cubby/tmp")" ]
}

@test "ls and info count the layers" {
	box 'head -c 8000000 /dev/urandom >/root/big'
	size() { cubby ls --json | jq --arg here "$PWD" '.[] | select(.directory == $here).size'; }
	before=$(size)
	cubby snapshot
	[ "$(size)" -ge "$before" ]
	[ "$(cubby info --json | jq .disk_bytes)" -ge "$before" ]
	run -0 --separate-stderr cubby snapshot --json
	[ "$(jq .layers <<<"$output")" = 1 ] # nothing has changed: no layer
}

@test "--disk counts what was written before a snapshot, too" {
	box 'head -c 40M /dev/zero >/root/a'
	cubby snapshot
	run -0 cubby exec --disk 60M -- sh -c 'sleep 1; echo on'
	run -137 --separate-stderr timeout "$(lib_longer 120)" cubby exec --disk 60M -- \
		sh -c 'head -c 30M /dev/zero >/root/b; sleep 100'
	[[ $stderr == *"more of the disk than its limit (60 MiB"* ]]
}

# bats test_tags=long
@test "--disk counts what is under review, too" {
	cubby exec --project review -- sh -c 'head -c 40M /dev/zero >a'
	[ "$(cubby info --json | jq .disk_bytes)" -ge 40000000 ]
	run -137 --separate-stderr timeout "$(lib_longer 120)" cubby exec --project review \
		--disk 60M -- sh -c 'head -c 30M /dev/zero >b; sleep 100'
	[[ $stderr == *"more of the disk than its limit (60 MiB"* ]]
	run -137 --separate-stderr timeout "$(lib_longer 120)" cubby exec --project review \
		--disk 60M -- sh -c 'head -c 30M /dev/zero >/root/c; sleep 100'
	[ ! -e a ]
}

@test "names that cannot be, or are not there" {
	run -1 cubby snapshot
	[ "${lines[-1]}" = "cubby snapshot: there is no box for '$PWD'; 'cubby ls' lists them" ]
	box true
	run -2 cubby snapshot ../x
	[ "${lines[0]}" = "cubby snapshot: bad name '../x'; letters, digits, '.', '_' and '-' make one, 32 at most" ]
	run -2 cubby restore
	[ "${lines[0]}" = "cubby restore: which snapshot? 'cubby snapshots' lists them" ]
	run -1 cubby restore none
	[ "${lines[-1]}" = "cubby restore: the box has no snapshot 'none'; 'cubby snapshots' lists them" ]
	run -1 cubby branch b none
	[ "${lines[-1]}" = "cubby branch: the box has no snapshot 'none'; 'cubby snapshots' lists them" ]
	cubby branch b
	run -1 cubby branch b
	[ "${lines[-1]}" = "cubby branch: there is a box of that name; 'cubby -b b rm' removes it" ]
	cubby snapshot 7
	run -1 cubby snapshot 7
	[ "${lines[-1]}" = "cubby snapshot: the box has a snapshot '7'; 'cubby snapshots --remove 7' removes it" ]
	run -0 cubby snapshot
	[[ ${lines[-1]} == "cubby: snapshot '8':"* ]]
}

@test "what a branch publishes is its own" {
	cubby set -q publish=127.0.0.1:0:80 || cubby exec -q --save --publish 127.0.0.1:0:80 -- true
	cubby branch b
	[ "$(cubby -b b info --json | jq -c .publish)" = '[]' ]
}

@test "what a box has left that is neither file nor directory, or points out, is kept as it is" {
	echo h >f
	mkdir d
	echo h >d/x
	box --project review 'mkfifo p; mkdir z; echo 1 >z/q; chmod 000 z; echo s >setid; chmod 4755 setid
		ln -s /etc/passwd l; ln -s ../../../../.. up; printf x >"a
b"; echo one >m1; ln m1 m2; rm f; rm -r d; ln -s /root d'
	# shellcheck disable=SC2016
	look='find . -mindepth 1 -printf "%p %y %m %u %l %s\n" | sort; cat "a
b" m2 z/q'
	was=$(box --project review "$look")
	cubby checkpoint c1
	cubby snapshot s1
	[ "$(box --project review "$look")" = "$was" ]
	box --project review 'rm -rf -- *; echo new >f'
	cubby rewind c1
	[ "$(box --project review "$look")" = "$was" ]
	box --project review 'rm -rf -- *'
	cubby restore s1
	[ "$(box --project review "$look")" = "$was" ]
	[ "$(cat f d/x)" = $'h\nh' ]
	[ "$(ls -A)" = $'d\nf' ]
}

@test "a branch that was killed before it was a box is none, and leaves nothing behind" {
	local key
	box 'echo 1 >/root/a'
	cubby branch b
	key=$(cubby -b b info --json | jq -r .key)
	rm "$XDG_DATA_HOME/cubby/boxes/$key/box.json"
	cubby rm -y
	[ "$(layers)" = 0 ]
	[ "$(box -b b 'echo ok; ls /root')" = ok ]
}

chain() { jq ".layers | length" "$(lib_box)/chain"; }
# A start throws away what the end before it had not finished, and an end that meets such
# a merge leaves it: so the box is left alone for a while, then begun again.
merged() {
	local i n
	for ((n = 0; n < 10; n++)); do
		for ((i = 0; i < $(lib_longer 50); i++)); do
			[ "$(chain)" != 2 ] || return 0
			sleep 0.1
		done
		box 'true'
	done
	return 1
}
# What a box shows: each name with all that can be told of it (how large a directory is says what
# was in it on some filesystems), and what is in it.
whole() {
	# shellcheck disable=SC2016
	box 'cd /; find root srv etc opt var/tmp -type d -printf "%p %m %U %G %T@\n" -o -printf "%p %y %m %U %G %s %T@ %l\n" | sort; find root srv opt -type f | sort | xargs cat'
}

# Deletions, what replaces a directory, a file where a directory was and the other way round,
# in layers between which something is there and gone again.
@test "layers are merged when the box has ended, and show the same" {
	local i was holder
	box 'id nobody >/dev/null; mkdir -p /srv/d/e/f /srv/gone /opt/x; echo 0 >/srv/d/e/f/0; echo 0 >/srv/kind; rm /etc/issue; rm -r /var/tmp; mkdir -m 1777 /var/tmp'
	# not before all are there: what is merged once is no chain that is to be merged again
	(exec 9>"$(lib_box)/merging.lock" && flock 9 && touch held && exec sleep 600) 3>&- &
	holder=$!
	timeout 60 sh -c 'until [ -e held ]; do sleep 0.05; done'
	for i in 1 2 3 4 5 6 7 8 9; do
		cubby snapshot -q "s$i"
		box "echo $i >/root/n; echo $i >/srv/d/e/f/$i; rm -rf /srv/d/e/f/$((i - 3)) /srv/gone; touch -d @$((1000000000 + i)) /srv/d
			case $i in
			2) rm -r /srv/d/e; mkdir -m 750 /srv/d/e /srv/d/e/f; echo 2 >/srv/d/e/f/2; chown nobody /srv/d/e/f/2; rm -r /etc/apt ;;
			3) rm /srv/kind; mkdir /srv/kind; echo 3 >/srv/kind/3; mkdir /etc/apt ;;
			4) rm -r /srv/kind; ln -s /etc /srv/kind ;;
			5) rm /srv/kind; mkdir /srv/kind; mkfifo /srv/kind/p; rmdir /etc/apt; mkdir -p /srv/gone/again ;;
			6) ln /root/n /opt/x/same; echo f >/srv/gone ;;
			esac"
	done
	cubby snapshot -q s10
	[ "$(chain)" = 10 ]
	kill "$holder"
	was=$(whole) # at the end of which they are merged
	merged
	[ "$(whole)" = "$was" ]
	[ "$(whole)" = "$was" ]
	[ "$(box 'test ! -e /srv/gone; ls /srv/kind /srv/d/e/f; ls -A /var/tmp; test ! -e /etc/issue; test ! -e /etc/apt')" = $'/srv/d/e/f:\n7\n8\n9\n\n/srv/kind:\np' ]
	cubby restore -q s4 # what a snapshot has is still its own
	[ "$(box 'cat /root/n /srv/kind/3; ls /srv/d/e/f')" = $'3\n3\n2\n3' ]
	for i in s{1..10} before-restore; do cubby snapshots -q --remove "$i"; done
	[ "$(layers)" = 4 ]
	[ "$(box 'cat /root/n')" = 3 ]
}

@test "forty snapshots one after the other" {
	local i
	for ((i = 1; i <= 40; i++)); do
		box "echo $i >/root/$i; rm -f /root/$((i - 5))"
		cubby snapshot -q
	done
	[ "$(chain)" -le 33 ]
	[ "$(box 'ls /root | sort -n | tr "\n" " "')" = "36 37 38 39 40 " ]
	cubby restore -q 20
	[ "$(box 'ls /root | sort -n | tr "\n" " "')" = "16 17 18 19 20 " ]
	cubby rm -y -q
	[ "$(layers)" = 0 ]
}

@test "what was cut off while layers were merged is made anew" {
	local i n dir merges='' killed=0
	for i in 1 2 3 4 5 6 7 8; do
		box "mkdir -p /root/d$i; cd /root/d$i; seq 2000 | xargs touch; rm -rf /root/d$((i - 1))/1*"
		cubby snapshot -q
	done
	for i in 1 2 3; do # killed wherever it is by then
		box true
		# One that is done is not begun again; nor is one by an end that finds what was
		# killed being removed: the next one does.
		for ((n = 0; n < 100; n++)); do
			[ "$(chain)" != 2 ] || break
			merges=$(lib_processes '__helper merge')
			[ -z "$merges" ] || break
			read -rt 0.01 <> <(:) || true
		done
		[ -z "$merges" ] || killed=$((killed + 1))
		# shellcheck disable=SC2086 # process ids
		kill -KILL $merges 2>/dev/null || true
		[ "$(box 'ls /root | wc -l; ls /root/d4 | wc -l')" = $'8\n889' ]
	done
	merged
	[ "$(box 'ls /root | wc -l; ls /root/d4 | wc -l')" = $'8\n889' ]
	dir=$(lib_box)
	timeout 20 sh -c "while [ -e '$dir/merging' ]; do sleep 0.05; done"
	cubby rm -y -q
	[ "$(layers)" = 0 ]
	[ "$killed" -gt 0 ] || skip "each merge was done before it could be killed"
}
