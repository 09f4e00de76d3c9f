/* ttyenv - the environment of a program on a terminal: what all programs of the server's
 * boxes have, TERM, and what a request says besides.
 * Needs:  nothing: pure.
 * Owns:   what a request says, copied, until ttyenv_done().
 * Never:  takes a name with '=' in it, or a value that is no text. */
#ifndef AGENT_SERVER_RUN_TTYENV_H
#define AGENT_SERVER_RUN_TTYENV_H

#include "base/buf.h"
#include "base/json.h"

enum { TTYENV_MAX = 256 };

struct ttyenv {
	const char *list[TTYENV_MAX]; /* NULL-ended */
	struct buf text[TTYENV_MAX];  /* owned; what @list points into */
	size_t n_text;
};
void ttyenv_done(struct ttyenv *env);
#define _cleanup_ttyenv_ _cleanup_(ttyenv_done)

/**
 * ttyenv_make() - fill @ret, which ttyenv_done() frees also after a failure
 * @all:  "NAME=VALUE", NULL-ended; borrowed, outlives @ret; NULL = none
 * @more: an object of names and texts; NULL = none
 * Return: 0; -EINVAL: what is no name or text, too many, too long.
 */
int ttyenv_make(const char *const *all, const struct json *more, struct ttyenv *ret,
		struct err *e);

#endif
