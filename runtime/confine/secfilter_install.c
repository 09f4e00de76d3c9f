/* Apart from secfilter.c, because cubby-init installs filters and compiles none. */
#include "runtime/confine/secfilter.h"

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "base/sys/sys.h"

int secfilter_install(const void *prog, size_t len, struct err *e)
{
	struct sock_fprog p = { .len = (unsigned short)(len /
							sizeof(struct sock_filter)),
				.filter = (struct sock_filter *)(uintptr_t)prog };
	int r;

	if (!len || len % sizeof(struct sock_filter) ||
	    len > BPF_MAXINSNS * sizeof(struct sock_filter))
		return err_set(e, -EINVAL, "filter of %zu bytes", len);
	r = sys_seccomp(SECCOMP_SET_MODE_FILTER, 0, &p);
	return r < 0 ? err_sys(e, r, "cannot install the system call filter") : 0;
}
