#include "agent/model/prices.h"

#include <string.h>

#include "agent/turn/turn.h"
#include "base/text.h"

static const char openai[] = "://api.openai.com/";
static const char anthropic[] = "://api.anthropic.com";

/* clang-format off */
/* Cents for a million tokens: new input, input read from the cache, input written to the
 * cache, output. Requests above 200 k tokens cost more at some. */
static const struct {
	const char *url, *model;
	double input, cached, written, output;
} rows[] = {
	{ openai, "gpt-4.1",      200,   50,   200,   800 },
	{ openai, "gpt-4.1-mini",  40,   10,    40,   160 },
	{ openai, "gpt-4.1-nano",  10,    2.5,  10,    40 },
	{ openai, "gpt-4o",       250,  125,   250,  1000 },
	{ openai, "gpt-4o-mini",   15,    7.5,  15,    60 },
	{ openai, "gpt-5.4",      250,   25,   250,  1500 },
	{ openai, "gpt-5.2",      175,   17.5, 175,  1400 },
	{ openai, "gpt-5.1",      125,   12.5, 125,  1000 },
	{ openai, "gpt-5",        125,   12.5, 125,  1000 },
	{ openai, "gpt-5-codex",  125,   12.5, 125,  1000 },
	{ openai, "gpt-5-mini",    25,    2.5,  25,   200 },
	{ openai, "gpt-5-nano",     5,    0.5,   5,    40 },
	{ openai, "o3",           200,   50,   200,   800 },
	{ openai, "o4-mini",      110,   27.5, 110,   440 },
	{ anthropic, "claude-opus-4-6",    500,  50,  625, 2500 },
	{ anthropic, "claude-opus-4-5",    500,  50,  625, 2500 },
	{ anthropic, "claude-opus-4-1",   1500, 150, 1875, 7500 },
	{ anthropic, "claude-opus-4",     1500, 150, 1875, 7500 },
	{ anthropic, "claude-sonnet-4-6",  300,  30,  375, 1500 },
	{ anthropic, "claude-sonnet-4-5",  300,  30,  375, 1500 },
	{ anthropic, "claude-sonnet-4",    300,  30,  375, 1500 },
	{ anthropic, "claude-3-7-sonnet",  300,  30,  375, 1500 },
	{ anthropic, "claude-haiku-4-5",   100,  10,  125,  500 },
	{ anthropic, "claude-3-5-haiku",    80,   8,  100,  400 },
	{ anthropic, "claude-3-haiku",      25,   3,   30,  125 },
};
/* clang-format on */

enum { MILLION = 1000000, MICRO_PER_CENT = 10000 };

/* "-20250929", "-2025-04-14", "-latest": the same model. */
static bool same_model(const char *name, const char *row)
{
	size_t n = strlen(row);

	if (strncmp(name, row, n) != 0)
		return false;
	name += n;
	return !*name || strcmp(name, "-latest") == 0 ||
	       (text_starts(name, "-20") && !name[1 + strspn(name + 1, "0123456789-")]);
}

bool prices_find(const char *url, const char *model, struct prices *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!strstr(url, rows[i].url) || !same_model(model, rows[i].model))
			continue;
		*ret = (struct prices){
			.input = (uint64_t)(rows[i].input * MICRO_PER_CENT),
			.cached = (uint64_t)(rows[i].cached * MICRO_PER_CENT),
			.written = (uint64_t)(rows[i].written * MICRO_PER_CENT),
			.output = (uint64_t)(rows[i].output * MICRO_PER_CENT),
		};
		return true;
	}
	return false;
}

const char *prices_listed(size_t i)
{
	return i < ARRAY_SIZE(rows) ? rows[i].model : NULL;
}

uint64_t prices_cost(const struct prices *p, const struct turn_usage *u)
{
	uint64_t special = u->cached + u->written;
	uint64_t fresh = u->input > special ? u->input - special : 0;
	uint64_t sum = fresh * p->input + u->cached * p->cached +
		       u->written * p->written + u->output * p->output;

	return (sum + MILLION - 1) / MILLION;
}
