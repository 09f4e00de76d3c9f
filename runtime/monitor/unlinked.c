#include "runtime/monitor/unlinked.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>

#include "base/dirscan.h"
#include "base/grow.h"
#include "base/num.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { LOOK = AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC };

struct file {
	uint64_t ino, bytes;
};

struct look {
	uint64_t root; /* the mount */
	bool overlay;
	struct file *list; /* owned */
	size_t n;
	unsigned seen; /* descriptors */
};

static void look_done(struct look *l)
{
	free(l->list);
}

static bool is_on_overlay(int dir, const char *name)
{
	_cleanup_close_ int fd = sys_openat(dir, name, O_PATH, 0);
	struct statfs fs;

	return sys_fstatfs(fd, &fs) >= 0 && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

static int look_at(struct look *l, int dir, const char *name)
{
	struct statx st;

	if (++l->seen > UNLINKED_DESCRIPTORS)
		return -E2BIG;
	if (sys_statx(dir, name, LOOK, STATX_BASIC_STATS | STATX_MNT_ID, &st) < 0 ||
	    !S_ISREG(st.stx_mode) || st.stx_nlink || !st.stx_blocks ||
	    (st.stx_mnt_id != l->root && !(l->overlay && is_on_overlay(dir, name))))
		return 0;
	if (!grow_room(l->list, l->n))
		return -ENOMEM;
	l->list[l->n++] = (struct file){ st.stx_ino, st.stx_blocks * 512 };
	return 0;
}

/* A process that has just ended has none. */
static int look_into(struct look *l, int proc, const char *pid)
{
	_cleanup_close_ int dir = sys_openat(proc, procfs_path("%.15s/fd", pid),
					     O_RDONLY | O_DIRECTORY, 0);
	struct dirscan scan;
	int r = 0;

	dirscan_start(&scan, dir);
	while (r == 0 && dirscan_next(&scan))
		r = look_at(l, dir, scan.name);
	return r;
}

static int by_inode(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	return (x->ino > y->ino) - (x->ino < y->ino);
}

int unlinked_bytes(int proc, bool overlay, uint64_t *ret, struct err *e)
{
	_cleanup_(look_done) struct look l = { .overlay = overlay };
	struct dirscan scan;
	struct statx root;
	uint64_t pid;
	int r = sys_statx(proc, "1/root", LOOK, STATX_MNT_ID, &root);

	*ret = 0;
	if (r < 0) /* init has ended */
		return 0;
	l.root = root.stx_mnt_id;
	dirscan_start(&scan, proc);
	while (r == 0 && dirscan_next(&scan))
		if (num_range(scan.name, 1, INT32_MAX, &pid) == 0)
			r = look_into(&l, proc, scan.name);
	if (r < 0)
		return err_sys(e, r, "cannot look at what the box has open");
	if (l.n)
		qsort(l.list, l.n, sizeof(*l.list), by_inode);
	for (size_t i = 0; i < l.n; i++)
		if (!i || l.list[i].ino != l.list[i - 1].ino)
			*ret += l.list[i].bytes;
	return 0;
}
