/* toolset - the tools that a model is told of: their words, their schemas, what runs them.
 * Needs:  tools.json, which is part of the program.
 * Owns:   the parsed texts; a tool lives as long as its set.
 * Never:  runs anything. */
#ifndef AGENT_TOOL_TOOLSET_H
#define AGENT_TOOL_TOOLSET_H

#include "agent/tool/tool.h"

enum { TOOLSET_MAX = 64 };

struct toolset {
	struct tool v[TOOLSET_MAX];
	size_t n;
	struct json *words;	       /* owned: of the built-in tools */
	char *schemas[TOOLSET_MAX];    /* owned: v[i].schema */
	struct json *own[TOOLSET_MAX]; /* owned: the words of v[i], or NULL */
	char *names[TOOLSET_MAX];      /* owned: likewise */
};

/** toolset_load() - the built-in tools */
int toolset_load(struct toolset *ret, struct err *e);
void toolset_done(struct toolset *s);
#define _cleanup_toolset_ _cleanup_(toolset_done)

/** toolset_add() - one more; @words (description, parameters) are taken over
 *  @how: what runs it
 *  Return: 0; -EEXIST (the name is taken), -ENOSPC (there are too many), -ENOMEM. */
int toolset_add(struct toolset *s, const char *name, struct json *words,
		const struct tool *how);

const struct tool *toolset_find(const struct toolset *s, const char *name);

#endif
