# Random changes under review, against a plain directory in which the same is done: what the box
# sees is that, an apply makes the project that, an undo makes it what it was. The seed of a
# round that fails is printed; RANDOM_SEED=N begins with it.
load ../lib

setup_file() {
	lib_env
	lib_image
	lib_python
	command -v python3 >/dev/null || lib_skip_file "no python3 on this host"
}
setup() {
	lib_skipped
	lib_project
	umask 022
	PROBE=$CUBBY_TEST_TOP/tests/box/probes/changes.py
}

here() { python3 "$PROBE" "$@"; }
boxed() { cubby exec -q --project review -- python3 - "$@" <"$PROBE"; }

same() { # WHAT WANTED FOUND
	cmp -s "$2" "$3" || { echo "seed $seed: $1"; diff "$2" "$3"; return 1; }
}

round() { # SEED
	local seed=$1 was=$LIB_DIR/was model=$LIB_DIR/model want=$LIB_DIR/want found=$LIB_DIR/found
	here change $((seed + 1)) 4 "$PWD"
	here list "$PWD" >"$was"
	rm -rf "$model"
	cp -a --no-preserve=links "$PWD" "$model" # as an overlay: two names of a file below it are two files above
	here change "$seed" 12 "$model"
	here list "$model" >"$want"
	boxed change "$seed" 12 "$PWD"
	boxed list "$PWD" >"$found"
	same "the box does not see what was done" "$want" "$found"
	here list "$PWD" >"$found"
	same "the project is changed before an apply" "$was" "$found"
	if ((seed % 5 == 0)); then
		cubby discard --all
		want=$was
	else
		cubby apply -q --all
	fi
	here list "$PWD" >"$found"
	same "the project is not what the box has" "$want" "$found"
	if ((seed % 5 > 2)) && ! cmp -s "$was" "$want"; then
		cubby undo -q
		here list "$PWD" >"$found"
		same "an undo does not give what was" "$was" "$found"
	fi
	cubby diff --name-only >"$found"
	[ ! -s "$found" ] || { echo "seed $seed: waits still"; cat "$found"; return 1; }
	boxed list "$PWD" >"$want"
	here list "$PWD" >"$found"
	same "the box does not see the project" "$found" "$want"
}

@test "random changes: what the box sees is what an apply gives, and an undo what was" {
	local i first=${RANDOM_SEED:-$((${CUBBY_TEST_MORE:-1} * 1000))}
	for ((i = 0; i < $(lib_often 30); i++)); do
		round $((first + 7 * i))
	done
}
