/* What a registry answers in WWW-Authenticate: nothing, or a realm that is a URL; and in
 * Warning: texts, an end of them. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rootfs/oci/challenge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), out[300];
	char warning[CHALLENGE_VALUE];
	const char *at = text;
	struct challenge c;

	while (challenge_warning(&at, warning))
		assert(*warning && at > text && at <= text + strlen(text));
	challenge_parse(text, &c);
	if (c.kind == CHALLENGE_BEARER)
		assert(text_starts(c.realm, "http") && !strpbrk(c.realm, " \"\r\n"));
	challenge_escape(c.scope, out, sizeof(out));
	assert(strlen(out) < sizeof(out) && !strpbrk(out, "& \r\n"));
	free(text);
	return 0;
}
