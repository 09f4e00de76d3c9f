#include "rootfs/store/du.h"

#include "base/dirscan.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { DU_DEPTH = 200 }; /* each level holds a descriptor and 8 KiB of the stack */

static void add_entry(int parent, const char *name, unsigned depth, struct du *sum);

static void add_dir(int fd, unsigned depth, struct du *sum)
{
	struct dirscan scan;

	dirscan_start(&scan, fd);
	while (dirscan_next(&scan))
		add_entry(fd, scan.name, depth + 1, sum);
	sum->partial |= scan.failed != 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by DU_DEPTH */
static void add_entry(int parent, const char *name, unsigned depth, struct du *sum)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	uint64_t bytes;
	int r;

	r = sys_fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW);
	if (r < 0) {
		sum->partial |= r != -ENOENT || !depth; /* removed meanwhile */
		return;
	}
	bytes = (uint64_t)st.st_blocks * 512;
	sum->names++;
	if (!S_ISDIR(st.st_mode)) {
		sum->bytes += bytes / MAX(st.st_nlink, (nlink_t)1);
		return;
	}
	sum->bytes += bytes;
	if (depth < DU_DEPTH)
		fd = sys_openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd >= 0)
		add_dir(fd, depth, sum);
	else
		sum->partial |= fd != -ENOENT;
}

struct du du_tree(int parent, const char *name)
{
	struct du sum = { 0 };

	add_entry(parent, name, 0, &sum);
	return sum;
}
