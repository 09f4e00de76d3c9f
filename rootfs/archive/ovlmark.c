#include "rootfs/archive/ovlmark.h"

#include "base/scope.h"
#include "base/sys/sys.h"

/* Documentation/filesystems/overlayfs.rst, "whiteouts and opaque directories". */
static const char opaque[] = "user.overlay.opaque";

int ovlmark_opaque(int dir)
{
	return sys_fsetxattr(dir, opaque, "y", 1, 0);
}

bool ovlmark_is_opaque(int dir)
{
	char value;

	return sys_fgetxattr(dir, opaque, &value, 1) == 1 && value == 'y';
}

bool ovlmark_is_whiteout(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == 0;
}

int ovlmark_hide(int parent, const char *name)
{
	_cleanup_close_ int dir = -1;
	int r = sys_mknodat(parent, name, S_IFCHR, 0);

	if (r != -EEXIST)
		return r;
	dir = sys_openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (dir == -ENOTDIR || dir == -ELOOP)
		return 0; /* a file hides by itself */
	return dir < 0 ? dir : ovlmark_opaque(dir);
}
