/* wire - the messages between client, monitor and init: what may be said, and how
 * large. Needs:  SOCK_SEQPACKET Unix sockets: one send is one message, with its
 * descriptors. Owns:   descriptors that it received, until the caller takes them.
 * Never:  believes a length, count, flag or string of the other side; a message that is
 *         truncated, too long or carries too many descriptors is an error, its
 *         descriptors are closed.
 *
 * client → monitor   START (whoever starts it), HELLO, SPAWN, SIGNAL, KILL, ASK
 * monitor → client   NOTE, READY, SPAWNED, EXIT, ANSWER, FAILED, STOPPING
 * monitor → child    GO, GIT; then, to init:  SETUP, SPAWN, SIGNAL, KILL, CLEAR
 * child → monitor    NET, FAILED; then init:  READY (with its /proc), SPAWNED, EXIT, CLEARED
 *
 * All numbers are in host byte order: both ends run on one machine, from one build,
 * which HELLO and READY check. */
#ifndef RUNTIME_WIRE_WIRE_H
#define RUNTIME_WIRE_WIRE_H

#include <limits.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "runtime/net/netns.h"

enum wire_type {
	WIRE_HELLO = 1,
	WIRE_READY,
	WIRE_FAILED, /* body: struct err */
	WIRE_SPAWN,
	WIRE_SPAWNED,
	WIRE_EXIT,
	WIRE_SIGNAL,
	WIRE_KILL,
	WIRE_CLEAR,   /* end every process of the box */
	WIRE_CLEARED, /* body: struct wire_cleared */
	WIRE_ASK,     /* body: JSON text */
	WIRE_ANSWER,  /* body: JSON text */
	WIRE_GO,      /* body: struct wire_go */
	WIRE_NET,
	WIRE_SETUP,
	WIRE_START, /* body: struct wire_wish, JSON of the spec */
	WIRE_NOTE,  /* body: one line for the person */
	WIRE_GIT,   /* body: what is mounted for git; mount_outside_open()'s, volumes */
	WIRE_STOPPING, /* body: one byte: somebody stops the box, or does no more */
	WIRE_TYPES     /* one past the last */
};

enum {
	WIRE_FDS = 12,		 /* descriptors of one message at the most */
	WIRE_BODY = 64 * 1024,	 /* bytes behind the head at the most */
	WIRE_INLINE = 32 * 1024, /* bytes of a SPAWN's text that travel with it */
	WIRE_TEXT = 2 << 20, /* argv, environment, cwd and user of a SPAWN together */
	WIRE_STRINGS = 16 * 1024, /* how many strings those may be */
	WIRE_EXTRA = 4		  /* extra descriptors of a SPAWN */
};

struct wire_head {
	uint32_t type; /* enum wire_type */
	uint32_t id;   /* of a process or question; chosen by whoever asks */
	uint32_t len;  /* bytes of the body */
};

/* What a client wants of the box. */
struct wire_wish {
	uint64_t sign;	    /* of the spec's text (wire_sign()) */
	uint32_t linger_ms; /* how long it waits for another command; 0 = it ends */
	uint8_t visit;	    /* it runs nothing of its own: all else is 0 */
	uint8_t pad[3];
};

struct wire_hello {
	char build[64];
	struct wire_wish wish;
	uint8_t project; /* enum project_mode that it wants */
	uint8_t pad[3];
};

struct wire_ready {
	char build[64];
	int32_t init_pid; /* as the monitor sees it */
	uint8_t project;  /* enum project_mode that it has */
	uint8_t pad[3];
	uint16_t owner, group; /* which of its users the caller is in the project */
};

/* The strings (argv, then env, then cwd, then user, each ended by NUL) are behind it in
 * the message or, when they are more than WIRE_INLINE, in a memfd, the first descriptor.
 * Then come the extra descriptors. */
struct wire_spawn {
	uint32_t text_len;
	uint32_t n_argv, n_env;
	uint32_t n_extra;
	uint16_t rows, cols;
	uint8_t io; /* enum box_io */
	uint8_t applet, keep, pad;
};

/* code 0: pid and, as descriptors, our ends; else an errno and a message. */
struct wire_spawned {
	int32_t pid;
	struct err err;
};

struct wire_exit {
	int32_t status;
	int32_t signal;
	uint8_t oom, disk;
	uint8_t nothing_left; /* in the box but what other clients run */
	uint8_t pad;
};

/* Nothing runs in the box. */
struct wire_cleared {
	uint8_t traces; /* memory has files, segments or queues of what ran */
	uint8_t pad[3];
};

/* To the process group of the program. */
struct wire_signal {
	int32_t signal;
};

struct wire_setup {
	uint8_t single, root; /* which map the box has */
	uint8_t review;	      /* the project is a view */
	uint8_t pad[1];
	char project[PATH_MAX];
};

/* Init is ready: what it found there. */
struct wire_inside {
	uint8_t no_setid; /* set-id bits are refused: another program listens */
	uint8_t pad[3];
};

/* Under the root map: which of these mounts, that show the ids of the box, follow. */
enum wire_go_fd {
	WIRE_GO_PROJECT,
	WIRE_GO_IMAGE,
	WIRE_GO_BOX,
	WIRE_GO_LAYERS,
	WIRE_GO_DIFFS,
	WIRE_GO_FDS
};
struct wire_go {
	uint8_t there[WIRE_GO_FDS];
};

/* The child's network, ready: facts, and which of netns.h's descriptors follow. */
struct wire_net {
	struct netns_facts facts;
	uint8_t there[NETNS_FDS];
	int32_t git; /* why there is no view of a git directory; 0 = there is */
};

struct wire_msg {
	struct wire_head head;
	struct buf body;   /* owned */
	int fds[WIRE_FDS]; /* owned; n_fds of them */
	unsigned n_fds;
	bool reset; /* the other side ended before it had read all of ours; said once */
};

void wire_msg_init(struct wire_msg *m);
void wire_msg_done(struct wire_msg *m);
#define _cleanup_wire_ _cleanup_(wire_msg_done)

/**
 * wire_send() - one message
 * @fds: borrowed; the receiver gets copies
 * Return: 0, -EAGAIN (non-blocking and full), -EPIPE, -EMSGSIZE, …
 */
int wire_send(int fd, const struct wire_head *head, const void *body, const int *fds,
	      unsigned n_fds);

/**
 * wire_recv() - one message into @m, whose former content is released
 * @max_fds: more are closed and make the message an error
 * Return: 1, 0 at the end of the stream, -EAGAIN, -EBADMSG (malformed).
 */
int wire_recv(int fd, struct wire_msg *m, unsigned max_fds);

/** wire_body() - the body as a struct of exactly @size bytes; NULL = another size */
const void *wire_body(const struct wire_msg *m, size_t size);

/** wire_failed() - a FAILED's error to @e, whatever it has; its code */
int wire_failed(const struct wire_msg *m, struct err *e);

/** wire_spawn() - the body as a SPAWN's, with its text or without; NULL = neither */
const struct wire_spawn *wire_spawn(const struct wire_msg *m);

/** wire_take_fd() - descriptor @i, which becomes the caller's; -1 when there is none */
int wire_take_fd(struct wire_msg *m, unsigned i);

/** wire_sign() - a number that tells two texts of our own apart */
uint64_t wire_sign(const char *text, size_t len);

/** wire_pack() - strings into a sealed memfd for a SPAWN; returns it; @len its bytes */
int wire_pack(const struct buf *text, uint32_t *len, struct err *e);

#endif
