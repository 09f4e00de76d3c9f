/* own - the person's tools: executables in .cubby/tools/, run in the box.
 * Needs:  beside each NAME a NAME.json with a description and a schema.
 * Owns:   nothing.
 * Never:  runs one on the host; takes the name of a tool that is there. */
#ifndef AGENT_TOOL_OWN_H
#define AGENT_TOOL_OWN_H

#include "agent/tool/toolset.h"

enum { OWN_MAX = 16, OWN_WORDS_MAX = 16 << 10, OWN_NAME = 33 };

#define OWN_DIR ".cubby/tools"

/**
 * own_load() - add those of a project to @s, in order of name
 * @dirfd: the project, on the host: a link in it is not followed
 * @notes: gets a line for each that cannot be used
 */
int own_load(struct toolset *s, int dirfd, struct buf *notes, struct err *e);

/** own_read() - 0, or -EINVAL and why @json is no description of a tool; pure */
int own_read(const struct toolset *s, const char *name, const struct json *json,
	     struct err *e);

#endif
