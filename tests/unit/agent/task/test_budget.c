/* What a task may use: each budget is announced at four fifths, and at its end the model
 * sums up in words. */
#include <stdio.h>

#include "agent/model/prices.h"
#include "tests/unit/modelserver.h"
#include "tests/unit/taskkit.h"
#include "tests/unit/unit.h"

static struct modelserver server = MODELSERVER_NONE;

/* Ten cents for a thousand tokens read, a dollar for a thousand written. */
static const struct prices prices = { .input = 100000000,
				      .cached = 10000000,
				      .written = 100000000,
				      .output = 1000000000 };

struct row {
	const char *name;
	struct task_limits limits;
	bool priced;
	const char *more;  /* members of every line of the server */
	const char *cause; /* of the limit; NULL = none is reached */
	const char *told;  /* a notice */
	unsigned ran;	   /* commands until then, of ten */
	uint64_t cost;	   /* micro-dollars; 0 = not looked at */
};

/* A round reads 100 tokens and writes 10: two cents. */
static const struct row rows[] = {
	{ "no limit", { 0 }, false, "", NULL, NULL, 10, 0 },
	{ "rounds",
	  { .rounds = 5 },
	  false,
	  "",
	  "rounds",
	  "4 of 5 rounds are used",
	  5,
	  0 },
	{ "tokens",
	  { .tokens = 500 },
	  false,
	  "",
	  "tokens",
	  "440 of 500 tokens are used",
	  5,
	  0 },
	{ "cost",
	  { .cost = 100000 },
	  true,
	  "",
	  "cost",
	  "8 of 10 cents are used",
	  5,
	  120000 },
	{ "less than a cent",
	  { .cost = 1 },
	  true,
	  "",
	  "cost",
	  "the limit of cost is reached",
	  1,
	  40000 },
	{ "cost, as the service tells it",
	  { .cost = 2000000 },
	  false,
	  ",\"cost\":0.5",
	  "cost",
	  "the limit of cost is reached",
	  4,
	  2500000 },
	{ "a cost that nobody knows", { .cost = 1000 }, false, "", NULL, NULL, 10, 0 },
	{ "time",
	  { .time_ms = 35000 },
	  false,
	  "",
	  "time",
	  "30 of 35 seconds are used",
	  4,
	  0 },
};

static void budget(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf lines = BUF_INIT(64 << 10);
	struct taskkit k;

	for (unsigned i = 0; i < row->ran; i++)
		buf_addf(
			&lines,
			"{\"usage\":[100,10]%s,\"calls\":[{\"name\":\"shell\",\"args\":"
			"{\"command\":\"sleep 10 %u\"}}]}\n",
			row->more, i);
	buf_addf(&lines, "{\"usage\":[100,10]%s,\"text\":\"so far\"%s}\n", row->more,
		 row->cause ? ",\"expect\":\"No more calls\"" : "");
	modelserver_play(&server, buf_cstr(&lines));
	taskkit_init(&k, "openai", server.url);
	k.conf.limits = row->limits;
	k.conf.model.prices = row->priced ? &prices : NULL;
	taskkit_run(&k);
	taskkit_ended(&k, row->cause ? TASK_LIMIT : TASK_DONE,
		      row->cause ? row->cause : "answer");
	assert_string_equal(buf_cstr(&k.report.answer), "so far");
	assert_int_equal(k.ran, row->ran);
	if (row->told && taskkit_count(&k, row->told) != 1)
		fail_msg("not told once: %s\n%s", row->told, buf_cstr(&k.told));
	if (row->cost)
		assert_int_equal(k.report.status.cost, row->cost);
	assert_int_equal(k.report.status.cost_known, row->priced || *row->more);
	taskkit_done(&k);
}

/* A turn of many calls: what is left of them is not run when the time is over. */
static void between_calls(void)
{
	struct taskkit k;

	modelserver_play(
		&server,
		"{\"calls\":[{\"name\":\"shell\",\"args\":{\"command\":\"sleep 20\"}},"
		"{\"name\":\"shell\",\"args\":{\"command\":\"sleep 20\"}},"
		"{\"name\":\"shell\",\"args\":{\"command\":\"sleep 20\"}}]}\n"
		"{\"text\":\"late\"}\n");
	taskkit_init(&k, "openai", server.url);
	k.conf.limits.time_ms = 30000;
	taskkit_run(&k);
	taskkit_ended(&k, TASK_LIMIT, "time");
	assert_int_equal(k.ran, 2);
	assert_int_equal(taskkit_count(&k, "Not executed: the task's limit is reached"),
			 1);
	taskkit_done(&k);
}

/* An answer that broke off was paid for: what it took is estimated, and marked so. */
static void lost_answers(void)
{
	_cleanup_buf_ struct buf log = BUF_INIT(1 << 20);
	struct taskkit k;

	modelserver_play(&server,
			 "{\"usage\":[100,10],\"text\":\"words and words and words\","
			 "\"cut_at\":0.8}\n{\"usage\":[100,10],\"text\":\"whole\"}\n");
	taskkit_init(&k, "openai", server.url);
	k.conf.model.prices = &prices;
	taskkit_run(&k);
	taskkit_ended(&k, TASK_DONE, "answer");
	assert_true(k.report.status.tokens_in > 200);
	assert_true(k.report.status.tokens_out > 10);
	assert_true(k.report.status.cost > 20000);
	taskkit_log(&k, &log);
	assert_non_null(strstr(log.data, "\"type\":\"lost\""));
	assert_non_null(strstr(log.data, "\"estimated\":true"));
	taskkit_done(&k);
}

/* Calls that nobody can run, one way or another: three turns and it is over. */
static void unreadable(void)
{
	struct taskkit k;

	modelserver_play(
		&server,
		"{\"calls\":[{\"name\":\"sehll\",\"args\":{\"command\":\"ls\"}}]}\n"
		"{\"calls\":[{\"name\":\"read_file\",\"args\":{\"file\":\"x\"}}]}\n"
		"{\"calls\":[{\"name\":\"read_file\",\"args\":{\"path\":[1]}}]}\n"
		"{\"text\":\"never\"}\n");
	taskkit_init(&k, "openai", server.url);
	taskkit_run(&k);
	taskkit_ended(&k, TASK_LIMIT, "malformed");
	assert_int_equal(
		taskkit_count(&k, "there is no tool 'sehll'; the tools are shell"), 1);
	assert_int_equal(
		taskkit_count(&k, "there is no argument 'file'; there are path"), 1);
	assert_int_equal(taskkit_count(&k, "the argument 'path' is not a string"), 1);
	taskkit_done(&k);
}

/* A good turn between them, and the count begins anew. */
static void readable_again(void)
{
	struct taskkit k;

	modelserver_play(&server,
			 "{\"calls\":[{\"name\":\"sehll\",\"args\":{}}]}\n"
			 "{\"calls\":[{\"name\":\"shell\",\"args\":\"{broken\"}]}\n"
			 "{\"calls\":[{\"name\":\"shell\",\"args\":{\"command\":\"echo "
			 "ok\"}}]}\n"
			 "{\"calls\":[{\"name\":\"sehll\",\"args\":{\"x\":1}}]}\n"
			 "{\"calls\":[{\"name\":\"sehll\",\"args\":{\"x\":2}}]}\n"
			 "{\"text\":\"made it\"}\n");
	taskkit_init(&k, "openai", server.url);
	taskkit_run(&k);
	taskkit_ended(&k, TASK_DONE, "answer");
	assert_int_equal(taskkit_count(&k, "its arguments are malformed (bad JSON at"),
			 1);
	taskkit_done(&k);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "time is over between two calls", between_calls },
		{ "an answer that broke off", lost_answers },
		{ "three calls that cannot be read", unreadable },
		{ "two, and again two", readable_again },
	};
	int failed;

	modelserver_start(&server);
	failed = unit_rows("budgets", rows, budget);
	failed += unit_cases("budgets", cases);
	modelserver_stop(&server);
	return failed;
}
