/* git_config - what a git configuration file says, and which of it can do no harm.
 * Needs:  the whole file; GIT_CONFIG_MAX is the limit.
 * Owns:   nothing.
 * Never:  reads a file; is more lenient than git: what it cannot read is refused. Pure. */
#ifndef ROOTFS_GIT_CONFIG_H
#define ROOTFS_GIT_CONFIG_H

#include "base/def.h"

enum { GIT_CONFIG_MAX = 256 * 1024, GIT_CONFIG_WORD = 64, GIT_CONFIG_TEXT = 4096 };

struct git_config_item {
	char section[GIT_CONFIG_WORD];	  /* lower case */
	char subsection[GIT_CONFIG_TEXT]; /* "" = none */
	char key[GIT_CONFIG_WORD];	  /* lower case */
	char value[GIT_CONFIG_TEXT];	  /* "true" where only a key stands */
};

/* A negative result ends git_config_parse(), which returns it. */
typedef int git_config_fn(void *ctx, const struct git_config_item *it);

/** git_config_parse() - call @fn for each setting, in their order
 *  Return: 0, -EBADMSG (not what git writes), -EMSGSIZE or what @fn returned. */
int git_config_parse(const char *text, size_t len, git_config_fn *fn, void *ctx);

/** git_config_true() - of a value that is yes or no, in each way that git takes for yes */
bool git_config_true(const char *value);

/** git_config_harmless() - a setting of a table of those that can neither run a program
 *  nor lead git to another place */
bool git_config_harmless(const struct git_config_item *it);

#endif
