#include "agent/tool/tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/tool/impl.h"
#include "runtime/box/box.h"

#define SESSION_PROPERTY                                                             \
	"\"session\":{\"type\":\"string\",\"description\":\"name of a second shell " \
	"to "                                                                        \
	"use; it is opened when it is new (default: main)\"}"
#define TIMEOUT_PROPERTY                                                              \
	"\"timeout\":{\"type\":\"number\",\"description\":\"seconds after which the " \
	"call returns although the command still runs; without it, after 30 seconds " \
	"without output\"}"
#define PATH_PROPERTY                                                               \
	"\"path\":{\"type\":\"string\",\"description\":\"absolute, or relative to " \
	"the "                                                                      \
	"shell's directory\"}"

static int run_finish(struct toolbox *t, const struct json *args,
		      struct tool_result *ret, struct err *e)
{
	const char *answer = json_get_str(args, "answer");

	(void)t;
	(void)e;
	ret->outcome = TOOL_FINISHED;
	ret->success = tool_args_flag(args, "success", true);
	return buf_adds(&ret->text, answer ? answer : "") < 0 ? -ENOMEM : 0;
}

static int run_input(struct toolbox *t, const struct json *args,
		     struct tool_result *ret, struct err *e)
{
	return tool_python_is_meant(args) ? tool_python_input(t, args, ret, e)
					  : tool_shell_input(t, args, ret, e);
}

enum { QUICK_MS = 10 };

const struct tool tool_table[] = {
	{ "shell",
	  "Run a command in the persistent shell of the box, as if typed at a "
	  "terminal. "
	  "Directory, variables, functions and background jobs last from call to call. "
	  "Returns the output and a line in brackets: the exit status, or that the "
	  "command still runs or waits for input (then use `input`).",
	  "{\"type\":\"object\",\"properties\":{"
	  "\"command\":{\"type\":\"string\",\"description\":\"the text to run; may "
	  "have "
	  "several lines; empty: wait on for the running command\"}," TIMEOUT_PROPERTY
	  ",\"reset\":{\"type\":\"boolean\",\"description\":\"first end everything "
	  "that "
	  "runs in this shell and start a new one\"}," SESSION_PROPERTY
	  "},\"required\":[\"command\"]}",
	  tool_shell_run },
	{ "python",
	  "Run Python code in an interpreter of the box that stays: what one call "
	  "imports and defines the next one has. Returns what was printed, the value "
	  "of "
	  "a last expression, and a line in brackets. Figures and other pictures "
	  "become "
	  "files, which are named. `await`, `!command` and input() work; a cell that "
	  "asks is answered with `input`. Missing modules: `!pip install` or the "
	  "shell.",
	  "{\"type\":\"object\",\"properties\":{"
	  "\"code\":{\"type\":\"string\",\"description\":\"the text to run, as a "
	  "cell of a notebook\"},"
	  "\"context\":{\"type\":\"string\",\"description\":\"name of a second "
	  "interpreter to use; it is started when it is new (default: default)\"},"
	  "\"timeout\":{\"type\":\"number\",\"description\":\"seconds after which the "
	  "cell is interrupted\"},"
	  "\"restart\":{\"type\":\"boolean\",\"description\":\"first end the "
	  "interpreter "
	  "and all that is defined in it\"}},\"required\":[\"code\"]}",
	  tool_python_run },
	{ "input",
	  "Send text or keys to the command that runs in the shell, then wait until it "
	  "ends, waits again or the timeout. With an empty text, or none, and no keys "
	  "only waits on; when "
	  "no command runs, lists what runs in the background and its last output.",
	  "{\"type\":\"object\",\"properties\":{"
	  "\"text\":{\"type\":\"string\",\"description\":\"sent as it is\"},"
	  "\"enter\":{\"type\":\"boolean\",\"description\":\"press Enter after a "
	  "text "
	  "(default: true); for Enter alone use keys\"},"
	  "\"keys\":{\"type\":\"string\",\"description\":\"key names, separated by "
	  "spaces, sent after the text: C-c C-d C-z Enter Tab Esc Up Down Left Right "
	  "Home End PgUp PgDn BS Del F1 M-x\"}," TIMEOUT_PROPERTY "," SESSION_PROPERTY
	  "},\"required\":[]}",
	  run_input },
	{ "screen",
	  "Show the shell's terminal screen as a person would see it: for programs "
	  "that "
	  "draw the whole screen (editors, pagers, menus).",
	  "{\"type\":\"object\",\"properties\":{" SESSION_PROPERTY "},\"required\":[]}",
	  tool_shell_screen },
	{ "read_file", "Read a text file of the box, with line numbers.",
	  "{\"type\":\"object\",\"properties\":{" PATH_PROPERTY
	  ",\"first\":{\"type\":\"integer\",\"description\":\"first line (default: "
	  "1)\"},"
	  "\"last\":{\"type\":\"integer\",\"description\":\"last line (default: as "
	  "many "
	  "as fit)\"},"
	  "\"column\":{\"type\":\"integer\",\"description\":\"where in the first "
	  "line to begin, in characters; for the rest of a line that was cut "
	  "(default: 1)\"}},\"required\":[\"path\"]}",
	  tool_file_read },
	{ "write_file",
	  "Write a whole file of the box; missing directories are made, an existing "
	  "file "
	  "is replaced and keeps its mode and owner.",
	  "{\"type\":\"object\",\"properties\":{" PATH_PROPERTY
	  ",\"content\":{\"type\":\"string\",\"description\":\"the file's whole new "
	  "content\"}},\"required\":[\"path\",\"content\"]}",
	  tool_file_write },
	{ "edit_file",
	  "Replace a piece of a text file of the box. The piece must occur exactly "
	  "once.",
	  "{\"type\":\"object\",\"properties\":{" PATH_PROPERTY
	  ",\"old\":{\"type\":\"string\",\"description\":\"the text to replace, "
	  "exactly "
	  "as in the file, without line numbers\"},"
	  "\"new\":{\"type\":\"string\",\"description\":\"what stands there "
	  "afterwards; "
	  "may be empty\"}},\"required\":[\"path\",\"old\",\"new\"]}",
	  tool_file_edit },
	{ "finish", "End the task, with an answer for the person.",
	  "{\"type\":\"object\",\"properties\":{"
	  "\"answer\":{\"type\":\"string\",\"description\":\"what was done and where "
	  "the "
	  "result is; or why it cannot be done\"},"
	  "\"success\":{\"type\":\"boolean\",\"description\":\"false when the task was "
	  "not done\"}},\"required\":[\"answer\",\"success\"]}",
	  run_finish },
};
const size_t tool_count = ARRAY_SIZE(tool_table);

const struct tool *tool_find(const char *name)
{
	for (size_t i = 0; name && i < tool_count; i++)
		if (strcmp(tool_table[i].name, name) == 0)
			return &tool_table[i];
	return NULL;
}

static int unknown_tool(const char *name, struct tool_result *ret)
{
	int r = tool_result_fail(ret, "there is no tool '%.64s'; the tools are", name);

	for (size_t i = 0; i < tool_count && r == 0; i++)
		r = buf_addf(&ret->text, "%s %s", i ? "," : "", tool_table[i].name);
	return r;
}

/* Those whose outcome the network may explain. */
static bool tool_is_command(const struct tool *tool)
{
	return tool->run == tool_shell_run || tool->run == run_input ||
	       tool->run == tool_python_run;
}

/* Asking for news costs as much as such a command itself. What it may have met on the
 * network is not lost: it stands in the next result. */
static bool was_quick(const struct tool_result *r)
{
	return r->exit == 0 && r->time_ms < QUICK_MS;
}

static bool tool_has_session(const struct tool *tool)
{
	return tool_is_command(tool) || tool->run == tool_shell_screen;
}

/* The box may end at any time: somebody stops it, or its init is killed. The next call
 * goes on in another; the model is told, once. Return: as of the tool. */
static int look_at_box(struct toolbox *t, int r, struct tool_result *ret,
		       const struct err *e)
{
	unsigned ends = t->conf.box ? box_ends(t->conf.box) : 0;

	if (ends != t->ends)
		tool_network_anew(&t->news);
	t->ends = ends;
	if (r == -ECONNRESET)
		r = tool_result_fail(
			ret,
			"%s, and all that ran in it; whether this was done is "
			"not known. The next call starts it again: files are "
			"kept, but for /tmp; variables, functions and jobs are lost",
			e->msg);
	else if (r == 0 && ends != t->told_ends && ret->outcome != TOOL_FINISHED)
		r = buf_adds(&ret->text, "\n[note: the box had ended, and all that ran "
					 "in it; it is started again where it is "
					 "needed]");
	t->told_ends = ends;
	return r;
}

static int hide_in(const struct toolbox *t, char **where)
{
	size_t len = *where ? strlen(*where) : 0;
	_cleanup_buf_ struct buf text = BUF_INIT(len + 1),
				 clean = BUF_INIT(len * 5 + 1);
	int r = len ? buf_add(&text, *where, len) : 0;

	if (!len || r < 0 || (r = redact_text(&t->secrets, &text, &clean)) < 0)
		return r;
	free(*where);
	*where = buf_steal(&clean);
	return *where ? 0 : -ENOMEM;
}

/* Whatever a tool has to say, error or not: the terminal's text has lost its secrets
 * already, names of files and directories have not. */
static int hide_secrets(const struct toolbox *t, struct tool_result *ret, struct err *e)
{
	/* "***" and a line end for each of a secret's four bytes */
	_cleanup_buf_ struct buf clean = BUF_INIT(ret->text.len * 5 + 1);
	int r = redact_text(&t->secrets, &ret->text, &clean);

	buf_truncate(&ret->text, 0);
	if (r == 0)
		r = buf_add(&ret->text, clean.data, clean.len);
	r = r ?: hide_in(t, &ret->cwd) ?: hide_in(t, &ret->log_path);
	return r < 0 ? err_sys(e, r, "cannot hide the secrets") : 0;
}

int tool_run(struct toolbox *t, const char *name, const struct json *args,
	     struct tool_result *ret, struct err *e)
{
	const struct tool *tool = tool_find(name);
	_cleanup_json_ struct json *schema = NULL, *none = json_object();
	const char *wrong;
	char why[160];
	int r;

	ret->malformed = !tool;
	if (!tool)
		return unknown_tool(name ? name : "", ret);
	r = json_parse(tool->schema, strlen(tool->schema), &schema, e);
	if (r < 0)
		return r;
	if (json_type(args) == JSON_NULL)
		args = none;
	wrong = tool_args_check(schema, args, why, sizeof(why));
	ret->malformed = wrong != NULL;
	if (wrong)
		return tool_result_fail(ret,
					"not executed: %s; the schema of '%s' is %s",
					wrong, name, tool->schema);
	if (tool_has_session(tool))
		tool_watch_enter(t, tool_shell_place(t, args));
	r = look_at_box(t, tool->run(t, args, ret, e), ret, e);
	if (tool_has_session(tool))
		tool_watch_leave(t);
	if (r == 0 && tool_is_command(tool) && !was_quick(ret))
		tool_network_take(&t->news, t->conf.box, &ret->text);
	if (r == 0 && t->secrets.n && ret->text.len)
		r = hide_secrets(t, ret, e);
	return r;
}

/* ---- the toolbox ------------------------------------------------------------------ */

int toolbox_new(const struct toolbox_conf *conf, struct toolbox **ret, struct err *e)
{
	_cleanup_toolbox_ struct toolbox *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return err_sys(e, -ENOMEM, "cannot make the tools");
	t->conf = *conf;
	t->epfd = -1;
	redact_init(&t->secrets, NULL, NULL);
	r = redact_add_all(&t->secrets, conf->secrets);
	if (r < 0)
		return err_sys(e, r, "cannot hide the secrets");
	r = tool_watch_open(t, e);
	if (r < 0)
		return r;
	session_box_init(&t->port_box, conf->box, &t->port);
	tool_network_start(&t->news, conf->box);
	*ret = take(&t, NULL);
	return 0;
}

void toolbox_free(struct toolbox **t)
{
	if (!*t)
		return;
	for (size_t i = 0; i < TOOL_SESSIONS; i++)
		session_close(&(*t)->sessions[i]);
	tool_python_done(*t);
	redact_done(&(*t)->secrets);
	scope_close(&(*t)->epfd);
	free(*t);
	*t = NULL;
}
