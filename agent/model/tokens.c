#include "agent/model/tokens.h"

#include <string.h>
#include <strings.h>

#include "base/def.h"

/* clang-format off */
/* By the start of the name behind its last slash; the first row that fits counts. */
static const struct {
	const char *prefix;
	uint64_t window;
} rows[] = {
	{ "gpt-4.1",           1047576 },
	{ "gpt-4o",             128000 },
	{ "gpt-4-turbo",        128000 },
	{ "gpt-4-32k",           32768 },
	{ "gpt-4",                8192 },
	{ "gpt-3.5",             16385 },
	{ "gpt-5",              400000 },
	{ "gpt-oss",            131072 },
	{ "o1",                 200000 },
	{ "o3",                 200000 },
	{ "o4",                 200000 },
	{ "claude",             200000 },
	{ "gemini-1.5-pro",    2097152 },
	{ "gemini",            1048576 },
	{ "deepseek",           128000 },
	{ "mistral-large",      131072 },
	{ "mistral-medium",     131072 },
	{ "mistral-small",      131072 },
	{ "codestral",          262144 },
	{ "devstral",           131072 },
	{ "llama-4",            131072 },
	{ "llama-3.1",          131072 },
	{ "llama-3.2",          131072 },
	{ "llama-3.3",          131072 },
	{ "grok-4",             256000 },
	{ "grok",               131072 },
	{ "qwen3-coder",        262144 },
	{ "qwen3",              131072 },
	{ "kimi-k2",            131072 },
	{ "glm-4",              131072 },
};
/* clang-format on */

enum { WINDOW_UNKNOWN = 128000, ROUND = 512, GROWN = 1024 };

uint64_t tokens_window(const char *model)
{
	const char *slash = strrchr(model, '/');

	if (slash)
		model = slash + 1;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strncasecmp(model, rows[i].prefix, strlen(rows[i].prefix)) == 0)
			return rows[i].window;
	return WINDOW_UNKNOWN;
}

bool tokens_reasons(const char *model)
{
	static const char *const families[] = { "gpt-5", "o1", "o3", "o4", "codex-" };
	const char *slash = strrchr(model, '/');

	if (slash)
		model = slash + 1;
	if (strncasecmp(model, "gpt-5-chat", 10) == 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		if (strncasecmp(model, families[i], strlen(families[i])) == 0)
			return true;
	return false;
}

void tokens_init(struct tokens *t)
{
	*t = (struct tokens){ .per_byte = 1.0 / 3 };
}

void tokens_report(struct tokens *t, uint64_t input, uint64_t output, size_t bytes,
		   size_t bytes_after)
{
	double seen = bytes ? (double)input / (double)bytes : 0;

	if (!input)
		return;
	/* A server that does not count the whole prompt must not make us careless. */
	if (seen > 0.05 && seen < 2)
		t->per_byte = seen;
	t->last_input = input;
	t->last_bytes = bytes;
	t->reported = input + output;
	t->reported_bytes = bytes_after;
}

bool tokens_cut(const struct tokens *t, uint64_t input, size_t bytes)
{
	return input && input == t->last_input && input % ROUND == 0 &&
	       bytes >= t->last_bytes + GROWN;
}

void tokens_forget(struct tokens *t)
{
	t->last_input = 0;
	t->reported = 0;
	t->reported_bytes = 0;
}

uint64_t tokens_estimate(const struct tokens *t, size_t bytes)
{
	size_t added = bytes > t->reported_bytes ? bytes - t->reported_bytes : 0;

	return t->reported + (uint64_t)((double)added * t->per_byte + 0.5);
}
