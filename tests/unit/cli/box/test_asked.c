#include "cli/box/asked.h"

#include "tests/unit/unit.h"

/* A box that was started with these, and one command's options. */
static const struct row {
	const char *name;
	enum config_key key;
	const char *value;
	const char *missing; /* NULL = the box has it */
} rows[] = {
	{ "the same network", CONFIG_NET, "gate", NULL },
	{ "another network", CONFIG_NET, "none", "net" },
	{ "the same limit in other words", CONFIG_MEMORY, "1024M", NULL },
	{ "another limit", CONFIG_MEMORY, "2G", "memory" },
	{ "another number", CONFIG_PIDS, "9", "pids" },
	{ "a setting of the command alone", CONFIG_USER, "nobody", NULL },
	{ "git", CONFIG_GIT_WRITABLE, NULL, "git-writable" },
};

static void test_missing(const void *row)
{
	const struct row *r = row;
	_cleanup_config_ struct config c;
	_cleanup_spec_ struct spec is, asked;
	_cleanup_json_ struct json *info = NULL;
	const struct config_row *got;
	struct err e = ERR_NONE;

	config_init(&c);
	is = SPEC_NONE;
	asked = SPEC_NONE;
	is.limits = (struct limits){ .memory_bytes = 1 << 30, .pids = 1024 };
	info = spec_to_json(&is);
	unit_ok(config_set(&c, r->key, r->value, CONFIG_FROM_FLAG, &e), &e);
	asked.net = (enum net_mode)config_num(&c, CONFIG_NET);
	asked.limits = is.limits;
	if (r->key == CONFIG_MEMORY)
		asked.limits.memory_bytes = config_num(&c, CONFIG_MEMORY);
	if (r->key == CONFIG_PIDS)
		asked.limits.pids = config_num(&c, CONFIG_PIDS);
	asked.git_writable = config_on(&c, CONFIG_GIT_WRITABLE);
	assert_int_equal(asked_any(&c), r->key != CONFIG_USER);
	got = asked_missing(&c, &asked, info);
	if (r->missing)
		assert_string_equal(got ? got->name : "none", r->missing);
	else
		assert_null(got);
}

int main(void)
{
	return unit_rows("asked", rows, test_missing);
}
