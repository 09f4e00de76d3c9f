/* Theory of operation
 *
 * Each git directory that is in the project when the box starts is shown to the box under
 * an overlay whose upper is in the store (boxes/KEY/git/ID): the box writes what it wants,
 * the host's stays. When a command ends, a copy of this process takes over what it may
 * (rootfs/git/take.h), and looks at each repository that was not there at the start (git/vet.h).
 * A look that finds nothing new costs one stat for each directory of the project.
 *
 * The file "open" is there while a box runs: its list of views tells the next monitor, if
 * this one is killed, which repositories it need not suspect. */
#include "runtime/monitor/gitgate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/dirs.h"
#include "rootfs/git/host.h"
#include "rootfs/git/outside.h"
#include "rootfs/git/take.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/upper.h"
#include "rootfs/git/vet.h"
#include "runtime/monitor/gitnamed.h"
#include "runtime/monitor/gitrest.h"
#include "runtime/monitor/layers.h"
#include "runtime/mount/outside.h"

static int fail(struct err *e, int code)
{
	return err_sys(e, code, "cannot guard the repositories of the project");
}

static void gitview_done(struct view *v)
{
	free(v->path);
	scope_close(&v->git);
	scope_close(&v->upper);
	scope_close(&v->state);
}

static void forget_views(struct gitgate *g)
{
	for (size_t i = 0; i < g->n; i++)
		gitview_done(&g->views[i]);
	g->n = 0;
}

void gitgate_free(struct gitgate **gp)
{
	struct gitgate *g = take(gp, NULL);

	if (!g)
		return;
	forget_views(g);
	free(g->views);
	git_dirs_done(&g->dirs);
	gitwatch_close(&g->watch);
	scope_close(&g->work.words);
	buf_done(&g->work.said);
	scope_close(&g->dir);
	scope_close(&g->project);
	free(g);
}
#define _cleanup_gitgate_ _cleanup_(gitgate_free)

int gitgate_new(const struct spec *spec, int boxdir, struct gitgate **ret,
		struct err *e)
{
	_cleanup_gitgate_ struct gitgate *g = calloc(1, sizeof(*g));
	int r;

	if (!g)
		return fail(e, -ENOMEM);
	g->spec = spec;
	g->boxdir = boxdir;
	g->work = GITWORK_NONE;
	g->dir = -1;
	g->watch = GITWATCH_NONE;
	g->project = inroot_open_real(spec->project, O_RDONLY | O_DIRECTORY);
	if (g->project < 0)
		return fail(e, g->project);
	r = sys_mkdirat(boxdir, "git", 0711) ?: sys_fchmodat(boxdir, "git", 0711, 0);
	if (r < 0 && r != -EEXIST)
		return fail(e, r);
	g->dir = file_open_dir(boxdir, "git", e);
	if (g->dir < 0)
		return g->dir;
	git_dirs_load(g->dir, "dirs", &g->dirs);
	*ret = take(&g, NULL);
	return 0;
}

/* ---- a view ------------------------------------------------------------------------------ */

static int make_view(const struct gitgate *g, struct view *v, const struct stat *st)
{
	v->state = layers_dir(g->dir, v->id, 0711);
	return v->state < 0 ? v->state : layers_make(v->state, g->spec, st, &v->upper);
}

/* Fills @v, whose git directory goes over with it. @key: names its own directory */
static int add_view(struct gitgate *g, struct view *v, const char *path,
		    const char *key, const struct stat *st)
{
	char hex[HASH_HEX];
	int r = g->n < GITGATE_VIEWS ? 0 : -E2BIG;

	hash_text(key, strlen(key), hex);
	v->upper = v->state = -1;
	v->ino = st->st_ino;
	v->read_only = g->n >= GITGATE_OVERLAYS;
	v->path = strdup(path);
	snprintf(v->id, sizeof(v->id), "%.16s", hex);
	if (r == 0 && !v->path)
		r = -ENOMEM;
	if (r == 0 && v->git >= 0 && !v->read_only)
		r = make_view(g, v, st);
	if (r == 0)
		r = gitnamed_add(g, v);
	if (r < 0)
		gitview_done(v);
	return r;
}

static int note_view(struct gitgate *g, const char *path)
{
	_cleanup_close_ int place = -1;
	struct view v = { .git = -1 };
	struct stat st;
	int r;

	gitnamed_own_git(g->project, path);
	place = sys_openat2(g->project, path, O_PATH | O_NOFOLLOW, 0,
			    RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	r = place < 0 ? place : sys_fstat(place, &st);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (S_ISDIR(st.st_mode)) {
		v.git = takeover_open(g->project, path, O_RDONLY | O_DIRECTORY);
		if (v.git < 0)
			return v.git;
	}
	return add_view(g, &v, path, path, &st);
}

/* ---- outside of the project --------------------------------------------------------------- */

static int note_outside(struct gitgate *g, const char *path, int *git, bool tree)
{
	struct view v = { .outside = true, .tree = tree, .own = { -1, -1 } };
	char key[PATH_MAX + 16];
	struct stat st;
	int r = sys_fstat(*git, &st);

	if (r < 0)
		return r;
	snprintf(key, sizeof(key), "outside %s", path);
	v.git = take(git, -1);
	return add_view(g, &v, path, key, &st);
}

/* One that the box may not have is not there; the client has said why. */
static int find_outside(struct gitgate *g)
{
	_cleanup_git_outside_ struct git_outside o = GIT_OUTSIDE_NONE;
	const size_t common = g->n;
	int r;

	if (git_outside_open(g->project, g->spec->project, &o, ERR_IGNORED) != 1)
		return 0;
	r = note_outside(g, o.common_path, &o.common, false);
	if (r < 0 || o.tree < 0)
		return r;
	r = note_outside(g, o.tree_path, &o.tree, true);
	if (r < 0)
		return r;
	g->views[common].own.git = g->views[g->n - 1].git;
	g->views[common].own.upper = g->views[g->n - 1].upper;
	return 0;
}

/* ---- what the workers do ------------------------------------------------------------------ */

static void to_pipe(void *ctx, const char *line)
{
	gitwork_word(*(int *)ctx, line);
}

static struct git_take_conf take_conf(const struct view *v, bool offline, int *words)
{
	return (struct git_take_conf){
		.git = v->git,
		.upper = v->upper,
		.tree = v->outside && v->own.git >= 0 ? &v->own : NULL,
		.state = v->state,
		.record = -1,
		.shown = v->outside ? ".git" : v->path,
		.offline = offline,
		.say = to_pipe,
		.ctx = words,
	};
}

/* Of a worktree the sum of both directories. */
static int sign_of(const struct view *v, uint64_t *ret, struct err *e)
{
	uint64_t own = 0;
	int r = upper_sign(v->upper, ret, e);

	if (r == 0 && v->outside && v->own.git >= 0)
		r = upper_sign(v->own.upper, &own, e);
	*ret += own;
	return r;
}

static void take_views(const struct gitgate *g, bool offline, int words)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct view *v = &g->views[i];
		struct git_take_conf conf = take_conf(v, offline, &words);
		struct err e = ERR_NONE;
		uint64_t sign = 0;
		int r;

		if (v->git < 0 || v->read_only || v->tree)
			continue;
		if (sign_of(v, &sign, &e) < 0) {
			to_pipe(&words, e.msg);
			continue;
		}
		if (!sign)
			continue;
		r = git_take_over(&conf, &e);
		if (r == 0 && offline)
			r = git_take_clean(&conf, &e);
		if (r < 0)
			to_pipe(&words, e.msg);
	}
}

static bool is_below(const char *path, const char *dir)
{
	return strcmp(dir, ".") == 0 || text_is_below(path, dir);
}

/* Whether the box cannot have written it: there at the start, and still the same; or below
 * a git directory of which that is true. */
static bool is_guarded(const struct gitgate *g, const char *path)
{
	struct stat st;

	for (size_t i = 0; i < g->n; i++) {
		const struct view *v = &g->views[i];

		if ((strcmp(v->path, path) == 0 ||
		     (v->git >= 0 && is_below(path, v->path))) &&
		    sys_fstatat(g->project, v->path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_ino == v->ino)
			return true;
	}
	return false;
}

/* The next repository that is not guarded; @at counts on from 0. */
static bool next_new(const struct gitgate *g, size_t *at, char path[PATH_MAX])
{
	static const unsigned kinds[] = { GIT_DIRS_DOT, GIT_DIRS_BARE };

	while (*at < g->dirs.n * ARRAY_SIZE(kinds)) {
		size_t i = (*at)++;

		if (git_dirs_path(&g->dirs.list[i / ARRAY_SIZE(kinds)],
				  kinds[i % ARRAY_SIZE(kinds)], path) &&
		    !is_guarded(g, path))
			return true;
	}
	return false;
}

static void put_aside(const struct gitgate *g, const char *path, const char *why,
		      int words)
{
	struct git_vet v = { .project = g->project, .path = path };
	char line[1024];

	git_vet_put_aside(&v, why, line, sizeof(line));
	to_pipe(&words, line);
}

/* ---- what the host's settings name ------------------------------------------------------- */

/* Without words: whether there is something to be set aside. */
static bool look_at_named(const struct gitgate *g, int words)
{
	char path[PATH_MAX];

	for (size_t at = 0; gitnamed_changed(g, &at, path);) {
		if (words < 0)
			return true;
		put_aside(g, path, "git on the host acts on it", words);
	}
	return false;
}

static void look_at_repositories(struct gitgate *g, bool brief, int words)
{
	const char *guarded[GITGATE_VIEWS + 1] = { NULL };
	const char *named[GITGATE_VIEWS + 1] = { NULL };
	struct git_vet vet = { .project = g->project,
			       .root = g->spec->project,
			       .brief = brief,
			       .guarded = guarded,
			       .named = named };
	char path[PATH_MAX];
	size_t n = 0, m = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct view *v = &g->views[i];

		if (v->named && v->ino)
			named[m++] = v->path;
		if (v->git >= 0 && !v->outside && is_guarded(g, v->path))
			guarded[n++] = v->path;
	}
	vet.path = path;
	for (size_t at = 0; next_new(g, &at, path);) {
		const char *why = git_vet_look(&vet);

		if (why)
			put_aside(g, path, why, words);
	}
}

static const char partial[] = "repositories in the project were looked for in its "
			      "first 20000 directories only";

static const char closed[] =
	"the box made directories that cannot be read, and may hold "
	"repositories; look before you run git in them";

enum how { ONLINE, OFFLINE, LOOK, REST };

struct job {
	struct gitgate *g;
	enum how how;
};

static int work(void *ctx, int words)
{
	const struct job *j = ctx;
	struct gitgate *g = j->g;
	enum how how = j->how;
	struct err e = ERR_NONE;

	if (how != LOOK && git_host_confine(g->dir, &e) < 0)
		to_pipe(&words, e.msg);
	else if (how != LOOK)
		take_views(g, how != ONLINE, words);
	if (how == REST)
		return 0;
	if (git_dirs_look(g->project, &g->dirs, &e) < 0)
		to_pipe(&words, e.msg);
	if (g->dirs.partial && !g->partial)
		to_pipe(&words, partial);
	if (g->dirs.closed && !g->closed && how != LOOK)
		to_pipe(&words, closed);
	look_at_named(g, words); /* first: what stays of that is the host's */
	look_at_repositories(g, how == LOOK, words);
	return 0;
}

/* ---- the worker --------------------------------------------------------------------------- */

static int begin(struct gitgate *g, enum how how, struct err *e)
{
	struct job j = { g, how };

	return gitwork_begin(&g->work, work, &j, e);
}

int gitgate_begin(struct gitgate *g, struct err *e)
{
	if (g->work.pid > 0)
		return g->work.words;
	for (size_t i = 0; i < g->n; i++)
		if (g->views[i].upper >= 0 &&
		    upper_sign(g->views[i].upper, &g->views[i].sign, e) < 0)
			g->views[i].sign = UINT64_MAX; /* the worker says why */
	return begin(g, ONLINE, e);
}

/* ---- while a command runs --------------------------------------------------------------- */

int gitgate_watch_take(struct gitgate *g)
{
	return take(&g->watch.notify, -1);
}

int gitgate_watch(struct gitgate *g)
{
	if (is_guarded(g, ".git") || is_guarded(g, "."))
		return -EEXIST;
	return gitwatch_open(g->project, &g->watch);
}

bool gitgate_seen(struct gitgate *g)
{
	return gitwatch_seen(&g->watch);
}

int gitgate_look(struct gitgate *g, struct err *e)
{
	return g->work.pid > 0 ? g->work.words : begin(g, LOOK, e);
}

bool gitgate_more(struct gitgate *g)
{
	return gitwork_more(&g->work);
}

int gitgate_end(struct gitgate *g, gitwork_say_fn *say, void *ctx)
{
	return gitwork_end(&g->work, say, ctx);
}

static bool is_view_pending(const struct gitgate *g, bool at_end)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct view *v = &g->views[i];
		uint64_t sign;

		if (v->upper >= 0 && !v->read_only &&
		    (upper_sign(v->upper, &sign, ERR_IGNORED) < 0 ||
		     sign != (at_end ? v->first : v->sign)))
			return true;
	}
	return false;
}

bool gitgate_is_pending(struct gitgate *g, bool at_end)
{
	char path[PATH_MAX];
	size_t at = 0;

	if (is_view_pending(g, at_end))
		return true;
	if (look_at_named(g, -1) ||
	    git_dirs_look(g->project, &g->dirs, ERR_IGNORED) < 0 ||
	    (g->dirs.partial && !g->partial) || g->dirs.closed)
		return true; /* the worker can read more than the monitor */
	return next_new(g, &at, path);
}

bool gitgate_pending(struct gitgate *g)
{
	return gitgate_is_pending(g, false);
}

/* A line of the file "open": of what kind, the inode, the path. */
enum { OPEN_VIEW = 'v', OPEN_NAMED = 'n' };

/* ---- start and end --------------------------------------------------------------------- */

/* What is not what was there then, the box has exchanged, perhaps, by a directory above it:
 * nothing else moves a mount point. Such a one is looked at. */
static int recall(struct gitgate *g, const char *line)
{
	_cleanup_close_ int fd = -1;
	uintmax_t ino = 0;
	struct stat st = { .st_ino = 0 };
	char kind = 0;
	bool same;
	int n = 0;

	if (sscanf(line, "%c %ju%n", &kind, &ino, &n) != 2 || line[n] != ' ')
		return *line == '/' ? gitnamed_note(g, line + 1, 0) /* of old */
				    : note_view(g, line);
	line += n + 1;
	fd = takeover_open(g->project, line, O_PATH);
	same = fd >= 0 && sys_fstat(fd, &st) == 0 &&
	       (st.st_ino == ino || (ino && !strchr(line, '/')));
	if (kind == OPEN_NAMED)
		return gitnamed_note(g, line, same ? st.st_ino : (ino_t)ino);
	return same ? note_view(g, line) : 0;
}

/* Views of an earlier monitor, which was killed: they are what it need not suspect. */
static int recover(struct gitgate *g, gitwork_say_fn *say, void *ctx, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20);
	int r;

	if (takeover_read(g->dir, "open", &text) < 0)
		return 0;
	for (const char *p = buf_cstr(&text), *end = p + text.len; p < end;
	     p += strlen(p) + 1)
		if (*p && recall(g, p) < 0)
			return fail(e, -EIO);
	if (find_outside(g) < 0)
		return fail(e, -EIO);
	r = begin(g, OFFLINE, e);
	if (r < 0)
		return r;
	(void)gitgate_end(g, say, ctx);
	forget_views(g);
	return 0;
}

int gitgate_recover(const struct spec *spec, int boxdir, gitwork_say_fn *say, void *ctx,
		    struct err *e)
{
	_cleanup_gitgate_ struct gitgate *g = NULL;
	struct stat st;
	int r;

	if (sys_fstatat(boxdir, "git/open", &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	r = gitgate_new(spec, boxdir, &g, e) ?: recover(g, say, ctx, e);
	if (r == 0)
		sys_unlinkat(g->dir, "open", 0);
	return r;
}

int gitgate_note(const struct gitgate *g, struct err *e)
{
	_cleanup_close_ int fd =
		sys_openat(g->dir, "open", O_CREAT | O_TRUNC | O_WRONLY, 0600);
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20);
	int r;

	if (fd < 0)
		return fail(e, fd);
	for (size_t i = 0; i < g->n;
	     i++) { /* those outside are found again by ".git" */
		const struct view *v = &g->views[i];

		if (v->outside)
			continue;
		buf_addf(&text, "%c %ju %s", v->named ? OPEN_NAMED : OPEN_VIEW,
			 (uintmax_t)v->ino, v->path);
		buf_addc(&text, '\0');
	}
	r = buf_failed(&text);
	if (r < 0)
		return fail(e, r);
	return text.len ? file_write_fd(fd, text.data, text.len, e) : 0;
}

static int too_many(int code, struct err *e)
{
	if (code != -E2BIG && code != -EMSGSIZE)
		return fail(e, code);
	return err_set(
		e, code,
		"the project has more repositories than can be guarded (%d); "
		"start the box in a directory below, or let it write what git on "
		"this machine runs, with --git-writable",
		GITGATE_VIEWS);
}

static int find_views(struct gitgate *g, struct err *e)
{
	char path[PATH_MAX];
	int r = git_dirs_look(g->project, &g->dirs, e);

	if (r < 0)
		return r;
	for (size_t at = 0; next_new(g, &at, path);) {
		r = note_view(g, path);
		if (r < 0)
			return too_many(r, e);
	}
	r = find_outside(g);
	return r < 0 ? too_many(r, e) : 0;
}

/* ---- views --------------------------------------------------------------------------------- */

/* What cannot be done by meaning is not done at all. */
static void begin_view(struct view *v, gitwork_say_fn *say, void *ctx)
{
	struct git_take_conf conf = take_conf(v, true, NULL);
	struct err e = ERR_NONE;
	uint64_t sign = 0;
	char line[700];
	int r = upper_sign(v->upper, &sign, &e)
			?: (v->tree ? 0 : git_take_begin(&conf, &e));

	v->sign = v->first = sign;
	if (r == 0)
		return;
	v->read_only = true;
	snprintf(line, sizeof(line), "%s is read-only in the box: %s", conf.shown,
		 e.msg);
	if (say)
		say(ctx, line);
}

/* Return: the kind of mount that it is. */
static char prepare_view(struct view *v, gitwork_say_fn *say, void *ctx)
{
	if (v->git < 0)
		return 'f';
	v->read_only |= v->tree && v[-1].read_only;
	if (!v->read_only)
		begin_view(v, say, ctx);
	if (v->tree)
		return MOUNT_OUTSIDE_TREE;
	if (v->outside)
		return v->read_only ? MOUNT_OUTSIDE_READ : MOUNT_OUTSIDE_VIEW;
	return v->read_only ? 'r' : 'v';
}

int gitgate_find(struct gitgate *g, gitwork_say_fn *say, void *ctx, struct buf *mounts,
		 struct err *e)
{
	int r;

	forget_views(g);
	r = recover(g, say, ctx, e);
	if (r < 0)
		return r;
	r = find_views(g, e);
	if (r < 0)
		return r;
	if (g->dirs.partial && say)
		say(ctx, partial);
	g->partial = g->dirs.partial;
	g->closed = g->dirs.closed;
	if (g->n > GITGATE_OVERLAYS && say)
		say(ctx,
		    "the project has more than 200 repositories: git directories of "
		    "the others are read-only in the box");
	gitnamed_find(g, say, ctx);
	for (size_t i = 0; i < g->n && r == 0; i++) {
		struct view *v = &g->views[i];
		const char kind[2] = { prepare_view(v, say, ctx), '\0' };

		r = buf_add(mounts, kind, 2) ?:
			buf_add(mounts, v->path, strlen(v->path) + 1) ?:
			(v->outside ? buf_adds(mounts, "git/") : 0) ?:
			buf_add(mounts, v->id, strlen(v->id) + 1);
	}
	g->open = r == 0;
	return r < 0 ? too_many(r, e) : gitgate_note(g, e);
}

void gitgate_read_only(struct gitgate *g, int code, gitwork_say_fn *say, void *ctx)
{
	struct err why = ERR_NONE;

	err_sys(&why, code,
		"git directories are read-only in the box: no overlay can be had on "
		"them");
	for (size_t i = 0; i < g->n; i++)
		g->views[i].read_only = true;
	if (g->n && say)
		say(ctx, why.msg);
}

void gitgate_finish(struct gitgate *g, bool looked)
{
	struct err ignored = ERR_NONE;

	if (!g->open)
		return;
	(void)gitgate_end(g, NULL, NULL);
	if ((looked ? is_view_pending(g, true) : gitgate_is_pending(g, true)) &&
	    begin(g, looked ? REST : OFFLINE, &ignored) >= 0)
		(void)gitgate_end(g, NULL, NULL);
	if (git_dirs_look(g->project, &g->dirs, &ignored) == 0)
		(void)git_dirs_save(g->dir, "dirs", &g->dirs, &ignored);
	sys_unlinkat(g->dir, "open", 0);
}
