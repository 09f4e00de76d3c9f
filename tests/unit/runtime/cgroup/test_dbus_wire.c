#include "runtime/cgroup/dbus_wire.h"

#include <stdlib.h>

#include "tests/unit/unit.h"

/* A call as the reader sees it: what one side writes the other reads. */
static struct buf call(void)
{
	struct buf body = BUF_INIT(256), out = BUF_INIT(1024);
	struct dbus_wire_writer w = { .out = &body };
	struct dbus_wire_call c = { .destination = "a.b",
				    .path = "/a",
				    .interface = "a.b.C",
				    .member = "Do",
				    .signature = "sus",
				    .body = &body,
				    .serial = 7 };

	dbus_wire_str(&w, "text");
	dbus_wire_u32(&w, 0x01020304);
	dbus_wire_str(&w, "");
	assert_int_equal(w.failed, 0);
	assert_int_equal(dbus_wire_call(&c, &out), 0);
	buf_done(&body);
	return out;
}

static void there_and_back(void)
{
	struct buf msg = call();
	struct dbus_wire_msg m;
	const char *s;
	uint32_t n;
	size_t size;

	assert_int_equal(dbus_wire_size(msg.data, &size), 0);
	assert_int_equal(size, msg.len);
	assert_int_equal(dbus_wire_parse(msg.data, msg.len, &m), 0);
	assert_int_equal(m.type, DBUS_WIRE_CALL);
	assert_string_equal(m.interface, "a.b.C");
	assert_string_equal(m.member, "Do");
	assert_string_equal(m.error, "");
	assert_string_equal(m.signature, "sus");
	assert_int_equal(dbus_wire_get_str(&m.body, &s), 0);
	assert_string_equal(s, "text");
	assert_int_equal(dbus_wire_get_u32(&m.body, &n), 0);
	assert_int_equal(n, 0x01020304);
	assert_int_equal(dbus_wire_get_str(&m.body, &s), 0);
	assert_string_equal(s, "");
	assert_int_equal(dbus_wire_get_u32(&m.body, &n), -EBADMSG);
	buf_done(&msg);
}

/* Exactly what the specification says of a message without a body. */
static void bytes(void)
{
	static const unsigned char want[] = {
		'l', 1,	  0,   1,   0,	0, 0, 0,
		1,   0,	  0,   0,   29, 0, 0, 0, /* sizes, serial */
		1,   1,	  'o', 0,   2,	0, 0, 0,
		'/', 'a', 0,   0,   0,	0, 0, 0, /* path */
		3,   1,	  's', 0,   4,	0, 0, 0,
		'P', 'i', 'n', 'g', 0,	0, 0, 0, /* member */
	};
	struct dbus_wire_call c = { .path = "/a", .member = "Ping", .serial = 1 };
	struct buf out = BUF_INIT(256);

	assert_int_equal(dbus_wire_call(&c, &out), 0);
	assert_int_equal(out.len, sizeof(want));
	assert_memory_equal(out.data, want, sizeof(want));
	buf_done(&out);
}

/* Every cut and every changed byte is an error or another message, never a crash; run
 * under the sanitizers it is never a read outside. */
static void damage(void)
{
	struct buf msg = call();
	struct dbus_wire_msg m;
	const char *s;

	for (size_t n = 0; n < msg.len; n++) {
		char *cut = malloc(n + 1);

		memcpy(cut, msg.data, n);
		assert_int_equal(dbus_wire_parse(cut, n, &m), -EBADMSG);
		free(cut);
	}
	for (size_t i = 0; i < msg.len * 256; i++) {
		char *bad = malloc(msg.len);

		memcpy(bad, msg.data, msg.len);
		bad[i / 256] = (char)(i % 256);
		if (dbus_wire_parse(bad, msg.len, &m) == 0)
			while (dbus_wire_get_str(&m.body, &s) == 0)
				assert_true(strlen(s) < msg.len);
		free(bad);
	}
	buf_done(&msg);
}

static void too_large(void)
{
	unsigned char head[DBUS_WIRE_HEAD] = { 'l', 1, 0, 1 };
	size_t size = 5;

	memset(head + 4, 0xff, 4);
	assert_int_equal(dbus_wire_size(head, &size), -EBADMSG);
	memset(head + 4, 0, 4);
	memset(head + 12, 0xff, 4);
	assert_int_equal(dbus_wire_size(head, &size), -EBADMSG);
	assert_int_equal(size, 5);
	head[0] = 'B';
	assert_int_equal(dbus_wire_size(head, &size), -EBADMSG);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "what is written is read", there_and_back },
		{ "the bytes are those of the specification", bytes },
		{ "damage is found", damage },
		{ "a size past the limit is refused", too_large },
	};

	return unit_cases("dbus_wire", cases);
}
