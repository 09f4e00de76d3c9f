/* gate_look - the first bytes of a connection, where rules are about names: who was let
 * through to one name must not ask its server for another.
 *
 * Nothing is held back: a byte goes on when it was looked at and is not the one that
 * completes a name that is not allowed. A server does nothing for half a ClientHello or
 * half of a request's head, so it is early enough to end the connection then, and a program
 * that waits for its peer to speak, at whatever point, never waits for us. What goes on is
 * our copy, the one that was judged: what is still in the socket can be pages that the
 * program goes on to write to (gate_pump). Once the names are known, or there can be none,
 * and all of the copy is on its way, the bytes are not seen any more. */
#include <stdio.h>
#include <string.h>

#include "base/sys/sys.h"
#include "runtime/gate/hello.h"
#include "runtime/gate/impl.h"

struct gate_look {
	struct buf seen; /* owned */
	size_t put;	 /* bytes of it that went on */
	bool done;	 /* there is nothing more to look at */
};

static const char line_ends[] = "\r\n\r\n";

int gate_look_start(struct gate_conn *c)
{
	const struct gate_policy *p = c->g->policy;

	if (c->published || !gate_policy_by_name(p) ||
	    (!c->name && gate_policy_names(p, &c->addr, c->port)))
		return 0;
	c->look = gate_memory_get(c->g, sizeof(*c->look));
	if (!c->look)
		return -ENOMEM;
	c->look->seen = (struct buf)BUF_INIT(GATE_HELLO_MAX + strlen(line_ends));
	c->pump.up.looked_at = true;
	return 0;
}

void gate_look_free(struct gate_look **lp)
{
	struct gate_look *l = take(lp, NULL);

	if (!l)
		return;
	buf_done(&l->seen);
	free(l);
}

static bool is_localhost(const char *name)
{
	size_t len = strlen(name);

	return !strcmp(name, "localhost") ||
	       (len > 10 && !strcmp(name + len - 10, ".localhost"));
}

/* What a program calls the host itself is the host's business: its own name for it. */
static bool is_host(const struct gate_conn *c)
{
	return c->name && !strcmp(c->name, GATE_POLICY_HOST);
}

static bool may_say_number(const struct gate_conn *c, const struct netaddr *a,
			   uint16_t port)
{
	const struct gate_policy *p = c->g->policy;
	enum netaddr_class class = gate_place_class(&c->g->places, a);

	if (port == c->port && !c->name && netaddr_equal(a, &c->addr))
		return true;
	if (is_host(c) && netaddr_classify(a) == NETADDR_LOOPBACK)
		return true;
	return gate_policy_literal(p, a, port) == GATE_POLICY_ALLOW &&
	       gate_policy_address(p, a, port, class) == GATE_POLICY_ALLOW;
}

static bool may_say(const struct gate_conn *c, const char *name, uint16_t port)
{
	struct netaddr a;

	if (c->name && port == c->port && !strcmp(name, c->name))
		return true;
	if (netaddr_parse(name, &a) >= 0)
		return may_say_number(c, &a, port);
	if (netaddr_looks_numeric(name))
		return false;
	return (is_host(c) && is_localhost(name)) ||
	       gate_policy_name(c->g->policy, name, port) == GATE_POLICY_ALLOW;
}

static int refuse(struct gate_conn *c, const struct gate_hello *h, const char *name,
		  uint16_t port)
{
	const char *protocol = h->protocol ? h->protocol : "connection";
	char addr[NETADDR_TEXT], why[GATE_POLICY_NAME + 64];
	const char *to = c->name ? c->name : netaddr_format(&c->addr, addr);
	struct gate_audit_line line = { .event = "open",
					.verdict = "refused",
					.id = c->id,
					.name = name,
					.port = port,
					.why = why,
					.by_box = true,
					.who = gate_who_settle(&c->g->finder,
							       &c->who) };

	c->g->stats.refused++;
	if (name) {
		snprintf(why, sizeof(why), "%s to %s names it", protocol, to);
		gate_note_tell(&c->g->notes,
			       "network: %s port %u is not allowed in this box (%s)",
			       name, port, why);
	} else {
		line.name = c->name;
		line.addr = &c->addr;
		snprintf(why, sizeof(why), "%s that cannot be read", protocol);
		gate_note_tell(&c->g->notes,
			       "network: %s port %u was sent a %s, and rules are "
			       "by name in this box",
			       to, port, why);
	}
	gate_note_line(&c->g->notes, &line);
	return -EACCES;
}

/* At a proxy that it asks for another place, the port there. */
static uint16_t port_of(const struct gate_conn *c, const struct gate_hello *h)
{
	const bool through = h->n && h->names[0].target && h->names[0].port;

	return through ? h->names[0].port : c->port;
}

/* The first that it may not say; NULL = it may say all. */
static const char *not_allowed(const struct gate_conn *c, const struct gate_hello *h)
{
	for (unsigned i = 0; i < h->n; i++)
		if (!may_say(c, h->names[i].host, port_of(c, h)))
			return h->names[i].host;
	return NULL;
}

/* What it turned out to be for, if that is not what was dialled: the rules may change. */
static int keep_said(struct gate_conn *c, const struct gate_hello *h)
{
	bool other = false;

	for (unsigned i = 0; i < h->n && !other; i++)
		other = !c->name || strcmp(h->names[i].host, c->name) != 0 ||
			port_of(c, h) != c->port;
	if (other && !c->said)
		c->said = gate_memory_get(c->g, sizeof(*c->said));
	if (other && c->said)
		*c->said = *h;
	return other && !c->said ? -ENOMEM : 0;
}

bool gate_look_still(const struct gate_conn *c)
{
	return !c->said || !not_allowed(c, c->said);
}

static int judge(struct gate_conn *c)
{
	const struct buf *seen = &c->look->seen;
	struct gate_hello h;
	enum gate_hello_verdict v = gate_hello_parse(seen->data, seen->len, &h);
	const char *name = not_allowed(c, &h);

	c->look->done = v != GATE_HELLO_MORE;
	if (name)
		return refuse(c, &h, name, port_of(c, &h));
	return v == GATE_HELLO_BAD ? refuse(c, &h, NULL, c->port) : keep_said(c, &h);
}

/* No more will come. There are servers to which that ends a line, and a head. */
static int judge_last(struct gate_conn *c)
{
	struct gate_look *l = c->look;
	size_t len = l->seen.len;
	int r = len ? buf_adds(&l->seen, line_ends) : 0;

	r = r < 0 ? gate_memory_check(c->g, r) : judge(c);
	l->seen.len = len;
	l->done = true;
	return r;
}

static int take_in(struct gate_conn *c)
{
	struct buf *seen = &c->look->seen;
	char bytes[GATE_HELLO_MAX];
	ssize_t n = sys_recv(c->in, bytes, sizeof(bytes) - seen->len, MSG_DONTWAIT);
	int r;

	if (n == -EAGAIN)
		c->pump.up.ready = false;
	if (n <= 0)
		return n == -EAGAIN ? 0 : n < 0 ? (int)n : judge_last(c);
	r = buf_add(seen, bytes, (size_t)n);
	return r < 0 ? gate_memory_check(c->g, r) : judge(c);
}

int gate_look_run(struct gate_conn *c)
{
	struct gate_look *l = c->look;
	ssize_t n = 0;
	int r = 0;

	if (!l)
		return 0;
	if (!l->done && c->pump.up.ready)
		r = take_in(c);
	if (r >= 0 && l->put < l->seen.len)
		n = gate_pump_put(&c->pump, l->seen.data + l->put,
				  l->seen.len - l->put);
	if (r < 0 || n < 0)
		return r < 0 ? r : (int)n;
	l->put += (size_t)n;
	if (!l->done || l->put < l->seen.len)
		return n > 0;
	gate_look_free(&c->look);
	c->pump.up.looked_at = false;
	return 1;
}
