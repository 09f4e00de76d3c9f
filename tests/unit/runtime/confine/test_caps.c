#include "runtime/confine/caps.h"

#include <linux/capability.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

/* The capability lines of this process after @limit, as the kernel shows them. */
static int show(int (*limit)(struct err *e), int to)
{
	_cleanup_buf_ struct buf all = BUF_INIT(1 << 16);
	struct err e = ERR_NONE;
	const char *caps;

	if (limit(&e) < 0)
		return 1;
	if (file_read(AT_FDCWD, "/proc/self/status", &all, &e) < 0)
		return 2;
	caps = strstr(buf_cstr(&all), "CapInh:");
	return caps && sys_write(to, caps, strcspn(caps, "S")) > 0 ? 0 : 3;
}

static void check(int (*limit)(struct err *e), const char *want)
{
	char got[512] = "";
	int status = -1, fds[2];
	pid_t pid;

	if (geteuid() != 0)
		unit_skip("only root has capabilities to drop");
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(show(limit, fds[1]));
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(read(fds[0], got, sizeof(got) - 1) > 0);
	close(fds[0]);
	got[strcspn(got, "N")] = '\0'; /* NoNewPrivs */
	assert_string_equal(got, want);
}

static int for_box(struct err *e)
{
	return caps_limit(0, e);
}

static int for_files(struct err *e)
{
	return caps_limit(CAPS_FILES, e);
}

static int for_init(struct err *e)
{
	int r = caps_limit(CAPS_TRACE, e);

	return r < 0 ? r : caps_keep_own(e);
}

static int for_forked(struct err *e)
{
	int r = for_init(e);

	return r < 0 ? r : caps_drop_own(e);
}

/* More than there is, is not had. */
static int for_become(struct err *e)
{
	int r = for_init(e);

	return r < 0 ? r : caps_become(1 | UINT64_C(1) << CAP_SYS_ADMIN, e);
}

static void box(void)
{
	check(for_box, "CapInh:\t0000000000000000\nCapPrm:\t00000000000405fb\n"
		       "CapEff:\t00000000000405fb\nCapBnd:\t00000000000405fb\n"
		       "CapAmb:\t0000000000000000\n");
}

static void files(void)
{
	check(for_files, "CapInh:\t0000000000000000\nCapPrm:\t00000000800405fb\n"
			 "CapEff:\t00000000800405fb\nCapBnd:\t00000000800405fb\n"
			 "CapAmb:\t0000000000000000\n");
}

static void init(void)
{
	check(for_init, "CapInh:\t0000000000000000\nCapPrm:\t00000000000c05fb\n"
			"CapEff:\t00000000000c05fb\nCapBnd:\t00000000000405fb\n"
			"CapAmb:\t0000000000000000\n");
}

static void forked(void)
{
	check(for_forked, "CapInh:\t0000000000000000\nCapPrm:\t00000000000405fb\n"
			  "CapEff:\t00000000000405fb\nCapBnd:\t00000000000405fb\n"
			  "CapAmb:\t0000000000000000\n");
}

static void become(void)
{
	check(for_become, "CapInh:\t0000000000000000\nCapPrm:\t0000000000000001\n"
			  "CapEff:\t0000000000000001\nCapBnd:\t00000000000405fb\n"
			  "CapAmb:\t0000000000000000\n");
}

static void none(void)
{
	check(caps_drop_all, "CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\n"
			     "CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\n"
			     "CapAmb:\t0000000000000000\n");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a box keeps the documented set", box },
		{ "what is nobody's outside may give files capabilities", files },
		{ "init may trace, and cannot pass it on", init },
		{ "what it forks gives that up", forked },
		{ "who becomes another has that one's, of what there is", become },
		{ "a helper keeps nothing", none },
	};

	return unit_cases("caps", cases);
}
