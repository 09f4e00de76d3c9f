/* find - the applets that search: by names, by pattern, by content.
 * Needs:  to be in an applet (applet.h); absolute paths.
 * Owns:   nothing.
 * Never:  reads a file that is no regular one, or of a search of texts more than
 *         FIND_TEXT_MAX bytes of one. */
#ifndef RUNTIME_INIT_FIND_H
#define RUNTIME_INIT_FIND_H

#include "base/err.h"

enum { FIND_TEXT_MAX = 16 << 20 };

/* Each is an applet: argv[0] is its name; JSON goes to standard output. The rest of argv
 * after those named here are patterns. */
int find_glob(char *const argv[], struct err *e); /* PATTERN PATH TYPE MOST [NOT…] */
int find_grep(char *const argv[], struct err *e); /* QUERY PATH FLAGS MOST [NAME…] */

#endif
