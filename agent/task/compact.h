/* compact - makes a history smaller: older results lose their middle, then the older
 * part is replaced by a summary.
 * Needs:  a history between two requests: every call has its result.
 * Owns:   nothing.
 * Never:  touches the system prompt, the person's words or the newest turns; parts a
 *         call from its result. */
#ifndef AGENT_TASK_COMPACT_H
#define AGENT_TASK_COMPACT_H

#include "agent/turn/history.h"
#include "base/buf.h"

enum {
	COMPACT_RESULT_KEEP = 1200, /* a shortened result: head and tail together */
	COMPACT_KEEP_ROUNDS = 8,    /* whose results stay whole at first */
	COMPACT_KEEP_TURNS = 4	    /* verbatim behind a summary, when they fit */
};

/** compact_shorten() - cut results of rounds up to @round that are longer than @keep
 *  bytes; *@cut says how many there were */
int compact_shorten(struct history *h, unsigned round, size_t keep, unsigned *cut,
		    struct err *e);

/** compact_gain() - how many bytes that would take out */
size_t compact_gain(const struct history *h, unsigned round, size_t keep);

/**
 * compact_point() - where the verbatim rest begins, at an assistant entry
 * @bytes: that the rest may have
 * @turns: that it shall have, whatever their size
 * Return: its place; 0 when there is nothing older to be summarised.
 */
size_t compact_point(const struct history *h, size_t bytes, unsigned turns);

/** compact_source() - append the part before @point as text, for whoever summarises it;
 *  @max bytes at most, the middle left out */
int compact_source(const struct history *h, size_t point, size_t max, struct buf *out);

/** compact_replace() - the part before @point becomes @summary; the person's words stay
 */
int compact_replace(struct history *h, size_t point, const char *summary,
		    struct err *e);

#endif
