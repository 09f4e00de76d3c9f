/* pull_conf - what a pull is asked for, and the hands that unpack for it.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  more than types: who unpacks needs not know how an image is brought. */
#ifndef ROOTFS_IMAGE_PULL_CONF_H
#define ROOTFS_IMAGE_PULL_CONF_H

#include <stdint.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/json.h"
#include "rootfs/store/boxdir.h"
#include "rootfs/store/store.h"

enum pull_phase { PULL_DOWNLOAD, PULL_CHECK, PULL_UNPACK };

struct pull_progress {
	enum pull_phase phase;
	uint64_t done, total; /* bytes of the source; total 0 = not known */
};

enum pull_kind {
	PULL_ARCHIVE, /* @in: a root filesystem */
	PULL_COPY,    /* @in: a directory */
	PULL_FLAT,    /* @feed: a layer, into what those below it made */
	PULL_LAYER,   /* @feed: a layer of several */
	PULL_DRESS    /* nothing but the files of ours, @snippets */
};

/* What is to be made: rootfs/ in @dir. A layer that has no meaning
 * without those below it is -EXDEV. */
struct pull_unpack {
	enum pull_kind kind;
	int dir; /* borrowed; empty, but for PULL_FLAT */
	int in;	 /* borrowed */
	/* Writes all of an archive to @to; called once, meanwhile it is unpacked. */
	int (*feed)(void *ctx, int to, struct err *e);
	void *feed_ctx;
	const struct digest *like; /* borrowed; of a layer: how it is summed up */
	unsigned snippets;
	int (*tick)(void *); /* to be called every 100 ms or so; negative: give up */
	void *tick_ctx;
};
/* *@ret: owned object with "bytes", "entries", "dropped", … for meta.json; of a layer also
 * "diff_id" and "snippets". */
typedef int pull_unpack_fn(void *ctx, const struct pull_unpack *u, struct json **ret,
			   struct err *e);

struct pull_conf {
	const struct store *store; /* borrowed */
	const char *map;	   /* name of the id map: "subuid", … */
	const struct json *idmap;  /* borrowed: the map itself, for meta.json */
	pull_unpack_fn *unpack;
	/* opens what is local, as open(2): it may say that a link leads too far */
	int (*open)(const char *path, int flags, struct err *e);
	boxdir_rm_fn *rm; /* removes trees that ids of the map own */
	void *runtime;	  /* ctx of both */
	void (*progress)(void *ctx, const struct pull_progress *p); /* may be NULL */
	void (*note)(void *ctx, const char *line);		    /* may be NULL */
	void *ctx;						    /* of both */
	const char *name;   /* what it is called; NULL = as the reference says */
	const char *digest; /* what it must be, else -ESTALE; NULL = whatever it is */
	const char *source; /* what is noted as its source; NULL = where it came from */
	bool flat;	    /* layers become one directory */
	bool names;	    /* note also each thing that is left out, by its name */
	int abort_fd;	    /* readable = give up with -ECANCELED; -1 = none */
};

#endif
