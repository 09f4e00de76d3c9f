# What makes a POSIX sh (dash, ash) drivable; read once, from a memfd, through ENV. See
# session.c. Descriptors above 9 are not to be had in such a shell.
unset ENV HISTFILE
__cubby_n=NONCE
__cubby_s=0
__cubby_xv= __cubby_k=
__cubby_nl='
'
# One mark, on the terminal whatever standard output is.
__cubby_say() {
	command printf '\033]7717;%s;%s\033\\' "$__cubby_n" "$1" >/dev/tty
}
__cubby_cwd() {
	__cubby_d=${PWD-}
	case $__cubby_d in
	*[!A-Za-z0-9/._~+-]*) ;;
	*) return 0 ;;
	esac
	# rare, and so by programs of the image, if it has them
	__cubby_d=$(command printf %s "$__cubby_d" | LC_ALL=C od -An -v -tx1 | tr -d '\n' | tr 'a-f ' 'A-F%')
}
__cubby_hooks() {
	PS1='$({ __cubby_prompt "$?"; } 2>/dev/null)'
	PS2=
}
# The options of the model, less those that show what runs: they come back in its text.
__cubby_off() {
	case $1 in *x*) __cubby_xv=${__cubby_xv}x ;; esac
	case $1 in *v*) __cubby_xv=${__cubby_xv}v ;; esac
	set +aefuvx
}
__cubby_on() {
	case $1 in *a*) set -a ;; esac
	case $1 in *f*) set -f ;; esac
	case $1 in *u*) set -u ;; esac
	case $1 in *e*) set -e ;; esac
}
# At the shell's own prompt, in a subshell of it: say so, and wait for the nonce.
__cubby_prompt() {
	set +aefuvx
	unset -f command # in this subshell
	__cubby_say "P;$1"
	while IFS= command read -r __cubby_t <&9 && [ "$__cubby_t" != "$__cubby_n" ]; do :; done
}
# Functions come before printf and read, hence "command"; and before it, too. One that passes
# on what it is told to do is no harm.
__cubby_own() {
	unset -f command || exit 1
	command printf "sh: the function 'command' was removed: %s\\n" \
		"this session needs what it hides" >/dev/tty
}
# Between two commands: the status of the last, then the text of the next.
__cubby_next() {
	set +a
	command eval __cubby_k=y
	case $__cubby_k in y) __cubby_k= ;; *) __cubby_own ;; esac
	__cubby_s=$1
	__cubby_o=$2
	__cubby_off "$2"
	__cubby_hooks
	__cubby_cwd
	__cubby_say "D;$1;$__cubby_d"
	while IFS= command read -r __cubby_t <&9 || exit 0; do
		[ "$__cubby_t" = "$__cubby_n" ] || break
	done
	case $__cubby_t in
	*\\*)
		__cubby_t=$(command printf '%b.' "$__cubby_t")
		__cubby_t=${__cubby_t%.}
		;;
	esac
	__cubby_say C
	case $__cubby_xv in
	?*)
		__cubby_t="set -$__cubby_xv$__cubby_nl$__cubby_t"
		__cubby_xv=
		;;
	esac
	__cubby_on "$__cubby_o"
}
__cubby_q() { return "$__cubby_s"; }
exec 9<&3 3<&- 4<&-
RC
set +aefuvx
__cubby_hooks
