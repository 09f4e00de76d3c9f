/* Interaction, robustness and jobs, with real programs. */
#include "tests/unit/shellkit.h"

#define RUN(t, ...)                                                    \
	{                                                              \
		.what = SHELLKIT_RUN, .text = (t), .want = __VA_ARGS__ \
	}
#define IN(t, ...)                                                       \
	{                                                                \
		.what = SHELLKIT_INPUT, .text = (t), .want = __VA_ARGS__ \
	}
#define KEYS(t, ...)                                                    \
	{                                                               \
		.what = SHELLKIT_KEYS, .text = (t), .want = __VA_ARGS__ \
	}
/* clang-format off */
#define UNTIL(t) { .what = SHELLKIT_UNTIL, .text = "", .has = (t) }
/* clang-format on */
#define WAIT(...)                                                      \
	{                                                              \
		.what = SHELLKIT_WAIT, .text = "", .want = __VA_ARGS__ \
	}
#define SCREEN(...)                                              \
	{                                                        \
		.what = SHELLKIT_SCREEN, .text = "", __VA_ARGS__ \
	}
#define EXIT SHELLKIT_EXIT
#define LINE SHELLKIT_LINE
#define KEY SHELLKIT_KEY
#define PASSWORD SHELLKIT_PASSWORD
#define WAITS SHELLKIT_WAITS
#define SOFT SHELLKIT_SOFT
#define HARD SHELLKIT_HARD
#define DEAD SHELLKIT_DEAD

/* clang-format off */
static const struct shellkit_row rows[] = {
	{ "X1: two inputs of python", "python3", {
		RUN("python3 -c 'a=input(\"one? \"); b=input(\"two? \"); print(a+b)'", LINE, .is = "one? "),
		IN("x\n", LINE, .is = "x\ntwo? "),
		IN("y\n", EXIT, .status = 0, .is = "y\nxy\n"),
	} },
	{ "X1: select", NULL, {
		RUN("select x in a b; do echo \"got $x\"; break; done", LINE, .has = "#? "),
		IN("2\n", EXIT, .status = 0, .has = "got b\n"),
	} },
	{ "X1: read -t", NULL, {
		RUN("read -t 5 -p 'q? ' x; echo \"<$x>\"", LINE, .is = "q? "),
		IN("z\n", EXIT, .status = 0, .is = "z\n<z>\n"),
	} },
	{ "X1: cat fed line by line", NULL, {
		RUN("cat", LINE, .is = ""),
		IN("a\n", LINE, .is = "a\na\n"),
		IN("b\n", LINE, .is = "b\nb\n"),
		KEYS("C-d", EXIT, .status = 0, .is = ""),
	} },
	{ "X2: python", "python3", {
		RUN("PYTHON_BASIC_REPL=1 python3 -q", WAITS, .has = ">>> "),
		IN("print(6*7)\n", WAITS, .has = "42"),
		IN("exit(3)\n", EXIT, .status = 3),
	} },
	{ "X2: nested bash", NULL, {
		RUN("bash --norc", KEY, .has = "bash-", .has_not = "7717"),
		IN("echo nested$((1+1))\r", KEY, .has = "nested2"),
		IN("exit 5\r", EXIT, .status = 5),
	} },
	{ "X2: nested sh", "dash", {
		RUN("PS1='$ ' dash", LINE, .is = "$ "),
		IN("exit 4\n", EXIT, .status = 4),
	} },
	{ "X2: gdb", "gdb", {
		RUN("gdb -q -nx", KEY, .has = "(gdb) "),
		IN("quit\r", EXIT, .status = 0),
	} },
	{ "X2: sqlite3", "sqlite3", {
		RUN("sqlite3 -interactive", WAITS, .has = "sqlite> "),
		IN("select 40+2;\n", WAITS, .has = "42"),
		IN(".quit\n", EXIT, .status = 0),
	} },
	{ "X4: passwords are not shown", NULL, {
		RUN("read -rs -p 'pw: ' x; echo; echo ${#x}", PASSWORD, .is = "pw: "),
		IN("tops3cret\n", EXIT, .status = 0, .is = "\n9\n"),
	} },
	/* the functions of OpenSSH that ask for a host's key and for a passphrase */
	{ "X2, X4: questions of ssh", "ssh-keygen", {
		RUN("ssh-keygen -q -t ed25519 -N secret -f k; ssh-keygen -y -f k >pub", PASSWORD, .has = "passphrase"),
		IN("secret\n", EXIT, .status = 0, .has_not = "secret"),
		RUN("ssh-keygen -q -t ed25519 -N '' -f k", LINE, .has = "(y/n)?"),
		IN("n\n", EXIT, .status = 1),
	} },
	/* An ordinary user that only this mount namespace has. Its root is asked nothing, and
	 * in a box set-id bits have no effect (tests/box/prompts.bats has passwd and ssh). */
	{ "X4: sudo, a wrong answer and a right one", "setid:sudo", {
		RUN("echo 'ann:x:61235:61235::/:/bin/sh' | cat /etc/passwd - >passwd; "
		    "echo \"ann:$(openssl passwd -6 right-Pa55):19000:0:99999:7:::\" | cat /etc/shadow - >shadow; "
		    "printf 'Defaults use_pty,timestamp_timeout=0,!syslog,!lecture\nann ALL=(ALL) ALL\n' >sudoers; "
		    "printf '%s required pam_unix.so nodelay\n' auth account >pam; chmod 755 .; chmod 440 sudoers; chmod 600 shadow", EXIT, .status = 0),
		RUN("unshare -m sh -c 'for f in passwd shadow sudoers; do mount --bind $f /etc/$f || exit 99; done; mount --bind pam /etc/pam.d/sudo; "
		    "mount -t tmpfs none /run; exec setpriv --reuid=61235 --regid=61235 --clear-groups -- "
		    "sudo sh -c \"read -p name: x; echo \\$x \\$(id -u); exit 6\"'", PASSWORD, .has = "[sudo] password for ann: "),
		IN("wrong-Pa55\n", PASSWORD, .has = "Sorry, try again.\n[sudo] password for ann: ", .has_not = "Pa55"),
		IN("right-Pa55\n", LINE, .is = "\nname:"),
		IN("Bob\n", EXIT, .status = 6, .is = "Bob\nBob 0\n"),
	} },
	{ "X2, X12: git opens an editor", "git", {
		RUN("git init -q g && cd g && git config user.email a@b && git config user.name c && echo x >f && git add f; "
		    "printf 'echo msg >\"$1\"; printf edit?; read x\n' >../ed; EDITOR='sh ../ed' git commit -q", LINE, .has = "edit?"),
		IN("\n", EXIT, .status = 0),
		RUN("git log --format=%s", EXIT, .status = 0, .is = "msg\n"),
	} },
	{ "X12: vim for a commit message", "vim", {
		RUN("git init -q g && cd g && git config user.email a@b && git config user.name c && echo x >f && git add f; "
		    "EDITOR='vim -u NONE -N' git commit -q", KEY, .full_screen = true),
		IN("imsg\033", KEY, .full_screen = true),
		IN(":wq\r", EXIT, .status = 0),
		RUN("git log --format=%s", EXIT, .status = 0, .is = "msg\n"),
	} },
	{ "a message that git has is taken as it is", "git", {
		RUN("git init -qb main g && cd g && git config user.email a@b && git config user.name c && echo x >f && git add f && git commit -qm one; "
		    "git switch -qc b; echo y >f; git commit -qam two; git switch -q main; echo z >f; git commit -qam three; git rebase -q b", EXIT, .status = 1),
		RUN("echo yz >f; git add f; git rebase --continue >/dev/null && git commit -q --amend; git log --format=%s", EXIT, .status = 0, .is = "three\ntwo\none\n"),
	} },
	{ "O6: pagers of programs are cat", "git", {
		RUN("git init -q g && cd g && git config user.email a@b && git config user.name c && seq 500 >f && git add f && git commit -qm m", EXIT, .status = 0),
		RUN("git log -p", EXIT, .status = 0, .has = "\n+500\n"),
		RUN("echo $PAGER $GIT_PAGER $MANPAGER $SYSTEMD_PAGER", EXIT, .status = 0, .is = "cat cat cat cat\n"),
	} },
	{ "O6: man ends by itself", "man", {
		RUN("printf '.TH T 1\n.SH NAME\nt \\- a page\n' >t.1; man ./t.1", EXIT, .status = 0, .has = "a page"),
	} },
	{ "O6: a pager that is called opens", "less", {
		RUN("seq 1 500 >f; less f", KEY, .full_screen = true),
		IN("q", EXIT, .status = 0),
	} },
	{ "X4: su", "root:su", {
		RUN("su nobody -s /bin/sh -c 'read x; echo $x'", LINE, .is = ""),
		IN("q\n", EXIT, .status = 0, .has = "q\nq\n"),
	} },
	{ "X4: script, a relay", "script", {
		RUN("script -qec 'read -p name: x; echo got $x' /dev/null", LINE, .is = "name:"),
		IN("Bob\r", EXIT, .status = 0, .has = "got Bob"),
	} },
	{ "X4: script, a password inside", "script", {
		RUN("SHELL=/bin/bash script -qec 'read -sp pw: x; echo; echo ${#x}' /dev/null", PASSWORD, .is = "pw:"),
		IN("abc\r", EXIT, .status = 0, .has = "3"),
	} },
	{ "X4: script, at work inside", "script", {
		RUN("script -qec 'sleep 1; echo done' /dev/null", EXIT, .status = 0, .has = "done"),
	} },
	{ "X7: sleep", NULL, {
		RUN("sleep 60", SOFT, .soft_ms = 100),
		KEYS("C-c", EXIT, .status = 130),
	} },
	/* Each turn longer than the test: between two children of a loop, bash loses a ^C. */
	{ "X7: a loop", NULL, {
		RUN("while :; do sleep 5; done; echo no", SOFT, .soft_ms = 100),
		KEYS("C-c", EXIT, .status = 130, .has_not = "no"),
		RUN("echo $?", EXIT, .status = 0, .is = "130\n"),
	} },
	{ "X7: a busy loop", NULL, {
		RUN("while :; do :; done; echo no", SOFT, .soft_ms = 100),
		KEYS("C-c", EXIT, .status = 130, .has_not = "no"),
	} },
	{ "X7: the rest of the text", NULL, {
		RUN("sleep 60\necho no", SOFT, .soft_ms = 100),
		KEYS("C-c", EXIT, .status = 130, .has_not = "no"),
	} },
	{ "X7: own handler", NULL, {
		RUN("sh -c 'trap \"echo caught; exit 9\" INT; echo set; while :; do sleep 0.5; done'", SHELLKIT_ANY, .soft_ms = 100),
		UNTIL("set"),
		KEYS("C-c", EXIT, .status = 9, .has = "caught"),
	} },
	{ "X7: http.server", "python3", {
		RUN("python3 -u -m http.server 0 --bind 127.0.0.1", SHELLKIT_ANY, .soft_ms = 200),
		UNTIL("Serving"),
		KEYS("C-c", EXIT, .status = 0, .has = "Keyboard interrupt"),
		RUN("python3 -u -m http.server 0 --bind 127.0.0.1", SHELLKIT_ANY, .soft_ms = 200),
		UNTIL("Serving"),
		KEYS("C-c", EXIT, .status = 0),
	} },
	{ "X8: stop and go on", NULL, {
		RUN("sleep 60", SOFT, .soft_ms = 100),
		KEYS("C-z", EXIT, .status = 148, .has = "Stopped"),
		RUN("jobs", EXIT, .status = 0, .has = "sleep 60"),
		RUN("fg", SOFT, .soft_ms = 100),
		KEYS("C-z", EXIT, .status = 148),
		RUN("bg; kill %1; wait %1", SHELLKIT_ANY),
	} },
	{ "X8: quit", NULL, {
		RUN("sleep 60", SOFT, .soft_ms = 100),
		KEYS("C-\\", EXIT, .status = 131),
	} },
	{ "X9: cursor keys of a pager", "less", {
		RUN("seq 1 500 >f; less f", KEY, .full_screen = true),
		SCREEN(.has = "\n39\n"),
		KEYS("Down Down", KEY, .full_screen = true),
		SCREEN(.has = "\n41\n", .has_not = "\n2\n"),
		KEYS("q", SHELLKIT_ANY),
	} },
	{ "X11: unread input is no command", NULL, {
		RUN("read x; sleep 0.3", LINE),
		IN("one\necho EVIL\n", EXIT, .status = 0, .has_not = "EVIL\nEVIL"),
		RUN("cat", LINE, .is = ""),
		KEYS("C-d", EXIT, .status = 0, .is = ""),
	} },
	{ "X12: vim", "vim", {
		RUN("vim -u NONE -N f", KEY, .full_screen = true),
		IN("ihello\033", KEY, .full_screen = true),
		SCREEN(.has = "hello"),
		IN(":wq\r", EXIT, .status = 0, .is = ""),
		RUN("cat f", EXIT, .status = 0, .is = "hello\n"),
	} },
	{ "X12: less, interrupted", "less", {
		RUN("seq 1 500 | less", KEY, .full_screen = true),
		IN("q", EXIT, .status = 0, .is = ""),
		RUN("stty size", EXIT, .status = 0, .is = "40 100\n"),
	} },
	{ "X12: top", "top", {
		RUN("top", KEY, .full_screen = true),
		SCREEN(.has = "PID"),
		IN("q", EXIT, .status = 0),
	} },
	{ "X12: whiptail", "whiptail", {
		RUN("whiptail --yesno 'really?' 8 40", KEY, .full_screen = true),
		SCREEN(.has = "really?"),
		KEYS("Tab Enter", EXIT, .status = 1),
	} },
	{ "X12: nano", "nano", {
		RUN("nano -I g", KEY, .full_screen = true),
		IN("text", KEY, .full_screen = true),
		KEYS("C-x", KEY, .full_screen = true),
		IN("y\r", EXIT, .status = 0),
		RUN("cat g", EXIT, .status = 0, .is = "text\n"),
	} },
	{ "X12: tmux", "tmux", {
		RUN("tmux -L cubbytest$$ -f /dev/null new -s x 'sh -c \"echo inside; read x\"'", KEY, .full_screen = true),
		SCREEN(.has = "inside"),
		IN("\r", EXIT, .status = 0, .served = true),
	} },
	{ "X13: stty size", NULL, { RUN("stty size", EXIT, .status = 0, .is = "40 100\n") } },
	{ "never waiting: sleep", NULL, { RUN("sleep 0.7", EXIT, .status = 0) } },
	{ "never waiting: a read from a pipe", NULL, {
		RUN("(sleep 0.7; echo x) | cat", EXIT, .status = 0, .is = "x\n"),
		RUN("mkfifo p; (sleep 0.5; echo y >p) & read z <p; echo $z", EXIT, .status = 0, .has = "y\n"),
	} },
	{ "never waiting: a computation", NULL, {
		RUN("i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; echo $i", EXIT, .status = 0, .is = "30000\n"),
	} },
	{ "never waiting: a compiler", "cc", {
		RUN("for i in $(seq 300); do echo \"int f$i(int x) { return x * $i + (x >> 3); }\"; done >c.c; cc -O2 -c c.c && echo ok", EXIT, .status = 0, .is = "ok\n"),
	} },
	{ "never waiting: the network", "python3", {
		RUN("python3 -c \"import socket,threading,time\ns=socket.socket(); s.bind(('127.0.0.1',0)); s.listen()\n"
		    "threading.Thread(target=lambda:(time.sleep(0.7),socket.create_connection(s.getsockname())),daemon=True).start()\n"
		    "s.accept(); print('in')\"", EXIT, .status = 0, .is = "in\n"),
	} },
	{ "T1: soft", NULL, {
		RUN("echo a; sleep 4; echo b", SOFT, .soft_ms = 1000, .is = "a\n"),
		WAIT(EXIT, .status = 0, .is = "b\n"),
	} },
	{ "T2, T3: hard", NULL, {
		RUN("for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; sleep 0.3; done", HARD, .hard_ms = 1200, .has = "1\n"),
		WAIT(EXIT, .status = 0, .has = "10\n", .has_not = "1\n2\n"),
	} },
	{ "T5: ended between two calls", NULL, {
		RUN("sleep 2; echo late", SOFT, .soft_ms = 50),
		WAIT(EXIT, .status = 0, .is = "late\n"),
	} },
	{ "J1: background", NULL, {
		RUN("sleep 30 &", EXIT, .status = 0),
		RUN("(sleep 30) &", EXIT, .status = 0),
		RUN("nohup sleep 30 >/dev/null 2>&1 &", EXIT, .status = 0),
		RUN("setsid sleep 5", EXIT, .status = 0),
		RUN("kill %1 %2 %3; disown -a", SHELLKIT_ANY),
	} },
	{ "J2: a background reader is stopped", NULL, {
		RUN("cat &", EXIT, .status = 0),
		RUN("until [[ $(jobs) == *Stopped* ]]; do sleep 0.1; done; jobs", EXIT, .status = 0, .has = "Stopped"),
		RUN("kill -9 %1", EXIT, .status = 0),
		RUN("wait; true", EXIT, .status = 0),
	} },
	{ "J3: pipelines", NULL, {
		RUN("false | true", EXIT, .status = 0),
		RUN("set -o pipefail; false | true", EXIT, .status = 1),
		RUN("set +o pipefail", EXIT, .status = 0),
	} },
	{ "O3: queries in a file type nothing", NULL, {
		RUN("printf '\\033[6n\\033[c\\033[>c\\033[?1$p\\033]11;?\\007\\033P$qm\\033\\\\\\033[18t\\005' >q; cat q; sleep 0.2; read -t 0.01 x; echo \"<$x>\"", EXIT, .status = 0, .has = "<>"),
	} },
	{ "O3: a program that asks is answered", "python3", {
		RUN("python3 -c \"import sys,tty,termios\nf=0; o=termios.tcgetattr(f); tty.setraw(f)\n"
		    "sys.stdout.write('\\033[6n'); sys.stdout.flush()\nr=''\nwhile not r.endswith('R'): r+=sys.stdin.read(1)\n"
		    "termios.tcsetattr(f,termios.TCSANOW,o); print(repr(r))\"", EXIT, .status = 0, .has = "'\\x1b["),
	} },
	{ "O5: what is drawn is not text", NULL, {
		RUN("tput smcup; echo drawn; tput rmcup; echo text", EXIT, .status = 0, .is = "text\n"),
	} },
	{ "R1: exit in a subshell", NULL, { RUN("(exit 7)", EXIT, .status = 7) } },
	{ "R3: exec python3", "python3", {
		RUN("PYTHON_BASIC_REPL=1 exec python3 -q", WAITS, .has = ">>> "),
		IN("exit(3)\n", DEAD, .status = 3),
	} },
	{ "R4: fake marks", NULL, {
		RUN("printf '\\033]7717;0123456789abcdef0123456789abcdef;D;9;/\\033\\\\'; printf '\\033]7717;'; echo x", EXIT, .status = 0),
		RUN("printf '\\033]7717;%s;XX\\033\\\\' \"$__cubby_n\"; printf '\\033]7717;%s;D;x\\033\\\\y\\n' \"$__cubby_n\"", EXIT, .status = 0, .is = "y\n"),
	} },
	{ "R1: a function that hides the shell's own means and cannot be removed", NULL, {
		RUN("builtin() { :; }; readonly -f builtin", DEAD, .status = 1, .has = "readonly function"),
		RUN("type -t builtin", EXIT, .status = 0, .is = "builtin\n"),
	} },
	{ "R6: ulimit -n 3", NULL, {
		RUN("ulimit -n 3", DEAD, .status = 137),
		RUN("echo one", EXIT, .status = 0, .is = "one\n"),
	} },
	{ "R5: hooks removed, then interrupted", NULL, {
		RUN("PROMPT_COMMAND=; sleep 60", SOFT, .soft_ms = 100),
		KEYS("C-c", EXIT, .status = 130),
	} },
	{ "R6: cwd removed", NULL, {
		RUN("mkdir d; cd d; rmdir ../d", EXIT, .status = 0),
		RUN("echo ok", EXIT, .status = 0, .is = "ok\n"),
		RUN("exit 3", DEAD, .status = 3),
	} },
	{ "R6: PATH=", NULL, {
		RUN("PATH=", EXIT, .status = 0),
		RUN("echo ok", EXIT, .status = 0, .is = "ok\n"),
	} },
	{ "R9: yes", NULL, {
		RUN("yes", HARD, .hard_ms = 1000, .has = "y\n[\xe2\x80\xa6 "),
		KEYS("C-c", EXIT, .status = 130),
	} },
	{ "R9: yes, for longer than output is news", NULL, {
		RUN("yes", SOFT, .soft_ms = 100, .has = "y\n[\xe2\x80\xa6 "),
		KEYS("C-c", EXIT, .status = 130),
	} },
	{ "cat /dev/urandom", NULL, {
		RUN("head -c 3000000 /dev/urandom", EXIT, .status = 0),
	} },
	{ "exec >/dev/null", NULL, {
		RUN("exec >/dev/null 2>&1", EXIT, .status = 0),
		RUN("echo lost", EXIT, .status = 0, .is = ""),
		RUN("exec >/dev/tty 2>&1; echo back", EXIT, .status = 0, .is = "back\n"),
	} },
};
/* clang-format on */

int main(void)
{
	return unit_rows("session that talks", rows, shellkit_row);
}
