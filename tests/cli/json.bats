# --json: whatever a command says, of itself or of its failure, is JSON.
load ../lib

commands() { cubby help | awk '/^  [a-z]+  / { print $1 }'; }

# Every line is a value, or all of it is one.
is_json() { # TEXT
	[ -z "$1" ] || jq -es 'length > 0' <<<"$1" >/dev/null || {
		echo "not JSON: $1"
		return 1
	}
}

# bats test_tags=long
@test "json: usage errors of every command, with --json behind its name and before it" {
	local command words
	for command in $(commands); do
		for words in "$command --json --zzz" "--json $command --zzz" "$command --zzz --json"; do
			run --separate-stderr cubby $words
			[ "$status" -ne 0 ]
			[ -z "$output" ]
			[ "$(jq -r .error.message <<<"$stderr")" = "unknown option '--zzz'; --help lists them" ] ||
				{ echo "$words: $stderr"; false; }
			[ "$(jq -r .error.status <<<"$stderr")" = "$status" ]
		done
	done
	for words in "shel --json" "--json shel" "--json refactor" "help nosuch --json" "--json -- x" "run --json"; do
		run -2 --separate-stderr cubby $words
		[ -z "$output" ] || [[ $words == help* ]]
		[[ $words == help* ]] || [ "$(jq -r .error.status <<<"$stderr")" = 2 ]
	done
}

# bats test_tags=long
@test "json: failures of every command, where there is neither box nor image nor model" {
	local command words
	declare -A operands=([exec]=true [kill]=1 [pull]=/nonexistent [rmi]=nosuch [run]=x [log]=x [logs]=1)
	for command in $(commands); do
		words="$command --json ${operands[$command]-}"
		[ "$command" != exec ] || words="exec --json --image nosuch true"
		case $command in shell | own) words="$command --json --image nosuch" ;; esac
		[ "$command" != mcp ] || continue # its output is a protocol
		[ "$command" != serve ] || continue # it goes on until it is ended
		run --separate-stderr cubby $words </dev/null
		is_json "$output"
		is_json "$stderr"
		[ -n "$output$stderr" ] || { echo "$words says nothing"; false; }
	done
}

@test "json: what every command says when it works" {
	local command words pid
	cubby exec --keep -- true
	pid=$(cubby exec -d --json -- sh -c 'printf "\033]0;t\007one\ntwo"; exec sleep 1000' | jq .pid)
	[[ $pid =~ ^[0-9]+$ ]]
	lib_wait_for_command "sleep 1000"
	for command in ls info ps log logs net ports images config "kill 1000000" "kill $pid" "exec true" \
		"exec -t true" shell "prune --dry-run" "prune" "pull --name again $CUBBY_TEST_ROOTFS" doctor stop stop "rm --yes" "rmi again"; do
		words="$command"
		[ "$command" != "kill $pid" ] || words="kill -s CONT $pid"
		run --separate-stderr cubby --json $words </dev/null
		is_json "$output" || { echo "of: $words"; false; }
		is_json "$stderr" || { echo "of: $words"; false; }
		case $command in
		exec* | shell) [ -z "$output$stderr" ] ;;
		*) [ -n "$output$stderr" ] || { echo "$words says nothing"; false; } ;;
		esac
		case $command in
		logs) [ "$output" = '{"text":"\u001b]0;t\u0007one"}'$'\n''{"text":"two"}' ] ;;
		"kill $pid") [ "$(jq -c . <<<"$output")" = "[{\"pid\":$pid,\"signal\":18}]" ] ;;
		stop) [ "$(jq -r '.[].project' <<<"$output")" = "$LIB_PROJECT" ] ;;
		"rm --yes") [ "$(jq -r 'length' <<<"$output")" = 1 ] ;;
		"rmi again") [ "$(jq -r '.[].name' <<<"$output")" = again ] ;;
		esac
	done
}
