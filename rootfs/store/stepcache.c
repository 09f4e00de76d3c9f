#include "rootfs/store/stepcache.h"

#include <stdio.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/sys/sys.h"

enum { STEP_PATH = HASH_HEX + 8 };

static int path_of(const char *key, char ret[STEP_PATH], struct err *e)
{
	if (!hash_valid(key))
		return err_set(e, -EINVAL, "bad key of a setup step");
	snprintf(ret, STEP_PATH, "steps/%s", key);
	return 0;
}

bool stepcache_has(const struct store *s, const char *key)
{
	char path[STEP_PATH];

	return path_of(key, path, ERR_IGNORED) == 0 && file_is_there(s->dirfd, path);
}

static int load(const struct store *s, const char *key, struct chain *ret,
		struct err *e)
{
	char path[STEP_PATH];
	int r = path_of(key, path, e);

	if (r < 0)
		return r;
	r = chain_load(s->dirfd, path, ret, e);
	if (r < 0)
		return r;
	(void)sys_utimensat(s->dirfd, path, NULL, 0);
	return 0;
}

/* The new list names what is there already, so a kill at any moment leaves the box as it
 * was, or as it is to be. */
int stepcache_begin(const struct boxdir *b, const char *key, struct err *e)
{
	_cleanup_close_ int layers = chain_dir(b->store, e);
	_cleanup_close_ int lock = layers < 0 ? layers : chain_lock(layers, e);
	struct chain to = { .n = 0 }, was;
	int r;

	if (lock < 0)
		return lock;
	r = (key ? load(b->store, key, &to, e) : 0) ?:
		chain_seal(layers, b, CHAIN_STATE, &was, e) ?:
		chain_save(b->dirfd, "chain", &to, e);
	if (r >= 0 && to.mode)
		(void)sys_fchmodat(b->dirfd, "upper", to.mode, 0);
	return r;
}

int stepcache_keep(const struct boxdir *b, const char *key, struct err *e)
{
	_cleanup_close_ int layers = chain_dir(b->store, e);
	_cleanup_close_ int lock = layers < 0 ? layers : chain_lock(layers, e);
	char path[STEP_PATH];
	struct chain c;
	int r;

	if (lock < 0)
		return lock;
	r = path_of(key, path, e) ?: file_mkdirs(b->store->dirfd, "steps", 0700, e) ?:
		chain_seal(layers, b, CHAIN_STATE, &c, e);
	if (r < 0)
		return r;
	c.project[0] = '\0'; /* that is the box's own */
	c.made = sys_wall().tv_sec;
	return chain_save(b->store->dirfd, path, &c, e);
}

int stepcache_list(const struct store *s, stepcache_fn *each, void *ctx, struct err *e)
{
	_cleanup_close_ int dir =
		sys_openat(s->dirfd, "steps", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	struct dirscan scan;
	int r = 0;

	if (dir == -ENOENT)
		return 0;
	if (dir < 0)
		return err_sys(e, dir, "cannot list the results of setup steps");
	dirscan_start(&scan, dir);
	while (r >= 0 && dirscan_next(&scan)) {
		struct chain c;
		struct stat st;

		if (!hash_valid(scan.name)) /* a write that was cut off */
			continue;
		r = sys_fstatat(dir, scan.name, &st, AT_SYMLINK_NOFOLLOW);
		if (r < 0)
			return err_sys(e, r, "cannot look at a setup step");
		r = chain_load(dir, scan.name, &c, e)
			    ?: each(ctx, scan.name, &c, st.st_mtim.tv_sec);
	}
	return r < 0 ? r : dirscan_failed(&scan, e);
}

int stepcache_forget(const struct store *s, const char *key, struct err *e)
{
	char path[STEP_PATH];
	int r = path_of(key, path, e) ?: sys_unlinkat(s->dirfd, path, 0);

	return r < 0 && r != -ENOENT
		       ? err_sys(e, r, "cannot forget the result of a setup step")
		       : 0;
}
