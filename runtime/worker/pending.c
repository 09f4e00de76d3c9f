#include "runtime/worker/pending.h"

#include <stdio.h>

#include "base/inroot.h"
#include "base/sys/sys.h"
#include "rootfs/review/origin.h"
#include "rootfs/store/chain.h"
#include "runtime/worker/worker.h"

#define PENDING_NEW "project.new"
enum { KEPT_TEXT = 1024 };

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

int pending_keep(const struct spec *spec, int boxdir, int layers,
		 const struct pending_kept *k, struct json **ret, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(KEPT_TEXT);
	_cleanup_json_ struct json *arg = json_object();
	_cleanup_close_ int project =
		inroot_open_real(spec->project, O_RDONLY | O_DIRECTORY);
	struct idmap map;
	struct worker_job job = {
		.name = "keep", .map = &map, .dir = boxdir, .in = layers
	};
	int r = idmap_choose_helper(&spec->map, &map, e);

	if (r < 0)
		return r;
	if (project >= 0)
		origin_keep(boxdir, project);
	json_set_str(arg, "into", k->into);
	json_set_str(arg, "last", k->last);
	json_set_str(arg, "sign", k->sign);
	json_set_int(arg, "had", k->had);
	if (json_print(arg, false, &text) < 0)
		return err_sys(e, -ENOMEM, "cannot keep what is under review");
	job.arg = buf_cstr(&text);
	return worker_run(&job, ret, e);
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
