#include "runtime/init/regular.h"

#include <errno.h>

#include "base/scope.h"
#include "base/sys/sys.h"

int regular_open(const char *path, struct stat *ret, struct err *e)
{
	/* without blocking: the path may be a FIFO */
	_cleanup_close_ int fd = sys_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	int r = fd < 0 ? fd : sys_fstat(fd, ret);

	/* a socket, or a device that is not there (open(2), ENXIO) */
	if (r == -ENXIO || r == -ENODEV ||
	    (r >= 0 && !S_ISREG(ret->st_mode) && !S_ISDIR(ret->st_mode)))
		return err_set(e, -EINVAL, "'%s' is not a regular file", path);
	if (r < 0)
		return err_sys(e, r, "cannot open '%s'", path);
	if (S_ISDIR(ret->st_mode))
		return err_sys(e, -EISDIR, "cannot read '%s'", path);
	return take(&fd, -1);
}
