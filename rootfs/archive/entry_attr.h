/* entry_attr - put an entry's owner, mode, extended attributes and time on a new file,
 * and say what could not be put there.
 * Needs:  the capabilities of box root for owners; without them they are recorded, but for
 *         those of links and fifos.
 * Owns:   nothing.
 * Never:  fails because something cannot be represented: that is counted. */
#ifndef ROOTFS_ARCHIVE_ENTRY_ATTR_H
#define ROOTFS_ARCHIVE_ENTRY_ATTR_H

#include "base/buf.h"
#include "base/err.h"
#include "rootfs/archive/untar.h"

/* What is left out of an image, and the words for it. */
enum entry_drop {
	ENTRY_DROP_SOCKET,
	ENTRY_DROP_OWNER,      /* no valid id */
	ENTRY_DROP_CAPABILITY, /* security.capability */
	ENTRY_DROP_ACL,
	ENTRY_DROP_XATTR,
	ENTRY_DROP_DEVICE, /* the last, as its summary goes on */
	ENTRY_DROPS
};

/** entry_attr_drop_name() - "device", "ACL", …; for a summary such as "3 devices" */
const char *entry_attr_drop_name(enum entry_drop d);

/** entry_attr_drop_summary() - "1 capability not restored", or nothing; appended. With
 *  devices it says which a box has. Return: 0, -EMSGSIZE or -ENOMEM. */
int entry_attr_drop_summary(const uint64_t dropped[ENTRY_DROPS], struct buf *out);

struct entry_attr {
	bool single; /* only one id is mapped: owners are recorded, never set; what the
			  owner may not touch is made so that he may, and recorded */
	uint32_t uid, gid;		   /* what a new file gets by itself */
	const struct untar_limits *limits; /* borrowed */
	uint64_t dropped[ENTRY_DROPS];
	struct buf *names; /* borrowed; a line for each of them, while there is room;
			      NULL = not wanted */
};

/** entry_attr_drop() - count, and name, something of the entry @path that is left out;
 *  devices of the image's /dev are named only */
void entry_attr_drop(struct entry_attr *a, enum entry_drop d, const char *path);

/* A new thing on disk. */
struct entry_place {
	int parent;	  /* borrowed */
	const char *name; /* its last component */
	const char *path; /* below the root, for records and messages */
	int fd;		  /* borrowed: file or directory; -1: link or fifo */
	bool any_gid;	  /* the directory hands its group down: do not rely on gid */
};

/** entry_attr_mode() - the permission bits to give to an entry: with @single at least
 *  u+rw, for directories u+rwx */
mode_t entry_attr_mode(const struct entry_attr *a, const struct untar_entry *en);

/** entry_attr_owner() - owner, then set-id bits, which the first would clear. The file
 *  has its other permission bits by its creation. */
int entry_attr_owner(struct entry_attr *a, const struct entry_place *p,
		     const struct untar_entry *en, struct err *e);

/** entry_attr_xattrs() - after the owner: a change of owner removes capabilities.
 *  Return: 0, -E2BIG (a limit) or an I/O error. */
int entry_attr_xattrs(struct entry_attr *a, const struct entry_place *p,
		      const struct untar_entry *en, struct err *e);

/** entry_attr_clear() - remove the xattrs that an existing directory has */
void entry_attr_clear(int fd);

struct timespec;
/** entry_attr_times() - for futimens(): access time untouched, modification time as in
 *  the archive; false when it has none */
bool entry_attr_times(const struct untar_entry *en, struct timespec ret[2]);

#endif
