/* cause_text - why a box cannot start, or is less than it could be: the reasons, their
 * texts and remedies. One row each, said the same everywhere.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  looks at the host; cause.c decides which reason it is. */
#ifndef RUNTIME_CAUSE_TEXT_H
#define RUNTIME_CAUSE_TEXT_H

#include "base/buf.h"

enum probe_reason {
	PROBE_NONE,
	PROBE_APPARMOR,	      /* D1 */
	PROBE_USERNS_OFF,     /* D2 */
	PROBE_USERNS_LIMIT,   /* D3; subject: "user.max_user_namespaces=0" */
	PROBE_SECCOMP,	      /* D4 */
	PROBE_NESTED,	      /* inside a box of cubby */
	PROBE_CHROOT,	      /* D5 */
	PROBE_NO_USERNS,      /* D6 */
	PROBE_PROC,	      /* D7 */
	PROBE_OVERLAY_NONE,   /* D8; subject: the kernel's release */
	PROBE_OVERLAY_STORE,  /* D9; subject: the filesystem's type */
	PROBE_NO_SUBIDS,      /* D10; subject: the user's name */
	PROBE_NO_NEWUIDMAP,   /* D11; subject: what it said */
	PROBE_WEAK_NEWUIDMAP, /* D11 in a container; the same */
	PROBE_NOEXEC,	      /* D12; subject: the path */
	PROBE_NO_CGROUP,      /* D13 */
	PROBE_CROWDED_CGROUP, /* D13 */
	PROBE_NO_CPU,	      /* D14 */
	PROBE_MEMFD,	      /* D15 */
	PROBE_OLD_KERNEL,     /* D16 */
	PROBE_REASONS
};

/* How the distribution's packages are installed and called. */
enum probe_distro { PROBE_APT, PROBE_DNF, PROBE_PACMAN, PROBE_APK, PROBE_OTHER };

/** cause_text_distro() - from the text of os-release */
enum probe_distro cause_text_distro(const char *os_release);

const char *cause_text_id(enum probe_reason r); /* "D1" */

/** cause_text_cause() - append what is wrong; @subject: see the list; may be NULL */
int cause_text_cause(struct buf *out, enum probe_reason r, const char *subject);
/** cause_text_fix() - append the remedy on this distribution, without "fix: " */
int cause_text_fix(struct buf *out, enum probe_reason r, const char *subject,
		   enum probe_distro d);
/** cause_text_line() - both, as one line: "cause; fix: remedy" */
int cause_text_line(struct buf *out, enum probe_reason r, const char *subject,
		    enum probe_distro d);

/** cause_text_apparmor() - the profile that lets the binary at @path make user
 *  namespaces; -EINVAL for a path that AppArmor could read as a pattern */
int cause_text_apparmor(struct buf *out, const char *path);

#endif
