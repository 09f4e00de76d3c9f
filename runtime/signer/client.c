#include "runtime/signer/client.h"

#include <limits.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/wire/wire.h"

void signer_client_stop(struct signer_client *s)
{
	scope_close(&s->sock);
	proc_done(&s->proc);
	*s = SIGNER_CLIENT_NONE;
}

static int send_conf(int sock, const struct json *hosts, int listener, struct err *e)
{
	_cleanup_json_ struct json *conf = json_object();
	_cleanup_buf_ struct buf text = BUF_INIT(WIRE_BODY);
	struct wire_head head = { .type = WIRE_START };
	int r;

	json_set(conf, "hosts", json_dup(hosts));
	r = json_failed(conf) ?: json_print(conf, false, &text);
	head.len = (uint32_t)text.len;
	if (r >= 0)
		r = wire_send(sock, &head, text.data, &listener, 1);
	return r < 0 ? err_sys(e, r, "cannot configure the signer") : 0;
}

int signer_client_start(const struct json *hosts, int listener,
			struct signer_client *ret, struct err *e)
{
	char self[PATH_MAX];
	const char *const argv[] = { self, "__signer", NULL };
	const char *const env[] = { NULL };
	_cleanup_signer_client_ struct signer_client s = SIGNER_CLIENT_NONE;
	_cleanup_close_ int theirs = -1;
	struct proc_conf conf = { .argv = argv, .env = env, .fds = { -1, -1, -1 } };
	int pair[2], r = proc_self(self, e);

	if (r < 0)
		return r;
	r = sys_socketpair(SOCK_SEQPACKET, pair);
	if (r < 0)
		return err_sys(e, r, "cannot start the signer");
	s.sock = pair[0];
	theirs = conf.pass_fd = pair[1];
#ifdef __SANITIZE_ADDRESS__
	conf.fds[2] = 2;
#endif
	r = proc_start(&conf, &s.proc, e);
	if (r < 0)
		return err_wrap(e, "cannot start the signer");
	r = send_conf(s.sock, hosts, listener, e);
	if (r == 0)
		*ret = take(&s, SIGNER_CLIENT_NONE);
	return r;
}

int signer_client_next(const struct signer_client *s, struct buf *text)
{
	static const enum signer_wish wishes[WIRE_TYPES] = {
		[WIRE_HELLO] = SIGNER_WANTS_AGENT,
		[WIRE_ASK] = SIGNER_WANTS_YES,
		[WIRE_NOTE] = SIGNER_SAYS,
	};
	_cleanup_wire_ struct wire_msg m;
	int r;

	wire_msg_init(&m);
	r = wire_recv(s->sock, &m, 0);
	if (r <= 0)
		return r < 0 ? r : SIGNER_ENDED;
	r = buf_add(text, m.body.data, m.body.len);
	return r < 0 ? r : (int)wishes[m.head.type];
}

int signer_client_agent(const struct signer_client *s, int fd)
{
	const struct wire_head head = { .type = fd < 0 ? WIRE_FAILED : WIRE_READY };

	return wire_send(s->sock, &head, NULL, &fd, fd >= 0);
}

int signer_client_answer(const struct signer_client *s, bool yes)
{
	const struct wire_head head = { .type = WIRE_ANSWER, .len = 1 };
	const char body = yes;

	return wire_send(s->sock, &head, &body, NULL, 0);
}
