/* netaudit - the record of what a box did on the network: one JSON object per line in
 * net.jsonl, outside the box, and the file before it in net.jsonl.1.
 * Needs:  a directory that the box cannot see.
 * Owns:   the open file.
 * Never:  grows past twice NETAUDIT_BYTES in all, and a little; stops the box when it
 *         cannot write. */
#ifndef RUNTIME_NETAUDIT_H
#define RUNTIME_NETAUDIT_H

#include "base/err.h"
#include "runtime/netaddr.h"
#include "runtime/netwho.h"

#define NETAUDIT_FILE "net.jsonl"

enum { NETAUDIT_BYTES = 4 << 20, NETAUDIT_LINE = 1024 };

/* Members with an empty value (NULL, 0, no address) are left out. */
struct netaudit_line {
	const char *event;   /* "dns", "open", "close", "publish", "gate" */
	const char *verdict; /* "allowed", "refused", "failed" */
	const char *name;
	const struct netaddr *addr;
	uint16_t port;
	uint64_t id;	   /* the same in "open" and "close" */
	const char *proxy; /* host of the proxy it went through */
	const char *why;
	bool by_box; /* a process of the box is at it: "process" is an object or null */
	const struct netwho *who; /* borrowed; NULL or pid 0 = null */
	bool ended; /* the figures below are meant, also when they are 0 */
	uint64_t sent, received, ms;
};

struct netaudit {
	int fd;	       /* owned; -1 = no audit */
	uint64_t size; /* bytes in the file */
};

/** netaudit_open() - open, or make, the file; when it is full it becomes the ".1" */
int netaudit_open(int dirfd, int *ret, struct err *e);

/** netaudit_start() - take over a file; @fd becomes owned, -1 = no audit */
void netaudit_start(struct netaudit *a, int fd);
void netaudit_done(struct netaudit *a);
/** netaudit_format() - one line with its newline into @out; its length */
size_t netaudit_format(const struct netaudit_line *l, int64_t sec, long nsec,
		       char out[NETAUDIT_LINE]);
/** netaudit_write() - 1 = written, and the file is full: ask for another; 0; -EFBIG: not
 *  written, for nobody brought one; -errno */
int netaudit_write(struct netaudit *a, const struct netaudit_line *l);

#endif
