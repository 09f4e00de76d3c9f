#include <string.h>

#include "base/sys/sys.h"
#include "rootfs/git/index.h"
#include "rootfs/git/take_impl.h"
#include "rootfs/git/takeover.h"

/* Paths of gitlinks, and what is wrong with an index. */
struct links {
	struct git_refs known; /* owned: path → "x" */
	bool collect;
	bool sparse; /* the host leaves out directories itself */
	const char *why;
};

static int look(void *ctx, const struct git_index_entry *x)
{
	struct links *l = ctx;

	if (!git_index_path_ok(x->path))
		l->why = "it names a path that git must not write";
	else if (x->mode == GIT_INDEX_GITLINK && !l->collect &&
		 !git_refs_get(&l->known, x->path))
		l->why = "it names a repository that was not there: a submodule's "
			 "configuration would be obeyed";
	else if (x->mode == GIT_INDEX_DIR && !l->sparse)
		l->why = "it leaves out whole directories";
	if (x->mode == GIT_INDEX_GITLINK && l->collect)
		return git_refs_set(&l->known, x->path, "x");
	return l->why && !l->collect ? -EPERM : 0;
}

static int read_index(int git, struct buf *text)
{
	return takeover_read(git, "index", text);
}

/* The times are as they were, or what the index means is. */
bool git_take_index_untouched(const struct git_take *t)
{
	const struct git_take_base *b = &t->base;
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_INDEX_MAX);
	uint64_t meaning;
	struct stat st;
	const int git = git_take_tree_git(t, "index");
	int r = sys_fstatat(git, "index", &st, AT_SYMLINK_NOFOLLOW);

	if (r == -ENOENT)
		return !b->index_ino;
	if (r < 0)
		return false;
	if (b->index_ino == st.st_ino && b->index_size == (uint64_t)st.st_size &&
	    b->index_mtime == (uint64_t)st.st_mtim.tv_sec * 1000000000u +
				      (uint64_t)st.st_mtim.tv_nsec)
		return true;
	return b->index_meaning && read_index(git, &text) == 0 &&
	       git_index_meaning((const uint8_t *)buf_cstr(&text), text.len, t->sum,
				 &meaning) == 0 &&
	       meaning == b->index_meaning;
}

static int still(void *ctx, int, struct err *e)
{
	return git_take_index_untouched(ctx)
		       ? 0
		       : err_set(e, -ESTALE, "the host has changed the index");
}

/* The box's, as the host may believe it. */
static int read_box(const struct git_take *t, const struct buf *now, struct buf *text,
		    struct buf *own)
{
	const int git = git_take_tree_git(t, "index");
	struct git_index_own conf = { .host = now->data,
				      .host_len = now->len,
				      .sparse = t->sparse };
	struct stat st;
	int r = takeover_read(git_take_tree_upper(t, "index"), "index", text);

	if (r == 0 && sys_fstatat(git, "index", &st, AT_SYMLINK_NOFOLLOW) == 0)
		conf.since_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
				(uint64_t)st.st_mtim.tv_nsec;
	return r < 0 ? r
		     : git_index_own((const uint8_t *)buf_cstr(text), text->len, t->sum,
				     &conf, own);
}

const char *git_take_index(struct git_take *t, struct err *e)
{
	_cleanup_buf_ struct buf now = BUF_INIT(GIT_INDEX_MAX);
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_INDEX_MAX);
	_cleanup_buf_ struct buf own = BUF_INIT(GIT_INDEX_MAX + GIT_INDEX_SUM);
	struct takeover_file f = {
		.path = "index", .mode = 0644, .as_before = still, .ctx = t
	};
	struct links l = { .collect = true, .sparse = t->sparse };
	const int git = git_take_tree_git(t, "index");
	int r;

	takeover_clean(git, "index");
	if (read_index(git, &now) < 0)
		buf_truncate(&now, 0);
	r = read_box(t, &now, &text, &own);
	if (r == 0 && now.len >= own.len &&
	    memcmp(now.data, own.data, own.len - t->sum) == 0)
		return NULL; /* nothing new, or a call before this one did it */
	if (t->head_why)
		return t->head_why;
	if (t->behind || !git_take_index_untouched(t))
		return "the host has changed its own meanwhile";
	if (now.len)
		(void)git_index_read((const uint8_t *)now.data, now.len, t->sum, look,
				     &l);
	l.collect = false;
	l.why = NULL;
	if (r == 0)
		r = git_index_read((const uint8_t *)buf_cstr(&text), text.len, t->sum,
				   look, &l);
	git_refs_done(&l.known);
	if (l.why)
		return l.why;
	if (r < 0)
		return r == -EOPNOTSUPP ? "it is split, or of an unknown kind"
					: "it cannot be read";
	f.data = own.data;
	f.len = own.len;
	r = git_take_note_put(t, &f, e);
	if (r < 0)
		return r == -EEXIST ? "the host's git is working on its own"
				    : "the host has changed its own meanwhile";
	return NULL;
}
