/* Theory of operation
 *
 * Each thing in the upper has a class by its path, from a table. Objects come first, then
 * refs, then what is told about them (logs, messages), HEAD, and the index last: whoever
 * looks in between, or a kill, sees objects that nobody names, never a name of nothing.
 * When all is done, what was taken leaves the upper if nothing is mounted, and the base is
 * noted anew: it is where the box now starts from. Until whoever asked has noted that it is
 * done, the upper has all of it: what is taken back before that waits as it did. */
#include "rootfs/git/take.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/take_impl.h"
#include "rootfs/git/takeover.h"

enum { TEXT_MAX = 1 << 20 };

static const char programs[] = "names programs that git runs";
static const char elsewhere[] = "leads git to another place";
static const char unfinished[] = "names commands that git goes on with";

/* clang-format off */
static const struct row {
	const char *path; /* ends in '/': all below; else the path itself */
	enum git_take_class class;
	const char *why;
} rows[] = {
	{ "objects/info/alternates", GIT_TAKE_HELD, elsewhere },
	{ "objects/info/http-alternates", GIT_TAKE_HELD, elsewhere },
	{ "objects/", GIT_TAKE_OBJECT, NULL },
	{ "refs/replace/", GIT_TAKE_HELD, "shows other objects than those that are named" },
	{ "refs/", GIT_TAKE_REF, NULL },
	{ "packed-refs", GIT_TAKE_REF, NULL },
	{ "logs/", GIT_TAKE_LOG, NULL },
	{ "HEAD", GIT_TAKE_HEAD, NULL },
	{ "index", GIT_TAKE_INDEX, NULL },
	{ "COMMIT_EDITMSG", GIT_TAKE_TEXT, NULL },
	{ "TAG_EDITMSG", GIT_TAKE_TEXT, NULL },
	{ "MERGE_MSG", GIT_TAKE_TEXT, NULL },
	{ "SQUASH_MSG", GIT_TAKE_TEXT, NULL },
	{ "MERGE_MODE", GIT_TAKE_TEXT, NULL },
	{ "MERGE_HEAD", GIT_TAKE_TEXT, NULL },
	{ "MERGE_AUTOSTASH", GIT_TAKE_TEXT, NULL },
	{ "AUTO_MERGE", GIT_TAKE_TEXT, NULL },
	{ "ORIG_HEAD", GIT_TAKE_TEXT, NULL },
	{ "FETCH_HEAD", GIT_TAKE_TEXT, NULL },
	{ "CHERRY_PICK_HEAD", GIT_TAKE_TEXT, NULL },
	{ "REVERT_HEAD", GIT_TAKE_TEXT, NULL },
	{ "REBASE_HEAD", GIT_TAKE_TEXT, NULL },
	{ "BISECT_LOG", GIT_TAKE_TEXT, NULL },
	{ "BISECT_START", GIT_TAKE_TEXT, NULL },
	{ "BISECT_TERMS", GIT_TAKE_TEXT, NULL },
	{ "BISECT_NAMES", GIT_TAKE_TEXT, NULL },
	{ "BISECT_ANCESTORS_OK", GIT_TAKE_TEXT, NULL },
	{ "BISECT_EXPECTED_REV", GIT_TAKE_TEXT, NULL },
	{ "info/exclude", GIT_TAKE_TEXT, NULL },
	{ "info/refs", GIT_TAKE_JUNK, NULL },
	{ "gc.log", GIT_TAKE_JUNK, NULL },
	{ "gc.pid", GIT_TAKE_JUNK, NULL },
	{ "branches/", GIT_TAKE_HELD, elsewhere },
	{ "remotes/", GIT_TAKE_HELD, elsewhere },
	{ "config", GIT_TAKE_HELD, programs },
	{ "config.worktree", GIT_TAKE_HELD, programs },
	{ "hooks/", GIT_TAKE_HELD, "git runs it" },
	{ "hooks", GIT_TAKE_HELD, "git runs it" },
	{ "info/attributes", GIT_TAKE_HELD, "chooses programs that git runs" },
	{ "info/grafts", GIT_TAKE_HELD, "changes what git takes for history" },
	{ "shallow", GIT_TAKE_HELD, "changes what git takes for history" },
	{ "commondir", GIT_TAKE_HELD, elsewhere },
	{ "gitdir", GIT_TAKE_HELD, elsewhere },
	{ "modules/", GIT_TAKE_HELD, "is the repository of a submodule" },
	{ "worktrees/", GIT_TAKE_HELD, "belongs to another worktree" },
	{ "rebase-merge/", GIT_TAKE_HELD, unfinished },
	{ "rebase-apply/", GIT_TAKE_HELD, unfinished },
	{ "sequencer/", GIT_TAKE_HELD, unfinished },
	{ "BISECT_RUN", GIT_TAKE_HELD, unfinished },
	{ NULL, GIT_TAKE_HELD, "git works without it" },
};
/* clang-format on */

static const struct row *row_of(const char *path)
{
	static const struct row junk = { NULL, GIT_TAKE_JUNK, NULL };
	const struct row *x = rows;

	if (text_ends(path, ".lock"))
		return &junk;
	for (; x->path; x++) {
		size_t n = strlen(x->path) + (x->path[strlen(x->path) - 1] != '/');

		/* The host's filesystem may fold case. */
		if (x->class == GIT_TAKE_HELD ? strncasecmp(path, x->path, n) == 0
					      : strncmp(path, x->path, n) == 0)
			break;
	}
	return x;
}

static int fail(struct err *e, int code)
{
	return err_sys(e, code, "cannot take over what a box changed for git");
}

/* ---- what there is ---------------------------------------------------------------------- */

static int add(struct git_take *t, const struct upper_entry *x, const struct row *row,
	       bool tree, struct err *e)
{
	struct git_take_item *item;

	if (!grow_room(t->list, t->n))
		return fail(e, -ENOMEM);
	item = &t->list[t->n];
	*item = (struct git_take_item){
		.path = strdup(x->path),
		.kind = x->kind,
		.class = row->class,
		.tree = tree,
		.why = row->why,
		.mark = x->st.st_ino ^ (uint64_t)x->st.st_ctim.tv_nsec << 20 ^
			(uint64_t)x->st.st_ctim.tv_sec,
	};
	if (!item->path)
		return fail(e, -ENOMEM);
	t->n++;
	return 0;
}

/* git writes a file anew when it removes nothing from it. */
static bool is_unchanged(int git, const struct upper_entry *x)
{
	_cleanup_buf_ struct buf host = BUF_INIT(TEXT_MAX), box = BUF_INIT(TEXT_MAX);
	struct stat st;

	if (x->kind == UPPER_GONE)
		return sys_fstatat(git, x->path, &st, AT_SYMLINK_NOFOLLOW) == -ENOENT;
	return x->kind == UPPER_FILE && takeover_read(git, x->path, &host) == 0 &&
	       takeover_read(x->dir, x->name, &box) == 0 && host.len == box.len &&
	       (!host.len || memcmp(host.data, box.data, host.len) == 0);
}

/* Each of the two directories of a worktree has files of which git reads the other's. */
static const struct row *row_at(const char *path, enum git_take_where where)
{
	static const struct row others = { NULL, GIT_TAKE_HELD,
					   "belongs to another worktree" };
	static const struct row nowhere = { NULL, GIT_TAKE_HELD,
					    "is not taken over of a worktree" };
	const struct row *row = row_of(path);
	const bool tree = where == GIT_TAKE_TREE;

	if (where == GIT_TAKE_ALONE || row->class == GIT_TAKE_JUNK ||
	    row->class == GIT_TAKE_HELD ||
	    (tree == git_take_tree_has(path) && (tree || row->class != GIT_TAKE_TEXT)))
		return row;
	return tree ? &nowhere : &others;
}

const char *git_take_held(const char *path, enum git_take_where where)
{
	const struct row *row = row_at(path, where);

	return row->class == GIT_TAKE_HELD ? row->why : NULL;
}

static const struct row *row_in(const struct git_take *t, const char *path, bool tree)
{
	return row_at(path, !t->conf->tree ? GIT_TAKE_ALONE
			    : tree	   ? GIT_TAKE_TREE
					   : GIT_TAKE_COMMON);
}

static int note_class(struct git_take *t, const struct upper_entry *x,
		      const struct row *row, bool tree, struct err *e)
{
	bool is_dir = x->kind == UPPER_DIR || x->kind == UPPER_LEFT;
	int r = is_dir ? 0 : add(t, x, row, tree, e);

	if (r == 0 && !is_dir && row->class == GIT_TAKE_HELD &&
	    is_unchanged(tree ? t->conf->tree->git : t->conf->git, x)) {
		t->list[t->n - 1].class = GIT_TAKE_JUNK;
		t->list[t->n - 1].why = NULL;
	}
	return r;
}

static int note_in(struct git_take *t, const struct upper_entry *x, bool tree,
		   struct err *e)
{
	const struct row *row = row_in(t, x->path, tree);
	int r = note_class(t, x, row, tree, e);

	if (r < 0 || x->kind == UPPER_DIR || x->kind == UPPER_LEFT)
		return r;
	if (x->kind == UPPER_OPAQUE && row->class == GIT_TAKE_HELD)
		t->list[t->n - 1].why = NULL; /* what it hides does not come out */
	if (row->class != GIT_TAKE_HELD &&
	    (x->kind == UPPER_LINK || x->kind == UPPER_CLOSED || x->kind == UPPER_ODD))
		t->list[t->n - 1].why = "no plain file";
	return row->class == GIT_TAKE_OBJECT ? git_take_objects_put(t, x, e) : 0;
}

static int note_entry(void *ctx, const struct upper_entry *x, struct err *e)
{
	return note_in(ctx, x, false, e);
}

static int note_tree(void *ctx, const struct upper_entry *x, struct err *e)
{
	return note_in(ctx, x, true, e);
}

/* ---- files as they are ------------------------------------------------------------------- */

/* Lines of sums; or text. */
static bool is_fit(const struct git_take *t, const char *path, const struct buf *text)
{
	size_t n = 2 * t->sum, at = 0;

	if (memchr(buf_cstr(text), '\0', text->len))
		return false;
	if (!text_ends(path, "_HEAD") || strcmp(path, "FETCH_HEAD") == 0)
		return true;
	for (; at < text->len; at += n + 1)
		if (text->len - at < n + 1 || !git_text_is_sum(text->data + at, n) ||
		    text->data[at + n] != '\n')
			return false;
	return true;
}

static int take_text(struct git_take *t, struct git_take_item *x, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(TEXT_MAX);
	struct takeover_file f = { .path = x->path, .mode = 0644 };
	int r;

	if (x->why || x->kind == UPPER_OPAQUE)
		return 0;
	if (t->head_why) {
		x->why = t->head_why;
		return 0;
	}
	if (t->behind) {
		x->why = "the host's branch has moved meanwhile";
		return 0;
	}
	if (x->kind == UPPER_GONE)
		return git_take_note_remove(t, x->path, e);
	r = takeover_read(git_take_tree_upper(t, x->path), x->path, &text);
	if (r < 0 || !is_fit(t, x->path, &text)) {
		x->why = "not what git writes there";
		return 0;
	}
	/* Before 2.35 git itself is a shell's script there. */
	if (text_starts(x->path, "BISECT_") &&
	    !git_text_is_quoted(buf_cstr(&text), text.len,
				strcmp(x->path, "BISECT_LOG") == 0)) {
		x->why = "a shell could read commands in it";
		return 0;
	}
	f.data = text.data;
	f.len = text.len;
	return git_take_note_put(t, &f, e);
}

static int head_still(void *ctx, int root, struct err *e)
{
	const struct git_take *t = ctx;
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_TEXT_VALUE + 8);
	char now[GIT_TEXT_VALUE] = "";

	if (takeover_read(root, "HEAD", &text) == 0)
		(void)git_text_value(buf_cstr(&text), text.len, now);
	return strcmp(now, t->base.head) == 0
		       ? 0
		       : err_set(e, -ESTALE, "the host has changed HEAD");
}

/* A branch, or a sum: not a name in another place, which no git of the box writes. */
static int take_head(struct git_take *t, struct git_take_item *x, struct err *)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_TEXT_VALUE + 8);
	char line[GIT_TEXT_VALUE + 1], now[GIT_TEXT_VALUE];
	struct takeover_file f = { .path = "HEAD",
				   .data = line,
				   .mode = 0644,
				   .as_before = head_still,
				   .ctx = t };
	struct err why = ERR_NONE;

	const int git = git_take_tree_git(t, "HEAD");

	x->why = x->why ?: t->head_why;
	if (x->why)
		return 0;
	if (!*t->head || (text_starts(t->head, "ref: ") &&
			  !text_starts(t->head, "ref: refs/heads/"))) {
		x->why = "neither a branch nor a commit";
		return 0;
	}
	takeover_clean(git, "HEAD");
	if (takeover_read(git, "HEAD", &text) == 0 &&
	    git_text_value(buf_cstr(&text), text.len, now) == 0 &&
	    strcmp(now, t->head) == 0)
		return 0;
	f.len = (size_t)snprintf(line, sizeof(line), "%s\n", t->head);
	if (git_take_note_put(t, &f, &why) < 0)
		x->why = "the host has changed its own meanwhile";
	return 0;
}

static int take_index(struct git_take *t, struct git_take_item *x, struct err *)
{
	struct err why = ERR_NONE;

	if (!x->why && x->kind == UPPER_FILE)
		x->why = git_take_index(t, &why);
	return 0;
}

static int take_class(struct git_take *t, enum git_take_class class,
		      int (*fn)(struct git_take *, struct git_take_item *,
				struct err *),
		      struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < t->n && r == 0; i++)
		if (t->list[i].class == class)
			r = fn(t, &t->list[i], e);
	return r;
}

/* ---- what is kept ------------------------------------------------------------------------ */

static bool was_said(const struct git_take *t, uint64_t mark)
{
	_cleanup_buf_ struct buf text = BUF_INIT(64);
	_cleanup_close_ int fd = -1;
	char now[32];

	snprintf(now, sizeof(now), "%" PRIx64, mark);
	if (takeover_read(t->conf->state, "said", &text) == 0 &&
	    strcmp(buf_cstr(&text), now) == 0)
		return true;
	fd = sys_openat(t->conf->state, "said", O_CREAT | O_TRUNC | O_WRONLY, 0600);
	if (fd >= 0)
		(void)file_write_fd(fd, now, strlen(now), ERR_IGNORED);
	return false;
}

static const char *said_why(const struct git_take *t, size_t i)
{
	const struct git_take_item *x = &t->list[i];

	return t->conf->listed && x->class == GIT_TAKE_HELD ? NULL : x->why;
}

static void say_why(const struct git_take *t, size_t first)
{
	const struct git_take_item *x = &t->list[first];
	char line[512], path[200], more[32] = "";
	size_t n = 0;

	for (size_t i = first + 1; i < t->n; i++)
		n += said_why(t, i) && strcmp(said_why(t, i), x->why) == 0;
	if (n)
		snprintf(more, sizeof(more), " and %zu more", n);
	text_escaped(path, sizeof(path), x->path, strlen(x->path));
	snprintf(line, sizeof(line), "%s: %s/%s%s (%s)",
		 x->class == GIT_TAKE_HELD ? "kept in the box" : "not taken over",
		 t->conf->shown, path, more, x->why);
	t->conf->say(t->conf->ctx, line);
}

/* Once for each reason, and once for each state of the box. */
static void say_kept(const struct git_take *t)
{
	uint64_t mark = 0;

	for (size_t i = 0; i < t->n; i++)
		if (said_why(t, i))
			mark += (t->list[i].mark + 1) * 0x9e3779b97f4a7c15u;
	if (!mark || was_said(t, mark))
		return;
	for (size_t i = 0; i < t->n; i++) {
		const char *why = said_why(t, i);
		size_t j = 0;

		while (j < i &&
		       (!why || !said_why(t, j) || strcmp(said_why(t, j), why) != 0))
			j++;
		if (why && j == i)
			say_why(t, i);
	}
}

/* A directory that the box made anew hides all that the host's has, also what was taken over
 * to it just now. */
static void show_lower(int dir)
{
	if (upper_is_opaque(dir))
		(void)sys_fremovexattr(dir, "user.overlay.opaque");
}

/* What is in the host's now must not be hidden by the box's copy of it. */
static int leave_upper(void *, const struct upper_entry *x, struct err *)
{
	_cleanup_close_ int dir = -1;

	if (x->kind == UPPER_OPAQUE)
		dir = sys_openat(x->dir, x->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
				 0);
	if (dir >= 0)
		show_lower(dir);
	if (x->kind == UPPER_LEFT && row_of(x->path)->class != GIT_TAKE_HELD)
		sys_unlinkat(x->dir, x->name, AT_REMOVEDIR);
	return 0;
}

/* By classes: what is left by a kill is taken over again, should that be taken back meanwhile.
 * A HEAD or a merge whose branch had left before it would say what is not so; objects are
 * needed for as long as something names them. */
static int clean_upper(const struct git_take *t, struct err *e)
{
	static const enum git_take_class order[] = {
		GIT_TAKE_HEAD, GIT_TAKE_TEXT, GIT_TAKE_REF,    GIT_TAKE_INDEX,
		GIT_TAKE_LOG,  GIT_TAKE_JUNK, GIT_TAKE_OBJECT,
	};

	for (size_t k = 0; k < ARRAY_SIZE(order); k++)
		for (size_t i = 0; i < t->n; i++) {
			const struct git_take_item *x = &t->list[i];

			if (x->class == order[k] && x->kind != UPPER_OPAQUE)
				takeover_remove(x->tree ? t->conf->tree->upper
							: t->conf->upper,
						x->path, ERR_IGNORED);
		}
	show_lower(t->conf->upper);
	return upper_walk(t->conf->upper, leave_upper, NULL, e)
		       ?: (t->conf->tree ? upper_walk(t->conf->tree->upper, leave_upper,
						      NULL, e)
					 : 0);
}

/* ---- all ---------------------------------------------------------------------------------- */

static void take_done(struct git_take *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->list[i].path);
	free(t->list);
	buf_done(&t->names);
	git_take_base_done(&t->base);
	git_refs_pair_done(&t->now);
	git_refs_done(&t->stay);
	git_refs_done(&t->elsewhere);
	git_refs_done(&t->made);
}

static void keep_all(struct git_take *t, const struct err *why)
{
	char line[700];

	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].class != GIT_TAKE_JUNK)
			t->list[i].why = t->list[i].why ? t->list[i].why : "";
	snprintf(line, sizeof(line), "kept in the box: all that it changed in %s (%s)",
		 t->conf->shown, why->msg);
	t->conf->say(t->conf->ctx, line);
}

static int take_rest(struct git_take *t, struct err *e)
{
	int r = git_refs_read(t->conf->git, &t->now, e) ?: git_take_tree_read(t, e);

	if (r < 0)
		return r;
	r = git_take_refs(t, e);
	if (r < 0)
		return r;
	r = take_class(t, GIT_TAKE_TEXT, take_text, e);
	if (r < 0)
		return r;
	r = take_class(t, GIT_TAKE_HEAD, take_head, e);
	return r < 0 ? r : take_class(t, GIT_TAKE_INDEX, take_index, e);
}

static int note_made(struct git_take *t, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < t->made.n && r == 0; i++)
		r = git_refs_set(&t->base.own, t->made.list[i].name, "x");
	return r < 0 ? fail(e, r) : 0;
}

/* What the box has and the host has not taken is still a difference the next time. */
static int note_base(struct git_take *t, struct err *e)
{
	struct git_take_base old = take(&t->base, (struct git_take_base){ 0 });
	int r = git_take_base_now(t, &t->base, e);

	if (r == 0) {
		t->base.own = take(&old.own, (struct git_refs){ .list = NULL });
		r = note_made(t, e);
	}
	for (size_t i = 0; i < t->n && r == 0; i++) {
		const struct git_take_item *x = &t->list[i];

		if (x->why && x->class == GIT_TAKE_HEAD)
			memcpy(t->base.head, old.head, sizeof(old.head));
		if (x->why && x->class == GIT_TAKE_INDEX) {
			t->base.index_ino = old.index_ino;
			t->base.index_size = old.index_size;
			t->base.index_mtime = old.index_mtime;
			t->base.index_meaning = old.index_meaning;
		}
	}
	for (size_t i = 0; i < t->stay.n && r == 0; i++) {
		const struct git_ref *x = &t->stay.list[i];

		git_refs_set(&t->base.refs.packed, x->name, NULL);
		r = git_refs_set(&t->base.refs.loose, x->name,
				 strcmp(x->value, "-") == 0 ? NULL : x->value);
		if (r < 0)
			fail(e, r);
	}
	git_take_base_done(&old);
	return r < 0 ? r : git_take_base_save(t, e);
}

int git_take_begin(const struct git_take_conf *conf, struct err *e)
{
	_cleanup_(take_done) struct git_take t = { .conf = conf };
	_cleanup_git_refs_ struct git_refs before = { .list = NULL };
	int r = git_take_base_format(&t, e);

	if (r < 0)
		return r;
	if (conf->tree && git_take_base_load(&t, ERR_IGNORED) == 0)
		before = take(&t.base.own, (struct git_refs){ .list = NULL });
	git_take_base_done(&t.base);
	r = git_take_base_now(&t, &t.base, e) ?: git_take_tree_begin(&t, &before, e);
	return r < 0 ? r : git_take_base_save(&t, e);
}

int git_take_over(const struct git_take_conf *conf, struct err *e)
{
	_cleanup_(take_done) struct git_take t = { .conf = conf };
	struct err why = ERR_NONE;
	int r = git_take_base_format(&t, &why) ?:
		git_take_base_load(&t, &why) ?:
		upper_walk(conf->upper, note_entry, &t, &why) ?:
		(conf->tree ? upper_walk(conf->tree->upper, note_tree, &t, &why) : 0) ?:
		git_take_objects_import(&t, &why) ?:
		take_rest(&t, &why);

	if (r < 0) { /* said, and tried again the next time */
		keep_all(&t, &why);
		return 1;
	}
	say_kept(&t);
	if (!conf->offline)
		return note_base(&t, e);
	if (!t.made.n)
		return 0;
	r = note_made(&t, e);
	return r < 0 ? r : git_take_base_save(&t, e);
}

static int list_entry(void *ctx, const struct upper_entry *x, struct err *e)
{
	return note_class(ctx, x, row_in(ctx, x->path, false), false, e);
}

static int list_tree(void *ctx, const struct upper_entry *x, struct err *e)
{
	return note_class(ctx, x, row_in(ctx, x->path, true), true, e);
}

/* With a new base, what is still in the upper would count as no change, and be lost. */
int git_take_clean(const struct git_take_conf *conf, struct err *e)
{
	_cleanup_(take_done) struct git_take t = { .conf = conf };
	int r = upper_walk(conf->upper, list_entry, &t, e) ?:
		(conf->tree ? upper_walk(conf->tree->upper, list_tree, &t, e) : 0) ?:
		clean_upper(&t, e);

	return r < 0 ? r : git_take_begin(conf, e);
}
