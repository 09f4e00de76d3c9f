/* dbus_wire - messages of D-Bus as bytes: as much of them as one call to systemd needs
 * (D-Bus Specification 0.43, "Message Protocol"). Pure.
 * Needs:  whole messages to read; little-endian ones alone, as our peers send.
 * Owns:   nothing.
 * Never:  reads outside of the message that it was given. */
#ifndef RUNTIME_CGROUP_DBUS_WIRE_H
#define RUNTIME_CGROUP_DBUS_WIRE_H

#include "base/buf.h"

enum {
	DBUS_WIRE_HEAD = 16,	   /* bytes that tell the size */
	DBUS_WIRE_MAX = 256 << 10, /* bytes of a message; the protocol allows 128 MiB */
	DBUS_WIRE_CALL = 1,
	DBUS_WIRE_RETURN = 2,
	DBUS_WIRE_ERROR = 3,
	DBUS_WIRE_SIGNAL = 4
};

/* ---- reading -------------------------------------------------------------------- */

struct dbus_wire_reader {
	const unsigned char *data; /* borrowed: the body */
	size_t len, at;
};

struct dbus_wire_msg {
	uint8_t type;
	uint32_t reply_serial; /* 0 = none */
	/* Into the message; "" = not there. */
	const char *interface, *member, *error, *signature;
	struct dbus_wire_reader body;
};

/** dbus_wire_size() - of the whole message that begins so; -EBADMSG */
int dbus_wire_size(const void *head, size_t *ret);
/** dbus_wire_parse() - 0 or -EBADMSG; @ret points into @data */
int dbus_wire_parse(const void *data, size_t len, struct dbus_wire_msg *ret);

/* The next value of a body: 0 or -EBADMSG. */
int dbus_wire_get_u32(struct dbus_wire_reader *r, uint32_t *ret);
/** dbus_wire_get_str() - a string or an object path; NUL-terminated, borrowed */
int dbus_wire_get_str(struct dbus_wire_reader *r, const char **ret);

/* ---- writing: values are aligned as their types ask ----------------------------- */

/* A full buffer is found out at the end: dbus_wire_call() then fails. */
struct dbus_wire_writer {
	struct buf *out; /* borrowed */
	int failed;	 /* 0, or the first failure */
};

void dbus_wire_u32(struct dbus_wire_writer *w, uint32_t v);
void dbus_wire_str(struct dbus_wire_writer *w, const char *s);
void dbus_wire_sig(struct dbus_wire_writer *w, const char *s);
/** dbus_wire_array() - returns the place that dbus_wire_array_end() fills; @align is
 *  that of the elements */
size_t dbus_wire_array(struct dbus_wire_writer *w, unsigned align);
void dbus_wire_array_end(struct dbus_wire_writer *w, size_t place, unsigned align);
/** dbus_wire_struct() - alignment of a struct that follows */
void dbus_wire_struct(struct dbus_wire_writer *w);

struct dbus_wire_call {
	const char *destination, *path, *interface, *member;
	const char *signature;	/* of the body; NULL = none */
	const struct buf *body; /* NULL = none */
	uint32_t serial;	/* not 0 */
};

/** dbus_wire_call() - append the message to @out; 0, -EMSGSIZE or -ENOMEM */
int dbus_wire_call(const struct dbus_wire_call *c, struct buf *out);

#endif
