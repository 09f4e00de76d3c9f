#include "cli/opt/config_task.h"

/* What describes a task; what describes its box stays with the box (config_box.h). */
static const enum config_key kept[] = {
	CONFIG_MODEL,
	CONFIG_EFFORT,
	CONFIG_MAX_ROUNDS,
	CONFIG_MAX_TOKENS,
	CONFIG_MAX_COST,
	CONFIG_TIMEOUT,
	CONFIG_COMMAND_TIMEOUT,
	CONFIG_SHELL_COMMAND,
	CONFIG_ON_ERROR,
	CONFIG_ASK,
	CONFIG_SYSTEM_EXTRA,
	CONFIG_SAVE_TRANSCRIPT,
	CONFIG_USER,
	CONFIG_APPLY,
	CONFIG_APPLY_ALLOW,
	CONFIG_APPLY_DENY,
	CONFIG_APPLY_EVERY,
};

static int save_list(struct json *j, const struct config *c, enum config_key k)
{
	struct json *list = json_array();

	for (const char *const *word = config_list(c, k); *word; word++)
		json_add(list, json_string(*word));
	return json_set(j, config_rows[k].name, list);
}

struct json *config_task_save(const struct config *c, const char *model)
{
	_cleanup_json_ struct json *j = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		const char *text = config_text(c, kept[i]);

		if (config_rows[kept[i]].type == CONFIG_LIST) {
			if (config_is_set(c, kept[i]) && save_list(j, c, kept[i]) < 0)
				return NULL;
			continue;
		}
		if (kept[i] == CONFIG_MODEL && model)
			text = model;
		if (text && json_set_str(j, config_rows[kept[i]].name, text) < 0)
			return NULL;
	}
	return take(&j, NULL);
}

int config_task_load(struct config *c, const struct json *settings, struct err *e)
{
	struct json *copy;

	if (json_type(settings) != JSON_OBJECT)
		return 0;
	copy = json_dup(settings);
	if (!copy)
		return err_sys(e, -ENOMEM, "cannot read the options of the task");
	json_free(&c->task);
	c->task = copy;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		const struct json *value = json_get(copy, config_rows[kept[i]].name);
		const char *text = json_str(value);
		struct err ignored; /* of another version: as if it were not there */

		json_each(it, value)
		{
			if (json_str(it))
				(void)config_set(c, kept[i], json_str(it),
						 CONFIG_FROM_TASK, &ignored);
		}
		if (text)
			(void)config_set(c, kept[i], text, CONFIG_FROM_TASK, &ignored);
	}
	return 0;
}
