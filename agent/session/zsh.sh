# What makes a zsh drivable; read once, from a memfd, by a typed line. See session.c.
# shellcheck disable=all
unsetopt zle prompt_cr prompt_sp bang_hist hist_save_no_dups share_history inc_append_history
unset HISTFILE TMOUT MAILCHECK
SAVEHIST=0
__cubby_n=NONCE __cubby_s=0 __cubby_xv=
# A function of the model hides "builtin", and nothing here works. An assignment takes its place
# and is out of force at once (zsh/parameter).
__cubby_own() {
	dis_functions[builtin]=:
	builtin unset -f builtin
	builtin local REPLY=@cubby
	[[ ${REPLY-} == @cubby ]] || exit 1
	builtin printf "zsh: the function 'builtin' was removed: %s\n" \
		"this session needs what it hides" >/dev/tty
}
# What a function makes local is not seen by its caller, whatever else it passes on.
__cubby_check() {
	builtin local REPLY=@cubby
	[[ ${REPLY-} == @cubby ]] || __cubby_own
}
# One mark, on the terminal whatever standard output is; in one write.
__cubby_say() {
	builtin printf '\033]7717;%s;%s\033\\' "$__cubby_n" "$1" >/dev/tty ||
		builtin printf '\033]7717;%s;%s\033\\' "$__cubby_n" "$1"
}
# A directory with other characters than those that need no escape.
__cubby_cwd() {
	builtin local LC_ALL=C p="${PWD-}" c
	builtin local -i i
	__cubby_d=
	for ((i = 1; i <= ${#p}; i++)); do
		c=$p[i]
		case $c in
		[A-Za-z0-9/._~+-]) ;;
		*) builtin printf -v c '%%%02X' "'$c" ;;
		esac
		__cubby_d+=$c
	done
}
__cubby_hooks() {
	precmd() {
		{ __cubby_prompt $?; } >/dev/null 2>&1
	}
	precmd_functions=() PS1=$'\e]7717;NONCE;Q;%?\e\\' RPS1= PS2= PROMPT_EOL_MARK=
}
# What shows which commands run is off in the plumbing, and comes back in the text. zsh
# restores xtrace at the end of a function: the loop turns it off. Under set -a what is
# assigned here and in __cubby_show would be exported.
__cubby_quiet() {
	[[ -o xtrace ]] && __cubby_xv+=x
	[[ -o verbose ]] && __cubby_xv+=v
	builtin set +v
}
__cubby_show() {
	__cubby_t="set -$__cubby_xv
$__cubby_t"
	__cubby_xv=
	builtin typeset -g +x __cubby_t __cubby_xv
}
__cubby_at_prompt() {
	__cubby_check
	builtin emulate -L zsh
	builtin local REPLY TMOUT
	__cubby_hooks
	__cubby_say "P;$1"
	while builtin read -r -d '' -u 9 || builtin exit 0; do
		[[ $REPLY == $__cubby_n ]] && builtin break
	done
}
__cubby_prompt() {
	__cubby_quiet
	__cubby_at_prompt "$1"
}
# Each command of zsh costs some system calls, and each function some more: few of both.
__cubby_between() {
	builtin local REPLY=@cubby TMOUT
	[[ ${REPLY-} == @cubby ]] || {
		__cubby_own
		builtin local REPLY TMOUT
	}
	builtin emulate -L zsh
	__cubby_s=$1
	__cubby_hooks
	case ${PWD-} in
	*[^A-Za-z0-9/._~+-]*) __cubby_cwd ;;
	*) __cubby_d=${PWD-} ;;
	esac
	__cubby_say "D;$1;$__cubby_d"
	while builtin read -r -d '' -u 9 || builtin exit 0; do
		[[ $REPLY == $__cubby_n ]] || builtin break
	done
	__cubby_t=$REPLY
	__cubby_say C
}
# Between two commands: the status of the last, then the text of the next.
__cubby_next() {
	[[ -o xtrace || -o verbose ]] && __cubby_quiet
	__cubby_between "$1"
	[[ -n $__cubby_xv ]] && __cubby_show
	builtin return 0
}
__cubby_q() { builtin return $__cubby_s; }
exec 9<&3 3<&- 4<&-
RC
set +xveu
unsetopt zle prompt_cr prompt_sp bang_hist share_history inc_append_history
unset HISTFILE TMOUT MAILCHECK
SAVEHIST=0
setopt prompt_percent
__cubby_check >/dev/null 2>&1
\builtin typeset +x __cubby_n __cubby_s __cubby_t __cubby_d __cubby_xv
__cubby_hooks
