/* Going on with a task from its transcript, after a crash, ^C or a limit. What was
 * underway is answered as lost; what the model believes of its shell is corrected. */
#include <errno.h>
#include <string.h>

#include "agent/task/impl.h"
#include "agent/task/resume.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/sys/sys.h"

enum { TRANSCRIPT_MAX = 1 << 30 };

static const char lost[] = "interrupted; state unknown: cubby ended while this call "
			   "was underway. Look at what it did before you repeat it.";

/* Why a task had ended, as its model is told; a cause of NULL stands for all others. */
static const struct ending {
	const char *reason, *cause, *said;
} endings[] = {
	{ "done", NULL, "the task had ended: you had finished it" },
	{ "gave_up", "finish", "the task had ended: you had given it up" },
	{ "gave_up", "answer", "the task had ended: you had given it up" },
	{ "gave_up", "stuck",
	  "the task had ended because you were going in circles: try another way" },
	{ "gave_up", "refused",
	  "the task had ended because you or the service's filter had refused it" },
	{ "gave_up", "empty", "the task had ended because your answers were empty" },
	{ "gave_up", "no_calls",
	  "the task had ended because your calls came as text: use real tool calls" },
	{ "limit", "rounds",
	  "the task had ended because its limit of rounds was reached" },
	{ "limit", "tokens",
	  "the task had ended because its limit of tokens was reached" },
	{ "limit", "cost", "the task had ended because its limit of cost was reached" },
	{ "limit", "time", "the task had ended because its time was over" },
	{ "limit", "context",
	  "the task had ended because the context window was full: be brief" },
	{ "limit", "output",
	  "the task had ended because your turns were cut off at the "
	  "output limit: send less at once" },
	{ "limit", "malformed",
	  "the task had ended because your calls could not be read" },
	{ "limit", NULL, "the task had ended because a limit was reached" },
	{ "service", NULL, "the task had ended because the model service failed" },
	{ "box", NULL, "the task had ended because the machine failed" },
	{ "interrupted", NULL, "the person had interrupted the task" },
};

static const char goes_on[] =
	"[cubby: %s. It goes on now. %s; what was "
	"in /tmp and what ran is gone if the machine has stopped since. The shell is a "
	"new one in the project directory, without the variables and functions of the "
	"old one.]";

static const char gone_back[] =
	"the person has gone back to this point: the project's files are as they were "
	"then, and what you did to them afterwards is undone";

static const char *ending_of(const struct resume *r)
{
	if (!r->ended)
		return "the task was interrupted: cubby ended in its midst";
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		const struct ending *x = &endings[i];

		if (strcmp(x->reason, r->reason) == 0 &&
		    (!x->cause || strcmp(x->cause, r->cause) == 0))
			return x->said;
	}
	return "the task had ended";
}

/* In the same file: a torn end is cut off, a missing newline added. */
static int repair(int fd, const struct stat *st, const struct buf *text, size_t whole,
		  struct err *e)
{
	size_t size = (size_t)st->st_size;
	int r;

	if (whole > size)
		return file_write_fd(fd, text->data + size, whole - size, e);
	r = whole < size ? sys_ftruncate(fd, (off_t)whole) : 0;
	return r < 0 ? err_sys(e, r, "cannot repair the transcript") : 0;
}

/* The old records up to the last whole one, which the new transcript begins with. When
 * both are the same file, a torn end is cut off instead. */
static int carry_over(struct task *t, int from, struct buf *text, struct err *e)
{
	_cleanup_json_ struct json *tail = NULL;
	struct err torn = ERR_NONE;
	struct stat a, b;
	const char *last;
	size_t whole;
	int r = 0;

	last = text->len ? memrchr(text->data, '\n', text->len) : NULL;
	whole = last ? (size_t)(last - text->data) + 1 : 0;
	if (whole < text->len &&
	    json_parse(text->data + whole, text->len - whole, &tail, &torn) == 0) {
		if (buf_addc(text, '\n') < 0)
			return err_sys(e, -ENOMEM, "cannot read the transcript");
		whole = text->len; /* only its newline was missing */
	}
	for (int i = 0; i < TRANSCRIPT_COPIES && r == 0; i++) {
		int to = t->log.fds[i];

		if (to < 0)
			continue;
		if (sys_fstat(from, &a) == 0 && sys_fstat(to, &b) == 0 &&
		    a.st_dev == b.st_dev && a.st_ino == b.st_ino) {
			r = repair(to, &a, text, whole, e);
		} else {
			r = file_write_fd(to, text->data, whole, e);
		}
	}
	return r;
}

static int answer_open_calls(struct task *t, struct err *e)
{
	const char *id, *name;

	while ((id = history_open_call(&t->history, &name))) {
		struct history_result h = {
			.id = id, .tool = name, .text = lost, .error = true
		};
		struct json *j = json_object();
		int r;

		json_set_int(j, "round", t->st.round);
		json_set_str(j, "id", id);
		json_set_str(j, "tool", name ? name : "");
		json_set_str(j, "outcome", "error");
		json_set_str(j, "text", lost);
		task_log(t, "result", j);
		r = history_add_result(&t->history, t->st.round, &h, e);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Counted on; but who resumes a task that had reached its limit wants it to go on. */
static void take_budgets(struct task *t, const struct resume *r)
{
	t->st.round = r->round;
	t->st.tokens_in = r->tokens_in;
	t->st.tokens_out = r->tokens_out;
	t->st.tokens_cached = r->tokens_cached;
	t->st.cost_known = !r->cost_unknown;
	t->st.cost = r->cost;
	if (t->st.round >= t->st.max_rounds)
		t->st.max_rounds += t->st.round;
	t->tokens_allowed = t->conf->limits.tokens;
	if (t->tokens_allowed && t->tokens_allowed <= r->tokens_in + r->tokens_out)
		t->tokens_allowed += r->tokens_in + r->tokens_out;
	if (t->cost_allowed && t->cost_allowed <= r->cost)
		t->cost_allowed += r->cost;
	t->report->calls = r->calls;
	t->log.seq = r->seq;
}

/* Where the last checkpoint after @rounds turns ends; 0 = there is none. */
static size_t find_back(const struct buf *text, unsigned rounds)
{
	size_t found = 0;

	for (size_t at = 0; at < text->len;) {
		const char *nl = memchr(text->data + at, '\n', text->len - at);
		size_t end = nl ? (size_t)(nl - text->data) : text->len;
		_cleanup_json_ struct json *j = NULL;

		if (json_parse(text->data + at, end - at, &j, ERR_IGNORED) == 0 &&
		    json_is(j, "type", "checkpoint") &&
		    json_get_int(j, "round", -1) == rounds)
			found = MIN(end + 1, text->len);
		at = end + 1;
	}
	return found;
}

static int read_old(const struct task *t, struct buf *ret, struct err *e)
{
	int r;

	sys_lseek(t->conf->resume_fd, 0, SEEK_SET);
	r = file_read_fd(t->conf->resume_fd, ret, e);
	if (r < 0 || !t->conf->back)
		return r;
	buf_truncate(ret, find_back(ret, t->conf->rounds_back));
	return ret->len ? 0
			: err_set(e, -ENOENT,
				  "the task has no checkpoint after %u turns",
				  t->conf->rounds_back);
}

int task_restart(struct task *t, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(TRANSCRIPT_MAX);
	_cleanup_resume_ struct resume old = { 0 };
	int r = read_old(t, &text, e);

	if (r < 0)
		return r;
	r = transcript_parse(buf_cstr(&text), text.len, resume_record, &old, e);
	if (r < 0)
		return r;
	if (!old.history.n)
		return err_set(e, -EINVAL,
			       "the transcript holds no task to go on with");
	if (old.model && (strcmp(old.model, model_name(t->model)) != 0 ||
			  strcmp(old.provider, model_provider_name(t->model)) != 0))
		r = resume_reduce(&old, e);
	if (r < 0)
		return r;
	r = carry_over(t, t->conf->resume_fd, &text, e);
	if (r < 0)
		return r;
	take_budgets(t, &old);
	t->had_ended = t->conf->back ? gone_back : ending_of(&old);
	t->history = take(&old.history, ((struct history){ 0 }));
	return 0;
}

int task_restart_say(struct task *t, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(sizeof(goes_on) + 200);
	int r = answer_open_calls(t, e);

	if (r < 0 || t->conf->same_machine)
		return r;
	r = buf_addf(&text, goes_on, t->had_ended,
		     t->conf->back ? "Installed packages are kept"
				   : "Files and installed packages are kept");
	return r < 0 ? err_sys(e, r, "cannot go on") : task_say(t, buf_cstr(&text), e);
}
