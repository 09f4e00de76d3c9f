/* modelserver - the fake model service, run by a unit test (tests/fake/model_server).
 * Needs:  python3; the current directory is the checkout.
 * Owns:   the server's process, which ends with this one, however that ends.
 * Never:  shares a server between two tests files. */
#ifndef TESTS_UNIT_MODELSERVER_H
#define TESTS_UNIT_MODELSERVER_H

#include "base/buf.h"
#include "base/proc.h"

struct http;

struct modelserver {
	struct proc proc;
	struct http *client; /* owned; the test's own */
	char url[64];	     /* "http://127.0.0.1:PORT" */
};
#define MODELSERVER_NONE ((struct modelserver){ .proc = { .pid = -1, .pidfd = -1 } })

void modelserver_start(struct modelserver *s);
void modelserver_stop(struct modelserver *s);

/** modelserver_play() - the lines of a scenario take the place of the one before */
void modelserver_play(struct modelserver *s, const char *lines);

/** modelserver_seen() - requests since the scenario began */
unsigned modelserver_seen(struct modelserver *s);

#endif
