/* build - what tells two builds apart: client, monitor and init must be one.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  changes while a process runs. */
#ifndef RUNTIME_WIRE_BUILD_H
#define RUNTIME_WIRE_BUILD_H

#include <stddef.h>

/** build_id() - version and the layout of the messages, padded with NUL */
void build_id(char *ret, size_t size);

#endif
