/* abstract - see the header. X11, D-Bus and containerd may listen on such sockets and
 * trust whoever has the right uid, or anybody. Only the scope is asked for: a domain that
 * handles files as well would refuse mounts, and decide about more than is meant. */
#include "runtime/confine/abstract.h"

#include "base/scope.h"
#include "base/sys/sys.h"

enum { ABI_OF_SCOPES = 6 };

bool abstract_closable(void)
{
	return sys_landlock_abi() >= ABI_OF_SCOPES;
}

const char *abstract_warning(void)
{
	return abstract_closable()
		       ? "the box shares the host's network: services that listen on "
			 "this host only are within its reach"
		       : "the box shares the host's network: services that listen on "
			 "this host only, and abstract sockets (X11, D-Bus), are "
			 "within its reach";
}

int abstract_close(struct err *e)
{
	_cleanup_close_ int fd = -1;
	int r;

	if (!abstract_closable())
		return 0;
	fd = r = sys_landlock_scope(LANDLOCK_SCOPE_ABSTRACT);
	if (r >= 0)
		r = sys_landlock_restrict(fd);
	return r < 0 ? err_sys(e, r, "cannot close the host's abstract sockets") : 1;
}
