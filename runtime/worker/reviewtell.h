/* reviewtell - what the jobs of a review say while they work: a line of JSON for each thing, on
 * standard error.
 * Needs:  somebody who reads there.
 * Owns:   nothing.
 * Never:  writes a part of a line. */
#ifndef RUNTIME_WORKER_REVIEWTELL_H
#define RUNTIME_WORKER_REVIEWTELL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"

struct diff_item;
struct layer;

int reviewtell_line(const struct json *j, struct err *e);

enum { REVIEWTELL_LINES = 96 << 10 };
/** reviewtell_soon() - the same, of many lines: each write wakes who reads
 *  @lines: of REVIEWTELL_LINES; reviewtell_flush() says what is left in it at the end */
int reviewtell_soon(const struct json *j, struct buf *lines, struct err *e);
int reviewtell_flush(struct buf *lines, struct err *e);

/** reviewtell_failed() - what a step could not do, and why: @result */
int reviewtell_failed(const char *path, int result);

/** reviewtell_back() - a path that is again what it was */
int reviewtell_back(const char *path);

/** reviewtell_gits() - the git directories that the apply @n takes over after its files */
int reviewtell_gits(int boxdir, int n, struct err *e);

/** reviewtell_objects() - what the layer adds to the repository @path, as the members
 *  "objects", "packs" and "branches" (that the box has made or moved) of @j */
void reviewtell_objects(struct json *j, const struct layer *l, const char *path);

/** reviewtell_seen_of() - what stands for the path and what was there on both sides when it
 *  was looked at. @l: the layer that has a repository's part; NULL = it is of no matter */
void reviewtell_seen_of(const struct diff_item *x, const struct layer *l,
			char ret[HASH_HEX]);

/**
 * reviewtell_seen() - what stands for a list of changes, in whatever order it was shown
 * @each: the member "seen" of each change, with its NUL; sorted here
 */
int reviewtell_seen(struct buf *each, char ret[HASH_HEX], struct err *e);

/** reviewtell_remedy() - a box can make more than is looked at: what to do then
 *  Return: the code of @e */
int reviewtell_remedy(struct err *e);

#endif
