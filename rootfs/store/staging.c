#include "rootfs/store/staging.h"

#include <stdio.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"

/* A new directory has no lock for a moment. While it is being made, and while a cleaner
 * looks for such without one, tmp/ itself is locked. The lock goes with its descriptor,
 * which must therefore be an own one. */
static int lock_tmp(const struct store *s)
{
	int fd = sys_openat(s->tmp, ".", O_RDONLY | O_DIRECTORY, 0);
	int r;

	if (fd < 0)
		return fd;
	r = sys_flock(fd, LOCK_EX);
	if (r < 0)
		scope_close(&fd);
	return r < 0 ? r : fd;
}

static int random_name(char ret[STAGING_NAME], const char *kind)
{
	uint64_t nonce;

	if (sys_getrandom(&nonce, sizeof(nonce)) != (ssize_t)sizeof(nonce))
		return -EIO;
	snprintf(ret, STAGING_NAME, "%s-%016llx", kind, (unsigned long long)nonce);
	return 0;
}

int staging_new(const struct store *s, const char *kind, struct staging *ret,
		struct err *e)
{
	_cleanup_staging_ struct staging st = STAGING_NONE;
	_cleanup_close_ int guard = lock_tmp(s);
	int r = guard;

	if (r >= 0)
		r = random_name(st.name, kind) ?: sys_mkdirat(s->tmp, st.name, 0700);
	if (r >= 0)
		r = st.dirfd = sys_openat(s->tmp, st.name,
					  O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (r < 0)
		return err_sys(e, r, "cannot make a directory in '%s/tmp'", s->path);
	st.lock = file_lock(st.dirfd, "lock", false, e);
	if (st.lock < 0)
		return err_wrap(e, "'%s/tmp'", s->path);
	*ret = take(&st, STAGING_NONE);
	return 0;
}

void staging_close(struct staging *st)
{
	scope_close(&st->dirfd);
	scope_close(&st->lock);
	*st = STAGING_NONE;
}

void staging_remove(const struct store *s, struct staging *st, boxdir_rm_fn *rm,
		    void *ctx)
{
	if (st->dirfd >= 0)
		(void)rm(ctx, s->tmp, st->name, ERR_IGNORED);
	staging_close(st);
}

/* Takes a name away from whoever might still use it. Return: 1 = it is to be removed. */
static int claim(const struct store *s, const char *name, struct err *e)
{
	_cleanup_close_ int dir = -1;
	_cleanup_close_ int lock = -1;
	char dead[STAGING_NAME + 8];

	if (text_starts(name, "dead-"))
		return 1;
	dir = sys_openat(s->tmp, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (dir >= 0)
		lock = file_lock(dir, "lock", false, e);
	if (lock == -EWOULDBLOCK)
		return 0;
	/* No directory, or one that gives no lock: nobody's. */
	if (random_name(dead, "dead") < 0 ||
	    sys_renameat(s->tmp, name, s->tmp, dead) < 0)
		return 0;
	return 1;
}

static int claim_all(const struct store *s, struct err *e)
{
	_cleanup_close_ int guard = lock_tmp(s);
	struct dirscan scan;

	if (guard < 0)
		return err_sys(e, guard, "cannot lock '%s/tmp'", s->path);
	dirscan_start(&scan, guard);
	while (dirscan_next(&scan))
		(void)claim(s, scan.name, e);
	return dirscan_failed(&scan, e);
}

int staging_drop(const struct store *s, const char *name, boxdir_rm_fn *rm, void *ctx,
		 struct err *e)
{
	int r = rm(ctx, s->tmp, name, e);
	struct stat st;

	if (r >= 0 || sys_fstatat(s->tmp, name, &st, AT_SYMLINK_NOFOLLOW) != -ENOENT)
		return r;
	*e = ERR_NONE;
	return 0;
}

int staging_clean(const struct store *s, boxdir_rm_fn *rm, void *ctx, struct err *e)
{
	_cleanup_close_ int dir = -1;
	struct dirscan scan;
	int r, count = 0;

	r = claim_all(s, e);
	if (r < 0)
		return r;
	dir = file_open_dir(s->tmp, ".", e);
	if (dir < 0)
		return dir;
	dirscan_start(&scan, dir);
	while (r >= 0 && dirscan_next(&scan)) {
		if (!text_starts(scan.name, "dead-"))
			continue;
		r = staging_drop(s, scan.name, rm, ctx, e);
		count += r >= 0;
	}
	r = r < 0 ? r : dirscan_failed(&scan, e);
	return r < 0 ? r : count;
}
