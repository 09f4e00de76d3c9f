/* Theory of operation
 *
 * A form with a file is read as it comes, and the file goes on to a program in the box,
 * which puts it where it belongs when all of it has come. Source of the contract: Open
 * Terminal, /files/upload. */
#include <errno.h>
#include <string.h>

#include "agent/server/exchange/exchange.h"
#include "agent/server/files/fileop.h"
#include "agent/server/files/files.h"
#include "agent/server/files/pathname.h"
#include "agent/server/http/head.h"
#include "agent/server/http/multipart.h"
#include "agent/server/tenant/tenant.h"

struct upload {
	struct exchange *x;
	struct multipart form;
	struct fileop *op; /* NULL = the file's name has not come */
	char dir[PATH_MAX], path[PATH_MAX];
	uint64_t size;
	struct err e;
};

static void upload_free(void *ctx)
{
	struct upload *u = ctx;

	multipart_done(&u->form);
	free(u);
}

static void upload_fail(struct upload *u, int code)
{
	struct exchange *x = u->x;
	struct err e = u->e;

	if (!e.code)
		err_set(&e, code == -EBADMSG ? -EINVAL : code, "malformed form");
	exchange_later(x, NULL, NULL);
	if (u->op)
		fileop_abandon(u->op); /* which frees it */
	else
		upload_free(u);
	exchange_fail_err(x, &e);
}

static void upload_body(void *ctx, const char *data, size_t len);

static int upload_begin(void *ctx, const char *name)
{
	struct upload *u = ctx;
	const char *const argv[] = { "put", u->path, "-", NULL };
	const struct fileop_conf c = { .argv = argv,
				       .more = true,
				       .body = upload_body,
				       .released = upload_free,
				       .ctx = u };
	int r;

	name = pathname_base(name);
	if (!*name)
		return err_set(&u->e, -EINVAL, "the file has no name");
	r = pathname_resolve(u->dir, name, u->path, &u->e);
	return r < 0 ? r : fileop_start(u->x, &c, &u->op, &u->e);
}

static int upload_data(void *ctx, const char *data, size_t len)
{
	struct upload *u = ctx;
	int r = fileop_feed(u->op, data, len);

	u->size += len;
	return r < 0 ? err_sys(&u->e, r, "cannot keep the file") : 0;
}

static int upload_end(void *ctx)
{
	(void)ctx; /* it is complete when the form is */
	return 0;
}

static void upload_complete(struct upload *u)
{
	_cleanup_json_ struct json *j = json_object();
	_cleanup_buf_ struct buf reply = BUF_INIT(8L * PATH_MAX);

	json_set_str(j, "path", u->path);
	json_set_int(j, "size", (int64_t)u->size);
	(void)json_print(j, false, &reply);
	fileop_say(u->op, buf_cstr(&reply));
	(void)fileop_feed(u->op, NULL, 0);
}

static void upload_body(void *ctx, const char *data, size_t len)
{
	static const struct multipart_calls calls = { upload_begin, upload_data,
						      upload_end };
	struct upload *u = ctx;
	int r = len ? multipart_feed(&u->form, data, len, &calls, u) : 0;

	if (r < 0 || (!len && !multipart_complete(&u->form)))
		upload_fail(u, r < 0 ? r : -EINVAL);
	else if (!len)
		upload_complete(u);
	else if (u->op && fileop_backlog(u->op) > EXCHANGE_FULL)
		exchange_pause(u->x, true);
}

static const struct exchange_hooks upload_hooks = { .gone = upload_free,
						    .body = upload_body };

static int upload_file(struct exchange *x, struct err *e)
{
	const char *from =
		tenant_cwd(exchange_tenant(x), exchange_header(x, "x-session-id"));
	const char *directory = exchange_arg(x, "directory", 0);
	_cleanup_free_ struct upload *u = calloc(1, sizeof(*u));
	int r;

	if (!u)
		return err_sys(e, -ENOMEM, "cannot take a file");
	r = pathname_resolve(from, directory && *directory ? directory : ".", u->dir,
			     e);
	if (r < 0)
		return r;
	/* of no body there is no end to wait for */
	if (!exchange_head(x)->length ||
	    multipart_init(&u->form, exchange_header(x, "content-type")) < 0)
		return err_set(e, -EINVAL, "a form with a file is needed");
	u->x = x;
	exchange_later(x, &upload_hooks, take(&u, NULL));
	return 0;
}

static const struct route rows[] = {
	{ "POST", "/files/upload", upload_file, ROUTE_KEY, ROUTE_STREAM, .box = true },
};

const struct route_table upload_routes = { rows, ARRAY_SIZE(rows) };
