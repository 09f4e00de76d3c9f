#include "rootfs/store/treemark.h"

#include <dirent.h>

#include "base/dirscan.h"
#include "base/scope.h"
#include "base/sys/sys.h"

struct marking {
	uint64_t sum;
	unsigned names;
	struct err *e;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

/* The order of names is not the same in two looks, so what is said of each is added up. */
static void mark_file(struct marking *m, const struct stat *st)
{
	uint64_t h = mix(st->st_dev, st->st_ino);

	h = mix(h, (uint64_t)st->st_ctim.tv_sec);
	h = mix(h, (uint64_t)st->st_ctim.tv_nsec);
	m->sum += mix(h, (uint64_t)st->st_size);
}

/* The work is done in the order of a tree: as many calls as it is deep, at the most. */
static int mark_dir(struct marking *m, int dir, int depth)
{
	struct dirscan scan;
	struct stat st;
	int r = sys_fstat(dir, &st);

	if (r < 0)
		return err_sys(m->e, r, "cannot look at a directory");
	mark_file(m, &st);
	dirscan_start(&scan, dir);
	while (r >= 0 && dirscan_next(&scan)) {
		_cleanup_close_ int below = -1;

		if (++m->names > TREEMARK_NAMES || depth == TREEMARK_DEPTH)
			return err_set(m->e, -E2BIG, "the tree is too large");
		if (scan.type != DT_DIR) {
			r = sys_fstatat(dir, scan.name, &st, AT_SYMLINK_NOFOLLOW);
			if (r < 0)
				return err_sys(m->e, r, "cannot look at a file");
			mark_file(m, &st);
			if (!S_ISDIR(st.st_mode))
				continue;
		}
		below = sys_openat(dir, scan.name,
				   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK, 0);
		r = below < 0 ? err_sys(m->e, below, "cannot look into a directory")
			      : mark_dir(m, below, depth + 1);
	}
	return r < 0 ? r : dirscan_failed(&scan, m->e);
}

int treemark_of(int dirfd, uint64_t *ret, struct err *e)
{
	_cleanup_close_ int dir = sys_openat(dirfd, ".", O_RDONLY | O_DIRECTORY, 0);
	struct marking m = { .e = e };
	int r = dir < 0 ? err_sys(e, dir, "cannot look at the tree")
			: mark_dir(&m, dir, 0);

	if (r < 0)
		return r;
	*ret = m.sum;
	return 0;
}
