#include "rootfs/store/boxmark.h"

#include <stdio.h>
#include <string.h>

#include "base/sys/sys.h"

enum { MARK_PATH = BOXMARK_ID + 16 };

int boxmark_id(const char *path, const char *name, char ret[BOXMARK_ID])
{
	struct statx st;
	int r = sys_statx(AT_FDCWD, path, 0, STATX_TYPE | STATX_INO | STATX_BTIME, &st);

	if (r < 0)
		return r;
	if (!S_ISDIR(st.stx_mode))
		return -ENOTDIR;
	if (!(st.stx_mask & STATX_BTIME))
		return -ENODATA;
	snprintf(ret, BOXMARK_ID, "%x.%x-%llx-%llx.%x%s%s", st.stx_dev_major,
		 st.stx_dev_minor, (unsigned long long)st.stx_ino,
		 (unsigned long long)st.stx_btime.tv_sec, st.stx_btime.tv_nsec,
		 *name ? "=" : "", name);
	return 0;
}

static void mark_path(char *ret, const char *id)
{
	snprintf(ret, MARK_PATH, "marks/%.*s", BOXMARK_ID, id);
}

static bool is_id(const char *id)
{
	return *id && *id != '.' && !strchr(id, '/') && strlen(id) < BOXMARK_ID;
}

int boxmark_set(const struct store *s, const char *id, const char *key, struct err *e)
{
	char path[MARK_PATH], tmp[HASH_HEX + 16];
	int r;

	if (!is_id(id))
		return err_set(e, -EINVAL, "bad mark of a directory");
	mark_path(path, id);
	r = sys_mkdirat(s->dirfd, "marks", 0700);
	if (r < 0 && r != -EEXIST)
		return err_sys(e, r, "cannot make '%s/marks'", s->path);
	snprintf(tmp, sizeof(tmp), "mark-%s", key);
	(void)sys_unlinkat(s->tmp, tmp, 0);
	r = sys_symlinkat(key, s->tmp, tmp);
	if (r >= 0)
		r = sys_renameat(s->tmp, tmp, s->dirfd, path);
	return r < 0 ? err_sys(e, r, "cannot mark the directory of box '%.12s…'", key)
		     : 0;
}

int boxmark_get(const struct store *s, const char *id, char ret[HASH_HEX])
{
	char path[MARK_PATH], key[HASH_HEX + 1];
	ssize_t n;

	if (!is_id(id))
		return -ENOENT;
	mark_path(path, id);
	n = sys_readlinkat(s->dirfd, path, key, sizeof(key) - 1);
	if (n < 0)
		return -ENOENT;
	key[n] = '\0';
	if (!hash_valid(key))
		return -ENOENT;
	memcpy(ret, key, HASH_HEX);
	return 0;
}

void boxmark_drop(const struct store *s, const char *id, const char *key)
{
	char path[MARK_PATH], has[HASH_HEX];

	if (boxmark_get(s, id, has) < 0 || strcmp(has, key) != 0)
		return;
	mark_path(path, id);
	(void)sys_unlinkat(s->dirfd, path, 0);
}
