/* json_walk - the members of an object in a text, one after the other, and where they stand.
 * Needs:  bytes of any kind; it is pure.
 * Owns:   nothing.
 * Never:  asks whether the text is JSON (json_scan.h): of a broken one it tells what stands
 *         before the fault. Each step goes on by a byte at least, or is the last. */
#ifndef BASE_JSON_WALK_H
#define BASE_JSON_WALK_H

#include "base/def.h"

struct json_walk {
	const char *s; /* borrowed */
	size_t len, at;
};

struct json_span {
	const char *s; /* borrowed; NULL = none */
	size_t len;
};

/** json_walk_skip() - go on behind bytes of @set; what stands there, NUL = it is the end */
char json_walk_skip(struct json_walk *w, const char *set);

/** json_walk_member() - the next member of the object whose '{' is behind; each as it is
 *  written, the key with its quotes. False: there is none, and its '}' is behind, too */
bool json_walk_member(struct json_walk *w, struct json_span *key,
		      struct json_span *value);

/** json_walk_is() - is the key @name? */
bool json_walk_is(const struct json_span *key, const char *name);

#endif
