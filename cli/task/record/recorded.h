/* recorded - what a transcript says of calls, made out for all who show one: a line for each,
 * whatever it looks like there.
 * Needs:  records in their order.
 * Owns:   the arguments of a file's change until its result comes.
 * Never:  shows what was typed for a password. */
#ifndef CLI_TASK_RECORD_RECORDED_H
#define CLI_TASK_RECORD_RECORDED_H

#include "base/buf.h"
#include "base/json.h"

struct recorded {
	struct json *change; /* owned; NULL = no change of a file has begun */
	bool secret;	     /* a program waits for a password */
};
void recorded_done(struct recorded *c);

/* UNKNOWN: of a tool that has no words of its own its name and arguments are shown. */
enum recorded_shown { RECORDED_NOTHING, RECORDED_SHOWN, RECORDED_UNKNOWN };

/** recorded_call() - how a record of a call is shown: @label, and what is appended to @text.
 *  What is written into a file is shown when it is known what became of it. */
enum recorded_shown recorded_call(struct recorded *c, const struct json *record,
				  const char **label, struct buf *text);

struct recorded_result {
	bool failed;
	const char *text; /* borrowed; NULL = nothing is shown of it */
	const char *diff; /* of a file's change; borrowed; NULL = it was none */
};

/** recorded_result() - the same of a result; it borrows from the record and @own */
void recorded_result(struct recorded *c, const struct json *record, struct buf *own,
		     struct recorded_result *ret);

typedef void recorded_words_fn(void *ctx, const char *text);

/** recorded_words() - call @fn for each text of a response: Chat Completions have a string,
 *  Messages a list of blocks */
void recorded_words(const struct json *record, recorded_words_fn *fn, void *ctx);

#endif
