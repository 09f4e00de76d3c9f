/* config - every option that has a lasting meaning: its type, default and effective
 * value, and where that came from: flag, environment, box, file or default, in this
 * order.
 * Needs:  nothing.
 * Owns:   what the file held; flags and environment are borrowed.
 * Never:  keeps a value that it did not check; takes a key of a service (those stay in
 *         their own environment variables). */
#ifndef CLI_OPT_CONFIG_H
#define CLI_OPT_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "cli/opt/words.h"

enum config_key {
	CONFIG_IMAGE,
	CONFIG_NET,
	CONFIG_ALLOW,
	CONFIG_DENY,
	CONFIG_PUBLISH,
	CONFIG_VOLUME,
	CONFIG_MEMORY,
	CONFIG_CPUS,
	CONFIG_PIDS,
	CONFIG_DISK,
	CONFIG_ENV,
	CONFIG_USER,
	CONFIG_KEEP,
	CONFIG_LINGER,
	CONFIG_PROJECT,
	CONFIG_APPLY,
	CONFIG_APPLY_ALLOW,
	CONFIG_APPLY_DENY,
	CONFIG_APPLY_EVERY,
	CONFIG_GIT_WRITABLE,
	CONFIG_GIT_IDENTITY,
	CONFIG_ALLOW_HOME,
	CONFIG_ANY_DIRECTORY,
	CONFIG_MODEL,
	CONFIG_MAX_ROUNDS,
	CONFIG_MAX_TOKENS,
	CONFIG_MAX_COST,
	CONFIG_TIMEOUT,
	CONFIG_COMMAND_TIMEOUT,
	CONFIG_SHELL_COMMAND,
	CONFIG_ON_ERROR,
	CONFIG_EFFORT,
	CONFIG_SAVE_TRANSCRIPT,
	CONFIG_ASK,
	CONFIG_SYSTEM_EXTRA,
	CONFIG_ANNOUNCE,
	CONFIG_NOTIFY,
	CONFIG_ALWAYS,
	CONFIG_COUNT
};

enum config_type {
	CONFIG_TEXT,
	CONFIG_BOOL,
	CONFIG_NUMBER,
	CONFIG_SIZE,  /* bytes */
	CONFIG_TIME,  /* milliseconds */
	CONFIG_PAUSE, /* the same, or 0 */
	CONFIG_MILLI, /* thousandths */
	CONFIG_NETMODE,
	CONFIG_PROJECTMODE,
	CONFIG_APPLYMODE,
	CONFIG_APPLYTIME, /* 0 message, 1 call */
	CONFIG_ERRMODE,	  /* enum session_on_error */
	CONFIG_LEVEL,	  /* 1 low, 2 medium, 3 high */
	CONFIG_LIST
};

enum config_source {
	CONFIG_FROM_DEFAULT,
	CONFIG_FROM_FILE,
	CONFIG_FROM_PROJECT, /* .cubby/box.json, and config.json for its tasks */
	CONFIG_FROM_BOX,     /* an option that was given for this box before */
	CONFIG_FROM_ENV,
	CONFIG_FROM_TASK, /* of the task that goes on */
	CONFIG_FROM_FLAG
};

struct config_row {
	const char *name; /* of the option and of the member in the file */
	enum config_type type;
	const char *value; /* default; NULL = none */
	uint64_t least;	   /* no box starts with less, in its unit; 0 = any */
	const char *least_text;
};
extern const struct config_row config_rows[CONFIG_COUNT];

struct config_value {
	enum config_source from;
	const char *text;  /* as written; NULL = none; borrowed */
	uint64_t n;	   /* NUMBER, SIZE, TIME, MILLI, NETMODE, BOOL */
	struct words list; /* owned */
	char *copy;	   /* owned; the words of a list from the environment */
	char number[24];   /* text of a number that the file wrote as a number */
};

struct config {
	struct config_value v[CONFIG_COUNT];
	struct words texts;   /* owned, and so is each: what --env-file held */
	struct json *file;    /* owned; NULL = there is none */
	struct json *project; /* owned; .cubby/box.json; NULL = there is none */
	bool project_bad; /* it has a mistake, which was said: a command that only looks */
	struct json *box;	 /* owned; options of the box; NULL = none loaded */
	struct config *taskfile; /* owned; .cubby/config.json, agreed to; NULL = none */
	struct json *task;   /* owned; options of a task that goes on; NULL = none */
	char path[PATH_MAX]; /* of the file, whether it exists or not */
};

/** config_init() - all defaults */
void config_init(struct config *c);
void config_done(struct config *c);
#define _cleanup_config_ _cleanup_(config_done)

/**
 * config_set() - take a value, if no better source set it before
 * @text: borrowed, must outlive @c; NULL = true, for a BOOL
 *
 * A LIST grows by @text when it comes from the same source as what it holds.
 * Return: 0, -EINVAL ("bad size 'lots'"), -ENOMEM, -E2BIG.
 */
int config_set(struct config *c, enum config_key k, const char *text,
	       enum config_source from, struct err *e);

/** config_check() - is @text good as an item of the list @k? 0 or -EINVAL */
int config_check(enum config_key k, const char *text, struct err *e);

/** config_find() - the key of an option's name, or -1 */
int config_find(const char *name);

const char *config_text(const struct config *c, enum config_key k);
uint64_t config_num(const struct config *c, enum config_key k); /* 0 = none */
bool config_on(const struct config *c, enum config_key k);
const char *const *config_list(const struct config *c, enum config_key k);
bool config_is_set(const struct config *c, enum config_key k); /* not the default */

/** config_json() - a text or a list of them, as boxes and tasks keep it; NULL = no memory */
struct json *config_json(const struct config *c, enum config_key k);
/** config_take() - what config_json() made; NULL or another value is none. Borrowed as by
 *  config_set(); returns what its first failure was, but takes all that it can */
int config_take(struct config *c, enum config_key k, const struct json *v,
		enum config_source from, struct err *e);

/** config_alias() - what the file's "aliases" say for a model's name, else @name */
const char *config_alias(const struct config *c, const char *name);
/** config_price() - member of the file's "prices" for a model; NULL = none; borrowed */
const struct json *config_price(const struct config *c, const char *model);
/** config_provider() - member of the file's "providers"; NULL = none; borrowed */
const struct json *config_provider(const struct config *c, const char *name);

/** config_keys() - does the object @j have members of these names alone? 0 or -EINVAL */
int config_keys(const struct json *j, const char *const *known, size_t n,
		struct err *e);

const char *config_source_name(enum config_source from);

#endif
