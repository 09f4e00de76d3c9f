/* file - whole files: read with a limit, write atomically, lock, make directories.
 * Needs:  a directory descriptor (AT_FDCWD where a person gave the path).
 * Owns:   nothing but the lock it returned.
 * Never:  leaves a half-written file under its final name. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/**
 * file_read() - append a whole regular file to @ret, whose max is the limit
 * Return: 0, -EMSGSIZE (larger than the buffer may grow), -EISDIR or another errno.
 */
int file_read(int dirfd, const char *path, struct buf *ret, struct err *e);

/** file_read_fd() - the same from an open descriptor (file, pipe, memfd), to its end */
int file_read_fd(int fd, struct buf *ret, struct err *e);

/** file_read_sized() - the same of a file whose @size the caller has just asked for: one read
 *  less, where it has not changed since. 0 = file_read_fd() */
int file_read_sized(int fd, uint64_t size, struct buf *ret, struct err *e);

/** file_peek() - how a small file of /proc begins, in one read: @ret ends with a NUL, "" when it
 *  cannot be read. Return: bytes, or a negative errno */
int file_peek(int dirfd, const char *path, char *ret, size_t size);

/** file_sealed() - a memfd with these bytes, which nobody can change any more; owned by
 *  the caller */
int file_sealed(const char *name, const void *data, size_t len, struct err *e);

/** file_write_fd() - write all of @len bytes, however many calls that takes */
int file_write_fd(int fd, const void *data, size_t len, struct err *e);

/** file_is_zeros() - a hole in a file reads as these bytes do */
bool file_is_zeros(const void *data, size_t len);

struct file_data {
	const void *data; /* borrowed */
	size_t len;
	mode_t mode; /* of the new file, whatever the umask */
};

/**
 * file_replace() - write a temporary file beside @name, fsync it, rename it over @name
 * Context: a crash leaves the old file, or the new one, and at worst a ".tmp-" file.
 */
int file_replace(int dirfd, const char *name, const struct file_data *d, struct err *e);
/** file_replace_later() - the same, but nobody waits for the name: a machine that loses its
 *  power may have the old file a few seconds longer, whole */
int file_replace_later(int dirfd, const char *name, const struct file_data *d,
		       struct err *e);
/** file_replace_soon() - the same without waiting for the disk: a machine that loses its
 *  power may leave an empty file; a program that is killed does not */
int file_replace_soon(int dirfd, const char *name, const struct file_data *d,
		      struct err *e);

typedef int file_replace_fn(int dirfd, const char *name, const struct file_data *d,
			    struct err *e);

/** file_mkdirs() - make @path and its missing parents (@mode for each); an existing
 *  directory is success, anything else -ENOTDIR */
int file_mkdirs(int dirfd, const char *path, mode_t mode, struct err *e);

/** file_is_there() - is there anything of that name? A symlink is one, wherever it leads */
bool file_is_there(int dirfd, const char *path);

/** file_open_dir() - open an existing directory (not through a last symlink) */
int file_open_dir(int dirfd, const char *path, struct err *e);

/** file_make_dir() - the same, after it was made if it is not there; as file_mkdirs() */
int file_make_dir(int dirfd, const char *path, mode_t mode, struct err *e);

/**
 * file_lock() - open or create @name and take an exclusive flock on it
 * @wait: wait for the holder, else -EWOULDBLOCK
 * Return: the descriptor that holds the lock; close it to release.
 */
int file_lock(int dirfd, const char *name, bool wait, struct err *e);

/**
 * file_lock_within() - the same, waiting for the holder, but not longer than @ms (> 0)
 *
 * Context: one thread, which uses neither SIGALRM nor its timer for anything else.
 * Return: also -EWOULDBLOCK, when the time is over.
 */
int file_lock_within(int dirfd, const char *name, int ms, struct err *e);

#endif
