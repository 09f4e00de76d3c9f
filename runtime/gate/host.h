/* gate_host - the gate as its monitor keeps it. For gate.c and ask.c alone.
 * Needs:  gate.h.
 * Owns:   what struct gate says.
 * Never:  is seen by the gate process, which has impl.h. */
#ifndef RUNTIME_GATE_HOST_H
#define RUNTIME_GATE_HOST_H

#include "base/proc.h"
#include "runtime/gate/gate.h"
#include "runtime/gate/policy.h"
#include "runtime/gate/proxy.h"
#include "runtime/gate/publish.h"

enum { GATE_EVENTS = 64, GATE_DEATHS = 5, GATE_PUBLISHED_MAX = 64 };

struct gate_past {
	enum gate_event_kind kind;
	char text[GATE_TEXT];
};

struct gate {
	struct gate_conf conf;	    /* its pointers are not used after the start */
	int fds[NETNS_FDS];	    /* owned copies */
	struct gate_policy *policy; /* owned */
	struct json *env;	    /* owned; the proxy variables */
	char proxy[GATE_PROXY_HOST + 16];		   /* for people; "" = none */
	int names_fd;					   /* owned memfd */
	struct gate_publish published[GATE_PUBLISHED_MAX]; /* owned */

	struct proc proc;
	int sock;	/* owned; to the process; -1 = dead */
	int last_words; /* owned; its standard error; -1 = none */
	int epfd, wake; /* owned; epfd watches sock, wake and pause */
	int pause;	/* owned timer: another process is tried */
	uint32_t next_id;
	uint64_t deaths[GATE_DEATHS]; /* when, a ring */
	unsigned n_deaths;
	char failure[GATE_TEXT]; /* what the process said before it ended */
	char ended[GATE_TEXT];	 /* the same of the one before it */

	struct gate_past events[GATE_EVENTS]; /* a ring; n_events were ever put in */
	uint64_t n_events, n_told;
};

/** gate_question() - ask the process and wait for its answer, 2 s at the most */
int gate_question(struct gate *g, const struct json *q, struct json **ret,
		  struct err *e);

/** gate_replace() - kill the process and start another, with the rules that are kept here */
void gate_replace(struct gate *g, const char *why);

/** gate_drain() - take in what the process has said by now */
void gate_drain(struct gate *g);

/** gate_ports_json() - the ports that are caught, for a message; owned */
struct json *gate_ports_json(const struct netns_facts *f);

/** gate_publish() - listen and have the process serve it; @ret is borrowed */
int gate_publish(struct gate *g, const char *spec, struct gate_publish **ret,
		 struct err *e);

#endif
