/* git_index - what a git index names, versions 2 to 4.
 * Needs:  the whole file.
 * Owns:   nothing.
 * Never:  reads beyond what it was given; accepts an extension that it does not know and
 *         that leads elsewhere (a split index). Pure. */
#ifndef ROOTFS_GIT_INDEX_H
#define ROOTFS_GIT_INDEX_H

#include <limits.h>
#include <stdint.h>

#include "base/buf.h"

enum {
	GIT_INDEX_MAX = 128 << 20, /* bytes of a file that is looked at */
	GIT_INDEX_SUM = 32,	   /* and of the longest sum */
	GIT_INDEX_GITLINK = 0160000,
	GIT_INDEX_DIR = 040000 /* of a sparse index: git looks at no file in it */
};

struct git_index_entry {
	uint32_t mode;
	uint16_t flags;	    /* as in the file: the stage is in 0x3000 */
	const uint8_t *sum; /* borrowed; as long as the index's own sums */
	const char *path;   /* borrowed until the next entry; NUL-terminated */
};

/* A negative result ends git_index_read(), which returns it. */
typedef int git_index_fn(void *ctx, const struct git_index_entry *x);

/**
 * git_index_read() - call @fn for each entry, in their order
 * @sum: bytes of a sum: 20 or 32
 * Return: 0, -EBADMSG, -EOPNOTSUPP (an extension that leads elsewhere), -EMSGSIZE, -ENOMEM,
 *         or what @fn returned.
 */
int git_index_read(const uint8_t *data, size_t len, size_t sum, git_index_fn *fn,
		   void *ctx);

/** git_index_path_ok() - no empty, "." or ".." part, nor one that is .git to anybody */
bool git_index_path_ok(const char *path);

/** git_index_meaning() - a number that stays while modes, sums and paths do, whatever the
 *  files' times: not for an enemy's eyes, only to see that nothing has been done */
int git_index_meaning(const uint8_t *data, size_t len, size_t sum, uint64_t *ret);

struct git_index_own {
	const void *host; /* borrowed: the host's index of now; NULL = none */
	size_t host_len;
	uint64_t since_ns; /* when that was written */
	bool sparse;	   /* files that are not checked out are the host's wish */
};

/**
 * git_index_own() - what the index of a box names, for the host's git to believe
 *
 * Of an entry that the host has as well: the host's own times; of others none, so that git
 * looks at the file. Flags that keep git from looking are the host's; an extension (trees
 * that it is said to stand for, directories without a change) is nobody's.
 * @data: an index that git_index_read() accepts
 * Return: 0, or as git_index_read()
 */
int git_index_own(const uint8_t *data, size_t len, size_t sum,
		  const struct git_index_own *own, struct buf *ret);

#endif
