/* responses_assemble - the events of OpenAI's Responses become one turn.
 * Needs:  events in order.
 * Owns:   the turn until it is handed over.
 * Never:  takes an item for whole before its own end, or the response's, came. */
#ifndef AGENT_WIRE_RESPONSES_ASSEMBLE_H
#define AGENT_WIRE_RESPONSES_ASSEMBLE_H

#include "agent/wire/answer.h"

extern const struct answer_ops responses_assemble_ops;

#endif
