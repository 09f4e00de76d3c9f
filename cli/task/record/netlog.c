#include "cli/task/record/netlog.h"

#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/show/render.h"
#include "runtime/gate/audit.h"

enum { NETLOG_MAX = 3 * GATE_AUDIT_BYTES };

static void show_bytes(const struct app *app, const struct json *j)
{
	if (!json_get(j, "ms"))
		return;
	fprintf(app->out, "  sent %s, received %s, %s",
		text_bytes((uint64_t)json_get_int(j, "sent", 0)),
		text_bytes((uint64_t)json_get_int(j, "received", 0)),
		text_ms((uint64_t)json_get_int(j, "ms", 0)));
}

static void show_member(const struct app *app, const struct json *j, const char *key,
			const char *before, const char *after)
{
	const char *v = json_get_str(j, key);

	if (!v)
		return;
	fputs(before, app->out);
	render_safe(app->out, v);
	fputs(after, app->out);
}

/* "TIME  open  allowed  NAME (ADDRESS) port 443  by curl (process 7)" */
static void show_line(const struct app *app, const struct json *j)
{
	int64_t port = json_get_int(j, "port", 0);

	show_member(app, j, "time", "", "");
	show_member(app, j, "event", "  ", "");
	show_member(app, j, "verdict", "  ", "");
	show_member(app, j, "name", "  ", "");
	if (json_get_str(j, "name"))
		show_member(app, j, "address", " (", ")");
	else
		show_member(app, j, "address", "  ", "");
	if (port)
		fprintf(app->out, " port %lld", (long long)port);
	show_bytes(app, j);
	show_member(app, j, "proxy", "  through ", "");
	show_member(app, j, "why", "  ", "");
	if (json_get_int(json_get(j, "process"), "pid", 0) > 0) {
		show_member(app, json_get(j, "process"), "name", "  by ", "");
		fprintf(app->out, " (process %lld)",
			(long long)json_get_int(json_get(j, "process"), "pid", 0));
	}
	fputc('\n', app->out);
}

/* A line that is no object is what a kill left half written: it is passed over. */
static int show_text(const struct app *app, const char *s, size_t len)
{
	_cleanup_json_ struct json *j = NULL;

	if (json_parse(s, len, &j, ERR_IGNORED) < 0)
		return 0;
	if (app->json)
		return render_json(app, j);
	show_line(app, j);
	return 0;
}

/* 1 = there was something. */
static int show_file(const struct app *app, int dirfd, const char *name, struct err *e)
{
	_cleanup_buf_ struct buf b = BUF_INIT(NETLOG_MAX);
	const char *at, *end;
	int r = file_read(dirfd, name, &b, e);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	for (at = buf_cstr(&b); (end = strchr(at, '\n')); at = end + 1) {
		r = show_text(app, at, (size_t)(end - at));
		if (r < 0)
			return err_sys(e, r, "cannot show the network log");
	}
	return b.len > 0;
}

int netlog_show(const struct app *app, int dirfd, bool none, struct err *e)
{
	int before = show_file(app, dirfd, GATE_AUDIT_FILE ".1", e);
	int r = before < 0 ? before : show_file(app, dirfd, GATE_AUDIT_FILE, e);

	if (r < 0)
		return r;
	if (!before && !r)
		render_note(app, "nothing of the network is recorded%s",
			    none ? ": this box has none (net=none)" : "");
	return 0;
}
