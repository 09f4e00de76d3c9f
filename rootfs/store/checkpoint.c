#include "rootfs/store/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/num.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { CHECKPOINT_TEXT = 4096, CHECKPOINT_DIGITS = 9, REWIND_TEXT = 24 };

static const char rewinding[] = "rewinding"; /* in the box's directory */

static int open_all(const struct boxdir *b)
{
	return sys_openat(b->dirfd, "checkpoints", O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
			  0);
}

/* The list of layers is chain.h's, so that whoever collects layers can read it. */
static int load(int dir, const char *name, struct checkpoint *ret, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	struct chain c;
	int r = chain_load(dir, name, &c, e)
			?: json_read(dir, name, CHECKPOINT_TEXT, &j, e);

	if (r < 0)
		return r;
	*ret = (struct checkpoint){ .made = c.made,
				    .applied = json_get_int(j, "applied", 0),
				    .written = json_get_int(j, "written", 0) };
	(void)text_copy(ret->name, sizeof(ret->name), name);
	(void)text_copy(ret->project, sizeof(ret->project), c.project);
	(void)text_copy(ret->sign, sizeof(ret->sign), json_get_str(j, "sign") ?: "");
	(void)text_copy(ret->task, sizeof(ret->task), json_get_str(j, "task") ?: "");
	return 0;
}

static bool is_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') &&
	       strlen(name) < CHECKPOINT_NAME;
}

int checkpoint_load(const struct boxdir *b, const char *name, struct checkpoint *ret,
		    struct err *e)
{
	_cleanup_close_ int dir = open_all(b);
	int r = !is_name(name) || dir == -ENOENT ? -ENOENT : dir;

	if (r >= 0)
		r = load(dir, name, ret, e);
	if (r != -ENOENT)
		return r < 0 && !e->code ? err_sys(e, r, "cannot read a checkpoint")
					 : r;
	*e = ERR_NONE;
	err_set(e, r, "the box has no checkpoint '%s'", name);
	return err_hint(e, "'cubby rewind --list' lists them");
}

int checkpoint_save(const struct boxdir *b, const struct checkpoint *c, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	_cleanup_close_ int dir = file_make_dir(b->dirfd, "checkpoints", 0700, e);

	if (dir < 0)
		return dir;
	if (*c->project)
		json_set_str(j, "project", c->project);
	json_set_str(j, "sign", c->sign);
	json_set_str(j, "task", c->task);
	json_set_int(j, "applied", c->applied);
	json_set_int(j, "written", c->written);
	json_set_int(j, "made", sys_wall().tv_sec);
	return json_print_file(dir, c->name, j, CHECKPOINT_TEXT, file_replace, e);
}

int checkpoint_list(const struct boxdir *b, checkpoint_fn *each, void *ctx,
		    struct err *e)
{
	_cleanup_close_ int dir = open_all(b);
	struct dirscan scan;
	int r = 0;

	if (dir == -ENOENT)
		return 0;
	if (dir < 0)
		return err_sys(e, dir, "cannot list checkpoints");
	dirscan_start(&scan, dir);
	while (r >= 0 && dirscan_next(&scan)) {
		struct checkpoint c;

		if (!is_name(scan.name)) /* a write that was cut off */
			continue;
		r = load(dir, scan.name, &c, e) ?: each(ctx, &c);
	}
	return r < 0 ? r : dirscan_failed(&scan, e);
}

int64_t checkpoint_number(const char *name)
{
	int64_t n = 0;

	if (!*name || strlen(name) > CHECKPOINT_DIGITS || (*name == '0' && name[1]))
		return -1;
	for (; *name; name++) {
		if (*name < '0' || *name > '9')
			return -1;
		n = 10 * n + (*name - '0');
	}
	return n;
}

static int note_last(void *ctx, const struct checkpoint *c)
{
	struct checkpoint *last = ctx;
	int64_t best = *last->name ? checkpoint_number(last->name) : -1;

	if (checkpoint_number(c->name) > best)
		*last = *c;
	return 0;
}

int checkpoint_last(const struct boxdir *b, struct checkpoint *ret, struct err *e)
{
	struct checkpoint last = { .name = "" };
	int r = checkpoint_list(b, note_last, &last, e);

	if (r < 0 || !*last.name)
		return r;
	*ret = last;
	return 1;
}

int checkpoint_forget(const struct boxdir *b, int64_t first, struct err *e)
{
	_cleanup_close_ int dir = open_all(b);
	struct dirscan scan;

	if (dir == -ENOENT)
		return 0;
	if (dir < 0)
		return err_sys(e, dir, "cannot list checkpoints");
	dirscan_start(&scan, dir);
	while (dirscan_next(&scan))
		if (checkpoint_number(scan.name) >= first)
			(void)sys_unlinkat(dir, scan.name, 0);
	return dirscan_failed(&scan, e);
}

int checkpoint_restore(const struct boxdir *b, const struct checkpoint *c,
		       int64_t applied, struct err *e)
{
	_cleanup_close_ int layers = chain_dir(b->store, e);
	_cleanup_close_ int lock = layers < 0 ? layers : chain_lock(layers, e);
	struct checkpoint before = { .name = CHECKPOINT_BEFORE, .applied = applied };
	struct chain now;
	int r = lock < 0 ? lock : chain_seal(layers, b, CHAIN_PROJECT, &now, e);

	if (r < 0)
		return r;
	(void)text_copy(before.project, sizeof(before.project), now.project);
	r = checkpoint_save(b, &before, e);
	(void)text_copy(now.project, sizeof(now.project), c->project);
	return r < 0 ? r : chain_save(b->dirfd, "chain", &now, e);
}

int checkpoint_rewind(int boxdir, int64_t after, struct err *e)
{
	char text[REWIND_TEXT];
	int r;

	if (after < 0) {
		r = sys_unlinkat(boxdir, rewinding, 0);
		return r < 0 && r != -ENOENT ? err_sys(e, r, "cannot end a rewind") : 0;
	}
	r = snprintf(text, sizeof(text), "%" PRId64, after);
	return file_replace(boxdir, rewinding,
			    &(struct file_data){ text, (size_t)r, 0600 }, e);
}

int64_t checkpoint_rewinding(int boxdir)
{
	_cleanup_buf_ struct buf text = BUF_INIT(REWIND_TEXT);
	uint64_t n;

	return file_read(boxdir, rewinding, &text, ERR_IGNORED) == 0 &&
			       num_range(buf_cstr(&text), 0, INT32_MAX, &n) == 0
		       ? (int64_t)n
		       : -1;
}
