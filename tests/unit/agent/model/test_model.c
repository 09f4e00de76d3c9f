#include "agent/model/model.h"

#include "tests/unit/unit.h"

struct row {
	const char *name;
	struct model_conf conf;
	int want;
	const char *msg;
};

/* clang-format off */
static const struct row rows[] = {
	{ "no such provider", { .provider = "x" }, -EINVAL, "unknown provider 'x'" },
	{ "no key", { .provider = "openai" }, -ENOKEY, "no key for provider 'openai'; set OPENAI_API_KEY" },
	{ "no key, another variable", { .provider = "anthropic", .key_var = "MY_KEY" }, -ENOKEY,
	  "no key for provider 'anthropic'; set MY_KEY" },
	{ "an own server needs none", { .provider = "openai", .url = "http://h" }, 0, NULL },
	{ "a key with a newline", { .provider = "openai", .key = "a\nHost: x" }, -EINVAL,
	  "the key in OPENAI_API_KEY has a character that no key has" },
	{ "a URL without scheme", { .provider = "openai", .url = "host/v1" }, -EINVAL,
	  "bad model URL 'host/v1'; it begins with http:// or https://" },
	{ "Ollama without a model", { .provider = "ollama" }, -EINVAL,
	  "no model named for provider 'ollama'; use --model ollama:NAME" },
	{ "a replay without a transcript", { .provider = "replay", .replay_fd = -1 }, -EINVAL,
	  "no transcript to replay" },
};
/* clang-format on */

static void run_row(const void *p)
{
	_cleanup_model_ struct model *m = NULL;
	const struct row *row = p;
	struct err e = ERR_NONE;
	int r = model_new(&row->conf, &m, &e);

	assert_int_equal(r, row->want);
	if (row->want < 0)
		unit_err(&e, row->want, row->msg);
}

static void limits(void)
{
	struct model_conf conf = { .provider = "openai",
				   .name = "unknown",
				   .url = "http://h/" };
	_cleanup_json_ struct json *params = NULL;
	_cleanup_model_ struct model *m = NULL;
	struct err e = ERR_NONE;

	unit_ok(model_new(&conf, &m, &e), &e);
	assert_string_equal(model_url(m), "http://h");
	assert_int_equal(model_window(m), 128000);
	assert_int_equal(model_max_output(m), 16384);
	params = model_params(m);
	assert_true(model_raise_output(m));
	assert_int_equal(model_max_output(m), 32768);
	assert_true(model_raise_output(m));
	assert_int_equal(model_max_output(m), 64000);
	assert_false(model_raise_output(m));
	model_learn_window(m, 9000);
	assert_int_equal(model_window(m), 9000);
	assert_int_equal(model_max_output(m), 2250);
	assert_true(model_lower_output(m));
	assert_int_equal(model_max_output(m), 1125);
	model_set_params(m, params);
	assert_int_equal(model_window(m), 128000);
	assert_int_equal(model_max_output(m), 16384);
}

int main(void)
{
	static const struct unit_case cases[] = { { "limits", limits } };

	return unit_rows("model_new", rows, run_row) + unit_cases("model", cases);
}
