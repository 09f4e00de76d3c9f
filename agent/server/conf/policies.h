/* policies - what the boxes of which users have: each policy has a name, the users and chats
 * that it is for, and options of boxes.
 * Needs:  the text of a file of policies; pure.
 * Owns:   nothing: everything points into that text.
 * Never:  knows what an option means: whoever starts boxes checks them.
 *
 * A line is NAME USERS CHATS [--OPTION=VALUE]...: users and chats are patterns (fnmatch).
 * Empty lines and those that begin with '#' say nothing. */
#ifndef AGENT_SERVER_CONF_POLICIES_H
#define AGENT_SERVER_CONF_POLICIES_H

#include "base/def.h"
#include "base/err.h"

enum { POLICIES_MAX = 32, POLICY_OPTIONS = 24, POLICY_NAME = 40 };

struct policy {
	const char *name, *users, *contexts;
	const char *options[POLICY_OPTIONS + 1]; /* NULL-ended */
};

struct policies {
	struct policy list[POLICIES_MAX];
	unsigned n;
};

/**
 * policies_parse() - read a file of policies
 * @text: changed, and must outlive @ret
 * Return: 0, or -EINVAL with the line's number.
 */
int policies_parse(char *text, struct policies *ret, struct err *e);

/**
 * policies_find() - the one of this name, or (NULL) the first for this user and chat
 * @user, @context: NULL = none was named, as ""
 * Return: 0; -ENOENT: there is none of this name; -EPERM: it, or any, is not for them.
 */
int policies_find(const struct policies *p, const char *name, const char *user,
		  const char *context, const struct policy **ret, struct err *e);

#endif
