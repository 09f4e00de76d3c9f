#include "agent/wire/anthropic_assemble.h"

#include "tests/unit/answerkit.h"
#include "tests/unit/unit.h"

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
static const struct answerkit_row rows[] = {
	{ "text", START TEXT DELTA("0", "{\"type\":\"text_delta\",\"text\":\"a\"}")
	  "{\"type\":\"ping\"}\n" DELTA("0", "{\"type\":\"text_delta\",\"text\":\"b\"}") END("end_turn"),
	  "[{\"type\":\"text\",\"text\":\"ab\"}] text=ab finish=0 usage=10+9+3", 0 },
	{ "a pair in two pieces", START TEXT DELTA("0", "{\"type\":\"text_delta\",\"text\":\"a\\ud83d\"}")
	  DELTA("0", "{\"type\":\"text_delta\",\"text\":\"\\ude00b\\ud83dc\"}") END("end_turn"),
	  "[{\"type\":\"text\",\"text\":\"a\360\237\230\200b\357\277\275c\"}] text=a\360\237\230\200b\357\277\275c finish=0 usage=10+9+3", 0 },
	{ "a thought in two pieces", START BLOCK("0", "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"S\"}")
	  DELTA("0", "{\"type\":\"thinking_delta\",\"thinking\":\"\\ud83d\"}")
	  DELTA("0", "{\"type\":\"thinking_delta\",\"thinking\":\"\\ude00\"}") END("end_turn"),
	  "[{\"type\":\"thinking\",\"thinking\":\"\360\237\230\200\",\"signature\":\"S\"}] thought=\360\237\230\200 finish=0 usage=10+9+3", 0 },
	{ "arguments in two pieces", START CALL JSON("{\\\"a\\\":\\\"\\ud83d") JSON("\\ude00\\\"}") END("tool_use"),
	  "[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"sh\",\"input\":{\"a\":\"\360\237\230\200\"}}] "
	  "call=sh{\"a\":\"\360\237\230\200\"} finish=0 usage=10+9+3", 0 },
	{ "an unknown block with half a pair", START BLOCK("0", "{\"type\":\"odd\",\"data\":\"x\\ude00y\"}") END("end_turn"),
	  "[{\"type\":\"odd\",\"data\":\"x\357\277\275y\"}] finish=0 usage=10+9+3", 0 },
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

static void stream(const char *in, struct buf *out)
{
	for (const char *s = in; *s;) {
		size_t n = strcspn(s, "\n");

		buf_addf(out, "event: x\r\ndata: %.*s\r\n\r\n", (int)n, s);
		s += n + 1;
	}
}

static void run_row(const void *row)
{
	static const struct answerkit kit = { &anthropic_assemble_ops, stream, tell };

	answerkit_row(&kit, row);
}

int main(void)
{
	return unit_rows("anthropic_assemble", rows, run_row);
}
