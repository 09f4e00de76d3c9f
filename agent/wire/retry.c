#include "agent/wire/retry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/http_head.h"

/* clang-format off */

/* Transport: which failures a second attempt can mend. */
static const struct {
	int code;
	enum retry_what what;
} transport_rows[] = {
	{ -EHOSTUNREACH, RETRY_AGAIN },
	{ -ECONNREFUSED, RETRY_AGAIN },
	{ -ECONNRESET,   RETRY_AGAIN },
	{ -ETIMEDOUT,    RETRY_AGAIN },
	{ -EPROTO,       RETRY_AGAIN },
	{ -EMSGSIZE,     RETRY_AGAIN },
	{ -ECANCELED,    RETRY_ABORTED },
	{ -EKEYREJECTED, RETRY_NEVER },
	{ -ENOKEY,       RETRY_NEVER },
	{ -EPROTONOSUPPORT, RETRY_NEVER }, /* a web page: a person has to look at it */
};

static const struct {
	int from, to;
	enum retry_what what;
} status_rows[] = {
	{ 400, 407, RETRY_NEVER },
	{ 408, 409, RETRY_AGAIN },
	{ 410, 412, RETRY_NEVER },
	{ 413, 413, RETRY_COMPACT },
	{ 414, 428, RETRY_NEVER },
	{ 429, 429, RETRY_AGAIN },
	{ 430, 497, RETRY_NEVER },
	{ 498, 498, RETRY_AGAIN },
	{ 499, 499, RETRY_NEVER },
	{ 500, 599, RETRY_AGAIN },
};

/* Codes and types, whatever the status; the first row that matches counts. */
static const struct {
	const char *code;
	enum retry_what what;
} code_rows[] = {
	{ "insufficient_quota",            RETRY_NEVER },
	{ "billing_hard_limit_reached",    RETRY_NEVER },
	{ "billing_error",                 RETRY_NEVER },
	{ "context_length_exceeded",       RETRY_COMPACT },
	{ "exceed_context_size_error",     RETRY_COMPACT },
	{ "request_too_large",             RETRY_COMPACT },
	{ "content_filter",                RETRY_REFUSED },
	{ "content_policy_violation",      RETRY_REFUSED },
	{ "tool_use_failed",               RETRY_MALFORMED },
	{ "overloaded_error",              RETRY_AGAIN },
	{ "api_error",                     RETRY_AGAIN },
	{ "timeout_error",                 RETRY_AGAIN },
	{ "rate_limit_error",              RETRY_AGAIN },
	{ "rate_limit_exceeded",           RETRY_AGAIN },
	{ "server_error",                  RETRY_AGAIN },
	{ "internal_server_error",         RETRY_AGAIN },
	{ "internal_error",                RETRY_AGAIN },
	{ "service_unavailable",           RETRY_AGAIN },
	{ "insufficient_system_resource",  RETRY_AGAIN },
	{ "unavailable_error",             RETRY_AGAIN },
	{ "error",                         RETRY_AGAIN },
	{ "authentication_error",          RETRY_NEVER },
	{ "permission_error",              RETRY_NEVER },
	{ "not_found_error",               RETRY_NEVER },
	{ "invalid_api_key",               RETRY_NEVER },
	{ "model_not_found",               RETRY_NEVER },
};

/* Words that only an error about the size of the context has. */
static const char *const context_words[] = {
	"context_length_exceeded", "exceed_context_size_error", "maximum context length",
	"prompt is too long", "exceed context limit", "input token count",
	"exceeds the available context size", "context window",
};

/* A 400 or 422 that names a field of ours which the server could do without. */
static const struct {
	const char *word;
	enum retry_field field;
} field_rows[] = {
	{ "stream_options",            RETRY_F_STREAM_OPTIONS },
	{ "include_usage",             RETRY_F_STREAM_OPTIONS },
	{ "max_completion_tokens",     RETRY_F_MAX_COMPLETION },
	{ "max_tokens",                RETRY_F_MAX_TOKENS },
	{ "image_url",                 RETRY_F_PICTURES },
	{ "input_image",               RETRY_F_PICTURES },
	{ "image input",               RETRY_F_PICTURES },
	{ "image content",             RETRY_F_PICTURES },
	{ "support image",             RETRY_F_PICTURES },
	{ "multimodal",                RETRY_F_PICTURES },
	{ "vision",                    RETRY_F_PICTURES },
	{ "reasoning summar",          RETRY_F_SUMMARY },
	{ "reasoning.summary",         RETRY_F_SUMMARY },
	{ "encrypted_content",         RETRY_F_INCLUDE },
	{ "'include'",                 RETRY_F_INCLUDE },
	{ "reasoning_effort",          RETRY_F_EFFORT },
	{ "reasoning.effort",          RETRY_F_EFFORT },
	{ "output_config",             RETRY_F_EFFORT },
	{ "does not support thinking", RETRY_F_EFFORT },
	{ "think value",               RETRY_F_EFFORT },
	{ "thinking",                  RETRY_F_THINKING },
	{ "reasoning_content",         RETRY_F_REASONING },
	{ "reasoning_details",         RETRY_F_REASONING },
	{ "reasoning",                 RETRY_F_REASONING },
	{ "tool_choice",               RETRY_F_TOOL_CHOICE },
	{ "cache_control",             RETRY_F_CACHE },
	{ "content: none",             RETRY_F_NULL_CONTENT },
	{ "content must be a string",  RETRY_F_NULL_CONTENT },
	{ "content cannot be null",    RETRY_F_NULL_CONTENT },
	{ "null content",              RETRY_F_NULL_CONTENT },
};
/* clang-format on */

/* Of the numbers in a text the limit is the one behind one of these: "maximum context
 * length is 8192 tokens, however you requested 9000". */
static const char *const context_limit_words[] = { "maximum context length is ",
						   "maximum context length of ",
						   "context size (",
						   "n_ctx\": ",
						   "maximum of ",
						   "context limit: ",
						   "tokens > ",
						   "context window of ",
						   NULL };
/* "max_tokens: 16384 > 4096", "supports at most 8192", "range of max_tokens is [1, 8192]" */
static const char *const output_limit_words[] = { "at most ", " > ", "[1, ",
						  "less than or equal to ", NULL };

static uint64_t stated_number(const char *text, const char *const *before)
{
	for (; *before; before++) {
		const char *p = strcasestr(text, *before);
		uint64_t n;

		if (!p)
			continue;
		p += strlen(*before);
		n = strtoull(p + (*p == '`'), NULL, 10);
		if (n >= 256 && n <= 1ULL << 32)
			return n;
	}
	return 0;
}

static uint64_t stated_limit(const struct retry_cause *c)
{
	return c->n_ctx ? c->n_ctx : stated_number(c->text, context_limit_words);
}

static bool has_context_words(const struct retry_cause *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(context_words); i++)
		if (strcasestr(c->text, context_words[i]))
			return true;
	return false;
}

static bool judge_code(struct retry_cause *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(code_rows); i++) {
		if (strcasecmp(c->code, code_rows[i].code) != 0)
			continue;
		c->what = code_rows[i].what;
		return true;
	}
	return false;
}

static bool judge_field(struct retry_cause *c)
{
	if (c->status != 400 && c->status != 422)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(field_rows); i++) {
		if (!strcasestr(c->text, field_rows[i].word))
			continue;
		c->what = RETRY_FIELD;
		c->field = field_rows[i].field;
		if (c->field == RETRY_F_MAX_TOKENS ||
		    c->field == RETRY_F_MAX_COMPLETION)
			c->limit = stated_number(c->text, output_limit_words);
		return true;
	}
	return false;
}

/* "… are not supported in /v1/chat/completions. Please use /v1/responses instead.", "This
 * is not a chat model", "only supported in v1/responses" */
static bool judge_wire(struct retry_cause *c)
{
	static const char *const words[] = { "v1/responses", "responses api",
					     "not a chat model", "responses endpoint" };

	if (c->status != 400 && c->status != 404)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcasestr(c->text, words[i])) {
			c->what = RETRY_WIRE;
			return true;
		}
	return false;
}

static void judge_status(struct retry_cause *c)
{
	c->what = c->in_stream ? RETRY_AGAIN : RETRY_NEVER;
	for (size_t i = 0; i < ARRAY_SIZE(status_rows); i++)
		if (c->status >= status_rows[i].from && c->status <= status_rows[i].to)
			c->what = status_rows[i].what;
	if (c->status == 402 && *c->retry_after)
		c->what = RETRY_AGAIN;
}

static bool judge_context(struct retry_cause *c)
{
	bool client_error = c->in_stream || (c->status >= 400 && c->status < 500) ||
			    c->status == 500;

	if (!client_error || c->status == 429 || !has_context_words(c))
		return false;
	c->limit = stated_limit(c);
	c->what =
		strcasestr(c->text, "input length and") ? RETRY_OUTPUT : RETRY_COMPACT;
	return true;
}

void retry_judge(struct retry_cause *c)
{
	bool settled;

	c->field = RETRY_F_NONE;
	c->limit = 0;
	if (c->transport && c->transport != -EREMOTEIO) {
		c->what = RETRY_NEVER;
		for (size_t i = 0; i < ARRAY_SIZE(transport_rows); i++)
			if (c->transport == transport_rows[i].code)
				c->what = transport_rows[i].what;
		return;
	}
	if (judge_context(c))
		return;
	if (c->status ==
	    413) { /* Groq calls it a rate limit: a minute's tokens at once */
		c->what = RETRY_COMPACT;
		return;
	}
	if (judge_wire(c))
		return;
	settled = *c->code && judge_code(c);
	if (settled && c->what != RETRY_AGAIN && c->what != RETRY_NEVER) {
		c->limit = stated_limit(c);
		return;
	}
	if (!settled) {
		if (judge_field(c))
			return;
		judge_status(c);
	}
	if (settled && c->what == RETRY_NEVER)
		return; /* the header speaks of the status: money does not come back */
	if (strcasecmp(c->should_retry, "true") == 0)
		c->what = RETRY_AGAIN;
	else if (strcasecmp(c->should_retry, "false") == 0 && c->what == RETRY_AGAIN)
		c->what = RETRY_NEVER;
}

/* Seconds with a fraction, as milliseconds; negative when it is none. */
static int64_t seconds_ms(const char *s, unsigned scale)
{
	char *end;
	double v;

	if (!*s || !strchr("0123456789.", *s))
		return -1;
	v = strtod(s, &end);
	if (*end || v < 0 || v > 1e9)
		return -1;
	return (int64_t)(v * scale + 0.999);
}

static int64_t date_ms(const char *s, int64_t now)
{
	int64_t t = http_head_date(s);

	return t < 0 ? -1 : MAX(t - now, (int64_t)0) * 1000;
}

uint64_t retry_wait_ms(const struct retry_cause *c, unsigned attempt, int64_t now,
		       uint32_t random)
{
	uint64_t base = RETRY_FIRST_MS;
	int64_t told = seconds_ms(c->retry_after_ms, 1);

	if (told < 0)
		told = seconds_ms(c->retry_after, 1000);
	if (told < 0)
		told = date_ms(c->retry_after, now);
	if (told >= 0)
		return (uint64_t)told;
	for (unsigned i = 1; i < attempt && base < RETRY_CEILING_MS; i++)
		base *= 2;
	base = MIN(base, (uint64_t)RETRY_CEILING_MS);
	/* 75 % to 125 % of it. */
	return base * 3 / 4 + base / 2 * (random >> 16) / 0xffff;
}
