# What makes a bash drivable; read once, from a memfd, as its rc file. See session.c.
# shellcheck shell=bash disable=SC2034,SC2317
__cubby_n=NONCE __cubby_s=0 __cubby_xv= __cubby_d= __cubby_p=
# A function of the model hides "builtin", and nothing here works. In POSIX mode, for which an
# assignment is enough, unset is found before functions. It changes options of shopt.
__cubby_own() {
	__cubby_b=$BASHOPTS
	case :$SHELLOPTS: in
	*:posix:*) \unset -f builtin || \exit 1 ;;
	*)
		POSIXLY_CORRECT=
		\unset -f builtin || \exit 1
		\unset -v POSIXLY_CORRECT
		;;
	esac 2>/dev/tty
	builtin local n LC_ALL=C
	for n in expand_aliases inherit_errexit interactive_comments shift_verbose sourcepath; do
		case :$__cubby_b: in
		*:$n:*) builtin shopt -s "$n" ;;
		*) builtin shopt -u "$n" ;;
		esac
	done
	builtin printf "bash: the function 'builtin' was removed: %s\n" \
		"this session needs what it hides" >/dev/tty
}
# What a function makes local is not seen by its caller, whatever else it passes on.
__cubby_check() {
	builtin local REPLY=@cubby
	case ${REPLY-} in @cubby) ;; *) __cubby_own ;; esac
} 2>/dev/null
__cubby_check >/dev/null
builtin unset -v TMOUT MAILCHECK
# The directory, with escapes for most characters.
__cubby_cwd() {
	builtin local LC_ALL=C "p=${PWD-}" i c
	__cubby_d= __cubby_p=$p
	case $p in *[!A-Za-z0-9/._~+-]*) ;; *)
		__cubby_d=$p
		builtin return
		;;
	esac
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
	__cubby_check
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
__cubby_plain() {
	builtin set +aefuvx
	builtin export -n __cubby_s __cubby_o # set by the loop, under set -a
}
__cubby_show() {
	__cubby_t="set -$__cubby_xv
$__cubby_t"
	__cubby_xv=
}
# Between two commands: the status of the last and the options, then the text of the next.
# What need not happen before a mark comes after it: the mark is waited for. bash copies a
# function for each call: what is rare is in functions of its own. Functions have no DEBUG
# trap, which could print: the loop has turned set -T off, as it is too late here.
__cubby_next() {
	builtin local REPLY=@cubby TMOUT
	case ${REPLY-} in @cubby) ;; *) __cubby_own ;; esac # as __cubby_check()
	case $__cubby_o in *[aefuvx]*) __cubby_plain ;; esac
	{
		case ${PWD-} in
		"$__cubby_p") ;; # as before
		*) __cubby_cwd ;;
		esac
		builtin printf '\033]7717;%s;D;%s;%s\033\\' "$__cubby_n" "$__cubby_s" "$__cubby_d"
		__cubby_hooks
		while builtin read -r -d '' -u 250 || builtin exit 0; do
			case $REPLY in "$__cubby_n") ;; *) builtin break ;; esac
		done
		__cubby_t=$REPLY
		builtin printf '\033]7717;%s;C\033\\' "$__cubby_n"
	} >/dev/tty || builtin return
	case $__cubby_o in *[aefuvxT]*) __cubby_options "$__cubby_o" ;; esac
	case $__cubby_xv in ?*) __cubby_show ;; esac
}
__cubby_q() { builtin return "$__cubby_s"; }
\exec 250<&3 3<&- 4<&-
RC
__cubby_check >/dev/null
\builtin unset -v HISTFILE TMOUT MAILCHECK
\builtin set +o history +H +aefuvx
\builtin export -n __cubby_n __cubby_o __cubby_s __cubby_t __cubby_d __cubby_p __cubby_xv
\builtin trap - DEBUG ERR RETURN
__cubby_hooks
