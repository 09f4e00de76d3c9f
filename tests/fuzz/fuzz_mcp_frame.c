#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "agent/mcp/frame.h"
#include "agent/mcp/rpc.h"
#include "agent/mcp/salvage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 300 };

static void on_id(void *, const struct json *id)
{
	assert(mcp_rpc_is_id(id));
}

static void on_frame(void *ctx, const char *line, size_t len, bool whole)
{
	_cleanup_json_ struct json *j = NULL, *answer = NULL;
	struct err e = ERR_NONE;
	struct mcp_rpc m;

	/* how much of a frame that is too large has come depends on the pieces */
	if (whole)
		buf_addf(ctx, "%zu.", len);
	else
		buf_adds(ctx, "!");
	assert(len <= LIMIT);
	assert(mcp_salvage(line, len, on_id, NULL) <= len);
	if (!whole || json_parse(line, len, &j, &e) < 0)
		return;
	mcp_rpc_read(j, &m);
	assert((m.kind == MCP_RPC_REQUEST) <= (m.id && m.method));
	assert((m.kind == MCP_RPC_INVALID) == (m.why != NULL));
	answer = mcp_rpc_error(m.id, MCP_RPC_NO_METHOD, m.method ? m.method : "");
	assert(answer && json_get(answer, "id"));
}

/* The frames are the same, however the stream is cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_mcp_frame_ struct mcp_frame one, many;
	_cleanup_buf_ struct buf a = BUF_INIT(1 << 20), b = BUF_INIT(1 << 20);
	size_t piece = size ? data[0] % 7 + 1 : 1;
	const char *text = (const char *)data;

	mcp_frame_init(&one, LIMIT);
	mcp_frame_init(&many, LIMIT);
	assert(!mcp_frame_feed(&one, text, size, on_frame, &a));
	for (size_t at = 0; at < size; at += piece)
		assert(!mcp_frame_feed(&many, text + at, MIN(piece, size - at),
				       on_frame, &b));
	mcp_frame_end(&one, on_frame, &a);
	mcp_frame_end(&many, on_frame, &b);
	assert(a.len == b.len && !memcmp(buf_cstr(&a), buf_cstr(&b), a.len));
	return 0;
}
