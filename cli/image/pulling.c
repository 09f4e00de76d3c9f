#include "cli/image/pulling.h"

#include <string.h>

#include "base/log.h"
#include "base/signals.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/show/progress.h"
#include "cli/show/render.h"
#include "cli/store/hostpath.h"
#include "rootfs/image/pull.h"
#include "rootfs/image/source.h"
#include "rootfs/store/staging.h"
#include "runtime/doctor/probe.h"
#include "runtime/worker/feed.h"
#include "runtime/worker/worker.h"

struct pulling {
	const struct app *app; /* borrowed */
	const char *shown;     /* borrowed; the image, as the caller knows it */
	struct progress_bar bar;
	enum pull_phase phase;
	bool made;  /* of a box */
	bool begun; /* a bar was started */
};

/* Each phase has its own bar. */
static void on_progress(void *ctx, const struct pull_progress *now)
{
	static const char *const verbs[] = { [PULL_DOWNLOAD] = "downloading",
					     [PULL_CHECK] = "checking",
					     [PULL_UNPACK] = "unpacking" };
	struct pulling *p = ctx;
	char ref[96], what[128];

	if (!p->begun || p->phase != now->phase) {
		if (p->begun)
			progress_end(&p->bar, false);
		text_escaped(ref, sizeof(ref), p->shown, strlen(p->shown));
		/* It is unpacked only after it was packed: one thing, to the caller. */
		snprintf(what, sizeof(what), "%s %s",
			 p->made ? "making" : verbs[now->phase], ref);
		progress_start(&p->bar, p->app, what);
		p->begun = true;
		p->phase = now->phase;
	}
	progress_update(&p->bar, now->done, now->total);
}

static void on_note(void *ctx, const char *line)
{
	struct pulling *p = ctx;

	if (p->begun)
		progress_end(&p->bar, false);
	p->begun = false;
	render_note(p->app, "%s", line);
}

/* A box without overlays is given a copy of a whole image: layers would be of no use. */
static bool wants_flat(const struct app *app, const struct pulling_ref *what)
{
	struct err why = ERR_NONE;
	struct source src;

	if (what->flat || source_parse(what->ref, &src, &why) < 0 ||
	    !source_layered(&src))
		return what->flat;
	why = ERR_NONE;
	if (probe_root(app->store->dirfd, &why) == 0)
		return false;
	render_note(app, "all layers go into one directory: %s", why.msg);
	return true;
}

int pulling_image(const struct app *app, const struct idmap *map,
		  const struct pulling_ref *what, struct image *ret, struct err *e)
{
	/* What runs for it ends before it does. */
	_cleanup_signals_ struct signals_held held = SIGNALS_HELD_NONE;
	struct pulling p = { .app = app,
			     .shown = what->source ? what->name : what->ref,
			     .made = what->source };
	_cleanup_json_ struct json *json = idmap_to_json(map);
	struct idmap own = *map; /* a context is not const */
	struct pull_conf conf = {
		.store = app->store,
		.map = idmap_kind_name(map->kind),
		.idmap = json,
		.unpack = feed_unpack,
		.open = hostpath_open,
		.rm = worker_rmtree,
		.runtime = &own,
		.progress = on_progress,
		.note = on_note,
		.name = what->name,
		.digest = what->digest,
		.source = what->source,
		.flat = wants_flat(app, what),
		.names = log_get_level() >= LOG_INFO,
		.ctx = &p,
	};
	int r;

	r = signals_hold(&held, e);
	if (r < 0)
		return r;
	conf.abort_fd = held.fd;
	/* of those that were interrupted; what cannot be removed waits for the next */
	(void)staging_clean(conf.store, conf.rm, conf.runtime, ERR_IGNORED);
	r = pull_image(&conf, what->ref, ret, e);
	if (p.begun)
		progress_end(&p.bar, r == 0);
	return r;
}
