/* idmap_subid - the subordinate ids of a user: /etc/subuid, /etc/subgid and the output
 * of getsubids. Pure.
 * Needs:  the text.
 * Owns:   nothing.
 * Never:  takes a line that it does not understand for another one. */
#ifndef RUNTIME_IDMAP_SUBID_H
#define RUNTIME_IDMAP_SUBID_H

#include "runtime/idmap/idmap.h"

enum {
	/* 65534 must be mapped, or "nobody" and every unmapped id fall together. */
	IDMAP_SUBIDS = 65535,
	IDMAP_SUBID_NAME = 256,
	IDMAP_SUBID_RANGES = IDMAP_RANGES - 1 /* one is the caller's own id */
};

struct idmap_subids {
	uint64_t total; /* of all ranges found, also of those that did not fit */
	unsigned n;
	struct idmap_range at[IDMAP_SUBID_RANGES]; /* inside: from 1 on, IDMAP_SUBIDS
						      in all at most */
};

/** idmap_subid_parse() - lines "NAME:START:COUNT"; @name may be NULL, the number of
 *  @id is looked for too */
void idmap_subid_parse(const char *text, const char *name, uint32_t id,
		       struct idmap_subids *ret);

/** idmap_subid_parse_list() - lines "N: NAME START COUNT", as getsubids prints them */
void idmap_subid_parse_list(const char *text, struct idmap_subids *ret);

/** idmap_subid_name() - the first user of this id in the text of a passwd file; 0 or
 *  -ENOENT, and then @ret is untouched */
int idmap_subid_name(const char *passwd, uint32_t uid, char ret[IDMAP_SUBID_NAME]);

#endif
