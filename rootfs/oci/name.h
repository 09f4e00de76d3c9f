/* name - the name of an image in a registry, as docker and podman write it.
 * Needs:  nothing; pure.
 * Owns:   nothing.
 * Never:  lets a character into a host, path or tag that has another meaning in a URL. */
#ifndef ROOTFS_OCI_NAME_H
#define ROOTFS_OCI_NAME_H

#include "base/digest.h"
#include "base/err.h"

enum { OCI_HOST = 128, OCI_REPO = 256, OCI_TAG = 130, OCI_NAME = 704 };

struct oci_name {
	char registry[OCI_HOST]; /* as people say it: "docker.io", "localhost:5000" */
	char host[OCI_HOST];	 /* whom to ask: "registry-1.docker.io" */
	char repo[OCI_REPO];	 /* "library/debian" */
	char tag[OCI_TAG];	 /* "" where only a digest was given */
	struct digest digest;	 /* none, or it counts, and the tag is for show */
	bool loopback;		 /* the host is this machine: http will do */
	bool bare; /* no registry was said: it is Docker Hub's, or an alias */
};

/**
 * oci_name_parse() - [REGISTRY[:PORT]/]REPOSITORY[:TAG][@DIGEST]
 *
 * The first part is a registry only with a '.' or ':' in it, or as "localhost"; without one
 * it is Docker Hub's. Without tag and digest the tag is "latest".
 * Return: 0 or -EINVAL, with what is wrong.
 */
int oci_name_parse(const char *text, struct oci_name *ret, struct err *e);

/** oci_name_text() - the short form: "debian:12", "ghcr.io/x/y@sha256:…" */
void oci_name_text(const struct oci_name *n, char ret[OCI_NAME]);

/** oci_name_is_loopback() - is HOST[:PORT] this machine, by its name alone? */
bool oci_name_is_loopback(const char *host);

#endif
