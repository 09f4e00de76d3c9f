/* A transcript that ends anywhere: what kill -9 leaves. The history that is read back is
 * always the beginning of the whole one, and a task goes on from it. */
#include "agent/task/resume.h"

#include <stdio.h>

#include "agent/turn/transcript.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/taskkit.h"
#include "tests/unit/unit.h"

/* Two rounds with two calls each, words beside them, one that cannot be read, a notice. */
#define CALL(id, args)                                                              \
	"{\"id\":\"" id "\",\"function\":{\"name\":\"shell\",\"arguments\":\"" args \
	"\"}}"
#define USE(id, args)                                                                 \
	"{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"shell\",\"input\":" args \
	"}"
#define TURN(message) \
	"{\"type\":\"response\",\"message\":{\"role\":\"assistant\"," message "}}\n"

struct row {
	const char *name, *turns;
};

/* clang-format off */
static const struct row rows[] = {
	{ "Chat Completions", "{\"type\":\"task\",\"task\":\"do ümläute\"}\n"
	  TURN("\"content\":\"I look.\",\"reasoning_content\":\"hm\",\"tool_calls\":["
	       CALL("a", "{\\\"command\\\":\\\"echo one\\\"}") "," CALL("b", "{\\\"command\\\":\\\"fail two\\\"}") "]")
	  TURN("\"content\":null,\"tool_calls\":[" CALL("c", "{broken") ","
	       CALL("d", "{\\\"command\\\":\\\"big 90\\\"}") "]")
	  TURN("\"content\":\"\"")
	  TURN("\"content\":\"The answer.\"") },
	{ "Messages", "{\"type\":\"task\",\"task\":\"do ümläute\"}\n"
	  TURN("\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"S\"},"
	       "{\"type\":\"text\",\"text\":\"I look.\"}," USE("a", "{\"command\":\"echo one\"}") ","
	       USE("b", "{\"command\":\"fail two\"}") "]")
	  TURN("\"content\":[" USE("c", "{\"command\":\"big 90\"}") "]")
	  TURN("\"content\":[{\"type\":\"text\",\"text\":\"The answer.\"}]") },
};
/* clang-format on */

static int memory_file(const char *text, size_t len)
{
	struct err e = ERR_NONE;
	int fd = sys_memfd("transcript", 0);

	assert_true(fd >= 0);
	unit_ok(file_write_fd(fd, text, len, &e), &e);
	return fd;
}

/* The whole task, as its transcript has it. */
static void make(const struct row *row, struct buf *out)
{
	_cleanup_close_ int script = memory_file(row->turns, strlen(row->turns));
	struct taskkit k;

	taskkit_init(&k, "replay", NULL);
	k.conf.text = NULL;
	k.conf.model.replay_fd = script;
	taskkit_run(&k);
	taskkit_ended(&k, TASK_DONE, "answer");
	taskkit_log(&k, out);
	taskkit_done(&k);
}

static bool is_call(const struct json *message, const char *id)
{
	json_each(call, json_get(message, "tool_calls"))
	{
		if (strcmp(json_get_str(call, "id"), id) == 0)
			return true;
	}
	json_each(block, json_get(message, "content"))
	{
		const char *of = json_get_str(block, "id");

		if (of && strcmp(of, id) == 0)
			return true;
	}
	return false;
}

/* Each result belongs to a call of the turn before it, and is its only one. */
static void check_results(const struct history *h, size_t cut)
{
	const struct json *turn = NULL;
	size_t from = 0;

	for (size_t i = 0; i < h->n; i++) {
		const struct history_entry *x = &h->entries[i];

		if (x->kind == HISTORY_ASSISTANT) {
			turn = x->message;
			from = i;
		}
		if (x->kind != HISTORY_RESULT)
			continue;
		if (!turn || !is_call(turn, x->id))
			fail_msg("cut at %zu: a result of no call: %s", cut, x->id);
		for (size_t k = from + 1; k < i; k++)
			if (h->entries[k].id && !strcmp(h->entries[k].id, x->id))
				fail_msg("cut at %zu: two results of %s", cut, x->id);
	}
}

static void read_back(const char *text, size_t len, struct resume *ret)
{
	struct err e = ERR_NONE;

	*ret = (struct resume){ 0 };
	unit_ok(transcript_parse(text, len, resume_record, ret, &e), &e);
}

static void same_beginning(const struct history *part, const struct history *whole,
			   size_t cut)
{
	if (part->n > whole->n)
		fail_msg("cut at %zu: more than the whole", cut);
	for (size_t i = 0; i < part->n; i++) {
		const struct history_entry *a = &part->entries[i];
		const struct history_entry *b = &whole->entries[i];

		if (a->kind != b->kind || !a->text != !b->text ||
		    (a->text && strcmp(a->text, b->text) != 0))
			fail_msg("cut at %zu: entry %zu differs", cut, i);
	}
}

static void any_cut(const void *p)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20);
	_cleanup_resume_ struct resume whole = { 0 };
	size_t before = 0, model;

	make(p, &text);
	read_back(text.data, text.len, &whole);
	assert_true(whole.history.n >= 6);
	/* The second record has the prompt and the tools, the same for every task. */
	model = strcspn(text.data, "\n") + 1;
	model += strcspn(text.data + model, "\n");
	for (size_t cut = 0; cut <= text.len; cut += cut < model ? 61 : 1) {
		_cleanup_resume_ struct resume part = { 0 };

		read_back(text.data, cut, &part);
		same_beginning(&part.history, &whole.history, cut);
		check_results(&part.history, cut);
		assert_true(part.history.n >= before); /* nothing is unsaid */
		before = part.history.n;
	}
	assert_int_equal(before, whole.history.n);
}

/* One more turn, from the first @len bytes on. */
static void go_on(const char *text, size_t len)
{
	static const char last[] = TURN("\"content\":\"resumed\"");
	_cleanup_close_ int script = memory_file(last, sizeof(last) - 1);
	_cleanup_close_ int old = memory_file(text, len);
	_cleanup_buf_ struct buf log = BUF_INIT(1 << 20);
	_cleanup_resume_ struct resume all = { 0 };
	struct taskkit k;
	const char *name;

	taskkit_init(&k, "replay", NULL);
	k.conf.text = NULL;
	k.conf.model.replay_fd = script;
	k.conf.resume_fd = old;
	k.conf.resumed = "old";
	taskkit_run(&k);
	taskkit_ended(&k, TASK_DONE, "answer");
	assert_string_equal(buf_cstr(&k.report.answer), "resumed");
	taskkit_log(&k, &log);
	read_back(log.data, log.len, &all);
	check_results(&all.history, len);
	if (history_open_call(&all.history, &name))
		fail_msg("cut at %zu: a call stays open", len);
	taskkit_done(&k);
}

static void goes_on(const void *p)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20);
	size_t end = 0;

	make(p, &text);
	while ((end += strcspn(text.data + end, "\n")) < text.len) {
		static const size_t more[] = { 0, 1, 2, 30 }; /* into the next record */

		for (size_t i = 0; i < ARRAY_SIZE(more); i++)
			if (end + more[i] <= text.len)
				go_on(text.data, end + more[i]);
		end++;
	}
}

/* Before there is a whole task record there is nothing to go on with, and it is said. */
static void nothing_yet(void)
{
	static const char text[] = "{\"type\":\"task\",\"task\":\"x\"";
	_cleanup_close_ int old = memory_file(text, sizeof(text) - 1);
	_cleanup_close_ int script = memory_file(rows[0].turns, strlen(rows[0].turns));
	struct err e = ERR_NONE;
	struct taskkit k;

	taskkit_init(&k, "replay", NULL);
	k.conf.model.replay_fd = script;
	k.conf.resume_fd = old;
	assert_int_equal(task_run(&k.conf, &k.report, &e), -EINVAL);
	unit_err(&e, -EINVAL, "the transcript holds no task to go on with");
	taskkit_done(&k);
}

/* The model is told how it had really ended. */
static const struct end_row {
	const char *name, *record, *said;
} end_rows[] = {
	{ "no end", "",
	  "[cubby: the task was interrupted: cubby ended in its midst. It goes on "
	  "now." },
	{ "finished", "{\"type\":\"end\",\"reason\":\"done\",\"cause\":\"finish\"}\n",
	  "[cubby: the task had ended: you had finished it. It goes on now. " },
	{ "given up",
	  "{\"type\":\"end\",\"reason\":\"gave_up\",\"cause\":\"finish\"}\n",
	  "[cubby: the task had ended: you had given it up. It" },
	{ "stuck", "{\"type\":\"end\",\"reason\":\"gave_up\",\"cause\":\"stuck\"}\n",
	  "[cubby: the task had ended because you were going in circles" },
	{ "a limit", "{\"type\":\"end\",\"reason\":\"limit\",\"cause\":\"rounds\"}\n",
	  "[cubby: the task had ended because its limit of rounds was reached. It" },
	{ "a limit of later versions",
	  "{\"type\":\"end\",\"reason\":\"limit\",\"cause\":\"x\"}\n",
	  "[cubby: the task had ended because a limit was reached. It" },
	{ "the service",
	  "{\"type\":\"end\",\"reason\":\"service\",\"cause\":\"service\"}\n",
	  "[cubby: the task had ended because the model service failed. It" },
	{ "interrupted",
	  "{\"type\":\"end\",\"reason\":\"interrupted\",\"cause\":\"interrupted\"}\n",
	  "[cubby: the person had interrupted the task. It" },
	{ "gone on after an end",
	  "{\"type\":\"end\",\"reason\":\"done\",\"cause\":\"finish\"}\n"
	  "{\"type\":\"task\",\"task\":\"\",\"resumed\":\"x\"}\n",
	  "[cubby: the task was interrupted: cubby" },
};

static void says_how_it_ended(const void *p)
{
	static const char last[] = TURN("\"content\":\"resumed\"");
	const struct end_row *row = p;
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20), log = BUF_INIT(1 << 20);
	_cleanup_close_ int script = memory_file(last, sizeof(last) - 1), old = -1;
	struct taskkit k;

	buf_addf(&text, "{\"type\":\"task\",\"task\":\"x\"}\n%s", row->record);
	old = memory_file(text.data, text.len);
	taskkit_init(&k, "replay", NULL);
	k.conf.text = NULL;
	k.conf.model.replay_fd = script;
	k.conf.resume_fd = old;
	k.conf.resumed = "old";
	taskkit_run(&k);
	taskkit_log(&k, &log);
	if (!strstr(buf_cstr(&log), row->said))
		fail_msg("not said: %s\n%s", row->said, buf_cstr(&log));
	taskkit_done(&k);
}

/* Three turns, with a checkpoint before each, and one of them twice: gone on after ^C. */
#define MARK(round) "{\"type\":\"checkpoint\",\"round\":" round "}\n"
static const char marked[] = "{\"type\":\"task\",\"task\":\"x\"}\n" MARK("0")
	TURN("\"content\":\"one\"") MARK("1") MARK("1") TURN("\"content\":\"two\"")
		MARK("2") TURN("\"content\":\"three\"");

static int go_back(unsigned rounds, struct buf *log, struct err *e)
{
	static const char last[] = TURN("\"content\":\"resumed\"");
	_cleanup_close_ int script = memory_file(last, sizeof(last) - 1);
	_cleanup_close_ int old = memory_file(marked, sizeof(marked) - 1);
	struct taskkit k;
	int r;

	taskkit_init(&k, "replay", NULL);
	k.conf.text = NULL;
	k.conf.model.replay_fd = script;
	k.conf.resume_fd = old;
	k.conf.resumed = "old";
	k.conf.back = true;
	k.conf.rounds_back = rounds;
	r = task_run(&k.conf, &k.report, e);
	if (r == 0)
		taskkit_log(&k, log);
	taskkit_done(&k);
	return r;
}

static void ends_at_the_checkpoint(void)
{
	_cleanup_buf_ struct buf log = BUF_INIT(1 << 20);
	struct err e = ERR_NONE;

	unit_ok(go_back(1, &log, &e), &e);
	assert_non_null(strstr(buf_cstr(&log), "\"one\""));
	assert_null(strstr(buf_cstr(&log), "\"two\""));
	assert_null(strstr(buf_cstr(&log), "\"three\""));
	assert_non_null(strstr(buf_cstr(&log),
			       "[cubby: the person has gone back to this point: "));
	assert_non_null(strstr(buf_cstr(&log), " now. Installed packages are kept"));
	assert_non_null(strstr(buf_cstr(&log), "\"resumed\""));
}

static void no_such_checkpoint(void)
{
	_cleanup_buf_ struct buf log = BUF_INIT(1 << 20);
	struct err e = ERR_NONE;

	assert_int_equal(go_back(7, &log, &e), -ENOENT);
	unit_err(&e, -ENOENT, "the task has no checkpoint after 7 turns");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "goes on from a checkpoint", ends_at_the_checkpoint },
		{ "goes on from one that is not there", no_such_checkpoint },
		{ "killed before the task was written", nothing_yet },
	};

	return unit_rows("resume: cut behind every byte", rows, any_cut) +
	       unit_rows("resume: the task goes on", rows, goes_on) +
	       unit_rows("resume: how it had ended", end_rows, says_how_it_ended) +
	       unit_cases("resume", cases);
}
