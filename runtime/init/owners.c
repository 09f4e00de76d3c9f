/* owners - the applet that says whose the ports are that something listens on.
 * Needs:  /proc.
 * Never:  looks at more than OWNERS_PORTS ports and OWNERS_LINKS descriptors. */
#include "runtime/init/applets.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/num.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/init/jsonout.h"

enum { OWNERS_PORTS = 256, OWNERS_LINKS = 200000, OWNERS_NAME = 16, LINE = 512 };

struct owned {
	uint64_t inode; /* of the socket */
	unsigned port;
	int64_t pid; /* 0 = not found */
	char name[OWNERS_NAME];
};

struct owners {
	int proc; /* borrowed */
	struct owned list[OWNERS_PORTS];
	size_t n;
	unsigned links;
	struct jsonout j;
};

/* ---- what listens ----------------------------------------------------------------------- */

/* "  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  0 0 12345 …"
 * (proc_pid_net(5)) */
static void take_line(struct owners *o, const char *line)
{
	unsigned port, state;
	uint64_t inode;

	if (sscanf(line, " %*d: %*[0-9A-F]:%x %*s %x %*s %*s %*s %*s %*s %" SCNu64,
		   &port, &state, &inode) != 3 ||
	    state != TCP_LISTEN || !inode || o->n == OWNERS_PORTS)
		return;
	o->list[o->n++] = (struct owned){ .inode = inode, .port = port };
}

static void take_table(struct owners *o, const char *path)
{
	_cleanup_close_ int fd = sys_openat(o->proc, path, O_RDONLY, 0);
	char text[LINE];
	size_t len = 0;
	ssize_t n;

	while (fd >= 0 && (n = sys_read(fd, text + len, sizeof(text) - 1 - len)) > 0) {
		char *line = text, *nl;

		len += (size_t)n;
		text[len] = '\0';
		for (; (nl = strchr(line, '\n')); line = nl + 1) {
			*nl = '\0';
			take_line(o, line);
		}
		len -= (size_t)(line - text);
		if (len == sizeof(text) - 1) /* no line of the kernel's */
			return;
		memmove(text, line, len);
	}
}

/* ---- whose it is ------------------------------------------------------------------------ */

static void name_of(int dirfd, char ret[OWNERS_NAME])
{
	(void)file_peek(dirfd, "comm", ret, OWNERS_NAME);
	ret[strcspn(ret, "\n")] = '\0';
}

/* Of several processes that have it (a server and its children) the first is told. */
static void take_socket(struct owners *o, int dirfd, int64_t pid, const char *link)
{
	uint64_t inode;

	if (sscanf(link, "socket:[%" SCNu64 "]", &inode) != 1)
		return;
	for (size_t i = 0; i < o->n; i++) {
		if (o->list[i].inode != inode || o->list[i].pid)
			continue;
		o->list[i].pid = pid;
		name_of(dirfd, o->list[i].name);
	}
}

static void look_at(struct owners *o, const char *pid, int64_t number)
{
	_cleanup_close_ int dirfd = sys_openat(o->proc, pid, O_RDONLY | O_DIRECTORY, 0);
	_cleanup_close_ int fds =
		dirfd < 0 ? -1 : sys_openat(dirfd, "fd", O_RDONLY | O_DIRECTORY, 0);
	struct dirscan scan;

	if (fds < 0)
		return;
	dirscan_start(&scan, fds);
	while (o->links++ < OWNERS_LINKS && dirscan_next(&scan)) {
		char link[64];
		ssize_t n = sys_readlinkat(fds, scan.name, link, sizeof(link) - 1);

		if (n <= 0)
			continue;
		link[n] = '\0';
		take_socket(o, dirfd, number, link);
	}
}

static int find_owners(struct owners *o, struct err *e)
{
	struct dirscan scan;

	dirscan_start(&scan, o->proc);
	while (dirscan_next(&scan)) {
		uint64_t pid;

		if (num_range(scan.name, 1, INT32_MAX, &pid) == 0)
			look_at(o, scan.name, (int64_t)pid);
	}
	return dirscan_failed(&scan, e);
}

static int say(struct owners *o, struct err *e)
{
	bool first = true;

	jsonout_raw(&o->j, "[");
	for (size_t i = 0; i < o->n; i++) {
		if (!o->list[i].pid)
			continue;
		jsonout_raw(&o->j, first ? "{" : ",{");
		jsonout_number(&o->j, true, "port", o->list[i].port);
		jsonout_number(&o->j, false, "pid", o->list[i].pid);
		jsonout_string(&o->j, false, "process", o->list[i].name);
		jsonout_raw(&o->j, "}");
		first = false;
	}
	jsonout_raw(&o->j, "]");
	return jsonout_end(&o->j, e);
}

int owners_run(char *const[], struct err *e)
{
	_cleanup_free_ struct owners *o = calloc(1, sizeof(*o));
	_cleanup_close_ int proc = sys_open("/proc", O_RDONLY | O_DIRECTORY);
	int r;

	if (!o || proc < 0)
		return err_sys(e, o ? proc : -ENOMEM, "cannot look at processes");
	o->proc = proc;
	take_table(o, "self/net/tcp");
	take_table(o, "self/net/tcp6");
	r = find_owners(o, e);
	return r < 0 ? r : say(o, e);
}
