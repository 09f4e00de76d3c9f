/* spawn_pack - a command as the SPAWN message that asks for it; payload_parse() is the
 * other end.
 * Needs:  nothing.
 * Owns:   the message's body and memfd, until spawn_pack_done().
 * Never:  sends it: it goes by itself, or behind a greeting (wire.h). */
#ifndef RUNTIME_WIRE_SPAWN_PACK_H
#define RUNTIME_WIRE_SPAWN_PACK_H

#include "runtime/wire/command.h"
#include "runtime/wire/wire.h"

struct spawn_pack {
	struct wire_head head;
	struct buf body;	 /* owned */
	int fds[1 + WIRE_EXTRA]; /* borrowed; n_fds of them */
	unsigned n_fds;
	int text; /* owned; the memfd among them, or -1 where the body has the text */
};
#define SPAWN_PACK_NONE ((struct spawn_pack){ .body = BUF_INIT(WIRE_BODY), .text = -1 })
void spawn_pack_done(struct spawn_pack *p);
#define _cleanup_spawn_pack_ _cleanup_(spawn_pack_done)

/**
 * spawn_pack() - @c as message number @id
 * @ret: SPAWN_PACK_NONE before; to be released on failure, too
 * Return: 0, -EINVAL (no command, too many descriptors), -E2BIG (too long) or another
 *         negative errno.
 */
int spawn_pack(const struct box_command *c, uint32_t id, struct spawn_pack *ret,
	       struct err *e);

#endif
