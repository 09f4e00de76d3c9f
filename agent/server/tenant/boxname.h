/* boxname - which box a request means: from a user and chat, or from a name, to a directory,
 * one of its boxes, and what its user may have.
 * Needs:  the server's configuration.
 * Owns:   nothing.
 * Never:  lets one user's name lead to another's directory: it is a hash of the names.
 *
 * An id is DIRECTORY or DIRECTORY@NAME, where a directory has several boxes; of a server
 * with one box it is "" or "@NAME". */
#ifndef AGENT_SERVER_TENANT_BOXNAME_H
#define AGENT_SERVER_TENANT_BOXNAME_H

#include "agent/server/tenant/tenant.h"

struct server_box;
struct server_conf;

enum { BOXNAME_ID = 160 };

/** boxname_id() - append the id; -EINVAL: no name; -ENOENT; -EPERM */
int boxname_id(const struct server_conf *c, const struct tenant_who *who,
	       struct buf *ret, struct err *e);

/** boxname_place() - the box of an id, whose directory is made if it may be
 *  @id: what @ret->name points into
 *  @dir: owned by the caller; what @ret->dir is
 *  Return: 0; -ENOENT: there is none; -EPERM: no policy is for its user. */
int boxname_place(const struct server_conf *c, const struct tenant_who *who,
		  const char *id, char **dir, struct server_box *ret, struct err *e);

/** boxname_policy() - set ret->options to what its user may have; a box that is named has
 *  what the server's boxes have. -ENOENT; -EPERM */
int boxname_policy(const struct server_conf *c, const struct tenant_who *who,
		   struct server_box *ret, struct err *e);

/** boxname_of() - by which who.box names the box @name ("" = the one) of @dir, whose key
 *  is @key; false: it is not served here */
bool boxname_of(const struct server_conf *c, const char *dir, const char *name,
		const char *key, struct buf *ret);

#endif
