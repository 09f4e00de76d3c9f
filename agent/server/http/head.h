/* head - the head of an HTTP/1.1 request: its line and its fields, out of hostile bytes.
 * Needs:  nothing: pure.
 * Owns:   nothing: everything points into the text that it was given.
 * Never:  guesses where a request ends: what another server could read otherwise (two
 *         lengths, a length and a coding, a space before a colon, a folded line, a bare
 *         line feed) is refused. Source: RFC 9112, sections 2 to 6 and 11. */
#ifndef AGENT_SERVER_HTTP_HEAD_H
#define AGENT_SERVER_HTTP_HEAD_H

#include "base/def.h"

enum { HEAD_MAX = 32 << 10, HEAD_FIELDS = 64, HEAD_CHUNKED = -1 };

struct head_field {
	const char *name; /* lower case */
	const char *value;
};

struct head {
	const char *method, *path, *query; /* query: "" = none */
	struct head_field fields[HEAD_FIELDS];
	unsigned count;
	unsigned minor;	   /* HTTP/1.minor */
	int64_t length;	   /* of the body; HEAD_CHUNKED */
	bool keep_alive;   /* another request may follow */
	bool expects;	   /* the client waits for "100 Continue" */
	bool websocket;	   /* it asks for an upgrade to one, of version 13 */
	const char *wrong; /* why it was refused */
};

/**
 * head_length() - bytes of the head at the start of @text, with its empty line
 * Return: 0 = it is not complete yet; at most HEAD_MAX is looked at.
 */
size_t head_length(const char *text, size_t len);

/**
 * head_parse() - read it
 * @text: head_length() bytes; changed, and must outlive @ret
 * Return: 0, or the status of the refusal: 400, 431 (too many fields), 501 (a coding),
 *         505 (not HTTP/1.x); ret->wrong says why.
 */
int head_parse(char *text, size_t len, struct head *ret);

/** head_is_token() - RFC 9110, 5.6.2: what a field's name is */
bool head_is_token(const char *s, size_t len);
/** head_field() - a field by its name in lower case; NULL = none */
const char *head_field(const struct head *h, const char *name);
/** head_connection() - is @word one of those of "Connection", or a field that it names? */
bool head_connection(const struct head *h, const char *word);

#endif
