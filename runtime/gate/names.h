/* gate_names - an address of 198.18.0.0/15 for every name that the box asked for, for the
 * box's life.
 * Needs:  an area of memory, or a memfd so that the names outlive this process.
 * Owns:   its index; never the memfd.
 * Never:  gives an address to a second name, or forgets one: when it is full, it is
 *         full. */
#ifndef RUNTIME_GATE_NAMES_H
#define RUNTIME_GATE_NAMES_H

#include "base/err.h"
#include "base/scope.h"
#include "runtime/net/addr.h"

enum {
	GATE_NAMES_MAX = 65536,	     /* names of one box */
	GATE_NAMES_BYTES = 4 << 20,  /* of their text together */
	GATE_NAMES_FIRST = 16,	     /* the addresses below are the gate's own */
	GATE_NAMES_RANGE = 1u << 17, /* addresses of a /15 */
	GATE_NAMES_NONE = -1
};

struct gate_names;

/**
 * gate_names_new() - with the names that the memfd @fd holds already
 * @fd: GATE_NAMES_BYTES long, mapped shared; borrowed for the call; -1 = private memory
 */
int gate_names_new(int fd, struct gate_names **ret, struct err *e);
void gate_names_free(struct gate_names **d);
#define _cleanup_gate_names_ _cleanup_(gate_names_free)

/** gate_names_add() - number of a name, new or known; -ENOSPC, -ENOMEM, -EINVAL (its
 *  length). The name is lower case, without a final dot. */
int gate_names_add(struct gate_names *d, const char *name);
/** gate_names_find() - number of a name that is known; GATE_NAMES_NONE */
int gate_names_find(const struct gate_names *d, const char *name);
/** gate_names_at() - the name of an address: borrowed until the next gate_names_add(); NULL
 *  when the address is not in the range or not given away. */
const char *gate_names_at(const struct gate_names *d, const struct netaddr *a);
struct netaddr gate_names_addr(int index);
int gate_names_count(const struct gate_names *d);

/** gate_names_in_range() - an address of 198.18.0.0/15, given away or not */
bool gate_names_in_range(const struct netaddr *a);

#endif
