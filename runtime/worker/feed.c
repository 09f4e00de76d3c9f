#include "runtime/worker/feed.h"

#include <signal.h>
#include <stdio.h>

#include "base/sys/sys.h"
#include "runtime/worker/worker.h"

enum { TICK_MS = 100 };

static int wait_ticking(struct worker *h, int (*tick)(void *), void *ctx,
			struct json **ret, struct err *e)
{
	int r;

	while ((r = worker_wait(h, TICK_MS, ret, e)) == -ETIMEDOUT) {
		r = tick(ctx);
		if (r < 0)
			return err_set(e, r, "interrupted");
	}
	return r;
}

/* What it was fed with decides, but for a helper that ended before it had all of it. */
static int feed_worker(struct worker *h, const struct pull_unpack *u, int to,
		       struct err *e)
{
	_cleanup_close_ int pipe = to;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	struct err why = ERR_NONE;
	int r;

	(void)sys_sigaction(SIGPIPE, &ignore, &old);
	r = u->feed(u->feed_ctx, pipe, e);
	(void)sys_sigaction(SIGPIPE, &old, NULL);
	if (r == 0)
		return 0;
	/* Without its input it ends soon; until then it may still write. */
	scope_close(&pipe);
	if (worker_wait(h, -1, NULL, &why) < 0 && r == -EPIPE) {
		*e = why;
		return e->code;
	}
	return r;
}

static int start_fed(struct worker_job *job, struct worker *h, int *to, struct err *e)
{
	enum { PIPE = 1 << 20 };
	_cleanup_close_ int in = -1;
	int fds[2], r = sys_pipe2(fds, 0);

	if (r < 0)
		return err_sys(e, r, "cannot make a pipe");
	job->in = in = fds[0];
	*to = fds[1];
	(void)sys_pipe_size(fds[1], PIPE); /* as large as it may be */
	return worker_start(job, h, e);
}

/* Of each kind: the job, and its argument. */
static const struct {
	const char *name, *arg;
} unpack_jobs[] = {
	[PULL_ARCHIVE] = { "unpack", NULL }, [PULL_COPY] = { "copytree", "rootfs" },
	[PULL_FLAT] = { "layer", "flat" },   [PULL_LAYER] = { "layer", "layer" },
	[PULL_DRESS] = { "dress", NULL },
};

static int run_job(const struct pull_unpack *u, struct worker_job *job,
		   struct json **ret, struct err *e)
{
	_cleanup_worker_ struct worker h = WORKER_NONE;
	int to = -1, r;

	r = u->feed ? start_fed(job, &h, &to, e) : worker_start(job, &h, e);
	if (r == 0 && u->feed)
		r = feed_worker(&h, u, take(&to, -1), e);
	scope_close(&to);
	return r < 0 ? r : wait_ticking(&h, u->tick, u->tick_ctx, ret, e);
}

int feed_unpack(void *map, const struct pull_unpack *u, struct json **ret,
		struct err *e)
{
	struct worker_job job = { .name = unpack_jobs[u->kind].name,
				  .arg = unpack_jobs[u->kind].arg,
				  .map = map,
				  .dir = u->dir,
				  .in = u->in };
	char which[16], layer[16 + DIGEST_TEXT];
	int r;

	if (u->like) {
		snprintf(layer, sizeof(layer), "%s %s", job.arg, u->like->text);
		job.arg = layer;
	}

	snprintf(which, sizeof(which), "%u", u->snippets);
	if (u->kind == PULL_DRESS)
		job.arg = which;
	r = worker_own(map, u->dir, e)
		    ?: run_job(u, &job, u->kind == PULL_DRESS ? NULL : ret, e);
	if (r < 0 || u->kind != PULL_COPY)
		return r;
	/* What an unpacked archive gets, a copied directory gets too. */
	job = (struct worker_job){
		.name = "dress", .map = map, .dir = u->dir, .in = -1
	};
	return run_job(u, &job, NULL, e);
}

int feed_pack(const struct idmap *map, const struct feed_tree *tree, struct err *e)
{
	const struct worker_job job = { .name = "pack",
					.arg = tree->skip,
					.map = map,
					.dir = tree->dir,
					.in = -1,
					.out = tree->out };
	_cleanup_worker_ struct worker h = WORKER_NONE;
	int r = worker_start(&job, &h, e);

	return r < 0 ? r : wait_ticking(&h, tree->tick, tree->tick_ctx, NULL, e);
}
