#include "runtime/confine/caps.h"

#include <errno.h>
#include <sys/capability.h>

#include "base/scope.h"

#define CAPS_BIT(cap) (UINT64_C(1) << (cap))

/* What engines give by default, less NET_RAW (ping works by ping_group_range), MKNOD
 * (without effect in a user namespace) and AUDIT_WRITE (the kernel's audit is not the
 * box's), and SETFCAP, which init has (setid.h). FSETID only keeps set-gid
 * bits that a chmod asks for, which setid.h decides; that a write keeps them needs it on
 * the host. */
static const uint64_t caps_of_box =
	CAPS_BIT(CAP_CHOWN) | CAPS_BIT(CAP_DAC_OVERRIDE) | CAPS_BIT(CAP_FSETID) |
	CAPS_BIT(CAP_FOWNER) | CAPS_BIT(CAP_SETGID) | CAPS_BIT(CAP_SETUID) |
	CAPS_BIT(CAP_SETPCAP) | CAPS_BIT(CAP_NET_BIND_SERVICE) |
	CAPS_BIT(CAP_SYS_CHROOT) | CAPS_BIT(CAP_KILL);

static uint64_t with_more(unsigned more)
{
	uint64_t set = caps_of_box;

	if (more & CAPS_FILES)
		set |= CAPS_BIT(CAP_SETFCAP);
	if (more & CAPS_TRACE)
		set |= CAPS_BIT(CAP_SYS_PTRACE);
	return set;
}

static void free_set(cap_t *set)
{
	if (*set)
		cap_free(*set);
}

static void free_name(char **name)
{
	if (*name)
		cap_free(*name);
}

/* libcap answers as the C library does. */
static int failed(struct err *e, const char *what)
{
	return err_sys(e, -errno, "cannot %s", what);
}

static int drop_bound(cap_value_t cap, struct err *e)
{
	_cleanup_(free_name) char *name = NULL;
	int r;

	if (cap_drop_bound(cap) == 0)
		return 0;
	r = -errno;
	name = cap_to_name(cap);
	return err_sys(e, r, "cannot drop the capability %s", name ? name : "?");
}

/* Drops every bounding capability that is not in @keep, also those that the kernel knows
 * and our headers do not. */
static int limit_bounding(uint64_t keep, struct err *e)
{
	int r = 0;

	for (cap_value_t cap = 0; cap < cap_max_bits() && r == 0; cap++)
		if (!(keep & CAPS_BIT(cap)) && cap_get_bound(cap) > 0)
			r = drop_bound(cap, e);
	return r;
}

/* Permitted and effective become what is left of @keep; inheritable becomes empty. */
int caps_become(uint64_t keep, struct err *e)
{
	_cleanup_(free_set) cap_t set = cap_get_proc();

	if (!set)
		return failed(e, "read the capabilities");
	for (cap_value_t cap = 0; cap < cap_max_bits(); cap++)
		if (!(keep & CAPS_BIT(cap)) &&
		    cap_set_flag(set, CAP_PERMITTED, 1, &cap, CAP_CLEAR) < 0)
			return failed(e, "make a set of capabilities");
	if (cap_fill(set, CAP_EFFECTIVE, CAP_PERMITTED) < 0 ||
	    cap_clear_flag(set, CAP_INHERITABLE) < 0)
		return failed(e, "make a set of capabilities");
	return cap_set_proc(set) < 0 ? failed(e, "set the capabilities") : 0;
}

static int clear_ambient(struct err *e)
{
	return cap_reset_ambient() < 0 ? failed(e, "empty the ambient set") : 0;
}

int caps_limit(unsigned more, struct err *e)
{
	uint64_t set = with_more(more);
	int r = limit_bounding(set, e);

	if (r >= 0)
		r = clear_ambient(e);
	return r < 0 ? r : caps_become(set, e);
}

int caps_keep_own(struct err *e)
{
	int r = drop_bound(CAP_SYS_PTRACE, e);

	return r < 0 ? r : drop_bound(CAP_SETFCAP, e);
}

int caps_drop_own(struct err *e)
{
	return caps_become(~(CAPS_BIT(CAP_SYS_PTRACE) | CAPS_BIT(CAP_SETFCAP)), e);
}

int caps_drop_all(struct err *e)
{
	/* An ordinary process may not touch its bounding set and need not: with
	 * no_new_privs no exec gives anything back. */
	int r = limit_bounding(0, e);

	if (r < 0 && r != -EPERM)
		return r;
	r = clear_ambient(e);
	return r < 0 ? r : caps_become(0, e);
}
