#include "agent/wire/message.h"

#include "tests/unit/unit.h"

struct row {
	const char *name, *in, *openai, *anthropic, *items;
};

#define SAID(words)                                                           \
	"{\"role\":\"assistant\",\"output\":[{\"type\":\"message\",\"role\":" \
	"\"assistant\","                                                      \
	"\"content\":[{\"type\":\"output_text\",\"text\":\"" words "\"}]}"
#define CALL(args)                                                                    \
	"{\"type\":\"function_call\",\"call_id\":\"i\",\"name\":\"s\",\"arguments\":" \
	"\"" args "\"}"

/* clang-format off */
static const struct row rows[] = {
	{ "text", "{\"role\":\"assistant\",\"content\":\"a\",\"reasoning\":\"r\"}",
	  "{\"role\":\"assistant\",\"content\":\"a\"}",
	  "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}",
	  SAID("a") "]}" },
	{ "a call", "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"i\",\"function\":{\"name\":\"s\","
	  "\"arguments\":\"{\\\"a\\\":1}\"}}]}",
	  "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"i\",\"type\":\"function\","
	  "\"function\":{\"name\":\"s\",\"arguments\":\"{\\\"a\\\":1}\"}}]}",
	  "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"i\",\"name\":\"s\","
	  "\"input\":{\"a\":1}}]}",
	  "{\"role\":\"assistant\",\"output\":[" CALL("{\\\"a\\\":1}") "]}" },
	{ "blocks", "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"t\","
	  "\"signature\":\"S\"},{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"tool_use\",\"id\":\"i\","
	  "\"name\":\"s\",\"input\":{}}]}",
	  "{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":[{\"id\":\"i\",\"type\":\"function\","
	  "\"function\":{\"name\":\"s\",\"arguments\":\"{}\"}}]}",
	  "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"t\","
	  "\"signature\":\"S\"},{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"tool_use\",\"id\":\"i\","
	  "\"name\":\"s\",\"input\":{}}]}",
	  SAID("a") "," CALL("{}") "]}" },
	{ "items", "{\"role\":\"assistant\",\"output\":[{\"type\":\"reasoning\",\"encrypted_content\":\"E\"},"
	  "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\"}]},"
	  CALL("{}") "]}",
	  "{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":[{\"id\":\"i\",\"type\":\"function\","
	  "\"function\":{\"name\":\"s\",\"arguments\":\"{}\"}}]}",
	  "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"tool_use\","
	  "\"id\":\"i\",\"name\":\"s\",\"input\":{}}]}",
	  "{\"role\":\"assistant\",\"output\":[{\"type\":\"reasoning\",\"encrypted_content\":\"E\"},"
	  "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\"}]},"
	  CALL("{}") "]}" },
	{ "nothing", "{\"role\":\"assistant\",\"content\":null}",
	  "{\"role\":\"assistant\",\"content\":\"(nothing)\"}",
	  "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"(nothing)\"}]}",
	  SAID("(nothing)") "]}" },
};
/* clang-format on */

static void same(struct json *j, const char *want)
{
	_cleanup_buf_ struct buf out = BUF_INIT(10000);
	_cleanup_json_ struct json *owned = j;

	assert_int_equal(json_print(owned, false, &out), 0);
	assert_string_equal(buf_cstr(&out), want);
}

static void run_row(const void *p)
{
	const struct row *row = p;
	_cleanup_json_ struct json *j = unit_json(row->in);
	struct json *out = NULL;
	struct err e = ERR_NONE;

	unit_ok(message_reduce(j, &out, &e), &e);
	same(out, row->openai);
	unit_ok(message_as(j, MESSAGE_BLOCKS, &out, &e), &e);
	same(out, row->anthropic);
	unit_ok(message_as(j, MESSAGE_ITEMS, &out, &e), &e);
	same(out, row->items);
}

static void no_message(void)
{
	_cleanup_json_ struct json *j = json_string("x");
	_cleanup_turn_ struct turn t;
	struct err e = ERR_NONE;
	uint64_t seed = 1;

	turn_init(&t);
	assert_int_equal(message_turn(j, &seed, &t, &e), -EINVAL);
	unit_err(&e, -EINVAL, "a message that is no object");
}

int main(void)
{
	static const struct unit_case cases[] = { { "no message", no_message } };

	return unit_rows("message", rows, run_row) + unit_cases("message", cases);
}
