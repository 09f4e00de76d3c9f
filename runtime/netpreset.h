/* netpreset - the named lists of hosts: "--allow @debian".
 * Needs:  nothing.
 * Owns:   the lists; netpreset.c holds nothing else, docs/network.md repeats them.
 * Never:  names a host that is not needed to fetch packages or sources. */
#ifndef RUNTIME_NETPRESET_H
#define RUNTIME_NETPRESET_H

#include <stddef.h>

enum { NETPRESET_HOSTS = 16 };

struct netpreset {
	const char *name;		    /* with the @ */
	const char *hosts[NETPRESET_HOSTS]; /* patterns; NULL behind the last */
};

/** netpreset_find() - NULL when there is none of that name */
const struct netpreset *netpreset_find(const char *name);
/** netpreset_at() - the @i-th, for lists; NULL past the end */
const struct netpreset *netpreset_at(size_t i);

#endif
