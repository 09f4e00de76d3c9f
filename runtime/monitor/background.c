/* What a command leaves running in the background keeps the box, as long as it runs. The
 * kernel tells whether init has children, and orphans become its own: what else runs in the
 * box descends from it. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "runtime/monitor/impl.h"

enum { BACKGROUND_LOOK_MS = 1000 };

static bool has_children(pid_t init)
{
	char path[64], first[16];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", init, init);
	return file_peek(AT_FDCWD, path, first, sizeof(first)) > 0;
}

static int look(void *ctx, uint32_t, struct err *)
{
	struct monitor *m = ctx;

	if (has_children(m->run.init)) {
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
	const bool some = has_children(m->run.init);

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
