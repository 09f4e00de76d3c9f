#include "runtime/cause/cause.h"

#include "tests/unit/unit.h"

/* By kernel.apparmor_restrict_… and kernel.unprivileged_userns_clone; NO: absent. */
#define NO PROBE_UNKNOWN
#define HOST(apparmor, clone, ...)                                                \
	{                                                                         \
		.apparmor_restrict = apparmor, .userns_clone = clone, __VA_ARGS__ \
	}

static const struct row {
	const char *name;
	struct probe_facts facts;
	enum probe_step step;
	int code;
	enum probe_reason want;
} rows[] = {
	{ "AppArmor refuses the clone", HOST(1, NO, .has_userns = true),
	  PROBE_STEP_CLONE, -EACCES, PROBE_APPARMOR },
	{ "AppArmor takes the capabilities", HOST(1, NO, .has_userns = true),
	  PROBE_STEP_MAP, -EPERM, PROBE_APPARMOR },
	{ "AppArmor refuses a mount", HOST(1, NO, .has_userns = true), PROBE_STEP_MOUNT,
	  -EACCES, PROBE_APPARMOR },
	{ "AppArmor refuses netlink", HOST(1, NO, .has_userns = true), PROBE_STEP_NET,
	  -EPERM, PROBE_APPARMOR },
	{ "AppArmor does not restrict root",
	  HOST(1, NO, .has_userns = true, .root = true), PROBE_STEP_MOUNT, -EACCES,
	  PROBE_NONE },
	{ "Debian's switch", HOST(NO, 0, .has_userns = true), PROBE_STEP_CLONE, -EPERM,
	  PROBE_USERNS_OFF },
	{ "Debian's switch before seccomp",
	  HOST(NO, 0, .has_userns = true, .seccomp = 2), PROBE_STEP_CLONE, -EPERM,
	  PROBE_USERNS_OFF },
	{ "Debian's switch does not bind root",
	  HOST(NO, 0, .has_userns = true, .root = true, .seccomp = 2), PROBE_STEP_CLONE,
	  -EPERM, PROBE_SECCOMP },
	{ "the limit", HOST(NO, NO, .has_userns = true), PROBE_STEP_CLONE, -ENOSPC,
	  PROBE_USERNS_LIMIT },
	{ "the limit before 4.9", HOST(NO, NO, .has_userns = true), PROBE_STEP_CLONE,
	  -EUSERS, PROBE_USERNS_LIMIT },
	{ "a container's filter", HOST(NO, NO, .has_userns = true, .seccomp = 2),
	  PROBE_STEP_CLONE, -EPERM, PROBE_SECCOMP },
	{ "a container's filter on mounts",
	  HOST(NO, NO, .has_userns = true, .seccomp = 2), PROBE_STEP_MOUNT, -EPERM,
	  PROBE_SECCOMP },
	{ "inside a box",
	  HOST(NO, NO, .has_userns = true, .seccomp = 2, .in_box = true),
	  PROBE_STEP_CLONE, -EPERM, PROBE_NESTED },
	{ "a chroot", HOST(NO, NO, .has_userns = true), PROBE_STEP_CLONE, -EPERM,
	  PROBE_CHROOT },
	{ "no user namespaces", HOST(NO, NO, .has_userns = false), PROBE_STEP_CLONE,
	  -EINVAL, PROBE_NO_USERNS },
	{ "our own fault", HOST(NO, NO, .has_userns = true), PROBE_STEP_CLONE, -EINVAL,
	  PROBE_NONE },
	{ "out of memory", HOST(NO, NO, .has_userns = true, .seccomp = 2),
	  PROBE_STEP_CLONE, -ENOMEM, PROBE_NONE },
	{ "masked proc", HOST(NO, NO, .has_userns = true), PROBE_STEP_PROC, -EPERM,
	  PROBE_PROC },
	{ "no overlay module", HOST(NO, NO, .has_userns = true), PROBE_STEP_OVERLAY,
	  -ENODEV, PROBE_OVERLAY_NONE },
	{ "an old kernel's overlay", HOST(NO, NO, .has_userns = true),
	  PROBE_STEP_OVERLAY, -EPERM, PROBE_OVERLAY_NONE },
	{ "memfd_noexec", HOST(NO, NO, .has_userns = true, .memfd_noexec = 2),
	  PROBE_STEP_EXEC, -EACCES, PROBE_MEMFD },
	{ "exec for another reason", HOST(NO, NO, .has_userns = true), PROBE_STEP_EXEC,
	  -EACCES, PROBE_NONE },
	{ "no mount_setattr", HOST(NO, NO, .has_userns = true, .old = true),
	  PROBE_STEP_MOUNT, -ENOSYS, PROBE_OLD_KERNEL },
	{ "no mount_setattr, and restricted",
	  HOST(1, NO, .has_userns = true, .old = true), PROBE_STEP_MOUNT, -ENOSYS,
	  PROBE_OLD_KERNEL },
	{ "a container's filter on mount_setattr",
	  HOST(NO, NO, .has_userns = true, .seccomp = 2), PROBE_STEP_MOUNT, -ENOSYS,
	  PROBE_SECCOMP },
	{ "another step", HOST(1, NO, .has_userns = true), PROBE_STEP_OTHER, -EPERM,
	  PROBE_NONE },
};

static void cause(const void *p)
{
	const struct row *row = p;

	assert_int_equal(cause_of(&row->facts, row->step, row->code), row->want);
}

static void status(void)
{
	struct probe_facts f = { 0 };

	cause_status("Name:\tSeccomp:\t9\nNoNewPrivs:\t1\nSeccomp:\t2\n"
		     "Seccomp_filters:\t1\n",
		     &f);
	assert_int_equal(f.seccomp, 2); /* a name that lies: not believed */
	assert_true(f.no_new_privs);
	cause_status("Name:\tx\nNoNewPrivs:\t0\nSeccomp:\t2\n", &f);
	assert_int_equal(f.seccomp, 2);
	assert_false(f.no_new_privs);
	cause_status("", &f);
	assert_int_equal(f.seccomp, PROBE_UNKNOWN);
}

static void bounding(void)
{
	struct probe_facts f = { .thin = true };

	cause_status("Name:\tx\nCapBnd:\t000001fffeffffff\n", &f);
	assert_false(f.thin);
	cause_status("Name:\tx\nCapBnd:\t00000000a80425fb\n", &f);
	assert_true(f.thin);
	cause_status("Name:\tx\nCapBnd:\tnonsense\n", &f);
	assert_false(f.thin); /* what is not known is not blamed */
}

static void newuidmap(void)
{
	static const char refused[] =
		"newuidmap: write to uid_map failed: Operation not permitted";
	struct probe_facts f = { .thin = true };

	assert_int_equal(cause_newuidmap(&f, refused), PROBE_WEAK_NEWUIDMAP);
	assert_int_equal(cause_newuidmap(&f, "no such file"), PROBE_NO_NEWUIDMAP);
	f.no_new_privs = true;
	assert_int_equal(cause_newuidmap(&f, refused), PROBE_NO_NEWUIDMAP);
	f = (struct probe_facts){ .thin = false };
	assert_int_equal(cause_newuidmap(&f, refused), PROBE_NO_NEWUIDMAP);
}

static void releases(void)
{
	assert_true(cause_is_old("5.11.22-generic"));
	assert_true(cause_is_old("4.19.0"));
	assert_true(cause_is_old("2.6.78"));
	assert_false(cause_is_old("5.12.0-rc1"));
	assert_false(cause_is_old("6.1.0-13-amd64"));
	assert_false(cause_is_old("10.0.1"));
	assert_false(cause_is_old("")); /* what is not known is not blamed */
}

static void unknown_stays(void)
{
	struct err e = ERR_NONE;

	err_set(&e, -ENOMEM, "cannot make a box");
	assert_int_equal(cause_explain(PROBE_STEP_CLONE, &e), -ENOMEM);
	unit_err(&e, -ENOMEM, "cannot make a box");
}

static void facts(void)
{
	struct probe_facts f;

	cause_facts(&f);
	assert_true(f.has_userns);
	assert_true(f.seccomp >= 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "releases before 5.12", releases },
		{ "what /proc/PID/status says", status },
		{ "the bounding set in it", bounding },
		{ "D11: newuidmap in a thin container, or anywhere", newuidmap },
		{ "a failure without a known cause keeps its message", unknown_stays },
		{ "the facts of this host", facts },
	};

	return unit_rows("cause", rows, cause) + unit_cases("cause", cases);
}
