/* userdb - who "--user" names in a box: a bounded reading of its passwd and group files.
 * Needs:  the box's root as "/".
 * Owns:   nothing.
 * Never:  uses libc's lookups (they would load the image's code); blocks on a FIFO;
 *         reads more than USERDB_FILE bytes. */
#ifndef RUNTIME_INIT_USERDB_H
#define RUNTIME_INIT_USERDB_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "base/err.h"

enum { USERDB_FILE = 1 << 20, USERDB_GROUPS = 64, USERDB_NAME = 64 };

struct userdb_user {
	uid_t uid;
	gid_t gid;
	gid_t groups[USERDB_GROUPS];
	size_t n_groups;
	char name[USERDB_NAME]; /* the number when there is no name */
	char home[PATH_MAX];	/* "/" when there is none */
	char shell[PATH_MAX];	/* "/bin/sh" when there is none */
};

/**
 * userdb_find() - look up NAME, UID, NAME:GROUP or UID:GID
 * @rootfd: the directory that /etc is in
 *
 * With a group that one alone, without the groups that the user is a member of, as docker
 * and podman have it.
 *
 * Return: 0; -EINVAL (not of those forms, an id above 2^32-2, or no such name),
 *         -EFBIG (passwd or group too large). A missing passwd file knows no names; what
 *         cannot be read is an error for a name, and nothing to a number.
 */
int userdb_find(int rootfd, const char *spec, struct userdb_user *ret, struct err *e);

/* A file as it was read. */
struct userdb_stamp {
	bool settled; /* nothing written since then can have left its time as it was */
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed;
};

/* Who was asked for last; all 0 = nobody. */
struct userdb_last {
	char spec[2 * USERDB_NAME + 2];
	struct userdb_stamp passwd, group;
	struct userdb_user user;
};

/** userdb_again() - userdb_find(), without reading while it is the same question and both
 *  files are the same. @last: what *@ret points into */
int userdb_again(int rootfd, const char *spec, struct userdb_last *last,
		 const struct userdb_user **ret, struct err *e);

#endif
