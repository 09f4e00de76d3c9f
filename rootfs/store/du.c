#include "rootfs/store/du.h"

#include "base/dirscan.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { DU_DEPTH = 200 }; /* each level holds a descriptor and 8 KiB of the stack */

static uint64_t add_entry(int parent, const char *name, unsigned depth, bool *whole);

static uint64_t add_dir(int fd, unsigned depth, bool *whole)
{
	struct dirscan scan;
	uint64_t sum = 0;

	dirscan_start(&scan, fd);
	while (dirscan_next(&scan))
		sum += add_entry(fd, scan.name, depth + 1, whole);
	if (scan.failed)
		*whole = false;
	return sum;
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by DU_DEPTH */
static uint64_t add_entry(int parent, const char *name, unsigned depth, bool *whole)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	uint64_t sum;
	int r;

	r = sys_fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW);
	if (r < 0) {
		if (r != -ENOENT || !depth) /* removed meanwhile */
			*whole = false;
		return 0;
	}
	sum = (uint64_t)st.st_blocks * 512;
	if (!S_ISDIR(st.st_mode))
		return sum / MAX(st.st_nlink, (nlink_t)1);
	if (depth < DU_DEPTH)
		fd = sys_openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0) {
		if (fd != -ENOENT)
			*whole = false;
		return sum;
	}
	return sum + add_dir(fd, depth, whole);
}

uint64_t du_tree(int parent, const char *name, bool *whole)
{
	bool all = true;
	uint64_t sum = add_entry(parent, name, 0, &all);

	if (whole)
		*whole = all;
	return sum;
}
