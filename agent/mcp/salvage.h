/* mcp_salvage - who waits for the answer to a frame that cannot be read.
 * Needs:  bytes of any kind; it is pure.
 * Owns:   nothing.
 * Never:  makes a message of it: an id is all that is looked for, so that an error gets to
 *         the request that it is about. */
#ifndef AGENT_MCP_SALVAGE_H
#define AGENT_MCP_SALVAGE_H

#include <stddef.h>

#include "base/json.h"

/* @id: a string or a whole number; borrowed for the call */
typedef void mcp_salvage_fn(void *ctx, const struct json *id);

/**
 * mcp_salvage() - the id of the request that begins a broken frame; of a list of them, of
 *                 each that can be found
 *
 * An id is a member of the outermost object (of the list's objects): what stands deeper
 * belongs to somebody else. Answers have none: nobody waits for them.
 * Return: how many there were.
 */
size_t mcp_salvage(const char *frame, size_t len, mcp_salvage_fn *fn, void *ctx);

#endif
