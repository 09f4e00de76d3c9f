/* tarmake - tar archives byte by byte, also such as no tar program would write.
 * Needs:  nothing.
 * Owns:   the bytes, until tarmake_done().
 * Never:  refuses anything: a crafted archive is what it is for. */
#ifndef TESTS_UNIT_TARMAKE_H
#define TESTS_UNIT_TARMAKE_H

#include <stdint.h>

#include "base/buf.h"

struct tarmake {
	struct buf out;
	struct buf pax; /* records for the next entry */
};
#define TARMAKE_NONE \
	((struct tarmake){ .out = BUF_INIT(1u << 30), .pax = BUF_INIT(8u << 20) })
void tarmake_done(struct tarmake *t);
#define _cleanup_tarmake_ _cleanup_(tarmake_done)

struct tarmake_entry {
	const char *name; /* longer than 100 bytes: goes into a pax record */
	char type;     /* as in the header: '0' file, '2' symlink, '5' directory, … */
	uint32_t mode; /* 0: 0644, for directories 0755 */
	uint32_t uid, gid;
	const char *link; /* likewise */
	const void *data;
	size_t len;
	uint64_t mtime;
	uint32_t major, minor;
	const char *size; /* 12 raw bytes instead of len; its data is still len bytes */
	bool bad_sum;
	const char *magic; /* 8 raw bytes instead of "ustar\0" "00" */
};

/** tarmake_pax() - a record "LEN KEY=VALUE\n" for the next entry */
void tarmake_pax(struct tarmake *t, const char *key, const void *value, size_t len);
/** tarmake_global() - what tarmake_pax() collected, as a global header */
void tarmake_global(struct tarmake *t);
void tarmake_add(struct tarmake *t, const struct tarmake_entry *en);
/** tarmake_end() - the two blocks of zeros */
void tarmake_end(struct tarmake *t);

/* The common kinds. */
void tarmake_file(struct tarmake *t, const char *name, const char *text);
void tarmake_dir(struct tarmake *t, const char *name);
void tarmake_symlink(struct tarmake *t, const char *name, const char *to);
void tarmake_hardlink(struct tarmake *t, const char *name, const char *to);

#endif
