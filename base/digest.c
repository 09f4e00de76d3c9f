#include "base/digest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { SHOWN = 160 };

/* Both have as many letters. */
static const char short_one[] = "sha256:", long_one[] = "sha512:";

static bool is_long(const struct digest *d)
{
	return text_starts(d->text, long_one);
}

static bool is_of(const char *text, const char *algorithm, size_t digits)
{
	const char *hex = text + strlen(algorithm);

	return text_starts(text, algorithm) &&
	       strspn(hex, "0123456789abcdef") == digits && !hex[digits];
}

int digest_parse(const char *text, struct digest *ret, struct err *e)
{
	char shown[SHOWN];

	if (!text || (!is_of(text, short_one, HASH_HEX - 1) &&
		      !is_of(text, long_one, HASH_LONG_HEX - 1)))
		return err_set(e, -EINVAL, "'%s' is no sha256 or sha512 digest",
			       text_escaped(shown, sizeof(shown), text ?: "",
					    strlen(text ?: "")));
	memcpy(ret->text, text, strlen(text) + 1);
	return 0;
}

struct digest digest_sha256(const char hex[HASH_HEX])
{
	struct digest d;

	snprintf(d.text, sizeof(d.text), "%s%s", short_one, hex);
	return d;
}

void digest_path(const struct digest *d, char ret[DIGEST_TEXT])
{
	memcpy(ret, d->text, DIGEST_TEXT);
	if (*ret)
		ret[strlen(short_one) - 1] = '/';
}

const char *digest_kept(const struct digest *d)
{
	return d->text + (text_starts(d->text, short_one) ? strlen(short_one) : 0);
}

void digest_name(const struct digest *d, char ret[HASH_HEX])
{
	snprintf(ret, HASH_HEX, "%s", *d->text ? d->text + strlen(short_one) : "");
}

int digest_begin(const struct digest *like, struct hash **ret, struct err *e)
{
	return is_long(like) ? hash_new_long(ret, e) : hash_new(ret, e);
}

int digest_end(struct hash *h, struct digest *ret, struct err *e)
{
	char hex[HASH_LONG_HEX];
	int r = hash_final_long(h, hex, e);

	if (r < 0)
		return r;
	snprintf(ret->text, sizeof(ret->text), "%s%s",
		 strlen(hex) < HASH_LONG_HEX - 1 ? short_one : long_one, hex);
	return 0;
}

int digest_of(const struct digest *like, const void *data, size_t len,
	      struct digest *ret, struct err *e)
{
	_cleanup_hash_ struct hash *h = NULL;
	int r;

	if (!is_long(like)) { /* of a short one without a library */
		char hex[HASH_HEX];

		hash_text(data, len, hex);
		*ret = digest_sha256(hex);
		return 0;
	}
	r = digest_begin(like, &h, e) ?: hash_update(h, data, len, e);
	return r < 0 ? r : digest_end(h, ret, e);
}
