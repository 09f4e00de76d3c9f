#include "runtime/worker/jobs.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "rootfs/store/merge.h"

static int make(int dir, const char *name, struct err *e)
{
	_cleanup_close_ int layer = -1;
	int r = sys_mkdirat(dir, name, 0711);

	if (r == 0) /* passable whatever the umask */
		r = sys_fchmodat(dir, name, 0711, 0);
	if (r < 0)
		return err_sys(e, r, "cannot make a layer");
	layer = file_open_dir(dir, name, e);
	r = layer < 0 ? layer : sys_mkdirat(layer, "machine", 0700);
	if (r < 0)
		return e->code ? r : err_sys(e, r, "cannot make a layer");
	return file_open_dir(layer, "machine", e);
}

int merging_job(int dir, const char *arg, const struct idmap *, struct json **,
		struct err *e)
{
	_cleanup_close_ int to = -1, below = -1;
	int from[CHAIN_MOST], r = to = make(dir, "top", e);
	size_t n = 0;

	if (r >= 0)
		r = below = make(dir, "below", e);
	for (; arg && *arg && r >= 0 && n < CHAIN_MOST; n += r >= 0) {
		char path[CHAIN_ID + 16];

		snprintf(path, sizeof(path), "%.16s/machine", arg);
		r = from[n] = sys_openat(STDIN_FILENO, path,
					 O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
		if (r < 0)
			err_sys(e, r, "cannot open a layer");
		arg += MIN(strlen(arg), (size_t)CHAIN_ID);
	}
	if (r >= 0)
		r = merge_layers(from, n, to, below, e);
	scope_close_set(from, (unsigned)n);
	return r;
}
