/* tool - what a model can do in a box: used by the loop and by the MCP server.
 * Needs:  a running box.
 * Owns:   the sessions that its tools opened.
 * Never:  prints; knows which model or protocol asked. */
#ifndef AGENT_TOOL_TOOL_H
#define AGENT_TOOL_TOOL_H

#include <stdint.h>

#include "agent/session/session.h"
#include "base/aside.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

struct box;
struct toolbox;
struct toolset;

/* How a call left things; the loop stops running later calls of a turn by it. */
enum tool_outcome {
	TOOL_OK,      /* done, whatever the command's exit status */
	TOOL_ERROR,   /* nothing ran or it failed: text says why, for the model */
	TOOL_OPEN,    /* a command is running or waiting, or the shell died */
	TOOL_FINISHED /* `finish` was called; text is the answer */
};

enum { TOOL_TEXT_MAX = 4 << 20, TOOL_TERMINAL_MAX = 64 << 20, TOOL_KEEP = 12000 };

struct tool_result {
	enum tool_outcome outcome;
	struct buf text; /* owned; UTF-8 for the model, trailer line included */
	char state[24];	 /* "exited", "waiting", "running", "shell_died" or "" */
	int exit;	 /* exit status; -1 = none */
	char *cwd;	 /* owned; escaped; NULL = not known */
	char *log_path;	 /* owned; in the box; NULL = not truncated */
	uint64_t time_ms;
	char *picture; /* owned; base64, for models that take pictures; NULL = none */
	const char *mime; /* of it; static */
	char *caption;	  /* owned; what it is; NULL = what the text says */
	bool success;	  /* of `finish`: the model says that the task is done */
	bool malformed;	  /* nothing ran: no such tool, or its arguments do not fit */
};
void tool_result_init(struct tool_result *r);
void tool_result_done(struct tool_result *r);
#define _cleanup_tool_result_ _cleanup_(tool_result_done)

/* @args is an object that fits the schema: tool_run() checked it. A failure of the tool is
 * a result; a negative return is a failure of cubby (box gone). */
typedef int tool_run_fn(struct toolbox *t, const struct json *args,
			struct tool_result *ret, struct err *e);

/* The same of a tool that somebody else brings, who checks its arguments. */
typedef int tool_plug_fn(void *ctx, const struct json *args, struct tool_result *ret,
			 struct err *e);

/* One of a set (toolset.h). */
struct tool {
	const char *name;
	const char *description; /* for the model */
	const char *schema;	 /* JSON schema of the arguments */
	tool_run_fn *run;	 /* NULL = plug */
	tool_plug_fn *plug;
	void *ctx;     /* of plug; borrowed */
	bool harmless; /* it only looks, or ends the task: nobody is asked */
};

/* Live output of the session: raw bytes less marks and secrets (session.h). */
typedef void tool_output_fn(void *ctx, const void *data, size_t len);

struct toolbox_conf {
	struct box *box;	/* borrowed */
	const char *project;	/* absolute path in the box; borrowed */
	const char *cwd;	/* in it, where sessions begin; NULL = the project */
	const char *shell;	/* NULL = bash; path or name in the box's PATH */
	const char *user;	/* NULL = root */
	const char *const *env; /* added to the session's; NULL-ended; may be NULL */
	const char *const
		*secrets; /* become *** in every text; NULL-ended; may be NULL */
	int project_fd; /* the project, for .cubby/tools; 0 or -1 = none are looked for;
			 * borrowed for toolbox_new() */
	size_t keep;	/* bytes of a result's output; 0 = TOOL_KEEP */
	uint64_t command_timeout_ms; /* hard limit of a call that names none; 0 = 600 s
				      */
	enum session_on_error on_error;
	uint64_t (*left_ms)(
		void *ctx);	/* what is left of the task's time; may be NULL */
	tool_output_fn *output; /* may be NULL */
	void *ctx;
	int terminal_fd;  /* gets every byte of the sessions' terminals less marks and
			    secrets, TOOL_TERMINAL_MAX at the most; -1 = none */
	int interrupt_fd; /* readable = the person pressed ^C: the running command gets
			     an interrupt and the call returns soon; -1 = none */
	struct aside aside; /* looked at while a command runs; ready NULL = none */
};
int toolbox_new(const struct toolbox_conf *conf, struct toolbox **ret, struct err *e);
void toolbox_free(struct toolbox **t); /* ends its sessions */
#define _cleanup_toolbox_ _cleanup_(toolbox_free)
/** tool_shell_begin() - start the shell now: what each command would tell the model fails here */
int tool_shell_begin(struct toolbox *t, struct err *e);
/** tool_jobs_names() - what runs in the background of its sessions, in one line; "" = nothing */
void tool_jobs_names(struct toolbox *t, struct buf *jobs);
/**
 * tool_jobs_end() - nothing is called any more: what runs in the background of its sessions?
 * @leave: it shall run on, where the shell takes a last command; else it ends with @t
 * @jobs:  gets its names, in one line; empty = there is nothing
 */
void tool_jobs_end(struct toolbox *t, bool leave, struct buf *jobs);
/** toolbox_set() - what can be called; borrowed */
const struct toolset *toolbox_set(const struct toolbox *t);
/**
 * toolbox_add() - one more tool, before the first call
 * @words: description and parameters; taken over, also on failure
 * @tool:  plug and ctx; both have to last as long as @t
 * Return: 0; -EEXIST (the name is taken), -ENOSPC (there are too many), -ENOMEM.
 */
int toolbox_add(struct toolbox *t, const char *name, struct json *words,
		const struct tool *tool);
/** toolbox_notes() - lines about tools of .cubby/tools that cannot be used */
const char *toolbox_notes(const struct toolbox *t);
/** toolbox_keep() - bytes that a result may have; more is cut in its middle */
size_t toolbox_keep(const struct toolbox *t);
/** toolbox_set_keep() - before the first call */
void toolbox_set_keep(struct toolbox *t, size_t bytes);

/**
 * tool_watch_aside() - for whoever waits between two calls: a descriptor that is readable
 *                   when a terminal has something to say, and what takes it
 *
 * So a background job that prints is not stopped by a full terminal. While a tool runs
 * the toolbox looks at its other terminals by itself. @t may be NULL: nothing to do.
 */
struct aside tool_watch_aside(struct toolbox *t);

/**
 * tool_file_text() - the text that a file has which a call would write
 * @args: of write_file
 * @ret:  gets it; a file that does not fit is none
 * Return: whether there is one, and it is text.
 */
bool tool_file_text(const struct toolbox *t, const struct json *args, struct buf *ret);

/**
 * tool_run() - check the arguments against the tool's schema, then run it
 * @args: any JSON value or NULL; borrowed
 *
 * An unknown tool, missing, mistyped or unknown arguments are results with TOOL_ERROR that
 * name the problem in one line. Return: 0, or a failure of cubby itself.
 */
int tool_run(struct toolbox *t, const char *name, const struct json *args,
	     struct tool_result *ret, struct err *e);

#endif
