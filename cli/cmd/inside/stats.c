#include <stdlib.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/show/table.h"
#include "cli/show/tty.h"
#include "cli/store/boxend.h"
#include "cli/store/boxlist.h"
#include "cli/store/place.h"

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
	{ "WRITTEN", "disk_written", TABLE_BYTES },
	{ "SENT", "net_sent", TABLE_BYTES },
	{ "RECEIVED", "net_received", TABLE_BYTES },
	{ NULL, "unknown", TABLE_TEXT },
	{ NULL, "key", TABLE_TEXT },
};

struct sample {
	struct json *info; /* owned; NULL = it does not run */
	uint64_t at_ms;
	bool held_up; /* it runs, and has not answered */
};

/* What is counted elsewhere. */
struct traffic {
	int64_t written, sent, received; /* -1 = not known */
	struct buf why;			 /* owned; not, for which reasons */
};
#define TRAFFIC_NONE ((struct traffic){ -1, -1, -1, BUF_INIT(2 * sizeof(struct err)) })
static void traffic_done(struct traffic *t)
{
	buf_done(&t->why);
}
#define _cleanup_traffic_ _cleanup_(traffic_done)

static void ask(const struct store *st, const char *key, const char *what,
		const struct json *args, struct traffic *t, struct json **ret)
{
	struct err e = ERR_NONE;

	if (boxend_question(st, key, what, args, ret, &e) < 0)
		buf_addf(&t->why, "%s%s", t->why.len ? "; " : "", e.msg);
}

static void look_traffic(const struct store *st, const char *key, struct traffic *t)
{
	_cleanup_json_ struct json *args = json_object(), *disk = NULL, *net = NULL;

	json_set_str(args, "op", "stats");
	ask(st, key, "written", NULL, t, &disk);
	ask(st, key, "net", args, t, &net);
	if (disk)
		t->written = json_get_int(disk, "bytes", -1);
	if (net) {
		t->sent = json_get_int(net, "sent", 0);
		t->received = json_get_int(net, "received", 0);
	}
}

static int64_t cpu_us(const struct sample *s)
{
	return json_get_int(json_get(s->info, "usage"), "cpu_us", 0);
}

static void add_row(struct table *t, const struct boxlist_item *b,
		    const struct sample *a, const struct sample *z,
		    const struct traffic *io)
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
		{ .n = io->written },
		{ .n = io->sent },
		{ .n = io->received },
		{ .text = io->why.len ? buf_cstr(&io->why) : NULL },
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
			v[i].held_up = boxend_info(st, l->v[i].key, &v[i].info,
						   &none) == -ETIMEDOUT;
	}
}

/* @notes: a line for each box of which something is not known. */
static int fill(struct table *t, const struct store *st, const struct boxlist *l,
		struct buf *notes)
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
		_cleanup_traffic_ struct traffic io = TRAFFIC_NONE;

		if (v[i].info && v[l->n + i].info) {
			look_traffic(st, l->v[i].key, &io);
			add_row(t, &l->v[i], &v[i], &v[l->n + i], &io);
		}
		if (v[i].held_up || v[l->n + i].held_up)
			buf_addf(notes, "'%s' does not answer\n", l->v[i].project);
		if (io.why.len)
			buf_addf(notes, "'-' of '%s': %s\n", l->v[i].project,
				 buf_cstr(&io.why));
		json_free(&v[i].info);
		json_free(&v[l->n + i].info);
	}
	return runs;
}

/* 1 = a box runs. */
static int show(const struct app *app, struct table *t, struct err *e)
{
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	_cleanup_buf_ struct buf notes = BUF_INIT(64 << 10);
	int runs, r = place_open(app, e);

	if (r < 0)
		return r;
	r = boxlist_read(app->store, &l, e);
	if (r < 0)
		return r;
	runs = r = fill(t, app->store, &l, &notes);
	r = r < 0 ? err_sys(e, r, "cannot show what the boxes use")
		  : table_show(t, app, 0, r ? NULL : "no box runs",
			       "show what the boxes use", e);
	fflush(app->out);
	if (r >= 0)
		render_notes(app, buf_cstr(&notes));
	return r < 0 ? r : runs;
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	bool once = a->once || app->json || !tty_is(STDOUT_FILENO);
	int r = 1;

	for (bool first = true; r > 0 && (first || !once); first = false) {
		_cleanup_table_ struct table *t =
			table_new(columns, ARRAY_SIZE(columns));

		if (!once)
			table_redraw(t, first);
		r = show(app, t, e);
	}
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
	.summary = "show what the running boxes use",
	.doc = "What the running boxes of all directories use now: processor (over "
	       "half a second; 100 is one processor), memory and its limit, processes, "
	       "and since they were started bytes written to disks and gone through "
	       "the gate of the network; on a terminal again and again until ^C, or "
	       "until none runs.",
	.options = options,
	.size = sizeof(struct args),
	.no_box = true,
	.work = work,
};
