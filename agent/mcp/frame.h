/* mcp_frame - the frames of the Model Context Protocol on a stream: lines of JSON.
 * Needs:  bytes, split anywhere.
 * Owns:   the line whose end has not come yet.
 * Never:  keeps more than its maximum; looks into a frame. */
#ifndef AGENT_MCP_FRAME_H
#define AGENT_MCP_FRAME_H

#include "base/buf.h"

struct mcp_frame {
	struct buf line; /* owned */
	bool skip;	 /* the rest of a line that was too large */
};

/* A frame without its line break; not @whole: the beginning of one that was too large. */
typedef void mcp_frame_fn(void *ctx, const char *line, size_t len, bool whole);

void mcp_frame_init(struct mcp_frame *f, size_t max);
void mcp_frame_done(struct mcp_frame *f);
#define _cleanup_mcp_frame_ _cleanup_(mcp_frame_done)

/**
 * mcp_frame_feed() - call @fn with every frame that @data completes
 *
 * Blank lines are no frames. A line that is too large is told once, when it crosses the
 * maximum. Return: 0 or -ENOMEM (the line is then treated as too large).
 */
int mcp_frame_feed(struct mcp_frame *f, const char *data, size_t len, mcp_frame_fn *fn,
		   void *ctx);

/** mcp_frame_end() - the stream has ended: its last line needs no line break */
void mcp_frame_end(struct mcp_frame *f, mcp_frame_fn *fn, void *ctx);

#endif
