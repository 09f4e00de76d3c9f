#include "runtime/gate/audit.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

int gate_audit_open(int dirfd, int *ret, struct err *e)
{
	static const char file[] = GATE_AUDIT_FILE, old[] = GATE_AUDIT_FILE ".1";
	const int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW;
	_cleanup_close_ int fd = sys_openat(dirfd, file, flags, 0600);
	struct stat st;
	int r = fd;

	if (r >= 0)
		r = sys_fstat(fd, &st);
	if (r >= 0 && st.st_size >= GATE_AUDIT_BYTES) {
		r = sys_renameat(dirfd, file, dirfd, old);
		if (r >= 0) {
			scope_close(&fd);
			fd = r = sys_openat(dirfd, file, flags, 0600);
		}
	}
	if (r < 0)
		return err_sys(e, r, "cannot open the network log '%s'", file);
	*ret = take(&fd, -1);
	return 0;
}

void gate_audit_start(struct gate_audit *a, int fd)
{
	struct stat st;

	gate_audit_done(a);
	a->fd = fd;
	if (fd >= 0 && sys_fstat(fd, &st) >= 0)
		a->size = (uint64_t)st.st_size;
}

void gate_audit_done(struct gate_audit *a)
{
	scope_close(&a->fd);
	*a = (struct gate_audit){ .fd = -1 };
}

struct line {
	char *out;
	size_t len;
};

static void add(struct line *l, const char *fmt, ...) _printf_(2, 3);
static void add(struct line *l, const char *fmt, ...)
{
	size_t room = GATE_AUDIT_LINE - l->len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->out + l->len, room, fmt, ap);
	va_end(ap);
	l->len += MIN((size_t)MAX(n, 0), room - 1);
}

/* Values are ours, checked names, or what a program calls itself: a quote or a control
 * character is replaced, so that a line is a line whatever happens. */
static void add_text(struct line *l, const char *key, const char *v)
{
	size_t from;

	if (!v || !*v)
		return;
	add(l, ",\"%s\":\"", key);
	from = l->len;
	add(l, "%.300s", v);
	for (size_t i = from; i < l->len; i++) {
		unsigned char c = (unsigned char)l->out[i];

		if (c < ' ' || c > '~' || c == '"' || c == '\\')
			l->out[i] = '?';
	}
	add(l, "\"");
}

static void add_process(struct line *l, const struct gate_owner *who)
{
	if (!who || who->pid <= 0) {
		add(l, ",\"process\":null");
		return;
	}
	add(l, ",\"process\":{\"pid\":%d", who->pid);
	add_text(l, "name", who->name);
	add(l, "}");
}

size_t gate_audit_format(const struct gate_audit_line *l, int64_t sec, long nsec,
			 char out[GATE_AUDIT_LINE])
{
	char time[64], addr[NETADDR_TEXT];
	struct line x = { .out = out };

	add(&x, "{\"time\":\"%s\"", text_time(time, sizeof(time), sec, nsec));
	add_text(&x, "event", l->event);
	if (l->id)
		add(&x, ",\"id\":%llu", (unsigned long long)l->id);
	add_text(&x, "verdict", l->verdict);
	add_text(&x, "name", l->name);
	if (l->addr && l->addr->len)
		add_text(&x, "address", netaddr_format(l->addr, addr));
	if (l->port)
		add(&x, ",\"port\":%u", l->port);
	add_text(&x, "proxy", l->proxy);
	if (l->ended)
		add(&x, ",\"sent\":%llu,\"received\":%llu,\"ms\":%llu",
		    (unsigned long long)l->sent, (unsigned long long)l->received,
		    (unsigned long long)l->ms);
	add_text(&x, "why", l->why);
	if (l->by_box)
		add_process(&x, l->who);
	add(&x, "}\n");
	return x.len;
}

int gate_audit_write(struct gate_audit *a, const struct gate_audit_line *l)
{
	char out[GATE_AUDIT_LINE];
	struct timespec now = sys_wall();
	size_t len;
	ssize_t n;

	if (a->fd < 0)
		return 0;
	if (a->size >= 2 * GATE_AUDIT_BYTES)
		return -EFBIG; /* nobody brought another file: no more of this one */
	len = gate_audit_format(l, now.tv_sec, now.tv_nsec, out);
	n = sys_write(a->fd, out, len);
	if (n < 0)
		return (int)n;
	a->size += (uint64_t)n;
	return a->size >= GATE_AUDIT_BYTES;
}
