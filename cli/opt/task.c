#include "cli/opt/task.h"

#include "cli/opt/config.h"

/* With a file or without. */
static int save_transcript(struct app *app, void *args, const char *file, struct err *e)
{
	struct opt_task *o = args;

	o->save_transcript = true;
	return file ? config_set(app->config, CONFIG_SAVE_TRANSCRIPT, file,
				 CONFIG_FROM_FLAG, e)
		    : 0;
}

const struct cmd_option opt_task[] = {
	{ "model", 0, "[PROVIDER:]NAME", "the language model to ask",
	  CMD_CONFIG(CONFIG_MODEL) },
	{ "effort", 0, "LEVEL", "how long a model thinks that can: low, medium or high",
	  CMD_CONFIG(CONFIG_EFFORT) },
	{ "max-rounds", 0, "N", "give up after N turns of the model (default: 200)",
	  CMD_CONFIG(CONFIG_MAX_ROUNDS) },
	{ "max-tokens", 0, "N", "give up after N tokens",
	  CMD_CONFIG(CONFIG_MAX_TOKENS) },
	{ "max-cost", 0, "DOLLARS",
	  "give up after DOLLARS, such as 0.50, where prices are known",
	  CMD_CONFIG(CONFIG_MAX_COST) },
	{ "timeout", 0, "TIME", "give up after TIME, such as 90s, 10m",
	  CMD_CONFIG(CONFIG_TIMEOUT) },
	{ "command-timeout", 0, "TIME", "longest wait for one command (default: 600s)",
	  CMD_CONFIG(CONFIG_COMMAND_TIMEOUT) },
	{ "shell-command", 0, "PATH",
	  "the model's shell in the box (default: bash, or sh where there is none)",
	  CMD_CONFIG(CONFIG_SHELL_COMMAND) },
	{ "on-error", 0, "MODE",
	  "when a command of several lines fails: go-on (default), stop; or reject "
	  "such texts",
	  CMD_CONFIG(CONFIG_ON_ERROR) },
	{ "save-transcript", 0, "FILE",
	  "also write the transcript to FILE (default: cubby-transcript.jsonl)",
	  CMD_CALL_IF_ANY(save_transcript) },
	{ "ask", 0, NULL, "show each command and ask before it runs",
	  CMD_CONFIG(CONFIG_ASK) },
	{ "apply", 0, "MODE",
	  "of what is under review: take over what is safe (default), ask about all, "
	  "take all, or never",
	  CMD_CONFIG(CONFIG_APPLY) },
	{ "apply-allow", 0, "PATTERN", "such paths are not held (again for more)",
	  CMD_CONFIG(CONFIG_APPLY_ALLOW) },
	{ "apply-deny", 0, "PATTERN", "such paths are held",
	  CMD_CONFIG(CONFIG_APPLY_DENY) },
	{ "apply-every", 0, "MOMENT",
	  "when it is taken over: after each call of the model, or message (default)",
	  CMD_CONFIG(CONFIG_APPLY_EVERY) },
	{ "system-extra", 0, "TEXT", "more instructions for the model",
	  CMD_CONFIG(CONFIG_SYSTEM_EXTRA) },
	{ "attach", 0, "FILE", "give the model FILE, a picture or a text",
	  CMD_LIST(struct opt_task, attach) },
	{ "schema", 0, "FILE", "the answer is JSON that fits the JSON schema in FILE",
	  CMD_TEXT(struct opt_task, schema) },
	{ "replay", 0, "FILE",
	  "take the model's turns from a transcript; commands really run",
	  CMD_TEXT(struct opt_task, replay) },
	{ 0 },
};
