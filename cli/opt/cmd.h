/* cmd - a command is one const struct: its options and operands as tables that say where
 * each word goes, and its work. cmd_do() runs every one of them.
 * Needs:  a struct app.
 * Owns:   a command's arguments while it runs.
 * Never:  does work while it parses: words are judged and kept, work() works.
 *
 * To add a command: cli/cmd/GROUP/NAME.c with "const struct cmd cmd_NAME", its place in the
 * list of cli/commands.h, its page in docs/commands; help, man pages and completion are
 * made from the tables. */
#ifndef CLI_OPT_CMD_H
#define CLI_OPT_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "cli/opt/words.h"
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

/* Takes or judges a word: of an option, or an operand; the option's name is put before
 * what it says. @args: those of the command, or the
 * member of them that the table is for. 0, or a negative errno with what is wrong in @e. */
typedef int cmd_word_fn(struct app *app, void *args, const char *word, struct err *e);

/* What becomes of an option's word, or of an operand. */
struct cmd_goal {
	enum {
		CMD_NONE,
		CMD_IS_FLAG,   /* bool: true */
		CMD_IS_TEXT,   /* const char *; borrowed from argv */
		CMD_IS_LIST,   /* struct words: again for more; freed by cmd_do() */
		CMD_IS_NUMBER, /* uint64_t, between @least and @most */
		CMD_IS_REST,   /* char **: an operand and all words behind it */
		CMD_IS_CONFIG, /* a setting: @at is its enum config_key */
		CMD_IS_CALL,   /* nothing but judge() */
		CMD_IS_HELP,
		CMD_IS_VERSION
	} kind;
	size_t at; /* in the arguments */
	uint64_t least, most;
	cmd_word_fn *judge; /* asked first; NULL = every word is right */
	bool optional;	    /* the word may be left out, else it stands behind '=' */
};
#define CMD_AT_(want, type, member)                             \
	(offsetof(type, member) +                               \
	 0 * sizeof(char[1 - 2 * !__builtin_types_compatible_p( \
					 want, typeof(((type *)0)->member))]))
#define CMD_GOAL_(kind_, want, type, member, fn)                                  \
	{                                                                         \
		.kind = (kind_), .at = CMD_AT_(want, type, member), .judge = (fn) \
	}
#define CMD_FLAG(type, member) CMD_GOAL_(CMD_IS_FLAG, bool, type, member, NULL)
#define CMD_TEXT(type, member) CMD_TEXT_IF(type, member, NULL)
#define CMD_TEXT_IF(type, member, fn) \
	CMD_GOAL_(CMD_IS_TEXT, const char *, type, member, fn)
#define CMD_LIST(type, member) CMD_LIST_IF(type, member, NULL)
#define CMD_LIST_IF(type, member, fn) \
	CMD_GOAL_(CMD_IS_LIST, struct words, type, member, fn)
#define CMD_NUMBER(type, member, low, high)                                   \
	{                                                                     \
		.kind = CMD_IS_NUMBER, .at = CMD_AT_(uint64_t, type, member), \
		.least = (low), .most = (high)                                \
	}
#define CMD_REST(type, member) CMD_GOAL_(CMD_IS_REST, char **, type, member, NULL)
#define CMD_CONFIG(key)                            \
	{                                          \
		.kind = CMD_IS_CONFIG, .at = (key) \
	}
#define CMD_CALL(fn)                               \
	{                                          \
		.kind = CMD_IS_CALL, .judge = (fn) \
	}

#define CMD_CALL_IF_ANY(fn)                                          \
	{                                                            \
		.kind = CMD_IS_CALL, .judge = (fn), .optional = true \
	}

struct cmd_option {
	const char *name; /* NULL ends a table */
	int letter;	  /* 0 = none */
	const char *word; /* what it takes; NULL = nothing */
	const char *doc;
	struct cmd_goal goal;
};

/* A table that several commands have. */
struct cmd_table {
	const struct cmd_option *options;
	const char *header; /* in the help; NULL = none */
	size_t at;	    /* of its arguments in those of the command */
	/* What only all of its words together tell; NULL = nothing. */
	int (*check)(struct app *app, void *args, struct err *e);
};

enum { CMD_OPERANDS = 3, CMD_TABLES = 2 };

/* Under which heading a command stands in the help (help.c), in their order; its file lies
 * in the folder of cli/cmd that is called so. */
enum cmd_group {
	CMD_TASKS,
	CMD_INSIDE,
	CMD_BOXES,
	CMD_CHANGES,
	CMD_SNAPSHOTS,
	CMD_NETWORK,
	CMD_IMAGES,
	CMD_PROJECT,
	CMD_SERVERS,
	CMD_HOST,
	CMD_GROUPS
};

struct cmd {
	const char *name;
	enum cmd_group group;
	const char *summary; /* one line for "cubby help" */
	const char *words;   /* the operands, for the help; NULL = none */
	const char *doc;
	const struct cmd_option *options; /* its own; NULL = none */
	struct cmd_table tables[CMD_TABLES];
	struct cmd_goal operands[CMD_OPERANDS]; /* in order; a list takes all others */
	unsigned least;				/* operands */
	const char *missing;			/* what is said of fewer */
	size_t size;	   /* of its arguments, which begin as @begin or as zeros */
	const void *begin; /* NULL = zeros */
	bool tail;   /* options end at the first operand; the rest is the operand's */
	bool no_box; /* it is not about a box: no --name, no --here */
	bool config; /* load the configuration file and CUBBY_* after the options */
	int usage;   /* status of a usage error; 0 = CMD_USAGE */
	int failed;  /* status of a failure; 0 = CMD_FAILED */
	void (*early)(void *args, int argc, char **argv); /* before parsing */
	/* What only all of them together tell. */
	int (*check)(struct app *app, void *args, struct err *e);
	/* 0 or a status; a negative errno is shown from @e and ends with @failed */
	int (*work)(struct app *app, void *args, struct err *e);
};

enum { CMD_MOST = 64 };

/** cmd_find() - of the table @all (struct app); NULL when it has none of that name */
const struct cmd *cmd_find(const struct cmd *const *all, const char *name);
/** cmd_of_box() - does @text begin with the name of a command that takes --name? */
bool cmd_of_box(const struct app *app, const char *text);
/** cmd_near() - the command that @word was meant to be; NULL = none */
const char *cmd_near(const struct cmd *const *all, const char *word);

/** cmd_do() - the command from its words to its exit status */
int cmd_do(struct app *app, const struct cmd *c, int argc, char **argv);

enum { CMD_GO = -1 };
/**
 * cmd_parse() - the first half: read the words into @args, then the configuration
 * @args: of @c; its lists are the caller's
 *
 * Everything about usage is shown here: errors, -h, --version.
 * Return: CMD_GO, or the exit status with which the command ends now.
 */
int cmd_parse(struct app *app, const struct cmd *c, int argc, char **argv, void *args);

struct argcheck;
/** cmd_options() - add all options of @c, also those of every command, to @set
 *  @app, @args: where their goals are; NULL = they are only looked for */
void cmd_options(const struct cmd *c, struct app *app, void *args,
		 struct argcheck *set);

/** cmd_fail() - show @e; returns @status */
int cmd_fail(const struct app *app, const struct err *e, int status);

#endif
