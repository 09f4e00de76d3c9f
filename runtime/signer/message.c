#include "runtime/signer/message.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

/* The numbers of the protocol, and of a login (RFC 4252). */
enum {
	REQUEST_IDENTITIES = 11,
	IDENTITIES_ANSWER = 12,
	SIGN_REQUEST = 13,
	EXTENSION = 27,
	USERAUTH_REQUEST = 50
};

/* What is left to be read; @bad once there was less than was wanted. */
struct reader {
	const unsigned char *at;
	size_t left;
	bool bad;
};

static const unsigned char *take_bytes(struct reader *r, size_t n)
{
	const unsigned char *at = r->at;

	if (r->bad || n > r->left) {
		r->bad = true;
		return NULL;
	}
	r->at += n;
	r->left -= n;
	return at;
}

static unsigned take_byte(struct reader *r)
{
	const unsigned char *b = take_bytes(r, 1);

	return b ? *b : 0;
}

static uint32_t take_number(struct reader *r)
{
	const unsigned char *b = take_bytes(r, 4);

	return b ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
			       b[3]
		 : 0;
}

static struct signer_bytes take_string(struct reader *r)
{
	uint32_t len = take_number(r);
	const unsigned char *data = take_bytes(r, len);

	return data ? (struct signer_bytes){ data, len } : (struct signer_bytes){ 0 };
}

static bool is_text(struct signer_bytes b, const char *text)
{
	return b.len == strlen(text) && memcmp(b.data, text, b.len) == 0;
}

static bool is_read(const struct reader *r)
{
	return !r->bad && !r->left;
}

bool signer_message_same(struct signer_bytes a, struct signer_bytes b)
{
	return a.len == b.len && (!a.len || memcmp(a.data, b.data, a.len) == 0);
}

/* It is shown in a question: what could be taken for a part of that is no name. */
static bool is_name(struct signer_bytes b)
{
	for (size_t i = 0; i < b.len; i++)
		if (b.data[i] <= ' ' || b.data[i] > '~' || b.data[i] == '\'')
			return false;
	return b.len <= SIGNER_USER_MAX;
}

/* Session, 50, user, "ssh-connection", method, true, algorithm, key; and the host's key in
 * the method that binds it. */
static void read_login(struct signer_bytes text, struct signer_message *m)
{
	struct reader r = { text.data, text.len, false };
	struct signer_bytes session = take_string(&r), user, host = { 0 }, method;
	bool good = take_byte(&r) == USERAUTH_REQUEST;

	user = take_string(&r);
	good &= is_text(take_string(&r), "ssh-connection");
	method = take_string(&r);
	good &= take_byte(&r) == 1;
	(void)take_string(&r);
	good &= signer_message_same(take_string(&r), m->key);
	if (is_text(method, "publickey-hostbound-v00@openssh.com")) {
		host = take_string(&r);
		good &= host.len > 0;
	} else {
		good &= is_text(method, "publickey");
	}
	if (!good || !is_read(&r) || !session.len || session.len > SIGNER_SESSION_MAX ||
	    !is_name(user))
		return;
	m->login = true;
	m->session = session;
	m->user = user;
	m->host = host;
}

static void read_sign(struct reader *r, struct signer_message *m)
{
	struct signer_bytes text;

	m->kind = SIGNER_SIGN;
	m->key = take_string(r);
	text = take_string(r);
	(void)take_number(r); /* which hash with RSA */
	if (is_read(r))
		read_login(text, m);
}

static void read_bind(struct reader *r, struct signer_message *m)
{
	m->kind = SIGNER_BIND;
	m->key = take_string(r);
	m->session = take_string(r);
	(void)take_string(r); /* the host's signature: the agent checks it */
	m->forwarding = take_byte(r) != 0;
	r->bad |= !m->key.len || !m->session.len || m->session.len > SIGNER_SESSION_MAX;
}

int signer_message_read(const void *data, size_t len, struct signer_message *ret)
{
	struct reader r = { data, len, false };
	struct signer_message m = { .kind = SIGNER_OTHER };

	switch (take_byte(&r)) {
	case REQUEST_IDENTITIES:
		m.kind = SIGNER_LIST;
		break;
	case SIGN_REQUEST:
		read_sign(&r, &m);
		break;
	case EXTENSION:
		if (is_text(take_string(&r), "session-bind@openssh.com")) {
			read_bind(&r, &m);
			break;
		}
		_fallthrough_;
	default:
		r.left = 0; /* of what is refused nothing else is read */
	}
	if (!is_read(&r))
		return -EBADMSG;
	*ret = m;
	return 0;
}

static int add_number(struct buf *out, uint32_t n)
{
	const unsigned char b[] = { (unsigned char)(n >> 24), (unsigned char)(n >> 16),
				    (unsigned char)(n >> 8), (unsigned char)n };

	return buf_add(out, b, sizeof(b));
}

int signer_message_list(const void *data, size_t len, struct buf *out)
{
	struct reader r = { data, len, false };
	bool good = take_byte(&r) == IDENTITIES_ANSWER;
	uint32_t n = take_number(&r);

	(void)buf_addc(out, IDENTITIES_ANSWER);
	(void)add_number(out, n);
	for (uint32_t i = 0; i < n && !r.bad && buf_failed(out) == 0; i++) {
		struct signer_bytes key = take_string(&r);

		(void)take_string(&r);
		(void)add_number(out, (uint32_t)key.len);
		(void)buf_add(out, key.data, key.len);
		(void)add_number(out, 0);
	}
	return good && is_read(&r) ? buf_failed(out) : -EBADMSG;
}
