#include "agent/model/replay.h"

#include <errno.h>
#include <string.h>

#include "agent/turn/alike.h"
#include "agent/turn/transcript.h"
#include "agent/wire/message.h"
#include "base/grow.h"
#include "base/text.h"

struct recorded_result {
	char *id, *text; /* owned */
	int exit;	 /* -1 = none */
};

struct recorded_turn {
	struct json *message;		 /* owned */
	char *finish;			 /* owned; may be NULL */
	struct recorded_result *results; /* owned */
	size_t n_results;
};

struct replay {
	struct recorded_turn *turns; /* owned */
	size_t n, next;
	char *task; /* owned */
};

static void turn_free(struct recorded_turn *t)
{
	for (size_t i = 0; i < t->n_results; i++) {
		free(t->results[i].id);
		free(t->results[i].text);
	}
	free(t->results);
	free(t->finish);
	json_free(&t->message);
}

void replay_free(struct replay **rp)
{
	struct replay *r = take(rp, NULL);

	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		turn_free(&r->turns[i]);
	free(r->turns);
	free(r->task);
	free(r);
}

static int no_memory(struct err *e)
{
	return err_sys(e, -ENOMEM, "cannot keep the transcript");
}

static int add_turn(struct replay *r, const struct json *record, struct err *e)
{
	const struct json *message = json_get(record, "message");
	const char *finish = json_get_str(record, "finish");
	struct recorded_turn t = { 0 };

	if (json_type(message) != JSON_OBJECT)
		return err_set(e, -EINVAL, "a response record without a message");
	if (!grow_room(r->turns, r->n))
		return no_memory(e);
	t.message = json_dup(message);
	t.finish = finish ? strdup(finish) : NULL;
	if (!t.message || (finish && !t.finish)) {
		turn_free(&t);
		return no_memory(e);
	}
	r->turns[r->n++] = t;
	return 0;
}

static int add_result(struct replay *r, const struct json *record, struct err *e)
{
	struct recorded_turn *t = &r->turns[r->n - 1];
	const char *id = json_get_str(record, "id"),
		   *text = json_get_str(record, "text");
	struct recorded_result *more;

	if (!text)
		return 0;
	if (!grow_room(t->results, t->n_results))
		return no_memory(e);
	more = &t->results[t->n_results++];
	more->id = strdup(id ? id : "");
	more->text = strdup(text);
	more->exit = (int)json_get_int(record, "exit", -1);
	return more->id && more->text ? 0 : no_memory(e);
}

static int on_record(void *ctx, const struct json *record, struct err *e)
{
	struct replay *r = ctx;
	const char *type = json_get_str(record, "type");
	const char *text = json_get_str(record, "task");

	if (strcmp(type, "response") == 0)
		return add_turn(r, record, e);
	if (strcmp(type, "result") == 0 && r->n)
		return add_result(r, record, e);
	if (strcmp(type, "task") == 0 && text && !r->task) {
		r->task = strdup(text);
		if (!r->task)
			return no_memory(e);
	}
	return 0;
}

int replay_open(int fd, struct replay **ret, struct err *e)
{
	_cleanup_(replay_free) struct replay *r = calloc(1, sizeof(*r));
	int failed;

	if (!r)
		return no_memory(e);
	failed = transcript_read(fd, on_record, r, e);
	if (failed < 0)
		return failed;
	if (!r->n)
		return err_set(e, -EINVAL, "the transcript has no response to replay");
	*ret = take(&r, NULL);
	return 0;
}

const char *replay_task(const struct replay *r)
{
	return r->task;
}

static void set_finish(struct turn *t, const char *word)
{
	if (!word)
		return;
	text_copy(t->finish_word, sizeof(t->finish_word), word);
	if (strcmp(word, "length") == 0 || strcmp(word, "max_tokens") == 0)
		t->finish = TURN_LENGTH;
	else if (strcmp(word, "content_filter") == 0 || strcmp(word, "refusal") == 0)
		t->finish = TURN_FILTER;
	else if (strcmp(word, "pause_turn") == 0)
		t->finish = TURN_PAUSE;
}

bool replay_more(const struct replay *r)
{
	return r->next < r->n;
}

int replay_next(struct replay *r, const struct model_request *req, uint64_t *seed,
		struct turn *ret, struct retry_cause *why, struct err *e)
{
	const struct recorded_turn *t = &r->turns[r->next];
	int failed;

	why->what = RETRY_NEVER;
	if (r->next == r->n)
		return err_set(e, -ENODATA,
			       "the transcript has no turn %zu: the task did not end "
			       "as recorded",
			       r->next + 1);
	failed = message_turn(t->message, seed, ret, e);
	if (failed < 0)
		return err_wrap(e, "turn %zu of the transcript", r->next + 1);
	r->next++;
	set_finish(ret, t->finish);
	if (ret->reasoning.len && req->sink.reasoning)
		req->sink.reasoning(req->sink.ctx, ret->reasoning.data,
				    ret->reasoning.len);
	if (ret->text.len && req->sink.words)
		req->sink.words(req->sink.ctx, ret->text.data, ret->text.len);
	return 0;
}

/* The first line that is another, once what always differs is taken out. */
static void tell_line(const char *old, const char *now, struct buf *ret)
{
	unsigned number;
	char was[80], is[80];

	for (number = 1;; number++) {
		_cleanup_buf_ struct buf a = BUF_INIT(64 << 20), b = BUF_INIT(64 << 20);
		_cleanup_free_ char *x = strndup(old, strcspn(old, "\n"));
		_cleanup_free_ char *y = strndup(now, strcspn(now, "\n"));

		if (!x || !y || alike_text(x, &a) < 0 || alike_text(y, &b) < 0)
			break;
		text_escaped(was, sizeof(was), x, strlen(x));
		text_escaped(is, sizeof(is), y, strlen(y));
		old += strlen(x);
		now += strlen(y);
		if (strcmp(buf_cstr(&a), buf_cstr(&b)) != 0) {
			buf_addf(ret, "line %u is '%s', recorded was '%s'", number, is,
				 was);
			return;
		}
		if (!*old || !*now)
			break;
		old++;
		now++;
	}
	buf_addf(ret,
		 *now ? "more than the %u recorded lines"
		      : "only the first %u of the recorded lines",
		 number);
}

bool replay_compare(const struct replay *r, size_t nth, const char *text, int exit,
		    struct buf *ret)
{
	_cleanup_buf_ struct buf was = BUF_INIT(64 << 20), is = BUF_INIT(64 << 20);
	const struct recorded_turn *t = r->next ? &r->turns[r->next - 1] : NULL;
	const struct recorded_result *old;

	if (!t || nth >= t->n_results)
		return false;
	old = &t->results[nth];
	if (old->exit != exit) {
		buf_addf(ret, "exit status %d, recorded was %d", exit, old->exit);
		return true;
	}
	if (alike_text(old->text, &was) < 0 || alike_text(text, &is) < 0)
		return false;
	if (was.len == is.len && (!is.len || memcmp(was.data, is.data, is.len) == 0))
		return false;
	tell_line(old->text, text, ret);
	return true;
}
