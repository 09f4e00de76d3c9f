/* gate_preset - the named lists of hosts: "--allow @debian".
 * Needs:  nothing.
 * Owns:   the lists; preset.c holds nothing else, docs/network.md repeats them.
 * Never:  names a host that is not needed to fetch packages or sources. */
#ifndef RUNTIME_GATE_PRESET_H
#define RUNTIME_GATE_PRESET_H

#include <stddef.h>

enum { GATE_PRESET_HOSTS = 16 };

struct gate_preset {
	const char *name;		      /* with the @ */
	const char *hosts[GATE_PRESET_HOSTS]; /* patterns; NULL behind the last */
};

/** gate_preset_find() - NULL when there is none of that name */
const struct gate_preset *gate_preset_find(const char *name);
/** gate_preset_at() - the @i-th, for lists; NULL past the end */
const struct gate_preset *gate_preset_at(size_t i);

#endif
