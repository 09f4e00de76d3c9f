/* extractbox - unpack a crafted archive into a private directory and prove that nothing
 * beside it changed: the frame of the A rows (tests of rootfs/).
 * Needs:  the private directory of a unit test.
 * Owns:   what it opened, until extractbox_done().
 * Never:  forgives: each row is read in one piece and byte by byte. */
#ifndef TESTS_UNIT_EXTRACTBOX_H
#define TESTS_UNIT_EXTRACTBOX_H

#include <sys/stat.h>

#include "rootfs/archive/extract.h"
#include "tests/unit/tarmake.h"

struct extractbox {
	int root;    /* owned: where it was unpacked */
	bool single; /* as an ordinary user, or asked for */
	int code;    /* 0, or the failure in err */
	struct err err;
	struct untar_counts counts;
	uint64_t dropped[ENTRY_DROPS];
};

struct extractbox_row {
	const char *name;
	void (*make)(struct tarmake *t);
	int code; /* 0: it must work */
	const char *msg;
	void (*check)(const struct extractbox *x);
	void (*before)(int root); /* what lower layers left there; may be NULL */
	const struct untar_limits *limits; /* NULL: untar_limits_default */
	bool no_end; /* the end marker is the row's own business */
	bool large;  /* too large for byte by byte */
	bool single; /* one id only, also as root */
	enum extract_kind kind;
};

/* A row that works, and one that fails with code and message (NULL: any); further
 * members may follow. */
#define EXTRACT_OK(n, m, ...)                     \
	{                                         \
		.name = n, .make = m, __VA_ARGS__ \
	}
#define EXTRACT_BAD(n, m, c, t, ...)                                   \
	{                                                              \
		.name = n, .make = m, .code = c, .msg = t, __VA_ARGS__ \
	}

/** extractbox_row() - the unit_row_fn of such rows */
void extractbox_row(const void *row);

/* What is expected below the root; paths are taken without following a last link. */
void extractbox_file(const struct extractbox *x, const char *path, const char *text);
void extractbox_link(const struct extractbox *x, const char *path, const char *to);
void extractbox_none(const struct extractbox *x, const char *path);
struct stat extractbox_stat(const struct extractbox *x, const char *path);
void extractbox_mode(const struct extractbox *x, const char *path, mode_t mode);
void extractbox_dir(const struct extractbox *x, const char *path);

/** extractbox_outside() - absolute path of the directory that must not change: it has
 *  a file "secret", a directory "dir" */
const char *extractbox_outside(void);

/* Lower layers, for before(). */
void extractbox_put(int root, const char *path, const char *text);
void extractbox_mkdir(int root, const char *path);

#endif
