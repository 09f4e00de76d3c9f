#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/show/table.h"
#include "cli/store/boxps.h"

static const struct table_column columns[] = {
	{ "PID", "pid", TABLE_NUMBER },
	{ "PARENT", "parent", TABLE_NUMBER },
	{ "STATE", "state", TABLE_TEXT },
	{ "CPU MS", "cpu_ms", TABLE_NUMBER },
	{ "MEMORY", "memory_bytes", TABLE_BYTES },
	{ "COMMAND", "command", TABLE_TEXT },
	{ NULL, "host_pid", TABLE_NUMBER },
};

static void add_row(struct table *t, const struct boxps_proc *p)
{
	const char state[2] = { p->state, '\0' };
	const struct table_cell cells[ARRAY_SIZE(columns)] = {
		{ .n = p->pid },
		{ .n = p->parent },
		{ .text = state },
		{ .n = (int64_t)p->cpu_ms },
		{ .n = (int64_t)p->rss_bytes },
		{ .text = p->command },
		{ .n = p->host_pid },
	};

	table_add(t, cells);
}

static int list(struct app *app, void *, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	_cleanup_boxps_ struct boxps ps = BOXPS_NONE;
	_cleanup_table_ struct table *t = table_new(columns, ARRAY_SIZE(columns));
	int r = boxsetup_running(&s, e);

	if (r < 0)
		return r;
	r = boxps_list(box_init_pid(s.box), &ps, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ps.n; i++)
		add_row(t, &ps.v[i]);
	return table_show(t, app, 0, NULL, "list the processes", e);
}

const struct cmd cmd_ps = {
	.name = "ps",
	.group = CMD_INSIDE,
	.summary = "list the processes in the box",
	.doc = "List the processes in the box of this directory.",
	.work = list,
};
