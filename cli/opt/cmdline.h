/* cmdline - what the words behind "cubby" are: a command with its options on either side
 * of its name, or a task. Pure.
 * Needs:  the option tables of the commands.
 * Owns:   nothing.
 * Never:  takes the value of an option for a word; judges an option. */
#ifndef CLI_OPT_CMDLINE_H
#define CLI_OPT_CMDLINE_H

#include "cli/opt/cmd.h"

struct cmdline {
	const struct cmd *cmd; /* NULL = none is named */
	const char *word;      /* the first word that is no option; NULL = none */
	const char *second;    /* the one behind, where no command is named */
	int words;	       /* how many there are, where no command is named */
	bool json;	       /* --json is among the options, where none is named */
};

/**
 * cmdline_read() - find the command
 * @all:  the table of commands
 * @task: the one that has the words when none is named
 * @argv: where a command is named behind options, its name is moved in front of them:
 *        argv[1] is the name, and the rest is in its order
 */
struct cmdline cmdline_read(const struct cmd *const *all, const struct cmd *task,
			    int argc, char **argv);

#endif
