/* message - an assistant message from one wire, read or rewritten for another: for
 * replays, for tasks that go on with another model, for hand-written transcripts.
 * Needs:  nothing; it is pure.
 * Owns:   nothing.
 * Never:  changes a message that is already of the kind that is wanted. */
#ifndef AGENT_WIRE_MESSAGE_H
#define AGENT_WIRE_MESSAGE_H

#include "agent/turn/turn.h"

/** message_is_anthropic() - its content is a list of blocks with calls or thoughts */
bool message_is_anthropic(const struct json *message);

/**
 * message_turn() - the turn that a message was
 * @seed: of ids that it lacks
 * Return: 0, -EINVAL (no such message), -EPROTO, -ENOMEM.
 */
int message_turn(const struct json *message, uint64_t *seed, struct turn *ret,
		 struct err *e);

/** message_as_openai() - a copy; one of Anthropic's is reduced to its text and calls */
int message_as_openai(const struct json *message, struct json **ret, struct err *e);
/** message_as_anthropic() - a copy; any other is reduced to its text and calls */
int message_as_anthropic(const struct json *message, struct json **ret, struct err *e);
/** message_reduce() - text and calls alone, for a provider that did not write it */
int message_reduce(const struct json *message, struct json **ret, struct err *e);

#endif
