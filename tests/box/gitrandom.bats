# Random work with git in a box, against a copy of the repository in which the same is done: what
# comes out is all that git shows, live and by an apply, and an undo makes it what it was. The
# seed of a round that fails is printed; RANDOM_SEED=N begins with it.
load ../lib
load escape/git

setup_file() {
	git_setup_file
	command -v python3 >/dev/null || lib_skip_file "no python3 on this host"
}
setup() { git_setup; rm -f evil; }

work() { # SEED COUNT: a script
	python3 "$CUBBY_TEST_TOP/tests/box/probes/gitchanges.py" "$1" "$2" "$((now + $1 % 1000 * 100))"
}

# All that git shows, and the files. Of the logs, what has come to them stays after an undo.
shown() { # DIR [without logs]
	local f
	(
		cd "$1" || exit
		git for-each-ref
		cat .git/HEAD
		git ls-files -s
		git status --porcelain=v2 --branch --show-stash
		git stash list
		[ "${2-}" ] || git reflog
		for f in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD MERGE_MSG SQUASH_MSG ORIG_HEAD; do
			[ ! -e .git/$f ] || { echo "$f:"; cat .git/$f; }
		done
		git fsck --no-dangling 2>&1 | grep -v 4b825dc6 # the empty tree, which git may not write
		find . -path ./.git -prune -o \( -type f -o -type l \) -printf '%p %m %l\n' | sort
	) 2>&1
}

same() { # WHAT WANTED FOUND
	[ "$2" = "$3" ] || { echo "seed $seed, $mode: $1"; diff <(echo "$2") <(echo "$3"); return 1; }
}

round() { # SEED MODE
	local seed=$1 mode=$2 model=$LIB_DIR/model was want done_here done_there
	rm -rf "$model"
	cp -a "$PWD" "$model"
	was=$(shown . without)
	work "$seed" 25 >"$LIB_DIR/script"
	done_here=$(cd "$model" && sh "$LIB_DIR/script")
	done_there=$(cubby exec -q --project "$mode" -- sh -s <"$LIB_DIR/script")
	same "a command ends otherwise" "$done_here" "$done_there"
	[ "$mode" = live ] || cubby apply -q --all
	want=$(shown "$model")
	same "what git shows" "$want" "$(shown .)"
	[ "$mode" = review ] && [ "$was" != "$(shown . without)" ] || return 0
	cubby undo -q
	same "an undo does not give what was" "$was" "$(shown . without)"
}

@test "random work with git: what comes out is what was done, and an undo gives what was" {
	local i first=${RANDOM_SEED:-$((${CUBBY_TEST_MORE:-1} * 1000))}
	now=$(($(date +%s) - 500000)) # gc forgets what is older than a month
	git init -q .
	echo evil >>.git/info/exclude
	git config gc.auto 0
	for ((i = 0; i < $(lib_often 10); i++)); do
		((i % 3 > 0)) || work $((first + i + 50000)) 15 | sh >/dev/null
		round $((first + i)) live
		round $((first + i + 90000)) review
	done
}
