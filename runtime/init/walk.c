#include "runtime/init/walk.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "base/dirscan.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

struct walk {
	walk_fn *fn;
	void *ctx;
	char path[PATH_MAX];
	unsigned seen;
	bool stopped, cut;
};

void walk_names_free(char ***names)
{
	for (char **n = *names; n && *n; n++)
		free(*n);
	free(*names);
	*names = NULL;
}

int walk_names(int dirfd, char ***ret, struct err *e)
{
	_cleanup_(walk_names_free) char **names = calloc(1, sizeof(*names));
	size_t n = 0, room = 1;
	struct dirscan scan;
	int r;

	if (names)
		*names = NULL; /* as it is; gcc's analyzer does not know it */
	dirscan_start(&scan, dirfd);
	while (names && dirscan_next(&scan)) {
		if (n + 1 == room) {
			char **more = realloc(names, room * 2 * sizeof(*names));

			if (!more)
				return err_sys(e, -ENOMEM, "cannot read a directory");
			names = more;
			room *= 2;
		}
		names[n] = strdup(scan.name);
		if (!names[n])
			return err_sys(e, -ENOMEM, "cannot read a directory");
		names[++n] = NULL;
	}
	r = dirscan_failed(&scan, e);
	if (r < 0 || !names)
		return r < 0 ? r : err_sys(e, -ENOMEM, "cannot read a directory");
	qsort(names, n, sizeof(*names), text_order);
	*ret = take(&names, NULL);
	return 0;
}

bool walk_is_kernels(int fd)
{
	struct statfs fs;

	return sys_fstatfs(fd, &fs) == 0 &&
	       (fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC);
}

static int walk_dir(struct walk *w, int dirfd, unsigned depth, struct err *e);

static int walk_into(struct walk *w, int dirfd, const char *name, unsigned depth,
		     struct err *e)
{
	_cleanup_close_ int fd =
		sys_openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);

	if (fd < 0 || depth == WALK_DEPTH || walk_is_kernels(fd))
		return 0; /* what cannot be read is left out */
	return walk_dir(w, fd, depth, ERR_IGNORED) == -ENOMEM
		       ? err_sys(e, -ENOMEM, "cannot search")
		       : 0;
}

static int walk_one(struct walk *w, int dirfd, const char *name, unsigned depth,
		    struct err *e)
{
	size_t len = strlen(w->path), n = strlen(name);
	struct stat st, link;
	struct walk_entry entry = {
		.dirfd = dirfd, .name = name, .path = w->path, .st = &st
	};
	enum walk_next next;
	int r = 0;

	if (len + n + 2 > sizeof(w->path) ||
	    sys_fstatat(dirfd, name, &link, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (sys_fstatat(dirfd, name, &st, 0) < 0)
		st = link;
	if (len)
		w->path[len++] = '/';
	memcpy(w->path + len, name, n + 1);
	entry.directory = S_ISDIR(st.st_mode);
	w->cut = ++w->seen >= WALK_MOST;
	next = w->fn(w->ctx, &entry);
	w->stopped = next == WALK_STOP || w->cut;
	if (!w->stopped && next == WALK_ON && S_ISDIR(link.st_mode))
		r = walk_into(w, dirfd, name, depth + 1, e);
	return r;
}

static int walk_dir(struct walk *w, int dirfd, unsigned depth, struct err *e)
{
	_cleanup_(walk_names_free) char **names = NULL;
	size_t len = strlen(w->path);
	int r = walk_names(dirfd, &names, e);

	for (char **n = names; r >= 0 && n && *n && !w->stopped; n++) {
		r = walk_one(w, dirfd, *n, depth, e);
		w->path[len] = '\0';
	}
	return r;
}

int walk_tree(const char *path, walk_fn *fn, void *ctx, struct err *e)
{
	_cleanup_close_ int fd = sys_open(path, O_RDONLY | O_DIRECTORY);
	_cleanup_free_ struct walk *w = calloc(1, sizeof(*w));
	int r;

	if (fd < 0)
		return err_sys(e, fd, "cannot open '%s'", path);
	if (!w)
		return err_sys(e, -ENOMEM, "cannot search");
	w->fn = fn;
	w->ctx = ctx;
	r = walk_dir(w, fd, 0, e);
	return r < 0 ? r : w->cut;
}
