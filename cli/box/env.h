/* env - the environment that a box is given: what a terminal needs, and what --env
 * names.
 * Needs:  the caller's environment.
 * Owns:   its strings.
 * Never:  passes on anything else of the caller's; lets a model's key in that nobody
 *         named with a '+' on the command line. */
#ifndef CLI_BOX_ENV_H
#define CLI_BOX_ENV_H

#include "cli/opt/config.h"

struct env {
	char **v; /* owned, NULL-ended */
	size_t n;
};
#define ENV_NONE ((struct env){ 0 })
void env_done(struct env *e);
#define _cleanup_env_ _cleanup_(env_done)

/**
 * env_make() - TERM, COLORTERM, LANG, LANGUAGE, LC_*, TZ of the caller, then each
 *              --env: "NAME=VALUE", or "NAME" for the caller's value
 * @c:      borrowed; its "providers" name further keys
 * @caller: the caller's environment, "K=V", NULL-ended
 *
 * A NAME that the caller does not have is left out. Return: 0; -EPERM (name of a model's
 * key, and not "+NAME" of the command line); -ENOMEM.
 */
int env_make(const struct config *c, char *const *caller, struct env *ret,
	     struct err *e);

/* What stands in for the name in TZ where the image has no zones; init takes it out. */
#define ENV_ZONE_RULE "CUBBY_TZ"
/* What becomes TERMINFO where the image does not know the TERM; the same. */
#define ENV_TERMINFO "CUBBY_TERMINFO"

/** env_get() - the value of @name, borrowed; NULL = it is not set */
const char *env_get(const struct env *env, const char *name);

/** env_put() - in place of an earlier value; 0 or -ENOMEM */
int env_put(struct env *env, const char *name, const char *value);

/** env_add_image() - what the image says, "K=V" each, where nobody else says anything of K
 *  @list: an array; NULL = nothing */
int env_add_image(struct env *env, const struct json *list, struct err *e);

/** env_is_key() - a variable that holds the key of a model service */
bool env_is_key(const struct config *c, const char *name);

#endif
