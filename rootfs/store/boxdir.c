#include "rootfs/store/boxdir.h"

#include <stdio.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "rootfs/store/boxmark.h"
#include "rootfs/store/staging.h"

enum { BOX_JSON_MAX = 1 << 20 }; /* bytes */

/* All that a box directory has. Whoever opens one makes what is missing, so a crash
 * between two mkdirs needs no repair. */
static const struct part {
	const char *name;
	mode_t mode;
} parts[] = {
	{ "upper", 0755 },
	{ "work", 0755 },
	{ "transcripts", 0700 },
};

static int make_part(int dirfd, const struct part *p, struct err *e)
{
	int r;

	r = sys_mkdirat(dirfd, p->name, p->mode);
	if (r == -EEXIST)
		return 0;
	if (r >= 0) /* whatever the umask: 0755 is what the box sees of its root */
		r = sys_fchmodat(dirfd, p->name, p->mode, 0);
	if (r < 0)
		return err_sys(e, r, "cannot make '%s' of a box", p->name);
	return 0;
}

static int make_all(const struct store *s, const char *key, struct err *e)
{
	_cleanup_close_ int dirfd = -1;
	int r;

	r = sys_mkdirat(s->boxes, key, 0700);
	if (r < 0 && r != -EEXIST)
		return err_sys(e, r, "cannot make '%s/boxes/%.12s…'", s->path, key);
	dirfd = file_open_dir(s->boxes, key, e);
	if (dirfd < 0)
		return dirfd;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		r = make_part(dirfd, &parts[i], e);
		if (r < 0)
			return r;
	}
	return 0;
}

void boxdir_unmake(const struct store *s, const char *key)
{
	_cleanup_close_ int dirfd = sys_openat(s->boxes, key, O_PATH | O_DIRECTORY, 0);

	if (dirfd < 0 || sys_faccessat(dirfd, "box.json", F_OK, 0) != -ENOENT)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		(void)sys_unlinkat(dirfd, parts[i].name, AT_REMOVEDIR);
	(void)sys_unlinkat(s->boxes, key, AT_REMOVEDIR);
}

/* Only as a place: its rights are the box's to change, down to none at all. */
static int open_layer(const struct boxdir *b, const char *name, struct err *e)
{
	int fd = sys_openat(b->dirfd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);

	return fd < 0 ? err_sys(e, fd, "box '%.12s…': cannot open '%s'", b->key, name)
		      : fd;
}

int boxdir_open(const struct store *s, const char *key, bool create, struct boxdir *ret,
		struct err *e)
{
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	int r;

	if (!hash_valid(key))
		return err_set(e, -EINVAL, "bad box key '%s'", key);
	if (create) {
		r = make_all(s, key, e);
		if (r < 0)
			return r;
	}
	b.store = s;
	memcpy(b.key, key, sizeof(b.key));
	b.dirfd = sys_openat(s->boxes, key, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (b.dirfd == -ENOENT)
		return err_set(e, -ENOENT, "no such box '%.12s…'", key);
	if (b.dirfd < 0)
		return err_sys(e, b.dirfd, "cannot open box '%.12s…'", key);
	b.upper = open_layer(&b, "upper", e);
	if (b.upper < 0)
		return b.upper;
	b.work = open_layer(&b, "work", e);
	if (b.work < 0)
		return b.work;
	*ret = take(&b, BOXDIR_NONE);
	return 0;
}

void boxdir_close(struct boxdir *b)
{
	scope_close(&b->work);
	scope_close(&b->upper);
	scope_close(&b->dirfd);
	*b = BOXDIR_NONE;
}

int boxdir_load(const struct boxdir *b, struct json **ret, struct err *e)
{
	int r = json_read(b->dirfd, "box.json", BOX_JSON_MAX, ret, e);

	return r < 0 ? err_wrap(e, "box '%.12s…'", b->key) : 0;
}

int boxdir_save(const struct boxdir *b, const struct json *j, struct err *e)
{
	int r = json_print_file(b->dirfd, "box.json", j, BOX_JSON_MAX, file_replace, e);

	return r < 0 ? err_wrap(e, "box '%.12s…'", b->key) : 0;
}

int boxdir_lock(const struct boxdir *b, bool wait, struct err *e)
{
	int fd;

	fd = file_lock(b->dirfd, "lock", wait, e);
	if (fd < 0)
		return err_wrap(e, "box '%.12s…'", b->key);
	return fd;
}

int boxdir_list(const struct store *s, int (*each)(void *ctx, const char *key),
		void *ctx, struct err *e)
{
	struct dirscan scan;
	int r;

	dirscan_start(&scan, s->boxes);
	while (dirscan_next(&scan)) {
		if (!hash_valid(scan.name))
			continue;
		r = each(ctx, scan.name);
		if (r < 0)
			return r;
	}
	return dirscan_failed(&scan, e);
}

static void drop_mark(const struct store *s, const struct boxdir *b)
{
	_cleanup_json_ struct json *j = NULL;
	const char *mark =
		boxdir_load(b, &j, ERR_IGNORED) < 0 ? NULL : json_get_str(j, "mark");

	if (mark)
		boxmark_drop(s, mark, b->key);
}

/* What was done in the box outlives what is wiped. */
static int keep_logs(const struct store *s, const char *from, const char *key,
		     struct err *e)
{
	static const char *const logs[] = { "transcripts", "net.jsonl", "net.jsonl.1" };
	char a[HASH_HEX + 48], b[HASH_HEX + 48];
	int r = sys_mkdirat(s->boxes, key, 0700);

	for (size_t i = 0; i < ARRAY_SIZE(logs) && r >= 0; i++) {
		snprintf(a, sizeof(a), "%s/%s", from, logs[i]);
		snprintf(b, sizeof(b), "%s/%s", key, logs[i]);
		r = sys_renameat(s->tmp, a, s->boxes, b);
		if (r == -ENOENT)
			r = 0;
	}
	return r < 0 ? err_sys(e, r, "cannot keep the logs of box '%.12s…'", key) : 0;
}

int boxdir_lost(const struct stat *mark, struct err *e)
{
	if (mark->st_mtim.tv_sec >= sys_boot_s())
		return 0;
	err_set(e, -ESTALE,
		"the computer went down before the box of a --rm was removed, and "
		"files "
		"of it may be lost");
	return err_hint(e, "'cubby rm' removes it");
}

/* The kernel closes its directory there to all but root; the next mount makes it anew. */
int boxdir_whole(const struct boxdir *b, struct err *e)
{
	struct stat mark;
	int r = sys_fstatat(b->work, BOXDIR_VOLATILE, &mark, AT_SYMLINK_NOFOLLOW);

	if (r == -EACCES && sys_fchmodat(b->work, "work", 0700, 0) == 0)
		r = sys_fstatat(b->work, BOXDIR_VOLATILE, &mark, AT_SYMLINK_NOFOLLOW);
	if (r == 0)
		return boxdir_lost(&mark, e);
	return r == -ENOENT || r == -ENOTDIR
		       ? 0
		       : err_sys(e, r, "box '%.12s…': cannot look at 'work'", b->key);
}

int boxdir_wipe(const struct store *s, const char *key, bool logs,
		const struct boxdir_rm *rm, struct err *e)
{
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	_cleanup_close_ int lock = -1;
	char name[HASH_HEX + 16];
	int r;

	r = boxdir_open(s, key, false, &b, e);
	if (r < 0)
		return r;
	lock = boxdir_lock(&b, false, e);
	if (lock == -EWOULDBLOCK)
		return err_set(e, -EBUSY, "box '%.12s…' is running", key);
	if (lock < 0)
		return lock;
	drop_mark(s, &b);
	snprintf(name, sizeof(name), "box-%s", key);
	r = sys_renameat(s->boxes, key, s->tmp, name);
	if (r == -ENOTEMPTY || r == -EEXIST) { /* of an interrupted removal */
		r = staging_drop(s, name, rm->fn, rm->ctx, e);
		if (r < 0)
			return r;
		r = sys_renameat(s->boxes, key, s->tmp, name);
	}
	if (r < 0)
		return err_sys(e, r, "cannot remove box '%.12s…'", key);
	r = logs ? keep_logs(s, name, key, e) : 0;
	/* Once its lock is removed anybody may take it away (staging_clean()). */
	return r < 0 ? r : staging_drop(s, name, rm->fn, rm->ctx, e);
}
