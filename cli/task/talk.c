#include "cli/task/talk.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/dirscan.h"
#include "base/inroot.h"
#include "base/proc.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"
#include "cli/show/wrap.h"

enum { LINE_MAX_BYTES = 1 << 20, NAMES_MAX = 200, HELP_MAX = 8 << 10 };

struct talking {
	const struct talk *t;
	struct lineedit *edit; /* owned */
	bool over;
	int last; /* what the last task returned */
};

/* ---- "/word" -------------------------------------------------------------------------- */

static void show_help(struct talking *k, const char *value);

#define HELP_BLANKS "                           "
static const char help_end[] =
	"Alt-Enter adds a line, Tab completes names of files; what is typed while a task "
	"works is told to the model at its next turn.";

static void leave(struct talking *k, const char *)
{
	k->over = true;
}

static const struct word {
	const char *name, *value, *help;
	const char *command; /* of cubby, which does it; NULL = not one */
	void (*run)(struct talking *k, const char *value); /* NULL = t->set */
} words[] = {
	{ "model", "[PROVIDER:]NAME", "talk to another model, or say which it is", NULL,
	  NULL },
	{ "effort", "LEVEL", "how much the model thinks", NULL, NULL },
	{ "diff", "", "what the box would change here and has not yet", "diff", NULL },
	{ "undo", "", "take the last change back", "undo", NULL },
	{ "net", "", "what the box did on the network", "log --net", NULL },
	{ "cost", "", "tokens and cost so far", NULL, NULL },
	{ "compact", "", "summarise the older part before the next line", NULL, NULL },
	{ "shell", "", "a shell for you in the box", "shell", NULL },
	{ "help", "", "this list", NULL, show_help },
	{ "quit", "", "leave; so does ^D", NULL, leave },
};

static void show_help(struct talking *k, const char *)
{
	_cleanup_buf_ struct buf rows = BUF_INIT(HELP_MAX);
	FILE *f = k->t->app->err;
	unsigned short height, cols;
	struct wrap w = { .rest = HELP_BLANKS };

	if (tty_size(fileno(f), &height, &cols) == 0)
		w.cols = cols;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		char left[64], line[160];

		snprintf(left, sizeof(left), "/%s %s", words[i].name, words[i].value);
		snprintf(line, sizeof(line), "  %-24s %s", left, words[i].help);
		wrap_add(&rows, &w, line, strlen(line));
	}
	w.first = w.rest = "  ";
	wrap_add(&rows, &w, help_end, sizeof(help_end) - 1);
	fputs(buf_cstr(&rows), f);
}

static const struct word *find_word(const char *line)
{
	const size_t n = strcspn(line, " \t\n");

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].name) == n && memcmp(words[i].name, line, n) == 0)
			return &words[i];
	return NULL;
}

static void split_words(char *text, const char **argv, size_t room)
{
	size_t n = 0;

	for (char *at = strtok_r(text, " ", &text); at && n + 1 < room;
	     at = strtok_r(NULL, " ", &text))
		argv[n++] = at;
	argv[n] = NULL;
}

/* As if typed at the shell: a process of its own, on this terminal. */
static int spawn(const struct talk *t, const char *command, struct err *e)
{
	char self[PATH_MAX], text[64];
	const char *argv[12] = { self, "-C", t->dir };
	const struct proc_conf conf = { .argv = argv,
					.fds = { 0, 1, 2 },
					.pass_fd = -1 };
	_cleanup_proc_ struct proc p = PROC_NONE;
	const char *rest[8];
	int status, r = proc_self(self, e);

	(void)text_copy(text, sizeof(text), command);
	split_words(text, rest, ARRAY_SIZE(rest));
	argv[1] = rest[0];
	argv[2] = "-C";
	argv[3] = t->dir;
	for (size_t i = 1; i < ARRAY_SIZE(rest) && rest[i - 1]; i++)
		argv[3 + i] = rest[i];
	if (r < 0)
		return r;
	r = proc_start(&conf, &p, e);
	return r < 0 ? r : proc_wait(&p, -1, &status, e);
}

static void run_command(const struct talking *k, const struct word *w)
{
	struct err e = ERR_NONE;
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(w->command, " "), w->command);
	if (!cmd_find(k->t->app->commands, name))
		err_set(&e, -EOPNOTSUPP, "/%s: this cubby cannot do that yet", w->name);
	else if (spawn(k->t, w->command, &e) == 0)
		return;
	render_error(k->t->app, &e, 0);
}

static void set(struct talking *k, const struct word *w, const char *value)
{
	_cleanup_buf_ struct buf said = BUF_INIT(4096);
	struct err e = ERR_NONE;

	if (k->t->set(k->t->ctx, w->name, value, &said, &e) < 0)
		render_error(k->t->app, &e, 0);
	else
		render_note(k->t->app, "%s", buf_cstr(&said));
}

static void do_word(struct talking *k, const char *line)
{
	const struct word *w = find_word(line);
	const char *value = line + strcspn(line, " \t\n");
	struct err e = ERR_NONE;

	value += strspn(value, " \t\n");
	if (!w) {
		err_set(&e, -EINVAL, "there is no '/%.60s'; /help lists what there is",
			line);
		render_error(k->t->app, &e, 0);
	} else if (w->command) {
		run_command(k, w);
	} else if (w->run) {
		w->run(k, value);
	} else {
		set(k, w, value);
	}
}

/* ---- Tab ------------------------------------------------------------------------------ */

static void complete_word(const char *part, struct buf *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (text_starts(words[i].name, part))
			buf_addf(ret, "/%s\n", words[i].name);
}

/* The box may have made any name: one that hides something is not offered. */
static bool is_plain(const char *name)
{
	const size_t len = strlen(name);
	unsigned before = 0;

	for (size_t at = 0; at < len;) {
		unsigned c = 0;
		const int n = text_decode(name + at, len - at, &c);

		if (n <= 0 || c == ' ' || text_hidden(before, c))
			return false;
		before = c;
		at += (size_t)n;
	}
	return true;
}

static bool is_directory(int dir, const struct dirscan *entry)
{
	struct stat st;

	return sys_fstatat(dir, entry->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode);
}

static void complete_name(int dirfd, const char *word, struct buf *ret)
{
	const char *slash = strrchr(word, '/'), *base = slash ? slash + 1 : word;
	const int before = (int)(base - word);
	char path[PATH_MAX];
	struct dirscan scan;
	size_t n = 0;

	if ((size_t)before >= sizeof(path) || strstr(word, ".."))
		return;
	snprintf(path, sizeof(path), "%.*s", before, before ? word : "");
	_cleanup_close_ int dir = inroot_open(dirfd, before ? path : ".",
					      O_RDONLY | O_DIRECTORY | O_NONBLOCK);

	dirscan_start(&scan, dir);
	while (n < NAMES_MAX && dirscan_next(&scan)) {
		if (!text_starts(scan.name, base) || !is_plain(scan.name) ||
		    (scan.name[0] == '.' && !*base))
			continue;
		buf_addf(ret, "%s%s%s\n", path, scan.name,
			 is_directory(dir, &scan) ? "/" : "");
		n++;
	}
}

void talk_complete(int dirfd, const char *line, struct buf *ret)
{
	const char *word = line + strlen(line);

	while (word > line && !strchr(" \t\n", word[-1]))
		word--;
	if (word == line && *word == '/')
		complete_word(word + 1, ret);
	else if (*word != '/')
		complete_name(dirfd, word, ret);
}

static void on_complete(void *ctx, const char *line, struct buf *ret)
{
	const struct talk *t = ctx;

	talk_complete(t->project_fd, line, ret);
}

/* ---- lines ---------------------------------------------------------------------------- */

/* What was typed while the task before worked, else what is typed now. A line that ends
 * in a backslash goes on. */
static int next_line(struct talking *k, struct buf *line)
{
	const struct talk *t = k->t;
	const char *prompt = "› ";
	int r;

	if (t->steer->said.len) {
		buf_add(line, t->steer->said.data, t->steer->said.len);
		buf_truncate(&t->steer->said, 0);
		fprintf(t->app->err, "› ");
		render_lines(t->app->err, buf_cstr(line));
		fputc('\n', t->app->err);
		return 0;
	}
	for (;;) {
		r = lineedit_read(k->edit, prompt, NULL, line);
		if (r < 0 || !line->len || line->data[line->len - 1] != '\\')
			return r;
		line->data[line->len - 1] = '\n';
		prompt = "… ";
	}
}

/* ^C at the prompt takes the line back. */
static int one_line(struct talking *k, struct err *e)
{
	_cleanup_buf_ struct buf line = BUF_INIT(LINE_MAX_BYTES);
	struct signalfd_siginfo gone;
	const char *s;
	int r = next_line(k, &line);

	if (r == -ECANCELED) {
		while (sys_read(k->t->interrupt_fd, &gone, sizeof(gone)) > 0)
			;
		return 0;
	}
	if (r < 0) {
		k->over = true;
		return 0;
	}
	s = buf_cstr(&line) + strspn(buf_cstr(&line), " \t\n");
	if (!*s)
		return 0;
	lineedit_keep(k->edit, s);
	if (*s == '/' && !strchr(s, '\n') && !strchr(s + 1, '/')) {
		do_word(k, s + 1);
		return 0;
	}
	k->last = k->t->task(k->t->ctx, s, e);
	return k->last < 0 ? k->last : 0;
}

int talk_run(const struct talk *t, struct err *e)
{
	const struct lineedit_conf conf = { .in = STDIN_FILENO,
					    .out = STDERR_FILENO,
					    .interrupt_fd = t->interrupt_fd,
					    .dir = t->box_fd,
					    .file = "history",
					    .aside = t->aside,
					    .complete = on_complete,
					    .ctx = (void *)(uintptr_t)t };
	_cleanup_lineedit_ struct lineedit *edit = NULL;
	struct talking k = { .t = t };
	int r = lineedit_new(&conf, &edit, e);

	k.edit = edit;
	while (r == 0 && !k.over)
		r = one_line(&k, e);
	return r < 0 ? r : k.last;
}
