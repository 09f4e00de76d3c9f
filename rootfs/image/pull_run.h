/* pull_run - a pull under way: what the files of it share.
 * Needs:  nothing.
 * Owns:   nothing; pull.c and pull_oci.c release what they put into it.
 * Never:  included by anything but pull*.c. */
#ifndef ROOTFS_IMAGE_PULL_RUN_H
#define ROOTFS_IMAGE_PULL_RUN_H

#include "base/sys/sys.h"
#include "rootfs/image/bootstrap.h"
#include "rootfs/image/fetch.h"
#include "rootfs/image/pull_conf.h"
#include "rootfs/image/source.h"
#include "rootfs/oci/layout.h"
#include "rootfs/oci/registry.h"
#include "rootfs/oci/source.h"
#include "rootfs/store/staging.h"

enum { PULL_URL = 1024 };

struct pull {
	const struct pull_conf *conf;
	struct source src;
	struct staging stage; /* owned */
	struct fetch fetched; /* owned; of an image in layers, only the digest */
	char url[PULL_URL];   /* where it came from; "" = src.where */
	int image;	      /* owned: the directory being made */
	enum pull_phase phase;
	struct bootstrap built; /* suite: what it was made of; "" = it was not */

	/* an image in layers */
	struct oci_image *oci; /* owned; NULL = it is none */
	struct oci_source blobs;
	struct oci_name name;	       /* of one in a registry */
	struct oci_registry *registry; /* owned */
	struct oci_layout layout;
	int layout_dir;	      /* owned */
	bool flat;	      /* all of them into one directory */
	bool made[OCI_MOST];  /* in stage, as "layer-N"; others are in the store */
	uint64_t done, total; /* bytes of all layers to be read */
};

static inline bool pull_is_layered(const struct pull *p)
{
	return p->oci != NULL;
}

/* Progress, in bytes. */
static inline void pull_tell(const struct pull *p, uint64_t done, uint64_t total)
{
	struct pull_progress progress = { p->phase, done, total };

	if (p->conf->progress)
		p->conf->progress(p->conf->ctx, &progress);
}

/* Was it asked to give up? */
static inline bool pull_interrupted(const struct pull *p)
{
	struct pollfd abort = { .fd = p->conf->abort_fd, .events = POLLIN };

	return abort.fd >= 0 && sys_poll(&abort, 1, 0) > 0;
}

#endif
