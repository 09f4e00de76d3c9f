#include "agent/wire/answer.h"

#include "agent/model/impl.h"
#include "tests/unit/unit.h"

/* One stream for each wire, with words and two calls; @clean is the first place from
 * which on it may end. */
struct row {
	const char *name;
	const struct wire *wire;
	const char *in;
	const char *clean; /* behind this text */
};

#define DATA(x) "data: " x "\n\n"
#define DELTA(x) DATA("{\"choices\":[{\"index\":0,\"delta\":{" x "}}]}")
#define BLOCK(n, x)                                                                    \
	DATA("{\"type\":\"content_block_start\",\"index\":" n ",\"content_block\":{" x \
	     "}}")
#define PIECE(n, x) \
	DATA("{\"type\":\"content_block_delta\",\"index\":" n ",\"delta\":{" x "}}")
#define STOP(n) DATA("{\"type\":\"content_block_stop\",\"index\":" n "}")
#define INPUT(n, x) PIECE(n, "\"type\":\"input_json_delta\",\"partial_json\":\"" x "\"")
#define TOOL "\"type\":\"tool_use\",\"name\":\"shell\",\"input\":{},\"id\":"

/* clang-format off */
static const struct row rows[] = {
	{ "openai", &openai_wire,
	  DELTA("\"role\":\"assistant\",\"content\":\"I lo\"") ": ping\n\n" DELTA("\"content\":\"ök\"")
	  DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"shell\",\"arguments\":\"\"}}]")
	  DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"command\\\":\"}}]")
	  DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"one\\\"}\"}}]")
	  DELTA("\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"shell\","
		"\"arguments\":\"{\\\"command\\\":\\\"two\\\"}\"}}]")
	  DATA("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}")
	  DATA("[DONE]"),
	  "\"finish_reason\":\"tool_calls\"}]}" },
	{ "anthropic", &anthropic_wire,
	  DATA("{\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}")
	  BLOCK("0", "\"type\":\"text\",\"text\":\"\"") PIECE("0", "\"type\":\"text_delta\",\"text\":\"I lo\"")
	  PIECE("0", "\"type\":\"text_delta\",\"text\":\"ök\"") STOP("0")
	  BLOCK("1", TOOL "\"a\"") INPUT("1", "{\\\"command\\\":") INPUT("1", "\\\"one\\\"}") STOP("1")
	  BLOCK("2", TOOL "\"b\"") INPUT("2", "{\\\"command\\\":\\\"two\\\"}") STOP("2")
	  DATA("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}")
	  DATA("{\"type\":\"message_stop\"}"),
	  "\"stop_reason\":\"tool_use\"}}" },
	{ "ollama", &ollama_wire,
	  "{\"message\":{\"content\":\"I lo\"}}\n{\"message\":{\"content\":\"ök\"}}\n"
	  "{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"shell\",\"arguments\":"
	  "{\"command\":\"one\"}}},{\"function\":{\"name\":\"shell\",\"arguments\":{\"command\":"
	  "\"two\"}}}]}}\n{\"message\":{},\"done\":true,\"done_reason\":\"stop\"}\n",
	  "\"done_reason\":\"stop\"}" },
};
/* clang-format on */

/* In pieces of @step bytes, the first @len alone. */
static int feed(const struct row *row, size_t len, size_t step, struct turn *ret,
		struct err *e)
{
	static const struct turn_sink silent = { 0 };
	_cleanup_answer_ struct answer *a = answer_new(row->wire->answer, &silent);
	uint64_t seed = 1;
	int r = 0;

	assert_non_null(a);
	for (size_t at = 0; at < len && r == 0; at += step)
		r = answer_feed(a, row->in + at, MIN(step, len - at), e);
	return r ?: answer_end(a, &seed, ret, e);
}

static void check(const struct turn *t, const char *where)
{
	static const char *const commands[] = { "one", "two" };

	if (strcmp(buf_cstr(&t->text), "I lo"
				       "ök") != 0 ||
	    t->n_calls != 2)
		fail_msg("%s: '%s', %zu calls", where, buf_cstr(&t->text), t->n_calls);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(json_get_str(t->calls[i].args, "command"),
				    commands[i]);
}

static void any_split(const void *p)
{
	const struct row *row = p;
	size_t len = strlen(row->in);

	for (size_t step = 1; step <= len; step++) {
		_cleanup_turn_ struct turn t;
		struct err e = ERR_NONE;

		turn_init(&t);
		unit_ok(feed(row, len, step, &t, &e), &e);
		check(&t, row->name);
	}
}

/* Cut behind every byte: no turn at all, or the whole one. */
static void any_cut(const void *p)
{
	const struct row *row = p;
	size_t clean =
		(size_t)(strstr(row->in, row->clean) - row->in) + strlen(row->clean);

	for (size_t len = 0; len <= strlen(row->in); len++) {
		_cleanup_turn_ struct turn t;
		struct err e = ERR_NONE;
		int r;

		turn_init(&t);
		r = feed(row, len, 7, &t, &e);
		if (r < 0 && len >= clean)
			fail_msg("%s, cut at %zu: %s", row->name, len, e.msg);
		if (len < clean)
			assert_int_equal(r, -ECONNRESET);
		else
			check(&t, row->name);
	}
}

static void a_long_line(void)
{
	enum { SIZE = 1 << 20 };
	_cleanup_free_ char *words = malloc(SIZE + 1);
	_cleanup_buf_ struct buf in = BUF_INIT(2 * SIZE);
	_cleanup_turn_ struct turn t;
	struct err e = ERR_NONE;
	struct row row = { .wire = &openai_wire };

	memset(words, 'w', SIZE);
	words[SIZE] = '\0';
	buf_addf(&in, DELTA("\"content\":\"%s\"") DATA("[DONE]"), words);
	row.in = in.data;
	turn_init(&t);
	unit_ok(feed(&row, in.len, 16384, &t, &e), &e);
	assert_int_equal(t.text.len, SIZE);
}

static void its_words_are_the_cause(void)
{
	static const struct turn_sink silent = { 0 };
	static const char *const errors[] = {
		DATA("{\"error\":{\"message\":\"busy\",\"code\":\"c\"}}"),
		DATA("{\"type\":\"error\",\"error\":{\"type\":\"c\",\"message\":"
		     "\"busy\"}}"),
		"{\"error\":{\"message\":\"busy\",\"code\":\"c\"}}\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_answer_ struct answer *a =
			answer_new(rows[i].wire->answer, &silent);
		struct err e = ERR_NONE;

		assert_int_equal(answer_feed(a, errors[i], strlen(errors[i]), &e),
				 -EREMOTEIO);
		assert_string_equal(answer_cause(a)->text, "busy");
		assert_string_equal(answer_cause(a)->code, "c");
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a line of a megabyte", a_long_line },
		{ "what the service says is the cause", its_words_are_the_cause },
	};

	return unit_rows("answer: split anywhere", rows, any_split) +
	       unit_rows("answer: cut anywhere", rows, any_cut) +
	       unit_cases("answer", cases);
}
