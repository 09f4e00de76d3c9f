/* layered - a store with a box, and what the box would show: its upper over its layers, and
 * what of the project is under review. */
#ifndef TESTS_UNIT_ROOTFS_STORE_LAYERED_H
#define TESTS_UNIT_ROOTFS_STORE_LAYERED_H

#include <stdio.h>

#include "base/sys/sys.h"
#include "rootfs/store/snapshot.h"
#include "rootfs/store/tree.h"
#include "tests/unit/unit.h"

#define LAYERED_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define LAYERED_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

struct layered {
	struct store s;
	struct boxdir b;
};

static inline int layered_rm(void *, int parent, const char *name, struct err *e)
{
	return tree_remove(parent, name, e);
}

static inline void layered_put(int dir, const char *path, const char *text)
{
	int fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* The first letter; '-' = there is none */
static inline char layered_get(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	char c = '?';

	if (fd < 0)
		return '-';
	(void)!read(fd, &c, 1);
	close(fd);
	return c;
}

static inline void layered_box(const struct store *s, const char *key,
			       struct boxdir *ret)
{
	_cleanup_json_ struct json *j = json_object();
	struct err e = ERR_NONE;

	unit_ok(boxdir_open(s, key, true, ret, &e), &e);
	unit_ok(boxdir_save(ret, j, &e), &e);
}

static inline void layered_open(struct layered *l)
{
	struct err e = ERR_NONE;

	*l = (struct layered){ .s = STORE_NONE, .b = BOXDIR_NONE };
	setenv("XDG_DATA_HOME", unit_tmpdir(), 1);
	unit_ok(store_open(&l->s, &e), &e);
	layered_box(&l->s, LAYERED_A, &l->b);
}

static inline void layered_close(struct layered *l)
{
	boxdir_close(&l->b);
	store_close(&l->s);
}
#define _cleanup_layered_ _cleanup_(layered_close)

/* The file @name of the box's "/". */
static inline char layered_shows(const struct layered *l, const struct boxdir *b,
				 const char *name)
{
	struct err e = ERR_NONE;
	struct chain c;
	char path[256], got;

	unit_ok(chain_load(b->dirfd, "chain", &c, &e), &e);
	snprintf(path, sizeof(path), "upper/%s", name);
	got = layered_get(b->dirfd, path);
	for (size_t i = 0; i < c.n && got == '-'; i++) {
		snprintf(path, sizeof(path), "layers/%s/machine/%s", c.layers[i], name);
		got = layered_get(l->s.dirfd, path);
	}
	return got;
}

/* The same of what is under review. */
static inline char layered_review(const struct layered *l, const struct boxdir *b,
				  const char *name)
{
	struct err e = ERR_NONE;
	struct stat st;
	struct chain c;
	char path[256];

	unit_ok(chain_load(b->dirfd, "chain", &c, &e), &e);
	if (fstatat(b->dirfd, "project", &st, 0) == 0) {
		snprintf(path, sizeof(path), "project/upper/%s", name);
		return layered_get(b->dirfd, path);
	}
	snprintf(path, sizeof(path), "layers/%s/project/upper/%s", c.project, name);
	return layered_get(l->s.dirfd, path);
}

static inline void layered_make_review(const struct boxdir *b)
{
	assert_int_equal(mkdirat(b->dirfd, "project", 0711), 0);
	assert_int_equal(mkdirat(b->dirfd, "project/upper", 0755), 0);
}

#endif
