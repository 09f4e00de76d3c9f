/* dbus - a connection to the caller's session bus, for a call or two.
 * Needs:  a bus at DBUS_SESSION_BUS_ADDRESS or XDG_RUNTIME_DIR/bus.
 * Owns:   its socket.
 * Never:  starts a bus; waits longer than its deadline. */
#ifndef RUNTIME_CGROUP_DBUS_H
#define RUNTIME_CGROUP_DBUS_H

#include "base/err.h"
#include "runtime/cgroup/dbus_wire.h"

struct dbus {
	int fd; /* owned; -1 = none */
	uint32_t serial;
	uint64_t deadline_ms;
	struct buf in; /* owned */
	size_t used;   /* bytes of the message that was returned last */
};
#define DBUS_NONE ((struct dbus){ .fd = -1, .in = BUF_INIT(2 * DBUS_WIRE_MAX) })

/** dbus_address() - pure: the first Unix socket of an address list as a path, or with
 *  '@' for NUL as an abstract name; -EINVAL when there is none */
int dbus_address(const char *list, char *ret, size_t size);

/** dbus_open() - connect, authenticate, say hello; everything within @timeout_ms */
int dbus_open(int timeout_ms, struct dbus *ret, struct err *e);
void dbus_close(struct dbus *d);
#define _cleanup_dbus_ _cleanup_(dbus_close)

/** dbus_send() - the serial is chosen here and left in @c */
int dbus_send(struct dbus *d, struct dbus_wire_call *c, struct err *e);
/** dbus_next() - the next message; valid until the next call */
int dbus_next(struct dbus *d, struct dbus_wire_msg *ret, struct err *e);

#endif
