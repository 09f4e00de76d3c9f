/* idmap - which host ids the box's users are: chosen once per box, recorded, written into the
 * child's user namespace.
 * Needs:  /etc/subuid, /etc/subgid, newuidmap and newgidmap for the best rung.
 * Owns:   nothing.
 * Never:  falls to a lesser map without saying why. */
#ifndef RUNTIME_IDMAP_IDMAP_H
#define RUNTIME_IDMAP_IDMAP_H

#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

enum idmap_kind {
	IDMAP_SUBUID, /* box 0 = the caller, box 1… = the subordinate range */
	IDMAP_SINGLE, /* box 0 = the caller, no other id; payloads get the fake filter
			*/
	IDMAP_ROOT,   /* caller is host root: box ids = a private high range */
	IDMAP_REAL    /* caller is uid 0, the project cannot be shown with other ids:
			  box 0 = the caller, box 1… = ids that no account has */
};

enum { IDMAP_RANGES = 16 };

struct idmap_range {
	uint32_t inside, outside, count;
};

struct idmap {
	enum idmap_kind kind;
	unsigned n_uid, n_gid;
	struct idmap_range uid[IDMAP_RANGES], gid[IDMAP_RANGES];
};

/* Which user and group of the box the caller is in the project; both 0: its root. */
struct idmap_owner {
	uint16_t uid, gid;
};

/* What a kind means to the rest of the program, which asks for nothing else: another kind is
 * another row (idmap.c), and how it is had (choose.c). */
struct idmap_traits {
	/* "subuid", …: in box.json, and behind an image's digest */
	const char *name;
	/* There is no user but its root, so owners of files are not kept. */
	bool single;
	/* Its root is no id of the caller's, whose files it is given, or sees by a mount that
	 * shows them with other ids. */
	bool apart;
	/* The caller is root, and on the project's files so is its root. */
	bool by_root;
	/* With files of its other ids the caller may do nothing outside of the map, which
	 * newuidmap and newgidmap write. */
	bool delegated;
	/* What its boxes have in common with others, for a person */
	const char *shared;
	/* Why a user of the box cannot be the caller in the project; NULL = one can, or there
	 * is none */
	const char *no_owner;
};
const struct idmap_traits *idmap_traits(const struct idmap *m);

const char *idmap_kind_name(enum idmap_kind kind);	      /* "subuid", … */
int idmap_kind_parse(const char *name, enum idmap_kind *ret); /* -EINVAL */

/** idmap_has_root() - true: one of the box's users is uid 0 outside, who may change what
 *  is not any namespace's own */
bool idmap_has_root(const struct idmap *m);

/** idmap_outdated() - true: of a box of an older cubby, which has all ids of the host as
 *  they are, so that its users are accounts of the host's */
bool idmap_outdated(const struct idmap *m);

/**
 * idmap_choose() - the best map that works here, proved by doing
 * @want: only this kind; NULL = the ladder: root caller: root → real-root; else
 *        subuid → single
 * @why:  gets a line for each better rung that was not taken, with the remedy
 *
 * Context: any single-threaded process; forks short-lived children.
 * Return: 0; -EPERM, -ENOSPC, -ENOSYS … when no user namespace can be had (the message
 *         is KERNEL.md 6's: cause and remedy).
 */
int idmap_choose(const enum idmap_kind *want, struct idmap *ret, struct buf *why,
		 struct err *e);

/** idmap_choose_helper() - for a helper that works with files of a box with @map and with
 *  the project's: where the caller is root, the ids that this process has, as they are */
int idmap_choose_helper(const struct idmap *map, struct idmap *ret, struct err *e);

/** idmap_write() - parent: write the maps of @child's new user namespace; runs
 *  newuidmap and newgidmap concurrently for subuid; keeps their stderr for @e */
int idmap_write(const struct idmap *m, pid_t child, struct err *e);

/** idmap_adopt() - child, after the maps: become box root. Clears
 *  PDEATHSIG and dumpable: the caller sets them again. */
int idmap_adopt(const struct idmap *m, struct err *e);

/** idmap_host_uid() - host id of a box id; -ERANGE when it is not mapped */
int idmap_host_uid(const struct idmap *m, uint32_t inside, uint32_t *ret);
int idmap_host_gid(const struct idmap *m, uint32_t inside, uint32_t *ret);

/** idmap_to_json() - owned object; NULL = out of memory */
struct json *idmap_to_json(const struct idmap *m);
int idmap_from_json(const struct json *j, struct idmap *ret, struct err *e);

#endif
