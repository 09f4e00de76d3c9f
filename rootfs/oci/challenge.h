/* challenge - what a registry wants before it answers: the field WWW-Authenticate
 * (RFC 9110, 11.6.1; distribution's token authentication); and what it wants a person to
 * know: Warning (distribution-spec 1.1, "Warnings").
 * Needs:  the value of the field.
 * Owns:   nothing; pure.
 * Never:  lets a realm through that is no http(s) URL of plain characters. */
#ifndef ROOTFS_OCI_CHALLENGE_H
#define ROOTFS_OCI_CHALLENGE_H

#include <stdbool.h>

enum { CHALLENGE_VALUE = 512 };

struct challenge {
	enum challenge_kind { CHALLENGE_NONE, CHALLENGE_BASIC, CHALLENGE_BEARER } kind;
	char realm[CHALLENGE_VALUE]; /* of a Bearer: where tokens are had */
	char service[CHALLENGE_VALUE], scope[CHALLENGE_VALUE];
	char error
		[CHALLENGE_VALUE]; /* of the token that was shown; "" = none is told */
};

/** challenge_parse() - the first Bearer of the field, else the first Basic, else none */
void challenge_parse(const char *field, struct challenge *ret);

/** challenge_warning() - the next text of a field 'Warning: 299 - "TEXT", …'
 *  @at: where the field is read; then what is behind it. false: there is none */
bool challenge_warning(const char **at, char ret[CHALLENGE_VALUE]);

/** challenge_escape() - a value of a URL's query, percent-encoded; cut when too long */
void challenge_escape(const char *value, char *out, unsigned size);

#endif
