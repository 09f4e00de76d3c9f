# What makes a bash drivable; read once, from a memfd, as its rc file. See session.c.
# shellcheck shell=bash disable=SC2034,SC2317
builtin unset -v TMOUT MAILCHECK
__cubby_n=NONCE __cubby_s=0 __cubby_xv=
# A directory with other characters than those that need no escape.
__cubby_cwd() {
	builtin local LC_ALL=C "p=$PWD" i c
	__cubby_d=
	for ((i = 0; i < ${#p}; i++)); do
		c=${p:i:1}
		case $c in
		[A-Za-z0-9/._~+-]) ;;
		*)
			builtin printf -v c %02X "'$c"
			c=%${c: -2}
			;;
		esac
		__cubby_d+=$c
	done
}
__cubby_hooks() {
	builtin unset -v PROMPT_COMMAND PS0
	builtin export -n 'PROMPT_COMMAND={ __cubby_prompt "$?"; } >/dev/null 2>&1' \
		'PS1=\e]7717;$__cubby_n;Q;$?\e\\' PS2=
}
# The options of the model, less those that show what runs: they come back in its text.
__cubby_options() {
	case $1 in *x*) __cubby_xv+=x ;; esac
	case $1 in *v*) __cubby_xv+=v ;; esac
	case $1 in *a*) builtin set -a ;; esac
	case $1 in *f*) builtin set -f ;; esac
	case $1 in *u*) builtin set -u ;; esac
	case $1 in *e*) builtin set -e ;; esac
	case $1 in *T*) builtin set -T ;; esac
}
# At the shell's own prompt: say so, and wait until the loop has been typed.
__cubby_prompt() {
	builtin local "o=$-" REPLY TMOUT
	builtin set +aefuvx
	__cubby_hooks
	builtin printf '\033]7717;%s;P;%s\033\\' "$__cubby_n" "$1" >/dev/tty ||
		builtin return
	while builtin read -r -d '' -u 250 || builtin exit 0; do
		case $REPLY in "$__cubby_n") builtin break ;; esac
	done
	__cubby_options "$o"
}
# Between two commands: the status of the last and the options, then the text of the next.
# What need not happen before a mark comes after it: the mark is waited for. Functions have
# no DEBUG trap, which could print: the loop has turned set -T off, as it is too late here.
__cubby_next() {
	case $__cubby_o in *[aefuvx]*)
		builtin set +aefuvx
		builtin export -n __cubby_s __cubby_o # set by the loop, under set -a
		;;
	esac
	{
		case ${PWD-} in
		*[!A-Za-z0-9/._~+-]*) __cubby_cwd ;;
		*) __cubby_d=${PWD-} ;;
		esac
		builtin printf '\033]7717;%s;D;%s;%s\033\\' "$__cubby_n" "$__cubby_s" "$__cubby_d"
		__cubby_hooks
		builtin local REPLY TMOUT
		while builtin read -r -d '' -u 250 || builtin exit 0; do
			case $REPLY in "$__cubby_n") ;; *) builtin break ;; esac
		done
		__cubby_t=$REPLY
		builtin printf '\033]7717;%s;C\033\\' "$__cubby_n"
	} >/dev/tty || builtin return
	case $__cubby_o in *[aefuvxT]*) __cubby_options "$__cubby_o" ;; esac
	case $__cubby_xv in
	?*)
		__cubby_t="set -$__cubby_xv
$__cubby_t"
		__cubby_xv=
		;;
	esac
}
__cubby_q() { builtin return "$__cubby_s"; }
\exec 250<&3 3<&- 4<&-
RC
builtin unset -v HISTFILE TMOUT MAILCHECK
builtin set +o history +H +aefuvx
builtin export -n __cubby_n __cubby_o __cubby_s __cubby_t __cubby_d __cubby_xv
builtin trap - DEBUG ERR RETURN
__cubby_hooks
