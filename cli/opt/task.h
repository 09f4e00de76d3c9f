/* opt_task - the options of a task, beside those of its box: for run and resume.
 * Needs:  a command with a struct opt_task among its arguments: .tables = { OPT_TASK() }.
 * Owns:   nothing.
 * Never:  interprets: a value is checked, kept, and read later. */
#ifndef CLI_OPT_TASK_H
#define CLI_OPT_TASK_H

#include "cli/opt/cmd.h"
#include "cli/opt/words.h"

struct opt_task {
	const char *replay;   /* file; NULL = none; borrowed from argv */
	const char *schema;   /* file; likewise */
	struct words attach;  /* owned; files */
	bool save_transcript; /* --save-transcript was given, with a file or without */
};

extern const struct cmd_option opt_task[];
#define OPT_TASK(type, member)                                          \
	{                                                               \
		.options = opt_task,                                    \
		.header = "Task options:", .at = offsetof(type, member) \
	}

#endif
