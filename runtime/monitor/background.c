/* What a command leaves running in the background keeps the box, as long as it runs. The
 * kernel tells whether init has children, and orphans become its own: what else runs in the
 * box descends from it. */
#include "base/procfs.h"
#include "base/sys/sys.h"
#include "runtime/monitor/impl.h"

enum { BACKGROUND_LOOK_MS = 1000 };

static int look(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;

	if (procfs_has_children(m->run.init) > 0) {
		loop_rearm(m->loop, m->on_background, BACKGROUND_LOOK_MS);
		return 0;
	}
	m->background = false;
	return 0;
}

int monitor_background_ask(struct monitor *m, const struct json *args,
			   struct json **ret, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	const bool some = procfs_has_children(m->run.init) > 0;

	/* What another client runs keeps the box by itself, and is told when that ends. Whether
	 * there is more than that nobody knows before: the last of them tells (client.c). */
	json_set_bool(j, "background", some && !m->programs);
	if (json_failed(j))
		return err_sys(e, -ENOMEM, "cannot say what runs");
	*ret = take(&j, NULL);
	if (json_get_bool(args, "look", false))
		return 0;
	m->background = some;
	if (!some)
		return 0;
	if (!m->on_background)
		return loop_timer(m->loop, BACKGROUND_LOOK_MS, look, m,
				  &m->on_background);
	loop_rearm(m->loop, m->on_background, BACKGROUND_LOOK_MS);
	return 0;
}
