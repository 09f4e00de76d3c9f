/* source - what a person wrote for an image: "ubuntu", a URL, a tarball, a directory.
 * Needs:  nothing; looks whether a path is a directory.
 * Owns:   nothing.
 * Never:  fetches anything. */
#ifndef ROOTFS_IMAGE_SOURCE_H
#define ROOTFS_IMAGE_SOURCE_H

#include <limits.h>

#include "base/err.h"
#include "rootfs/image/image.h"

enum source_kind {
	SOURCE_UBUNTU,	      /* where: the release, "24.04" */
	SOURCE_URL,	      /* where: the URL */
	SOURCE_FILE,	      /* where: absolute path of a tarball */
	SOURCE_DIR,	      /* where: absolute path of a directory */
	SOURCE_REGISTRY,      /* where: the name, as oci_name_parse() takes it */
	SOURCE_OCI,	      /* where: of an OCI layout; ref: its entry */
	SOURCE_OCI_ARCHIVE,   /* where: of a tarball of one; ref: its entry */
	SOURCE_DOCKER_ARCHIVE /* where: of what 'docker save' wrote; ref: "name:tag" */
};

struct source {
	enum source_kind kind;
	char name[IMAGE_NAME]; /* what the image is called: "ubuntu:24.04", "my-root" */
	char where[PATH_MAX];
	char ref[IMAGE_NAME]; /* which of several images; "" = the only one */
};

#define SOURCE_UBUNTU_DEFAULT "24.04"

/**
 * source_parse() - read an image reference
 *
 * "ubuntu", "ubuntu:RELEASE" and "ubuntu:CODENAME"; "http://…", "https://…"; what has a
 * '/' in it or ends like a tarball is a path; "oci:", "oci-archive:" and "docker-archive:"
 * before a path, and ":REF" behind it. All else is the name of an image in a registry, also
 * what has a '/' in it, as long as no such path is there; "docker://" says so.
 * Return: 0; -EINVAL (no such image: the message lists what there is); -ENOENT, -EACCES
 *         of a path; -ENAMETOOLONG.
 */
int source_parse(const char *ref, struct source *ret, struct err *e);

/** source_layered() - is it an image in layers? */
bool source_layered(const struct source *s);

/** source_text() - a text that source_parse() reads as @s; 0 or -ENAMETOOLONG */
int source_text(const struct source *s, char *ret, size_t size);

#endif
