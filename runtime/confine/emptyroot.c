#include "runtime/confine/emptyroot.h"

#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/mount/root.h"

int emptyroot_enter(struct err *e)
{
	_cleanup_close_ int root = -1;
	/* Private first: nothing of what follows may be seen outside. */
	int r = sys_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);

	if (r < 0)
		return err_sys(e, r, "cannot make the mounts private");
	r = sys_mount("cubby", "/tmp", "tmpfs",
		      MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY,
		      "mode=555,size=4k,nr_inodes=2");
	if (r < 0)
		return err_sys(e, r, "cannot mount an empty root");
	root = sys_open("/tmp", O_PATH | O_DIRECTORY);
	if (root < 0)
		return err_sys(e, root, "cannot open the empty root");
	r = mount_root_enter(root, e) ?: mount_root_leave(root, e);
	return r < 0 ? err_wrap(e, "empty root") : 0;
}
