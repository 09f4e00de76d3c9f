#include "runtime/confine/outside.h"

#include "base/sys/sys.h"
#include "runtime/confine/caps.h"
#include "runtime/confine/emptyroot.h"
#include "runtime/confine/secfilter.h"

enum { DATA_MAX = 64 << 20 };

static void set_limit(int what, rlim_t v)
{
	const struct rlimit l = { v, v };

	(void)sys_setrlimit(what, &l);
}

/* An empty root, in namespaces of its own. Where the host refuses namespaces the filter
 * alone keeps the file system away: no call that takes a path gets through it. */
static bool leave_root(void)
{
	return sys_unshare(CLONE_NEWUSER | CLONE_NEWNS) >= 0 &&
	       emptyroot_enter(ERR_IGNORED) >= 0;
}

int outside_confine(struct err *e)
{
	bool rooted = leave_root();
	int r = caps_drop_all(e);

	if (r < 0)
		return r;
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_NPROC, 0);
#ifndef __SANITIZE_ADDRESS__
	set_limit(RLIMIT_DATA, DATA_MAX);
#endif
	r = sys_prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (r >= 0)
		r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (r < 0)
		return err_sys(e, r, "cannot confine this process");
	r = secfilter_apply(SECFILTER_GATE, e);
	return r < 0 ? r : rooted;
}
