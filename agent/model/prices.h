/* prices - what a task costs: list prices of services by model, and the user's own.
 * Needs:  the counts of a turn.
 * Owns:   a table with a date.
 * Never:  guesses: a model that is not in it, or that somebody else serves, has no price. */
#ifndef AGENT_MODEL_PRICES_H
#define AGENT_MODEL_PRICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct turn_usage;

#define PRICES_DATE "March 2026" /* of the table, and of the one of windows */

/* Micro-dollars for a million tokens: 2500000 = $2.50. */
struct prices {
	uint64_t input, cached, written, output;
};

/**
 * prices_find() - the list price of @model, asked at @url
 *
 * The name must be the table's, but for a date behind it ("-2025-04-14").
 * Return: true, and @ret is filled; false when it is not known.
 */
bool prices_find(const char *url, const char *model, struct prices *ret);

/** prices_listed() - the name of row @i of the table; NULL: there are no more */
const char *prices_listed(size_t i);

/** prices_cost() - of one turn, in micro-dollars, rounded up */
uint64_t prices_cost(const struct prices *p, const struct turn_usage *u);

#endif
