/* opt_task - the options of a task, beside those of its box: for run and resume.
 * Needs:  cmd_parse(); state->child_inputs set.
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

/* For a command whose first two child inputs are a struct opt_task and a struct opt_box. */
extern const struct argp_child opt_task_children[];

#endif
