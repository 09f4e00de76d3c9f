#include "agent/wire/error.h"

#include "tests/unit/unit.h"

struct row {
	const char *name, *body, *code, *text;
	int status;
	uint64_t n_ctx;
};

/* clang-format off */
static const struct row rows[] = {
	{ "OpenAI", "{\"error\":{\"message\":\"m\",\"type\":\"t\",\"code\":\"c\"}}", "c", "m", 0, 0 },
	{ "type alone", "{\"error\":{\"message\":\"m\",\"type\":\"t\",\"code\":null}}", "t", "m", 0, 0 },
	{ "a number as code", "{\"error\":{\"message\":\"m\",\"code\":503}}", "503", "m", 503, 0 },
	{ "a number beside a type", "{\"error\":{\"message\":\"m\",\"type\":\"t\",\"code\":503}}", "t", "m", 503, 0 },
	{ "Anthropic", "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"m\"}}",
	  "overloaded_error", "m", 0, 0 },
	{ "llama.cpp", "{\"error\":{\"code\":400,\"message\":\"m\",\"type\":"
	  "\"exceed_context_size_error\",\"n_prompt_tokens\":9000,\"n_ctx\":4096}}",
	  "exceed_context_size_error", "m", 400, 4096 },
	{ "a text", "{\"error\":\"m\"}", "", "m", 0, 0 },
	{ "a list", "[{\"error\":{\"message\":\"m\",\"status\":\"X\"}}]", "", "m", 0, 0 },
	{ "vLLM", "{\"object\":\"error\",\"message\":\"m\",\"type\":\"t\"}", "t", "m", 0, 0 },
	{ "FastAPI", "{\"detail\":\"m\"}", "", "m", 0, 0 },
	{ "message alone", "{\"message\":\"m\"}", "", "m", 0, 0 },
	{ "without words", "{\"error\":{}}", "", "an error without words", 0, 0 },
	{ "no error", "{\"error\":null,\"x\":1}", "", "{\"error\":null,\"x\":1}", 0, 0 },
	{ "a page", "<!DOCTYPE html><HTML><head><title>\n Bad\tGateway </TITLE>", "", "Bad\\tGateway", 0, 0 },
	{ "a page without a title", "<html></html>", "", "a web page", 0, 0 },
	{ "plain", " no way\n", "", "no way", 0, 0 },
	{ "escapes", "\x1b[31mred", "", "\\x1b[31mred", 0, 0 },
	{ "nothing", "", "", "", 0, 0 },
};
/* clang-format on */

static void run_row(const void *p)
{
	const struct row *row = p;
	struct retry_cause c = { 0 };

	wire_error_body(row->body, strlen(row->body), &c);
	assert_string_equal(c.text, row->text);
	assert_string_equal(c.code, row->code);
	assert_int_equal(c.status, row->status);
	assert_int_equal(c.n_ctx, row->n_ctx);
}

int main(void)
{
	return unit_rows("wire_error_body", rows, run_row);
}
