/* follow - what a task does while it does it: its transcript, or what its terminals showed,
 * as they grow, until nobody writes them any more.
 * Needs:  the transcript and the file, open for reading.
 * Owns:   nothing.
 * Never:  waits for a task that was killed. */
#ifndef CLI_TASK_RECORD_FOLLOW_H
#define CLI_TASK_RECORD_FOLLOW_H

#include "agent/turn/transcript.h"

/** follow_records() - each record of the transcript @fd, now and later, to @fn */
int follow_records(int fd, transcript_record_fn *fn, void *ctx, struct err *e);
/** follow_bytes() - those of @fd to @out, while the transcript @log is written;
 *  with a @log of -1 those that are there */
int follow_bytes(int fd, int log, int out, struct err *e);

#endif
