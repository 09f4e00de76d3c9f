#include <stdlib.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/show/table.h"
#include "cli/show/tty.h"
#include "cli/store/boxps.h"

struct args {
	bool once;
};

enum { SAMPLE_MS = 1000 };

static const struct table_column columns[] = {
	{ "PID", "pid", TABLE_NUMBER },
	{ "STATE", "state", TABLE_TEXT },
	{ "CPU %", "cpu_percent", TABLE_NUMBER },
	{ "CPU MS", "cpu_ms", TABLE_NUMBER },
	{ "MEMORY", "memory_bytes", TABLE_BYTES },
	{ "COMMAND", "command", TABLE_TEXT },
};

struct row {
	const struct boxps_proc *p;
	uint64_t used_ms; /* since the sample before */
};

static int by_use(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->used_ms != y->used_ms)
		return x->used_ms < y->used_ms ? 1 : -1;
	return x->p->rss_bytes < y->p->rss_bytes ? 1
						 : -(x->p->rss_bytes > y->p->rss_bytes);
}

static uint64_t used_before(const struct boxps *old, const struct boxps_proc *p)
{
	for (size_t i = 0; i < old->n; i++)
		if (old->v[i].host_pid == p->host_pid)
			return MIN(old->v[i].cpu_ms, p->cpu_ms);
	return 0;
}

static void add_row(struct table *t, const struct row *row, uint64_t ms)
{
	const char state[2] = { row->p->state, '\0' };
	const struct table_cell cells[ARRAY_SIZE(columns)] = {
		{ .n = row->p->pid },
		{ .text = state },
		{ .n = ms ? (int64_t)(row->used_ms * 100 / ms) : 0 },
		{ .n = (int64_t)row->p->cpu_ms },
		{ .n = (int64_t)row->p->rss_bytes },
		{ .text = row->p->command },
	};

	table_add(t, cells);
}

static int show(const struct app *app, struct table *t, const struct boxps *old,
		const struct boxps *now, uint64_t ms, struct err *e)
{
	_cleanup_free_ struct row *rows = calloc(now->n + 1, sizeof(*rows));

	if (!rows)
		return err_sys(e, -ENOMEM, "cannot list the processes");
	for (size_t i = 0; i < now->n; i++)
		rows[i] =
			(struct row){ &now->v[i],
				      now->v[i].cpu_ms - used_before(old, &now->v[i]) };
	qsort(rows, now->n, sizeof(*rows), by_use);
	for (size_t i = 0; i < now->n; i++)
		add_row(t, &rows[i], ms);
	return table_show(t, app, 0, NULL, "list the processes", e);
}

/* On a terminal a picture replaces the one before; the end of the box is the end. */
static int watch(const struct app *app, pid_t init, bool again, struct err *e)
{
	_cleanup_boxps_ struct boxps old = BOXPS_NONE;
	uint64_t at = sys_now_ms();
	int r = boxps_list(init, &old, e);

	for (bool first = true; r == 0; first = false) {
		_cleanup_table_ struct table *t =
			table_new(columns, ARRAY_SIZE(columns));
		_cleanup_boxps_ struct boxps now = BOXPS_NONE;
		uint64_t then = at;

		(void)sys_nanosleep(&(struct timespec){ .tv_sec = SAMPLE_MS / 1000 });
		at = sys_now_ms();
		r = boxps_list(init, &now, e);
		if (again)
			table_redraw(t, first);
		if (r == 0)
			r = show(app, t, &old, &now, at - then, e);
		fflush(app->out);
		if (!again)
			break;
		boxps_done(&old);
		old = take(&now, BOXPS_NONE);
	}
	return r == -ESRCH && again ? 0 : r;
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	bool once = a->once || app->json || !tty_is(STDOUT_FILENO);
	int r = boxsetup_running(&s, e);

	return r < 0 ? r : watch(app, box_init_pid(s.box), !once, e);
}

static const struct cmd_option options[] = {
	{ "once", '1', NULL, "show it once, also on a terminal",
	  CMD_FLAG(struct args, once) },
	{ 0 },
};

const struct cmd cmd_top = {
	.name = "top",
	.group = CMD_INSIDE,
	.summary = "list the processes in the box, the busiest first",
	.doc = "The processes in the box of this directory, those that use most "
	       "processor first (over one second; 100 is one processor); on a "
	       "terminal again every second until ^C.",
	.options = options,
	.size = sizeof(struct args),
	.work = work,
};
