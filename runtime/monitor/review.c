#include "runtime/monitor/impl.h"

#include "base/dirscan.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "rootfs/review/layer.h"
#include "runtime/monitor/layers.h"

/* Whether nothing waits in the layer. One that a box has filled is no reason to show it the
 * project itself: it may have filled it so that it cannot be had. */
static bool is_empty(const struct monitor *m)
{
	_cleanup_close_ int upper = sys_openat(m->boxdir, "project/upper",
					       O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	struct dirscan scan;
	struct dirscan_entry d;
	struct err ignored = ERR_NONE;

	return upper == -ENOENT ||
	       (upper >= 0 && dirscan_start(&scan, upper, &ignored) == 0 &&
		dirscan_next(&scan, &d, &ignored) == 0);
}

static int live(struct monitor *m, struct err *why)
{
	char line[sizeof(why->msg) + 64];

	if (!is_empty(m)) {
		err_wrap(why, "what waits in the box cannot be shown");
		return err_hint(why, "'cubby discard --all' throws it away");
	}
	snprintf(line, sizeof(line), "no review here, the project is live: %s",
		 why->msg);
	monitor_starter_note(NULL, line);
	m->spec.project_mode = PROJECT_LIVE;
	*why = ERR_NONE;
	return 0;
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

int monitor_review_begin(struct monitor *m, struct err *e)
{
	m->wanted = m->spec.project_mode;
	return m->wanted == PROJECT_REVIEW && begin(m, e) < 0 ? live(m, e) : 0;
}

int monitor_review_refused(struct monitor *m, struct err *e)
{
	return live(m, e);
}
