#include "runtime/wire/wire.h"

#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"

union control {
	struct cmsghdr align;
	char room[CMSG_SPACE(sizeof(int) * WIRE_FDS)];
};

void wire_msg_init(struct wire_msg *m)
{
	*m = (struct wire_msg){ .body = BUF_INIT(WIRE_BODY) };
}

void wire_msg_done(struct wire_msg *m)
{
	buf_done(&m->body);
	scope_close_set(m->fds, m->n_fds);
	m->n_fds = 0;
}

int wire_send(int fd, const struct wire_head *head, const void *body, const int *fds,
	      unsigned n_fds)
{
	struct wire_head h = *head;
	struct iovec iov[2] = {
		{ &h, sizeof(h) },
		{ (void *)(uintptr_t)body, head->len },
	};
	struct msghdr m = { .msg_iov = iov, .msg_iovlen = head->len ? 2 : 1 };
	union control c = { 0 };
	ssize_t n;

	if (head->len > WIRE_BODY || n_fds > WIRE_FDS)
		return -EMSGSIZE;
	if (n_fds) {
		struct cmsghdr *cm;

		m.msg_control = c.room;
		m.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
		cm = CMSG_FIRSTHDR(&m);
		if (!cm) /* cannot be: there is room */
			return -EMSGSIZE;
		cm->cmsg_level = SOL_SOCKET;
		cm->cmsg_type = SCM_RIGHTS;
		cm->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
		memcpy(CMSG_DATA(cm), fds, sizeof(int) * n_fds);
	}
	n = sys_sendmsg(fd, &m, 0);
	return n < 0 ? (int)n : 0;
}

static void collect_fds(struct msghdr *hdr, struct wire_msg *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(hdr); c; c = CMSG_NXTHDR(hdr, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (m->n_fds < WIRE_FDS)
				m->fds[m->n_fds++] = fd;
			else
				scope_close(&fd);
		}
	}
}

static bool valid(const struct wire_msg *m, size_t n, int flags, unsigned max_fds)
{
	return n >= sizeof(m->head) && !(flags & (MSG_TRUNC | MSG_CTRUNC)) &&
	       m->head.type > 0 && m->head.type < WIRE_TYPES &&
	       m->head.len == n - sizeof(m->head) && m->n_fds <= max_fds;
}

int wire_recv(int fd, struct wire_msg *m, unsigned max_fds)
{
	struct wire_head head = { 0 };
	union control c = { 0 };
	char body[WIRE_BODY]; /* few fill it; its pages are there already */
	struct iovec iov[2] = { { &head, sizeof(head) }, { body, sizeof(body) } };
	struct msghdr hdr = { .msg_iov = iov,
			      .msg_iovlen = 2,
			      .msg_control = c.room,
			      .msg_controllen = sizeof(c.room) };
	ssize_t n;
	int r;

	wire_msg_done(m);
	wire_msg_init(m);
	n = sys_recvmsg(fd, &hdr, 0);
	/* A peer that ended before it read all of ours: the kernel puts an error in front
	 * of what it had sent (net/unix/af_unix.c, unix_release_sock). */
	m->reset = n == -ECONNRESET;
	if (m->reset)
		n = sys_recvmsg(fd, &hdr, 0);
	if (n <= 0)
		return (int)n;
	collect_fds(&hdr, m);
	m->head = head;
	r = valid(m, (size_t)n, hdr.msg_flags, max_fds)
		    ? buf_add(&m->body, body, head.len)
		    : -EBADMSG;
	if (r < 0)
		wire_msg_done(m);
	return r < 0 ? r : 1;
}

const void *wire_body(const struct wire_msg *m, size_t size)
{
	return m->body.len == size ? m->body.data : NULL;
}

int wire_failed(const struct wire_msg *m, struct err *e)
{
	const struct err *said = wire_body(m, sizeof(*said));

	if (!said || said->code >= 0)
		return err_set(e, -EBADMSG, "malformed failure from the monitor");
	*e = *said;
	e->msg[sizeof(e->msg) - 1] = '\0';
	return e->code;
}

const struct wire_spawn *wire_spawn(const struct wire_msg *m)
{
	const struct wire_spawn *s = (const void *)m->body.data;
	size_t behind = m->body.len - sizeof(*s);

	if (m->body.len < sizeof(*s) || (behind && behind != s->text_len))
		return NULL;
	return s;
}

int wire_take_fd(struct wire_msg *m, unsigned i)
{
	return i < m->n_fds ? take(&m->fds[i], -1) : -1;
}

int wire_pack(const struct buf *text, uint32_t *len, struct err *e)
{
	int fd;

	if (text->len > WIRE_TEXT)
		return err_set(e, -E2BIG, "arguments and environment exceed %d bytes",
			       WIRE_TEXT);
	fd = file_sealed("cubby-spawn", text->data, text->len, e);
	if (fd >= 0)
		*len = (uint32_t)text->len;
	return fd;
}

uint64_t wire_sign(const char *text, size_t len)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
	return h;
}
