/* modelpick - which model a task talks to: --model, the configuration, the keys in the
 * environment, a local server, in this order.
 * Needs:  the environment.
 * Owns:   names that it had to cut out of others.
 * Never:  shows or stores a key; uses a server that nobody named without saying so. */
#ifndef CLI_TASK_MODELPICK_H
#define CLI_TASK_MODELPICK_H

#include "agent/model/model.h"
#include "cli/show/app.h"

enum { MODELPICK_SECRETS = 16 };

struct modelpick {
	struct model_conf
		conf; /* its strings live here, in the environment or config */
	struct model_found found;
	struct prices prices; /* of the configuration */
	char *provider;	      /* owned; what stood before ':' */
	bool own;	      /* that is one of the configuration */
	const char
		*secrets[MODELPICK_SECRETS + 1]; /* keys in the environment; borrowed */
};
void modelpick_done(struct modelpick *m);
/** modelpick_word() - what --model would have to say for the same: "PROVIDER:NAME",
 *  appended; nothing for a transcript */
int modelpick_word(const struct modelpick *m, struct buf *out);
#define _cleanup_modelpick_ _cleanup_(modelpick_done)

/** modelpick_secrets() - every key that is known by name, the used one or not, appended
 *  to a NULL-ended list; borrowed from the environment. No text of a box has them */
void modelpick_secrets(const struct config *c,
		       const char *secrets[MODELPICK_SECRETS + 1]);

/**
 * modelpick_choose() - fill conf and secrets
 * @replay_fd: a transcript in the model's place; -1 = none
 *
 * Return: 0; -ENOKEY (nothing to talk to); -EINVAL (unknown provider).
 */
int modelpick_choose(const struct app *app, int replay_fd, struct modelpick *ret,
		     struct err *e);

#endif
