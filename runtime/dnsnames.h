/* dnsnames - an address of 198.18.0.0/15 for every name that the box asked for, for the
 * box's life.
 * Needs:  an area of memory, or a memfd so that the names outlive this process.
 * Owns:   its index; never the memfd.
 * Never:  gives an address to a second name, or forgets one: when it is full, it is
 *         full. */
#ifndef RUNTIME_DNSNAMES_H
#define RUNTIME_DNSNAMES_H

#include "base/err.h"
#include "base/scope.h"
#include "runtime/netaddr.h"

enum {
	DNSNAMES_MAX = 16384,	   /* names of one box */
	DNSNAMES_BYTES = 1 << 20,  /* of their text together */
	DNSNAMES_FIRST = 16,	   /* the addresses below are the gate's own */
	DNSNAMES_RANGE = 1u << 17, /* addresses of a /15 */
	DNSNAMES_NONE = -1
};

struct dnsnames;

/**
 * dnsnames_new() - with the names that the memfd @fd holds already
 * @fd: DNSNAMES_BYTES long, mapped shared; borrowed for the call; -1 = private memory
 */
int dnsnames_new(int fd, struct dnsnames **ret, struct err *e);
void dnsnames_free(struct dnsnames **d);
#define _cleanup_dnsnames_ _cleanup_(dnsnames_free)

/** dnsnames_add() - number of a name, new or known; -ENOSPC, -ENOMEM, -EINVAL (its
 *  length). The name is lower case, without a final dot. */
int dnsnames_add(struct dnsnames *d, const char *name);
/** dnsnames_find() - number of a name that is known; DNSNAMES_NONE */
int dnsnames_find(const struct dnsnames *d, const char *name);
/** dnsnames_at() - the name of an address: borrowed until the next dnsnames_add(); NULL
 *  when the address is not in the range or not given away. @index may be NULL. */
const char *dnsnames_at(const struct dnsnames *d, const struct netaddr *a, int *index);
struct netaddr dnsnames_addr(int index);
int dnsnames_count(const struct dnsnames *d);

/** dnsnames_in_range() - an address of 198.18.0.0/15, given away or not */
bool dnsnames_in_range(const struct netaddr *a);

#endif
