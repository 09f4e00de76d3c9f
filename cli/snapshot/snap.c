#include "cli/snapshot/snap.h"

#include "base/file.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/store/boxend.h"
#include "runtime/worker/pending.h"
#include "runtime/worker/shorten.h"
#include "runtime/worker/worker.h"

int snap_open(struct boxsetup *s, struct err *e)
{
	_cleanup_close_ int lock = -1;
	int r = boxsetup_find(s, e) ?: boxend_idle(s->app->store, s->spec.key, e);

	if (r < 0)
		return r;
	lock = boxdir_lock(&s->dir, true, e);
	if (lock < 0)
		return lock;
	r = boxdir_whole(&s->dir, e) ?:
				     /* Those that the end of the box did not get to. */
		    shorten_chain(&s->spec, s->dir.dirfd, CHAIN_MOST, true, e);
	return r < 0 ? r : take(&lock, -1);
}

void snap_done(struct snap *s)
{
	scope_close(&s->lock);
	boxsetup_done(&s->s);
	signals_release(&s->held);
}

/* The monitor has the box's lock. What is taken over from the box meanwhile would be
 * half in the copy. */
static int await_apply(struct snap *s, struct err *e)
{
	int r = s->lock = file_lock(s->s.dir.dirfd, "applying", false, e);

	return r == -EWOULDBLOCK
		       ? err_set(e, -EBUSY,
				 "another command takes changes over just now")
		       : MIN(r, 0);
}

/* As long as the connection stands, and no longer, the box does. */
static int copy_still(void *ctx, int layer, struct err *e)
{
	struct snap *s = ctx;
	const struct box_open o = { .spec = &s->s.spec, .join_only = true };
	_cleanup_box_ struct box *box = NULL;
	_cleanup_json_ struct json *told = NULL;
	int r = box_open(&o, &box, e) ?: box_ask(box, "hold", NULL, NULL, e) ?:
		pending_keep_box(&s->s.spec, s->s.dir.dirfd, layer, e) ?:
		box_ask(box, "release", NULL, &told, e);

	if (r == 0)
		s->still_ms = json_get_int(told, "ms", 0);
	return r;
}

int snap_find(struct snap *ret, struct err *e)
{
	int r = snap_open(&ret->s, e);

	if (r >= 0)
		ret->lock = r;
	if (r != -EBUSY)
		return MIN(r, 0);
	*e = ERR_NONE;
	ret->running = true;
	return await_apply(ret, e) ?: signals_hold_stops(&ret->held, e);
}

const struct snapshot_copy *snap_copy(struct snap *s)
{
	s->copy = (struct snapshot_copy){ .fn = copy_still,
					  .ctx = s,
					  .rm = { worker_rmtree, &s->s.spec.map } };
	return s->running ? &s->copy : NULL;
}

void snap_tell(const struct snap *s, struct json *j)
{
	if (j && s->still_ms < 0)
		json_set(j, "still_ms", json_null());
	else if (j)
		json_set_int(j, "still_ms", s->still_ms);
	else if (s->still_ms >= 0)
		render_note(s->s.app, "the box stood still for %lld ms and goes on",
			    (long long)s->still_ms);
}

int snap_name(struct app *, void *, const char *word, struct err *e)
{
	if (spec_name_valid(word))
		return 0;
	return err_set(e, -EINVAL,
		       "bad name '%s'; letters, digits, '.', '_' and '-' make one, 32 "
		       "at most",
		       word);
}
