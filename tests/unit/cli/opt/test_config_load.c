#include "tests/unit/unit.h"

#include "cli/opt/config_load.h"

static const struct row {
	const char *name, *text, *msg; /* NULL = accepted */
} rows[] = {
	{ "empty object", "{}", NULL },
	{ "every kind of value",
	  "{\"image\": \"debian\", \"memory\": \"2G\", \"pids\": 99, \"keep\": true,\n"
	  " \"cpus\": 0.5, \"allow\": [\"a.example\", \"b.example:443\"], \"net\": "
	  "\"none\",\n"
	  " \"timeout\": \"5m\", \"aliases\": {\"fast\": \"openai:x\"},\n"
	  " \"providers\": {\"corp\": {\"base-url\": \"https://c.example/v1\", "
	  "\"key-env\": \"CORP_KEY\", \"wire\": \"openai\"}}}",
	  NULL },
	{ "an unknown key is named with its line",
	  "{\n \"image\": \"x\",\n \"memroy\": \"2G\"\n}",
	  "c:3: unknown key 'memroy'; did you mean 'memory'?" },
	{ "an unknown key near nothing", "{\"zzz\": 1}", "c:1: unknown key 'zzz'" },
	{ "a wrong type", "{\n\n\"keep\": \"yes\"}",
	  "c:3: 'keep': it must be true or false, not string" },
	{ "a number where a string must be", "{\"image\": 3}",
	  "c:1: 'image': it must be a string, not number" },
	{ "a list where a number must be", "{\"pids\": []}",
	  "c:1: 'pids': it must be a number, not list" },
	{ "a string where a list must be", "{\"allow\": \"x\"}",
	  "c:1: 'allow': it must be a list of strings, not string" },
	{ "a number in a list", "{\"allow\": [1]}",
	  "c:1: 'allow': it must be a list of strings, not number" },
	{ "a bad size", "{\"memory\": \"lots\"}",
	  "c:1: 'memory': bad size 'lots'; it is such as 512M or 2G" },
	{ "a negative number", "{\"pids\": -1}",
	  "c:1: 'pids': bad number '-1'; it is a whole number above 0" },
	{ "the same name deeper is another line",
	  "{\"aliases\": {\"pids\": \"x\"},\n\"pids\": true}",
	  "c:2: 'pids': it must be a number, not true or false" },
	{ "an alias that is no string", "{\"aliases\": {\n\"a\": \"b\",\n\"c\": 1}}",
	  "c:3: alias 'c': it must be a string, not number" },
	{ "a provider without an address",
	  "{\"providers\": {\n\"corp\": {\"wire\": \"openai\"}}}",
	  "c:2: provider 'corp': it has no 'base-url'" },
	{ "a provider with an unknown key",
	  "{\"providers\": {\"corp\": {\"key\": \"sk-1\"}}}",
	  "c:1: provider 'corp': unknown key 'key'; known are base-url, key-env, "
	  "wire, context" },
	{ "a provider with an unknown wire",
	  "{\"providers\": {\"c\": {\"base-url\": \"x\", \"wire\": \"soap\"}}}",
	  "c:1: provider 'c': bad wire 'soap'; it is openai, responses, anthropic or "
	  "ollama" },
	{ "a context that is no number",
	  "{\"providers\": {\"c\": {\"base-url\": \"x\", \"context\": \"8k\"}}}",
	  "c:1: provider 'c': 'context' must be a number of tokens, 1024 or more" },
	{ "a provider by Responses",
	  "{\"providers\": {\"c\": {\"base-url\": \"x\", \"wire\": \"responses\"}}}",
	  NULL },
	{ "an MCP server without a command",
	  "{\"mcp-servers\": {\n\"files\": {\"args\": []}}}",
	  "c:2: MCP server 'files': it needs a 'command'" },
	{ "prices",
	  "{\"prices\": {\"m\": {\"input\": 0.5, \"cached\": 0, \"output\": 2}}}",
	  NULL },
	{ "prices that are no object", "{\n\"prices\": 3}",
	  "c:2: 'prices': it must be an object, not number" },
	{ "a price without output", "{\"prices\": {\n\"m\": {\"input\": 0.5}}}",
	  "c:2: price of 'm': it needs 'input' and 'output'" },
	{ "a negative price", "{\"prices\": {\"m\": {\"input\": -1, \"output\": 1}}}",
	  "c:1: price of 'm': 'input' must be dollars for a million tokens" },
	{ "a price of something else", "{\"prices\": {\"m\": {\"in\": 1}}}",
	  "c:1: price of 'm': unknown key 'in'; known are input, cached, output" },
	{ "not an object", "[1]", "c:1: it must be an object, not list" },
};

static void test(const void *p)
{
	const struct row *r = p;
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;
	int got;

	config_init(&c);
	got = config_load_text(&c, "c", r->text, strlen(r->text), &e);
	if (!r->msg) {
		unit_ok(got, &e);
		return;
	}
	assert_int_equal(got, -EINVAL);
	unit_err(&e, -EINVAL, r->msg);
}

static void syntax_has_its_line(void)
{
	static const char text[] = "{\n\"image\": \"x\",\n\"keep\" true\n}";
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;

	config_init(&c);
	assert_int_equal(config_load_text(&c, "c", text, strlen(text), &e), -EINVAL);
	assert_memory_equal(e.msg, "c:3: ", 5);
}

static void values_arrive(void)
{
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;

	config_init(&c);
	unit_ok(config_load_text(&c, "c", rows[1].text, strlen(rows[1].text), &e), &e);
	assert_string_equal(config_text(&c, CONFIG_IMAGE), "debian");
	assert_int_equal(config_num(&c, CONFIG_MEMORY), 2LL << 30);
	assert_int_equal(config_num(&c, CONFIG_PIDS), 99);
	assert_int_equal(config_num(&c, CONFIG_CPUS), 500);
	assert_int_equal(config_num(&c, CONFIG_TIMEOUT), 300000);
	assert_true(config_on(&c, CONFIG_KEEP));
	assert_string_equal(config_list(&c, CONFIG_ALLOW)[1], "b.example:443");
	assert_null(config_list(&c, CONFIG_ALLOW)[2]);
	assert_string_equal(config_alias(&c, "fast"), "openai:x");
	assert_string_equal(config_alias(&c, "slow"), "slow");
	assert_non_null(config_provider(&c, "corp"));
	assert_int_equal(c.v[CONFIG_IMAGE].from, CONFIG_FROM_FILE);
	assert_int_equal(c.v[CONFIG_USER].from, CONFIG_FROM_DEFAULT);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "bad syntax has its line", syntax_has_its_line },
		{ "values arrive", values_arrive },
	};
	int failed = unit_rows("config_load", rows, test);

	return failed + unit_cases("config_load", cases);
}
