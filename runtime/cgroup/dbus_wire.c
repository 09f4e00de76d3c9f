#include "runtime/cgroup/dbus_wire.h"

#include <errno.h>
#include <string.h>

enum {
	FIELD_PATH = 1,
	FIELD_INTERFACE,
	FIELD_MEMBER,
	FIELD_ERROR,
	FIELD_REPLY,
	FIELD_DESTINATION,
	FIELD_SENDER,
	FIELD_SIGNATURE,
	FIELD_FDS
};

static size_t padded(size_t n, unsigned align)
{
	return (n + align - 1) / align * align;
}

static uint32_t load(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

/* ---- reading -------------------------------------------------------------------- */

static int skip_to(struct dbus_wire_reader *r, unsigned align)
{
	size_t at = padded(r->at, align);

	if (at > r->len)
		return -EBADMSG;
	r->at = at;
	return 0;
}

int dbus_wire_get_u32(struct dbus_wire_reader *r, uint32_t *ret)
{
	if (skip_to(r, 4) < 0 || r->len - r->at < 4)
		return -EBADMSG;
	*ret = load(r->data + r->at);
	r->at += 4;
	return 0;
}

/* @n bytes and a NUL, with none inside. */
static int get_text(struct dbus_wire_reader *r, size_t n, const char **ret)
{
	const unsigned char *p = r->data + r->at;

	if (n >= r->len - r->at || p[n] || memchr(p, 0, n))
		return -EBADMSG;
	*ret = (const char *)p;
	r->at += n + 1;
	return 0;
}

int dbus_wire_get_str(struct dbus_wire_reader *r, const char **ret)
{
	uint32_t n;

	return dbus_wire_get_u32(r, &n) < 0 ? -EBADMSG : get_text(r, n, ret);
}

static int get_sig(struct dbus_wire_reader *r, const char **ret)
{
	if (r->at >= r->len)
		return -EBADMSG;
	r->at++;
	return get_text(r, r->data[r->at - 1], ret);
}

int dbus_wire_size(const void *head, size_t *ret)
{
	const unsigned char *p = head;
	uint64_t size;

	if (p[0] != 'l' || p[3] != 1)
		return -EBADMSG;
	size = padded((size_t)DBUS_WIRE_HEAD + load(p + 12), 8) + (uint64_t)load(p + 4);
	if (size > DBUS_WIRE_MAX)
		return -EBADMSG;
	*ret = (size_t)size;
	return 0;
}

/* One field "(yv)" of the header. Variants of other types than the known fields have
 * cannot be skipped without a parser of signatures, and nobody may send them. */
static int read_field(struct dbus_wire_reader *r, struct dbus_wire_msg *m)
{
	const char *type, *text;
	uint32_t number;
	uint8_t code;

	if (skip_to(r, 8) < 0 || r->at >= r->len)
		return -EBADMSG;
	code = r->data[r->at++];
	if (get_sig(r, &type) < 0)
		return -EBADMSG;
	if (!strcmp(type, "u")) {
		if (dbus_wire_get_u32(r, &number) < 0)
			return -EBADMSG;
		if (code == FIELD_REPLY)
			m->reply_serial = number;
		return 0;
	}
	if (!strcmp(type, "g")) {
		if (get_sig(r, &text) < 0)
			return -EBADMSG;
	} else if ((strcmp(type, "s") && strcmp(type, "o")) ||
		   dbus_wire_get_str(r, &text) < 0) {
		return -EBADMSG;
	}
	if (code == FIELD_INTERFACE)
		m->interface = text;
	else if (code == FIELD_MEMBER)
		m->member = text;
	else if (code == FIELD_ERROR)
		m->error = text;
	else if (code == FIELD_SIGNATURE)
		m->signature = text;
	return 0;
}

int dbus_wire_parse(const void *data, size_t len, struct dbus_wire_msg *ret)
{
	struct dbus_wire_msg m = {
		.interface = "", .member = "", .error = "", .signature = ""
	};
	const unsigned char *p = data;
	struct dbus_wire_reader head = { .data = p, .at = DBUS_WIRE_HEAD };
	size_t size, body;

	if (len < DBUS_WIRE_HEAD || dbus_wire_size(p, &size) < 0 || size != len)
		return -EBADMSG;
	m.type = p[1];
	head.len = DBUS_WIRE_HEAD + load(p + 12);
	while (head.at < head.len)
		if (read_field(&head, &m) < 0)
			return -EBADMSG;
	body = padded(head.len, 8);
	m.body = (struct dbus_wire_reader){ .data = p + body, .len = len - body };
	*ret = m;
	return 0;
}

/* ---- writing -------------------------------------------------------------------- */

static void put(struct dbus_wire_writer *w, const void *data, size_t n)
{
	if (!w->failed)
		w->failed = buf_add(w->out, data, n);
}

static void align_to(struct dbus_wire_writer *w, unsigned align)
{
	static const char zeros[8];

	put(w, zeros, padded(w->out->len, align) - w->out->len);
}

void dbus_wire_u32(struct dbus_wire_writer *w, uint32_t v)
{
	const unsigned char p[] = { v & 0xff, v >> 8 & 0xff, v >> 16 & 0xff, v >> 24 };

	align_to(w, 4);
	put(w, p, sizeof(p));
}

void dbus_wire_str(struct dbus_wire_writer *w, const char *s)
{
	dbus_wire_u32(w, (uint32_t)strlen(s));
	put(w, s, strlen(s) + 1);
}

void dbus_wire_sig(struct dbus_wire_writer *w, const char *s)
{
	const unsigned char n = (unsigned char)strlen(s);

	put(w, &n, 1);
	put(w, s, (size_t)n + 1);
}

void dbus_wire_struct(struct dbus_wire_writer *w)
{
	align_to(w, 8);
}

size_t dbus_wire_array(struct dbus_wire_writer *w, unsigned align)
{
	size_t place;

	dbus_wire_u32(w, 0);
	place = w->out->len - 4;
	align_to(w, align);
	return place;
}

void dbus_wire_array_end(struct dbus_wire_writer *w, size_t place, unsigned align)
{
	size_t n = w->out->len - padded(place + 4, align);

	for (unsigned i = 0; i < 4 && !w->failed; i++)
		w->out->data[place + i] = (char)(n >> 8 * i & 0xff);
}

static void put_field(struct dbus_wire_writer *w, uint8_t code, const char *type,
		      const char *value)
{
	if (!value)
		return;
	dbus_wire_struct(w);
	put(w, &code, 1);
	dbus_wire_sig(w, type);
	if (*type == 'g')
		dbus_wire_sig(w, value);
	else
		dbus_wire_str(w, value);
}

int dbus_wire_call(const struct dbus_wire_call *c, struct buf *out)
{
	static const unsigned char start[] = { 'l', DBUS_WIRE_CALL, 0, 1 };
	_cleanup_buf_ struct buf msg = BUF_INIT(DBUS_WIRE_MAX);
	struct dbus_wire_writer w = { .out = &msg };
	size_t fields;

	put(&w, start, sizeof(start));
	dbus_wire_u32(&w, c->body ? (uint32_t)c->body->len : 0);
	dbus_wire_u32(&w, c->serial);
	fields = dbus_wire_array(&w, 8);
	put_field(&w, FIELD_PATH, "o", c->path);
	put_field(&w, FIELD_DESTINATION, "s", c->destination);
	put_field(&w, FIELD_INTERFACE, "s", c->interface);
	put_field(&w, FIELD_MEMBER, "s", c->member);
	put_field(&w, FIELD_SIGNATURE, "g", c->signature);
	dbus_wire_array_end(&w, fields, 8);
	align_to(&w, 8);
	if (c->body)
		put(&w, c->body->data, c->body->len);
	return w.failed < 0 ? w.failed : buf_add(out, msg.data, msg.len);
}
