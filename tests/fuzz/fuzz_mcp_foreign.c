#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "agent/mcp/foreign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KEEP = 500 };

/* Plain types alone, whatever the server said. */
static void check_schema(const struct json *s)
{
	static const char all[] = "string number integer boolean array object";
	const char *type = json_get_str(s, "type");

	assert(type && strstr(all, type));
	assert(!json_get(s, "$ref") && !json_get(s, "anyOf"));
	json_each(p, json_get(s, "properties"))
	{
		check_schema(p);
	}
	if (json_get(s, "items"))
		check_schema(json_get(s, "items"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_json_ struct json *j = NULL, *words = NULL;
	_cleanup_buf_ struct buf printed = BUF_INIT(1 << 20);
	_cleanup_tool_result_ struct tool_result r;
	char name[MCP_FOREIGN_NAME];
	struct err e = ERR_NONE;

	tool_result_init(&r);
	if (json_parse((const char *)data, size, &j, &e) < 0)
		return 0;
	if (mcp_foreign_name("s", j, name))
		assert(strlen(name) < MCP_FOREIGN_NAME);
	if (mcp_foreign_words("s", false, j, &words, &e) == 0) {
		assert(json_print(words, false, &printed) == 0);
		assert(printed.len <= MCP_FOREIGN_WORDS);
		check_schema(json_get(words, "parameters"));
	}
	assert(mcp_foreign_result(j, KEEP, &r) == 0);
	assert(r.text.len && r.text.len < 4 * KEEP);
	return 0;
}
