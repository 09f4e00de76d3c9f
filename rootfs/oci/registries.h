/* registries - what a machine says of registries: podman's registries.conf
 * (containers-registries.conf(5)) and the "registry-mirrors" of docker's daemon.json.
 * Needs:  HOME.
 * Owns:   nothing.
 * Never:  writes any of it; believes a location that names no registry. */
#ifndef ROOTFS_OCI_REGISTRIES_H
#define ROOTFS_OCI_REGISTRIES_H

#include "rootfs/oci/name.h"

enum { REGISTRIES_MIRRORS = 8 };

struct registries {
	struct oci_name name; /* where the image itself is to be had */
	struct oci_name
		mirrors[REGISTRIES_MIRRORS]; /* who is asked before, in this order */
	size_t n;
};

/** registries_alias() - of a name without a registry: the one that [aliases] has for it
 *  Return: 1 = @name is another now, 0, or why a file cannot be read. */
int registries_alias(struct oci_name *name, struct err *e);

/** registries_find() - what the [[registry]] of the longest prefix says of @name
 *  Return: 0; -EPERM (blocked); why a file cannot be read. */
int registries_find(const struct oci_name *name, struct registries *ret, struct err *e);

/* The same of texts, pure: what is searched, in one file after the other. */
struct registries_row {
	char prefix[OCI_NAME], location[OCI_NAME];
	bool open, blocked, by_digest;
	size_t n;
	struct registries_mirror {
		char location[OCI_NAME];
		enum { MIRROR_ALL, MIRROR_DIGEST, MIRROR_TAG } of;
	} mirrors[REGISTRIES_MIRRORS];
};

struct registries_search {
	char full[OCI_NAME];	/* "docker.io/library/debian:12" */
	char shorter[OCI_REPO]; /* "debian": what an alias is for */
	char alias[OCI_NAME];	/* found; "" = none */
	struct registries_row now, best;
	size_t covered; /* bytes of full that the best one's prefix stands for; 0 = none */
};
void registries_begin(const struct oci_name *name, struct registries_search *s);
int registries_read(struct registries_search *s, const char *text, size_t len,
		    struct err *e);
int registries_end(const struct registries_search *s, const struct oci_name *name,
		   struct registries *ret, struct err *e);

/** registries_docker() - adds the mirrors of a daemon.json, which are for docker.io alone */
int registries_docker(const char *text, size_t len, struct registries *ret,
		      struct err *e);

#endif
