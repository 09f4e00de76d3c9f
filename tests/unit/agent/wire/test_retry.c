#include "agent/wire/retry.h"

#include "tests/unit/unit.h"

struct row {
	const char *name;
	struct retry_cause in;
	enum retry_what what;
	enum retry_field field;
	uint64_t limit;
};

/* clang-format off */
static const struct row rows[] = {
	{ "name lookup", { .transport = -EHOSTUNREACH }, RETRY_AGAIN, 0, 0 },
	{ "refused", { .transport = -ECONNREFUSED }, RETRY_AGAIN, 0, 0 },
	{ "cut", { .transport = -ECONNRESET }, RETRY_AGAIN, 0, 0 },
	{ "stall", { .transport = -ETIMEDOUT }, RETRY_AGAIN, 0, 0 },
	{ "protocol", { .transport = -EPROTO }, RETRY_AGAIN, 0, 0 },
	{ "certificate", { .transport = -EKEYREJECTED }, RETRY_NEVER, 0, 0 },
	{ "no certificates", { .transport = -ENOKEY }, RETRY_NEVER, 0, 0 },
	{ "a web page", { .transport = -EPROTONOSUPPORT }, RETRY_NEVER, 0, 0 },
	{ "^C", { .transport = -ECANCELED }, RETRY_ABORTED, 0, 0 },
	{ "no memory", { .transport = -ENOMEM }, RETRY_NEVER, 0, 0 },
	{ "400", { .status = 400 }, RETRY_NEVER, 0, 0 },
	{ "401", { .status = 401 }, RETRY_NEVER, 0, 0 },
	{ "402", { .status = 402 }, RETRY_NEVER, 0, 0 },
	{ "402 with Retry-After", { .status = 402, .retry_after = "3" }, RETRY_AGAIN, 0, 0 },
	{ "403", { .status = 403 }, RETRY_NEVER, 0, 0 },
	{ "404", { .status = 404 }, RETRY_NEVER, 0, 0 },
	{ "408", { .status = 408 }, RETRY_AGAIN, 0, 0 },
	{ "409", { .status = 409 }, RETRY_AGAIN, 0, 0 },
	{ "413", { .status = 413, .code = "rate_limit_exceeded" }, RETRY_COMPACT, 0, 0 },
	{ "422", { .status = 422 }, RETRY_NEVER, 0, 0 },
	{ "429", { .status = 429 }, RETRY_AGAIN, 0, 0 },
	{ "429 quota", { .status = 429, .code = "insufficient_quota" }, RETRY_NEVER, 0, 0 },
	{ "429 billing", { .status = 429, .code = "billing_hard_limit_reached" }, RETRY_NEVER, 0, 0 },
	{ "429 that talks of the context", { .status = 429, .text = "context window busy" }, RETRY_AGAIN, 0, 0 },
	{ "498", { .status = 498 }, RETRY_AGAIN, 0, 0 },
	{ "500", { .status = 500 }, RETRY_AGAIN, 0, 0 },
	{ "529", { .status = 529, .code = "overloaded_error" }, RETRY_AGAIN, 0, 0 },
	{ "301", { .status = 301 }, RETRY_NEVER, 0, 0 },
	{ "x-should-retry: true", { .status = 400, .should_retry = "true" }, RETRY_AGAIN, 0, 0 },
	{ "x-should-retry: false", { .status = 500, .should_retry = "false" }, RETRY_NEVER, 0, 0 },
	{ "overloaded in the stream", { .in_stream = true, .transport = -EREMOTEIO,
	  .code = "overloaded_error" }, RETRY_AGAIN, 0, 0 },
	{ "unknown in the stream", { .in_stream = true, .transport = -EREMOTEIO,
	  .code = "odd" }, RETRY_AGAIN, 0, 0 },
	{ "key error in the stream", { .in_stream = true, .transport = -EREMOTEIO,
	  .code = "authentication_error" }, RETRY_NEVER, 0, 0 },
	{ "context by code", { .status = 400, .code = "context_length_exceeded" }, RETRY_COMPACT, 0, 0 },
	{ "context by text, limit stated", { .status = 400, .text = "This model's maximum context "
	  "length is 8192 tokens. However, you requested 9000" }, RETRY_COMPACT, 0, 8192 },
	{ "context, Anthropic", { .status = 400, .text = "prompt is too long: 210000 tokens > 200000 maximum" },
	  RETRY_COMPACT, 0, 200000 },
	{ "context in the stream", { .in_stream = true, .transport = -EREMOTEIO,
	  .code = "exceed_context_size_error" }, RETRY_COMPACT, 0, 0 },
	{ "input and output", { .status = 400, .text = "input length and `max_tokens` exceed context "
	  "limit: 190000 + 20000 > 200000" }, RETRY_OUTPUT, 0, 0 },
	{ "filter", { .status = 400, .code = "content_filter" }, RETRY_REFUSED, 0, 0 },
	{ "Groq's malformed call", { .status = 400, .code = "tool_use_failed" }, RETRY_MALFORMED, 0, 0 },
	{ "stream_options", { .status = 422, .text = "extra fields: stream_options" },
	  RETRY_FIELD, RETRY_F_STREAM_OPTIONS, 0 },
	{ "another wire", { .status = 400, .text = "Function tools with reasoning_effort are not "
	  "supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead." },
	  RETRY_WIRE, 0, 0 },
	{ "another wire, by 404", { .status = 404, .code = "model_not_found", .text = "This is not a "
	  "chat model and thus not supported in the v1/chat/completions endpoint." }, RETRY_WIRE, 0, 0 },
	{ "pictures", { .status = 400, .text = "Invalid content type. image_url is only supported by "
	  "certain models." }, RETRY_FIELD, RETRY_F_PICTURES, 0 },
	{ "an effort", { .status = 400, .text = "Unsupported parameter: 'reasoning.effort'" },
	  RETRY_FIELD, RETRY_F_EFFORT, 0 },
	{ "a summary", { .status = 400, .text = "Your organization must be verified to generate "
	  "reasoning summaries." }, RETRY_FIELD, RETRY_F_SUMMARY, 0 },
	{ "a budget of thoughts", { .status = 400, .text = "\"thinking.type.enabled\" is not supported "
	  "for this model. Use \"thinking.type.adaptive\"" }, RETRY_FIELD, RETRY_F_THINKING, 0 },
	{ "no thoughts in Ollama", { .status = 400, .text = "\"x\" does not support thinking" },
	  RETRY_FIELD, RETRY_F_EFFORT, 0 },
	{ "max_tokens", { .status = 400, .code = "unsupported_parameter", .text = "Unsupported parameter: "
	  "'max_tokens'. Use 'max_completion_tokens' instead." }, RETRY_FIELD, RETRY_F_MAX_COMPLETION, 0 },
	{ "output limit, OpenAI", { .status = 400, .text = "max_tokens is too large: 20000. This model "
	  "supports at most 16384 completion tokens, whereas you provided 20000." },
	  RETRY_FIELD, RETRY_F_MAX_TOKENS, 16384 },
	{ "output limit, Anthropic", { .status = 400, .code = "invalid_request_error",
	  .text = "max_tokens: 16384 > 4096, which is the maximum allowed number of output tokens" },
	  RETRY_FIELD, RETRY_F_MAX_TOKENS, 4096 },
	{ "output limit, DeepSeek", { .status = 400,
	  .text = "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]" },
	  RETRY_FIELD, RETRY_F_MAX_TOKENS, 8192 },
	{ "output limit, Groq", { .status = 400,
	  .text = "`max_tokens` must be less than or equal to `8192`" },
	  RETRY_FIELD, RETRY_F_MAX_TOKENS, 8192 },
	{ "context, llama.cpp", { .status = 400, .code = "exceed_context_size_error", .n_ctx = 4096,
	  .text = "the request exceeds the available context size" }, RETRY_COMPACT, 0, 4096 },
	{ "context in the stream, llama.cpp", { .in_stream = true, .transport = -EREMOTEIO,
	  .code = "exceed_context_size_error", .n_ctx = 4096 }, RETRY_COMPACT, 0, 4096 },
	{ "a field that is never sent", { .status = 400, .text = "temperature does not support 0.2" },
	  RETRY_NEVER, 0, 0 },
	{ "reasoning field", { .status = 400, .text = "unknown field reasoning_content" },
	  RETRY_FIELD, RETRY_F_REASONING, 0 },
	{ "a field, but 500", { .status = 500, .text = "temperature" }, RETRY_AGAIN, 0, 0 },
};
/* clang-format on */

static void judge_row(const void *p)
{
	const struct row *row = p;
	struct retry_cause c = row->in;

	retry_judge(&c);
	assert_int_equal(c.what, row->what);
	assert_int_equal(c.field, row->field);
	if (row->limit || row->field)
		assert_int_equal(c.limit, row->limit);
}

struct wait_row {
	const char *name;
	struct retry_cause in;
	unsigned attempt;
	uint32_t random;
	uint64_t ms;
};

enum { NOW = 784111777 }; /* Sun, 06 Nov 1994 08:49:37 GMT */

/* clang-format off */
static const struct wait_row wait_rows[] = {
	{ "first, least", { 0 }, 1, 0, 375 },
	{ "first, most", { 0 }, 1, UINT32_MAX, 625 },
	{ "second", { 0 }, 2, 0, 750 },
	{ "fifth", { 0 }, 5, 0, 6000 },
	{ "the ceiling", { 0 }, 40, 0, 22500 },
	{ "the ceiling, most", { 0 }, 40, UINT32_MAX, 37500 },
	{ "seconds", { .retry_after = "7" }, 1, 0, 7000 },
	{ "fractions", { .retry_after = "0.25" }, 1, 0, 250 },
	{ "milliseconds win", { .retry_after = "7", .retry_after_ms = "120" }, 1, 0, 120 },
	{ "a date", { .retry_after = "Sun, 06 Nov 1994 08:49:47 GMT" }, 1, 0, 10000 },
	{ "a date that is over", { .retry_after = "Sun, 06 Nov 1994 08:00:00 GMT" }, 1, 0, 0 },
	{ "nonsense", { .retry_after = "soon" }, 1, 0, 375 },
	{ "negative", { .retry_after = "-3" }, 1, 0, 375 },
	{ "zero", { .retry_after = "0" }, 3, 0, 0 },
};
/* clang-format on */

static void wait_row(const void *p)
{
	const struct wait_row *row = p;

	assert_int_equal(retry_wait_ms(&row->in, row->attempt, NOW, row->random),
			 row->ms);
}

/* Every status with every header that may stand beside it: the headers decide where they
 * may, money never comes back by itself, and a wait is never beyond what was told. */
static void every_status(void)
{
	static const char *const should[] = { "", "true", "false", "odd" };
	static const char *const after[] = { "",     "0",
					     "7",    "0.5",
					     "soon", "Sun, 06 Nov 1994 08:49:47 GMT" };

	for (int status = 100; status < 1000; status++)
		for (size_t s = 0; s < ARRAY_SIZE(should); s++)
			for (size_t a = 0; a < ARRAY_SIZE(after); a++) {
				struct retry_cause c = { .status = status }, q;
				bool temporary = status == 408 || status == 409 ||
						 status == 429 || status == 498 ||
						 (status >= 500 && status < 600) ||
						 (status == 402 && *after[a]);
				enum retry_what want =
					temporary ? RETRY_AGAIN : RETRY_NEVER;

				strcpy(c.should_retry, should[s]);
				strcpy(c.retry_after, after[a]);
				q = c;
				strcpy(q.code, "insufficient_quota");
				retry_judge(&c);
				retry_judge(&q);
				if (s == 1 || s == 2)
					want = s == 1 ? RETRY_AGAIN : RETRY_NEVER;
				if (status == 413)
					want = RETRY_COMPACT;
				if (c.what != want)
					fail_msg("%d, '%s', '%s': %d", status,
						 should[s], after[a], (int)c.what);
				if (status != 413)
					assert_int_equal(q.what, RETRY_NEVER);
				assert_true(retry_wait_ms(&c, 6, NOW, UINT32_MAX) <=
					    RETRY_CEILING_MS * 5 / 4);
			}
}

int main(void)
{
	static const struct unit_case cases[] = { { "every status", every_status } };

	return unit_rows("retry_judge", rows, judge_row) + unit_cases("retry", cases) +
	       unit_rows("retry_wait_ms", wait_rows, wait_row);
}
