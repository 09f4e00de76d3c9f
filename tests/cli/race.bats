# Commands that are given in one moment: the long suite gives them five times as often.
bats_require_minimum_version 1.5.0
load ../lib

setup_file() { lib_env; lib_image; }
teardown_file() { lib_done; }
setup() { lib_project; }

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
			[ -d "$XDG_DATA_HOME/cubby/images/${image##*/}/" ] && [ -n "$image" ]
		fi
		cubby rmi "race-$n" >/dev/null 2>&1 || true
	done
	[ -z "$(find "$XDG_DATA_HOME/cubby/tmp" -mindepth 1)" ]
}
