/* Theory of operation
 *
 * Each piece that is read wakes the program that wrote it. Sixty-four of them leave a server
 * that shares a processor with them a sixty-fifth of it, and it would be busy all of that: who
 * asks for anything else would wait for a round of all of them, three times. So time is cut in
 * pieces of PACE_MS; after one with more than PACE_LEAST bytes comes one in which nothing is
 * read. Time, not bytes, since it is time that a busy machine has less of. */
#include "agent/server/run/pace.h"

unsigned pace_rest(struct server_pace *p, uint64_t now_ms)
{
	bool flood = p->taken >= PACE_LEAST;

	if (now_ms < p->until_ms)
		return (unsigned)(p->until_ms - now_ms);
	if (now_ms - p->since_ms < PACE_MS)
		return 0;
	p->since_ms = now_ms;
	p->taken = 0;
	if (!flood)
		return 0;
	p->since_ms = p->until_ms = now_ms + PACE_MS;
	return PACE_MS;
}
