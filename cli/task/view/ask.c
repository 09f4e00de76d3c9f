#include "cli/task/view/ask.h"

#include <ctype.h>
#include <string.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/show/confirm.h"
#include "cli/show/lineedit.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"

enum { ASK_LINE = 64 << 10 }; /* bytes of an answer */

/* Whether the name of a program, less its version, is one of @names. */
static bool is_one_of(const char *const *names, const char *program, size_t n)
{
	while (n > 1 && strchr("0123456789.", program[n - 1]))
		n--;
	for (; *names; names++)
		if (strlen(*names) == n && memcmp(*names, program, n) == 0)
			return true;
	return false;
}

/* These run what a file says: permitted is the file with them. */
static const char *const interpreters[] = {
	"Rscript", "bash", "dash",   "fish", "ksh", "lua",   "node", "nodejs", "perl",
	"php",	   "pypy", "python", "ruby", "sh",  "tclsh", "zsh",  NULL
};
/* And these whatever their words say. */
static const char *const runners[] = {
	".",	  "awk",      "builtin", "bun",	   "busybox",  "bunx",	   "chroot",
	"chrt",	  "command",  "deno",	 "doas",   "env",      "eval",	   "exec",
	"find",	  "flock",    "gawk",	 "gdb",	   "ionice",   "ltrace",   "mawk",
	"nice",	  "nohup",    "npm",	 "npx",	   "nsenter",  "parallel", "perf",
	"pnpm",	  "rlwrap",   "runuser", "script", "sed",      "setpriv",  "setsid",
	"source", "ssh",      "stdbuf",	 "strace", "su",       "sudo",	   "taskset",
	"time",	  "timeout",  "tmux",	 "trap",   "unbuffer", "unshare",  "uv",
	"uvx",	  "valgrind", "watch",	 "xargs",  "yarn",     NULL
};

/* Only a line that is plainly one command may be permitted for always: "make; rm -r x"
 * is no make. */
bool ask_program(const char *command, char *ret, size_t size)
{
	const char *p = command + strspn(command, " \t"), *slash;
	size_t n = strcspn(p, " \t"), name;

	for (const char *c = command; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
			return false;
	if (strpbrk(command, ";&|<>()`$\n\\\"'{}#!*?[~"))
		return false;
	if (!n || memchr(p, '=', n) || p[n - 1] == '/')
		return false;
	slash = memrchr(p, '/', n);
	name = slash ? (size_t)(slash + 1 - p) : 0;
	if (is_one_of(runners, p + name, n - name))
		return false;
	if (is_one_of(interpreters, p + name, n - name)) {
		const size_t blank = strspn(p + n, " \t");
		const size_t file = strcspn(p + n + blank, " \t");

		if (!file || p[n + blank] == '-' || memchr(p + n + blank, '=', file))
			return false;
		n += blank + file;
	}
	if (n >= size)
		return false;
	memcpy(ret, p, n);
	ret[n] = '\0';
	return true;
}

/* 1 = a byte can be read, 0 = ^C was pressed, or a negative errno. */
static int wait_byte(const struct ask *a)
{
	struct pollfd fds[] = { { .fd = a->in, .events = POLLIN },
				{ .fd = a->interrupt_fd, .events = POLLIN } };
	int r;

	do
		r = sys_poll(fds, ARRAY_SIZE(fds), -1);
	while (r == -EINTR);
	if (r < 0)
		return r;
	return fds[1].revents ? 0 : 1;
}

/* A line without its end; -ECANCELED after ^C or at the end of input. */
static int read_line(const struct ask *a, const char *prompt, struct buf *ret)
{
	char c = 0;
	int r = 0;

	confirm_put(a->app->err, prompt, a->app->color_err);
	while (r == 0 && c != '\n') {
		r = wait_byte(a);
		if (r > 0 && sys_read(a->in, &c, 1) > 0) {
			r = c == '\n' ? 0 : buf_addc(ret, c);
			continue;
		}
		fputc('\n', a->app->err); /* behind "^C" */
		return -ECANCELED;
	}
	return r;
}

/* One of the letters @known, or the word that begins with it; 0 = neither. "you must
 * not" is no yes. The end of input is 'q'. */
static char read_answer(const struct ask *a, const char *prompt, const char *known)
{
	static const char *const words[] = { "yes",    "no", "quit",  "edit",
					     "always", "go", "go on", "tell" };
	_cleanup_buf_ struct buf line = BUF_INIT(ASK_LINE);
	const char *s;

	if (read_line(a, prompt, &line) < 0)
		return 'q';
	while (line.len && isspace((unsigned char)line.data[line.len - 1]))
		buf_truncate(&line, line.len - 1);
	s = buf_cstr(&line) + strspn(buf_cstr(&line), " \t");
	if (!*s || !strchr(known, tolower((unsigned char)*s)))
		return 0;
	if (!s[1])
		return (char)tolower((unsigned char)*s);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcasecmp(s, words[i]) == 0)
			return words[i][0];
	return 0;
}

static bool permitted(const struct ask *a, const char *program)
{
	for (unsigned i = 0; i < a->n_always; i++)
		if (strcmp(a->always[i], program) == 0)
			return true;
	return false;
}

static enum task_verdict refuse(struct ask *a, struct task_answer *ret)
{
	return read_line(a, "why not? (told to the model)", &ret->words) < 0 ? TASK_STOP
									     : TASK_NO;
}

/* What is hidden in a command was shown before; the editor shows it its own way. Where
 * there is no editor a line is typed anew. */
static int edit_line(const struct ask *a, const char *command, struct buf *ret)
{
	static const char prompt[] = "instead (empty: nothing is run, ask again): ";
	const struct lineedit_conf conf = { .in = a->in,
					    .out = fileno(a->app->err),
					    .interrupt_fd = a->interrupt_fd,
					    .dir = -1 };
	_cleanup_lineedit_ struct lineedit *editor = NULL;

	if (!tty_is(a->in) || !tty_is(conf.out) ||
	    lineedit_new(&conf, &editor, ERR_IGNORED) < 0)
		return read_line(a, prompt, ret);
	return lineedit_read(editor, prompt, command, ret) < 0 ? -ECANCELED : 0;
}

/* false: no other command was given, and nothing is decided. */
static bool edit(struct ask *a, const struct task_call *c, struct task_answer *ret,
		 enum task_verdict *verdict)
{
	_cleanup_buf_ struct buf line = BUF_INIT(ASK_LINE);
	_cleanup_json_ struct json *args = NULL;

	*verdict = TASK_STOP;
	if (edit_line(a, json_get_str(c->args, "command"), &line) < 0)
		return true;
	if (!buf_cstr(&line)[strspn(buf_cstr(&line), " \t\n")])
		return false;
	args = c->args ? json_dup(c->args) : json_object();
	if (json_set(args, "command", json_stringn(line.data, line.len)) < 0)
		return true;
	ret->args = take(&args, NULL);
	*verdict = TASK_YES;
	return true;
}

void ask_permit(struct ask *a, const char *program)
{
	if (a->n_always < ASK_ALWAYS && strlen(program) < ASK_PROGRAM)
		(void)text_copy(a->always[a->n_always++], ASK_PROGRAM, program);
}

/* For this task; what keeps it is said with all that is permitted, for a list is set whole. */
static enum task_verdict always(struct ask *a, const char *program)
{
	ask_permit(a, program);
	fprintf(a->app->err, "%s  for this task; to keep it: cubby set",
		render_style_on(a->app->color_err, RENDER_DIM));
	for (unsigned i = 0; i < a->n_always; i++)
		fprintf(a->app->err, " always='%s'", a->always[i]);
	fprintf(a->app->err, "%s\n", render_style_off(a->app->color_err));
	return TASK_YES;
}

static void make_prompt(char *out, size_t size, bool shell, const char *program)
{
	snprintf(out, size,
		 "run it? [y]es, [n]o%s%s%s%s, [q]uit:", shell ? ", [e]dit" : "",
		 *program ? ", [a]lways for '" : "", program, *program ? "'" : "");
}

enum task_verdict ask_call(struct ask *a, const struct task_call *c,
			   struct task_answer *ret)
{
	bool shell = strcmp(c->name, "shell") == 0;
	const char *command = json_get_str(c->args, "command");
	char program[ASK_PROGRAM] = "", prompt[192];

	if (!a->each || strcmp(c->name, "finish") == 0)
		return TASK_YES;
	if (!shell || !command || json_get_bool(c->args, "reset", false) ||
	    !ask_program(command, program, sizeof(program)))
		program[0] = '\0';
	if (*program && permitted(a, program)) {
		fprintf(a->app->err, "%s  permitted always: '%s'%s\n",
			render_style_on(a->app->color_err, RENDER_DIM), program,
			render_style_off(a->app->color_err));
		return TASK_YES;
	}
	make_prompt(prompt, sizeof(prompt), shell, program);
	confirm_fresh(a->in);
	for (;;) {
		enum task_verdict v;

		switch (read_answer(a, prompt, "ynqea")) {
		case 'y':
			return TASK_YES;
		case 'n':
			return refuse(a, ret);
		case 'e':
			if (shell && edit(a, c, ret, &v))
				return v;
			break;
		case 'a':
			if (*program)
				return always(a, program);
			break;
		case 'q':
			return TASK_STOP;
		default:
			break;
		}
	}
}

enum task_verdict ask_interrupted(struct ask *a, struct task_answer *ret)
{
	for (;;) {
		switch (read_answer(
			a,
			"interrupted: [g]o on, [t]ell it something, [q]uit, "
			"then Enter (or ^C again):",
			"gtq")) {
		case 'g':
			return TASK_YES;
		case 'q':
			return TASK_STOP;
		case 't':
			return read_line(a, "tell it:", &ret->words) < 0 ? TASK_STOP
									 : TASK_YES;
		default:
			break;
		}
	}
}
