/* A context that fills up, against a real server: older results are shortened, then the
 * older part becomes a summary, and the task goes on. */
#include "agent/task/shorten.h"

#include <stdio.h>

#include "tests/unit/modelserver.h"
#include "tests/unit/taskkit.h"
#include "tests/unit/unit.h"

static struct modelserver server = MODELSERVER_NONE;

struct row {
	const char *name, *provider;
};

static const struct row wires[] = { { "openai", "openai" },
				    { "anthropic", "anthropic" },
				    { "ollama", "ollama" } };

/* @rounds commands with 3500 bytes of output each; nothing is counted by the server, so
 * that our own estimate decides: 20,000 tokens are 60,000 bytes. */
static void play(const char *config, unsigned rounds)
{
	_cleanup_buf_ struct buf lines = BUF_INIT(1 << 20);

	/* a summary is asked for behind the very history that the service has */
	buf_addf(&lines, "{\"config\":{\"split\":true,%s}}\n", config);
	for (unsigned i = 0; i < rounds; i++)
		buf_addf(&lines,
			 "{\"usage\":false,\"text\":\"Step %u.\",\"calls\":[{\"name\":"
			 "\"shell\",\"args\":{\"command\":\"big 3500\"}},{\"name\":"
			 "\"shell\",\"args\":{\"command\":\"echo mark-%u\"}}]}\n",
			 i, i);
	buf_adds(&lines, "{\"usage\":false,\"text\":\"All done.\"}\n");
	modelserver_play(&server, buf_cstr(&lines));
}

static void begin(struct taskkit *k, const char *provider)
{
	taskkit_init(k, provider, server.url);
	k->conf.model.window = 20000;
	k->conf.text = "count to thirty";
}

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

/* Thirty rounds are more than twice what the window holds. */
static void goes_on(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf log = BUF_INIT(16 << 20);
	struct taskkit k;

	play("\"summary\":{\"usage\":false,\"text\":\"Done: SUMMARY-TEXT\","
	     "\"expect\":\"the context is nearly full\"}",
	     30);
	begin(&k, row->provider);
	taskkit_run(&k);
	taskkit_ended(&k, TASK_DONE, "answer");
	assert_string_equal(buf_cstr(&k.report.answer), "All done.");
	assert_true(taskkit_count(&k, "the older part was replaced by a summary") >= 2);
	assert_int_equal(k.ran, 60); /* none of them twice */
	taskkit_log(&k, &log);
	assert_int_equal(count(log.data, "\"what\":\"summary\""),
			 count(log.data, "\"type\":\"summary\""));
	assert_true(count(log.data, "SUMMARY-TEXT") >= 2);
	taskkit_rebuild(k.log, &k.conf.model, row->name);
	taskkit_done(&k);
}

/* Where older results are what fills it, no summary is needed. */
static void results_alone(void)
{
	_cleanup_buf_ struct buf lines = BUF_INIT(1 << 20);
	struct taskkit k;

	buf_adds(&lines, "{\"config\":{\"append_only\":false}}\n");
	for (int i = 0; i < 36; i++)
		buf_addf(&lines,
			 "{\"usage\":false,\"calls\":[{\"name\":\"shell\",\"args\":{"
			 "\"command\":\"big %d\"}}]}\n",
			 (i < 5 ? 6000 : 600) + i);
	buf_adds(&lines, "{\"usage\":false,\"text\":\"All done.\"}\n");
	modelserver_play(&server, buf_cstr(&lines));
	begin(&k, "openai");
	taskkit_run(&k);
	taskkit_ended(&k, TASK_DONE, "answer");
	assert_int_equal(taskkit_count(&k, "older results were shortened"), 1);
	assert_int_equal(taskkit_count(&k, "replaced by a summary"), 0);
	taskkit_rebuild(k.log, &k.conf.model, "results alone");
	taskkit_done(&k);
}

/* A model that calls a tool instead of it is asked once more, without tools. */
static void a_call_instead(void)
{
	struct taskkit k;

	play("\"append_only\":false,\"summary\":{\"usage\":false,\"text\":\"SUMMARY\","
	     "\"calls_with_tools\":[{\"name\":\"shell\",\"args\":{\"command\":\"x\"}}]"
	     "}",
	     30);
	begin(&k, "openai");
	taskkit_run(&k);
	taskkit_ended(&k, TASK_DONE, "answer");
	assert_true(taskkit_count(&k, "the older part was replaced by a summary") >= 1);
	assert_int_equal(k.ran, 60); /* and nothing that it called was run */
	taskkit_done(&k);
}

/* A summary that is no shorter than what it stands for is none. */
static void a_longer_summary(void)
{
	_cleanup_buf_ struct buf config = BUF_INIT(1 << 20);
	struct taskkit k;

	buf_adds(&config, "\"summary\":{\"usage\":false,\"text\":\"");
	for (int i = 0; i < 80000; i++)
		buf_addc(&config, 'w');
	buf_adds(&config, "\"}");
	play(buf_cstr(&config), 30);
	begin(&k, "openai");
	taskkit_run(&k);
	taskkit_ended(&k, TASK_LIMIT, "context");
	assert_non_null(strstr(k.report.why.msg, "cannot be made smaller"));
	assert_int_equal(taskkit_count(&k, "replaced by a summary"), 0);
	taskkit_done(&k);
}

static void a_summary_that_fails(void)
{
	struct taskkit k;

	play("\"summary\":{\"status\":500,\"body\":\"oops\"}", 30);
	begin(&k, "openai");
	taskkit_run(&k);
	taskkit_ended(&k, TASK_SERVICE, "service");
	assert_int_equal(taskkit_count(&k, "retry "), 5);
	taskkit_done(&k);
}

/* A server that cuts prompts without a word is noticed by its counting. */
static void a_server_that_cuts(void)
{
	_cleanup_buf_ struct buf lines = BUF_INIT(64 << 10);
	struct taskkit k;

	buf_adds(&lines,
		 "{\"config\":{\"append_only\":false,\"summary\":{\"text\":\"S\"}}}\n");
	for (int i = 0; i < 4; i++)
		buf_adds(&lines, "{\"usage\":[4096,20],\"calls\":[{\"name\":\"shell\","
				 "\"args\":{\"command\":\"big 3000\"}}]}\n");
	buf_adds(&lines, "{\"text\":\"ok\"}\n");
	modelserver_play(&server, buf_cstr(&lines));
	taskkit_init(&k, "openai", server.url);
	taskkit_run(&k);
	taskkit_ended(&k, TASK_DONE, "answer");
	assert_int_equal(taskkit_count(&k, "the server cuts prompts at 4096 tokens"),
			 1);
	taskkit_done(&k);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "results alone", results_alone },
		{ "a call instead", a_call_instead },
		{ "a summary that is no gain", a_longer_summary },
		{ "a summary that fails", a_summary_that_fails },
		{ "a server that cuts prompts", a_server_that_cuts },
	};
	int failed;

	modelserver_start(&server);
	failed = unit_rows("compaction: the task goes on", wires, goes_on);
	failed += unit_cases("compaction", cases);
	modelserver_stop(&server);
	return failed;
}
