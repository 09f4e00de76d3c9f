#include "runtime/cgroup/written.h"

#include <errno.h>
#include <stdio.h>

#include "base/dirscan.h"
#include "base/num.h"
#include "base/sys/sys.h"
#include "runtime/cgroup/impl.h"

/* 0 as well for one that has just ended: its count is another's. */
static int of_process(int proc, const char *pid, uint64_t *ret, struct err *e)
{
	char file[64];
	int r;

	snprintf(file, sizeof(file), "%.15s/io", pid);
	*ret = 0;
	r = cgroup_leaf_field(proc, file, "write_bytes:", ret);
	if (r == -EACCES || r == -EPERM)
		return err_set(e, -EACCES,
			       "what other users of the box than its root write is not "
			       "shown to you");
	if (r == -ENOENT && sys_faccessat(proc, pid, F_OK, 0) == 0)
		return err_set(e, -ENOENT,
			       "this kernel does not count what processes write "
			       "(TASK_IO_ACCOUNTING)");
	return r == 0 || r == -ENOENT || r == -ESRCH
		       ? 0
		       : err_sys(e, r, "cannot read what process %s wrote", pid);
}

int written_bytes(int proc, uint64_t *ret, struct err *e)
{
	struct dirscan scan;
	uint64_t sum = 0, one, pid;
	int r = 0;

	dirscan_start(&scan, proc);
	while (r >= 0 && dirscan_next(&scan)) {
		if (num_range(scan.name, 1, INT32_MAX, &pid) < 0)
			continue;
		r = of_process(proc, scan.name, &one, e);
		sum += one;
	}
	r = r ?: dirscan_failed(&scan, e);
	if (r < 0)
		return r;
	*ret = sum;
	return 0;
}
