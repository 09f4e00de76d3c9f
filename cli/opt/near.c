#include "cli/opt/near.h"

#include <string.h>

#include "base/def.h"

enum { NEAR_MAX = 31, NEAR_FAR = 99 };

/* One line of the table of optimal string alignment; @before and @last are the two
 * lines above it. */
static void next_line(const char *a, const char *b, size_t i,
		      unsigned line[3][NEAR_MAX + 1])
{
	const unsigned *before = line[(i + 1) % 3], *last = line[(i + 2) % 3];
	unsigned *now = line[i % 3];

	now[0] = (unsigned)i;
	for (size_t j = 1; b[j - 1]; j++) {
		unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);

		best = MIN(best, last[j] + 1);
		best = MIN(best, now[j - 1] + 1);
		if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
			best = MIN(best, before[j - 2] + 1);
		now[j] = best;
	}
}

unsigned near_distance(const char *a, const char *b)
{
	unsigned line[3][NEAR_MAX + 1] = { { 0 } };
	size_t la = strlen(a), lb = strlen(b);

	if (la > NEAR_MAX || lb > NEAR_MAX)
		return NEAR_FAR;
	for (size_t j = 0; j <= lb; j++)
		line[0][j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++)
		next_line(a, b, i, line);
	return line[la % 3][lb];
}

const char *near_find(const char *word, const char *const *known, size_t n)
{
	const char *best = NULL;
	unsigned best_distance = NEAR_FAR;

	for (size_t i = 0; i < n; i++) {
		unsigned d, most;

		if (!known[i])
			continue;
		d = near_distance(word, known[i]);
		most = (unsigned)strlen(known[i]) / 3;
		if (d > MAX(most, 1U) || d >= best_distance || d >= strlen(known[i]))
			continue;
		best = known[i];
		best_distance = d;
	}
	return best;
}
