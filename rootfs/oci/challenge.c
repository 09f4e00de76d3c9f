#include "rootfs/oci/challenge.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/def.h"
#include "base/text.h"

static const char token_chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789!#$%&'*+-.^_`|~";

static const char *skip(const char *p, const char *of)
{
	return p + strspn(p, of);
}

/* A token, or a string in quotes with escapes; behind it, or NULL: it is neither, or too
 * long. */
static const char *read_value(const char *p, char out[CHALLENGE_VALUE])
{
	size_t n = 0;

	if (*p != '"') {
		n = strspn(p, token_chars);
		if (!n || n >= CHALLENGE_VALUE)
			return NULL;
		memcpy(out, p, n);
		out[n] = '\0';
		return p + n;
	}
	for (p++; *p && *p != '"'; p++) {
		if (*p == '\\' && p[1])
			p++;
		if (n + 1 >= CHALLENGE_VALUE)
			return NULL;
		out[n++] = *p;
	}
	out[n] = '\0';
	return *p == '"' ? p + 1 : NULL;
}

static void set_param(struct challenge *c, const char *name, size_t len,
		      const char *value)
{
	const struct {
		const char *name;
		char *to;
	} known[] = { { "realm", c->realm },
		      { "service", c->service },
		      { "scope", c->scope },
		      { "error", c->error } };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (len == strlen(known[i].name) &&
		    !strncasecmp(name, known[i].name, len))
			(void)text_copy(known[i].to, CHALLENGE_VALUE, value);
}

/* "name = value", or nothing of that kind: NULL. */
static const char *read_param(const char *p, struct challenge *c)
{
	size_t len = strspn(p, token_chars);
	char value[CHALLENGE_VALUE];
	const char *v = skip(p + len, " \t");

	if (!len || *v != '=')
		return NULL;
	v = read_value(skip(v + 1, " \t"), value);
	if (v)
		set_param(c, p, len, value);
	return v;
}

static bool realm_valid(const char *realm)
{
	if (!text_starts(realm, "https://") && !text_starts(realm, "http://"))
		return false;
	for (; *realm; realm++)
		if (*realm <= ' ' || *realm > '~' || strchr("\"<>\\^`{|}#", *realm))
			return false;
	return true;
}

static void judge(struct challenge *best, const struct challenge *c)
{
	bool good = c->kind != CHALLENGE_BEARER || realm_valid(c->realm);

	if (good && c->kind > best->kind)
		*best = *c;
}

void challenge_parse(const char *field, struct challenge *ret)
{
	struct challenge best = { .kind = CHALLENGE_NONE }, now = best;
	const char *p = skip(field, " \t,"), *next;

	while (*p) {
		next = read_param(p, &now);
		if (!next) { /* a scheme, or what is behind a token68 */
			size_t len = strspn(p, token_chars);

			judge(&best, &now);
			now = (struct challenge){ .kind = CHALLENGE_NONE };
			if (len == 6 && !strncasecmp(p, "Bearer", 6))
				now.kind = CHALLENGE_BEARER;
			else if (len == 5 && !strncasecmp(p, "Basic", 5))
				now.kind = CHALLENGE_BASIC;
			next = p + (len ? len : 1);
		}
		p = skip(next, " \t,");
	}
	judge(&best, &now);
	*ret = best;
}

/* Other codes and agents are no registry's. One too long for us is none. */
bool challenge_warning(const char **at, char ret[CHALLENGE_VALUE])
{
	static const char ours[] = "299 - \"";
	const char *p, *behind;

	while ((p = strstr(*at, ours))) {
		p += strlen(ours) - 1;
		behind = read_value(p, ret);
		*at = behind ?: p + 1;
		if (behind && *ret)
			return true;
	}
	return false;
}

void challenge_escape(const char *value, char *out, unsigned size)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/,";
	unsigned n = 0;

	for (; *value && n + 4 <= size; value++)
		if (strchr(plain, *value))
			out[n++] = *value;
		else
			n += (unsigned)snprintf(out + n, size - n, "%%%02X",
						(unsigned char)*value);
	out[n] = '\0';
}
