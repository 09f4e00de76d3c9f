#include "cli/review/review.h"

#include <string.h>

#include "base/file.h"
#include "base/inroot.h"
#include "base/procfs.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"
#include "cli/store/boxend.h"
#include "runtime/box/project_dir.h"
#include "runtime/worker/gitnames.h"
#include "runtime/worker/pending.h"
#include "runtime/worker/worker.h"

enum { LINE = 64 << 10, ARGS = 100 << 10, CHUNK = 64 << 10 };

void review_close(struct review *rv)
{
	scope_close(&rv->lock);
	scope_close(&rv->project);
	rv->running = false;
}

/* What a snapshot has, or a branch began with, is copied when it is looked at first. */
static int take_pending(const struct review *rv, struct err *e)
{
	_cleanup_close_ int lock = -1;
	int r;

	if (!pending_is(rv->dir->dirfd))
		return 0;
	r = boxend_idle(rv->dir->store, rv->dir->key, e);
	if (r >= 0)
		r = lock = boxdir_lock(rv->dir, true, e);
	return r < 0 ? r : pending_take(rv->spec, rv->dir->dirfd, e);
}

/* The monitor of a box that runs has the box's lock. */
static int lock_running(struct review *rv, struct err *e)
{
	int r = file_lock(rv->dir->dirfd, "applying", false, e);

	rv->running = true;
	rv->lock = r;
	return r == -EWOULDBLOCK
		       ? err_set(e, -EBUSY,
				 "another command takes changes over just now")
		       : MIN(r, 0);
}

static int lock_it(struct review *rv, enum review_for what, struct err *e)
{
	int r;

	if (what == REVIEW_WITHIN)
		return lock_running(rv, e);
	r = boxend_idle(rv->dir->store, rv->dir->key, e);
	if (r == -EBUSY && what == REVIEW_GIVE) {
		*e = ERR_NONE;
		return lock_running(rv, e);
	}
	if (r >= 0)
		r = rv->lock = boxdir_lock(rv->dir, true, e);
	return MIN(r, 0);
}

/* What came to be mounted in it since is not what the box was shown: of what lies there,
 * nothing is to be read, told or changed by the names that the box has chosen. */
static int open_project(const char *path, struct err *e)
{
	const struct project_dir d = { .path = path };
	int fd, r = project_dir_review(&d, e);

	if (r < 0) {
		err_wrap(e, "what waits stays in the box");
		return err_hint(e, "'umount' it first");
	}
	fd = inroot_open_real(path, O_RDONLY | O_DIRECTORY);
	return fd < 0 ? err_sys(e, fd, "cannot open the project directory") : fd;
}

int review_open(struct review *rv, enum review_for what, struct err *e)
{
	struct stat st;
	int r = take_pending(rv, e);

	if (r < 0)
		return r;
	r = sys_fstatat(rv->dir->dirfd, "project/upper", &st, 0);
	if (r == -ENOENT) {
		err_set(e, r, "nothing of this directory is under review");
		return err_hint(e, "what a box does with '--project review', or after "
				   "'cubby set project=review', waits here");
	}
	if (r < 0)
		return err_sys(e, r, "cannot look for what is under review");
	r = what == REVIEW_LOOK ? 0 : lock_it(rv, what, e);
	if (r == 0)
		r = rv->project = open_project(rv->spec->project, e);
	if (r < 0)
		review_close(rv);
	return MIN(r, 0);
}

void review_let_go(struct review *rv)
{
	scope_close(&rv->lock);
}

int review_again(struct review *rv, struct err *e)
{
	int r = take_pending(rv, e);

	rv->running = false;
	return r < 0 ? r : lock_it(rv, REVIEW_GIVE, e);
}

/* ---- what it tells ------------------------------------------------------------------------ */

struct listening {
	struct json *list; /* borrowed; NULL = it is a patch */
	FILE *out;	   /* borrowed; NULL = nothing is wanted */
	struct buf line;   /* owned */
};

static void take_line(struct listening *l, size_t len)
{
	struct json *j = NULL;

	if (json_parse(buf_cstr(&l->line), len, &j, ERR_IGNORED) == 0)
		(void)json_add(l->list, j);
	buf_consume(&l->line, len + 1);
}

/* How much of a text is to be shown now: whole lines, or of one that is longer than is kept
 * for it whole characters. What does not fit would hide all that comes behind it. */
static size_t whole(const struct buf *text)
{
	const char *nl = memrchr(buf_cstr(text), '\n', text->len);

	if (nl)
		return (size_t)(nl + 1 - text->data);
	return text->len < LINE ? 0 : text_whole(text->data, text->len);
}

static void hear_text(struct listening *l, const char *data, size_t len)
{
	size_t n;

	if (!l->out || !tty_is(fileno(l->out))) {
		if (l->out)
			fwrite(data, 1, len, l->out);
		return;
	}
	(void)buf_add(&l->line, data, len);
	n = len ? whole(&l->line) : l->line.len;
	render_bytes(l->out, buf_cstr(&l->line), n);
	buf_consume(&l->line, n);
}

/* @len 0 = that was all */
static void hear(struct listening *l, const char *data, size_t len)
{
	const char *nl;

	if (!l->list) {
		hear_text(l, data, len);
		return;
	}
	(void)buf_add(&l->line, data, len);
	while ((nl = memchr(buf_cstr(&l->line), '\n', l->line.len)))
		take_line(l, (size_t)(nl - l->line.data));
}

static int listen_to(int fd, struct listening *l)
{
	_cleanup_free_ char *chunk = malloc(CHUNK);
	ssize_t n;

	if (!chunk)
		return -ENOMEM;
	while ((n = sys_read(fd, chunk, CHUNK)) > 0 || n == -EINTR)
		if (n > 0)
			hear(l, chunk, (size_t)n);
	hear(l, "", 0);
	return (int)n;
}

static int run(const struct review *rv, const struct worker_job *what,
	       struct listening *l, struct err *e)
{
	_cleanup_worker_ struct worker w = WORKER_NONE;
	_cleanup_close_ int from = -1, to = -1;
	struct worker_job job = *what;
	int fds[2], r = sys_pipe2(fds, 0);

	if (r < 0)
		return err_sys(e, r, "cannot start a helper");
	from = fds[0];
	to = fds[1];
	if (!job.dir)
		job.dir = rv->dir->dirfd;
	job.in = rv->project;
	job.out = to;
	l->line = BUF_INIT(2 * LINE + CHUNK);
	r = worker_start(&job, &w, e);
	if (r < 0)
		return r;
	scope_close(&to);
	(void)listen_to(from, l);
	buf_done(&l->line);
	return worker_wait(&w, -1, NULL, e);
}

static int ask_in(const struct review *rv, const struct worker_job *what,
		  const struct json *args, struct listening *l, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(ARGS);
	struct idmap map;
	int r = args ? json_print(args, false, &text) : 0;

	if (r < 0)
		return err_set(e, -E2BIG, "these are too many paths for one command");
	r = idmap_choose_helper(&rv->spec->map, &map, e);
	return r < 0 ? r
		     : run(rv,
			   &(struct worker_job){ .name = what->name,
						 .arg = buf_cstr(&text),
						 .map = &map,
						 .dir = what->dir },
			   l, e);
}

static int ask(const struct review *rv, const char *job, const struct json *args,
	       struct listening *l, struct err *e)
{
	_cleanup_json_ struct json *all = json_dup(args);

	return json_set_bool(all, "running", rv->running) < 0
		       ? err_sys(e, -ENOMEM, "cannot ask for a review")
		       : ask_in(rv, &(struct worker_job){ .name = job }, all, l, e);
}

static int between(const struct review *to, const struct json *args, struct json **ret,
		   FILE *out, struct err *e)
{
	const struct worker_job job = { .name = "between",
					.dir = to->dir->store->dirfd };
	_cleanup_json_ struct json *list = ret ? json_array() : NULL;
	struct listening l = { .list = list, .out = out };
	int r = ask_in(to, &job, args, &l, e);

	if (ret)
		*ret = take(&list, NULL);
	return r;
}

int review_between(const struct review *from, const struct review *to,
		   struct json *args, struct json **ret, FILE *out, struct err *e)
{
	json_set_str(args, "from", from->dir->key);
	return json_set_str(args, "to", to->dir->key) < 0
		       ? err_sys(e, -ENOMEM, "cannot ask for a review")
		       : between(to, args, ret, out, e);
}

int review_since(const struct review *rv, const char *checkpoint, struct json *args,
		 struct json **ret, FILE *out, struct err *e)
{
	json_set_str(args, "to", rv->dir->key);
	return json_set_str(args, "since", checkpoint) < 0
		       ? err_sys(e, -ENOMEM, "cannot ask for a review")
		       : between(rv, args, ret, out, e);
}

/* Where git's settings are to be asked: those of another directory (--to) are others. */
static int tell_names(const struct review *rv, struct json *args, struct err *e)
{
	char path[PATH_MAX];
	int r;

	if (!json_get_bool(args, "elsewhere", false)) {
		gitnames_tell(rv->project, rv->spec->project, args);
		return 0;
	}
	r = procfs_fd_name(rv->project, path, sizeof(path));
	if (r < 0)
		return err_sys(e, r, "cannot tell where changes are to go");
	gitnames_tell(rv->project, path, args);
	return 0;
}

int review_ask(const struct review *rv, const struct json *args, struct json **ret,
	       FILE *out, struct err *e)
{
	_cleanup_json_ struct json *list = ret ? json_array() : NULL;
	_cleanup_json_ struct json *all = json_dup(args);
	struct listening l = { .list = list, .out = out };
	int r = tell_names(rv, all, e) ?: ask(rv, "review", all, &l, e);

	if (ret)
		*ret = take(&list, NULL);
	return r;
}

int review_git(const struct review *rv, const struct json *args, struct json **ret,
	       struct err *e)
{
	_cleanup_json_ struct json *list = json_array(), *all = json_dup(args);
	struct listening l = { .list = list };
	int r = list && spec_set_path(all, "project", rv->spec->project) == 0
			? ask(rv, "review-git", all, &l, e)
			: err_sys(e, -ENOMEM, "cannot take over git's files");

	*ret = take(&list, NULL);
	return r;
}

/* ---- what it is asked ----------------------------------------------------------------------- */

struct json *review_args(const char *op)
{
	struct json *j = json_object();

	(void)json_set_str(j, "op", op);
	return j;
}

/* Without ".", "..", double slashes: as the layer names it. */
static int plain_path(const char *path, char ret[PATH_MAX])
{
	size_t n = 0;

	ret[n++] = '/';
	while (*path) {
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.')
			return -EINVAL;
		if (len && !(len == 1 && path[0] == '.')) {
			if (n + len + 2 > PATH_MAX)
				return -ENAMETOOLONG;
			if (n > 1)
				ret[n++] = '/';
			memcpy(ret + n, path, len);
			n += len;
		}
		path += len + (path[len] == '/');
	}
	ret[n] = '\0';
	return 0;
}

int review_add_path(const struct review *rv, struct json *args, const char *cwd,
		    const char *path, struct err *e)
{
	_cleanup_json_ struct json *o = json_object();
	struct json *list = (struct json *)(uintptr_t)json_get(args, "paths");
	const char *project = rv->spec->project;
	size_t n = strlen(project);
	char plain[PATH_MAX], shown[128];
	char whole[2 * PATH_MAX];
	const char *rest;

	/* As it is said where the person is, which may be below the project. */
	snprintf(whole, sizeof(whole), "%s%s%s", *path == '/' ? "" : cwd,
		 *path == '/' ? "" : "/", path);
	path = whole;
	rest = strncmp(path, project, n) == 0 && (!path[n] || path[n] == '/') ? path + n
									      : "..";
	if (plain_path(rest, plain) < 0)
		return err_set(e, -EINVAL, "'%s' is not below the project directory",
			       text_escaped(shown, sizeof(shown), path, strlen(path)));
	if (!list) {
		list = json_array();
		(void)json_set(args, "paths", list);
	}
	(void)spec_set_path(o, "path", plain);
	return json_add(list, json_string(json_get_str(o, "path"))) < 0
		       ? err_sys(e, -ENOMEM, "cannot name a path")
		       : 0;
}
