#include "cli/opt/task.h"

#include "cli/opt/box.h"

enum { KEY_REPLAY = 0x2200, KEY_ATTACH, KEY_SCHEMA };

#define ROW(name, key, arg, flags, doc)                          \
	{                                                        \
		name, OPT_BOX_CONFIG + (key), arg, flags, doc, 0 \
	}

static const struct argp_option options[] = {
	ROW("model", CONFIG_MODEL, "[PROVIDER:]NAME", 0, "the language model to ask"),
	ROW("effort", CONFIG_EFFORT, "LEVEL", 0,
	    "how long a model thinks that can: low, medium or high"),
	ROW("max-rounds", CONFIG_MAX_ROUNDS, "N", 0,
	    "give up after N turns of the model (default: 200)"),
	ROW("max-tokens", CONFIG_MAX_TOKENS, "N", 0, "give up after N tokens"),
	ROW("max-cost", CONFIG_MAX_COST, "DOLLARS", 0,
	    "give up after DOLLARS, such as 0.50, where prices are known"),
	ROW("timeout", CONFIG_TIMEOUT, "TIME", 0,
	    "give up after TIME, such as 90s, 10m"),
	ROW("command-timeout", CONFIG_COMMAND_TIMEOUT, "TIME", 0,
	    "longest wait for one command (default: 600s)"),
	ROW("shell-command", CONFIG_SHELL_COMMAND, "PATH", 0,
	    "the model's shell in the box (default: bash, or sh where there is none)"),
	ROW("on-error", CONFIG_ON_ERROR, "MODE", 0,
	    "when a command of several lines fails: go-on (default), stop; or reject "
	    "such texts"),
	ROW("save-transcript", CONFIG_SAVE_TRANSCRIPT, "FILE", OPTION_ARG_OPTIONAL,
	    "also write the transcript to FILE (default: cubby-transcript.jsonl)"),
	ROW("ask", CONFIG_ASK, NULL, 0, "show each command and ask before it runs"),
	ROW("apply", CONFIG_APPLY, "MODE", 0,
	    "of what is under review: take over what is safe (default), ask about all, "
	    "take all, or never"),
	ROW("apply-allow", CONFIG_APPLY_ALLOW, "PATTERN", 0,
	    "such paths are not held (again for more)"),
	ROW("apply-deny", CONFIG_APPLY_DENY, "PATTERN", 0, "such paths are held"),
	ROW("system-extra", CONFIG_SYSTEM_EXTRA, "TEXT", 0,
	    "more instructions for the model"),
	{ "attach", KEY_ATTACH, "FILE", 0, "give the model FILE, a picture or a text",
	  0 },
	{ "schema", KEY_SCHEMA, "FILE", 0,
	  "the answer is JSON that fits the JSON schema in FILE", 0 },
	{ "replay", KEY_REPLAY, "FILE", 0,
	  "take the model's turns from a transcript; commands really run", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct opt_task *o = state->input;

	switch (key) {
	case KEY_ATTACH:
		return words_add(&o->attach, arg) < 0 ? cmd_bad(state, "too many files")
						      : 0;
	case KEY_SCHEMA:
		o->schema = arg;
		return 0;
	case KEY_REPLAY:
		o->replay = arg;
		return 0;
	case OPT_BOX_CONFIG + CONFIG_SAVE_TRANSCRIPT:
		o->save_transcript = true;
		if (!arg)
			return 0;
		return opt_box_config(key, arg, state);
	default:
		return opt_box_config(key, arg, state);
	}
}

static const struct argp opt_task = { options, parse, NULL, NULL, NULL, NULL, NULL };

const struct argp_child opt_task_children[] = {
	{ .argp = &opt_task, .header = "Task options:", .group = 1 },
	{ .argp = &opt_box, .header = "Box options:", .group = 2 },
	{ 0 },
};
