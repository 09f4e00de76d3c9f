#include "agent/server/conf/keys.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/text.h"

static const struct {
	const char *name;
	unsigned rights;
} rights[] = {
	{ "all", KEY_ALL },
	{ "read", KEY_READ },
	{ "run", KEY_RUN },
	{ "network", KEY_NETWORK },
};

/* "read,run": 0 = one of them is unknown */
static unsigned read_rights(char *text)
{
	unsigned all = 0;
	char *rest = NULL;

	for (char *word = strtok_r(text, ",", &rest); word;
	     word = strtok_r(NULL, ",", &rest)) {
		unsigned one = 0;

		for (size_t i = 0; i < ARRAY_SIZE(rights); i++)
			if (strcmp(rights[i].name, word) == 0)
				one = rights[i].rights;
		if (!one)
			return 0;
		all |= one;
	}
	return all;
}

static const char *read_line(char *line, struct key *ret)
{
	char *rest = NULL, *list;

	ret->name = strtok_r(line, " \t\r", &rest);
	ret->text = strtok_r(NULL, " \t\r", &rest);
	list = strtok_r(NULL, " \t\r", &rest);
	ret->who = strtok_r(NULL, " \t\r", &rest);
	if (!list || strtok_r(NULL, " \t\r", &rest))
		return "NAME KEY RIGHTS [PATTERN] is needed";
	if (strlen(ret->text) < KEYS_LEAST)
		return "a key has at least 16 characters";
	ret->rights = read_rights(list);
	return ret->rights ? NULL : "the rights are all, read, run, network";
}

int keys_parse(char *text, struct keys *ret, struct err *e)
{
	struct keys k = { .n = 0 };
	unsigned number = 0;
	char *line;

	while ((line = text_setting(&text, &number))) {
		const char *why = k.n == KEYS_MAX ? "there are too many keys"
						  : read_line(line, &k.list[k.n]);
		if (!why && keys_find(&k, k.list[k.n].text))
			why = "another line has this key";
		if (why)
			return err_set(e, -EINVAL, "line %u: %s", number, why);
		k.n++;
	}
	if (!k.n)
		return err_set(e, -EINVAL, "there is no key");
	*ret = k;
	return 0;
}

/* As long for any text of a length. */
static bool same(const char *want, const char *text, size_t len)
{
	size_t n = strlen(want);
	volatile unsigned differ = len != n;

	for (size_t i = 0; i < n; i++)
		differ |= (unsigned)(unsigned char)want[i] ^
			  (unsigned char)text[len ? i % len : 0];
	return differ == 0;
}

const struct key *keys_find(const struct keys *k, const char *text)
{
	const struct key *found = NULL;
	size_t len = strlen(text);

	for (unsigned i = 0; i < k->n; i++)
		if (same(k->list[i].text, text, len))
			found = &k->list[i];
	return found;
}

bool keys_may(const struct key *k, unsigned right, const char *who)
{
	return (k->rights & right) == right &&
	       (!k->who || fnmatch(k->who, who, 0) == 0);
}
