#include "runtime/gate/publish.h"

#include <string.h>

#include "base/num.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { BACKLOG = 1024, SPEC = 128 };

void gate_publish_done(struct gate_publish *p)
{
	scope_close(&p->fd);
	*p = GATE_PUBLISH_NONE;
}

/* Cuts ":NUMBER" off the end of @s; without a colon all of @s is the number. */
static int cut_number(char *s, uint64_t lo, uint16_t *ret)
{
	char *colon = strrchr(s, ':');
	uint64_t n;

	if (num_range(colon ? colon + 1 : s, lo, 65535, &n) < 0)
		return -EINVAL;
	*(colon ? colon : s) = '\0';
	*ret = (uint16_t)n;
	return 0;
}

static int parse_addr(char *s, struct netaddr *ret)
{
	size_t n = strlen(s);

	if (s[0] == '[') {
		if (s[n - 1] != ']')
			return -EINVAL;
		s[n - 1] = '\0';
		s++;
	}
	return netaddr_parse(s, ret);
}

int gate_publish_parse(const char *spec, struct gate_publish *ret, struct err *e)
{
	struct gate_publish p = { .fd = -1,
				  .addr = { .len = 4, .bytes = { 127, 0, 0, 1 } } };
	char s[SPEC];

	if (text_copy(s, sizeof(s), spec) < 0 || !strchr(spec, ':') ||
	    cut_number(s, 1, &p.port) < 0 || cut_number(s, 0, &p.host_port) < 0 ||
	    (s[0] && parse_addr(s, &p.addr) < 0))
		return err_set(e, -EINVAL,
			       "bad port '%s'; it is [IP:]HOSTPORT:PORT, HOSTPORT 0 "
			       "for any that is free",
			       spec);
	*ret = p;
	return 0;
}

static int listen_on(struct gate_publish *p)
{
	struct sockaddr_storage s;
	socklen_t len = netaddr_to_sock(&p->addr, p->host_port, &s), room = sizeof(s);
	const int on = 1;

	p->any = p->host_port == 0;
	p->fd = sys_socket(s.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (p->fd < 0)
		return p->fd;
	return sys_setsockopt(p->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ?:
		sys_bind(p->fd, (struct sockaddr *)&s, len) ?:
		sys_listen(p->fd, BACKLOG) ?:
		sys_getsockname(p->fd, (struct sockaddr *)&s, &room) ?:
		netaddr_from_sock(&s, &p->addr, &p->host_port);
}

int gate_publish_listen(const char *spec, struct gate_publish *ret, struct err *e)
{
	_cleanup_gate_publish_ struct gate_publish p = GATE_PUBLISH_NONE;
	int r = gate_publish_parse(spec, &p, e);

	if (r < 0)
		return r;
	r = listen_on(&p);
	if (r < 0)
		err_sys(e, r, "cannot publish '%s'", spec);
	if (r == -EADDRINUSE)
		err_hint(e, "HOSTPORT 0 takes one that is free");
	if (r == -EACCES)
		err_hint(e, "a port this low is root's, '%d:%d' is anybody's",
			 8000 + p.host_port, p.port);
	if (r < 0)
		return r;
	*ret = take(&p, GATE_PUBLISH_NONE);
	return 0;
}
