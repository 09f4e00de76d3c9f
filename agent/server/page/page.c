/* Theory of operation
 *
 * The page of the server: files that `make page` has made, by a table of their names, so that
 * no name of a client's is one of a file. They are for everybody: the key is asked for by the
 * page, and goes with each of its requests. Its policy takes no code but these files, and no
 * markup out of a text (trusted types); a style that a terminal sets on a cell is permitted. */
#include "agent/server/page/page.h"

#include <errno.h>
#include <string.h>

#include "agent/server/conf/conf.h"
#include "agent/server/exchange/exchange.h"
#include "base/file.h"

enum { FILE_MAX = 4 << 20 };

static const struct {
	const char *name, *type;
} files[] = {
	{ "index.html", "text/html; charset=utf-8" },
	{ "page.css", "text/css; charset=utf-8" },
	{ "xterm.css", "text/css; charset=utf-8" },
	{ "icon.svg", "image/svg+xml" },
	{ "xterm.LICENSE", "text/plain; charset=utf-8" },
	{ "addon-fit.mjs", "text/javascript; charset=utf-8" },
	{ "xterm.mjs", "text/javascript; charset=utf-8" },
	{ "api.js", "text/javascript; charset=utf-8" },
	{ "app.js", "text/javascript; charset=utf-8" },
	{ "changes.js", "text/javascript; charset=utf-8" },
	{ "dom.js", "text/javascript; charset=utf-8" },
	{ "files.js", "text/javascript; charset=utf-8" },
	{ "network.js", "text/javascript; charset=utf-8" },
	{ "screen.js", "text/javascript; charset=utf-8" },
	{ "shell.js", "text/javascript; charset=utf-8" },
	{ "tasks.js", "text/javascript; charset=utf-8" },
};

static const char *const headers[] = {
	"Content-Security-Policy: default-src 'none'; script-src 'self'; style-src "
	"'self'; "
	"style-src-attr 'unsafe-inline'; connect-src 'self'; img-src 'self'; "
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
	"require-trusted-types-for 'script'; trusted-types 'none'",
	"Referrer-Policy: no-referrer",
	"Cross-Origin-Opener-Policy: same-origin",
	"Cross-Origin-Resource-Policy: same-origin",
	"X-Frame-Options: DENY",
	NULL
};

static int send_file(struct exchange *x, const char *name, struct err *e)
{
	_cleanup_buf_ struct buf b = BUF_INIT(FILE_MAX);
	int dir = exchange_conf(x)->page;
	size_t i = 0;
	int r;

	while (i < ARRAY_SIZE(files) && strcmp(files[i].name, name) != 0)
		i++;
	if (i == ARRAY_SIZE(files))
		return err_set(e, -ENOENT, "Not Found");
	if (dir < 0)
		return err_set(e, -ENOENT,
			       "the page was not made when this cubby was built; 'make "
			       "page' makes it, with npm");
	r = file_read(dir, files[i].name, &b, e);
	if (r < 0)
		return r;
	exchange_begin(x, 200, files[i].type, headers, (int64_t)b.len);
	exchange_write(x, buf_cstr(&b), b.len);
	exchange_end(x);
	return 0;
}

static int get_page(struct exchange *x, struct err *e)
{
	return send_file(x, "index.html", e);
}

static int get_part(struct exchange *x, struct err *e)
{
	return send_file(x, exchange_param(x, "name"), e);
}

static const struct route rows[] = {
	{ "GET", "/", get_page, .right = ROUTE_ANYBODY },
	{ "GET", "/page/{name}", get_part, .right = ROUTE_ANYBODY },
};

const struct route_table page_routes = { rows, ARRAY_SIZE(rows) };
