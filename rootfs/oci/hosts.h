/* hosts - what a machine says of a registry to containerd: certs.d/HOST/hosts.toml, or that of
 * certs.d/_default.
 * Needs:  HOME.
 * Owns:   nothing.
 * Never:  writes any of it; names a place that is asked by http, but for this machine, or one
 *         that no file may give what it wants: header fields and certificates of clients are
 *         not read. */
#ifndef ROOTFS_OCI_HOSTS_H
#define ROOTFS_OCI_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { HOSTS_MOST = 8, HOSTS_URL = 300, HOSTS_PATH = 1024 };

struct hosts_place {
	char url[HOSTS_URL]; /* "https://mirror.example/path", without a '/' at its end */
	char ca[HOSTS_PATH]; /* a file of certificates; "" = none */
	bool whole; /* "override_path": the interface is there, not in its "/v2" */
	bool told;  /* "capabilities" are named: these */
	bool pull, resolve; /* digests; tags */
};

struct hosts {
	struct hosts_place places[HOSTS_MOST]; /* in their order */
	size_t n;
	struct hosts_place
		server; /* the registry itself; url "" = where it always is */
};

/** hosts_read() - one file; pure. Places that cannot be asked are left out.
 *  Return: 0; -EINVAL ("line 3: …"). */
int hosts_read(const char *text, size_t len, struct hosts *ret, struct err *e);

/** hosts_find() - what the first file that there is says of @registry, "host:port" or
 *  "docker.io". Nothing where there is none. Return: 0, or why a file cannot be read. */
int hosts_find(const char *registry, struct hosts *ret, struct err *e);

#endif
