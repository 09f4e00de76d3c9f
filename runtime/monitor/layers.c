#include "runtime/monitor/layers.h"

#include <errno.h>

#include "base/scope.h"
#include "base/sys/sys.h"

int layers_dir(int dir, const char *name, mode_t mode)
{
	int r = sys_mkdirat(dir, name, mode) ?: sys_fchmodat(dir, name, mode, 0);

	if (r < 0 && r != -EEXIST)
		return r;
	return sys_openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
}

/* Upper and work are box root's; in the root map that is an id of its own, which sees the
 * ids of the project as the same numbers, but for the caller's own. */
static int own(const struct spec *s, int dir, const struct stat *like)
{
	const struct idmap *map = &s->map;
	uint32_t uid = like->st_uid ?: s->owner.uid, gid = like->st_gid ?: s->owner.gid;

	if (!idmap_traits(map)->apart)
		return 0;
	if (idmap_host_uid(map, uid, &uid) < 0 || idmap_host_gid(map, gid, &gid) < 0)
		return idmap_host_uid(map, 0, &uid) < 0 ||
				       idmap_host_gid(map, 0, &gid) < 0
			       ? -EINVAL
			       : sys_fchown(dir, uid, gid);
	return sys_fchown(dir, uid, gid);
}

int layers_make(int dir, const struct spec *s, const struct stat *like, int *upper)
{
	_cleanup_close_ int work = -1;
	int r;

	*upper = layers_dir(dir, "upper", like->st_mode & 0777);
	if (*upper < 0)
		return *upper;
	work = layers_dir(dir, "work", 0700);
	if (work < 0)
		return work;
	r = own(s, *upper, like);
	return r < 0 ? r : own(s, work, like);
}
