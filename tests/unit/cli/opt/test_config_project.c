#include "cli/opt/config_project.h"

#include <string.h>

#include "tests/unit/unit.h"

/* What a text says, without agreement and with it. */
static const struct row {
	const char *name, *text;
	const char *widens; /* lines for the person; "" = nothing */
	int code;
	const char *msg;
} rows[] = {
	{ "nothing", "{}", "", 0, NULL },
	{ "what narrows",
	  "{\"net\":\"none\",\"memory\":\"64M\",\"pids\":9,\"cpus\":0.5,"
	  "\"disk\":\"1G\",\"deny\":[\"*\"]}",
	  "", 0, NULL },
	{ "what is inside",
	  "{\"packages\":{\"apt\":[\"curl\"]},\"setup\":[\"make\"],\"env\":{\"A\":"
	  "\"b\"}}",
	  "", 0, NULL },
	{ "a port", "{\"publish\":[\"8080:80\"]}", "  publish: [\"8080:80\"]\n", 0,
	  NULL },
	{ "a host", "{\"allow\":[\"a.example\"]}", "  allow: [\"a.example\"]\n", 0,
	  NULL },
	{ "the host's network", "{\"net\":\"host\"}", "  net: \"host\"\n", 0, NULL },
	{ "more memory", "{\"memory\":\"900G\"}", "  memory: \"900G\"\n", 0, NULL },
	{ "an image", "{\"image\":\"/etc/x.tar\"}", "  image: \"/etc/x.tar\"\n", 0,
	  NULL },
	{ "the image that is meant anyway", "{\"image\":\"ubuntu\"}", "", 0, NULL },
	{ "escapes for the person", "{\"image\":\"a\\u001b[2J\"}",
	  "  image: \"a\\u001b[2J\"\n", 0, NULL },
	{ "what reaches furthest is last",
	  "{\"mounts\":[\"/a:/b\"],\"memory\":\"900G\",\"net\":\"host\",\"image\":\"x\"}",
	  "  memory: \"900G\"\n  image: \"x\"\n  net: \"host\"\n  mounts: "
	  "[\"/a:/b\"]\n",
	  0, NULL },
	{ "of a long list what is no single name, and how many",
	  "{\"allow\":[\"a1.example\",\"a2.example:80\",\"a3.example\",\"a4.example\","
	  "\"a5.example\",\"HOST.cubby.internal\",\"10.0.0.5\",\"host.cubby。internal\"]}",
	  "  allow: 8 in all, 3 of them addresses, patterns or lists; the first:\n"
	  "    \"HOST.cubby.internal\"\n    \"10.0.0.5\"\n    \"host.cubby。internal\"\n"
	  "    \"a1.example\"\n",
	  0, NULL },
	{ "of many mounts those of the host",
	  "{\"mounts\":[\"name1:/1\",\"name2:/2\",\"name3:/3\",\"name4:/4\",\"name5:/5\","
	  "\"name6:/6\",\"name7:/7\",\"~/x:/8\"]}",
	  "  mounts: 8 in all, 1 of them of the host:\n    \"~/x:/8\"\n"
	  "    \"name1:/1\"\n    \"name2:/2\"\n    \"name3:/3\"\n    \"name4:/4\"\n"
	  "    \"name5:/5\"\n    \"name6:/6\"\n    \"name7:/7\"\n",
	  0, NULL },
	{ "both ends of what is long",
	  "{\"image\":\"ä234567890123456789012345678901234567890"
	  "1234567890123456789012345678901234567890\"}",
	  "  image: \"ä234567890123456789012345678901234…"
	  "67890123456789012345678901234567890\"\n",
	  0, NULL },
	{ "a member twice", "{\"mounts\":[\"/a:/b\"],\"mounts\":[\"/c:/d\"]}", "",
	  -EINVAL, "'mounts' stands there twice" },
	{ "services", "{\"services\":{\"db\":{\"run\":\"x\",\"ready\":{\"port\":1}}}}",
	  "", 0, NULL },
	{ "an unknown member", "{\"imge\":1}", "", -EINVAL,
	  "unknown member 'imge'; did you mean 'image'?" },
	{ "no object", "[]", "", -EINVAL, "it must be an object" },
	{ "a bad value", "{\"memory\":\"lots\"}", "", -EINVAL,
	  "'memory': bad size 'lots'; it is such as 512M or 2G" },
	{ "an option as a package", "{\"packages\":{\"apt\":[\"-o\"]}}", "", -EINVAL,
	  "'-o' is no package" },
	{ "a plugin", "{\"plugins\":[\"jupyter\"]}", "", 0, NULL },
	{ "a plugin alone", "{\"plugins\":\"jupyter\"}", "", -EINVAL,
	  "'plugins' must be a list of strings" },
	{ "another manager", "{\"packages\":{\"cargo\":[]}}", "", -EINVAL,
	  "'packages' must be an object of lists: apt, pip, npm" },
	{ "a service without a command", "{\"services\":{\"db\":{}}}", "", -EINVAL,
	  "service 'db' has no 'run'" },
	{ "a service with a path as its name",
	  "{\"services\":{\"../x\":{\"run\":\"y\"}}}", "", -EINVAL,
	  "bad name of a service '../x'" },
	{ "a bad way to be ready",
	  "{\"services\":{\"db\":{\"run\":\"x\",\"ready\":{\"port\":70000}}}}", "",
	  -EINVAL,
	  "service 'db': 'ready' must be {\"port\": N} or {\"command\": \"...\"}" },
	{ "a value from the host's environment", "{\"env\":[\"HOME\"]}", "", -EINVAL,
	  "'env': 'env' must be an object: names and values" },
};

static void test(const void *row)
{
	const struct row *r = row;
	_cleanup_buf_ struct buf widens = BUF_INIT(4 * CONFIG_PROJECT_MAX);
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;
	int got;

	config_init(&c);
	got = config_project_load(&c, r->text, strlen(r->text), false, &widens, &e);
	assert_int_equal(got, r->code);
	if (r->code) {
		unit_err(&e, r->code, r->msg);
		assert_null(c.project);
		return;
	}
	assert_string_equal(widens.len ? buf_cstr(&widens) : "", r->widens);
	assert_non_null(c.project);
	assert_int_equal(config_list(&c, CONFIG_PUBLISH)[0] != NULL, 0);
	assert_int_equal(config_list(&c, CONFIG_ALLOW)[0] != NULL, 0);
	assert_string_equal(config_text(&c, CONFIG_IMAGE), "ubuntu");
}

static void agreed_to(void)
{
	static const char text[] =
		"{\"net\":\"host\",\"publish\":[\"8080:80\"],\"pids\":5000}";
	_cleanup_buf_ struct buf widens = BUF_INIT(4 * CONFIG_PROJECT_MAX);
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;

	config_init(&c);
	unit_ok(config_project_load(&c, text, strlen(text), true, &widens, &e), &e);
	assert_string_equal(config_text(&c, CONFIG_NET), "host");
	assert_string_equal(config_list(&c, CONFIG_PUBLISH)[0], "8080:80");
	assert_int_equal(config_num(&c, CONFIG_PIDS), 5000);
}

static void own_settings_count_more(void)
{
	static const char text[] = "{\"net\":\"gate\",\"deny\":[\"b.example\"]}";
	_cleanup_buf_ struct buf widens = BUF_INIT(4 * CONFIG_PROJECT_MAX);
	_cleanup_config_ struct config c;
	struct err e = ERR_NONE;

	config_init(&c);
	unit_ok(config_set(&c, CONFIG_NET, "none", CONFIG_FROM_FILE, &e), &e);
	unit_ok(config_set(&c, CONFIG_DENY, "a.example", CONFIG_FROM_FILE, &e), &e);
	unit_ok(config_project_load(&c, text, strlen(text), false, &widens, &e), &e);
	assert_string_equal(config_text(&c, CONFIG_NET), "none");
	assert_string_equal(buf_cstr(&widens), "  net: \"gate\"\n");
	assert_string_equal(config_list(&c, CONFIG_DENY)[0], "a.example");
	assert_string_equal(config_list(&c, CONFIG_DENY)[1], "b.example");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "agreed to", agreed_to },
		{ "own settings count more", own_settings_count_more },
	};

	return unit_rows("config_project", rows, test) +
	       unit_cases("config_project", cases);
}
