#include "agent/mcp/salvage.h"

#include "agent/mcp/rpc.h"
#include "base/json_walk.h"

/* The id of the object that begins here; the place is behind what could be read of it. */
static struct json_span take_object(struct json_walk *x)
{
	struct json_span key, value, id = { 0 };
	bool answers = false;

	x->at++;
	while (json_walk_member(x, &key, &value)) {
		answers |= json_walk_is(&key, "result") || json_walk_is(&key, "error");
		if (!id.s && json_walk_is(&key, "id"))
			id = value;
	}
	return answers ? (struct json_span){ 0 } : id;
}

static size_t tell(const struct json_span *id, mcp_salvage_fn *fn, void *ctx)
{
	_cleanup_json_ struct json *j = NULL;

	if (!id->s || json_parse(id->s, id->len, &j, ERR_IGNORED) < 0 ||
	    !mcp_rpc_is_id(j))
		return 0;
	fn(ctx, j);
	return 1;
}

size_t mcp_salvage(const char *frame, size_t len, mcp_salvage_fn *fn, void *ctx)
{
	struct json_walk x = { .s = frame, .len = len };
	bool list = json_walk_skip(&x, " \t\r\n") == '[';
	size_t n = 0;

	x.at += list;
	while (json_walk_skip(&x, " \t\r\n,") == '{') {
		struct json_span id = take_object(&x);

		n += tell(&id, fn, ctx);
		if (!list)
			break;
	}
	return n;
}
