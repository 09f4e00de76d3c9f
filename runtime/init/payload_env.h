/* payload_env - the environment of a payload: the box's own, then what the client added.
 * Needs:  nothing.
 * Owns:   nothing; the list it makes is the caller's.
 * Never:  passes on a variable of init's or the monitor's. */
#ifndef RUNTIME_INIT_PAYLOAD_ENV_H
#define RUNTIME_INIT_PAYLOAD_ENV_H

struct userdb_user;

/** payload_env_make() - @added ("K=V", NULL-ended) over the box's defaults for @user
 *  Return: 0 and an owned, NULL-ended list (free() it; the strings of @added stay the
 *          caller's), or -ENOMEM. */
int payload_env_make(const struct userdb_user *user, char *const *added, char ***ret);

/**
 * payload_env_fit() - locales that the image has not become the one that each has,
 *                     C.UTF-8; with a TERM that it does not know goes the description in
 *                     CUBBY_TERMINFO, as TERMINFO, and where there is none it becomes
 *                     xterm-256color; a TZ that it has no zone of becomes the rule in
 *                     CUBBY_TZ. What is named CUBBY_ nobody else sees
 * @env:  of payload_env_make(), whose values may be changed in place
 * @root: in front of every path; "" in the box
 *
 * Context: with the rights of the payload's user; looks only whether files are there.
 */
void payload_env_fit(char **env, const char *root);

/** payload_env_get() - value of @name; NULL = not set; borrowed from @env */
const char *payload_env_get(char *const *env, const char *name);

#endif
