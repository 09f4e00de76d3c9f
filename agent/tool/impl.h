/* tool_impl - what the tools share. For agent/tool/ alone.
 * Needs:  tool.h.
 * Owns:   see struct toolbox.
 * Never:  is included elsewhere. */
#ifndef AGENT_TOOL_IMPL_H
#define AGENT_TOOL_IMPL_H

#include "agent/session/session.h"
#include "agent/terminal/redact.h"
#include "agent/tool/files.h"
#include "agent/tool/network.h"
#include "agent/tool/tool.h"
#include "agent/tool/toolset.h"

enum { TOOL_SESSIONS = 8, TOOL_SESSION_NAME = 32 };

struct tool_python;

struct toolbox {
	struct toolset set;	    /* owned */
	struct buf notes;	    /* owned; of own tools that cannot be used */
	const struct tool *calling; /* of the call that runs */
	struct toolbox_conf conf;   /* borrowed parts live as long as the toolbox */
	struct session_port port;
	struct session *sessions[TOOL_SESSIONS]; /* owned; NULL = free place */
	unsigned waits[TOOL_SESSIONS]; /* in a row, without a word to the program */
	int64_t kills; /* for memory in the box, that are told or were before; -1 = not
			  known */
	struct tool_python *pythons[TOOL_SESSIONS]; /* owned; NULL = free place */
	struct python *interpreters[TOOL_SESSIONS]; /* borrowed from them */
	int epfd;   /* owned; the terminals of all sessions but the one in a call */
	bool aside; /* what comes now is not of the call: no live output */
	size_t terminal_bytes; /* written to conf.terminal_fd */
	struct tool_network news;
	struct redact secrets; /* owned; conf.secrets: no text has them */
	unsigned ends;	       /* box_ends() after the last call */
	unsigned told_ends;    /* of which the model knows */
};

/* result.c, at the bottom */
/* A result with TOOL_ERROR that says @fmt; 0. */
int tool_result_fail(struct tool_result *ret, const char *fmt, ...) _printf_(2, 3);
/* What failed: a result for the model with TOOL_ERROR, 0; or @r, when that is a matter of
 * the box itself (tool_run() knows what to do). */
int tool_result_failed(int r, struct tool_result *ret, const struct err *e);

/* Asking the monitor costs as much as such a command itself. What it may have met, on the
 * network or for memory, is not lost: it stands in the next result. */
bool tool_result_is_quick(const struct tool_result *r);

/* The tool `finish`. */
int tool_result_finish(struct toolbox *t, const struct json *args,
		       struct tool_result *ret, struct err *e);

/* args.c, at the bottom */
/* A number that may stand in a string; @none when it is missing. */
double tool_args_number(const struct json *args, const char *key, double none);
bool tool_args_flag(const struct json *args, const char *key, bool none);
/* What a model wrote in a form that can be read all the same; @ret is the caller's. */
int tool_args_mend(const struct json *schema, const struct json *args,
		   struct json **ret);
enum { TOOL_ARGS_WHY = 300 };
/* Do the arguments fit? Else @why says what does not, in a line. */
bool tool_args_fit(const struct json *schema, const struct json *args,
		   char why[TOOL_ARGS_WHY]);

/* watch.c: terminals are read while nobody calls */
int tool_watch_open(struct toolbox *t, struct err *e);
/* Around a call that uses a session: this one's terminal it reads itself. Behind the
 * places of sessions are those of interpreters. */
void tool_watch_enter(struct toolbox *t, size_t place);
void tool_watch_leave(struct toolbox *t);

/* shell.c */
int tool_shell_run(struct toolbox *t, const struct json *args, struct tool_result *ret,
		   struct err *e);
int tool_shell_input(struct toolbox *t, const struct json *args,
		     struct tool_result *ret, struct err *e);
int tool_shell_screen(struct toolbox *t, const struct json *args,
		      struct tool_result *ret, struct err *e);
/* Where the session of these arguments is; 2 * TOOL_SESSIONS = not open yet. */
size_t tool_shell_place(struct toolbox *t, const struct json *args);
/* How long a call without a `timeout` waits for output; @waits counts those in a row that
 * only waited, this one included. */
uint64_t tool_shell_patience(unsigned *waits, bool wait);
/* How many processes of the box were killed for memory so far; -1 = not known. */
int64_t tool_shell_kills(const struct toolbox *t);
/* The session's directory and user, for the file tools; before its first command the
 * project directory. */
const char *tool_shell_cwd(const struct toolbox *t);

/* python.c */
int tool_python_run(struct toolbox *t, const struct json *args, struct tool_result *ret,
		    struct err *e);
/* Does the session of `input` mean an interpreter? */
bool tool_python_is_meant(const struct json *args);
int tool_python_input(struct toolbox *t, const struct json *args,
		      struct tool_result *ret, struct err *e);
void tool_python_done(struct toolbox *t);

/* jobs.c: what runs in the background, when no command does */
int tool_jobs_tell(struct toolbox *t, struct session *s, struct tool_result *ret,
		   struct err *e);

/* text.c: what the model reads of a session's result. */
int tool_text_result(const struct session_result *r, struct tool_result *ret);

/* view.c */
/* A small picture of the box goes with the result; what is none, or large, does not. */
int tool_view_attach(struct toolbox *t, const char *path, struct tool_result *ret);
int tool_view_image(struct toolbox *t, const struct json *args, struct tool_result *ret,
		    struct err *e);

/* file.c */
int tool_file_read(struct toolbox *t, const struct json *args, struct tool_result *ret,
		   struct err *e);
int tool_file_write(struct toolbox *t, const struct json *args, struct tool_result *ret,
		    struct err *e);
int tool_file_edit(struct toolbox *t, const struct json *args, struct tool_result *ret,
		   struct err *e);

#endif
