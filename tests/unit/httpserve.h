/* httpserve - an HTTP server in a child process: scripted answers, one request each, on
 * this machine's loopback.
 * Needs:  nothing.
 * Owns:   its process, until httpserve_stop().
 * Never:  answers more than was scripted. */
#ifndef TESTS_UNIT_HTTPSERVE_H
#define TESTS_UNIT_HTTPSERVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

enum { HTTPSERVE_ANSWERS = 12 };

struct httpserve_script {
	const char *answers[HTTPSERVE_ANSWERS]; /* one request each; "%d" is the
						   other's port */
	bool keep;				/* all on one connection */
	bool hang; /* after the last answer, until the client goes */
	int other_port;
};

struct httpserve {
	pid_t pid;
	int port;
	int seen_fd; /* owned; a memfd: all requests, one after the other */
};

struct httpserve httpserve_start(const struct httpserve_script *s);
/** httpserve_stop() - end the server; what it saw goes to @seen, if that is given */
void httpserve_stop(struct httpserve *s, struct buf *seen);

/** httpserve_url() - of @path there; one at a time */
const char *httpserve_url(const struct httpserve *s, const char *path);
/** httpserve_listen() - a listening socket at any free port */
int httpserve_listen(int *port);

#endif
