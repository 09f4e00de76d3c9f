#include "tests/unit/unit.h"

#include "base/proc.h"

/* Doors fail in the child too, between fork and exec; that has to come back as well. */
static int run(void *, struct err *e)
{
	static const char *const argv[] = { "echo", "hello", NULL };
	_cleanup_buf_ struct buf out = BUF_INIT(4096);
	int r = proc_run(argv, 10000, &out, e);

	if (r > 0)
		return err_set(e, -EPROTO, "echo ended with %d", r);
	return r;
}

static void runs(void)
{
	unit_faults(run, NULL);
}

int main(void)
{
	static const struct unit_case cases[] = { { "proc_run", runs } };

	return unit_cases("faults of proc", cases);
}
