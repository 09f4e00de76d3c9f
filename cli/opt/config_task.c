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

struct json *config_task_save(const struct config *c, const char *model)
{
	_cleanup_json_ struct json *j = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		const enum config_key k = kept[i];
		const bool said = config_rows[k].type == CONFIG_LIST
					  ? config_is_set(c, k)
					  : config_text(c, k) != NULL;

		if (k == CONFIG_MODEL && model)
			json_set_str(j, config_rows[k].name, model);
		else if (said)
			json_set(j, config_rows[k].name, config_json(c, k));
	}
	return json_failed(j) < 0 ? NULL : take(&j, NULL);
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
	/* of another version: as if it were not there */
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		(void)config_take(c, kept[i], json_get(copy, config_rows[kept[i]].name),
				  CONFIG_FROM_TASK, ERR_IGNORED);
	return 0;
}
