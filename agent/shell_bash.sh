# What makes a bash drivable; read once, from a memfd, as its rc file. See session.c.
# shellcheck shell=bash disable=SC2034,SC2317
builtin unset -v TMOUT MAILCHECK
__cubby_n=NONCE __cubby_s=0 __cubby_xv=
# One mark, on the terminal whatever standard output is; in one write.
__cubby_say() {
	builtin printf '\033]7717;%s;%s\033\\' "$__cubby_n" "$1" >/dev/tty ||
		builtin printf '\033]7717;%s;%s\033\\' "$__cubby_n" "$1"
}
__cubby_cwd() {
	case ${PWD-} in
	*[!A-Za-z0-9/._~+-]*) ;;
	*) __cubby_d=${PWD-} && builtin return ;;
	esac
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
}
# At the shell's own prompt: say so, and wait until the loop has been typed.
__cubby_prompt() {
	builtin local "o=$-" REPLY TMOUT
	builtin set +aefuvx
	__cubby_hooks
	__cubby_say "P;$1"
	while builtin read -r -d '' -u 250 || builtin exit 0; do
		case $REPLY in "$__cubby_n") builtin break ;; esac
	done
	__cubby_options "$o"
}
# Between two commands: the status of the last, then the text of the next.
__cubby_next() {
	builtin local "o=$-" REPLY TMOUT
	builtin set +aefuvx
	__cubby_s=$1
	__cubby_hooks
	__cubby_cwd
	__cubby_say "D;$1;$__cubby_d"
	while builtin read -r -d '' -u 250 || builtin exit 0; do
		case $REPLY in "$__cubby_n") ;; *) builtin break ;; esac
	done
	__cubby_t=$REPLY
	__cubby_say C
	__cubby_options "$o"
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
builtin export -n __cubby_n __cubby_s __cubby_t __cubby_d __cubby_xv
builtin trap - DEBUG ERR RETURN
__cubby_hooks
