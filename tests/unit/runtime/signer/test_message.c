#include "runtime/signer/message.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/unit.h"

#define IN(s) (s), sizeof(s) - 1
#define KEY "\0\0\0\3key"
#define LOGIN(sid, what, method, key, rest)                             \
	"\0\0\0\2" sid "\x32\0\0\0\3git\0\0\0\x0e" what "\0\0\0" method \
	"\1\0\0\0\1a" key rest
#define SSH "ssh-connection"
#define PLAIN "\x09publickey"
#define BOUND "\x23publickey-hostbound-v00@openssh.com"
#define BIND "\x1b\0\0\0\x18session-bind@openssh.com"

/* One letter each: what it is, and of what is signed: a login, of which session, by whom, at
 * whom. */
static const struct row {
	const char *name, *in;
	size_t len;
	const char *want; /* "" = refused */
} rows[] = {
	{ "list", IN("\x0b"), "list" },
	{ "list and more", IN("\x0b\0"), "" },
	{ "empty", IN(""), "" },
	{ "add a key", IN("\x11 whatever"), "other" },
	{ "lock", IN("\x16\0\0\0\1x"), "other" },
	{ "remove all", IN("\x13"), "other" },
	{ "another extension", IN("\x1b\0\0\0\5query"), "other" },
	{ "an extension cut off", IN("\x1b\0\0\0\xffquery"), "" },
	{ "bind", IN(BIND "\0\0\0\4host\0\0\0\2id\0\0\0\3sig\0"), "bind host id" },
	{ "bind for others", IN(BIND "\0\0\0\4host\0\0\0\2id\0\0\0\3sig\1"),
	  "bind host id forwarding" },
	{ "bind without its end", IN(BIND "\0\0\0\4host\0\0\0\2id\0\0\0\3sig"), "" },
	{ "bind and more", IN(BIND "\0\0\0\4host\0\0\0\2id\0\0\0\3sig\0\0"), "" },
	{ "bind of no session", IN(BIND "\0\0\0\4host\0\0\0\0\0\0\0\3sig\0"), "" },
	{ "bind of no host", IN(BIND "\0\0\0\0\0\0\0\2id\0\0\0\3sig\0"), "" },
	{ "login",
	  IN("\x0d" KEY "\0\0\0\x3a" LOGIN("id", SSH, PLAIN, KEY, "") "\0\0\0\0"),
	  "sign key login id git" },
	{ "login bound to a host",
	  IN("\x0d" KEY
	     "\0\0\0\x5c" LOGIN("id", SSH, BOUND, KEY, "\0\0\0\4host") "\0\0\0\4"),
	  "sign key login id git at host" },
	{ "bound to none",
	  IN("\x0d" KEY
	     "\0\0\0\x58" LOGIN("id", SSH, BOUND, KEY, "\0\0\0\0") "\0\0\0\4"),
	  "sign key" },
	{ "another key",
	  IN("\x0d\0\0\0\3kez\0\0\0\x3a" LOGIN("id", SSH, PLAIN, KEY, "") "\0\0\0\0"),
	  "sign kez" },
	{ "another service",
	  IN("\x0d" KEY
	     "\0\0\0\x3a" LOGIN("id", "ssh-connectiox", PLAIN, KEY, "") "\0\0\0\0"),
	  "sign key" },
	{ "more than a login",
	  IN("\x0d" KEY "\0\0\0\x3b" LOGIN("id", SSH, PLAIN, KEY, "x") "\0\0\0\0"),
	  "sign key" },
	{ "less",
	  IN("\x0d" KEY
	     "\0\0\0\x39" LOGIN("id", SSH, PLAIN, "\0\0\0\3ke", "") "\0\0\0\0"),
	  "sign key" },
	{ "a user that is more than a name",
	  IN("\x0d" KEY "\0\0\0\x3a\0\0\0\2id\x32\0\0\0\3g' \0\0\0\x0e" SSH
	     "\0\0\0" PLAIN "\1\0\0\0\1a" KEY "\0\0\0\0"),
	  "sign key" },
	{ "a signature of a file", IN("\x0d" KEY "\0\0\0\x0aSSHSIG\0\0\0\3\0\0\0\0"),
	  "sign key" },
	{ "cut off", IN("\x0d" KEY "\0\0\0\x0aSSHSIG"), "" },
	{ "a length beyond all", IN("\x0d\xff\xff\xff\xffkey"), "" },
};

static void add(struct buf *out, const char *what, struct signer_bytes b)
{
	if (b.len)
		buf_addf(out, "%s%.*s", what, (int)b.len, (const char *)b.data);
}

static void test_read(const void *p)
{
	static const char *const kinds[] = { "list", "bind", "sign", "other" };
	const struct row *row = p;
	_cleanup_buf_ struct buf got = BUF_INIT(200);
	struct signer_message m;
	int r = signer_message_read(row->in, row->len, &m);

	assert_int_equal(r, *row->want ? 0 : -EBADMSG);
	if (r < 0)
		return;
	buf_adds(&got, kinds[m.kind]);
	add(&got, " ", m.key);
	if (m.login)
		buf_adds(&got, " login");
	add(&got, " ", m.session);
	add(&got, " ", m.user);
	add(&got, " at ", m.host);
	if (m.forwarding)
		buf_adds(&got, " forwarding");
	assert_string_equal(buf_cstr(&got), row->want);
}

static void test_long(void)
{
	struct signer_message m;
	char in[200] = "\x1b\0\0\0\x18session-bind@openssh.com\0\0\0\1h\0\0\0\x41";
	size_t at = 1 + 4 + 24 + 4 + 1 + 4;

	assert_int_equal(signer_message_read(in, at + 0x41 + 4 + 1, &m), -EBADMSG);
	in[at - 1] = 0x40;
	assert_int_equal(signer_message_read(in, at + 0x40 + 4 + 1, &m), 0);
	assert_int_equal(m.session.len, SIGNER_SESSION_MAX);
}

static const struct list_row {
	const char *name, *in;
	size_t len;
	const char *want;
	size_t want_len;
} lists[] = {
	{ "none", IN("\x0c\0\0\0\0"), IN("\x0c\0\0\0\0") },
	{ "two", IN("\x0c\0\0\0\2" KEY "\0\0\0\5words" KEY "\0\0\0\0"),
	  IN("\x0c\0\0\0\2" KEY "\0\0\0\0" KEY "\0\0\0\0") },
	{ "fewer than it says", IN("\x0c\0\0\0\2" KEY "\0\0\0\0"), NULL, 0 },
	{ "more", IN("\x0c\0\0\0\1" KEY "\0\0\0\0x"), NULL, 0 },
	{ "another answer", IN("\x05"), NULL, 0 },
	{ "very many", IN("\x0c\xff\xff\xff\xff"), NULL, 0 },
};

static void test_list(const void *p)
{
	const struct list_row *row = p;
	_cleanup_buf_ struct buf got = BUF_INIT(200);
	int r = signer_message_list(row->in, row->len, &got);

	assert_int_equal(r, row->want ? 0 : -EBADMSG);
	if (r < 0)
		return;
	assert_int_equal(got.len, row->want_len);
	assert_memory_equal(got.data, row->want, got.len);
}

int main(void)
{
	static const struct unit_case cases[] = { { "a session's id", test_long } };

	return unit_rows("signer_message_read", rows, test_read) +
	       unit_cases("signer_message_read", cases) +
	       unit_rows("signer_message_list", lists, test_list);
}
