/* untar - read a tar archive, plain or compressed, as a stream of events. The one door
 * of libarchive, which is loaded at first use and does nothing but read.
 * Needs:  libarchive.so.13 at run time.
 * Owns:   nothing after a call.
 * Never:  touches a file; starts a program; reads any format but tar; believes a name,
 *         size or number of the archive: whoever takes the events checks them. */
#ifndef ROOTFS_ARCHIVE_UNTAR_H
#define ROOTFS_ARCHIVE_UNTAR_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* All that an archive may ask for. Each is an error that names itself. */
struct untar_limits {
	uint64_t bytes;	     /* of file data */
	uint64_t stream;     /* bytes uncompressed, headers and padding included */
	uint64_t entries;    /* in the archive */
	uint64_t ratio;	     /* uncompressed to compressed, once past ratio_from */
	uint64_t ratio_from; /* bytes uncompressed */
	size_t path;	     /* bytes of a name */
	size_t component;    /* bytes of one component */
	size_t depth;	     /* components of a name */
	size_t link;	     /* bytes of a link target */
	size_t xattrs;	     /* of one entry */
	size_t xattr_bytes;  /* values of one entry together */
};
extern const struct untar_limits untar_limits_default;

/**
 * untar_preload() - load libarchive now
 *
 * Whoever gives up its root first calls this before: a library must never come out of
 * an image. Return: 0, or what dl_load() failed with.
 */
int untar_preload(struct err *e);

/* Bytes as they come. Return: their number, 0 at the end, or a negative errno with @e
 * filled; *@ret stays valid until the next call. */
typedef ssize_t untar_read_fn(void *ctx, const void **ret, struct err *e);

struct untar_xattr {
	const char *name;
	const void *value;
	size_t len;
};

/* One entry; everything borrowed until the event returns. */
struct untar_entry {
	const char *path;     /* the archive's own bytes, unchecked; never NULL */
	const char *hardlink; /* NULL: not a hard link */
	const char *symlink;  /* NULL: not a symbolic link */
	mode_t mode;	      /* type and permissions; no type for a hard link */
	int64_t uid, gid;     /* as the archive says: may not be ids at all */
	uint64_t size;
	int64_t mtime; /* seconds since 1970, as the archive says */
	long mtime_ns;
	bool has_mtime, has_acl;
	void *reader; /* for untar_next_xattr() */
};

/* What happens with the events. A negative errno (with @e filled) ends the reading. */
struct untar_sink {
	/* A new entry. 1: its data is wanted; 0: it is not. */
	int (*entry)(void *ctx, const struct untar_entry *en, struct err *e);
	/* Data at an offset of the file; what lies between two calls is a hole. */
	int (*data)(void *ctx, const void *data, size_t len, uint64_t at,
		    struct err *e);
	/* The same entry is complete. */
	int (*end)(void *ctx, const struct untar_entry *en, struct err *e);
	void *ctx;
};

struct untar_source {
	untar_read_fn *read;
	void *ctx;
};

struct untar_counts {
	uint64_t entries;
	uint64_t bytes;	   /* of file data handed on; holes do not count */
	uint64_t in_bytes; /* read from the source */
	uint64_t
		warned; /* entries with a doubtful header that were read all the same */
	uint64_t trailing; /* bytes behind the end marker that are not zero blocks */
};

/**
 * untar_read() - read a whole plain tar archive, to the last byte of its source
 * @limits: borrowed
 * @ret:    filled as far as the reading came, on failure too
 * @e:      filled on failure only
 *
 * Return: 0; -EINVAL ("not a tar archive", malformed); -ENODATA ("truncated"); -E2BIG
 *         (a limit); -ENOPKG, -ELIBBAD (libarchive); -ENOMEM; what @src or @sink returned.
 */
int untar_read(const struct untar_source *src, const struct untar_sink *sink,
	       const struct untar_limits *limits, struct untar_counts *ret,
	       struct err *e);

/**
 * untar_next_xattr() - step through the extended attributes of the current entry
 * Return: false when there are no more.
 */
bool untar_next_xattr(const struct untar_entry *en, struct untar_xattr *ret);

/** untar_compressed() - true when these first bytes of a stream are of a compression that
 *  untar_decompress() knows */
bool untar_compressed(const void *first, size_t len);

/* Takes uncompressed bytes; 0 or a negative errno. */
typedef int untar_write_fn(void *ctx, const void *data, size_t len, struct err *e);

struct untar_decompressed {
	uint64_t in_bytes; /* read from the source, to its end */
	uint64_t trailing; /* of these, behind the last compressed frame */
};

/**
 * untar_decompress() - undo gzip, zstd, xz or bzip2 compression, to the last byte
 *
 * Return: 0; -EINVAL (damaged, or not compressed at all); -ENODATA ("truncated");
 *         -E2BIG (a limit); -ENOMEM (window too large); what @src or @put returned.
 */
int untar_decompress(const struct untar_source *src, untar_write_fn *put, void *ctx,
		     const struct untar_limits *limits, struct untar_decompressed *ret,
		     struct err *e);

#endif
