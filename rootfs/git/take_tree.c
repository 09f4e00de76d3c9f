/* Theory of operation
 *
 * A repository is larger than one of its worktrees. A box that has one worktree moves the
 * branches of that one: on which it was at a start of the box, and which the box has made;
 * and names that are new. A branch that another worktree is on would leave that one's
 * index behind, and stays in any case, whichever of them the box has. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/take_impl.h"
#include "rootfs/git/takeover.h"

static const char mark[] = "x";

static int fail(struct err *e, int code)
{
	return err_sys(e, code, "cannot look at the worktrees of a repository");
}

bool git_take_tree_has(const char *path)
{
	return strchr(path, '/') ? strcmp(path, "logs/HEAD") == 0
				 : strcmp(path, "packed-refs") != 0;
}

int git_take_tree_git(const struct git_take *t, const char *path)
{
	return t->conf->tree && git_take_tree_has(path) ? t->conf->tree->git
							: t->conf->git;
}

int git_take_tree_upper(const struct git_take *t, const char *path)
{
	return t->conf->tree && git_take_tree_has(path) ? t->conf->tree->upper
							: t->conf->upper;
}

/* ---- branches of this one --------------------------------------------------------------- */

int git_take_tree_begin(struct git_take *t, struct git_refs *before, struct err *e)
{
	int r = 0;

	if (!t->conf->tree)
		return 0;
	if (text_starts(t->base.head, "ref: "))
		r = git_refs_set(&t->base.own, t->base.head + 5, mark);
	for (size_t i = 0; i < before->n && r == 0; i++)
		if (git_refs_pair_get(&t->base.refs, before->list[i].name))
			r = git_refs_set(&t->base.own, before->list[i].name, mark);
	return r < 0 ? fail(e, r) : 0;
}

/* ---- those of others -------------------------------------------------------------------- */

/* On a branch, or in the middle of a rebase of it. */
static int read_one(struct git_take *t, int dir)
{
	static const char *const names[] = { "HEAD", "rebase-merge/head-name",
					     "rebase-apply/head-name" };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names) && r == 0; i++) {
		_cleanup_buf_ struct buf text = BUF_INIT(GIT_TEXT_VALUE + 8);
		const char *name;

		if (takeover_read(dir, names[i], &text) < 0)
			continue;
		while (text.len && text.data[text.len - 1] == '\n')
			buf_truncate(&text, text.len - 1);
		name = buf_cstr(&text);
		name += text_starts(name, "ref: ") ? 5 : 0;
		if (git_text_is_ref(name, strlen(name)))
			r = git_refs_set(&t->elsewhere, name, mark);
	}
	return r;
}

static bool is_same(int a, int b)
{
	struct stat x, y;

	return sys_fstat(a, &x) == 0 && sys_fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

int git_take_tree_read(struct git_take *t, struct err *e)
{
	_cleanup_free_ struct dirscan *scan = malloc(sizeof(*scan));
	_cleanup_close_ int dir = -1;
	int r;

	if (!scan)
		return fail(e, -ENOMEM);
	r = t->conf->tree && !t->bare ? read_one(t, t->conf->git) : 0;
	if (r < 0)
		return fail(e, r);
	dir = takeover_open(t->conf->git, "worktrees", O_RDONLY | O_DIRECTORY);
	if (dir < 0)
		return dir == -ENOENT ? 0 : fail(e, dir);
	dirscan_start(scan, dir);
	while (dirscan_next(scan)) {
		_cleanup_close_ int one =
			takeover_open(dir, scan->name, O_RDONLY | O_DIRECTORY);

		if (one >= 0 && !(t->conf->tree && is_same(one, t->conf->tree->git)) &&
		    read_one(t, one) < 0)
			return fail(e, -ENOMEM);
	}
	return dirscan_failed(scan, e);
}

/* ---- which move ------------------------------------------------------------------------- */

/* Kinds that each worktree shares with the others. */
static bool is_shared(const char *name)
{
	static const char *const kinds[] = { "refs/heads/", "refs/tags/",
					     "refs/remotes/", "refs/notes/" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (text_starts(name, kinds[i]))
			return true;
	return strcmp(name, "refs/stash") == 0;
}

const char *git_take_tree_why(const struct git_take *t, const char *name,
			      const char *value)
{
	const char *now = git_refs_pair_get(&t->now, name);
	bool is_new = !git_refs_pair_get(&t->base.refs, name) &&
		      (!now || (value && strcmp(now, value) == 0));

	if (git_refs_get(&t->elsewhere, name))
		return "another worktree is on it";
	if (value && text_starts(value, "ref: ") && /* a commit here would move that */
	    (t->conf->tree || git_refs_get(&t->elsewhere, value + 5)))
		return "it leads to another name";
	if (!t->conf->tree)
		return NULL;
	if (git_refs_get(&t->base.own, name) || (is_new && is_shared(name)))
		return NULL;
	return "it is not this worktree's";
}
