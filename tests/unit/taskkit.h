/* taskkit - a task without a box, with a model of modelserver.h or of a transcript.
 * Needs:  modelserver.h, for one with a server.
 * Owns:   the transcript and the words of its events, until taskkit_done().
 * Never:  waits; runs anything. */
#ifndef TESTS_UNIT_TASKKIT_H
#define TESTS_UNIT_TASKKIT_H

#include "agent/task/task.h"
#include "base/buf.h"

#define TASKKIT_KEY "sk-test-0123456789"

struct taskkit {
	struct task_conf conf;
	struct task_events events;
	struct task_report report;
	int log; /* owned; the transcript */
	struct buf
		told; /* owned; "notice …\n", "retry …\n", "result …\n" as they came */
	unsigned ran; /* tools */
	uint64_t now; /* what the task takes for the time, ms */
};

/**
 * taskkit_init() - a task of @provider at @url
 *
 * Its shell answers "echo WORDS" with the words, "big N" with N bytes, "fail WORDS" with
 * the words and status 1, "sleep N" when N seconds have passed by k->now; tools of other
 * names go to tool_run(), which refuses what does not fit.
 */
void taskkit_init(struct taskkit *k, const char *provider, const char *url);
void taskkit_done(struct taskkit *k);

/** taskkit_run() - the whole task; asserts that it ended somehow */
void taskkit_run(struct taskkit *k);

/** taskkit_ended() - assert how; the story is shown when it was otherwise */
void taskkit_ended(const struct taskkit *k, enum task_end end, const char *cause);

/** taskkit_log() - all of the transcript, appended to @out */
void taskkit_log(const struct taskkit *k, struct buf *out);

/** taskkit_rebuild() - every request can be built again from the records of @log before
 *  it, byte for byte; @where is told when one cannot */
void taskkit_rebuild(int log, const struct model_conf *conf, const char *where);

/** taskkit_count() - how often @part stands in what was told */
unsigned taskkit_count(const struct taskkit *k, const char *part);

#endif
