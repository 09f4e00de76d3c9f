/* logview - a transcript as a person reads it afterwards.
 * Needs:  its records, in order (agent/turn/transcript.h).
 * Owns:   what it has heard of a change that goes on, until logview_done().
 * Never:  lets a control character of the model or the box reach the terminal. */
#ifndef CLI_TASK_RECORD_LOGVIEW_H
#define CLI_TASK_RECORD_LOGVIEW_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "cli/show/app.h"
#include "cli/task/record/recorded.h"

struct logview {
	const struct app *app;	  /* borrowed */
	unsigned cols;		  /* of the terminal that app->out is; 0 = none */
	struct recorded recorded; /* owned */
	struct buf said;	  /* owned; the last words of the model */
};
void logview_done(struct logview *v);
#define _cleanup_logview_ _cleanup_(logview_done)

/** logview_record() - show one record on app->out; a transcript_record_fn whose context
 *  is a struct logview */
int logview_record(void *view, const struct json *record, struct err *e);

struct logview_summary {
	char task[256]; /* its first line; made fit for a terminal */
	char end[24];	/* "done", "limit", …; "" = it has no end */
	int64_t rounds;
	int64_t elapsed_ms;
	int64_t tokens;
};
/** logview_summarise() - a transcript_record_fn whose context is the summary */
int logview_summarise(void *summary, const struct json *record, struct err *e);

#endif
