#include "runtime/worker/pending.h"

#include <stdio.h>

#include "base/inroot.h"
#include "base/sys/sys.h"
#include "rootfs/review/origin.h"
#include "rootfs/store/chain.h"
#include "runtime/worker/worker.h"

#define PENDING_NEW "project.new"

bool pending_is(int boxdir)
{
	struct chain c;

	return chain_load(boxdir, "chain", &c, ERR_IGNORED) < 0 || *c.project;
}

static int copy(const struct spec *spec, int boxdir, int from, struct err *e)
{
	struct idmap map;
	struct worker_job job = { .name = "rmtree",
				  .arg = PENDING_NEW,
				  .map = &map,
				  .dir = boxdir,
				  .in = -1 };
	struct stat st;
	int r = idmap_choose_helper(&spec->map, &map, e);

	if (r == 0 && sys_fstatat(boxdir, PENDING_NEW, &st, AT_SYMLINK_NOFOLLOW) == 0)
		r = worker_run(&job, NULL, e);
	if (r < 0)
		return r;
	job.name = "copylayer";
	job.in = from;
	return worker_run(&job, NULL, e);
}

int pending_take(const struct spec *spec, int boxdir, struct err *e)
{
	_cleanup_close_ int layers = -1, from = -1;
	char path[PATH_MAX + 16];
	int r;

	if (!pending_is(boxdir))
		return 0;
	snprintf(path, sizeof(path), "%s/layers", spec->store);
	layers = sys_open(path, O_RDONLY | O_DIRECTORY);
	if (layers < 0) /* -ENOENT would say that there is nothing */
		return err_sys(e, -EIO, "cannot open '%s'", path);
	r = chain_pending(layers, boxdir, &from, e);
	if (r <= 0)
		return r;
	r = copy(spec, boxdir, from, e);
	if (r < 0)
		return err_wrap(e, "what is under review");
	r = sys_renameat(boxdir, PENDING_NEW, boxdir, "project");
	if (r < 0)
		return err_sys(e, r, "cannot keep a copy of what is under review");
	return chain_pending(layers, boxdir, &from, e); /* it is there now */
}

int pending_clean(const struct spec *spec, int boxdir, int project, struct err *e)
{
	struct idmap map;
	struct worker_job job = { .name = "review",
				  .arg = "{\"op\":\"clean\"}",
				  .map = &map,
				  .dir = boxdir,
				  .in = project };
	struct stat st;
	int r;

	if (sys_fstatat(boxdir, "project/given", &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	r = idmap_choose_helper(&spec->map, &map, e);
	return r < 0 ? r : worker_run(&job, NULL, e);
}

int pending_keep(const struct spec *spec, int boxdir, int layer, const char *sign,
		 struct json **ret, struct err *e)
{
	struct idmap map;
	struct worker_job job = {
		.name = "keep", .arg = sign, .map = &map, .dir = boxdir, .in = layer
	};
	_cleanup_close_ int project =
		inroot_open_real(spec->project, O_RDONLY | O_DIRECTORY);
	int r = idmap_choose_helper(&spec->map, &map, e);

	if (project >= 0)
		origin_keep(boxdir, project);
	return r < 0 ? r : worker_run(&job, ret, e);
}

int pending_keep_box(const struct spec *spec, int boxdir, int layer, struct err *e)
{
	struct idmap map;
	struct worker_job job = {
		.name = "keepbox", .map = &map, .dir = boxdir, .in = layer
	};
	int r = idmap_choose_helper(&spec->map, &map, e);

	return r < 0 ? r : worker_run(&job, NULL, e);
}
