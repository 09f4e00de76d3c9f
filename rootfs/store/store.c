#include "rootfs/store/store.h"

#include <stdio.h>

#include "base/file.h"
#include "base/sys/sys.h"

/* Others must never reach a setuid file of an image, hence no bit for them
 * (CVE-2021-41103). */
enum { STORE_MODE = 0700, STORE_OTHERS = 077 };

static int find_path(char ret[PATH_MAX], struct err *e)
{
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	int n;

	/* The base directory specification: a relative path is to be ignored. */
	if (data && data[0] == '/')
		n = snprintf(ret, PATH_MAX, "%s/cubby", data);
	else if (home && home[0] == '/')
		n = snprintf(ret, PATH_MAX, "%s/.local/share/cubby", home);
	else
		return err_set(e, -ENOENT,
			       "no place for the store: neither XDG_DATA_HOME nor "
			       "HOME is an absolute path; set one of them");
	if (n < 0 || n >= PATH_MAX)
		return err_set(e, -ENAMETOOLONG, "path of the store is too long");
	return 0;
}

/* The remedy of what most often goes wrong with a place on disk. */
static int add_remedy(struct err *e)
{
	switch (e->code) {
	case -EROFS:
	case -EACCES:
	case -ENOENT:
	case -ENOTDIR:
		return err_hint(e, "set XDG_DATA_HOME to a directory that you can "
				   "write to");
	default:
		return e->code;
	}
}

static int check_ours(int fd, const char *path, struct err *e)
{
	struct stat st;
	int r;

	r = sys_fstat(fd, &st);
	if (r < 0)
		return err_sys(e, r, "cannot look at store '%s'", path);
	if (st.st_uid != sys_geteuid()) {
		err_set(e, -EPERM, "store '%s' belongs to uid %u, not to uid %u", path,
			st.st_uid, sys_geteuid());
		return err_hint(e, "set XDG_DATA_HOME (under sudo: sudo -H)");
	}
	if (st.st_mode & STORE_OTHERS) {
		err_set(e, -EPERM, "others may enter store '%s' (mode %04o)", path,
			st.st_mode & 07777);
		return err_hint(e, "run: chmod 700 '%s'", path);
	}
	r = sys_faccessat(fd, ".", W_OK, AT_EACCESS);
	if (r < 0) {
		err_sys(e, r, "cannot write to store '%s'", path);
		return add_remedy(e);
	}
	return 0;
}

/* It is there but for the first time. */
static int open_part(int dirfd, const char *path, const char *part, struct err *e)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
	int r = sys_openat(dirfd, part, flags, 0);

	if (r == -ENOENT) {
		r = sys_mkdirat(dirfd, part, STORE_MODE);
		if (r < 0 && r != -EEXIST) {
			err_sys(e, r, "cannot make '%s/%s'", path, part);
			return add_remedy(e);
		}
		r = sys_openat(dirfd, part, flags, 0);
	}
	return r < 0 ? err_sys(e, r, "cannot open '%s/%s'", path, part) : r;
}

static int open_top(struct store *s, struct err *e)
{
	int r;

	r = file_mkdirs(AT_FDCWD, s->path, STORE_MODE, e);
	if (r < 0) {
		err_sys(e, r, "cannot make store '%s'", s->path);
		return add_remedy(e);
	}
	s->dirfd = sys_open(s->path, O_RDONLY | O_DIRECTORY);
	if (s->dirfd < 0)
		return err_sys(e, s->dirfd, "cannot open store '%s'", s->path);
	return check_ours(s->dirfd, s->path, e);
}

int store_open(struct store *ret, struct err *e)
{
	_cleanup_store_ struct store s = STORE_NONE;
	int r;

	r = find_path(s.path, e);
	if (r < 0)
		return r;
	r = open_top(&s, e);
	if (r < 0)
		return r;
	s.images = open_part(s.dirfd, s.path, "images", e);
	if (s.images < 0)
		return s.images;
	s.boxes = open_part(s.dirfd, s.path, "boxes", e);
	if (s.boxes < 0)
		return s.boxes;
	s.tmp = open_part(s.dirfd, s.path, "tmp", e);
	if (s.tmp < 0)
		return s.tmp;
	*ret = take(&s, STORE_NONE);
	return 0;
}

void store_close(struct store *s)
{
	scope_close(&s->tmp);
	scope_close(&s->boxes);
	scope_close(&s->images);
	scope_close(&s->dirfd);
	*s = STORE_NONE;
}
