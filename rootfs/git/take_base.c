#include "rootfs/git/take_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "rootfs/git/config.h"
#include "rootfs/git/index.h"
#include "rootfs/git/takeover.h"

enum { BASE_INDEX_MAX = 4 << 20, BASE_TEXT = 64 << 20 };

/* ---- the host's own settings ------------------------------------------------------------ */

static int read_sparse(void *ctx, const struct git_config_item *it)
{
	struct git_take *t = ctx;

	if (strcmp(it->section, "core") == 0 && strcmp(it->key, "sparsecheckout") == 0)
		t->sparse = git_config_true(it->value);
	return 0;
}

static int read_setting(void *ctx, const struct git_config_item *it)
{
	struct git_take *t = ctx;

	read_sparse(ctx, it);
	if (strcmp(it->section, "core") == 0 && strcmp(it->key, "bare") == 0)
		t->bare = git_config_true(it->value);
	if (strcmp(it->section, "extensions") != 0)
		return 0;
	if (strcmp(it->key, "worktreeconfig") == 0)
		t->apart = git_config_true(it->value);
	if (strcmp(it->key, "objectformat") == 0 && strcmp(it->value, "sha256") == 0)
		t->sum = 32;
	if (strcmp(it->key, "refstorage") == 0 && strcmp(it->value, "files") != 0)
		t->files = false;
	return 0;
}

static int read_settings(struct git_take *t, int git, const char *name,
			 git_config_fn *fn)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_CONFIG_MAX);
	int r = takeover_read(git, name, &text);

	return r < 0 ? r : git_config_parse(buf_cstr(&text), text.len, fn, t);
}

int git_take_base_format(struct git_take *t, struct err *e)
{
	int r;

	t->sum = 20;
	t->files = true;
	t->names = BUF_INIT(256 << 20);
	r = read_settings(t, t->conf->git, "config", read_setting);
	if (r == 0 && t->apart)
		r = read_settings(t, t->conf->git, "config.worktree", read_setting);
	if (t->apart && t->conf->tree)
		(void)read_settings(t, t->conf->tree->git, "config.worktree",
				    read_sparse);
	if (r < 0 && r != -ENOENT)
		return err_set(e, r, "the repository's configuration cannot be read");
	return t->files ? 0
			: err_set(e, -EOPNOTSUPP,
				  "the repository keeps its refs in another way than "
				  "in files");
}

/* ---- where the box started ---------------------------------------------------------------- */

void git_take_base_done(struct git_take_base *b)
{
	git_refs_pair_done(&b->refs);
	git_refs_done(&b->own);
	*b = (struct git_take_base){ 0 };
}

/* A large index is known by its times alone: reading it would be felt at each start. */
static void note_index(const struct git_take *t, struct git_take_base *b)
{
	_cleanup_buf_ struct buf text = BUF_INIT(BASE_INDEX_MAX);
	const int git = git_take_tree_git(t, "index");
	struct stat st;

	if (sys_fstatat(git, "index", &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	b->index_ino = st.st_ino;
	b->index_size = (uint64_t)st.st_size;
	b->index_mtime = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
			 (uint64_t)st.st_mtim.tv_nsec;
	if (st.st_size <= BASE_INDEX_MAX && takeover_read(git, "index", &text) == 0)
		(void)git_index_meaning((const uint8_t *)buf_cstr(&text), text.len,
					t->sum, &b->index_meaning);
}

int git_take_base_now(struct git_take *t, struct git_take_base *ret, struct err *e)
{
	_cleanup_buf_ struct buf head = BUF_INIT(GIT_TEXT_VALUE + 8);
	struct git_take_base b = { 0 };
	int r = git_refs_read(t->conf->git, &b.refs, e);

	if (r < 0)
		return r;
	if (takeover_read(git_take_tree_git(t, "HEAD"), "HEAD", &head) < 0 ||
	    git_text_value(buf_cstr(&head), head.len, b.head) < 0)
		b.head[0] = '\0';
	note_index(t, &b);
	*ret = b;
	return 0;
}

/* ---- on disk ---------------------------------------------------------------------------- */

static void add_all(struct buf *out, const char *word, const struct git_refs *m)
{
	for (size_t i = 0; i < m->n; i++)
		buf_addf(out, "%s %s %s\n", word, m->list[i].name, m->list[i].value);
}

/* Not synced: without it, after a loss of power, the host's refs count as moved, and the
 * box's go to refs/cubby/…. */
int git_take_base_save(const struct git_take *t, struct err *e)
{
	const struct git_take_base *b = &t->base;
	_cleanup_buf_ struct buf text = BUF_INIT(BASE_TEXT);
	_cleanup_close_ int fd = -1;
	int r;

	buf_addf(&text,
		 "index %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\nhead %s\n",
		 b->index_ino, b->index_size, b->index_mtime, b->index_meaning,
		 b->head);
	add_all(&text, "loose", &b->refs.loose);
	add_all(&text, "packed", &b->refs.packed);
	add_all(&text, "own", &b->own);
	if (buf_failed(&text) < 0)
		return err_sys(e, buf_failed(&text),
			       "cannot note the state of a repository");
	fd = sys_openat(t->conf->state, "base.new", O_CREAT | O_TRUNC | O_WRONLY, 0600);
	if (fd < 0)
		return err_sys(e, fd, "cannot note the state of a repository");
	r = file_write_fd(fd, text.data, text.len, e);
	if (r < 0)
		return r;
	r = sys_renameat(t->conf->state, "base.new", t->conf->state, "base");
	return r < 0 ? err_sys(e, r, "cannot note the state of a repository") : 0;
}

static int load_line(struct git_take_base *b, char *line)
{
	char *name = strchr(line, ' '), *value;

	if (!name)
		return -EBADMSG;
	*name++ = '\0';
	if (strcmp(line, "index") == 0)
		return sscanf(name, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
			      &b->index_ino, &b->index_size, &b->index_mtime,
			      &b->index_meaning) == 4
			       ? 0
			       : -EBADMSG;
	if (strcmp(line, "head") == 0) {
		snprintf(b->head, sizeof(b->head), "%s", name);
		return 0;
	}
	value = strchr(name, ' ');
	if (!value)
		return -EBADMSG;
	*value++ = '\0';
	return git_refs_set(strcmp(line, "loose") == 0 ? &b->refs.loose
			    : strcmp(line, "own") == 0 ? &b->own
						       : &b->refs.packed,
			    name, value);
}

int git_take_base_load(struct git_take *t, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(BASE_TEXT);
	int r = takeover_read(t->conf->state, "base", &text);
	char *save = NULL;

	if (r == -ENOENT)
		return 0; /* nothing is where it was */
	if (r == 0 && text.len)
		for (char *l = strtok_r(text.data, "\n", &save); l && r == 0;
		     l = strtok_r(NULL, "\n", &save))
			r = load_line(&t->base, l);
	return r < 0 ? err_sys(e, r, "cannot read the noted state of a repository") : 0;
}
