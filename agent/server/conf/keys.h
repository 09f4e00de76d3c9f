/* keys - who may ask, and what: each key has a name, rights, and boxes.
 * Needs:  the text of a file of keys; pure.
 * Owns:   nothing: everything points into that text.
 * Never:  takes longer for one wrong key than for another of its length.
 *
 * A line is NAME KEY RIGHTS [PATTERN]: rights are "all", or some of read,run,network; the
 * pattern (fnmatch) is of the users, or of the boxes that are called by their name. Empty
 * lines and those that begin with '#' say nothing. */
#ifndef AGENT_SERVER_CONF_KEYS_H
#define AGENT_SERVER_CONF_KEYS_H

#include "base/def.h"
#include "base/err.h"

enum { KEYS_MAX = 32, KEYS_LEAST = 16 };

enum key_right {
	KEY_READ = 1,	 /* look at files, commands and their output */
	KEY_RUN = 2,	 /* commands, files, terminals, Python, MCP */
	KEY_NETWORK = 4, /* the ports of the box */
	KEY_HOLDER = 8,	 /* /v1: what the person at the terminal may */
	KEY_ALL = 15
};

struct key {
	const char *name, *text;
	const char *who; /* pattern; NULL = any */
	unsigned rights;
};

struct keys {
	struct key list[KEYS_MAX];
	unsigned n;
};

/**
 * keys_parse() - read a file of keys
 * @text: changed, and must outlive @ret
 * Return: 0, or -EINVAL with the line's number.
 */
int keys_parse(char *text, struct keys *ret, struct err *e);

/** keys_find() - the key of this text; NULL = none */
const struct key *keys_find(const struct keys *k, const char *text);

/** keys_may() - has it the right, about this user or box? "" = neither was named */
bool keys_may(const struct key *k, unsigned right, const char *who);

#endif
