/* ws - WebSocket frames become messages, and messages frames; the key of a handshake.
 * Needs:  nothing: pure.
 * Owns:   the message that it gathers.
 * Never:  takes a frame that a client may not send: without a mask, with reserved bits, a
 *         control frame in parts, text that is no UTF-8. Source: RFC 6455. */
#ifndef AGENT_SERVER_HTTP_WS_H
#define AGENT_SERVER_HTTP_WS_H

#include "base/buf.h"

enum ws_opcode {
	WS_MORE = 0,
	WS_TEXT = 1,
	WS_BINARY = 2,
	WS_CLOSE = 8,
	WS_PING = 9,
	WS_PONG = 10
};

enum { WS_MESSAGE_MAX = 1 << 20, WS_CONTROL_MAX = 125, WS_ACCEPT = 29 };

enum { WS_WRONG = 1002, WS_NOT_TEXT = 1007, WS_TOO_LARGE = 1009, WS_LATER = 1013 };

struct ws {
	unsigned char head[14];
	unsigned have, need; /* of the head */
	uint64_t left, at;   /* of the payload */
	unsigned char opcode, first;
	bool fin, in_payload;
	struct buf message; /* owned; of text or binary, gathered over frames */
	struct buf control; /* owned */
};
void ws_init(struct ws *w);
void ws_done(struct ws *w);

/** ws_fn() - a whole message. Return 0 to go on, 1 to stop: the rest is not looked at */
typedef int ws_fn(void *ctx, enum ws_opcode kind, const char *data, size_t len);

/** ws_feed() - 0, 1 (a call returned it), or the code to close with, 1002 to 1009 */
int ws_feed(struct ws *w, const char *in, size_t len, ws_fn *fn, void *ctx);

/** ws_held() - bytes that are kept of a message whose end has not come; little is nothing */
size_t ws_held(const struct ws *w);

/** ws_frame() - append a whole message as one frame */
int ws_frame(enum ws_opcode kind, const void *data, size_t len, struct buf *out);

/** ws_accept() - what answers the client's "sec-websocket-key" */
void ws_accept(const char *key, char ret[WS_ACCEPT]);

#endif
