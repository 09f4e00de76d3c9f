/* git_userconf - what git's settings of the user and of the machine say: they count in
 * every repository, so in those of the project.
 *
 * Does:   reads /etc/gitconfig, ~/.config/git/config, ~/.gitconfig and what they include.
 * Needs:  the environment of the caller's git (HOME, XDG_CONFIG_HOME, GIT_CONFIG_*).
 * Owns:   nothing.
 * Never:  writes; reads more than GIT_USERCONF_FILES files. */
#ifndef ROOTFS_GIT_USERCONF_H
#define ROOTFS_GIT_USERCONF_H

#include "rootfs/git/config.h"

enum { GIT_USERCONF_FILES = 32 };

/** git_userconf_places() - call @fn for each file that git reads, there or not, but for what
 *  is included
 *  @attributes: it has attributes, no settings */
typedef void git_userconf_place_fn(void *ctx, const char *path, bool attributes);
void git_userconf_places(git_userconf_place_fn *fn, void *ctx);

/** git_userconf_each() - call @fn for each setting
 *
 * A value "~/x" is given as the path that it means, one of an include always so: it is
 * followed, whatever its condition. What cannot be read is left out, as by git.
 * Return: 0; a negative errno: a file was not understood to its end.
 */
int git_userconf_each(git_config_fn *fn, void *ctx);

/** git_userconf_of() - call @fn for each setting that counts in a project's repositories
 *  @maybe: instead for each that counts in some of them, or at some time (condition.h) */
int git_userconf_of(const char *project, bool maybe, git_config_fn *fn, void *ctx);

#endif
