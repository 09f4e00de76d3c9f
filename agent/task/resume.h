/* resume - a transcript becomes a history again, record by record.
 * Needs:  the records of one task, in order (transcript.h).
 * Owns:   the history until it is taken.
 * Never:  runs, asks or writes anything. */
#ifndef AGENT_TASK_RESUME_H
#define AGENT_TASK_RESUME_H

#include <stdint.h>

#include "agent/turn/history.h"
#include "base/err.h"
#include "base/json.h"

struct resume {
	struct history history; /* owned */
	char *task;		/* owned; the first task's text */
	char *provider, *model; /* owned; of the last model record */
	unsigned round;		/* the last one that began */
	uint64_t tokens_in, tokens_out, tokens_cached, elapsed_ms;
	uint64_t cost;	   /* micro-dollars */
	bool cost_unknown; /* so there is no sum of it */
	uint64_t base_ms;  /* of the parts before the last task record */
	uint64_t seq;
	unsigned calls;
	bool ended;	      /* the last record was an end: */
	char *reason, *cause; /* owned; of the last end */
};

void resume_done(struct resume *r);
#define _cleanup_resume_ _cleanup_(resume_done)

/** resume_record() - one more record; a transcript_record_fn whose context is @r */
int resume_record(void *r, const struct json *record, struct err *e);

/** resume_reduce() - the turns were another model's: keep words and calls alone */
int resume_reduce(struct resume *r, struct err *e);

#endif
