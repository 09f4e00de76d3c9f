/* crew - the layers of an image at once: each is brought by a process of its own.
 * Needs:  a single-threaded caller.
 * Owns:   the processes, until it returns.
 * Never:  returns while one of them is at work. */
#ifndef ROOTFS_IMAGE_CREW_H
#define ROOTFS_IMAGE_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

enum { CREW_HANDS = 4 };

/* What a process says of its work. */
struct crew_hand;
void crew_hand_note(struct crew_hand *h, const char *line);
/** crew_hand_done() - how many bytes of its layer came up to now */
void crew_hand_done(struct crew_hand *h, uint64_t done);

struct crew_conf {
	size_t n;     /* layers */
	int abort_fd; /* readable = give up with -ECANCELED; -1 = none */
	bool (*wanted)(void *ctx, size_t i); /* false: nobody is to bring this one */
	/* In a process of its own. @abort: becomes readable when it is to give up, also
	 * because its parent is gone; *@ret: owned, may be NULL. */
	int (*bring)(void *ctx, size_t i, struct crew_hand *h, int abort,
		     struct json **ret, struct err *e);
	int (*brought)(void *ctx, size_t i, const struct json *result, struct err *e);
	void (*note)(void *ctx, const char *line);
	void (*tell)(void *ctx, uint64_t done); /* of all of them */
	void *ctx;
};

/** crew_run() - 0, or what the first that failed failed with; the others are ended then */
int crew_run(const struct crew_conf *c, struct err *e);

#endif
