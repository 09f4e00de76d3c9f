/* layer_dirs - a project and the layer over it, made by hand, for the tests of a review.
 * Needs:  unit_tmpdir().
 * Owns:   its descriptors.
 * Never:  mounts anything. */
#ifndef TESTS_UNIT_ROOTFS_REVIEW_LAYER_DIRS_H
#define TESTS_UNIT_ROOTFS_REVIEW_LAYER_DIRS_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "rootfs/review/diff.h"
#include "tests/unit/unit.h"

struct layer_dirs {
	int box, project, upper; /* owned */
};

/* By the C library's calls: only those of the work itself are to fail. */
static inline int layer_dirs_open(const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", unit_tmpdir(), name);
	(void)mkdir(path, 0755);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static inline void layer_dirs_make(struct layer_dirs *d)
{
	d->box = layer_dirs_open("box");
	d->project = layer_dirs_open("p");
	(void)layer_dirs_open("box/project");
	d->upper = layer_dirs_open("box/project/upper");
}

static inline void layer_dirs_put(int dir, const char *path, const char *text)
{
	int fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static inline void layer_dirs_gone(int dir, const char *path)
{
	if (mknodat(dir, path, S_IFCHR, 0) < 0)
		unit_skip("no device 0:0 can be made here");
}

static inline void layer_dirs_opaque(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	if (fsetxattr(fd, "user.overlay.opaque", "y", 1, 0) < 0)
		unit_skip("this filesystem has no user attributes");
	close(fd);
}

#endif
