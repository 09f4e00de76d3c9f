/* Theory of operation
 *
 * A program of ssh in the box connects to the socket that SSH_AUTH_SOCK names, and says for
 * which session it wants something signed: the key of the host at the other end, the
 * session's id, and the host's signature of that id. The agent checks that signature; what
 * it takes for true is noted here. Then a login is signed if it is of that very session, the
 * host's key is one of those that the person's known_hosts has for a host that was named,
 * and the person says yes. So it is of no use anywhere else, whoever in the box or on its
 * way has asked for it.
 *
 * Each connection of the box has one to the agent. One message is served at a time, to its
 * end, the person's answer included: two questions at once would be one too many. */
#include "runtime/signer/signer.h"

#include <string.h>

#include "base/base64.h"
#include "base/file.h"
#include "base/json.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/confine/outside.h"
#include "runtime/signer/message.h"
#include "runtime/wire/wire.h"

enum {
	CONTROL = 3,
	CONNS = 32,
	AGENT_MS = 120000, /* it may ask its person, too */
	AGENT_FAILURE = 5,
	AGENT_SUCCESS = 6,
	AGENT_SIGNATURE = 14,
	HEAD = 4 /* bytes of a length */
};

struct conn {
	int fd, up;	    /* owned; the box's, the agent's; -1 = none */
	struct buf in;	    /* owned */
	struct buf key;	    /* owned: of the host that it is bound to */
	struct buf session; /* owned; empty: it is bound to none */
	const char *host;   /* borrowed from hosts; NULL = not one of them */
};

struct state {
	struct json *conf;	  /* owned */
	const struct json *hosts; /* borrowed from it */
	int listener;		  /* owned */
	struct conn conns[CONNS];
};

/* ---- the client ------------------------------------------------------------------------- */

static void note(const char *line)
{
	const struct wire_head head = { .type = WIRE_NOTE,
					.len = (uint32_t)strlen(line) };

	(void)wire_send(CONTROL, &head, line, NULL, 0);
}

/* A connection to the agent, which only the client can make: there is no file here. */
static int connect_agent(void)
{
	const struct wire_head head = { .type = WIRE_HELLO };
	_cleanup_wire_ struct wire_msg m;
	int r = wire_send(CONTROL, &head, NULL, NULL, 0);

	wire_msg_init(&m);
	if (r >= 0)
		r = wire_recv(CONTROL, &m, 1);
	if (r <= 0)
		return r < 0 ? r : -ECONNRESET;
	return m.head.type == WIRE_READY ? wire_take_fd(&m, 0) : -ECONNREFUSED;
}

static int ask_person(const char *host, const char *user, const char *key, bool *ret)
{
	_cleanup_json_ struct json *q = json_object();
	_cleanup_buf_ struct buf text = BUF_INIT(WIRE_BODY);
	_cleanup_wire_ struct wire_msg m;
	struct wire_head head = { .type = WIRE_ASK };
	const char *yes;
	int r;

	wire_msg_init(&m);
	json_set_str(q, "host", host);
	json_set_str(q, "user", user);
	json_set_str(q, "key", key);
	r = json_failed(q) ?: json_print(q, false, &text);
	head.len = (uint32_t)text.len;
	if (r >= 0)
		r = wire_send(CONTROL, &head, text.data, NULL, 0);
	if (r >= 0)
		r = wire_recv(CONTROL, &m, 0);
	yes = r > 0 && m.head.type == WIRE_ANSWER ? wire_body(&m, 1) : NULL;
	*ret = yes && *yes == 1;
	return r < 0 ? r : 0;
}

/* ---- the agent -------------------------------------------------------------------------- */

static size_t length_at(const char *head)
{
	const unsigned char *b = (const unsigned char *)head;

	return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
}

static int add_frame(struct buf *out, const char *data, size_t len)
{
	const unsigned char head[HEAD] = { (unsigned char)(len >> 24),
					   (unsigned char)(len >> 16),
					   (unsigned char)(len >> 8),
					   (unsigned char)len };

	(void)buf_add(out, head, HEAD);
	return buf_add(out, data, len);
}

static int read_some(int fd, struct buf *out, size_t want)
{
	while (out->len < want) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t n = sys_poll(&p, 1, AGENT_MS);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? (int)n : -ETIMEDOUT;
		n = buf_reserve(out, want - out->len)
			    ?: sys_read(fd, out->data + out->len, want - out->len);
		if (n <= 0)
			return n < 0 ? (int)n : -ECONNRESET;
		buf_commit(out, (size_t)n);
	}
	return 0;
}

/* One question to the agent, which is connected to at the first. */
static int talk_framed(struct conn *c, const struct buf *question, struct buf *ret)
{
	size_t want;
	int r;

	if (c->up < 0)
		c->up = connect_agent();
	if (c->up < 0)
		return c->up;
	r = file_write_fd(c->up, question->data, question->len, ERR_IGNORED);
	if (r < 0)
		return r;
	r = read_some(c->up, ret, HEAD);
	if (r < 0)
		return r;
	want = length_at(ret->data);
	if (!want || want > SIGNER_ANSWER_MAX)
		return -EBADMSG;
	return read_some(c->up, ret, HEAD + want);
}

/* The agent's answer to one message, without its length. */
static int ask_agent(struct conn *c, const char *data, size_t len, struct buf *ret)
{
	_cleanup_buf_ struct buf out = BUF_INIT(SIGNER_MESSAGE_MAX + HEAD);
	int r = add_frame(&out, data, len) ?: talk_framed(c, &out, ret);

	if (r < 0) {
		scope_close_set(&c->up, 1);
		note("ssh-agent: your agent did not answer");
		return r;
	}
	buf_consume(ret, HEAD);
	return 0;
}

/* ---- what is asked ---------------------------------------------------------------------- */

static int answer(const struct conn *c, const char *data, size_t len)
{
	_cleanup_buf_ struct buf out = BUF_INIT(SIGNER_ANSWER_MAX + HEAD);
	int r = add_frame(&out, data, len);
	ssize_t n = r < 0 ? r : sys_send(c->fd, out.data, out.len, MSG_DONTWAIT);

	return n == (ssize_t)out.len ? 0 : -EPIPE;
}

static int answer_code(const struct conn *c, char code)
{
	return answer(c, &code, 1);
}

static int list_keys(struct conn *c, const char *data, size_t len)
{
	_cleanup_buf_ struct buf got = BUF_INIT(SIGNER_ANSWER_MAX + HEAD),
				 list = BUF_INIT(SIGNER_ANSWER_MAX);

	if (ask_agent(c, data, len, &got) < 0 ||
	    signer_message_list(got.data, got.len, &list) < 0)
		return answer_code(c, AGENT_FAILURE);
	return answer(c, list.data, list.len);
}

static const char *host_of(const struct state *s, const char *key)
{
	json_each(host, s->hosts)
	{
		json_each(it, json_get(host, "keys"))
		{
			if (strcmp(json_str(it), key) == 0)
				return json_get_str(host, "name");
		}
	}
	return NULL;
}

static int bind_session(const struct state *s, struct conn *c, const char *data,
			size_t len, const struct signer_message *m)
{
	_cleanup_buf_ struct buf got = BUF_INIT(SIGNER_ANSWER_MAX + HEAD),
				 key = BUF_INIT(2 * SIGNER_MESSAGE_MAX);

	/* For others behind that host: nothing more is heard from there. */
	if (m->forwarding)
		return -EPERM;
	/* A connection is for one session: ssh makes one for each. */
	if (c->session.len || ask_agent(c, data, len, &got) < 0)
		return answer_code(c, AGENT_FAILURE);
	if (got.len != 1 || got.data[0] != AGENT_SUCCESS) {
		note("ssh-agent: your agent could not check which host it is for; "
		     "OpenSSH's own does, since 8.9");
		return answer_code(c, AGENT_FAILURE);
	}
	if (base64_add(&key, m->key.data, m->key.len) < 0 ||
	    buf_add(&c->key, m->key.data, m->key.len) < 0 ||
	    buf_add(&c->session, m->session.data, m->session.len) < 0)
		return -ENOMEM;
	c->host = host_of(s, buf_cstr(&key));
	return answer_code(c, AGENT_SUCCESS);
}

static struct signer_bytes bytes_of(const struct buf *b)
{
	return (struct signer_bytes){ (const unsigned char *)b->data, b->len };
}

/* NULL: it may be asked about. */
static const char *refusal(const struct conn *c, const struct signer_message *m)
{
	if (!m->login)
		return "ssh-agent: what a program wanted signed is no login: refused";
	if (!c->session.len)
		return "ssh-agent: a login was refused: the box's ssh does not say at "
		       "which host; OpenSSH does, since 8.9";
	if (!signer_message_same(m->session, bytes_of(&c->session)) ||
	    (m->host.len && !signer_message_same(m->host, bytes_of(&c->key))))
		return "ssh-agent: a login of another session was refused";
	if (!c->host)
		return "ssh-agent: a login was refused: its host is none that "
		       "--ssh-agent named, by your known_hosts";
	return NULL;
}

static int sign(struct conn *c, const char *data, size_t len,
		const struct signer_message *m)
{
	_cleanup_buf_ struct buf got = BUF_INIT(SIGNER_ANSWER_MAX + HEAD),
				 key = BUF_INIT(2 * SIGNER_MESSAGE_MAX);
	const char *why = refusal(c, m);
	char user[4 * SIGNER_USER_MAX + 8];
	bool yes = false;

	if (why) {
		note(why);
		return answer_code(c, AGENT_FAILURE);
	}
	text_escaped(user, sizeof(user), (const char *)m->user.data, m->user.len);
	if (base64_add(&key, m->key.data, m->key.len) < 0 ||
	    ask_person(c->host, user, buf_cstr(&key), &yes) < 0)
		return -EPIPE;
	if (!yes || ask_agent(c, data, len, &got) < 0 ||
	    (unsigned char)got.data[0] != AGENT_SIGNATURE)
		return answer_code(c, AGENT_FAILURE);
	return answer(c, got.data, got.len);
}

static int serve_message(const struct state *s, struct conn *c, const char *data,
			 size_t len)
{
	struct signer_message m;
	int r = signer_message_read(data, len, &m);

	if (r < 0)
		return r;
	switch (m.kind) {
	case SIGNER_LIST:
		return list_keys(c, data, len);
	case SIGNER_BIND:
		return bind_session(s, c, data, len, &m);
	case SIGNER_SIGN:
		return sign(c, data, len, &m);
	case SIGNER_OTHER:
		break;
	}
	return answer_code(c, AGENT_FAILURE);
}

/* ---- connections ------------------------------------------------------------------------ */

static void close_conn(struct conn *c)
{
	scope_close(&c->fd);
	scope_close(&c->up);
	buf_done(&c->in);
	buf_done(&c->key);
	buf_done(&c->session);
	*c = (struct conn){ .fd = -1, .up = -1 };
}

static int read_conn(const struct state *s, struct conn *c)
{
	enum { PIECE = 4096 };
	int r = buf_reserve(&c->in, PIECE);
	ssize_t n = r < 0 ? r : sys_read(c->fd, c->in.data + c->in.len, PIECE);

	if (n <= 0)
		return n == -EAGAIN ? 0 : -ECONNRESET;
	buf_commit(&c->in, (size_t)n);
	while (c->in.len >= HEAD && r >= 0) {
		size_t len = length_at(c->in.data);

		if (len > SIGNER_MESSAGE_MAX)
			return -EMSGSIZE;
		if (c->in.len < HEAD + len)
			break;
		r = serve_message(s, c, c->in.data + HEAD, len);
		buf_consume(&c->in, HEAD + len);
	}
	return r;
}

/* With one more than there is room for nobody is served: it sees an end. */
static void take_conn(struct state *s)
{
	_cleanup_close_ int fd = sys_accept(s->listener, NULL, NULL);

	for (size_t i = 0; i < CONNS && fd >= 0; i++) {
		if (s->conns[i].fd >= 0)
			continue;
		s->conns[i] =
			(struct conn){ .fd = take(&fd, -1),
				       .up = -1,
				       .in = BUF_INIT(2L * SIGNER_MESSAGE_MAX),
				       .key = BUF_INIT(SIGNER_MESSAGE_MAX),
				       .session = BUF_INIT(SIGNER_SESSION_MAX + 1) };
	}
}

/* Until the client has gone. */
static int serve(struct state *s)
{
	for (;;) {
		struct pollfd p[2 + CONNS] = { { .fd = CONTROL, .events = POLLIN },
					       { .fd = s->listener,
						 .events = POLLIN } };
		int r;

		for (size_t i = 0; i < CONNS; i++)
			p[2 + i] = (struct pollfd){ .fd = s->conns[i].fd,
						    .events = POLLIN };
		r = sys_poll(p, ARRAY_SIZE(p), -1);
		if (r == -EINTR)
			continue;
		if (r < 0 || p[0].revents)
			return r < 0;
		for (size_t i = 0; i < CONNS; i++)
			if (p[2 + i].revents && read_conn(s, &s->conns[i]) < 0)
				close_conn(&s->conns[i]);
		if (p[1].revents & POLLIN)
			take_conn(s);
		else if (p[1].revents) /* nobody can come any more */
			scope_close_set(&s->listener, 1);
	}
}

/* ---- the process ------------------------------------------------------------------------ */

/* It came from the box: it must be what it was to be. */
static int check_listener(int fd, struct err *e)
{
	int domain = 0, type = 0, listens = 0;
	socklen_t n = sizeof(int);
	int r = sys_getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &n) ?:
		sys_getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) ?:
		sys_getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n);

	if (r < 0 || domain != AF_UNIX || type != SOCK_STREAM || !listens)
		return err_set(e, -EPROTO, "the box gave no socket for the agent");
	r = sys_setfl(fd, O_RDWR | O_NONBLOCK);
	return r < 0 ? err_sys(e, r, "cannot use the box's socket") : 0;
}

/* Whatever comes from the box is received here and nowhere else: a socket may make whoever
 * closes it wait as long as the box likes, and a signer is killed, a client is not. */
static int take_listener(struct state *s, int from, struct err *e)
{
	struct pollfd p[] = { { .fd = from, .events = POLLIN },
			      { .fd = CONTROL, .events = POLLIN } };
	_cleanup_wire_ struct wire_msg m;
	int r = sys_setfl(from, O_RDWR | O_NONBLOCK);

	wire_msg_init(&m);
	while (r == 0 && (r = sys_poll(p, ARRAY_SIZE(p), -1)) == -EINTR)
		r = 0;
	if (r > 0)
		r = p[0].revents ? wire_recv(from, &m, 1) : -ECANCELED;
	s->listener = r > 0 ? wire_take_fd(&m, 0) : -1;
	return check_listener(s->listener, e);
}

static int setup(struct state *s, struct err *e)
{
	_cleanup_close_ int from = -1;
	_cleanup_wire_ struct wire_msg m;
	int r = sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);

	wire_msg_init(&m);
	if (r < 0)
		return err_sys(e, r, "cannot be bound to the client");
	(void)sys_prctl(PR_SET_NAME, (unsigned long)(uintptr_t) "cubby-signer", 0, 0,
			0);
	r = wire_recv(CONTROL, &m, 1);
	if (r <= 0)
		return err_set(e, -EPROTO, "the signer is started by cubby alone");
	r = json_parse(m.body.data, m.body.len, &s->conf, e);
	if (r < 0)
		return r;
	s->hosts = json_get(s->conf, "hosts");
	from = wire_take_fd(&m, 0);
	r = take_listener(s, from, e);
	return r < 0 ? r : outside_confine(e);
}

int signer_main(int, char **)
{
	struct state s = { .listener = -1 };
	struct err e = ERR_NONE;
	int r;

	for (size_t i = 0; i < CONNS; i++)
		s.conns[i] = (struct conn){ .fd = -1, .up = -1 };
	r = setup(&s, &e);
	if (r < 0)
		note(e.msg);
	else
		r = serve(&s);
	for (size_t i = 0; i < CONNS; i++)
		close_conn(&s.conns[i]);
	scope_close(&s.listener);
	json_free(&s.conf);
	return r != 0;
}
