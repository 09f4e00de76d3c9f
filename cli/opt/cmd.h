/* cmd - the commands: one const struct and one table of options each. Door of argp.
 * Needs:  a struct app.
 * Owns:   nothing.
 * Never:  does work while it parses: parsers only store, the command's run() works.
 *
 * To add a command: cli/cmd_NAME.c with "const struct cmd cmd_NAME", a line in the
 * table of cli/commands.c, its name in docs/cubby.1; completion is made from the tables. */
#ifndef CLI_OPT_CMD_H
#define CLI_OPT_CMD_H

#include <argp.h>

#include "base/err.h"
#include "cli/show/app.h"

/* What a status means. */
enum cmd_status {
	CMD_DONE = 0,
	CMD_FAILED = 1,	  /* also: the model gave up */
	CMD_USAGE = 2,	  /* bad option, argument or configuration */
	CMD_LIMIT = 3,	  /* rounds, tokens or time */
	CMD_SERVICE = 4,  /* the model service failed */
	CMD_NO_BOX = 5,	  /* the box could not be started */
	CMD_CUBBY = 125,  /* exec, shell: cubby failed */
	CMD_CANNOT = 126, /* exec, shell: found but cannot be run */
	CMD_NOT_FOUND = 127,
	CMD_INTERRUPTED = 130
};

struct cmd {
	const char *name;
	const char *summary;	 /* one line for "cubby help" */
	const struct argp *argp; /* its options and help; -h, --json … come with all */
	bool tail;   /* options end at the first operand; the rest is the operand's */
	bool no_box; /* it is not about a box: no --name, no --here */
	bool config; /* load the configuration file and CUBBY_* after the options */
	int usage;   /* status of a usage error; 0 = CMD_USAGE */
	int (*run)(struct app *app, int argc, char **argv); /* returns a status */
};

enum { CMD_MOST = 64 };

/** cmd_find() - of the table @all (struct app); NULL when it has none of that name */
const struct cmd *cmd_find(const struct cmd *const *all, const char *name);
/** cmd_near() - the command that @word was meant to be; NULL = none */
const char *cmd_near(const struct cmd *const *all, const char *word);

enum { CMD_GO = -1 };
/**
 * cmd_parse() - read the command line into @input, then the configuration
 * @input: argument of the command's parser (state->input in it)
 *
 * Everything about usage is shown here: errors, -h, --version.
 * Return: CMD_GO, or the exit status with which the command ends now.
 */
int cmd_parse(struct app *app, const struct cmd *c, int argc, char **argv, void *input);

/* The options that cmd_parse() adds to those of every command. */
extern const struct argp cmd_common;
/* Those of commands about a box. */
extern const struct argp cmd_place;

/** cmd_bad() - for parsers: keep a usage error; return what it returns (EINVAL) */
int cmd_bad(struct argp_state *state, const char *fmt, ...) _printf_(2, 3);

/** cmd_app() - the app that cmd_parse() was called with */
struct app *cmd_app(const struct argp_state *state);

/** cmd_fail() - show @e; returns @status */
int cmd_fail(const struct app *app, const struct err *e, int status);

/** cmd_no_operands() - for parsers of commands without operands: refuses them */
error_t cmd_no_operands(int key, char *arg, struct argp_state *state);

extern const struct cmd cmd_cp, cmd_stats, cmd_agree, cmd_down, cmd_up, cmd_adopt,
	cmd_apply, cmd_diff, cmd_discard, cmd_undo, cmd_mv, cmd_config, cmd_doctor,
	cmd_exec, cmd_images, cmd_info, cmd_kill, cmd_log, cmd_logs, cmd_ls, cmd_mcp,
	cmd_models, cmd_net, cmd_ports, cmd_prune, cmd_ps, cmd_pull, cmd_python,
	cmd_resume, cmd_rm, cmd_rmi, cmd_commit, cmd_save, cmd_run, cmd_set, cmd_unset,
	cmd_serve, cmd_shell, cmd_stop, cmd_snapshot, cmd_snapshots, cmd_restore,
	cmd_branch, cmd_top, cmd_wait, cmd_init, cmd_volumes, cmd_checkpoint,
	cmd_rewind;

#endif
