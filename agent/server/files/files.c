/* Theory of operation
 *
 * The routes on files: a client's path is made absolute (pathname), and a program of the
 * box's init does the work inside, as the box's user (fileop, runtime/init). What a path
 * leads to is decided there, so nothing here has to be careful about links or "..". Source
 * of the contract: Open Terminal, /files. */
#include "agent/server/files/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/server/exchange/exchange.h"
#include "agent/server/files/document.h"
#include "agent/server/files/fileop.h"
#include "agent/server/files/pathname.h"
#include "agent/server/tenant/tenant.h"
#include "base/text.h"

enum { NUMBER = 24, RANK_OFFSET_MAX = 20000, ARCHIVE_MAX = 500, SEARCH_MS = 60000 };

/* What a page of the box may do in a browser: nothing in the name of this origin. */
static const char *const sandbox[] = {
	"Content-Security-Policy: sandbox allow-scripts allow-forms allow-popups", NULL
};

/* ---- paths ---------------------------------------------------------------------- */

static const char *place(struct exchange *x)
{
	return tenant_cwd(exchange_tenant(x), exchange_header(x, "x-session-id"));
}

/* The argument @name of the query as a path. */
static int path_arg(struct exchange *x, const char *name, const char *none,
		    char ret[PATH_MAX], struct err *e)
{
	const char *path = exchange_arg(x, name, 0);

	if (!path || !*path)
		path = none;
	return path ? pathname_resolve(place(x), path, ret, e)
		    : exchange_missing(x, name, e);
}

/* The member @name of the body as a path. */
static int path_body(struct exchange *x, const char *name, char ret[PATH_MAX],
		     struct err *e)
{
	const char *path = "";
	int r = exchange_text(x, name, &path, e);

	return r < 0 ? r : pathname_resolve(place(x), path, ret, e);
}

static int simple(struct exchange *x, const char *applet, const char *a, const char *b,
		  struct err *e)
{
	const char *const argv[] = { applet, a, b, NULL };
	const struct fileop_conf c = { .argv = argv };

	return fileop_run(x, &c, e);
}

/* ---- the working directory ------------------------------------------------------ */

static struct json *cwd_json(const char *cwd)
{
	struct json *j = json_object();

	json_set_str(j, "cwd", cwd);
	return j;
}

static int get_cwd(struct exchange *x, struct err *)
{
	const char *home = tenant_home(exchange_tenant(x));
	struct json *j = cwd_json(place(x)), *root = json_object();

	json_set_str(j, "home", home);
	json_set_str(root, "path", home);
	json_set_str(root, "label", "Home");
	json_set(j, "root", root);
	exchange_reply(x, 200, j);
	return 0;
}

/* It is one: the text of the question is still there. */
static int set_cwd(struct exchange *x, struct buf *out, struct err *e)
{
	char path[PATH_MAX];
	unsigned mode;
	int r = path_body(x, "path", path, e);

	if (r < 0)
		return r;
	if (sscanf(buf_cstr(out), "%o", &mode) != 1 || (mode & 0170000) != 0040000)
		return err_set(e, -ENOENT, "Directory not found");
	tenant_set_cwd(exchange_tenant(x), exchange_header(x, "x-session-id"), path);
	exchange_reply(x, 200, cwd_json(path));
	return 0;
}

static int no_directory(struct exchange *, const struct err *, struct err *e)
{
	return err_set(e, -ENOENT, "Directory not found");
}

static int post_cwd(struct exchange *x, struct err *e)
{
	char path[PATH_MAX];
	const char *const argv[] = { "stat", path, NULL };
	const struct fileop_conf c = {
		.argv = argv, .gather = 64, .gathered = set_cwd, .failed = no_directory
	};
	int r = path_body(x, "path", path, e);

	return r < 0 ? r : fileop_run(x, &c, e);
}

/* ---- reading -------------------------------------------------------------------- */

static int list_files(struct exchange *x, struct err *e)
{
	char path[PATH_MAX];
	int r = path_arg(x, "directory", ".", path, e);

	return r < 0 ? r : simple(x, "list", path, NULL, e);
}

static int no_file(struct exchange *, const struct err *why, struct err *e)
{
	*e = *why;
	return why->code == -ENOENT ? err_set(e, -ENOENT, "File not found") : why->code;
}

/* A browser would take a text for one of its own country's. */
static int view(struct exchange *x, const char *path, struct err *e)
{
	const char *const argv[] = { "get", path, "9223372036854775807", NULL };
	char type[128];
	const struct fileop_conf c = { .argv = argv,
				       .type = type,
				       .has_head = true,
				       .headers = sandbox,
				       .failed = no_file };

	snprintf(type, sizeof(type), "%s%s", pathname_type(path),
		 text_starts(pathname_type(path), "text/") ? "; charset=utf-8" : "");
	return fileop_run(x, &c, e);
}

static int refuse_type(struct exchange *x, struct buf *out, struct err *e)
{
	char path[PATH_MAX];
	uint64_t size;
	int r = path_arg(x, "path", NULL, path, e);

	if (r < 0)
		return r;
	if (sscanf(buf_cstr(out), "%*o %" SCNu64, &size) != 1)
		return err_set(e, -EPROTO, "the file program's answer makes no sense");
	return err_set(e, -EMEDIUMTYPE,
		       "Unsupported binary file type: %s (%" PRIu64 " bytes)%s",
		       pathname_type(path), size, document_remedy(path));
}

/* Which lines of a text are wanted, if not all. */
static int lines_args(struct exchange *x, int64_t *first, int64_t *last, struct err *e)
{
	return exchange_arg_num(x, "start_line", 1, INT32_MAX, first, e)
		       ?: exchange_arg_num(x, "end_line", 1, INT32_MAX, last, e);
}

static int no_document(struct exchange *x, const struct err *why, struct err *e)
{
	char path[PATH_MAX];
	int r = path_arg(x, "path", NULL, path, e);

	return r < 0 ? r : document_refuse(path, why, e);
}

/* The words of @applet that shows lines of the text at @path. */
struct lines {
	char path[PATH_MAX], first[NUMBER], last[NUMBER];
	const char *argv[4 + DOCUMENT_WORDS];
};

static int lines_of(struct exchange *x, const char *applet, struct lines *l,
		    struct err *e)
{
	int64_t from = 1, to = INT32_MAX;
	int r = path_arg(x, "path", NULL, l->path, e) ?: lines_args(x, &from, &to, e);

	snprintf(l->first, sizeof(l->first), "%lld", (long long)from);
	snprintf(l->last, sizeof(l->last), "%lld", (long long)to);
	l->argv[0] = applet;
	l->argv[1] = l->path;
	l->argv[2] = l->first;
	l->argv[3] = l->last;
	l->argv[4] = NULL;
	return r;
}

/* No text: a document has one, a picture is given as it is, anything else has no place in a
 * model's context. */
static int read_other(struct exchange *x, const struct err *why, struct err *e)
{
	struct lines l;
	const char *const stat[] = { "stat", l.path, NULL };
	const struct fileop_conf other = { .argv = stat,
					   .gather = 64,
					   .gathered = refuse_type };
	const struct fileop_conf document = { .argv = l.argv,
					      .limit_ms = DOCUMENT_MS,
					      .failed = no_document };
	int r;

	if (why->code == -ENOENT)
		return err_set(e, -ENOENT, "File not found");
	if (why->code != -EMEDIUMTYPE) {
		*e = *why;
		return why->code;
	}
	r = lines_of(x, "document", &l, e);
	if (r < 0)
		return r;
	if (document_is(l.path)) {
		(void)document_reader(l.path, l.argv + 4);
		return fileop_run(x, &document, e);
	}
	return text_starts(pathname_type(l.path), "image/") ? view(x, l.path, e)
							    : fileop_run(x, &other, e);
}

static int read_file(struct exchange *x, struct err *e)
{
	struct lines l;
	const struct fileop_conf c = { .argv = l.argv, .failed = read_other };
	int r = lines_of(x, "text", &l, e);

	return r < 0 ? r : fileop_run(x, &c, e);
}

static int view_file(struct exchange *x, struct err *e)
{
	char path[PATH_MAX];
	int r = path_arg(x, "path", NULL, path, e);

	return r < 0 ? r : view(x, path, e);
}

static int serve_file(struct exchange *x, struct err *e)
{
	char path[PATH_MAX];
	int r = pathname_resolve("/", exchange_param(x, "path"), path, e);

	return r < 0 ? r : view(x, path, e);
}

/* A sign to the client's viewer; there is nothing to read. */
static int say_display(struct exchange *x, bool exists, struct err *e)
{
	struct json *j = json_object();
	char path[PATH_MAX];
	int64_t page = 0;
	int r = path_arg(x, "path", NULL, path, e)
			?: exchange_arg_num(x, "page", 1, INT32_MAX, &page, e);

	if (r < 0) {
		json_free(&j);
		return r;
	}
	json_set_str(j, "path", path);
	json_set_str(j, "full_path", path);
	json_set_str(j, "name", pathname_base(path));
	json_set_str(j, "mime_type", pathname_type(path));
	json_set_bool(j, "exists", exists);
	if (page)
		json_set_int(j, "page", page);
	json_set_bool(j, "inline", exchange_arg_bool(x, "inline", false));
	exchange_reply(x, 200, j);
	return 0;
}

static int display_found(struct exchange *x, struct buf *out, struct err *e)
{
	unsigned mode;

	return say_display(x,
			   sscanf(buf_cstr(out), "%o", &mode) == 1 &&
				   (mode & 0170000) == 0100000,
			   e);
}

static int display_lost(struct exchange *x, const struct err *, struct err *e)
{
	return say_display(x, false, e);
}

static int display_file(struct exchange *x, struct err *e)
{
	char path[PATH_MAX];
	const char *const argv[] = { "stat", path, NULL };
	const struct fileop_conf c = { .argv = argv,
				       .gather = 64,
				       .gathered = display_found,
				       .failed = display_lost };
	int r = path_arg(x, "path", NULL, path, e);

	return r < 0 ? r : fileop_run(x, &c, e);
}

/* ---- writing -------------------------------------------------------------------- */

/* What is in the way of a file that is made is no missing file: 400, not 404. */
static int cannot_put(struct exchange *, const struct err *why, struct err *e)
{
	*e = *why;
	if (e->code == -ENOENT || e->code == -ENOTDIR)
		e->code = -EINVAL;
	return e->code;
}

/* {"path", "size"} when @in has become the file. */
static int put(struct exchange *x, const char *path, struct buf *in, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	_cleanup_buf_ struct buf reply = BUF_INIT(8L * PATH_MAX);
	char size[NUMBER];
	const char *const argv[] = { "put", path, size, NULL };
	struct fileop_conf c = { .argv = argv, .in = in, .failed = cannot_put };

	snprintf(size, sizeof(size), "%zu", in->len);
	json_set_str(j, "path", path);
	json_set_int(j, "size", (int64_t)in->len);
	if (json_print(j, false, &reply) < 0)
		return err_sys(e, -ENOMEM, "cannot answer");
	c.reply = buf_cstr(&reply);
	return fileop_run(x, &c, e);
}

static int write_file(struct exchange *x, struct err *e)
{
	_cleanup_buf_ struct buf in = BUF_INIT(EXCHANGE_JSON_MAX);
	const char *content = "";
	char path[PATH_MAX];
	int r = path_body(x, "path", path, e);

	if (r < 0)
		return r;
	r = exchange_text(x, "content", &content, e);
	if (r < 0)
		return r;
	if (buf_adds(&in, content) < 0)
		r = err_sys(e, -ENOMEM, "cannot write '%s'", path);
	return r < 0 ? r : put(x, path, &in, e);
}

/* What the applet is told of one: its five texts (runtime/init/applets.h). */
static int add_replacement(const struct json *one, struct buf *in, struct err *e)
{
	const char *target = json_get_str(one, "target");
	const char *with = json_get_str(one, "replacement");
	int64_t first = json_get_int(one, "start_line", 1);
	int64_t last = json_get_int(one, "end_line", -1);

	if (!target || !*target || !with)
		return err_set(e, -EBADMSG, "target and replacement are needed");
	buf_addf(in, "%" PRId64 "%c", MAX(first, 1), '\0');
	if (last >= 0)
		buf_addf(in, "%" PRId64, last);
	buf_addf(in, "%c%d%c", '\0', json_get_bool(one, "allow_multiple", false), '\0');
	buf_add(in, target, strlen(target) + 1);
	buf_add(in, with, strlen(with) + 1);
	return buf_failed(in) < 0 ? err_sys(e, buf_failed(in), "cannot replace") : 0;
}

static int replace_file(struct exchange *x, struct err *e)
{
	const struct json *list = json_get(exchange_json(x), "replacements");
	_cleanup_buf_ struct buf in = BUF_INIT(EXCHANGE_JSON_MAX);
	char path[PATH_MAX], size[NUMBER];
	const char *const argv[] = { "replace", path, size, NULL };
	const struct fileop_conf c = {
		.argv = argv, .in = &in, .limit_ms = SEARCH_MS, .failed = no_file
	};
	int r = path_body(x, "path", path, e);

	if (r == 0 && (json_type(list) != JSON_ARRAY || !json_len(list)))
		r = err_set(e, -EBADMSG, "replacements are needed");
	json_each(one, list)
	{
		if (r == 0)
			r = add_replacement(one, &in, e);
	}
	snprintf(size, sizeof(size), "%zu", in.len);
	return r < 0 ? r : fileop_run(x, &c, e);
}

static int make_directory(struct exchange *x, struct err *e)
{
	char path[PATH_MAX];
	const char *const argv[] = { "mkdir", path, NULL };
	const struct fileop_conf c = { .argv = argv, .failed = cannot_put };
	int r = path_body(x, "path", path, e);

	return r < 0 ? r : fileop_run(x, &c, e);
}

static int delete_path(struct exchange *x, struct err *e)
{
	char path[PATH_MAX];
	int r = path_arg(x, "path", NULL, path, e);

	if (r == 0 && (strcmp(path, "/") == 0 ||
		       strcmp(path, tenant_home(exchange_tenant(x))) == 0))
		return err_set(e, -EPERM, "this directory stays");
	return r < 0 ? r : simple(x, "remove", path, NULL, e);
}

static int move_path(struct exchange *x, struct err *e)
{
	char from[PATH_MAX], to[PATH_MAX];
	int r = path_body(x, "source", from, e);

	if (r < 0)
		return r;
	r = path_body(x, "destination", to, e);
	return r < 0 ? r : simple(x, "move", from, to, e);
}

/* ---- searching ------------------------------------------------------------------ */

/* The values of @name as further arguments. */
static void add_values(struct exchange *x, const char *name,
		       const char *argv[FILEOP_ARGS], size_t n)
{
	const char *value;

	for (unsigned i = 0; n < FILEOP_ARGS - 1 && (value = exchange_arg(x, name, i));
	     i++)
		argv[n++] = value;
	argv[n] = NULL;
}

static int search(struct exchange *x, const char *argv[FILEOP_ARGS], const char *names,
		  struct err *e)
{
	const struct fileop_conf c = { .argv = argv, .limit_ms = SEARCH_MS };
	int64_t most = 50;
	char number[NUMBER];
	int r = exchange_arg_num(x, "max_results", 1, 500, &most, e);

	snprintf(number, sizeof(number), "%lld", (long long)most);
	argv[4] = number;
	add_values(x, names, argv, 5);
	if (r == 0)
		r = fileop_run(x, &c, e);
	argv[4] = NULL;
	return r;
}

static int grep_search(struct exchange *x, struct err *e)
{
	char path[PATH_MAX], flags[4];
	const char *argv[FILEOP_ARGS] = { "grep", exchange_arg(x, "query", 0), path,
					  flags };
	int r = path_arg(x, "path", ".", path, e);

	if (r == 0 && !argv[1])
		r = exchange_missing(x, "query", e);
	snprintf(flags, sizeof(flags), "%s%s%s",
		 exchange_arg_bool(x, "regex", true) ? "" : "F",
		 exchange_arg_bool(x, "case_insensitive", false) ? "i" : "",
		 exchange_arg_bool(x, "match_per_line", true) ? "" : "l");
	return r < 0 ? r : search(x, argv, "include", e);
}

static int glob_search(struct exchange *x, struct err *e)
{
	const char *type = exchange_arg(x, "type", 0);
	char path[PATH_MAX];
	const char *argv[FILEOP_ARGS] = { "glob", exchange_arg(x, "pattern", 0), path,
					  type && *type ? type : "any" };
	int r = path_arg(x, "path", ".", path, e);

	if (r == 0 && !argv[1])
		r = exchange_missing(x, "pattern", e);
	return r < 0 ? r : search(x, argv, "exclude", e);
}

/* What a person typed the beginning of, the best first. */
static int rank(struct exchange *x, const char *applet, int64_t limit, struct err *e)
{
	const char *query = exchange_arg(x, "query", 0), *type;
	bool texts = strcmp(applet, "matches") == 0;
	char path[PATH_MAX], flags[4], most[NUMBER], from[NUMBER];
	const char *const argv[] = { applet, query, path, flags, most, from, NULL };
	const struct fileop_conf c = { .argv = argv };
	int64_t offset = 0;
	int r = path_arg(x, "path", ".", path, e);

	if (r < 0)
		return r;
	if (!query || (texts && !query[strspn(query, " \t")]))
		r = query ? err_set(e, -EINVAL, "query must not be blank")
			  : exchange_missing(x, "query", e);
	if (r < 0)
		return r;
	r = exchange_arg_num(x, "limit", 1, 100, &limit, e);
	if (r < 0)
		return r;
	r = exchange_arg_num(x, "offset", 0, RANK_OFFSET_MAX, &offset, e);
	if (r < 0)
		return r;
	type = exchange_arg(x, "type", 0);
	snprintf(flags, sizeof(flags), "%s%s",
		 exchange_arg_bool(x, "show_hidden", false) ? "h" : "",
		 !type || texts			  ? ""
		 : strcmp(type, "file") == 0	  ? "f"
		 : strcmp(type, "directory") == 0 ? "d"
						  : "");
	snprintf(most, sizeof(most), "%lld", (long long)limit);
	snprintf(from, sizeof(from), "%lld", (long long)offset);
	return fileop_run(x, &c, e);
}

static int search_files(struct exchange *x, struct err *e)
{
	return rank(x, "search", 20, e);
}

static int match_files(struct exchange *x, struct err *e)
{
	return rank(x, "matches", 100, e);
}

/* ---- comparing ------------------------------------------------------------------ */

/* The words of its reader, if it is a document; how many. */
static size_t add_reader(const char *path, const char **argv)
{
	return document_is(path) ? document_reader(path, argv) : 0;
}

static int compare_files(struct exchange *x, struct err *e)
{
	bool blanks = json_get_bool(exchange_json(x), "ignore_whitespace", false);
	char original[PATH_MAX], revised[PATH_MAX], number[NUMBER];
	const char *argv[6 + 2 * DOCUMENT_WORDS] = { "compare", original, revised,
						     blanks ? "w" : "-", number };
	const struct fileop_conf c = { .argv = argv, .limit_ms = DOCUMENT_MS };
	int r = path_body(x, "original", original, e)
			?: path_body(x, "revised", revised, e);
	size_t n = 0;

	if (r < 0)
		return r;
	n = add_reader(original, argv + 5);
	snprintf(number, sizeof(number), "%zu", n);
	n += add_reader(revised, argv + 5 + n);
	argv[5 + n] = NULL;
	return fileop_run(x, &c, e);
}

/* ---- skills --------------------------------------------------------------------- */

static int list_skills(struct exchange *x, struct err *e)
{
	return simple(x, "skills", tenant_home(exchange_tenant(x)), NULL, e);
}

static int read_skill(struct exchange *x, struct err *e)
{
	const char *name = exchange_arg(x, "name", 0);

	return name ? simple(x, "skill", tenant_home(exchange_tenant(x)), name, e)
		    : exchange_missing(x, "name", e);
}

/* ---- archives ---------------------------------------------------------------- */

static int archive(struct exchange *x, struct err *e)
{
	const struct json *list = json_get(exchange_json(x), "paths");
	char name[PATH_MAX + 64], plain[NAME_MAX + 1];
	const char *argv[ARCHIVE_MAX + 2] = { "zip" };
	const char *const headers[] = { name, NULL };
	const struct fileop_conf c = { .argv = argv,
				       .type = "application/zip",
				       .headers = headers };
	_cleanup_free_ char(*paths)[PATH_MAX] = NULL;
	size_t n = 0, k = 0;

	if (!json_len(list) || json_len(list) > ARCHIVE_MAX)
		return err_set(e, -EINVAL, "1 to %d paths are needed", ARCHIVE_MAX);
	paths = calloc(json_len(list), sizeof(*paths));
	if (!paths)
		return err_sys(e, -ENOMEM, "cannot make the archive");
	json_each(it, list)
	{
		int r = json_str(it)
				? pathname_resolve(place(x), json_str(it), paths[n], e)
				: err_set(e, -EINVAL, "a path is a text");

		if (r < 0)
			return r;
		argv[n + 1] = paths[n];
		n++;
	}
	/* nothing of a file's name may end the field or its quotes */
	for (const char *b = n == 1 ? pathname_base(paths[0]) : "download";
	     *b && k < NAME_MAX; b++)
		plain[k++] =
			*b < ' ' || *b == '"' || *b == '\\' || *b == 0x7f ? '_' : *b;
	plain[k] = '\0';
	snprintf(name, sizeof(name),
		 "Content-Disposition: attachment; filename=\"%s.zip\"", plain);
	return fileop_run(x, &c, e);
}

/* ---- the table ------------------------------------------------------------------ */

/* clang-format off */
static const struct route rows[] = {
	{ "GET", "/files/cwd", get_cwd, ROUTE_KEY, .box = true },
	{ "POST", "/files/cwd", post_cwd, ROUTE_KEY, ROUTE_JSON, .box = true },
	{ "GET", "/files/list", list_files, ROUTE_KEY, .box = true, .operation = "list_files" },
	{ "GET", "/files/read", read_file, ROUTE_KEY, .box = true, .operation = "read_file" },
	{ "GET", "/files/display", display_file, ROUTE_KEY, .box = true, .operation = "display_file" },
	{ "GET", "/files/view", view_file, ROUTE_KEY, .box = true },
	{ "GET", "/files/serve/{path*}", serve_file, ROUTE_KEY, .box = true },
	{ "POST", "/files/write", write_file, ROUTE_KEY, ROUTE_JSON, .box = true, .operation = "write_file" },
	{ "POST", "/files/mkdir", make_directory, ROUTE_KEY, ROUTE_JSON, .box = true },
	{ "DELETE", "/files/delete", delete_path, ROUTE_KEY, .box = true },
	{ "POST", "/files/move", move_path, ROUTE_KEY, ROUTE_JSON, .box = true },
	{ "POST", "/files/replace", replace_file, ROUTE_KEY, ROUTE_JSON, .box = true, .operation = "replace_file_content" },
	{ "POST", "/files/compare", compare_files, ROUTE_KEY, ROUTE_JSON, .box = true },
	{ "GET", "/files/grep", grep_search, ROUTE_KEY, .box = true, .operation = "grep_search" },
	{ "GET", "/files/glob", glob_search, ROUTE_KEY, .box = true, .operation = "glob_search" },
	{ "GET", "/files/search", search_files, ROUTE_KEY, .box = true, .operation = "search_files" },
	{ "GET", "/files/matches", match_files, ROUTE_KEY, .box = true, .operation = "match_files" },
	{ "GET", "/skills", list_skills, ROUTE_KEY, .box = true },
	{ "GET", "/skills/read", read_skill, ROUTE_KEY, .box = true },
	{ "POST", "/files/archive", archive, ROUTE_KEY, ROUTE_JSON, .box = true },
};
/* clang-format on */

const struct route_table files_routes = { rows, ARRAY_SIZE(rows) };
