#include "runtime/monitor/gitrest.h"

#include "base/sys/sys.h"
#include "rootfs/git/upper.h"

static bool look_at_host(struct gitgate *g, bool compare)
{
	for (size_t i = 0; i < g->n; i++) {
		uint64_t was = g->views[i].host;

		if (g->views[i].git >= 0 &&
		    (upper_sign_host(g->views[i].git, &g->views[i].host, ERR_IGNORED) <
			     0 ||
		     (compare && g->views[i].host != was)))
			return false;
	}
	return true;
}

bool gitrest_begin(struct gitgate *g)
{
	if (g->work.pid > 0 || gitgate_is_pending(g, true) || !look_at_host(g, false))
		return false;
	(void)git_dirs_save(g->dir, "dirs", &g->dirs, ERR_IGNORED);
	sys_unlinkat(g->dir, "open", 0);
	g->open = false;
	return true;
}

bool gitrest_wake(struct gitgate *g)
{
	if (gitgate_is_pending(g, true) || !look_at_host(g, true) ||
	    gitgate_note(g, ERR_IGNORED) < 0)
		return false;
	return g->open = true;
}
