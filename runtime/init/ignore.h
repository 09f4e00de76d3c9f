/* ignore - what .gitignore files say of a path (gitignore(5)).
 * Needs:  nothing; pure. The files are added as they are come upon: those of a directory
 *         behind those of its parents, whose word counts less.
 * Owns:   the patterns, until ignore_done().
 * Never:  takes longer than a pattern is long times a path; keeps more than IGNORE_BYTES of
 *         patterns: what comes behind is not heeded.
 *
 * fnmatch(3) judges each name. To it a '[' that has no ']' is text; git never finds such. */
#ifndef RUNTIME_INIT_IGNORE_H
#define RUNTIME_INIT_IGNORE_H

#include <stdbool.h>

#include "base/buf.h"

enum { IGNORE_BYTES = 1 << 20, IGNORE_MOST = 20000 };

struct ignore_rule {
	size_t text,
		len; /* in the bytes, without its marks: its parts, each with its NUL */
	size_t base; /* of a path: bytes of the directory of the file, with its slash */
	bool keeps;  /* "!": what an earlier rule ignores, this one does not */
	bool directories; /* "/" at its end */
	bool rooted;	  /* has a slash: it is of a path, not of a name */
};

struct ignore {
	struct buf bytes;	   /* owned */
	struct ignore_rule *rules; /* owned */
	size_t n;
};
#define IGNORE_NONE ((struct ignore){ .bytes = BUF_INIT(IGNORE_BYTES) })

void ignore_done(struct ignore *g);

/** ignore_add() - a file; @base: bytes of the path of the directory that it is in, with its
 *  slash; 0 = the top. 0 or -ENOMEM. */
int ignore_add(struct ignore *g, const char *text, size_t len, size_t base);

/** ignore_cut() - back to @n rules, those of a directory that was left */
void ignore_cut(struct ignore *g, size_t n);

/** ignore_says() - of a path from the top, none of whose directories is ignored */
bool ignore_says(const struct ignore *g, const char *path, bool directory);

#endif
