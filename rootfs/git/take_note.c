/* Theory of operation
 *
 * "steps" in the record has a line for each thing that is about to be taken over; it is on
 * disk before that is done:
 *
 *   head VALUE           what HEAD said before the first of them; "-" = nothing
 *   tip VALUE            where the branch was that HEAD was on; "-" = there was none
 *   ref OLD NEW NAME     "-" = there is none
 *   file I NEW NAME      I: the file of the record that has what was there, "-" = nothing
 *                        NEW: stands for what comes (git_take_note_mark()), "-" = nothing
 *
 * To take back is to read it from the last line to the first: what is as NEW says becomes
 * what it was, what is that already stays, and what is neither was changed since and stays,
 * too. So a line whose thing was never done is none, and all of it may be done again. */
#include "rootfs/git/take_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/index.h"

enum { FILE_TRIES = 10000 };

static const char none[] = "-";

static int fail(struct err *e, int code)
{
	return err_sys(e, code, "cannot note what is taken over for git");
}

/* ---- what a file is ----------------------------------------------------------------------- */

/* Of an index what it means: the host's git writes its times anew. */
void git_take_note_mark(const struct git_take *t, const char *path,
			const struct buf *text, char ret[HASH_HEX])
{
	uint64_t meaning;

	if (strcmp(path, "index") == 0 &&
	    git_index_meaning((const uint8_t *)buf_cstr(text), text->len, t->sum,
			      &meaning) == 0)
		snprintf(ret, HASH_HEX, "%016" PRIx64, meaning);
	else
		hash_text(buf_cstr(text), text->len, ret);
}

/* Of the host's file @path, whose text goes to @text; "-" = there is none. */
int git_take_note_now(const struct git_take *t, const char *path, struct buf *text,
		      char ret[HASH_HEX], struct err *e)
{
	int r = takeover_read(git_take_tree_git(t, path), path, text);

	if (r == -ENOENT) {
		memcpy(ret, none, sizeof(none));
		return 0;
	}
	if (r < 0)
		return err_sys(e, r, "cannot read a file of the repository");
	git_take_note_mark(t, path, text, ret);
	return 0;
}

void git_take_note_head(const struct git_take *t, char ret[GIT_TEXT_VALUE])
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_TEXT_VALUE + 8);

	if (takeover_read(git_take_tree_git(t, "HEAD"), "HEAD", &text) < 0 ||
	    git_text_value(buf_cstr(&text), text.len, ret) < 0)
		memcpy(ret, none, sizeof(none));
}

/* ---- noting ------------------------------------------------------------------------------- */

static bool is_symbolic(const char *value)
{
	return value && text_starts(value, "ref: ");
}

/* Behind a line's end of its own: a loss of power may have left half of the last one. */
static int add_steps(const struct git_take *t, const struct buf *lines, struct err *e)
{
	struct stat st;
	_cleanup_close_ int fd =
		sys_openat(t->conf->record, "steps",
			   O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
	_cleanup_buf_ struct buf all = BUF_INIT(GIT_TAKE_STEPS);
	char head[GIT_TEXT_VALUE];
	int r = fd < 0 ? fd : sys_fstat(fd, &st);

	if (r < 0)
		return fail(e, r);
	git_take_note_head(t, head);
	if (st.st_size == 0)
		buf_addf(&all, "head %s\ntip %s", head,
			 (is_symbolic(head) ? git_refs_pair_get(&t->now, head + 5)
					    : NULL)
				 ?: none);
	buf_addc(&all, '\n');
	buf_add(&all, buf_cstr(lines), lines->len);
	if (buf_failed(&all) < 0)
		return fail(e, buf_failed(&all));
	r = file_write_fd(fd, all.data, all.len, e);
	if (r < 0)
		return r;
	r = sys_fdatasync(fd);
	if (r == 0 && st.st_size == 0)
		r = sys_fsync(t->conf->record);
	return r < 0 ? fail(e, r) : 0;
}

int git_take_note_refs(const struct git_take *t, const struct git_refs *todo,
		       struct err *e)
{
	_cleanup_buf_ struct buf lines = BUF_INIT(GIT_TAKE_STEPS);

	for (size_t i = 0; i < todo->n && t->conf->record >= 0; i++) {
		const struct git_ref *x = &todo->list[i];
		const char *now = git_refs_pair_get(&t->now, x->name);

		/* The one is a file, the other nothing that git moves. */
		if (!is_symbolic(x->value) && !is_symbolic(now))
			buf_addf(&lines, "ref %s %s %s\n", now ?: none, x->value,
				 x->name);
	}
	if (buf_failed(&lines) < 0)
		return fail(e, buf_failed(&lines));
	return lines.len ? add_steps(t, &lines, e) : 0;
}

/* Under a number of its own. */
static int keep_text(const struct git_take *t, const struct buf *text, char name[16],
		     struct err *e)
{
	_cleanup_close_ int fd = -EEXIST;
	int r;

	for (unsigned i = 0; fd == -EEXIST && i < FILE_TRIES; i++) {
		snprintf(name, 16, "%u", i);
		fd = sys_openat(t->conf->record, name, O_WRONLY | O_CREAT | O_EXCL,
				0600);
	}
	if (fd < 0)
		return fail(e, fd);
	r = file_write_fd(fd, buf_cstr(text), text->len, e);
	if (r < 0)
		return r;
	r = sys_fdatasync(fd) ?: sys_fsync(t->conf->record);
	return r < 0 ? fail(e, r) : 0;
}

int git_take_note_file(const struct git_take *t, const char *path,
		       const struct buf *next, struct err *e)
{
	_cleanup_buf_ struct buf now = BUF_INIT(GIT_INDEX_MAX), line = BUF_INIT(1024);
	char was[HASH_HEX], comes[HASH_HEX] = "-", kept[16] = "-";
	int r = t->conf->record < 0 ? 0 : git_take_note_now(t, path, &now, was, e);

	if (r < 0 || t->conf->record < 0)
		return r;
	if (next)
		git_take_note_mark(t, path, next, comes);
	if (r < 0 || strcmp(was, comes) == 0)
		return r;
	r = strcmp(was, none) != 0 ? keep_text(t, &now, kept, e) : 0;
	if (r < 0)
		return r;
	r = buf_addf(&line, "file %s %s %s\n", kept, comes, path);
	return r < 0 ? fail(e, r) : add_steps(t, &line, e);
}

int git_take_note_put(const struct git_take *t, const struct takeover_file *f,
		      struct err *e)
{
	_cleanup_buf_ struct buf next = BUF_INIT(GIT_INDEX_MAX);
	int r;

	if (t->conf->record < 0)
		return takeover_put(git_take_tree_git(t, f->path), f, e);
	r = buf_add(&next, f->data, f->len);
	r = r < 0 ? fail(e, r) : git_take_note_file(t, f->path, &next, e);
	return r < 0 ? r : takeover_put(git_take_tree_git(t, f->path), f, e);
}

int git_take_note_remove(const struct git_take *t, const char *path, struct err *e)
{
	int r = git_take_note_file(t, path, NULL, e);

	return r < 0 ? r : takeover_remove(git_take_tree_git(t, path), path, e);
}
