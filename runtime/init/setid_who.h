/* setid_who - by whom a call is judged: the text of /proc/PID/status. Pure.
 * Needs:  the text.
 * Owns:   the list of groups.
 * Never:  fills in what the text does not say.
 */
#ifndef RUNTIME_INIT_SETID_WHO_H
#define RUNTIME_INIT_SETID_WHO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct setid_who {
	uid_t uid; /* the ones for files */
	gid_t gid;
	mode_t umask;
	uint64_t effective; /* capabilities */
	size_t n_groups;
	gid_t *groups; /* owned */
};
#define SETID_WHO_NONE ((struct setid_who){ .groups = NULL })
void setid_who_done(struct setid_who *w);

/** setid_who_read() - 0; -EBADMSG: a line is missing; -ENOMEM */
int setid_who_read(const char *status, struct setid_who *ret);

#endif
