#include "cli/task/record/tasklog.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "agent/turn/transcript.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/show/table.h"
#include "cli/show/tty.h"
#include "cli/task/context.h"
#include "cli/task/record/follow.h"
#include "cli/task/record/inbox.h"
#include "cli/task/record/logview.h"
#include "cli/task/record/netlog.h"
#include "cli/task/record/page.h"

struct args {
	const char *name;
	bool last, net, follow, terminal, interrupt;
	const char *html; /* file; NULL = none */
	const char *tell; /* NULL = nothing */
};

static const struct table_column columns[] = {
	{ "TASK", "name", TABLE_TEXT },	      { "END", "end", TABLE_TEXT },
	{ "ROUNDS", "rounds", TABLE_NUMBER }, { "TOKENS", "tokens", TABLE_NUMBER },
	{ "TEXT", "text", TABLE_TEXT },	      { NULL, "elapsed_ms", TABLE_NUMBER },
};

static void add_row(struct table *t, const struct boxdir *dir, const char *name)
{
	struct logview_summary s = { .rounds = 0 };
	char found[TASKLOG_NAME];
	struct err e = ERR_NONE;
	_cleanup_close_ int fd = tasklog_open(dir, name, found, &e);

	if (fd >= 0) /* what can be read of it is shown */
		(void)transcript_read(fd, logview_summarise, &s, &e);
	if (fd >= 0 && !*s.end && tasklog_writer(fd))
		(void)text_copy(s.end, sizeof(s.end), "running");
	const struct table_cell cells[ARRAY_SIZE(columns)] = {
		{ .text = name },  { .text = s.end },  { .n = s.rounds },
		{ .n = s.tokens }, { .text = s.task }, { .n = s.elapsed_ms },
	};

	table_add(t, cells);
}

static int list(const struct app *app, const struct boxdir *dir, struct err *e)
{
	_cleanup_tasklog_list_ struct tasklog_list l = TASKLOG_LIST_NONE;
	_cleanup_table_ struct table *t = table_new(columns, ARRAY_SIZE(columns));
	int r = tasklog_list(dir, &l, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < l.n; i++)
		add_row(t, dir, l.v[i]);
	return table_show(t, app, 0, "there is no task in this box yet",
			  "list the tasks", e);
}

/* Whoever follows reads each record when it is there. */
static int show_now(void *ctx, const struct json *record, struct err *e)
{
	const struct logview *v = ctx;
	int r = logview_record(ctx, record, e);

	return r == 0 && fflush(v->app->out) ? err_sys(e, -errno, "cannot show it") : r;
}

static int show(struct app *app, const struct boxdir *dir, const struct args *a,
		struct err *e)
{
	_cleanup_logview_ struct logview v = { .app = app };
	unsigned short rows, cols;
	char found[TASKLOG_NAME];
	_cleanup_close_ int fd = tasklog_open(dir, a->name, found, e);

	if (fd < 0)
		return fd;
	if (tty_size(STDOUT_FILENO, &rows, &cols) == 0 && cols > 1)
		v.cols = cols - 1U;
	return a->follow ? follow_records(fd, show_now, &v, e)
			 : transcript_read(fd, logview_record, &v, e);
}

/* It is what a program of the box wrote: not for the person's own terminal. */
static int show_terminal(const struct boxdir *dir, const struct args *a, struct err *e)
{
	char found[TASKLOG_NAME];
	_cleanup_close_ int log = tasklog_open(dir, a->name, found, e), fd = -1;

	if (log < 0)
		return log;
	if (tty_is(STDOUT_FILENO)) {
		err_set(e, -EINVAL, "--terminal is for a pipe or a file");
		return err_hint(e, "such as 'cubby log --terminal | less -R'");
	}
	fd = tasklog_terminal_open(dir, found, e);
	if (fd < 0)
		return fd;
	return follow_bytes(fd, a->follow ? log : -1, STDOUT_FILENO, e);
}

/* The writer is asked for twice: its number may be another's by now. */
static int interrupt(const struct boxdir *dir, const struct args *a, struct err *e)
{
	char found[TASKLOG_NAME];
	_cleanup_close_ int log = tasklog_open(dir, a->name, found, e), pidfd = -1;
	pid_t pid = log < 0 ? log : tasklog_writer(log);
	int r;

	if (pid < 0)
		return pid;
	if (pid)
		pidfd = sys_pidfd_open(pid);
	if (!pid || pidfd < 0 || tasklog_writer(log) != pid)
		return err_set(e, -ESRCH, "the task '%s' does not run", found);
	r = sys_pidfd_send_signal(pidfd, SIGINT);
	return r < 0 ? err_sys(e, r, "cannot end the task '%s'", found) : 0;
}

static int tell(const struct boxdir *dir, const struct args *a, struct err *e)
{
	_cleanup_buf_ struct buf said = BUF_INIT(CONTEXT_SAID_MAX);
	char found[TASKLOG_NAME];
	_cleanup_close_ int log = tasklog_open(dir, a->name, found, e);
	const char *text = a->tell;
	int r = log < 0 ? log : context_said(&text, &said, e);

	if (r < 0)
		return r;
	if (!tasklog_writer(log))
		return err_set(e, -ESRCH, "the task '%s' does not run", found);
	return inbox_tell(dir, found, text, e);
}

/* What the terminals showed may be missing; the page is the same without. */
static int write_page(struct app *app, const struct boxdir *dir, const struct args *a,
		      struct err *e)
{
	_cleanup_buf_ struct buf out = BUF_INIT(PAGE_MAX),
				 tty = BUF_INIT(PAGE_TERMINAL);
	char found[TASKLOG_NAME];
	_cleanup_close_ int fd = tasklog_open(dir, a->name, found, e);
	_cleanup_close_ int to = -1, terminal = -1;
	struct page p;
	int r;

	if (fd < 0)
		return fd;
	page_begin(&p, found, &out);
	r = transcript_read(fd, page_record, &p, e);
	terminal = tasklog_terminal_open(dir, found, ERR_IGNORED);
	if (terminal >= 0 && buf_reserve(&tty, PAGE_TERMINAL) == 0)
		buf_commit(&tty,
			   (size_t)MAX(sys_pread(terminal, tty.data, PAGE_TERMINAL, 0),
				       (ssize_t)0));
	page_end(&p, buf_cstr(&tty), tty.len);
	if (r < 0)
		return r;
	if (strcmp(a->html, "-") == 0)
		return fwrite(buf_cstr(&out), 1, out.len, app->out) < out.len ||
				       fflush(app->out)
			       ? err_sys(e, -errno, "cannot write the page")
			       : 0;
	to = tasklog_copy(a->html, e);
	if (to < 0)
		return err_wrap(e, "--html");
	return file_write_fd(to, buf_cstr(&out), out.len, e);
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	int r = boxsetup_find(&s, e);

	if (r < 0)
		return r;
	if (a->net)
		return netlog_show(app, s.dir.dirfd, s.spec.net == NET_NONE, e);
	if (a->html)
		return write_page(app, &s.dir, a, e);
	if (a->interrupt)
		return interrupt(&s.dir, a, e);
	if (a->tell)
		return tell(&s.dir, a, e);
	if (a->terminal)
		return show_terminal(&s.dir, a, e);
	if (a->name || a->last || a->follow)
		return show(app, &s.dir, a, e);
	return list(app, &s.dir, e);
}

static const struct cmd_option options[] = {
	{ "last", 'l', NULL, "show the newest task", CMD_FLAG(struct args, last) },
	{ "follow", 'f', NULL,
	  "show the task (the newest), and what it does until it has ended",
	  CMD_FLAG(struct args, follow) },
	{ "terminal", 0, NULL,
	  "what the task's terminals showed, byte for byte, instead of its records",
	  CMD_FLAG(struct args, terminal) },
	{ "interrupt", 0, NULL, "end the task (the newest), as ^C does where it runs",
	  CMD_FLAG(struct args, interrupt) },
	{ "tell", 0, "TEXT",
	  "tell the model of the task (the newest) TEXT (-: standard input) at its "
	  "next turn",
	  CMD_TEXT(struct args, tell) },
	{ "net", 'n', NULL, "show what the box did on the network",
	  CMD_FLAG(struct args, net) },
	{ "html", 0, "FILE",
	  "write the task (the newest) as a page that needs nothing else (-: to "
	  "standard output)",
	  CMD_TEXT(struct args, html) },
	{ 0 },
};

const struct cmd cmd_log = {
	.name = "log",
	.group = CMD_TASKS,
	.summary = "list the tasks of the box, or show one",
	.words = "[TASK]",
	.doc = "List the tasks that were done in the box of this directory, or show "
	       "one: what was asked, said, run and found. --json shows its records.",
	.options = options,
	.operands = { CMD_TEXT(struct args, name) },
	.size = sizeof(struct args),
	.config = true,
	.work = work,
};
