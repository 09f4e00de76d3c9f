/* transcript - a task on disk: one JSON object a line, complete enough to repeat it.
 * Needs:  descriptors opened for appending, or for reading.
 * Owns:   the sequence number; copies of the secrets.
 * Never:  writes a secret, or half a record; trusts a line that it reads.
 *
 * docs/transcript.md describes every record. */
#ifndef AGENT_TURN_TRANSCRIPT_H
#define AGENT_TURN_TRANSCRIPT_H

#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

enum { TRANSCRIPT_VERSION = 1, TRANSCRIPT_COPIES = 2 };

struct transcript {
	int fds[TRANSCRIPT_COPIES]; /* borrowed; -1 = none */
	uint64_t seq;		    /* of the last record */
	uint64_t start_ms;
	const char *const *secrets; /* borrowed; NULL-ended; may be NULL */
};

/** transcript_put() - append one record and flush it
 *  @members: an object, taken over; NULL = none */
int transcript_put(struct transcript *t, const char *type, struct json *members,
		   struct err *e);
/** transcript_sync() - onto the disk; once a turn */
void transcript_sync(struct transcript *t);

/* A record that was read; borrowed. A negative return ends the reading with it. */
typedef int transcript_record_fn(void *ctx, const struct json *record, struct err *e);

/**
 * transcript_parse() - every record of a text, in order
 *
 * A last line without its end was being written when cubby was killed: it is ignored.
 * Return: 0, -EINVAL with the line's number, or what @fn returned.
 */
int transcript_parse(const char *text, size_t len, transcript_record_fn *fn, void *ctx,
		     struct err *e);
/** transcript_read() - the same from a descriptor, from its start */
int transcript_read(int fd, transcript_record_fn *fn, void *ctx, struct err *e);

#endif
