/* boxmark - by what a project is known again when it was renamed: device, inode and the
 * moment of its birth, which together no other directory has.
 * Needs:  an open store.
 * Owns:   marks/<id>[=<name>] of the store: links to the keys of boxes.
 * Never:  believes a mark: it says where to look, box.json of that box decides. */
#ifndef ROOTFS_STORE_BOXMARK_H
#define ROOTFS_STORE_BOXMARK_H

#include "base/err.h"
#include "base/hash.h"
#include "rootfs/store/store.h"

enum { BOXMARK_ID = 128 };

/**
 * boxmark_id() - of the directory @path, for its box @name ("" = the one)
 * Return: 0; -ENODATA where the filesystem tells no birth (then there is no mark);
 *         -ENOENT …
 */
int boxmark_id(const char *path, const char *name, char ret[BOXMARK_ID]);

/** boxmark_set() - the directory @id has box @key from now on */
int boxmark_set(const struct store *s, const char *id, const char *key, struct err *e);

/** boxmark_get() - the key of the box that the directory @id had; 0 or -ENOENT */
int boxmark_get(const struct store *s, const char *id, char ret[HASH_HEX]);

/** boxmark_drop() - forget the mark @id if it still leads to @key */
void boxmark_drop(const struct store *s, const char *id, const char *key);

#endif
