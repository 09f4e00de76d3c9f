/* gate_audit - the record of what a box did on the network: one JSON object per line in
 * net.jsonl, outside the box, and the file before it in net.jsonl.1.
 * Needs:  a directory that the box cannot see.
 * Owns:   the open file.
 * Never:  grows past twice GATE_AUDIT_BYTES in all, and a little; stops the box when it
 *         cannot write. */
#ifndef RUNTIME_GATE_AUDIT_H
#define RUNTIME_GATE_AUDIT_H

#include "base/err.h"
#include "runtime/gate/owner.h"
#include "runtime/net/addr.h"

#define GATE_AUDIT_FILE "net.jsonl"

enum { GATE_AUDIT_BYTES = 4 << 20, GATE_AUDIT_LINE = 1024 };

/* Members with an empty value (NULL, 0, no address) are left out. */
struct gate_audit_line {
	const char *event;   /* "dns", "open", "close", "publish", "gate" */
	const char *verdict; /* "allowed", "refused", "failed" */
	const char *name;
	const struct netaddr *addr;
	uint16_t port;
	uint64_t id;	   /* the same in "open" and "close" */
	const char *proxy; /* host of the proxy it went through */
	const char *why;
	bool by_box; /* a process of the box is at it: "process" is an object or null */
	const struct gate_owner *who; /* borrowed; NULL or pid 0 = null */
	bool ended; /* the figures below are meant, also when they are 0 */
	uint64_t sent, received, ms;
};

struct gate_audit {
	int fd;	       /* owned; -1 = no audit */
	uint64_t size; /* bytes in the file */
};

/** gate_audit_open() - open, or make, the file; when it is full it becomes the ".1" */
int gate_audit_open(int dirfd, int *ret, struct err *e);

/** gate_audit_start() - take over a file; @fd becomes owned, -1 = no audit */
void gate_audit_start(struct gate_audit *a, int fd);
void gate_audit_done(struct gate_audit *a);
/** gate_audit_format() - one line with its newline into @out; its length */
size_t gate_audit_format(const struct gate_audit_line *l, int64_t sec, long nsec,
			 char out[GATE_AUDIT_LINE]);
/** gate_audit_write() - 1 = written, and the file is full: ask for another; 0; -EFBIG: not
 *  written, for nobody brought one; -errno */
int gate_audit_write(struct gate_audit *a, const struct gate_audit_line *l);

#endif
