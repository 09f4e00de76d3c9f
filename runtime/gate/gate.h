/* gate - the box's only way out, seen from its monitor: a confined process that serves
 * the descriptors of netns_setup() outside.
 * Needs:  a monitor with one thread; the descriptors; /proc/self/exe.
 * Owns:   the gate process, copies of the descriptors (so that a dead gate is replaced
 *         without the box noticing more than closed connections), the rules, the list
 *         of published ports, the audit file.
 * Never:  lets traffic out by itself: no gate process, no network. */
#ifndef RUNTIME_GATE_GATE_H
#define RUNTIME_GATE_GATE_H

#include <sys/types.h>

#include "base/err.h"
#include "base/json.h"
#include "base/scope.h"
#include "runtime/net/netns.h"

struct gate;

struct gate_conf {
	enum net_mode mode; /* NET_NONE too: published ports still work */
	const int *fds;	    /* NETNS_FDS of them, borrowed (copies are made) */
	struct netns_facts facts;
	pid_t init; /* the box's first process: its descendants are named in the audit;
		       0 = nobody is */
	const struct json *rules; /* spec.rules: "allow HOST…", "deny …"; NULL: none */
	const struct json *publish; /* spec.publish; NULL: none */
	int audit_dirfd; /* where net.jsonl is kept, outside the box; borrowed for the
			    gate's life; -1 = no audit */
	const char *const *env; /* NULL-ended; HTTPS_PROXY, …; NULL = this process's */
	bool sparing; /* the box's share of the processors is limited: the gate, which
			    * works outside of that, does not look for what may come */
	unsigned pause_ms; /* after too many deaths, until another is tried; 0 = 30 s */
};

/**
 * gate_start() - start the gate process; returns before it has confined itself
 * Return: 0, -EINVAL (a rule or a port, named), -EADDRINUSE (a published port), or why
 *         the process could not be started.
 */
int gate_start(const struct gate_conf *conf, struct gate **ret, struct err *e);
void gate_stop(struct gate **g);
#define _cleanup_gate_ _cleanup_(gate_stop)

/** gate_tell_chosen() - a line for each published port that the kernel chose:
 *  "published 127.0.0.1:40123 -> 80" */
void gate_tell_chosen(const struct gate *g, note_fn *note, void *ctx);

/** gate_fd() - poll for POLLIN, then call gate_step(); the same for the gate's life */
int gate_fd(const struct gate *g);
pid_t gate_pid(const struct gate *g); /* -1 = none is running */

enum { GATE_TEXT = 256 };
enum gate_event_kind {
	GATE_NOTHING,
	GATE_REFUSED,	/* text: "network: example.com is not allowed in this box" */
	GATE_RESTARTED, /* the process died and was replaced; connections were lost */
	GATE_DEAD	/* it died too often: the box has no network any more */
};
struct gate_event {
	enum gate_event_kind kind;
	char text[GATE_TEXT]; /* one line for people and for the model */
};

/**
 * gate_step() - take in what the gate process said, replace it when it died
 * Return: 1 = @ret filled (call again), 0 = nothing more.
 */
int gate_step(struct gate *g, struct gate_event *ret);

/**
 * gate_ask() - what "net", "ports" and "publish" of the box's clients become
 * @q: an object with "op":
 *   info                    how traffic is caught, proxy, limits
 *   rules                   → {"rules": ["allow …", …], "open": BOOL}
 *   change                  "allow", "deny", "drop": arrays of patterns → as rules
 *   ports                   → {"listening": [{"port","address"}], "published": [
 *                              {"address","host_port","port"}]}
 *   publish                 "spec": "[IP:]HOSTPORT:PORT" → the published entry
 *   unpublish               "host_port"
 *   stats                   counters
 *   events                  "since": N → {"next": M, "events": [{"n","text"}]}:
 *                           refusals and restarts after cursor N (0 = all kept)
 *   news                    "since": N → as events, and "listening" as in ports when
 *                           the gate answers
 * Context: blocks for 2 s at most. Works while the gate is dead for all but ports.
 */
int gate_ask(struct gate *g, const struct json *q, struct json **ret, struct err *e);

/** gate_main() - the process itself: "cubby __gate", descriptor 3 is its monitor.
 *  Called from cli/main.c and from nowhere else. Returns the exit status. */
int gate_main(int argc, char **argv);

#endif
