/* rig - a box's network and its gate in a simulated host (networld), and what the tests
 * of the gate's files do with it.
 * Needs:  netbox and networld; a main() that begins with rig_main().
 * Owns:   what struct rig holds, between rig_open() and rig_close().
 * Never:  fails without saying what was wanted and what came. */
#ifndef TESTS_UNIT_RIG_H
#define TESTS_UNIT_RIG_H

#include "base/json.h"
#include "runtime/gate/gate.h"
#include "tests/unit/netbox.h"

#define CURL "curl -sS --noproxy '*' --max-time 10 "

struct rig {
	struct netbox box;
	struct gate *gate;
	int dir; /* where the audit is */
};

/* Each way of catching connections: rows for unit_rows(). */
enum { RIG_RUNGS = 4 };
struct rig_rung {
	const char *name;
	enum netns_catch first;
};
extern const struct rig_rung rig_rungs[RIG_RUNGS];

/* What a box process does with one address; run inside. */
struct rig_peer {
	const char *host; /* name or address */
	uint16_t port;
	size_t bytes; /* to be echoed */
	int count;    /* connections */
};

/* A raw question to the box's DNS server at @at. */
struct rig_question {
	const char *name, *at;
	uint16_t type;
	bool tcp;
	int copies; /* by TCP: sent at once */
};

/** rig_main() - true: main() is over, with @status: this is the gate's own process, or
 *  there can be no simulated host here (a skip) */
bool rig_main(int argc, char **argv, int *status);

enum { RIG_PAUSE_MS = 1000 }; /* of a gate that died too often */

/** rig_open() - @rules: JSON, or NULL; @env: as in struct gate_conf, NULL = empty */
void rig_open(struct rig *r, enum netns_catch first, const char *rules,
	      const char *const *env);
void rig_close(struct rig *r);

struct json *rig_json(const char *text); /* owned */
/** rig_ask() - the gate's answer to a question, owned; a refusal fails the test */
struct json *rig_ask(struct rig *r, const char *q);
int64_t rig_stat(struct rig *r, const char *name);
/** rig_quiet() - until no connection is left */
void rig_quiet(struct rig *r);

/** rig_idle() - the gate waits for something to happen, it does not spin */
void rig_idle(struct rig *r);

/** rig_want() - a shell command inside ends with @status and has printed @output */
void rig_want(struct rig *r, const char *command, int status, const char *output);
/** rig_want_audit() - @text is in the audit, or comes soon */
void rig_want_audit(struct rig *r, const char *text);
void rig_want_event(struct rig *r, const char *text);
void rig_want_refused(struct rig *r, const char *host, uint16_t port);

/** rig_outside() - did a command succeed on the host, outside of the box? */
bool rig_outside(const char *command);

/** rig_dial() - connect; a descriptor, -ENOENT (no such name) or -errno; inside */
int rig_dial(const struct rig_peer *p);
/** rig_dial_begin(), rig_dial_end() - the same in two steps; the first does not wait */
int rig_dial_begin(const struct rig_peer *p);
int rig_dial_end(int fd);
/** rig_echo() - sends and takes back at once, in both directions; 0 = every byte came
 *  back, in order, and then the end; inside */
int rig_echo(int fd, size_t bytes);
/** rig_refusal() - @ctx: struct rig_peer; how a connection that is refused ends: the
 *  errno of the first call that fails, 200 = no such name, 201 = too late, 202, 203 =
 *  it was not refused; for netbox_call() */
int rig_refusal(void *ctx);

/** rig_put_question() - the message, at most 300 bytes; its length */
size_t rig_put_question(const struct rig_question *q, uint8_t *out);
/** rig_ask_dns() - @ctx: struct rig_question; rcode, or rcode + 100 with an answer, 255
 *  = none came, 254 = no connection; for netbox_call() */
int rig_ask_dns(void *ctx);

#endif
