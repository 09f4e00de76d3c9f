/* picture - what kind of picture some bytes are, and how large it is.
 * Needs:  the bytes; it is pure.
 * Owns:   nothing.
 * Never:  decodes one: only what stands in its head is read, and never believed further
 *         than a message. */
#ifndef AGENT_TOOL_PICTURE_H
#define AGENT_TOOL_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/def.h"

enum {
	PICTURE_EDGE = 1568,	/* pixels of the longer side that models look at */
	PICTURE_MAX = 1000000,	/* bytes that go to a model */
	PICTURE_READ = 32 << 20 /* that are read at most */
};

struct picture {
	const char *name, *mime; /* "PNG", "image/png"; static */
	uint32_t width, height;	 /* 0 = not found */
};

/** picture_read() - false: none that models take (PNG, JPEG, GIF, WebP) */
bool picture_read(const void *data, size_t len, struct picture *ret);

#endif
