/* history - what was said in a task, in order; only compaction changes what is there.
 * Needs:  nothing.
 * Owns:   every entry, and the bytes that a wire rendered for it: an entry is
 *         serialised once, so a request begins with the bytes of the one before.
 * Never:  holds a call without its result when a request is made (the task sees to it).
 */
#ifndef AGENT_TURN_HISTORY_H
#define AGENT_TURN_HISTORY_H

#include "base/err.h"
#include "base/json.h"
#include "base/scope.h"

enum history_kind {
	HISTORY_TASK,	   /* the person's words: never compacted */
	HISTORY_NOTICE,	   /* ours: nudges, budgets, what a person said on ^C */
	HISTORY_SUMMARY,   /* what stands for older entries */
	HISTORY_ASSISTANT, /* a turn, as its wire has it */
	HISTORY_RESULT,	   /* of one call */
	HISTORY_PICTURE	   /* shown to the model, behind the results of a turn */
};

struct history_entry {
	enum history_kind kind;
	unsigned round; /* of the task; the assistant entry begins it */
	char *text;	/* owned; all but assistant; of a picture what it is */
	char *mime,
		*picture; /* owned; of a picture: its kind, it in base64; NULL = it was
			       * taken out to save context */
	char *id, *tool;  /* owned; of a result: the call's */
	bool error;	  /* of a result */
	char *log_path;	  /* owned; of a result; may be NULL */
	struct json *message; /* owned; of an assistant entry */
	char *bytes;	      /* owned; as rendered; NULL = not yet */
	size_t n_bytes;
};

struct history {
	char *system;		       /* owned; the system prompt */
	struct history_entry *entries; /* owned */
	size_t n;
};

void history_done(struct history *h);
#define _cleanup_history_ _cleanup_(history_done)

int history_set_system(struct history *h, const char *text, struct err *e);

/** history_add_text() - a task, a notice or a summary; copied, as valid UTF-8 */
int history_add_text(struct history *h, enum history_kind kind, unsigned round,
		     const char *text, struct err *e);
/** history_add_turn() - @message is copied */
int history_add_turn(struct history *h, unsigned round, const struct json *message,
		     struct err *e);

struct history_result {
	const char *id, *tool, *text, *log_path; /* borrowed */
	bool error;
};
int history_add_result(struct history *h, unsigned round,
		       const struct history_result *r, struct err *e);

/** history_add_picture() - @base64 is copied */
int history_add_picture(struct history *h, unsigned round, const char *text,
			const char *mime, const char *base64, struct err *e);
/** history_drop_picture() - only what it was stays: for compaction alone */
void history_drop_picture(struct history *h, size_t nth);
/** history_picture_size() - bytes of base64 in it, which are no tokens */
size_t history_picture_size(const struct history *h);

/** history_set_text() - replace an entry's text: for compaction alone */
int history_set_text(struct history *h, size_t nth, const char *text, struct err *e);
/** history_remove() - drop @n entries from @from on: for compaction alone */
void history_remove(struct history *h, size_t from, size_t n);
/** history_move_last() - put the last entry at place @to: for compaction alone */
void history_move_last(struct history *h, size_t to);
/** history_forget_bytes() - the wire has changed its way: all is rendered anew */
void history_forget_bytes(struct history *h);
/** history_size() - bytes of text in it, as an estimate goes by */
size_t history_size(const struct history *h);
/** history_entry_size() - bytes that an entry takes, rendered or nearly so */
size_t history_entry_size(const struct history_entry *x);

/** history_open_call() - id of the first call of the last turn that has no result; NULL
 *  when all are answered. @name gets the tool's name. For every kind of message. */
const char *history_open_call(const struct history *h, const char **name);

#endif
