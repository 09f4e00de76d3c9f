/* replay - a transcript in the place of a model: its turns, in their order.
 * Needs:  a transcript; only its response records have to be there.
 * Owns:   the recorded turns and results.
 * Never:  talks to anybody; runs anything. */
#ifndef AGENT_MODEL_REPLAY_H
#define AGENT_MODEL_REPLAY_H

#include "agent/model/model.h"
#include "agent/turn/turn.h"
#include "base/err.h"

struct replay;

int replay_open(int fd, struct replay **ret, struct err *e);
void replay_free(struct replay **r);

/** replay_task() - the recorded task's text; NULL when there is none */
const char *replay_task(const struct replay *r);

/** replay_more() - are there turns left? */
bool replay_more(const struct replay *r);

/** replay_next() - the next turn, as model_ask() gives it; -ENODATA after the last */
int replay_next(struct replay *r, const struct model_request *req, uint64_t *seed,
		struct turn *ret, struct retry_cause *why, struct err *e);

/**
 * replay_compare() - does a result differ from the recorded one?
 * @nth:  of the turn that was handed out last
 * @text: of the result now
 * @ret:  one line that says how, when it does
 * Return: true when there is a record and it differs, process ids and times apart.
 */
bool replay_compare(const struct replay *r, size_t nth, const char *text, int exit,
		    struct buf *ret);

/** model_replay() - of a model whose provider is "replay"; else NULL (model.c) */
struct replay *model_replay(struct model *m);

#endif
