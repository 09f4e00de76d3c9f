/* message - an assistant message from one wire, read or rewritten for another: for
 * replays, for tasks that go on with another model, for hand-written transcripts.
 * Needs:  nothing; it is pure.
 * Owns:   nothing.
 * Never:  changes a message that is already of the kind that is wanted. */
#ifndef AGENT_WIRE_MESSAGE_H
#define AGENT_WIRE_MESSAGE_H

#include "agent/turn/turn.h"

enum message_kind {
	MESSAGE_CHAT,	/* Chat Completions: content and tool_calls */
	MESSAGE_BLOCKS, /* Messages: a list of blocks with calls or thoughts */
	MESSAGE_ITEMS	/* Responses: "output", a list of items */
};

/**
 * message_turn() - the turn that a message was
 * @seed: of ids that it lacks
 * Return: 0, -EINVAL (no such message), -EPROTO, -ENOMEM.
 */
int message_turn(const struct json *message, uint64_t *seed, struct turn *ret,
		 struct err *e);

/** message_as() - a copy; one of another kind is reduced to its text and calls */
int message_as(const struct json *message, enum message_kind kind, struct json **ret,
	       struct err *e);
/** message_reduce() - text and calls alone, for a provider that did not write it */
int message_reduce(const struct json *message, struct json **ret, struct err *e);

/** message_arguments() - append the arguments of a call as they go back: JSON whatever the
 *  model wrote (@raw may be NULL), or the next answer of many servers is a 400 */
int message_arguments(const char *raw, struct buf *out);

#endif
