/* inroot - paths inside a directory tree that somebody else filled: "/" is the tree's
 * own root, ".." stops there, symbolic links resolve inside.
 * Needs:  openat2; for inroot_open(), where a filter refuses it, a walk by component.
 * Owns:   nothing.
 * Never:  leaves the tree, follows a magic link, or creates through a link. */
#ifndef BASE_INROOT_H
#define BASE_INROOT_H

#include <limits.h>
#include <sys/types.h>

#include "base/def.h"

/**
 * inroot_open() - open @path in the tree of @root
 * @flags: as for open(2); O_CREAT is not allowed, O_NOFOLLOW holds for the last
 * component Return: a descriptor; -ELOOP (loop, more than 40 links, magic link),
 * -ENOENT, …
 */
int inroot_open(int root, const char *path, int flags);

/**
 * inroot_mkdirs() - open the directory @path, making each missing component
 * @mode: of what is made; what exists stays as it is
 * Return: an O_PATH descriptor, or a negative errno (-ENOTDIR: a file is in the way).
 */
int inroot_mkdirs(int root, const char *path, mode_t mode);

/**
 * inroot_parent() - open the directory that holds the last component of @path
 * @name: the last component; points into @path, trailing slashes are not allowed
 * Return: an O_PATH descriptor, or a negative errno (-EINVAL: ends in "/", "." or
 * "..").
 */
int inroot_parent(int root, const char *path, const char **name);

/** inroot_is_beneath() - does @path, but for links, lead to a thing below where it begins? */
bool inroot_is_beneath(const char *path);

/** inroot_settle() - a path without ".", ".." and empty parts, as its text says
 *  Return: false: it leads to where it begins, or above, or is too long. */
bool inroot_settle(const char *path, char ret[PATH_MAX]);

/**
 * inroot_absolute() - a path from "/" on; @path is not empty
 *
 * The "../" in front of a relative one go up from where we are: what is walked then does not
 * lead through the directory that they leave.
 * Return: 0, or -ENAMETOOLONG or what getcwd(2) said
 */
int inroot_absolute(const char *path, char ret[PATH_MAX]);

/**
 * inroot_open_real() - open a path of the host in which no component is a link
 *
 * For a path that was resolved before: a link in it now was put there since then.
 * Return: also -ELOOP: there is one.
 */
int inroot_open_real(const char *path, int flags);

#endif
