/* Theory of operation
 *
 * Refs are compared by their values, not by the files that hold them: what the box has is
 * the base with the upper's loose files, whiteouts and packed-refs laid over it, so that
 * "gc" and "pack-refs" in the box change nothing. A ref that differs is moved on the host
 * by the host's git if it still is where the box found it; or if the host's log of it is
 * the beginning of the box's, for then the box has seen all that the host did, and the
 * host's index is as it was. */
#include <string.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/host.h"
#include "rootfs/git/take_impl.h"
#include "rootfs/git/takeover.h"

enum { REFLOG_MAX = 16 << 20, SAID_MAX = 64 };

static const char from_box[] = "cubby: from the box";

static int fail(struct err *e, int code)
{
	return err_sys(e, code, "cannot take over the refs of a box");
}

/* ---- what the box has ------------------------------------------------------------------- */

static int copy_refs(const struct git_refs *from, struct git_refs *to)
{
	int r = 0;

	for (size_t i = 0; i < from->n && r == 0; i++)
		r = git_refs_set(to, from->list[i].name, from->list[i].value);
	return r;
}

static int lay_all(struct git_take *t, struct git_refs_pair *box)
{
	int r = copy_refs(&t->base.refs.loose, &box->loose)
			?: copy_refs(&t->base.refs.packed, &box->packed);

	for (size_t i = 0; i < t->n && r == 0; i++) {
		struct git_take_item *x = &t->list[i];

		if (x->class != GIT_TAKE_REF)
			continue;
		r = git_refs_lay(box, t->conf->upper, x->path, x->kind);
		if (r > 0 && strcmp(x->path, "packed-refs") == 0)
			x->why = "git would not understand it";
		else if (r > 0 && !text_ends(x->path, ".lock"))
			x->why = "no ref that git would take";
		r = MIN(r, 0);
	}
	return r;
}

/* ---- logs ------------------------------------------------------------------------------- */

static bool is_log(const struct buf *text, size_t sum)
{
	const char *at = text->data, *end = text->data + text->len;

	if (!text->len || memchr(at, '\0', text->len) || end[-1] != '\n')
		return false;
	for (; at < end; at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1)
		if ((size_t)(end - at) < 4 * sum + 2 || !git_text_is_sum(at, 2 * sum) ||
		    !git_text_is_sum(at + 2 * sum + 1, 2 * sum))
			return false;
	return true;
}

/* Is the host's log, up to @most bytes, the beginning of the box's? That is read into @box,
 * for the box may write another one at any time. @len: of the host's. */
static bool log_goes_on(const struct git_take *t, const char *path, size_t most,
			struct buf *box, size_t *len)
{
	_cleanup_buf_ struct buf host = BUF_INIT(REFLOG_MAX);
	int r;

	if (takeover_read(git_take_tree_upper(t, path), path, box) < 0 ||
	    !is_log(box, t->sum))
		return false;
	r = takeover_read(git_take_tree_git(t, path), path, &host);
	*len = MIN(host.len, most);
	if (r == -ENOENT)
		return true;
	return r == 0 && *len <= box->len &&
	       (!*len || memcmp(host.data, box->data, *len) == 0);
}

static bool has_news(const struct git_take *t, const char *name)
{
	_cleanup_buf_ struct buf log = BUF_INIT(REFLOG_MAX);
	char path[GIT_TEXT_NAME + 8];
	size_t len;

	snprintf(path, sizeof(path), "logs/%s", name);
	return log_goes_on(t, path, REFLOG_MAX, &log, &len) && log.len;
}

static const char stash[] = "refs/stash", stash_log[] = "logs/refs/stash";

/* Of an entry all but what stood before, which git writes anew when that is dropped. */
static bool next_entry(const struct buf *log, size_t *at, size_t sum, const char **ret,
		       size_t *len)
{
	const char *from = buf_cstr(log) + *at;
	const char *end = *at < log->len ? memchr(from, '\n', log->len - *at) : NULL;

	if (!end)
		return false;
	*at += (size_t)(end - from) + 1;
	*ret = from + 2 * sum;
	*len = (size_t)(end - *ret);
	return true;
}

/* The list of stashes is a log: one that was dropped from its midst has moved no ref. Is the
 * box's the host's, but for some, and not the last? */
static bool has_dropped(const struct git_take *t)
{
	_cleanup_buf_ struct buf box = BUF_INIT(REFLOG_MAX),
				 host = BUF_INIT(REFLOG_MAX);
	const char *x = NULL, *y = NULL;
	size_t box_at = 0, host_at = 0, x_len = 0, y_len = 0;
	bool same = false;

	if (takeover_read(git_take_tree_upper(t, stash_log), stash_log, &box) < 0 ||
	    takeover_read(git_take_tree_git(t, stash_log), stash_log, &host) < 0 ||
	    !is_log(&box, t->sum) || !is_log(&host, t->sum) || box.len == host.len)
		return false;
	while (next_entry(&box, &box_at, t->sum, &x, &x_len))
		do {
			if (!next_entry(&host, &host_at, t->sum, &y, &y_len))
				return false;
			same = x_len == y_len && memcmp(x, y, x_len) == 0;
		} while (!same);
	return host_at == host.len;
}

/* ---- moving ------------------------------------------------------------------------------ */

struct move {
	struct git_take *t;
	struct git_refs_pair box; /* owned */
	struct git_refs todo;	  /* owned: name → new value, "-" = to be removed */
	struct git_refs beside;	  /* owned: for what git refused of it */
	struct git_refs_folded
		folded; /* owned: the host's, if its filesystem folds case */
	size_t said;
};

static void move_done(struct move *m)
{
	git_refs_pair_done(&m->box);
	git_refs_done(&m->todo);
	git_refs_done(&m->beside);
	git_refs_folded_done(&m->folded);
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static void say_beside(struct move *m, const char *name, const char *why,
		       const char *to)
{
	const struct git_take *t = m->t;
	char line[2 * GIT_TEXT_NAME + 700], shown[GIT_TEXT_NAME + 32];

	if (m->said++ >= SAID_MAX)
		return;
	text_escaped(shown, sizeof(shown), name, strlen(name));
	snprintf(line, sizeof(line), "%s: %s; the box's is %s", shown, why,
		 to ? to : "not taken over");
	t->conf->say(t->conf->ctx, line);
}

/* While the box runs it goes on seeing its own, which must not count as a new move. */
static int keep_base(struct git_take *t, const char *name)
{
	const char *b = git_refs_pair_get(&t->base.refs, name);

	return git_refs_set(&t->stay, name, b ? b : "-");
}

/* The host goes on where it is; the box's tip keeps a name, in @todo. */
static int put_beside(struct move *m, const char *name, const char *value,
		      const char *why, struct git_refs *todo)
{
	char beside[GIT_TEXT_NAME];
	int n = snprintf(beside, sizeof(beside), "refs/cubby/box/%s",
			 name + strlen("refs/"));
	bool can = value && strcmp(value, "-") != 0 && n < GIT_TEXT_NAME &&
		   !text_starts(value, "ref: ");

	if (strncmp(m->t->base.head, "ref: ", 5) == 0 &&
	    strcmp(m->t->base.head + 5, name) == 0)
		m->t->behind = true;
	say_beside(m, name, why, can ? beside : NULL);
	if (keep_base(m->t, name) < 0)
		return -ENOMEM;
	return can ? git_refs_set(todo, beside, value) : 0;
}

/* Names for other objects than those that were asked for. The host's filesystem may fold case. */
static bool is_allowed(const char *name)
{
	static const char replace[] = "refs/replace/";

	return strncasecmp(name, replace, strlen(replace)) != 0;
}

/* Two names that the host's filesystem takes for one: a loose ref would hide the packed one
 * of the other name, and move it so. */
static int fold_case(struct move *m)
{
	struct stat a, b;
	int git = m->t->conf->git;

	if (sys_fstatat(git, "HEAD", &a, AT_SYMLINK_NOFOLLOW) < 0 ||
	    sys_fstatat(git, "head", &b, AT_SYMLINK_NOFOLLOW) < 0 ||
	    a.st_dev != b.st_dev || a.st_ino != b.st_ino)
		return 0;
	return git_refs_fold(&m->t->now, &m->folded);
}

static bool is_alike(const struct move *m, const char *name)
{
	return m->folded.list && git_refs_is_alike(&m->folded, name);
}

static int look_at(struct move *m, const char *name)
{
	const struct git_take *t = m->t;
	const char *b = git_refs_pair_get(&t->base.refs, name);
	const char *x = git_refs_pair_get(&m->box, name);
	const char *h = git_refs_pair_get(&t->now, name);
	const char *why = git_take_tree_why(t, name, x);

	if (same(b, x) || same(x, h) || !is_allowed(name) ||
	    git_refs_get(&t->stay, name)) /* said already */
		return 0;
	if (!why && is_alike(m, name))
		why = "the host's filesystem folds case, and may take it for another";
	if (why)
		return put_beside(m, name, x, why, &m->todo);
	if (t->conf->tree && !b && text_starts(name, "refs/heads/") &&
	    git_refs_set(&m->t->made, name, "x") < 0)
		return -ENOMEM;
	/* An index of before, on top of what the host has committed since, would take that back
	 * without a word. */
	if (same(h, b) || (x && h && git_take_index_untouched(t) && has_news(t, name)))
		return git_refs_set(&m->todo, name, x ? x : "-");
	return put_beside(m, name, x, "the host moved it meanwhile", &m->todo);
}

static int look_at_all(struct move *m, const struct git_refs *names)
{
	int r = 0;

	for (size_t i = 0; i < names->n && r == 0; i++)
		r = look_at(m, names->list[i].name);
	return r;
}

/* A ref that names another is no business of update-ref's. */
static int put_symbolic(struct move *m, const struct git_ref *x, struct err *e)
{
	char text[GIT_TEXT_VALUE + 2];
	struct takeover_file f = { .path = x->name, .data = text, .mode = 0644 };

	f.len = (size_t)snprintf(text, sizeof(text), "%s\n", x->value);
	return git_take_note_put(m->t, &f, e);
}

static int refused(void *ctx, const struct git_ref *x, const char *why, struct err *e)
{
	struct move *m = ctx;

	if (text_starts(x->name, "refs/cubby/")) {
		/* There is no other place, and no such object perhaps. */
		if (m->said >= SAID_MAX)
			return err_set(e, -EIO, "%s", why);
		say_beside(m, x->name, why, x->value);
		return 0;
	}
	return put_beside(m, x->name, x->value, why, &m->beside) < 0 ? fail(e, -ENOMEM)
								     : 0;
}

static int move_some(struct move *m, const struct git_refs *todo, struct err *e)
{
	struct git_take *t = m->t;
	struct git_take_moves moves = { t, todo, from_box, refused, m };
	int r = git_take_note_refs(t, todo, e);

	for (size_t i = 0; i < todo->n && r == 0; i++)
		if (text_starts(todo->list[i].value, "ref: "))
			r = put_symbolic(m, &todo->list[i], e);
	return r < 0 ? r : git_take_moves(&moves, e);
}

/* Nothing else of an apply names what is gone. */
static void say_removed(const struct move *m)
{
	const struct git_take *t = m->t;
	size_t said = 0;

	for (size_t i = 0; i < m->todo.n && t->conf->record >= 0; i++) {
		const struct git_ref *x = &m->todo.list[i];
		const char *was = git_refs_pair_get(&t->now, x->name);
		char line[GIT_TEXT_NAME * 4 + 64], shown[GIT_TEXT_NAME * 4];

		if (strcmp(x->value, "-") != 0 || !was ||
		    git_refs_get(&t->stay, x->name) ||
		    !(text_starts(x->name, "refs/heads/") ||
		      text_starts(x->name, "refs/tags/")) ||
		    said++ >= SAID_MAX)
			continue;
		text_escaped(shown, sizeof(shown), x->name, strlen(x->name));
		snprintf(line, sizeof(line), "%s is removed; it was at %.12s", shown,
			 was);
		t->conf->say(t->conf->ctx, line);
	}
}

static int move_refs(struct move *m, struct err *e)
{
	int r = move_some(m, &m->todo, e);
	char line[64];

	if (r == 0 && m->beside.n)
		r = move_some(m, &m->beside, e);
	if (r == 0)
		say_removed(m);
	if (m->said > SAID_MAX) {
		snprintf(line, sizeof(line),
			 "%zu more refs are not where the box has them",
			 m->said - SAID_MAX);
		m->t->conf->say(m->t->conf->ctx, line);
	}
	return r;
}

/* Whether the box's comes out, and how many bytes of the host's it must begin with. */
struct log_choice {
	bool put;
	size_t keep;
};

/* After the refs, to which git itself has written a line of its own. */
static int put_logs(struct move *m, const struct log_choice *logs, struct err *e)
{
	struct git_take *t = m->t;
	int r = 0;

	for (size_t i = 0; i < t->n && r == 0; i++) {
		_cleanup_buf_ struct buf log = BUF_INIT(REFLOG_MAX);
		struct takeover_file f = { .path = t->list[i].path, .mode = 0644 };
		size_t len;

		if (!logs[i].put || !log_goes_on(t, f.path, logs[i].keep, &log, &len))
			continue;
		f.data = log.data;
		f.len = log.len;
		r = takeover_put(git_take_tree_git(t, f.path), &f, e);
	}
	return r;
}

/* Beside other worktrees: what is not moved is not told of, either. */
static bool is_our_log(const struct move *m, const char *name)
{
	const struct git_take *t = m->t;

	if (strcmp(name, "HEAD") == 0)
		return !t->head_why;
	return git_refs_get(&m->todo, name) ||
	       (!git_refs_get(&t->elsewhere, name) &&
		(!t->conf->tree || git_refs_get(&t->base.own, name)));
}

/* Its objects are the host's by now. git moves no ref to one that is not there; HEAD is a file
 * of ours. */
static bool is_commit(const struct git_take *t, const char *sum)
{
	char name[GIT_TEXT_VALUE + 16];
	const char *const argv[] = { "git", "cat-file", "-e", name, NULL };
	const struct git_host_run run = { .argv = argv,
					  .cwd = t->conf->git,
					  .in = -1,
					  .out = -1,
					  .hold = t->conf->record,
					  .git_dir = "." };

	snprintf(name, sizeof(name), "%s^{commit}", sum);
	return git_host_run(&run, ERR_IGNORED) == 0;
}

/* On a branch that is not taken over it would make one of the host's look like the box's. */
static void judge_head(struct move *m)
{
	struct git_take *t = m->t;
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_TEXT_VALUE + 8);
	const char *name = t->head + strlen("ref: ");

	if (takeover_read(git_take_tree_upper(t, "HEAD"), "HEAD", &text) < 0 ||
	    git_text_value(buf_cstr(&text), text.len, t->head) < 0)
		t->head[0] = '\0';
	if (!*t->head || strcmp(t->head, t->base.head) == 0)
		return;
	if (!text_starts(t->head, "ref: "))
		t->head_why = is_commit(t, t->head)
				      ? NULL
				      : "it is on a commit that is not there";
	else if (git_take_tree_why(t, name, git_refs_pair_get(&m->box, name)))
		t->head_why = "it is on a branch that is not this worktree's; switch "
			      "here, outside of the box";
	else if (is_alike(m, name))
		t->head_why = "it is on a branch that the host's filesystem, which "
			      "folds case, may take for another";
}

/* Of the list of stashes nothing would be known after an undo but the last. Git removes it
 * with its ref. */
static int note_stashes(const struct move *m, const struct log_choice *logs,
			struct err *e)
{
	const struct git_take *t = m->t;
	_cleanup_buf_ struct buf log = BUF_INIT(REFLOG_MAX);
	const char *to = git_refs_get(&m->todo, stash);
	bool comes = false;

	if (to && strcmp(to, "-") == 0)
		return git_take_note_file(t, stash_log, NULL, e);
	for (size_t i = 0; i < t->n; i++)
		comes |= logs[i].put && strcmp(t->list[i].path, stash_log) == 0;
	if (!comes ||
	    takeover_read(git_take_tree_upper(t, stash_log), stash_log, &log) < 0)
		return 0;
	return git_take_note_file(t, stash_log, &log, e);
}

/* The logs of what is moved, and of HEAD. */
static void choose_logs(struct move *m, struct log_choice *ret)
{
	struct git_take *t = m->t;

	for (size_t i = 0; i < t->n; i++) {
		_cleanup_buf_ struct buf log = BUF_INIT(REFLOG_MAX);
		struct git_take_item *x = &t->list[i];
		const char *name = x->path + strlen("logs/");
		const char *to;

		if (x->class != GIT_TAKE_LOG || x->kind != UPPER_FILE ||
		    (strcmp(name, "HEAD") != 0 && !git_text_is_ref(name, strlen(name))))
			continue;
		to = git_refs_get(&m->todo, name);
		if (!is_our_log(m, name))
			continue;
		if (strcmp(name, stash) == 0 &&
		    (to ? strcmp(to, "-") != 0 : has_dropped(t)))
			ret[i].put = true; /* what is dropped goes from it, too */
		else
			ret[i].put = !t->behind && log_goes_on(t, x->path, REFLOG_MAX,
							       &log, &ret[i].keep);
	}
}

int git_take_refs(struct git_take *t, struct err *e)
{
	_cleanup_(move_done) struct move m = { .t = t };
	_cleanup_free_ struct log_choice *logs = calloc(t->n + 1, sizeof(*logs));
	/* the base's: those that the box has removed */
	const struct git_refs *const all[] = { &m.box.loose, &m.box.packed,
					       &t->base.refs.loose,
					       &t->base.refs.packed };
	int r = logs ? lay_all(t, &m.box) ?: fold_case(&m) : -ENOMEM;

	for (size_t i = 0; i < ARRAY_SIZE(all) && r == 0; i++)
		r = look_at_all(&m, all[i]);
	if (r < 0)
		return fail(e, r);
	judge_head(&m);
	if (m.todo.n && !git_host_there())
		return err_set(e, -ENOENT, "there is no git on the host");
	choose_logs(&m, logs);
	r = note_stashes(&m, logs, e);
	if (r < 0)
		return r;
	r = move_refs(&m, e);
	return r < 0 ? r : put_logs(&m, logs, e);
}
