/* login - whom a person is to a registry: the files and helpers of docker and podman
 * (containers-auth.json(5)).
 * Needs:  HOME and the environment of the person.
 * Owns:   the two texts of a login.
 * Never:  writes any of it; runs a helper whose name is no plain word. */
#ifndef ROOTFS_OCI_LOGIN_H
#define ROOTFS_OCI_LOGIN_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "rootfs/oci/name.h"

enum { LOGIN_TEXT = 16 << 10 };

struct login {
	struct buf user, secret; /* owned */
	bool identity;		 /* the secret is a token that gives tokens */
};
#define LOGIN_NONE \
	((struct login){ .user = BUF_INIT(LOGIN_TEXT), .secret = BUF_INIT(LOGIN_TEXT) })
void login_done(struct login *l);
#define _cleanup_login_ _cleanup_(login_done)

/** login_find() - the first that one of the files has for an image
 *  @ret: LOGIN_NONE before. Return: 1 = found, 0 = none, or why a helper failed. */
int login_find(const struct oci_name *name, struct login *ret, struct err *e);

/** login_read() - the same of one file's content; pure, but for @helper
 *  @helper: the helper to be asked then, "" = none; at least LOGIN_HELPER bytes */
enum { LOGIN_HELPER = 64 };
int login_read(const struct json *file, const struct oci_name *name, struct login *ret,
	       char helper[LOGIN_HELPER], struct err *e);

#endif
