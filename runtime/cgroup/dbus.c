#include "runtime/cgroup/dbus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { READ_SIZE = 4096, ADDRESS = 256, LINE = 256 };

/* ---- where ---------------------------------------------------------------------- */

/* A value up to ',' or ';', with %XX taken back. */
static int copy_value(const char *from, char *ret, size_t size)
{
	size_t n = 0;

	for (; *from && *from != ',' && *from != ';'; from++) {
		char c = *from;

		if (c == '%') {
			if (num_hex(from[1]) < 0 || num_hex(from[2]) < 0)
				return -EINVAL;
			c = (char)(num_hex(from[1]) * 16 + num_hex(from[2]));
			from += 2;
		}
		if (!c || n + 1 >= size)
			return -EINVAL;
		ret[n++] = c;
	}
	ret[n] = '\0';
	return n ? 0 : -EINVAL;
}

static bool ends_key(char c)
{
	return c == ':' || c == ',';
}

int dbus_address(const char *list, char *ret, size_t size)
{
	for (const char *p = list; *p; p += strcspn(p, ";"), p += *p == ';') {
		const char *end = p + strcspn(p, ";");

		if (strncmp(p, "unix:", 5) != 0)
			continue;
		for (const char *k = p + 4; k < end; k++) {
			if (ends_key(*k) && !strncmp(k + 1, "path=/", 6))
				return copy_value(k + 6, ret, size);
			if (!ends_key(*k) || strncmp(k + 1, "abstract=", 9) || size < 2)
				continue;
			ret[0] = '@';
			return copy_value(k + 10, ret + 1, size - 1);
		}
	}
	return -EINVAL;
}

static int find_bus(char ret[ADDRESS], struct err *e)
{
	const char *list = getenv("DBUS_SESSION_BUS_ADDRESS");
	const char *dir = getenv("XDG_RUNTIME_DIR");

	if (list && dbus_address(list, ret, ADDRESS) >= 0)
		return 0;
	if (!dir || dir[0] != '/' || snprintf(ret, ADDRESS, "%s/bus", dir) >= ADDRESS)
		return err_set(e, -ENOENT, "no user bus is known here");
	return 0;
}

static int connect_to(struct dbus *d, const char *address, struct err *e)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t n = strlen(address);
	int r;

	if (n >= sizeof(a.sun_path))
		return err_sys(e, -ENAMETOOLONG, "user bus '%s'", address);
	memcpy(a.sun_path, address, n + 1);
	if (a.sun_path[0] == '@')
		a.sun_path[0] = '\0';
	else
		n++;
	d->fd = sys_socket(AF_UNIX, SOCK_STREAM, 0);
	if (d->fd < 0)
		return err_sys(e, d->fd, "cannot make a socket");
	r = sys_connect(d->fd, (struct sockaddr *)&a,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	return r < 0 ? err_sys(e, r, "cannot reach the user bus '%s'", address) : 0;
}

/* ---- bytes ---------------------------------------------------------------------- */

static int send_all(struct dbus *d, const char *data, size_t len, struct err *e)
{
	while (len) {
		ssize_t n = sys_send(d->fd, data, len, 0);

		if (n < 0)
			return err_sys(e, (int)n, "cannot write to the user bus");
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* More bytes into d->in, before the deadline. */
static int read_more(struct dbus *d, struct err *e)
{
	struct pollfd p = { .fd = d->fd, .events = POLLIN };
	uint64_t now = sys_now_ms();
	ssize_t n;
	int r = now < d->deadline_ms ? sys_poll(&p, 1, (int)(d->deadline_ms - now)) : 0;

	if (r == -EINTR)
		return 0;
	if (r == 0)
		return err_set(e, -ETIMEDOUT, "the user bus does not answer");
	if (r > 0)
		r = buf_reserve(&d->in, READ_SIZE);
	if (r < 0)
		return err_sys(e, r, "cannot read from the user bus");
	n = sys_recv(d->fd, d->in.data + d->in.len, READ_SIZE, 0);
	if (n <= 0)
		return err_sys(e, n ? (int)n : -ECONNRESET,
			       "cannot read from the user bus");
	buf_commit(&d->in, (size_t)n);
	return 0;
}

/* "EXTERNAL": who we are is what the socket says; the number is a formality. */
static int authenticate(struct dbus *d, struct err *e)
{
	char uid[16], line[LINE] = "AUTH EXTERNAL ";
	const char *end;
	int r;

	snprintf(uid, sizeof(uid), "%u", sys_geteuid());
	for (size_t i = 0; uid[i]; i++)
		snprintf(line + strlen(line), 3, "%02x", (unsigned char)uid[i]);
	snprintf(line + strlen(line), 3, "\r\n");
	r = send_all(d, "", 1, e);
	if (r >= 0)
		r = send_all(d, line, strlen(line), e);
	while (r >= 0 && !(end = memmem(buf_cstr(&d->in), d->in.len, "\r\n", 2))) {
		if (d->in.len > LINE)
			return err_set(e, -EPROTO, "the user bus does not speak D-Bus");
		r = read_more(d, e);
	}
	if (r < 0)
		return r;
	if (strncmp(buf_cstr(&d->in), "OK ", 3) != 0)
		return err_set(e, -EACCES, "the user bus does not accept us");
	buf_consume(&d->in, (size_t)(end - d->in.data) + 2);
	return send_all(d, "BEGIN\r\n", 7, e);
}

/* ---- messages ------------------------------------------------------------------- */

int dbus_send(struct dbus *d, struct dbus_wire_call *c, struct err *e)
{
	_cleanup_buf_ struct buf out = BUF_INIT(DBUS_WIRE_MAX);
	int r;

	c->serial = ++d->serial;
	r = dbus_wire_call(c, &out);
	if (r < 0)
		return err_sys(e, r, "cannot call %s", c->member);
	return send_all(d, out.data, out.len, e);
}

int dbus_next(struct dbus *d, struct dbus_wire_msg *ret, struct err *e)
{
	size_t size = DBUS_WIRE_HEAD;
	int r = 0;

	buf_consume(&d->in, take(&d->used, 0));
	while (r >= 0) {
		if (d->in.len >= DBUS_WIRE_HEAD &&
		    dbus_wire_size(d->in.data, &size) < 0)
			break;
		if (d->in.len >= MAX(size, (size_t)DBUS_WIRE_HEAD)) {
			if (dbus_wire_parse(d->in.data, size, ret) < 0)
				break;
			d->used = size;
			return 0;
		}
		r = read_more(d, e);
	}
	return r < 0 ? r : err_set(e, -EBADMSG, "malformed message from the user bus");
}

int dbus_open(int timeout_ms, struct dbus *ret, struct err *e)
{
	_cleanup_dbus_ struct dbus d = DBUS_NONE;
	struct dbus_wire_call hello = { .destination = "org.freedesktop.DBus",
					.path = "/org/freedesktop/DBus",
					.interface = "org.freedesktop.DBus",
					.member = "Hello" };
	struct dbus_wire_msg m = { 0 };
	char address[ADDRESS];
	int r;

	d.deadline_ms = sys_now_ms() + (uint64_t)timeout_ms;
	r = find_bus(address, e) ?: connect_to(&d, address, e) ?:
		authenticate(&d, e) ?: dbus_send(&d, &hello, e);
	while (r >= 0 && m.reply_serial != hello.serial)
		r = dbus_next(&d, &m, e);
	if (r < 0)
		return r;
	if (m.type != DBUS_WIRE_RETURN)
		return err_set(e, -EPROTO, "the user bus refused our hello");
	*ret = take(&d, DBUS_NONE);
	return 0;
}

void dbus_close(struct dbus *d)
{
	scope_close(&d->fd);
	buf_done(&d->in);
}
