#include "agent/wire/openai_assemble.h"

#include <stdio.h>

#include "tests/unit/answerkit.h"
#include "tests/unit/unit.h"

/* A stream is written as its deltas, one a line; "=" in front makes a line a whole
 * chunk, "!" a raw event. The turn is told as one line. */
#define FN(args) "\"function\":{\"name\":\"sh\",\"arguments\":\"" args "\"}"
#define MORE(args) "\"function\":{\"arguments\":\"" args "\"}"
#define STOP \
	"={\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n!data: [DONE]\n"

/* clang-format off */
static const struct answerkit_row rows[] = {
	{ "text in pieces", "{\"role\":\"assistant\",\"content\":\"\"}\n{\"content\":\"a\"}\n"
	  "{\"content\":\"b\"}\n" STOP, "text=ab finish=stop", 0 },
	{ "text as a list of parts", "{\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
	  "{\"type\":\"text\",\"text\":\"b\"}]}\n" STOP, "text=ab finish=stop", 0 },
	{ "null everywhere", "={\"choices\":[]}\n={\"choices\":[{\"delta\":null}]}\n"
	  "={\"choices\":[{}],\"usage\":null}\n{\"content\":null,\"tool_calls\":null}\n" STOP,
	  "finish=stop", 0 },
	{ "only choice 0", "={\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"}}]}\n"
	  "{\"content\":\"yes\"}\n" STOP, "text=yes finish=stop", 0 },
	{ "a call in pieces", "{\"tool_calls\":[{\"index\":0,\"id\":\"i1\"," FN("{\\\"a\\\"") "}]}\n"
	  "{\"tool_calls\":[{\"index\":0,\"id\":\"\"," MORE(":1}") "}]}\n" STOP,
	  "call=i1:sh:{\"a\":1} finish=stop", 0 },
	{ "two calls, interleaved", "{\"tool_calls\":[{\"index\":0,\"id\":\"a\"," FN("{") "}]}\n"
	  "{\"tool_calls\":[{\"index\":1,\"id\":\"b\"," FN("{") "}]}\n"
	  "{\"tool_calls\":[{\"index\":0," MORE("}") "},{\"index\":1," MORE("}") "}]}\n" STOP,
	  "call=a:sh:{} call=b:sh:{} finish=stop", 0 },
	{ "index 0 for all, other ids (Ollama)",
	  "{\"tool_calls\":[{\"index\":0,\"id\":\"a\"," FN("{}") "}]}\n"
	  "{\"tool_calls\":[{\"index\":0,\"id\":\"b\"," FN("{}") "}]}\n" STOP,
	  "call=a:sh:{} call=b:sh:{} finish=stop", 0 },
	{ "indexes that skip", "{\"tool_calls\":[{\"index\":1,\"id\":\"a\"," FN("{}") "}]}\n"
	  "{\"tool_calls\":[{\"index\":7,\"id\":\"b\"," FN("{}") "}]}\n" STOP,
	  "call=a:sh:{} call=b:sh:{} finish=stop", 0 },
	{ "no index, new id", "{\"tool_calls\":[{\"id\":\"a\"," FN("{") "}]}\n"
	  "{\"tool_calls\":[{" MORE("}") "}]}\n{\"tool_calls\":[{\"id\":\"b\"," FN("{}") "}]}\n" STOP,
	  "call=a:sh:{} call=b:sh:{} finish=stop", 0 },
	{ "no index, no id, another name", "{\"tool_calls\":[{" FN("{}") "}]}\n"
	  "{\"tool_calls\":[{\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}}]}\n" STOP,
	  "call=?:sh:{} call=?:ls:{} finish=stop", 0 },
	{ "whole, arguments an object", "{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"sh\","
	  "\"arguments\":{\"x\":[1]}}}]}\n" STOP, "call=a:sh:{\"x\":[1]} finish=stop", 0 },
	{ "the old function_call", "{\"function_call\":{\"name\":\"sh\",\"arguments\":\"{\"}}\n"
	  "{\"function_call\":{\"arguments\":\"}\"}}\n" STOP, "call=?:sh:{} finish=stop", 0 },
	{ "the same id twice", "{\"tool_calls\":[{\"index\":0,\"id\":\"a\"," FN("{}") "},"
	  "{\"index\":1,\"id\":\"a\"," FN("{}") "}]}\n" STOP, "call=a:sh:{} call=?:sh:{} finish=stop", 0 },
	{ "malformed arguments", "{\"tool_calls\":[{\"index\":0,\"id\":\"a\"," FN("{x") "}]}\n" STOP,
	  "call=a:sh:malformed finish=stop", 0 },
	{ "reasoning, both fields, shown once",
	  "{\"reasoning_content\":\"h\",\"reasoning\":\"h\"}\n"
	  "{\"reasoning_content\":\"m\",\"reasoning\":\"m\"}\n" STOP, "thought=hm finish=stop", 0 },
	{ "reasoning details", "{\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"h\",\"index\":0}]}\n"
	  "{\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"m\",\"index\":0}]}\n" STOP,
	  "thought=hm finish=stop", 0 },
	{ "usage: the last one", "={\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n"
	  "{\"content\":\"x\"}\n={\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],"
	  "\"x_groq\":{\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":6}}}\n"
	  "={\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":8,"
	  "\"prompt_tokens_details\":{\"cached_tokens\":3}}}\n",
	  "text=x finish=stop usage=7+8 cached=3", 0 },
	{ "finish reason twice, and early", "={\"choices\":[{\"delta\":{\"content\":\"a\"},"
	  "\"finish_reason\":\"stop\"}]}\n{\"content\":\"b\"}\n" STOP, "text=ab finish=stop", 0 },
	{ "no end mark, but a finish reason", "={\"choices\":[{\"delta\":{\"content\":\"a\"},"
	  "\"finish_reason\":\"stop\"}]}\n", "text=a finish=stop", 0 },
	{ "cut", "{\"content\":\"a\"}\n", "the answer ended before it was complete", -ECONNRESET },
	{ "an error in mid-stream", "{\"content\":\"a\"}\n={\"error\":{\"message\":\"busy\",\"code\":502}}\n",
	  "the server said: busy", -EREMOTEIO },
	{ "an error in a choice", "={\"choices\":[{\"error\":{\"message\":\"busy\"}}]}\n",
	  "the server said: busy", -EREMOTEIO },
	{ "an error in a list", "!data: [{\"error\":{\"message\":\"busy\"}}]\n",
	  "the server said: busy", -EREMOTEIO },
	{ "finish reason error", "={\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n",
	  "the server said: error", -EREMOTEIO },
	{ "no resources", "={\"choices\":[{\"delta\":{},\"finish_reason\":\"insufficient_system_resource\"}]}\n",
	  "the server said: insufficient_system_resource", -EREMOTEIO },
	{ "three lines of nonsense", "!data: x\n!data: y\n!data: 7\n{\"content\":\"a\"}\n" STOP,
	  "text=a finish=stop", 0 },
	{ "a pair in two pieces", "{\"content\":\"do not \\ud83d\"}\n{\"content\":\"\\ude00 delete\"}\n"
	  STOP, "text=do not \360\237\230\200 delete finish=stop", 0 },
	{ "half a pair", "{\"content\":\"do not \\ud83d\"}\n{\"content\":\"delete it\\ude00\"}\n" STOP,
	  "text=do not \357\277\275delete it\357\277\275 finish=stop", 0 },
	{ "half a pair at the end", "{\"content\":\"a\\ud83d\"}\n" STOP, "text=a\357\277\275 finish=stop", 0 },
	{ "a NUL", "{\"content\":\"do not\\u0000 delete\"}\n" STOP, "text=do not\357\277\275 delete finish=stop", 0 },
	{ "half a character", "{\"content\":\"a \xe2\x82\"}\n{\"content\":\"\xac b\"}\n" STOP,
	  "text=a \xe2\x82\xac b finish=stop", 0 },
	{ "a thought in two pieces", "{\"reasoning\":\"a\\ud83d\"}\n{\"reasoning\":\"\\ude00b\"}\n" STOP,
	  "thought=a\360\237\230\200b finish=stop", 0 },
	{ "a refusal in two pieces", "{\"refusal\":\"a\\ud83d\"}\n{\"refusal\":\"\\ude00b\"}\n" STOP,
	  "refusal=a\360\237\230\200b finish=stop filter", 0 },
	{ "arguments in two pieces", "{\"tool_calls\":[{\"index\":0,\"id\":\"a\"," FN("{\\\"x\\\":\\\"\\ud83d") "}]}\n"
	  "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\ude00\\\"}\"}}]}\n" STOP,
	  "call=a:sh:{\"x\":\"\360\237\230\200\"} finish=stop", 0 },
	{ "arguments with half a pair are none", "{\"tool_calls\":[{\"index\":0,\"id\":\"a\","
	  FN("{\\\"x\\\":\\\"\\ud83d\\\"}") "}]}\n" STOP, "call=a:sh:malformed finish=stop", 0 },
	{ "four", "!data: x\n!data: y\n!data: 7\n!data: z\n", "4 events that are no JSON object", -EPROTO },
	{ "a piece of a call that is lost", "{\"tool_calls\":[{\"index\":0,\"id\":\"a\"," FN("{}") "}]}\n"
	  "!data: {broken\n" STOP, "a part of a call arrived unreadable", -EPROTO },
	{ "refusal", "{\"refusal\":\"I may\"}\n{\"refusal\":\" not\"}\n" STOP,
	  "refusal=I may not finish=stop filter", 0 },
	{ "length", "{\"content\":\"a\"}\n={\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n",
	  "text=a finish=length length", 0 },
	{ "a reply as a whole", "={\"choices\":[{\"message\":{\"content\":\"a\",\"tool_calls\":[{\"id\":\"x\","
	  FN("{}") "}]},\"finish_reason\":\"tool_calls\"}]}\n", "text=a call=x:sh:{} finish=tool_calls", 0 },
};
/* clang-format on */

static void stream_of(const char *in, struct buf *out)
{
	while (*in) {
		size_t n = strcspn(in, "\n");

		if (*in == '!')
			buf_addf(out, "%.*s\n\n", (int)n - 1, in + 1);
		else if (*in == '=')
			buf_addf(out, "data: %.*s\n\n", (int)n - 1, in + 1);
		else
			buf_addf(out, "data: {\"choices\":[{\"delta\":%.*s}]}\n\n",
				 (int)n, in);
		in += n + 1;
	}
}

static void tell(const struct turn *t, struct buf *out)
{
	static const char *const finishes[] = { [TURN_LENGTH] = " length",
						[TURN_FILTER] = " filter",
						[TURN_PAUSE] = " pause",
						[TURN_OVERFLOW] = " overflow" };

	if (t->reasoning.len)
		buf_addf(out, "thought=%s ", t->reasoning.data);
	if (t->text.len)
		buf_addf(out, "text=%s ", t->text.data);
	if (t->refusal.len)
		buf_addf(out, "refusal=%s ", t->refusal.data);
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct turn_call *c = &t->calls[i];
		bool made_up = strlen(c->id) == 9;

		buf_addf(out, "call=%s:%s:", made_up ? "?" : c->id, c->name);
		if (c->args)
			json_print(c->args, false, out);
		else
			buf_adds(out, "malformed");
		buf_addc(out, ' ');
	}
	buf_addf(out, "finish=%s%s", t->finish_word,
		 t->finish ? finishes[t->finish] : "");
	if (t->usage.known)
		buf_addf(out, " usage=%d+%d", (int)t->usage.input,
			 (int)t->usage.output);
	if (t->usage.cached)
		buf_addf(out, " cached=%d", (int)t->usage.cached);
}

static void run_row(const void *row)
{
	static const struct answerkit kit = { &openai_assemble_ops, stream_of, tell };

	answerkit_row(&kit, row);
}

/* What goes back: unknown members and signatures as they came. */
static void message(void)
{
	static const struct turn_sink silent = { 0 };
	static const char *const chunks[] = {
		"{\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\",\"vendor\":"
		"\"a\"}}]}",
		"{\"choices\":[{\"delta\":{\"vendor\":\"b\",\"content\":\"x\","
		"\"obfuscation\":\"zzz\"}}]}",
		"{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\","
		"\"extra_content\":{\"google\":{\"thought_signature\":\"S\"}}," FN(
			"{x") "}]},\"finish_reason\":\"stop\"}]}",
	};
	_cleanup_buf_ struct buf out = BUF_INIT(10000);
	_cleanup_turn_ struct turn t;
	struct openai_assemble a = { 0 };
	struct err e = ERR_NONE;
	uint64_t seed = 1;

	turn_init(&t);
	answer_state_init(&a.s, &silent);
	openai_assemble_init(&a);
	for (size_t i = 0; i < ARRAY_SIZE(chunks); i++)
		unit_ok(openai_assemble_event(&a, chunks[i], strlen(chunks[i]), &e),
			&e);
	unit_ok(openai_assemble_end(&a, &seed, &t, &e), &e);
	json_print(t.message, false, &out);
	assert_string_equal(
		buf_cstr(&out),
		"{\"role\":\"assistant\",\"content\":\"x\",\"reasoning_content\":"
		"\"hm\","
		"\"vendor\":\"ab\",\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\","
		"\"function\":{\"name\":\"sh\",\"arguments\":\"{x\"},\"extra_content\":"
		"{\"google\":{\"thought_signature\":\"S\"}}}]}");
	openai_assemble_done(&a);
	answer_state_done(&a.s);
}

static void too_many_calls(void)
{
	static const struct turn_sink silent = { 0 };
	struct openai_assemble a = { 0 };
	struct err e = ERR_NONE;
	int r = 0;

	answer_state_init(&a.s, &silent);
	openai_assemble_init(&a);
	for (int i = 0; i <= TURN_CALLS_MAX && r == 0; i++) {
		char chunk[200];

		snprintf(chunk, sizeof(chunk),
			 "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":%d,"
			 "\"id\":"
			 "\"i%d\"," FN("{}") "}]}}]}",
			 i, i);
		r = openai_assemble_event(&a, chunk, strlen(chunk), &e);
	}
	unit_err(&e, -EPROTO, "more than 64 calls in one turn");
	openai_assemble_done(&a);
	answer_state_done(&a.s);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "the message that goes back", message },
		{ "65 calls", too_many_calls },
	};

	return unit_rows("openai_assemble", rows, run_row) +
	       unit_cases("openai_assemble", cases);
}
