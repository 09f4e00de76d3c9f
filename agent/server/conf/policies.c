#include "agent/server/conf/policies.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/text.h"

static const struct policy *find_name(const struct policies *p, const char *name)
{
	for (unsigned i = 0; i < p->n; i++)
		if (strcmp(p->list[i].name, name) == 0)
			return &p->list[i];
	return NULL;
}

static const char *read_line(char *line, struct policy *ret)
{
	char *rest = NULL, *word;
	unsigned n = 0;

	ret->name = strtok_r(line, " \t\r", &rest);
	ret->users = strtok_r(NULL, " \t\r", &rest);
	ret->contexts = strtok_r(NULL, " \t\r", &rest);
	if (!ret->contexts)
		return "NAME USERS CHATS [--OPTION=VALUE]... is needed";
	if (!text_is_word(ret->name, POLICY_NAME)) /* a part of a path */
		return "a name has letters, digits, '-' and '_', 39 at most";
	while ((word = strtok_r(NULL, " \t\r", &rest))) {
		if (strncmp(word, "--", 2) != 0 || !strchr(word, '='))
			return "an option is --NAME=VALUE";
		if (n == POLICY_OPTIONS)
			return "there are too many options";
		ret->options[n++] = word;
	}
	return NULL;
}

int policies_parse(char *text, struct policies *ret, struct err *e)
{
	struct policies p = { .n = 0 };
	unsigned number = 0;
	char *line;

	while ((line = text_setting(&text, &number))) {
		const char *why = p.n == POLICIES_MAX ? "there are too many policies"
						      : read_line(line, &p.list[p.n]);
		if (!why && find_name(&p, p.list[p.n].name))
			why = "another line has this name";
		if (why)
			return err_set(e, -EINVAL, "line %u: %s", number, why);
		p.n++;
	}
	if (!p.n)
		return err_set(e, -EINVAL, "there is no policy");
	*ret = p;
	return 0;
}

static bool is_for(const struct policy *p, const char *user, const char *context)
{
	return fnmatch(p->users, user ? user : "", 0) == 0 &&
	       fnmatch(p->contexts, context ? context : "", 0) == 0;
}

int policies_find(const struct policies *p, const char *name, const char *user,
		  const char *context, const struct policy **ret, struct err *e)
{
	const struct policy *found = name ? find_name(p, name) : NULL;

	if (name && !found)
		return err_set(e, -ENOENT, "there is no policy '%s'", name);
	for (unsigned i = 0; !name && !found && i < p->n; i++)
		if (is_for(&p->list[i], user, context))
			found = &p->list[i];
	if (!found || !is_for(found, user, context))
		return err_set(e, -EPERM, "no policy is for this user and chat");
	*ret = found;
	return 0;
}
