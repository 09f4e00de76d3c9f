#include "runtime/monitor/impl.h"

#include "base/inroot.h"
#include "base/sys/sys.h"
#include "rootfs/review/layer.h"
#include "runtime/monitor/layers.h"

/* A second client sees by them that its mode is another. */
static void live(struct monitor *m, const struct err *why)
{
	char line[sizeof(why->msg) + 64];

	snprintf(line, sizeof(line), "no review here, the project is live: %s",
		 why->msg);
	monitor_note(NULL, line);
	m->spec.project_mode = PROJECT_LIVE;
}

static int begin(const struct monitor *m, struct err *e)
{
	_cleanup_close_ int dir = layers_dir(m->boxdir, "project", 0711), upper = -1;
	_cleanup_close_ int project =
		inroot_open_real(m->spec.project, O_RDONLY | O_DIRECTORY);
	struct timespec now = sys_wall();
	struct stat st;
	int r = MIN(dir, project);

	if (r >= 0)
		r = sys_fstat(project, &st);
	if (r >= 0)
		r = layers_make(dir, &m->spec.map, &st, &upper);
	if (r < 0)
		return err_sys(e, r, "cannot make a layer for it");
	return layer_begin(m->boxdir, project,
			   (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
			   e);
}

void monitor_review_begin(struct monitor *m)
{
	struct err why = ERR_NONE;

	m->wanted = m->spec.project_mode;
	if (m->wanted == PROJECT_REVIEW && begin(m, &why) < 0)
		live(m, &why);
}

void monitor_review_refused(struct monitor *m, struct err *why)
{
	live(m, why);
	*why = ERR_NONE;
}
