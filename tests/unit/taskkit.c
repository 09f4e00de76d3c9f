#include "tests/unit/taskkit.h"

#include <stdio.h>

#include "agent/task/resume.h"
#include "agent/tool/toolset.h"
#include "agent/turn/transcript.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "tests/unit/unit.h"

static int shell(struct taskkit *k, const char *command, struct tool_result *ret)
{
	ret->exit = 0;
	if (text_starts(command, "big ")) {
		for (int i = atoi(command + 4); i > 0; i--)
			if (buf_addc(&ret->text, (char)('a' + i % 26)) < 0)
				return -ENOMEM;
		return 0;
	}
	if (text_starts(command, "sleep ")) {
		k->now += 1000 * (uint64_t)atoi(command + 6);
		return buf_adds(&ret->text, "slept");
	}
	ret->exit = text_starts(command, "fail ");
	return buf_adds(&ret->text, command + 5);
}

/* What a task calls without a context: a test file runs one at a time. Its toolbox has no
 * box: nothing of one may be looked at. */
static struct taskkit *running;

static int run_tool(struct toolbox *box, const char *name, const struct json *args,
		    struct tool_result *ret, struct err *e)
{
	static const struct toolbox_conf conf = { .project = "/",
						  .terminal_fd = -1,
						  .interrupt_fd = -1 };
	_cleanup_toolbox_ struct toolbox *t = NULL;
	struct taskkit *k = running;
	const char *command = json_get_str(args, "command");
	int r;

	assert_null(box);
	k->ran++;
	if (strcmp(name, "shell") == 0 && command)
		return shell(k, command, ret);
	r = toolbox_new(&conf, &t, e);
	return r < 0 ? r : tool_run(t, name, args, ret, e);
}

static void on_notice(void *ctx, const char *line)
{
	struct taskkit *k = ctx;

	buf_addf(&k->told, "notice %s\n", line);
}

static void on_retry(void *ctx, const struct task_retry *r)
{
	struct taskkit *k = ctx;

	buf_addf(&k->told, "retry %u: %s\n", r->attempt, r->why);
}

static void on_result(void *ctx, const struct task_call *c, const struct tool_result *r)
{
	struct taskkit *k = ctx;

	buf_addf(&k->told, "result %s: %.400s\n", c->name, buf_cstr(&r->text));
}

static int no_wait(void *ctx, uint64_t ms)
{
	struct taskkit *k = ctx;

	k->now += ms;
	return 0;
}

static uint64_t now_ms(void)
{
	return running->now;
}

void taskkit_init(struct taskkit *k, const char *provider, const char *url)
{
	static const char *const secrets[] = { TASKKIT_KEY, NULL };

	*k = (struct taskkit){ .log = sys_memfd("log", 0),
			       .told = BUF_INIT(4 << 20),
			       .now = 1000000 };
	k->events = (struct task_events){ .notice = on_notice,
					  .retry = on_retry,
					  .result = on_result };
	k->conf = (struct task_conf){ .text = "do it",
				      .model = { .provider = provider,
						 .name = "fake",
						 .url = url,
						 .key = TASKKIT_KEY,
						 .key_var = "THE_KEY",
						 .replay_fd = -1,
						 .abort_fd = -1 },
				      .facts = { .directory = "/p" },
				      .run_tool = run_tool,
				      .project_fd = -1,
				      .transcript_fd = k->log,
				      .copy_fd = -1,
				      .resume_fd = -1,
				      .interrupt_fd = -1,
				      .secrets = secrets,
				      .events = &k->events,
				      .ctx = k,
				      .now_ms = now_ms,
				      .wait_ms = no_wait };
	task_report_init(&k->report);
	running = k;
}

void taskkit_done(struct taskkit *k)
{
	running = NULL;
	task_report_done(&k->report);
	scope_close(&k->log);
	buf_done(&k->told);
}

void taskkit_run(struct taskkit *k)
{
	struct err e = ERR_NONE;

	unit_ok(task_run(&k->conf, &k->report, &e), &e);
}

void taskkit_ended(const struct taskkit *k, enum task_end end, const char *cause)
{
	const struct task_report *r = &k->report;

	if (r->end != end || strcmp(r->cause, cause) != 0)
		fail_msg("ended as %s (%s): %s\n%s", task_end_name(r->end), r->cause,
			 r->why.msg, buf_cstr(&k->told));
}

void taskkit_log(const struct taskkit *k, struct buf *out)
{
	struct err e = ERR_NONE;

	sys_lseek(k->log, 0, SEEK_SET);
	unit_ok(file_read_fd(k->log, out, &e), &e);
}

unsigned taskkit_count(const struct taskkit *k, const char *part)
{
	unsigned n = 0;

	for (const char *p = buf_cstr(&k->told); (p = strstr(p, part));
	     p += strlen(part))
		n++;
	return n;
}

/* Every request can be built again from the records before it, byte for byte. */
struct rebuild {
	struct resume resume;
	struct model *model;
	struct toolset set;
	const char *where;
	unsigned n;
};

static int rebuild_record(void *ctx, const struct json *j, struct err *e)
{
	struct rebuild *b = ctx;
	const char *want = json_get_str(j, "sha256");

	if (want && !json_get_bool(j, "summary", false)) {
		_cleanup_buf_ struct buf body = BUF_INIT(16 << 20);
		struct model_request req = { .what.history = &b->resume.history,
					     .what.tools = b->set.v,
					     .what.n_tools = b->set.n,
					     .what.no_calls = json_get_bool(
						     j, "no_calls", false) };
		char hex[HASH_HEX];

		model_set_params(b->model, json_get(j, "params"));
		history_forget_bytes(&b->resume.history);
		unit_ok(model_body(b->model, &req, &body, e), e);
		hash_text(body.data, body.len, hex);
		if (strcmp(hex, want) != 0)
			fail_msg("%s: request %u differs:\n%s", b->where, b->n,
				 body.data);
		b->n++;
	}
	return resume_record(&b->resume, j, e);
}

void taskkit_rebuild(int log, const struct model_conf *conf, const char *where)
{
	struct rebuild b = { .where = where };
	struct err e = ERR_NONE;

	unit_ok(toolset_load(&b.set, &e), &e);
	unit_ok(model_new(conf, &b.model, &e), &e);
	unit_ok(transcript_read(log, rebuild_record, &b, &e), &e);
	assert_true(b.n > 0);
	model_free(&b.model);
	toolset_done(&b.set);
	resume_done(&b.resume);
}
