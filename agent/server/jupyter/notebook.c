/* Theory of operation
 *
 * Notebooks as Open Terminal runs them: a kernel for a file, whose cells are named by their
 * index. The file is read in the box before each cell and written there after it, with what
 * the cell said, and the text that it was given instead of its own; so what an editor saved
 * meanwhile is not lost but for that.
 * It may be large, and others wait for our one thread: only the cell's own text and outputs
 * come here, and the box's Python takes them out of the file and puts them into it
 * (notebook.py). Source of the contract: Open Terminal, /notebooks. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "agent/python/python.h"
#include "agent/server/exchange/exchange.h"
#include "agent/server/files/fileop.h"
#include "agent/server/files/pathname.h"
#include "agent/server/jupyter/jupyter.h"
#include "agent/server/jupyter/kernel.h"
#include "agent/server/tenant/tenant.h"
#include "base/embed.h"
#include "base/loop.h"

EMBED(notebook_program, "agent/server/jupyter/notebook.py");

enum {
	SAID_MAX = 8 << 20,
	SOURCE_MAX = 6 * PYTHON_CODE_MAX, /* a byte takes six as JSON at most */
	NOTE_MAX = 256,
	SHOWN_MAX = 32,
	CELL_MS = 120000,
	NUMBER = 24,
	WORDS = 12,
	ABOUT_MAX = 4 << 10,
	BOOK_ID = 12 /* the last digits of its kernel's id */
};

/* What a cell displayed with an id: it may change, so it is not in said. */
struct shown {
	char *id;	 /* owned */
	struct buf text; /* owned; a comma before it */
	size_t at;	 /* where it belongs in said */
};

/* A cell that runs. */
struct notebook_run {
	struct exchange *x;
	struct kernel *k;	   /* borrowed */
	struct kernel_watch watch; /* of the cell */
	struct loop_source *timer;
	/* its outputs as JSON, a comma before each: as values they would take many times
	 * that */
	struct buf said;
	struct shown shown[SHOWN_MAX];
	unsigned n_shown;
	size_t size; /* of both */
	int64_t index, count;
	bool failed, cut;
	bool clear; /* before the next output */
};

static void drop_said(struct notebook_run *n)
{
	for (; n->n_shown; n->n_shown--) {
		free(n->shown[n->n_shown - 1].id);
		buf_done(&n->shown[n->n_shown - 1].text);
	}
	buf_truncate(&n->said, 0);
	n->size = 0;
}

static void run_free(struct notebook_run *n)
{
	loop_remove(exchange_loop(n->x), &n->timer);
	drop_said(n);
	buf_done(&n->said);
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

	return json_is(j, "execution_state", "busy");
}

static int no_book(struct exchange *x, const struct err *why, struct err *e)
{
	struct err missing = ERR_NONE;

	if (why->code == -ENOEXEC) {
		(void)python_missing(&missing);
		exchange_fail(x, 500, "Failed to start kernel 'python3': %s",
			      missing.msg);
		return 0;
	}
	*e = *why;
	return e->code;
}

/* The words of notebook.py: @numbers as its kind of question has them. @to: the file that
 * becomes what it answers; "-" = none */
struct question {
	const char *words[WORDS];
};

static struct question ask_of(const char *to, const char *what, const char *path,
			      const char *index, const char *count)
{
	return (struct question){ { "made", to, "python3", "-I", "-c", notebook_program,
				    what, path, index, count } };
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

static int opened(struct exchange *x, struct buf *out, struct err *e)
{
	_cleanup_json_ struct json *about = NULL;
	const char *language;
	struct kernel_session *s;
	char path[PATH_MAX];
	struct json *j;
	struct kernel *k = NULL;
	int r = json_parse(buf_cstr(out), out->len, &about, e) ?: path_of(x, path, e);

	language = json_get_str(about, "language");
	if (r == 0 && language && strcasecmp(language, "python") != 0) {
		exchange_fail(x, 500,
			      "Failed to start kernel '%s': the notebook is in %s, and "
			      "Python alone is run here",
			      json_get_str(about, "kernel") ?: "", language);
		return 0;
	}
	if (r == 0)
		r = kernel_new(exchange_tenant(x), NULL, &k, e);
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
	const struct question q = ask_of("-", "open", path, NULL, NULL);
	const struct fileop_conf c = { .argv = q.words,
				       .gather = ABOUT_MAX,
				       .gathered = opened,
				       .failed = no_book };
	int r = path_of(x, path, e);

	return r < 0 ? r : fileop_run(x, &c, e);
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

static void list_said(const struct notebook_run *n, struct buf *out)
{
	size_t from = out->len, at = 0;

	for (unsigned i = 0; i < n->n_shown; i++) {
		const struct shown *s = &n->shown[i];

		buf_add(out, n->said.data + at, s->at - at);
		buf_add(out, s->text.data, s->text.len);
		at = s->at;
	}
	buf_add(out, n->said.data + at, n->said.len - at);
	if (out->len > from)
		out->data[from] = '[';
	else
		buf_addc(out, '[');
	buf_addc(out, ']');
}

static int describe(const struct notebook_run *n, struct buf *out)
{
	buf_addf(out, "{\"status\":\"%s\",\"execution_count\":%" PRId64 ",\"outputs\":",
		 n->failed ? "error" : "ok", n->count);
	list_said(n, out);
	return buf_addc(out, '}');
}

/* The file is written, and then it is answered. */
static int save(struct exchange *x, const struct notebook_run *n, const char *path,
		const char *reply, struct err *e)
{
	_cleanup_buf_ struct buf in = BUF_INIT(SAID_MAX + SOURCE_MAX + 2 * NOTE_MAX);
	_cleanup_buf_ struct buf code = BUF_INIT(PYTHON_CODE_MAX);
	_cleanup_json_ struct json *source = NULL;
	char index[NUMBER], count[NUMBER];
	const struct question q = ask_of(path, "keep", path, index, count);
	const struct fileop_conf c = {
		.argv = q.words, .in = &in, .reply = reply, .failed = no_book
	};

	snprintf(index, sizeof(index), "%" PRId64, n->index);
	snprintf(count, sizeof(count), "%" PRId64, n->count);
	buf_adds(&in, "{\"outputs\":");
	list_said(n, &in);
	if (json_get(exchange_json(x), "source")) {
		(void)add_source(json_get(exchange_json(x), "source"), &code);
		source = json_stringn(buf_cstr(&code), code.len);
		buf_adds(&in, ",\"source\":");
		buf_fail(&in, json_print(source, false, &in));
	}
	if (buf_addc(&in, '}') < 0 || buf_failed(&in) < 0)
		return err_sys(e, buf_failed(&in), "cannot keep the outputs");
	return fileop_run(x, &c, e);
}

static void finish(struct notebook_run *n)
{
	_cleanup_buf_ struct buf reply = BUF_INIT(SAID_MAX + 2 * NOTE_MAX);
	const char *path = kernel_session(n->k)->path;
	struct exchange *x = n->x;
	struct err e = ERR_NONE;
	int r = describe(n, &reply);

	exchange_later(x, NULL, NULL);
	if (r < 0)
		err_sys(&e, r, "cannot tell the outputs");
	else if (n->failed)
		exchange_reply_text(x, 200, "application/json", buf_cstr(&reply));
	else
		r = save(x, n, path, buf_cstr(&reply), &e);
	run_free(n);
	if (r < 0)
		exchange_fail_err(x, &e);
}

static void clear(struct notebook_run *n)
{
	n->clear = false;
	drop_said(n);
	share_release(n->x);
}

/* @id: it can be updated; NULL */
static int add_text(struct notebook_run *n, const char *id, const struct buf *one)
{
	struct shown *s = id && n->n_shown < SHOWN_MAX ? &n->shown[n->n_shown] : NULL;

	if (n->size + one->len > SAID_MAX)
		return -EMSGSIZE;
	if (share_hold(n->x, 3 * one->len) < 0) /* here, in the answer, on its way */
		return -EAGAIN;
	n->size += one->len;
	if (!s)
		return buf_add(&n->said, one->data, one->len);
	*s = (struct shown){ strdup(id), BUF_INIT(SAID_MAX), n->said.len };
	n->n_shown++;
	return s->id ? buf_add(&s->text, one->data, one->len) : -ENOMEM;
}

/* What this cell displayed with that id; of another cell it is not here. */
static int update_text(struct notebook_run *n, const char *id, const struct buf *one)
{
	for (unsigned i = 0; i < n->n_shown; i++) {
		struct shown *s = &n->shown[i];

		if (!s->id || strcmp(s->id, id) != 0)
			continue;
		if (n->size - s->text.len + one->len > SAID_MAX)
			return -EMSGSIZE;
		if (share_hold(n->x, 3 * one->len) < 0)
			return -EAGAIN;
		n->size = n->size - s->text.len + one->len;
		buf_done(&s->text); /* its room, too */
		buf_init(&s->text, SAID_MAX);
		if (buf_add(&s->text, one->data, one->len) < 0)
			return -ENOMEM;
		share_release(n->x);
		(void)share_hold(n->x, 3 * n->size); /* less than it was just now */
	}
	return 0;
}

static void add_output(struct notebook_run *n, const char *type,
		       const struct json *content)
{
	const char *id = json_get_str(json_get(content, "transient"), "display_id");
	bool update = strcmp(type, "update_display_data") == 0;
	_cleanup_buf_ struct buf one = BUF_INIT(SAID_MAX);
	_cleanup_json_ struct json *j = n->cut ? NULL : json_dup(content);
	int r;

	if (n->cut || (update && !id))
		return;
	if (n->clear && !update)
		clear(n);
	(void)json_drop(j, "transient");
	json_set_str(j, "output_type", update ? "display_data" : type);
	buf_addc(&one, ',');
	r = json_print(j, false, &one)
		    ?: (update ? update_text(n, id, &one) : add_text(n, id, &one));
	if (r == 0)
		return;
	n->cut = true; /* the rest would be memory of ours */
	kernel_interrupt(n->k);
	buf_addf(&n->said,
		 ",{\"name\":\"stderr\",\"text\":\"[more %s: "
		 "interrupted]\\n\",\"output_type\":\"stream\"}",
		 r == -EAGAIN ? "output than there is room for now"
			      : "than 8 MiB of output");
}

static void on_said(void *ctx, const char *type, const struct json *content)
{
	static const char *const kept[] = { "stream", "execute_result", "display_data",
					    "update_display_data", "error" };
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
	if (strcmp(type, "clear_output") == 0 && !n->cut) {
		n->clear = true;
		if (!json_get_bool(content, "wait", false))
			clear(n);
	}
	if (strcmp(type, "execute_reply") != 0)
		return;
	n->count = json_get_int(content, "execution_count", 0);
	n->failed = !json_is(content, "status", "ok");
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

	kernel_leave(n->k, &n->watch);
	run_free(n);
}

static const struct exchange_hooks hooks = { .gone = on_gone };

/* The text of the cell is there: run it. */
static int run_cell(struct exchange *x, struct buf *out, struct err *e)
{
	static const char nothing[] =
		"{\"status\":\"ok\",\"execution_count\":null,\"outputs\":[]}";
	const struct json *source = json_get(exchange_json(x), "source");
	_cleanup_buf_ struct buf code = BUF_INIT(PYTHON_CODE_MAX);
	struct notebook_run *n = calloc(1, sizeof(*n));
	int r = n ? find(x, &n->k, e) : err_sys(e, -ENOMEM, "cannot run a cell");

	if (r < 0 || !out->len) { /* a cell of text: nothing runs, as in a notebook */
		if (r == 0)
			exchange_reply_text(x, 200, "application/json", nothing);
		free(n);
		return r;
	}
	n->x = x;
	n->said = BUF_INIT(SAID_MAX + NOTE_MAX);
	n->index = json_get_int(exchange_json(x), "cell_index", -1);
	n->watch = (struct kernel_watch){ on_said, is_slow, n };
	if (is_busy(n->k))
		r = err_set(e, -EEXIST, "the notebook is busy");
	else if (source && add_source(source, &code) < 0)
		r = err_set(e, -EMSGSIZE, "the cell is too large");
	if (r == 0)
		r = loop_timer(exchange_loop(x), CELL_MS, on_time, n, &n->timer);
	if (r == 0) {
		exchange_later(x, &hooks, n);
		r = kernel_execute(n->k, source ? buf_cstr(&code) : buf_cstr(out) + 1,
				   NULL, &n->watch, e);
	}
	if (r < 0) {
		exchange_later(x, NULL, NULL);
		run_free(n);
	}
	return r < 0 && !e->code ? err_sys(e, r, "cannot run a cell") : r;
}

static int execute_cell(struct exchange *x, struct err *e)
{
	int64_t i = json_get_int(exchange_json(x), "cell_index", -1);
	char index[NUMBER];
	struct fileop_conf c = { .gather = PYTHON_CODE_MAX + 2,
				 .gathered = run_cell,
				 .failed = no_book };
	struct question q;
	struct kernel *k;
	int r = find(x, &k, e);

	if (r == 0 && !kernel_session(k)->path)
		r = err_set(e, -ENOENT, "Kernel does not exist");
	if (r == 0 && i < 0)
		r = err_set(e, -EINVAL, "cell_index is out of range");
	if (r < 0)
		return r;
	snprintf(index, sizeof(index), "%" PRId64, i);
	q = ask_of("-", "cell", kernel_session(k)->path, index, NULL);
	c.argv = q.words;
	return fileop_run(x, &c, e);
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
