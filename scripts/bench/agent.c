/* agent - what cubby itself costs in a task: bytes of an answer read, and a round of the
 * loop with the model and the commands taken out.
 *
 * usage: agent parse [MEGABYTES]   a streamed answer, read in blocks of 16 KiB
 *        agent round [ROUNDS]      turns of a replay whose tools answer at once, each with
 *                                  the request that would have been sent
 * Prints {"mb_per_s": …} or {"median_us": …, "first_us": …, "last_us": …, "rounds": …}:
 * first and last are medians of the first and the last ten rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/model/impl.h"
#include "agent/task/task.h"
#include "agent/tool/toolset.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/sys/sys.h"

enum { BLOCK = 16384, ROUNDS_MAX = 2000, RESULT = 2000 };

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* others run too */
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void need(int r, const struct err *e)
{
	if (r >= 0)
		return;
	fprintf(stderr, "agent: %s\n", e->msg);
	exit(1);
}

/* ---- parse ---- */

static void make_stream(struct buf *out, size_t bytes)
{
	for (unsigned i = 0; out->len < bytes; i++)
		buf_addf(out,
			 "data: {\"id\":\"chatcmpl-0123456789\",\"object\":"
			 "\"chat.completion.chunk\",\"created\":1700000000,\"model\":"
			 "\"gpt-x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":"
			 "\" a few words%s\"},\"finish_reason\":null}]}\n\n",
			 i % 8 ? "" : "\\n"); /* as often as lines end */
	buf_adds(out,
		 "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
		 "data: [DONE]\n\n");
}

static int parse(size_t megabytes)
{
	_cleanup_buf_ struct buf in = BUF_INIT((megabytes + 1) << 20);
	static const struct turn_sink silent = { 0 };
	_cleanup_answer_ struct answer *a = answer_new(openai_wire.answer, &silent);
	_cleanup_turn_ struct turn t;
	struct err e = ERR_NONE;
	uint64_t seed = 1;
	double start;

	turn_init(&t);
	make_stream(&in, megabytes << 20);
	start = now_us();
	for (size_t at = 0; at < in.len; at += BLOCK)
		need(answer_feed(a, in.data + at, MIN(BLOCK, in.len - at), &e), &e);
	need(answer_end(a, &seed, &t, &e), &e);
	printf("{\"mb_per_s\": %.1f}\n", (double)in.len / (now_us() - start));
	return 0;
}

/* ---- round ---- */

struct rounds {
	double at[ROUNDS_MAX + 2];
	unsigned n;
	struct model *model; /* builds and hashes what a service would be sent */
	struct toolset set;
	struct history history;
};

static int run_tool(struct toolbox *, const char *, const struct json *,
		    struct tool_result *ret, struct err *)
{
	static unsigned n;
	char text[RESULT + 1];

	memset(text, 'x', RESULT);
	text[RESULT] = '\0';
	snprintf(text, 20, "%u", n++);
	text[strlen(text)] = ' ';
	return buf_adds(&ret->text, text);
}

static void on_result(void *ctx, const struct task_call *c, const struct tool_result *r)
{
	struct rounds *x = ctx;
	struct history_result h = { .id = c->id,
				    .tool = c->name,
				    .text = r->text.data };
	_cleanup_buf_ struct buf body = BUF_INIT(256 << 20);
	struct model_request req = { .what.history = &x->history,
				     .what.tools = x->set.v,
				     .what.n_tools = x->set.n };
	_cleanup_json_ struct json *message = NULL;
	_cleanup_hash_ struct hash *hash = NULL;
	struct err e = ERR_NONE;
	char hex[HASH_HEX], text[400];

	snprintf(text, sizeof(text),
		 "{\"role\":\"assistant\",\"content\":\"I "
		 "look.\",\"tool_calls\":[{\"id\":"
		 "\"%s\",\"type\":\"function\",\"function\":{\"name\":\"shell\","
		 "\"arguments\":\"{}\"}}]}",
		 c->id);
	need(json_parse(text, strlen(text), &message, &e), &e);
	need(history_add_turn(&x->history, x->n, message, &e), &e);
	need(history_add_result(&x->history, x->n, &h, &e), &e);
	need(model_body(x->model, &req, &body, &e), &e);
	need(hash_new(&hash, &e), &e);
	need(hash_update(hash, body.data, body.len, &e), &e);
	need(hash_final(hash, hex, &e), &e);
	if (x->n < ROUNDS_MAX)
		x->at[++x->n] = now_us();
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(const struct rounds *x, unsigned from, unsigned to)
{
	static double took[ROUNDS_MAX];
	unsigned n = 0;

	for (unsigned i = from; i < to; i++)
		took[n++] = x->at[i + 1] - x->at[i];
	qsort(took, n, sizeof(*took), by_value);
	return n ? took[n / 2] : 0;
}

static void make_script(struct buf *out, unsigned rounds)
{
	buf_adds(out, "{\"type\":\"task\",\"task\":\"x\"}\n");
	for (unsigned i = 0; i < rounds; i++)
		buf_addf(out,
			 "{\"type\":\"response\",\"message\":{\"role\":\"assistant\","
			 "\"content\":\"I "
			 "look.\",\"tool_calls\":[{\"id\":\"c%u\",\"function\":"
			 "{\"name\":\"shell\",\"arguments\":\"{\\\"command\\\":\\\"ls "
			 "%u\\\"}\"}"
			 "}]}}\n",
			 i, i);
	buf_adds(out, "{\"type\":\"response\",\"message\":{\"content\":\"done\"}}\n");
}

static int rounds(unsigned n)
{
	static struct rounds x;
	_cleanup_buf_ struct buf script = BUF_INIT(64 << 20);
	_cleanup_task_report_ struct task_report report;
	static const struct task_events events = { .result = on_result };
	int fd = sys_memfd("script", 0);
	FILE *log = tmpfile();
	struct model_conf other = { .provider = "openai",
				    .url = "http://h",
				    .name = "m" };
	struct task_conf conf = {
		.model = { .provider = "replay", .replay_fd = fd, .abort_fd = -1 },
		.limits = { .rounds = n + 10 },
		.run_tool = run_tool,
		.project_fd = -1,
		.transcript_fd = log ? fileno(log) : -1,
		.copy_fd = -1,
		.resume_fd = -1,
		.interrupt_fd = -1,
		.events = &events,
		.ctx = &x
	};
	struct err e = ERR_NONE;

	make_script(&script, n);
	need(file_write_fd(fd, script.data, script.len, &e), &e);
	need(toolset_load(&x.set, &e), &e);
	need(model_new(&other, &x.model, &e), &e);
	task_report_init(&report);
	x.at[0] = now_us();
	need(task_run(&conf, &report, &e), &e);
	printf("{\"median_us\": %.0f, \"first_us\": %.0f, \"last_us\": %.0f, "
	       "\"rounds\": %u}\n",
	       median(&x, 0, x.n), median(&x, 1, MIN(11, x.n)),
	       median(&x, x.n > 10 ? x.n - 10 : 0, x.n), x.n);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;

	if (argc > 1 && strcmp(argv[1], "parse") == 0)
		return parse(n ? n : 10);
	if (argc > 1 && strcmp(argv[1], "round") == 0)
		return rounds(n && n < ROUNDS_MAX ? n : 100);
	fprintf(stderr, "usage: agent parse [MEGABYTES] | round [ROUNDS]\n");
	return 2;
}
