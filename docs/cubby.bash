# Completion of cubby for bash.
# shellcheck shell=bash disable=SC2207 # words and names without blanks

_cubby_words() {
	COMPREPLY=($(compgen -W "$1" -- "$2"))
}

_cubby() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	local commands='run resume log shell exec logs ls info stop rm prune mv adopt ps kill net ports pull images rmi mcp doctor config help'
	local common='--directory --name --here --json --quiet --verbose --no-color --help --version'
	local box='--image --wipe --rm --unlink --net --allow --deny --publish --memory --cpus --pids --disk --env
		--user --keep --git-writable --allow-home --any-directory'
	local task='--model --max-rounds --max-tokens --max-cost --timeout --command-timeout --shell-command
		--on-error --save-transcript --ask --system-extra --replay'
	local command=run own='' word i

	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		[[ $word == -* ]] && continue
		[[ " $commands " == *" $word "* ]] && command=$word
		break
	done
	case $prev in
	--net) _cubby_words 'gate none host' "$cur"; return ;;
	--on-error) _cubby_words 'go-on stop reject' "$cur"; return ;;
	--image) _cubby_words "ubuntu $(cubby images --json 2>/dev/null |
		grep -oE '"name":"[^"]+"' | cut -d'"' -f4)" "$cur"; return ;;
	-C | --directory) COMPREPLY=($(compgen -d -- "$cur")); return ;;
	--replay) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	-s | --signal) _cubby_words 'HUP INT QUIT KILL TERM USR1 USR2 STOP CONT' "$cur"; return ;;
	esac
	case $command in
	run) own="$box $task --continue" ;;
	resume) own="$box $task --message" ;;
	exec) own="$box --tty --detach --interactive --raw" ;;
	shell) own="$box --shell-command --raw" ;;
	mcp) own="$box --shell-command --command-timeout --on-error" ;;
	log) own='--last --net' ;;
	net) own='--allow --deny --drop' ;;
	ports) own='--publish --unpublish' ;;
	logs) own='--follow --raw' ;;
	stop) own='--all --time' ;;
	rm) own='--all --force --yes' ;;
	prune) own='--older --dry-run --yes' ;;
	kill) own='--signal' ;;
	pull) own='--name' ;;
	rmi) own='--all --force' ;;
	doctor) own='--apparmor' ;;
	esac
	if [[ $cur == -* ]]; then
		_cubby_words "$own $common" "$cur"
		return
	fi
	case $command in
	pull) COMPREPLY=($(compgen -f -- "$cur") $(compgen -W 'ubuntu ubuntu:24.04 ubuntu:22.04' -- "$cur")) ;;
	rmi) _cubby_words "$(cubby images --json 2>/dev/null | grep -oE '"name":"[^"]+"' | cut -d'"' -f4)" "$cur" ;;
	stop | rm | mv | adopt) COMPREPLY=($(compgen -d -- "$cur")) ;;
	*) [ "$COMP_CWORD" -eq 1 ] && _cubby_words "$commands" "$cur" ;;
	esac
}
complete -o default -F _cubby cubby
