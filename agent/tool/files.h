/* files - read and write files of a box, by the programs built into its init.
 * Needs:  a running box.
 * Owns:   nothing.
 * Never:  opens a path of the box on the host: what a path means is decided inside. */
#ifndef AGENT_TOOL_FILES_H
#define AGENT_TOOL_FILES_H

#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct box;
struct spill;

struct files {
	struct box *box;  /* borrowed */
	const char *user; /* NULL = root */
	const char *cwd;  /* what paths are relative to; in the box */
};

struct files_stat {
	mode_t mode;
	uint64_t size;
};

/**
 * files_get() - append a regular file to @ret, up to what still fits in it
 * Return: 0 (compare @st->size with what came), -ENOENT, -EACCES, -EISDIR, -EINVAL (no
 *         regular file), …: the error of the call inside the box; -ECONNRESET: box gone.
 */
int files_get(const struct files *f, const char *path, struct buf *ret,
	      struct files_stat *st, struct err *e);

/** files_put() - replace or make a file, atomically; parents are made */
int files_put(const struct files *f, const char *path, const void *data, size_t len,
	      struct err *e);

/** files_put_spill() - the same from a kept output */
int files_put_spill(const struct files *f, const char *path, struct spill *text,
		    struct err *e);

/** files_stat() - mode and size, links followed */
int files_stat(const struct files *f, const char *path, struct files_stat *ret,
	       struct err *e);

#endif
