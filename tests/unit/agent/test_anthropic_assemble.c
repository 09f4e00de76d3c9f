#include "agent/anthropic_assemble.h"

#include "agent/sse.h"
#include "tests/unit/unit.h"

struct row {
	const char *name;
	const char *in; /* events, one a line */
	const char *
		out; /* the message, then " text= … finish= … usage=", or the failure */
	int fail;
};

#define START                                                               \
	"{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{" \
	"\"input_tokens\":5,\"cache_creation_input_tokens\":2,"             \
	"\"cache_read_input_tokens\":3,\"output_tokens\":1}}}\n"
#define BLOCK(n, start)                                                              \
	"{\"type\":\"content_block_start\",\"index\":" n ",\"content_block\":" start \
	"}\n"
#define DELTA(n, delta) \
	"{\"type\":\"content_block_delta\",\"index\":" n ",\"delta\":" delta "}\n"
#define END(why)                                                        \
	"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" why \
	"\"},\"usage\":{"                                               \
	"\"output_tokens\":9}}\n{\"type\":\"message_stop\"}\n"
#define TEXT BLOCK("0", "{\"type\":\"text\",\"text\":\"\"}")
#define CALL                                                                          \
	BLOCK("1", "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"sh\",\"input\":{}" \
		   "}")
#define JSON(piece) \
	DELTA("1", "{\"type\":\"input_json_delta\",\"partial_json\":\"" piece "\"}")

/* clang-format off */
static const struct row rows[] = {
	{ "text", START TEXT DELTA("0", "{\"type\":\"text_delta\",\"text\":\"a\"}")
	  "{\"type\":\"ping\"}\n" DELTA("0", "{\"type\":\"text_delta\",\"text\":\"b\"}") END("end_turn"),
	  "[{\"type\":\"text\",\"text\":\"ab\"}] text=ab finish=0 usage=10+9+3", 0 },
	{ "a call", START TEXT CALL JSON("") JSON("{\\\"a\\\"") JSON(":1}") END("tool_use"),
	  "[{\"type\":\"text\",\"text\":\"\"},{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"sh\","
	  "\"input\":{\"a\":1}}] call=sh{\"a\":1} finish=0 usage=10+9+3", 0 },
	{ "a call without arguments", START CALL END("tool_use"),
	  "[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"sh\",\"input\":{}}] call=sh{} finish=0 usage=10+9+3", 0 },
	{ "a call that was cut off", START CALL JSON("{\\\"a") END("max_tokens"),
	  "[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"sh\",\"input\":{}}] call=sh! finish=1 usage=10+9+3", 0 },
	{ "thoughts, signed", START BLOCK("0", "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}")
	  DELTA("0", "{\"type\":\"thinking_delta\",\"thinking\":\"h\"}")
	  DELTA("0", "{\"type\":\"thinking_delta\",\"thinking\":\"m\"}")
	  DELTA("0", "{\"type\":\"signature_delta\",\"signature\":\"S==\"}") END("end_turn"),
	  "[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"S==\"}] thought=hm finish=0 usage=10+9+3", 0 },
	{ "unknown blocks stay as they came", START BLOCK("0", "{\"type\":\"redacted_thinking\",\"data\":\"x\"}")
	  DELTA("0", "{\"type\":\"odd_delta\",\"y\":1}") "{\"type\":\"new_event\"}\n" END("end_turn"),
	  "[{\"type\":\"redacted_thinking\",\"data\":\"x\"}] finish=0 usage=10+9+3", 0 },
	{ "pause", START END("pause_turn"), "[] finish=3 usage=10+9+3", 0 },
	{ "refusal", START END("refusal"), "[] finish=2 usage=10+9+3", 0 },
	{ "window full", START END("model_context_window_exceeded"), "[] finish=4 usage=10+9+3", 0 },
	{ "an unknown end", START END("odd"), "[] finish=0 usage=10+9+3", 0 },
	{ "cut", START TEXT, "the answer ended before it was complete", -ECONNRESET },
	{ "error after 200", START TEXT "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n",
	  "the server said: busy", -EREMOTEIO },
	{ "a delta of no block", START DELTA("4", "{\"type\":\"text_delta\",\"text\":\"a\"}"),
	  "a delta of a block that never began", -EPROTO },
	{ "a broken delta in a call", START CALL "{broken\n" END("tool_use"),
	  "a part of a call arrived unreadable", -EPROTO },
	{ "four of them", START "x\nx\nx\nx\n", "4 events that are no JSON object", -EPROTO },
};
/* clang-format on */

static int on_event(void *ctx, const char *data, size_t len, struct err *e)
{
	return anthropic_assemble_event(ctx, data, len, e);
}

static void tell(const struct turn *t, struct buf *out)
{
	json_print(json_get(t->message, "content"), false, out);
	if (t->reasoning.len)
		buf_addf(out, " thought=%s", t->reasoning.data);
	if (t->text.len)
		buf_addf(out, " text=%s", t->text.data);
	for (size_t i = 0; i < t->n_calls; i++) {
		buf_addf(out, " call=%s", t->calls[i].name);
		if (t->calls[i].args)
			json_print(t->calls[i].args, false, out);
		else
			buf_addc(out, '!');
	}
	buf_addf(out, " finish=%d usage=%d+%d+%d", (int)t->finish, (int)t->usage.input,
		 (int)t->usage.output, (int)t->usage.cached);
}

/* xorshift: the same pieces in every run. */
static size_t random_step(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state % 4 ? *state % 7 + 1 : *state % 90 + 1;
}

/* In pieces of @step bytes; 0 = of random length, the @nth time. */
static void run_split(const struct row *row, const struct buf *in, size_t step,
		      uint32_t nth)
{
	uint32_t state = 2463534242U + nth;
	static const struct turn_sink silent = { 0 };
	_cleanup_buf_ struct buf out = BUF_INIT(10000);
	_cleanup_turn_ struct turn t;
	struct anthropic_assemble a;
	struct err e = ERR_NONE;
	uint64_t seed = 1;
	struct sse s;
	int r = 0;

	turn_init(&t);
	anthropic_assemble_init(&a, &silent);
	sse_init(&s, on_event, &a);
	for (size_t at = 0, n; at < in->len && r == 0; at += n) {
		n = step ? step : random_step(&state);
		n = MIN(n, in->len - at);
		r = sse_feed(&s, in->data + at, n, &e);
	}
	if (r == 0)
		r = sse_end(&s, &e);
	if (r == 0)
		r = anthropic_assemble_end(&a, &seed, &t, &e);
	assert_int_equal(r, row->fail);
	if (r == 0)
		tell(&t, &out);
	assert_string_equal(r < 0 ? e.msg : buf_cstr(&out), row->out);
	sse_done(&s);
	anthropic_assemble_done(&a);
}

static void run_row(const void *p)
{
	_cleanup_buf_ struct buf in = BUF_INIT(1 << 20);
	const struct row *row = p;

	for (const char *s = row->in; *s;) {
		size_t n = strcspn(s, "\n");

		buf_addf(&in, "event: x\r\ndata: %.*s\r\n\r\n", (int)n, s);
		s += n + 1;
	}
	for (size_t step = 1; step < 40; step++)
		run_split(row, &in, step, 0);
	for (uint32_t nth = 0; nth < 1000; nth++)
		run_split(row, &in, 0, nth);
	run_split(row, &in, in.len, 0);
}

int main(void)
{
	return unit_rows("anthropic_assemble", rows, run_row);
}
