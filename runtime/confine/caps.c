#include "runtime/confine/caps.h"

#include <linux/capability.h>

#include "base/sys/sys.h"

/* The sets go to the kernel by capset(2) itself: libcap counts the kernel's
 * capabilities in a constructor, which every start of cubby would pay for. */

enum { CAPS_NUMBERS = 64 }; /* of capset version 3: two words of 32 */

#define CAPS_BIT(cap) (UINT64_C(1) << (cap))

/* What engines give by default, less NET_RAW (ping works by ping_group_range), MKNOD
 * (without effect in a user namespace) and AUDIT_WRITE (the kernel's audit is not the
 * box's). SETFCAP is there where what it makes is nothing outside: in the root map a file
 * capability on the project would be the host's (with_more()). FSETID only keeps set-gid
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

/* Drops every bounding capability that is not in @keep. The kernel may know more of
 * them than our headers: EINVAL is the end of its list. */
static int limit_bounding(uint64_t keep, struct err *e)
{
	for (unsigned cap = 0; cap < CAPS_NUMBERS; cap++) {
		int r = sys_prctl(PR_CAPBSET_READ, cap, 0, 0, 0);

		if (r == -EINVAL)
			break;
		if (r == 0 || (keep & CAPS_BIT(cap)))
			continue;
		if (r > 0)
			r = sys_prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
		if (r < 0)
			return err_sys(e, r, "cannot drop capability %u", cap);
	}
	return 0;
}

/* Permitted and effective become what is left of @keep; inheritable becomes empty. */
static int limit_sets(uint64_t keep, struct err *e)
{
	struct __user_cap_header_struct head = { .version =
							 _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct now[2] = { 0 };
	int r = sys_capget(&head, now);

	if (r < 0)
		return err_sys(e, r, "cannot read the capabilities");
	for (int i = 0; i < 2; i++) {
		now[i].permitted &= (uint32_t)(keep >> (32 * i));
		now[i].effective = now[i].permitted;
		now[i].inheritable = 0;
	}
	r = sys_capset(&head, now);
	return r < 0 ? err_sys(e, r, "cannot set the capabilities") : 0;
}

static int clear_ambient(struct err *e)
{
	int r = sys_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);

	/* EINVAL: before 4.3 there was no ambient set. */
	return r < 0 && r != -EINVAL ? err_sys(e, r, "cannot empty the ambient set")
				     : 0;
}

int caps_limit(unsigned more, struct err *e)
{
	uint64_t set = with_more(more);
	int r = limit_bounding(set, e);

	if (r >= 0)
		r = clear_ambient(e);
	return r < 0 ? r : limit_sets(set, e);
}

int caps_keep_trace(struct err *e)
{
	int r = sys_prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0);

	return r < 0 ? err_sys(e, r, "cannot drop a capability for good") : 0;
}

int caps_drop_trace(struct err *e)
{
	return limit_sets(~CAPS_BIT(CAP_SYS_PTRACE), e);
}

int caps_become(uint64_t effective, struct err *e)
{
	return limit_sets(effective, e);
}

int caps_drop_all(struct err *e)
{
	/* An ordinary process may not touch its bounding set and need not: with
	 * no_new_privs no exec gives anything back. */
	int r = limit_bounding(0, e);

	if (r < 0 && r != -EPERM)
		return r;
	r = clear_ambient(e);
	return r < 0 ? r : limit_sets(0, e);
}
