/* jsonout - JSON as it is found, to standard output: an answer of any length in little
 * memory.
 * Needs:  to be in an applet (applet.h).
 * Owns:   its buffer.
 * Never:  checks that brackets match: whoever writes knows. */
#ifndef RUNTIME_INIT_JSONOUT_H
#define RUNTIME_INIT_JSONOUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct jsonout {
	size_t len;
	int failed; /* the first negative errno of a write; nothing is written after it */
	char data[16 << 10];
};

void jsonout_raw(struct jsonout *j, const char *text);
/** jsonout_text() - the inside of a string: invalid bytes become U+FFFD */
void jsonout_text(struct jsonout *j, const char *s, size_t len);
/** jsonout_string() - @name and a string: "name":"…" and a comma unless it is the first */
void jsonout_string(struct jsonout *j, bool first, const char *name, const char *s);
void jsonout_number(struct jsonout *j, bool first, const char *name, int64_t n);
void jsonout_bool(struct jsonout *j, const char *name, bool b); /* never the first */
/** jsonout_end() - write what is left; 0 or how the first write failed */
int jsonout_end(struct jsonout *j, struct err *e);

#endif
