#include "cli/task/view/secret.h"

#include <string.h>

#include "agent/terminal/keys.h"
#include "base/scope.h"
#include "base/text.h"

/* ---- whether ------------------------------------------------------------------------------ */

/* A program that draws its screen hides itself what is typed. Its question is a line that
 * ends in a colon, but for an empty or starred field and the frame (also in UTF-8). */
static bool screen_asks(const char *text)
{
	for (const char *p = text; (p = strcasestr(p, "pass")); p++) {
		const char *rest = p + strcspn(p, ":\n");

		if (*rest != ':' || (strncasecmp(p, "password", 8) != 0 &&
				     strncasecmp(p, "passphrase", 10) != 0))
			continue;
		do
			rest++;
		while (*rest & 0x80 || (*rest && strchr(" |_*", *rest)));
		if (*rest == '\n')
			return true;
	}
	return false;
}

bool view_secret_wanted(bool was, const char *tool, const char *state, const char *text)
{
	const bool waits = state && strcmp(state, "waiting") == 0;

	/* A file that is read, a key that there is not; Python is not what the shell runs. */
	if (!state || !*state || (!waits && strcmp(tool, "python") == 0))
		return was;
	return waits && text &&
	       (strstr(text, "[waiting for a password") ||
		(strstr(text, "[waiting for a key, full-screen") && screen_asks(text)));
}

/* ---- how ---------------------------------------------------------------------------------- */

/* One that types no character; what is no key at all may be all of the secret. */
static bool is_plain_key(const char *name, size_t len)
{
	_cleanup_free_ char *key = strndup(name, len);
	_cleanup_buf_ struct buf bytes = BUF_INIT(64);

	return key && keys_add(key, false, &bytes, ERR_IGNORED) == 0 &&
	       (bytes.len > 1 || (unsigned char)*bytes.data < ' ' ||
		*bytes.data == '\177');
}

void view_secret_input(const struct json *args, struct buf *out)
{
	const char *text = json_get_str(args, "text"),
		   *keys = json_get_str(args, "keys");
	bool starred = text && *text, plain;

	buf_adds(out, starred ? "input ***" : "input");
	for (size_t n; keys && *(keys += strspn(keys, " \t\n,")); keys += n) {
		n = strcspn(keys, " \t\n,");
		plain = is_plain_key(keys, n);
		if (!plain && starred)
			continue;
		buf_addc(out, ' ');
		text_seen(out, plain ? keys : "***", plain ? n : 3, false);
		starred = !plain;
	}
}
