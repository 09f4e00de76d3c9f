#include "agent/tool/tool.h"

#include <errno.h>
#include <string.h>

#include "agent/terminal/spill.h"
#include "agent/tool/impl.h"
#include "agent/tool/own.h"
#include "runtime/box/box.h"

static int unknown_tool(const struct toolset *s, const char *name,
			struct tool_result *ret)
{
	int r = tool_result_fail(ret, "there is no tool '%.64s'; the tools are", name);

	for (size_t i = 0; i < s->n && r == 0; i++)
		r = buf_addf(&ret->text, "%s %s", i ? "," : "", s->v[i].name);
	return r;
}

/* Those whose outcome the network may explain. */
static bool tool_is_command(const struct tool *tool)
{
	return tool->run == tool_shell_run || tool->run == tool_python_run ||
	       strcmp(tool->name, "input") == 0;
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

	if (ends != t->ends) {
		tool_network_anew(&t->news);
		t->kills = 0;
	}
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
		r = buf_add(&ret->text, clean.data, clean.len) ?: hide_in(t, &ret->cwd) ?:
			hide_in(t, &ret->log_path);
	return r < 0 ? err_sys(e, r, "cannot hide the secrets") : 0;
}

int tool_run(struct toolbox *t, const char *name, const struct json *args,
	     struct tool_result *ret, struct err *e)
{
	const struct tool *tool = toolset_find(&t->set, name);
	_cleanup_json_ struct json *schema = NULL, *mended = NULL;
	char why[TOOL_ARGS_WHY];
	int r;

	ret->malformed = !tool;
	if (!tool)
		return unknown_tool(&t->set, name ? name : "", ret);
	r = json_parse(tool->schema, strlen(tool->schema), &schema, e);
	if (r < 0)
		return r;
	r = tool_args_mend(schema, args, &mended);
	if (r < 0)
		return err_sys(e, r, "cannot read the arguments");
	args = mended;
	ret->malformed = !tool->plug && !tool_args_fit(schema, args, why);
	if (ret->malformed)
		return tool_result_fail(ret, "not executed: %s", why);
	if (tool_has_session(tool))
		tool_watch_enter(t, tool_shell_place(t, args));
	t->calling = tool;
	r = tool->plug ? tool->plug(tool->ctx, args, ret, e)
		       : tool->run(t, args, ret, e);
	r = look_at_box(t, r, ret, e);
	if (tool_has_session(tool))
		tool_watch_leave(t);
	if (r == 0 && tool_is_command(tool) && !tool_result_is_quick(ret))
		tool_network_take(&t->news, t->conf.box, &ret->text);
	if (r == 0 && t->secrets.n && ret->text.len)
		r = hide_secrets(t, ret, e);
	return r;
}

/* ---- sessions: their shells run in the box ------------------------------------------ */

static int on_spawn(void *ctx, const struct session_spawn *c, struct session_life *ret,
		    struct err *e)
{
	_cleanup_box_proc_ struct box_proc p = BOX_PROC_NONE;
	struct box_command cmd = { .argv = c->argv,
				   .env = c->env,
				   .cwd = c->cwd,
				   .user = c->user,
				   .io = BOX_IO_TTY,
				   .rows = c->rows,
				   .cols = c->cols,
				   .extra_fds = c->extra_fds,
				   .n_extra_fds = c->n_extra_fds };
	int r = box_spawn(ctx, &cmd, &p, e);

	if (r < 0)
		return r;
	ret->id = p.id;
	ret->master = take(&p.fds[0], -1);
	return 0;
}

static int on_died(void *ctx, uint32_t id, struct session_death *ret, struct err *e)
{
	struct box_exit x;
	int r = box_wait(ctx, id, 0, &x, e);

	if (r == -ETIMEDOUT)
		return 0;
	if (r < 0)
		return r;
	*ret = (struct session_death){ x.status, x.signal, x.oom, false };
	return 1;
}

static bool on_stopping(void *ctx)
{
	return box_stopping(ctx);
}

static int on_end(void *ctx, uint32_t id, struct err *e)
{
	return box_kill_session(ctx, id, e);
}

static int on_fd(void *ctx)
{
	return box_fd(ctx);
}

static int on_save(void *ctx, const char *user, const char *path, struct spill *text,
		   struct err *e)
{
	struct files f = { .box = ctx, .user = user, .cwd = "/" };

	return files_put_spill(&f, path, text, e);
}

/* ---- the toolbox ------------------------------------------------------------------ */

int toolbox_new(const struct toolbox_conf *conf, struct toolbox **ret, struct err *e)
{
	_cleanup_toolbox_ struct toolbox *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return err_sys(e, -ENOMEM, "cannot make the tools");
	t->conf = *conf;
	t->conf.keep = conf->keep ? conf->keep : TOOL_KEEP;
	t->epfd = -1;
	redact_init(&t->secrets, NULL, NULL);
	buf_init(&t->notes, 64 << 10);
	r = toolset_load(&t->set, e);
	if (r == 0 && conf->project_fd > 0)
		r = own_load(&t->set, conf->project_fd, &t->notes, e);
	if (r < 0)
		return r;
	r = redact_add_all(&t->secrets, conf->secrets);
	if (r < 0)
		return err_sys(e, r, "cannot hide the secrets");
	r = tool_watch_open(t, e);
	if (r < 0)
		return r;
	t->port = (struct session_port){ on_spawn, on_died, on_stopping, on_end,
					 on_fd,	   on_save, conf->box };
	tool_network_start(&t->news, conf->box);
	t->kills = MAX(tool_shell_kills(t), 0); /* one that has ended: of the next */
	*ret = take(&t, NULL);
	return 0;
}

int toolbox_add(struct toolbox *t, const char *name, struct json *words,
		const struct tool *tool)
{
	return toolset_add(&t->set, name, words, tool);
}

const char *toolbox_notes(const struct toolbox *t)
{
	return buf_cstr(&t->notes);
}

size_t toolbox_keep(const struct toolbox *t)
{
	return t->conf.keep;
}

void toolbox_set_keep(struct toolbox *t, size_t bytes)
{
	t->conf.keep = bytes;
}

const struct toolset *toolbox_set(const struct toolbox *t)
{
	return &t->set;
}

void toolbox_free(struct toolbox **t)
{
	if (!*t)
		return;
	for (size_t i = 0; i < TOOL_SESSIONS; i++)
		session_close(&(*t)->sessions[i]);
	tool_python_done(*t);
	redact_done(&(*t)->secrets);
	toolset_done(&(*t)->set);
	buf_done(&(*t)->notes);
	scope_close(&(*t)->epfd);
	free(*t);
	*t = NULL;
}
