/* anthropic_assemble - the events of a Messages stream become one turn.
 * Needs:  the data of the events, in order.
 * Owns:   the blocks until its end() hands the turn over.
 * Never:  changes a block that goes back: thoughts are signed. */
#ifndef AGENT_WIRE_ANTHROPIC_ASSEMBLE_H
#define AGENT_WIRE_ANTHROPIC_ASSEMBLE_H

#include "agent/wire/answer.h"

extern const struct answer_ops anthropic_assemble_ops;

#endif
