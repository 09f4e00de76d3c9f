#include "cli/opt/config_box.h"

#include <string.h>

#include "base/text.h"
#include "cli/opt/near.h"

/* What describes the box and not one use of it. */
static const enum config_key lasting[] = {
	CONFIG_NET,	      CONFIG_ALLOW,  CONFIG_DENY,    CONFIG_PUBLISH,
	CONFIG_MEMORY,	      CONFIG_CPUS,   CONFIG_PIDS,    CONFIG_DISK,
	CONFIG_GIT_WRITABLE,  CONFIG_ENV,    CONFIG_USER,    CONFIG_KEEP,
	CONFIG_SHELL_COMMAND, CONFIG_LINGER, CONFIG_PROJECT, CONFIG_VOLUME,
	CONFIG_GIT_IDENTITY,  CONFIG_ALWAYS,
};

int config_box_find(const char *name, struct err *e)
{
	const char *known[ARRAY_SIZE(lasting)], *near;

	for (size_t i = 0; i < ARRAY_SIZE(lasting); i++) {
		known[i] = config_rows[lasting[i]].name;
		if (strcmp(known[i], name) == 0)
			return (int)lasting[i];
	}
	if (config_find(name) >= 0) {
		err_set(e, -EINVAL, "'%s' is no setting of a box", text_shown(name));
		return err_hint(e, "the configuration file has it for all "
				   "('cubby config')");
	}
	near = near_find(name, known, ARRAY_SIZE(known));
	err_set(e, -EINVAL, "there is no setting '%s'", text_shown(name));
	return near ? err_hint(e, "did you mean '%s'?", near)
		    : err_hint(e, "'cubby help set' lists them");
}

static bool same(const struct json *a, const struct json *b)
{
	_cleanup_buf_ struct buf x = BUF_INIT(1 << 20), y = BUF_INIT(1 << 20);

	if (!a || !b)
		return a == b;
	return json_print(a, false, &x) == 0 && json_print(b, false, &y) == 0 &&
	       strcmp(buf_cstr(&x), buf_cstr(&y)) == 0;
}

int config_box_load(struct config *c, const struct json *options, struct err *e)
{
	struct json *copy;

	if (json_type(options) != JSON_OBJECT)
		return 0;
	if (c->box && same(c->box, options)) /* read a second time */
		return 0;
	copy = json_dup(options);
	if (!copy)
		return err_sys(e, -ENOMEM, "cannot read the options of the box");
	json_free(&c->box);
	c->box = copy;
	for (size_t i = 0; i < ARRAY_SIZE(lasting); i++) {
		const char *name = config_rows[lasting[i]].name;
		int r = config_take(c, lasting[i], json_get(c->box, name),
				    CONFIG_FROM_BOX, e);

		if (r == -ENOMEM)
			return r;
	}
	return 0;
}

int config_box_save(const struct config *c, struct json *options)
{
	int changed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(lasting); i++) {
		const char *name = config_rows[lasting[i]].name;
		_cleanup_json_ struct json *v = NULL;

		if (c->v[lasting[i]].from != CONFIG_FROM_FLAG)
			continue;
		v = config_json(c, lasting[i]);
		if (!v)
			return -ENOMEM;
		if (same(json_get(options, name), v))
			continue;
		if (json_set(options, name, take(&v, NULL)) < 0)
			return -ENOMEM;
		changed = 1;
	}
	return changed;
}
