#include <stdlib.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "cli/box/end.h"
#include "cli/box/list.h"
#include "cli/opt/cmd.h"
#include "cli/show/table.h"
#include "cli/show/tty.h"

struct args {
	bool once;
};

enum { SAMPLE_NS = 500000000 };

static const struct table_column columns[] = {
	{ "DIRECTORY", "directory", TABLE_PATH },
	{ "NAME", "name", TABLE_TEXT },
	{ "CPU %", "cpu_percent", TABLE_NUMBER },
	{ "MEMORY", "memory", TABLE_BYTES },
	{ "LIMIT", "memory_limit", TABLE_BYTES },
	{ "PROCESSES", "pids", TABLE_NUMBER },
	{ NULL, "key", TABLE_TEXT },
};

struct sample {
	struct json *info; /* owned; NULL = it does not run */
	uint64_t at_ms;
};

static int64_t cpu_us(const struct sample *s)
{
	return json_get_int(json_get(s->info, "usage"), "cpu_us", 0);
}

static void add_row(struct table *t, const struct boxlist_item *b,
		    const struct sample *a, const struct sample *z)
{
	const struct json *usage = json_get(z->info, "usage");
	int64_t us = cpu_us(z) - cpu_us(a), ms = (int64_t)(z->at_ms - a->at_ms);
	const struct table_cell cells[ARRAY_SIZE(columns)] = {
		{ .text = b->project },
		{ .text = *b->name ? b->name : NULL },
		{ .n = ms > 0 && us >= 0 ? us / 10 / ms : 0 },
		{ .n = json_get_int(usage, "memory_bytes", -1) },
		{ .n = json_get_int(json_get(z->info, "limits"), "memory_bytes", -1) },
		{ .n = json_get_int(usage, "pids", -1) },
		{ .text = b->key },
	};

	table_add(t, cells);
}

static void look(const struct store *st, const struct boxlist *l, struct sample *v)
{
	for (size_t i = 0; i < l->n; i++) {
		struct err none = ERR_NONE;

		v[i].at_ms = sys_now_ms();
		if (l->v[i].running)
			(void)boxend_info(st, l->v[i].key, &v[i].info, &none);
	}
}

static int fill(struct table *t, const struct store *st, const struct boxlist *l)
{
	_cleanup_free_ struct sample *v = calloc(2 * l->n + 1, sizeof(*v));
	int runs = 0;

	for (size_t i = 0; i < l->n; i++)
		runs |= l->v[i].running;
	if (!v || !runs)
		return v ? 0 : -ENOMEM;
	look(st, l, v);
	(void)sys_nanosleep(&(struct timespec){ .tv_nsec = SAMPLE_NS });
	look(st, l, v + l->n);
	for (size_t i = 0; i < l->n; i++) {
		if (v[i].info && v[l->n + i].info)
			add_row(t, &l->v[i], &v[i], &v[l->n + i]);
		json_free(&v[i].info);
		json_free(&v[l->n + i].info);
	}
	return runs;
}

/* 1 = a box runs. On a terminal a picture replaces the one before. */
static int show(const struct app *app, bool again, struct err *e)
{
	_cleanup_store_ struct store st = STORE_NONE;
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	_cleanup_table_ struct table *t = NULL;
	int runs, r = store_open(&st, e);

	if (r < 0)
		return r;
	r = boxlist_read(&st, &l, e);
	if (r < 0)
		return r;
	r = table_new(columns, ARRAY_SIZE(columns), &t, e);
	if (r < 0)
		return r;
	runs = r = fill(t, &st, &l);
	if (r > 0 && again)
		fputs("\033[H\033[J", app->out);
	if (r >= 0)
		r = table_show(t, app, 0, "no box runs");
	fflush(app->out);
	return r < 0 ? err_sys(e, r, "cannot show what the boxes use") : runs;
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	bool once = a->once || app->json || !tty_is(STDOUT_FILENO);
	int r;

	do
		r = show(app, !once, e);
	while (r > 0 && !once);
	return MIN(r, 0);
}

static const struct cmd_option options[] = {
	{ "once", '1', NULL, "show it once, also on a terminal",
	  CMD_FLAG(struct args, once) },
	{ 0 },
};

const struct cmd cmd_stats = {
	.name = "stats",
	.group = CMD_INSIDE,
	.summary = "what the running boxes use",
	.doc = "What the running boxes of all directories use now: processor (over "
	       "half a second; 100 is one processor), memory and its limit, processes; "
	       "on a terminal again and again until ^C, or until none runs.",
	.options = options,
	.size = sizeof(struct args),
	.no_box = true,
	.work = work,
};
