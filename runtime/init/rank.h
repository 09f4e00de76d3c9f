/* rank - the applets that find what a person types the beginning of: names below a
 * directory, and the texts in them, the best first.
 * Needs:  to be in an applet (applet.h); absolute paths.
 * Owns:   nothing.
 * Never:  reads more than RANK_TEXT_MAX bytes of a file; keeps more than RANK_MOST. */
#ifndef RUNTIME_INIT_RANK_H
#define RUNTIME_INIT_RANK_H

#include "base/err.h"

enum { RANK_MOST = 20000, RANK_TEXT_MAX = 1 << 20 };

/* QUERY PATH FLAGS LIMIT OFFSET: JSON to standard output. Flags: h = hidden ones, too;
 * f, d = files or directories alone. */
int rank_search(char *const argv[], struct err *e);
int rank_matches(char *const argv[], struct err *e); /* texts, too */

#endif
