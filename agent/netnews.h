/* netnews - what happened on the box's network since the last look: refusals, and ports
 * on which something began to listen. Sentences for the model.
 * Needs:  a running box; silent where it has no gate.
 * Owns:   its place in the record of the monitor.
 * Never:  repeats itself; says more than a few lines at a time; fails. */
#ifndef AGENT_NETNEWS_H
#define AGENT_NETNEWS_H

#include "base/buf.h"
#include "base/json.h"

struct box;

enum { NETNEWS_PORTS = 64, NETNEWS_LINES = 6 };

struct netnews {
	bool on;
	int64_t next; /* place in the record */
	uint16_t ports[NETNEWS_PORTS];
	size_t n_ports; /* that were seen listening */
};

/** netnews_start() - from now on; what happened before is not told. @b may be NULL */
void netnews_start(struct netnews *n, struct box *b);

/** netnews_anew() - another box has taken the place of the one before */
void netnews_anew(struct netnews *n);

/** netnews_take() - append "[network: …]" lines to @out, each behind a newline */
void netnews_take(struct netnews *n, struct box *b, struct buf *out);

/* The two halves of netnews_take(), from the monitor's answer. */
void netnews_events(struct netnews *n, const struct json *answer, struct buf *out);
void netnews_ports(struct netnews *n, const struct json *answer, struct buf *out);

#endif
