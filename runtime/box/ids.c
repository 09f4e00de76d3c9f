#include "runtime/box/ids.h"

#include <string.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/idmap/mount.h"
#include "runtime/mount/mounts.h"

/* On a copy of the mount that nobody else sees. */
static int try_map(const struct idmap *m, const char *dir, struct err *e)
{
	_cleanup_holder_ struct idmap_mount_holder h;
	_cleanup_close_ int tree = -1, ns = -1;

	h.pid = 0;
	tree = mounts_tree(AT_FDCWD, dir, true, 0, e);
	if (tree < 0)
		return tree;
	ns = idmap_mount_namespace(m, &h, e);
	return ns < 0 ? ns : idmap_mount_apply(tree, ns, e);
}

int box_ids_choose(const char *dir, struct idmap *ret, struct buf *why, struct err *e)
{
	static const enum idmap_kind real = IDMAP_REAL;
	struct err no = ERR_NONE;
	struct idmap m;
	int r = idmap_choose(NULL, &m, why, e);

	if (r < 0)
		return r;
	if (idmap_traits(&m)->apart && try_map(&m, dir, &no) < 0) {
		r = buf_addf(why,
			     "the filesystem of '%s' cannot be shown with other ids "
			     "(%s): root in the box is the host's own\n",
			     text_shown(dir), no.msg)
			    ?: idmap_choose(&real, &m, why, e);
		if (r < 0)
			return e->code ? e->code : err_sys(e, r, "cannot choose ids");
	}
	*ret = m;
	return 0;
}
