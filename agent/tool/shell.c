/* The tools that use a session: shell, input, screen. */
#include <errno.h>
#include <string.h>

#include "agent/tool/impl.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/box/box.h"

static const char *session_arg(const struct json *args)
{
	const char *name = json_get_str(args, "session");

	return name && *name ? name : "main";
}

static struct session **find(struct toolbox *t, const char *name)
{
	for (size_t i = 0; i < TOOL_SESSIONS; i++)
		if (t->sessions[i] && strcmp(session_name(t->sessions[i]), name) == 0)
			return &t->sessions[i];
	return NULL;
}

size_t tool_shell_place(struct toolbox *t, const struct json *args)
{
	struct session **s = find(t, session_arg(args));

	return s ? (size_t)(s - t->sessions) : (size_t)2 * TOOL_SESSIONS;
}

static struct session **free_place(struct toolbox *t)
{
	for (size_t i = 0; i < TOOL_SESSIONS; i++)
		if (!t->sessions[i])
			return &t->sessions[i];
	return NULL;
}

/* A disk that is full ends the record, not the task. */
static void record(struct toolbox *t, const void *data, size_t len)
{
	len = MIN(len, TOOL_TERMINAL_MAX - t->terminal_bytes);
	if (len && sys_write(t->conf.terminal_fd, data, len) == (ssize_t)len)
		t->terminal_bytes += len;
	else
		t->terminal_bytes = TOOL_TERMINAL_MAX;
}

/* What a session prints while nobody calls it stands in its next result. */
static void on_output(void *ctx, const void *data, size_t len)
{
	struct toolbox *t = ctx;

	if (t->conf.terminal_fd >= 0)
		record(t, data, len);
	if (t->conf.output && !t->aside)
		t->conf.output(t->conf.ctx, data, len);
}

/* 1 = @ret is the session, 0 = the result says why not. */
static int open_session(struct toolbox *t, const char *name, struct tool_result *res,
			struct session **ret, struct err *e)
{
	struct session **place = find(t, name);
	struct session_conf conf = {
		.port = &t->port,
		.name = name,
		.shell = t->conf.shell,
		.cwd = t->conf.cwd ?: t->conf.project,
		.user = t->conf.user,
		.env = t->conf.env,
		.secrets = t->conf.secrets,
		.keep = t->conf.keep,
		.on_error = t->conf.on_error,
		.output = on_output,
		.ctx = t,
		.interrupt_fd = t->conf.interrupt_fd,
		.asides = { t->conf.aside, tool_watch_aside(t) },
	};
	int r;

	if (!place) {
		if (!text_is_word(name, TOOL_SESSION_NAME))
			return tool_result_fail(
				res,
				"a session's name has up to %d letters, "
				"digits, - and _",
				TOOL_SESSION_NAME - 1);
		place = free_place(t);
		if (!place)
			return tool_result_fail(
				res, "there are %d sessions already; use one of them",
				TOOL_SESSIONS);
		r = session_open(&conf, place, e);
		if (r < 0)
			return tool_result_failed(r, res, e);
	}
	*ret = *place;
	return 1;
}

int tool_shell_begin(struct toolbox *t, struct err *e)
{
	_cleanup_tool_result_ struct tool_result res;
	struct session *s;
	int r;

	tool_result_init(&res);
	r = open_session(t, session_arg(NULL), &res, &s, e);
	return r == 0 ? err_set(e, -EINVAL, "%s", buf_cstr(&res.text)) : MIN(r, 0);
}

/* Who waits again and again need not look every half a minute: each look is a turn. */
uint64_t tool_shell_patience(unsigned *waits, bool wait)
{
	static const uint64_t ms[] = { SESSION_SOFT_MS, 60000, 120000, 300000 };

	*waits = wait ? *waits + 1 : 0;
	return ms[MIN(*waits, (unsigned)ARRAY_SIZE(ms) - 1)];
}

static struct session_limits limits(struct toolbox *t, const struct json *args,
				    bool wait)
{
	double s = tool_args_number(args, "timeout", 0);
	uint64_t left = t->conf.left_ms ? t->conf.left_ms(t->conf.ctx) : UINT64_MAX;
	struct session_limits l = {
		.soft_ms =
			tool_shell_patience(&t->waits[tool_shell_place(t, args)], wait),
		.hard_ms = t->conf.command_timeout_ms ? t->conf.command_timeout_ms
						      : SESSION_HARD_MS,
	};

	if (s > 0) {
		l.soft_ms = 0;
		l.hard_ms = s < 86400 ? (uint64_t)(s * 1000) : 86400000;
	}
	l.hard_ms = MAX(MIN(l.hard_ms, left), (uint64_t)1);
	return l;
}

int64_t tool_shell_kills(const struct toolbox *t)
{
	_cleanup_json_ struct json *a = NULL;

	if (!t->conf.box || box_ask(t->conf.box, "kills", NULL, &a, ERR_IGNORED) < 0)
		return -1;
	return json_get_int(a, "oom_kills", -1);
}

/* More than this is not known: whose child it was, or that the status is due to it. */
static int add_kills(struct toolbox *t, const struct session_result *sr,
		     struct tool_result *ret)
{
	int64_t before = t->kills;

	if (sr->gone || tool_result_is_quick(ret))
		return 0;
	t->kills = tool_shell_kills(t);
	return before >= 0 && t->kills > before && !sr->oom
		       ? buf_adds(&ret->text, "\n[a process of the box was killed for "
					      "its memory limit]")
		       : 0;
}

static int deliver(struct toolbox *t, struct session *s, int r,
		   struct session_result *sr, struct tool_result *ret, struct err *e)
{
	if (r < 0)
		return tool_result_failed(r, ret, e);
	if (sr->gone)
		t->told_ends = box_ends(t->conf.box);
	if (sr->full_screen && sr->state != SESSION_DIED) {
		r = session_screen(s, &sr->text, e);
		if (r < 0)
			return r;
	}
	r = tool_text_result(sr, ret);
	if (r >= 0)
		r = add_kills(t, sr, ret);
	return r < 0 ? err_sys(e, r, "cannot keep the result") : 0;
}

/* A list or a map in JSON or Python where a command belongs: a model's slip. All of the
 * text has to be one: `[ "$A" = b ] && …` and `{ …; }` are commands, and `[ "x" ]` is. */
static bool is_literal(const char *s)
{
	_cleanup_json_ struct json *j = NULL;
	_cleanup_free_ char *copy = NULL;

	s += strspn(s, " \t\n");
	if ((*s != '[' && *s != '{') || !(copy = strdup(s)))
		return false;
	for (char *p = copy; *p; p++)
		if (*p == '\'')
			*p = '"';
	if (json_parse(copy, strlen(copy), &j, ERR_IGNORED) < 0 || !json_len(j))
		return false;
	return json_type(j) == JSON_OBJECT || s[1] != ' ' || json_len(j) > 1;
}

int tool_shell_run(struct toolbox *t, const struct json *args, struct tool_result *ret,
		   struct err *e)
{
	_cleanup_session_result_ struct session_result sr;
	const char *command = json_get_str(args, "command");
	struct session_limits lim;
	bool reset = tool_args_flag(args, "reset", false);
	struct session *s = NULL;
	bool wait;
	int r;

	session_result_init(&sr);
	if (is_literal(command))
		return tool_result_fail(
			ret, "not executed: the command is a list or a map, not "
			     "the text of a command");
	r = open_session(t, session_arg(args), ret, &s, e);
	if (r <= 0)
		return r;
	if (reset) {
		r = session_reset(s, e);
		if (r < 0)
			return tool_result_failed(r, ret, e);
	}
	wait = !*command && !reset && session_waitable(s);
	lim = limits(t, args, wait);
	if (wait)
		r = session_input(s, "", 0, &lim, &sr, e);
	else
		r = session_run(s, command, strlen(command), &lim, &sr, e);
	return deliver(t, s, r, &sr, ret, e);
}

static int gather_input(struct session *s, const struct json *args, struct buf *out,
			struct err *e)
{
	const char *text = json_get_str(args, "text");
	const char *keys = json_get_str(args, "keys");

	buf_adds(out, text ?: "");
	/* Enter on a terminal is a carriage return; the line discipline makes it a
	 * newline for whoever reads lines. An empty text only waits on: it is no wish for
	 * the answer that a question has as its default */
	if (text && *text && tool_args_flag(args, "enter", true))
		buf_addc(out, '\r');
	if (buf_failed(out) < 0)
		return err_sys(e, buf_failed(out), "not sent");
	return keys && *keys ? session_add_keys(s, keys, out, e) : 0;
}

int tool_shell_input(struct toolbox *t, const struct json *args,
		     struct tool_result *ret, struct err *e)
{
	_cleanup_session_result_ struct session_result sr;
	_cleanup_buf_ struct buf in = BUF_INIT(SESSION_TEXT_MAX);
	struct session **s = find(t, session_arg(args));
	struct session_limits lim;
	int r;

	session_result_init(&sr);
	if (!s)
		return tool_result_fail(
			ret, "not sent: no command has been run in the session '%.64s'",
			session_arg(args));
	r = gather_input(*s, args, &in, e);
	if (r == 0 && !in.len && !session_waitable(*s) && !session_gone(*s))
		return tool_jobs_tell(t, *s, ret, e);
	lim = limits(t, args, !in.len);
	if (r == 0)
		r = session_input(*s, in.data, in.len, &lim, &sr, e);
	return deliver(t, *s, r, &sr, ret, e);
}

int tool_shell_screen(struct toolbox *t, const struct json *args,
		      struct tool_result *ret, struct err *e)
{
	struct session *s = NULL;
	int r = open_session(t, session_arg(args), ret, &s, e);

	if (r <= 0)
		return r;
	r = session_screen(s, &ret->text, e);
	return r < 0 ? tool_result_failed(r, ret, e) : 0;
}

const char *tool_shell_cwd(const struct toolbox *t)
{
	for (size_t i = 0; i < TOOL_SESSIONS; i++)
		if (t->sessions[i] && strcmp(session_name(t->sessions[i]), "main") == 0)
			return session_cwd(t->sessions[i]);
	return t->conf.cwd ?: t->conf.project;
}
