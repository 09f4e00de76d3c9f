# Which box a directory has: its own, one above it, one whose directory was moved here.
load ../lib

setup() {
	lib_project
	export CUBBY_ANNOUNCE=yes
}

@test "making a box is said in one line, and can be silent" {
	run -0 --separate-stderr cubby exec -- true
	[ "$stderr" = "cubby: made a box for '$LIB_PROJECT' from the image 'test'" ]
	run -0 --separate-stderr cubby exec -- true
	[ -z "$stderr" ]
	run -0 --separate-stderr cubby exec --wipe -q -- true
	[ -z "$stderr" ]
	CUBBY_ANNOUNCE=no run -0 --separate-stderr cubby exec --wipe -- true
	[ -z "$stderr" ]
}

@test "a directory below uses the box above, and stays where it is" {
	mkdir -p sub/deep
	cubby exec -q -- touch /root/mark
	cd sub/deep
	run -0 --separate-stderr cubby exec -- sh -c 'pwd; ls /root/mark'
	[ "$output" = "$LIB_PROJECT/sub/deep"$'\n/root/mark' ]
	[ -z "$stderr" ]
	[ "$(cubby info --json | jq -r .project)" = "$LIB_PROJECT" ]
	run -0 --separate-stderr cubby stop
	[[ $stderr == *"the box of '$LIB_PROJECT' "* ]]
	run -1 --separate-stderr cubby rm
	[ "$stderr" = "cubby rm: there is no box for '$LIB_PROJECT/sub/deep'; it uses that of '$LIB_PROJECT', which must be named to be removed" ]
}

@test "--here makes one of its own, which is used from then on" {
	mkdir sub
	cubby exec -q -- true
	cd sub
	run -0 --separate-stderr cubby exec --here -- touch /root/mine
	[ "$stderr" = "cubby: made a box for '$LIB_PROJECT/sub' from the image 'test'" ]
	run -0 cubby exec -- ls /root/mine
	cubby stop -q
	cubby rm -q
	run -2 cubby exec -- ls /root/mine
}

@test "a home is a boundary, and so is a mount" {
	mkdir home home/sub
	cubby exec -q -- true
	cd home/sub
	HOME=$LIB_PROJECT/home run -1 --separate-stderr cubby info
	[ "$stderr" = "cubby info: there is no box for '$LIB_PROJECT/home/sub'; 'cubby ls' lists them" ]
	run -0 cubby info
	unshare -m true 2>/dev/null || skip "no mount namespace can be made here"
	run -1 unshare -m sh -c "mount --bind '$LIB_PROJECT/home' '$LIB_PROJECT/home' && cubby info -C '$LIB_PROJECT/home/sub' 2>&1"
	[ "$output" = "cubby info: there is no box for '$LIB_PROJECT/home/sub'; 'cubby ls' lists them" ]
}

@test "a renamed directory has its box, and says so once" {
	mkdir old
	cd old
	cubby exec -q -- touch /root/mark
	cubby stop -q
	cd ..
	mv old new
	[ "$(cubby ls --json | jq -r ".[] | select(.directory == \"$LIB_PROJECT/old\") | .state")" = orphaned ]
	run -0 --separate-stderr cubby prune --dry-run
	[ -z "$output" ]
	cd new
	run -0 --separate-stderr cubby exec -- ls /root/mark
	[ "$stderr" = "cubby: this directory was '$LIB_PROJECT/old': its box is used from now on" ]
	run -0 --separate-stderr cubby exec -- ls /root/mark
	[ -z "$stderr" ]
	[ "$(cubby ls --json | jq -r ".[] | select(.directory == \"$LIB_PROJECT/new\") | .state")" != orphaned ]
}

@test "a renamed directory whose box runs is told how to end it" {
	mkdir old
	cubby exec -q -C old --keep -- true
	mv old new
	run -125 --separate-stderr cubby exec -C new -- true
	[[ $stderr == "cubby exec: this directory was '$LIB_PROJECT/old', and its box still runs there; 'cubby stop "*"' ends it" ]]
	cubby stop -q "$LIB_PROJECT/old"
	run -0 cubby exec -C new -- true
}

@test "a copy, and a new directory in the old place, take no box away" {
	mkdir a
	cubby exec -q -C a -- touch /root/mark
	cp -a a b
	run -1 cubby exec -q -C b -- test -e /root/mark
	mv a c
	mkdir a
	run -0 cubby exec -C a -- test -e /root/mark
	run -1 cubby exec -q -C c -- test -e /root/mark
}

@test "a directory that was renamed to where another one had a box goes on with its own" {
	mkdir a b
	cubby exec -q -C a -- touch /root/of-a
	cubby exec -q -C b -- touch /root/of-b
	cubby stop -q a b
	rmdir a
	mv b a
	run -0 --separate-stderr cubby exec -C a -- ls /root/of-b
	[ "$stderr" = "cubby: this directory was '$LIB_PROJECT/b': its box is used from now on; the one that another directory had here is now listed there, 'cubby adopt' gives it to one" ]
	run -0 --separate-stderr cubby exec -C a -- ls /root/of-b
	[ -z "$stderr" ]
	mkdir c
	run -0 cubby adopt -C c "$LIB_PROJECT/b"
	run -0 --separate-stderr cubby exec -C c -- ls /root/of-a
	[ -z "$stderr" ]
}

# At each call that changes a name of the store; the record and the mark follow the exchange.
@test "who is killed while two boxes change places loses neither" {
	command -v strace >/dev/null || skip "strace is not installed on this host"
	local n killed=0 calls=renameat,renameat2,symlinkat,unlinkat,linkat
	for n in {1..20}; do
		mkdir -p "sub/a$n" "b$n"
		cubby exec -q -C "sub/a$n" --linger 0 -- touch /root/of-a
		cubby exec -q -C "b$n" --linger 0 -- touch /root/of-b
		rmdir "sub/a$n"
		mv "b$n" "sub/a$n"
		strace -o trace -e trace=$calls -e inject=$calls:signal=KILL:when="$n" cubby set -C "sub/a$n" >said 2>&1 || killed=$((killed + 1))
		# of the two one at most has lost its directory
		run -0 cubby prune --dry-run --json
		[ "$(jq --arg d "$LIB_PROJECT/b$n" '[.. | .directory? | select(. == $d)] | length' <<<"$output")" -le 1 ] || { echo "killed at $n: $output"; return 1; }
		run -0 cubby exec -q -C "sub/a$n" --linger 0 -- ls /root
		[ "$output" = of-b ] || { echo "killed at $n: $output"; cat trace; return 1; }
		mkdir "c$n"
		run -0 cubby ls --json
		run -0 cubby adopt -q -C "c$n" "$(jq -r --arg d "$LIB_PROJECT/b$n" '.[] | select(.directory == $d) | .key' <<<"$output")"
		run -0 cubby exec -q -C "c$n" --linger 0 -- ls /root
		[ "$output" = of-a ] || { echo "killed at $n, the other: $output"; cat trace; return 1; }
		grep -q KILL trace || break
	done
	[ "$killed" -ge 3 ] # the exchange, two records
	[ "$killed" -lt 20 ]
}

@test "two directories that change names keep their boxes; one that runs is told how to end it" {
	mkdir a b
	cubby exec -q -C a -- touch /root/of-a
	cubby exec -q -C b --keep -- touch /root/of-b
	mv a x && mv b a && mv x b
	run -125 --separate-stderr cubby exec -C a -- true
	[[ $stderr == "cubby exec: this directory was '$LIB_PROJECT/b', and its box still runs there; 'cubby stop "*"' ends it" ]]
	run -125 --separate-stderr cubby exec -C b -- true
	[[ $stderr == "cubby exec: this directory was '$LIB_PROJECT/a', and the box of the one that was here before still runs; 'cubby stop "*"' ends it" ]]
	cubby stop -q "$LIB_PROJECT/b"
	run -0 cubby exec -C a -- ls /root/of-b
	run -0 --separate-stderr cubby exec -C b -- ls /root/of-a
	[ -z "$stderr" ]
	[ "$(cubby ls --json | jq -r ".[] | select(.directory | startswith(\"$LIB_PROJECT\")) | .state" | sort -u)" != orphaned ]
}

@test "adopt and mv: by directory, by key, and never over another" {
	mkdir a b
	cubby exec -q -C a -- touch /root/mark
	cubby stop -q a
	rmdir a
	run -0 --separate-stderr cubby adopt -C b "$LIB_PROJECT/a"
	[ "$stderr" = "cubby: the box of '$LIB_PROJECT/a' is that of '$LIB_PROJECT/b' from now on" ]
	run -0 cubby exec -C b -- ls /root/mark
	cubby stop -q b
	mkdir c d
	local key
	key=$(cubby info -C b --json | jq -r .key)
	run -0 cubby mv "${key:0:12}" c
	run -0 cubby exec -C c -- ls /root/mark
	cubby exec -q -C d -- true
	cubby stop -q c d
	run -1 --separate-stderr cubby mv c d
	[ "$stderr" = "cubby mv: '$LIB_PROJECT/d' has a box; 'cubby rm' removes that one" ]
	run -1 --separate-stderr cubby mv c c
	[ "$stderr" = "cubby mv: that is the box of '$LIB_PROJECT/c' already" ]
	run -1 --separate-stderr cubby mv c /
	[[ $stderr == "cubby mv: the root directory cannot be a project"* ]]
	run -2 --separate-stderr cubby mv c
	[ "$stderr" = "cubby mv: two directories are wanted: that of the box, which 'cubby ls' tells, and its new one" ]
	run -0 cubby exec -C c -- ls /root/mark
}

@test "--name: several boxes in one directory" {
	cubby exec -q -- touch /root/first
	run -0 --separate-stderr cubby exec --name two -- test ! -e /root/first
	[ "$stderr" = "cubby: made a box for '$LIB_PROJECT' from the image 'test', name two" ]
	run -0 cubby ls
	[[ ${lines[0]} == DIRECTORY*NAME* ]] # a box that runs adds a column
	[ "$(cubby ls --json | jq -r ".[] | select(.directory == \"$LIB_PROJECT\" and .name == \"two\") | .image")" = test ]
	run -1 --separate-stderr cubby info --name three
	[ "$stderr" = "cubby info: there is no box 'three' for '$LIB_PROJECT'; 'cubby ls' lists them" ]
	run -2 --separate-stderr cubby info --name ../x
	[[ $stderr == "cubby info: --name: bad name '../x'; "* ]]
	run -0 --separate-stderr cubby stop two
	[[ $stderr == "cubby: the box of '$LIB_PROJECT' is "*", name two" ]]
	run -1 --separate-stderr cubby stop three
	[ "$stderr" = "cubby stop: there is no box for 'three'; 'cubby ls' lists them" ]
	cubby rm -q two
	run -0 cubby exec -- ls /root/first
	run -1 cubby info --name two
}
