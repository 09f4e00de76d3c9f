/* Theory of operation
 *
 * git does all or nothing of what it is given. Removals come first, by themselves: it makes
 * no "a" where "a/b" is removed in the same go. Where it refuses, each half is tried, so
 * that one ref that cannot be moved costs a few processes however many there are.
 *
 * A git that is killed leaves its locks. One that says what is noted is its own: no git that
 * cubby began is still at it, for each holds the lock of the record (git_take_conf). An empty
 * one (of a removal, of HEAD's log) could be anybody's, and stays. */
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/host.h"
#include "rootfs/git/take_impl.h"

enum { UPDATES_MAX = 64 << 20, RUNS_MAX = 128 };

struct half {
	const struct git_take_moves *moves; /* borrowed */
	bool removes;
	unsigned runs;
};

static int fail(struct err *e, int code)
{
	return err_sys(e, code, "cannot move refs");
}

static int add_move(const struct git_take *t, const struct git_ref *x, struct buf *text)
{
	static const char zeros[] =
		"0000000000000000000000000000000000000000000000000000000000000000";
	const char *h = git_refs_pair_get(&t->now, x->name);

	if (strcmp(x->value, "-") == 0)
		return h ? buf_addf(text, "delete %s %s\n", x->name, h) : 0;
	return buf_addf(text, "update %s %s %.*s\n", x->name, x->value,
			(int)(2 * t->sum),
			h && git_text_is_sum(h, strlen(h)) ? h : zeros);
}

static int run_git(const struct git_take_moves *m, const struct buf *text,
		   struct err *e)
{
	const char *const argv[] = { "git",
				     "-c",
				     "core.hooksPath=/dev/null",
				     "update-ref",
				     "--create-reflog",
				     "-m",
				     m->log,
				     "--stdin",
				     NULL };
	_cleanup_close_ int in = sys_memfd("refs", 0);
	struct git_host_run run = { .argv = argv,
				    .cwd = m->t->conf->git,
				    .in = in,
				    .out = -1,
				    .hold = m->t->conf->record,
				    .git_dir = "." };
	ssize_t n;

	if (in < 0)
		return fail(e, in);
	n = sys_pwrite(in, text->data, text->len, 0);
	if (n != (ssize_t)text->len)
		return fail(e, n < 0 ? (int)n : -EIO);
	return git_host_run(&run, e);
}

static int move_part(struct half *h, size_t from, size_t to, struct err *e)
{
	const struct git_take_moves *m = h->moves;
	_cleanup_buf_ struct buf text = BUF_INIT(UPDATES_MAX);
	struct err why = ERR_NONE;
	size_t middle = from + (to - from) / 2;
	int r = 0;

	for (size_t i = from; i < to; i++) {
		const struct git_ref *x = &m->todo->list[i];

		if (!text_starts(x->value, "ref: ") &&
		    (strcmp(x->value, "-") == 0) == h->removes)
			add_move(m->t, x, &text);
	}
	if (buf_failed(&text) < 0)
		return fail(e, buf_failed(&text));
	if (!text.len)
		return 0;
	if (h->runs++ >= RUNS_MAX)
		err_set(&why, -EIO, "git has refused too many others");
	else if (run_git(m, &text, &why) == 0)
		return 0;
	if (to - from == 1)
		return m->refused(m->ctx, &m->todo->list[from], why.msg, e);
	r = move_part(h, from, middle, e);
	return r < 0 ? r : move_part(h, middle, to, e);
}

void git_take_moves_unlock(const struct git_take *t, const char *name,
			   const char *value)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_TEXT_VALUE);
	char path[GIT_TEXT_NAME + 8];
	const size_t n = strlen(value);

	snprintf(path, sizeof(path), "%s.lock", name);
	if (takeover_read(t->conf->git, path, &text) == 0 && text.len == n + 1 &&
	    memcmp(text.data, value, n) == 0 && text.data[n] == '\n')
		(void)takeover_remove(t->conf->git, path, ERR_IGNORED);
}

int git_take_moves(const struct git_take_moves *m, struct err *e)
{
	struct half removals = { .moves = m, .removes = true }, rest = { .moves = m };
	int r;

	for (size_t i = 0; i < m->todo->n && m->t->conf->record >= 0; i++)
		git_take_moves_unlock(m->t, m->todo->list[i].name,
				      m->todo->list[i].value);
	r = move_part(&removals, 0, m->todo->n, e);
	return r < 0 ? r : move_part(&rest, 0, m->todo->n, e);
}
