/* mcp_foreign - what somebody else's server says of its tools, and answers to calls of them,
 * made fit for a model.
 * Needs:  parsed JSON of whatever origin; it is pure.
 * Owns:   nothing; what it makes is the caller's.
 * Never:  hands on more than its limits, a schema that a model service may refuse, a picture
 *         whose head it has not read. */
#ifndef AGENT_MCP_FOREIGN_H
#define AGENT_MCP_FOREIGN_H

#include "agent/tool/tool.h"

enum {
	MCP_FOREIGN_NAME = 65, /* of a tool's, which services limit to 64 */
	MCP_FOREIGN_WORDS = 8 << 10
};

/**
 * mcp_foreign_name() - what a model calls the tool: mcp__SERVER__TOOL, odd characters as _
 * Return: false: it has no name, or one that is too long.
 */
bool mcp_foreign_name(const char *server, const struct json *tool,
		      char ret[MCP_FOREIGN_NAME]);

/**
 * mcp_foreign_words() - description and parameters, as toolset_add() takes them
 *
 * @outside: it runs on the person's computer, which is said
 *
 * Of its schema stay plain types, properties, items, strings to choose from, descriptions
 * and what is required; of alternatives the first; references are put in their place.
 * Return: 0; -EINVAL (no object, no schema of an object), -EMSGSIZE, -ENOMEM.
 */
int mcp_foreign_words(const char *server, bool outside, const struct json *tool,
		      struct json **ret, struct err *e);

/**
 * mcp_foreign_result() - an answer to tools/call: its texts, @keep bytes of them at most,
 *                        its first picture, and a line for what cannot be shown
 */
int mcp_foreign_result(const struct json *result, size_t keep, struct tool_result *ret);

#endif
