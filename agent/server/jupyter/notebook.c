/* Theory of operation
 *
 * Notebooks as Open Terminal runs them: a kernel for a file, whose cells are named by their
 * index. The file is read in the box before each cell and written there after it, with what
 * the cell said; so what an editor saved meanwhile is not lost but for that cell's outputs.
 * Source of the contract: Open Terminal, /notebooks. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "agent/server/exchange/exchange.h"
#include "agent/server/files/fileop.h"
#include "agent/server/files/pathname.h"
#include "agent/server/jupyter/jupyter.h"
#include "agent/server/jupyter/kernel.h"
#include "agent/server/tenant/tenant.h"
#include "base/loop.h"
#include "base/text.h"

enum {
	BOOK_MAX = 16 << 20,
	SAID_MAX = 8 << 20,
	CELL_MS = 120000,
	NUMBER = 24,
	OUTPUT_BYTES = 256,
	BOOK_ID = 12,	       /* the last digits of its kernel's id */
	VALUES_MAX = 256 << 10 /* of the file */
};

/* A cell that runs. */
struct notebook_run {
	struct exchange *x;
	struct kernel *k;	   /* borrowed */
	struct kernel_watch watch; /* of the cell */
	struct loop_source *timer;
	struct json *book;    /* owned; the file */
	struct json *outputs; /* owned; of the cell */
	struct json *cell;    /* borrowed from it */
	int64_t count;
	size_t bytes; /* of the outputs, nearly */
	bool failed, cut;
};

static void run_free(struct notebook_run *n)
{
	loop_remove(exchange_loop(n->x), &n->timer);
	json_free(&n->book);
	json_free(&n->outputs);
	free(n);
}

static const char *book_id(const struct kernel *k)
{
	const char *id = kernel_id(k);

	return id + strlen(id) - BOOK_ID;
}

static int find(struct exchange *x, struct kernel **ret, struct err *e)
{
	const char *id = exchange_param(x, "id");
	struct kernel *k = NULL;

	while ((k = kernel_next(exchange_tenant(x), k)))
		if (strcmp(book_id(k), id) == 0)
			break;
	if (!k)
		return err_set(e, -ENOENT, "Notebook session not found");
	*ret = k;
	return 0;
}

static bool is_busy(const struct kernel *k)
{
	_cleanup_json_ struct json *j = kernel_model(k);
	const char *state = json_get_str(j, "execution_state");

	return state && strcmp(state, "busy") == 0;
}

/* "MODE SIZE\n" and the file: NULL: @e says why it is no notebook */
static struct json *read_book(struct buf *out, struct err *e)
{
	size_t values = VALUES_MAX;
	struct json *j = NULL;
	char *nl = out->len ? memchr(out->data, '\n', out->len) : NULL;
	int r = nl ? 0
		   : err_set(e, -EPROTO, "the file program's answer makes no sense");

	if (r == 0) {
		buf_consume(out, (size_t)(nl + 1 - out->data));
		r = json_parse_within(buf_cstr(out), out->len, &values, &j, e);
	}
	if (r == 0 && json_type(json_get(j, "cells")) != JSON_ARRAY)
		r = err_set(e, -EINVAL, "it has no cells");
	if (r < 0) {
		json_free(&j);
		e->code = -EINVAL;
		err_wrap(e, "Invalid notebook");
	}
	return j;
}

static int no_file(struct exchange *, const struct err *why, struct err *e)
{
	*e = *why;
	return why->code == -ENOENT ? err_set(e, -ENOENT, "Notebook not found")
				    : why->code;
}

static int ask_for(struct exchange *x, const char *path,
		   int (*then)(struct exchange *, struct buf *, struct err *),
		   struct err *e)
{
	char most[NUMBER];
	const char *const argv[] = { "get", path, most, NULL };
	const struct fileop_conf c = {
		.argv = argv, .gather = BOOK_MAX, .gathered = then, .failed = no_file
	};

	snprintf(most, sizeof(most), "%d", BOOK_MAX);
	return fileop_run(x, &c, e);
}

/* ---- a notebook is opened ------------------------------------------------------------- */

static int path_of(struct exchange *x, char path[PATH_MAX], struct err *e)
{
	const char *text = "";
	const char *from =
		tenant_cwd(exchange_tenant(x), exchange_header(x, "x-session-id"));
	int r = exchange_text(x, "path", &text, e);

	return r < 0 ? r : pathname_resolve(from, text, path, e);
}

/* What the notebook says it is written for; @language: NULL = it does not say. */
static const char *kernel_of(const struct json *book, const char **language)
{
	const struct json *about = json_get(book, "metadata");
	const struct json *spec = json_get(about, "kernelspec");
	const char *name = json_get_str(spec, "name");

	*language = json_get_str(spec, "language");
	if (!*language)
		*language = json_get_str(json_get(about, "language_info"), "name");
	return name && *name ? name : "python3";
}

static int opened(struct exchange *x, struct buf *out, struct err *e)
{
	_cleanup_json_ struct json *book = read_book(out, e);
	const char *language, *name = kernel_of(book, &language);
	struct kernel_session *s;
	char path[PATH_MAX];
	struct json *j;
	struct kernel *k = NULL;
	int r = book ? path_of(x, path, e) : e->code;

	if (r == 0 && language && strcasecmp(language, "python") != 0) {
		exchange_fail(x, 500,
			      "Failed to start kernel '%s': the notebook is in %s, and "
			      "Python alone is run here",
			      name, language);
		return 0;
	}
	if (r == 0)
		r = kernel_new(exchange_tenant(x), &k, e);
	if (r < 0 || !k)
		return r;
	s = kernel_session(k);
	*s = (struct kernel_session){ strdup(path), strdup(pathname_base(path)),
				      strdup("notebook") };
	if (!s->path) {
		kernel_end(k);
		return err_sys(e, -ENOMEM, "cannot open the notebook");
	}
	j = json_object();
	json_set_str(j, "id", book_id(k));
	json_set_str(j, "kernel", "python3");
	json_set_str(j, "status", "ready");
	exchange_reply(x, 200, j);
	return 0;
}

static int open_notebook(struct exchange *x, struct err *e)
{
	char path[PATH_MAX];
	int r = path_of(x, path, e);

	return r < 0 ? r : ask_for(x, path, opened, e);
}

/* ---- a cell ---------------------------------------------------------------------------- */

/* Lines of a cell's source: a text, or a list of texts. */
static int add_source(const struct json *source, struct buf *out)
{
	if (json_str(source))
		return buf_adds(out, json_str(source));
	json_each(it, source) buf_adds(out, json_str(it) ? json_str(it) : "");
	return buf_failed(out);
}

/* Takes the outputs. */
static struct json *describe(struct notebook_run *n)
{
	struct json *j = json_object();

	json_set_str(j, "status", n->failed ? "error" : "ok");
	json_set_int(j, "execution_count", n->count);
	json_set(j, "outputs", take(&n->outputs, NULL));
	return j;
}

/* The file is written, and then it is answered. A notebook may be large: it is changed in
 * its place, for others wait meanwhile. */
static int save(struct exchange *x, struct notebook_run *n, const char *path,
		struct err *e)
{
	_cleanup_json_ struct json *answer = NULL;
	_cleanup_buf_ struct buf in = BUF_INIT(2L * BOOK_MAX),
				 reply = BUF_INIT(EXCHANGE_OUT_MAX / 2);
	char size[NUMBER];
	const char *const argv[] = { "put", path, size, NULL };
	struct fileop_conf c = { .argv = argv, .in = &in };
	int r;

	json_set(n->cell, "outputs", json_dup(n->outputs));
	json_set_int(n->cell, "execution_count", n->count);
	answer = describe(n);
	r = json_print(n->book, true, &in) ?: json_print(answer, false, &reply);
	if (r < 0)
		return err_sys(e, r, "cannot keep the outputs");
	snprintf(size, sizeof(size), "%zu", in.len);
	c.reply = buf_cstr(&reply);
	return fileop_run(x, &c, e);
}

static void finish(struct notebook_run *n)
{
	const char *path = kernel_session(n->k)->path;
	struct exchange *x = n->x;
	struct err e = ERR_NONE;
	int r = 0;

	exchange_later(x, NULL, NULL);
	if (n->failed)
		exchange_reply(x, 200, describe(n));
	else
		r = save(x, n, path, &e);
	run_free(n);
	if (r < 0)
		exchange_fail_err(x, &e);
}

static void add_output(struct notebook_run *n, const char *type,
		       const struct json *content)
{
	_cleanup_buf_ struct buf weight = BUF_INIT(SAID_MAX);
	struct json *j;

	n->bytes += OUTPUT_BYTES;
	n->bytes += json_print(content, false, &weight) < 0 ? SAID_MAX + 1 : weight.len;
	if (n->bytes > SAID_MAX && n->cut)
		return;
	if (n->bytes > SAID_MAX) { /* the rest would be memory of ours */
		n->cut = true;
		kernel_interrupt(n->k);
		j = json_object();
		json_set_str(j, "name", "stderr");
		json_set_str(j, "text", "[more than 8 MiB of output: interrupted]\n");
		json_set_str(j, "output_type", "stream");
		json_add(n->outputs, j);
		return;
	}
	j = json_dup(content);
	(void)json_drop(j, "transient");
	json_set_str(j, "output_type", type);
	json_add(n->outputs, j);
}

static void on_said(void *ctx, const char *type, const struct json *content)
{
	static const char *const kept[] = { "stream", "execute_result", "display_data",
					    "error" };
	struct notebook_run *n = ctx;

	if (!type) {
		struct exchange *x = n->x;

		run_free(n);
		exchange_later(x, NULL, NULL);
		exchange_fail(x, 500, "the kernel has ended");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		if (strcmp(kept[i], type) == 0)
			add_output(n, type, content);
	if (strcmp(type, "execute_reply") != 0)
		return;
	n->count = json_get_int(content, "execution_count", 0);
	n->failed = strcmp(json_get_str(content, "status"), "ok") != 0;
	finish(n);
}

static bool is_slow(void *)
{
	return false;
}

static int on_time(void *ctx, uint32_t, struct err *)
{
	struct notebook_run *n = ctx;

	kernel_interrupt(n->k);
	return 0;
}

static void on_gone(void *ctx)
{
	struct notebook_run *n = ctx;

	kernel_unwatch(n->k, &n->watch);
	kernel_interrupt(n->k);
	run_free(n);
}

static const struct exchange_hooks hooks = { .gone = on_gone };

/* The file is there: run the cell. */
static int run_cell(struct exchange *x, struct buf *out, struct err *e)
{
	const struct json *source = json_get(exchange_json(x), "source");
	_cleanup_buf_ struct buf code = BUF_INIT(BOOK_MAX);
	struct notebook_run *n = calloc(1, sizeof(*n));
	int64_t i = json_get_int(exchange_json(x), "cell_index", -1);
	int r = n ? find(x, &n->k, e) : err_sys(e, -ENOMEM, "cannot run a cell");

	if (r < 0) {
		free(n);
		return r;
	}
	n->x = x;
	n->book = read_book(out, e);
	n->cell = i < 0 ? NULL : json_at_mut(json_get_mut(n->book, "cells"), (size_t)i);
	n->outputs = json_array();
	if (!n->book)
		r = e->code;
	else if (!n->cell)
		r = err_set(e, -EINVAL, "cell_index is out of range");
	else if (is_busy(n->k))
		r = err_set(e, -EEXIST, "the notebook is busy");
	else if (add_source(source ? source : json_get(n->cell, "source"), &code) < 0)
		r = err_set(e, -EMSGSIZE, "the cell is too large");
	n->watch = (struct kernel_watch){ on_said, is_slow, n };
	if (r == 0)
		r = loop_timer(exchange_loop(x), CELL_MS, on_time, n, &n->timer);
	if (r == 0) {
		exchange_later(x, &hooks, n);
		r = kernel_execute(n->k, buf_cstr(&code), &n->watch, e);
	}
	if (r < 0) {
		exchange_later(x, NULL, NULL);
		run_free(n);
	}
	return r < 0 && !e->code ? err_sys(e, r, "cannot run a cell") : r;
}

static int execute_cell(struct exchange *x, struct err *e)
{
	struct kernel *k;
	int r = find(x, &k, e);

	if (r == 0 && !kernel_session(k)->path)
		r = err_set(e, -ENOENT, "Kernel does not exist");
	return r < 0 ? r : ask_for(x, kernel_session(k)->path, run_cell, e);
}

/* ---- the others ------------------------------------------------------------------------ */

static int get_notebook(struct exchange *x, struct err *e)
{
	struct kernel *k;
	struct json *j;
	int r = find(x, &k, e);

	if (r < 0)
		return r;
	j = json_object();
	json_set_str(j, "id", book_id(k));
	json_set_str(j, "path", kernel_session(k)->path);
	json_set_str(j, "kernel", "python3");
	json_set_str(j, "status", is_busy(k) ? "busy" : "ready");
	exchange_reply(x, 200, j);
	return 0;
}

static int close_notebook(struct exchange *x, struct err *e)
{
	struct kernel *k;
	int r = find(x, &k, e);

	if (r < 0)
		return r;
	kernel_end(k);
	exchange_reply_text(x, 200, "application/json", "{\"status\":\"stopped\"}");
	return 0;
}

static const struct route rows[] = {
	{ "POST", "/notebooks", open_notebook, ROUTE_KEY, ROUTE_JSON, .box = true },
	{ "POST", "/notebooks/{id}/execute", execute_cell, ROUTE_KEY, ROUTE_JSON,
	  .box = true },
	{ "GET", "/notebooks/{id}", get_notebook, ROUTE_KEY, .box = true },
	{ "DELETE", "/notebooks/{id}", close_notebook, ROUTE_KEY, .box = true },
};

const struct route_table notebook_routes = { rows, ARRAY_SIZE(rows) };
