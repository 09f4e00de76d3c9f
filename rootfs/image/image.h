/* image - root filesystems in the store, found by name or digest.
 * Needs:  an open store.
 * Owns:   nothing.
 * Never:  changes an image's files; trusts what meta.json says to be there or short.
 *
 *   images/<dir>/rootfs      the files, as the ids of one map see them
 *   images/<dir>/meta.json   see image_meta()
 *   images/<dir>/run.json    see image_run(); of images in layers
 * <dir> is the digest of the source, with ".<map>" behind it for any map but "subuid":
 * the same files have other owners under another map. */
#ifndef ROOTFS_IMAGE_IMAGE_H
#define ROOTFS_IMAGE_IMAGE_H

#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "rootfs/store/boxdir.h"
#include "rootfs/store/store.h"

enum {
	IMAGE_DIR = 96,
	IMAGE_MAP = 16,
	IMAGE_NAME = 256,
	IMAGE_ARCH = 16,
	IMAGE_BUILT = 24,
	IMAGE_SOURCE = 1024,
	IMAGE_PREFIX = 8 /* the fewest digits of a digest that name an image */
};

struct image {
	char dir[IMAGE_DIR]; /* below images/ */
	char digest[HASH_HEX];
	char map[IMAGE_MAP]; /* "subuid", "single", "root", "real-root" */
	char name
		[IMAGE_NAME]; /* the one given last, or by which it was looked for; "" = none */
	char source[IMAGE_SOURCE];
	char arch[IMAGE_ARCH];
	char built[IMAGE_BUILT]; /* made of this suite of a mirror; "" = not so */
	int64_t created;	 /* seconds since 1970: when it came into the store */
	int64_t named;		 /* the same: when it was given the name */
	uint64_t size;		 /* bytes of its files */
};

/** image_dir() - the directory of a digest under a map */
void image_dir(const char *digest, const char *map, char ret[IMAGE_DIR]);

/** image_load() - by directory; -ENOENT */
int image_load(const struct store *s, const char *dir, struct image *ret,
	       struct err *e);

/** image_meta() - all of meta.json, owned: names{name: time}, source, digest, size,
 *  map, idmap{}, layers[], dropped{}, created, arch, built */
int image_meta(const struct store *s, const char *dir, struct json **ret,
	       struct err *e);

/** image_run() - how it wants to be run, owned: env[], entrypoint[], cmd[], user, workdir,
 *  stopsignal, labels{}, as far as it says; NULL = it says nothing */
int image_run(const struct store *s, const char *dir, struct json **ret, struct err *e);

/** image_list() - call @each with every image, in no order; a negative return ends it */
int image_list(const struct store *s, int (*each)(void *ctx, const struct image *i),
	       void *ctx, struct err *e);

/** image_name_check() - may a person call an image so? What could not be told apart from a
 *  sentence on a command line is none. Return: 0; -EINVAL, with what is right */
int image_name_check(const char *name, struct err *e);

/**
 * image_find() - by name, by source, or by 8 or more digits of the digest
 * @map: only images of this map; NULL = any
 *
 * Of several that have a name, the one that was given it last.
 * Return: 0; -ENOENT; -ENOTUNIQ (a digest's beginning fits several).
 */
int image_find(const struct store *s, const char *ref, const char *map,
	       struct image *ret, struct err *e);

/** image_stamp() - the time, in seconds since 1970, that gives an image the name @name from
 *  now on: later than that of whoever has it, also when both get it in one second */
int64_t image_stamp(const struct store *s, const char *name);

/**
 * image_lock() - hold all images as they are, for an instant: until the descriptor that
 *  this returns is closed none is named, unnamed or removed
 *
 * Whoever writes a box.json takes it and looks for the image again. Not to be taken
 * twice, nor around image_name(), image_unname() or image_remove(), which take it.
 */
int image_lock(const struct store *s, struct err *e);

/** image_name() - give an image a name now */
int image_name(const struct store *s, const char *dir, const char *name, struct err *e);

/** image_unname() - take a name away, unless it is the last one
 *  Return: 1 = taken away; 0 = not: it has no other name, or not this one. */
int image_unname(const struct store *s, const char *dir, const char *name,
		 struct err *e);

/**
 * image_remove() - remove an image
 * @force: also when boxes use it; they cannot start any more then
 * @rm:    does the removal
 * Return: 0; -ENOENT; -EBUSY ("used by N boxes").
 */
int image_remove(const struct store *s, const char *dir, bool force, boxdir_rm_fn *rm,
		 void *ctx, struct err *e);

#endif
