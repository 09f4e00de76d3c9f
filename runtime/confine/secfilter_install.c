/* Apart from secfilter.c, because cubby-init installs filters and compiles none. */
#include "runtime/confine/secfilter.h"

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "base/sys/sys.h"

static int program(const void *prog, size_t len, struct sock_fprog *ret, struct err *e)
{
	if (!len || len % sizeof(struct sock_filter) ||
	    len > BPF_MAXINSNS * sizeof(struct sock_filter))
		return err_set(e, -EINVAL, "filter of %zu bytes", len);
	ret->len = (unsigned short)(len / sizeof(struct sock_filter));
	ret->filter = (struct sock_filter *)(uintptr_t)prog;
	return 0;
}

int secfilter_install(const void *prog, size_t len, struct err *e)
{
	struct sock_fprog p;
	int r = program(prog, len, &p, e);

	if (r < 0)
		return r;
	r = sys_seccomp(SECCOMP_SET_MODE_FILTER, 0, &p);
	return r < 0 ? err_sys(e, r, "cannot install the system call filter") : 0;
}

int secfilter_install_listen(const void *prog, size_t len, struct err *e)
{
	struct sock_fprog p;
	int r = program(prog, len, &p, e);

	if (r < 0)
		return r;
	/* From 5.19 a caller that is being served is interrupted by its death alone, and
	 * not by a signal that makes it ask again. */
	r = sys_seccomp_listen(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &p);
	if (r == -EINVAL)
		r = sys_seccomp_listen(0, &p);
	return r < 0 ? err_sys(e, r, "cannot listen to the system call filter") : r;
}
