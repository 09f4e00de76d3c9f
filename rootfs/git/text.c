#include "rootfs/git/text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

int git_text_path(const char *text, size_t len, char ret[PATH_MAX])
{
	while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	if (!len || len >= PATH_MAX || memchr(text, '\n', len) ||
	    memchr(text, '\0', len))
		return -EBADMSG;
	memcpy(ret, text, len);
	ret[len] = '\0';
	return 0;
}

int git_text_link(const char *text, size_t len, char ret[PATH_MAX])
{
	static const char word[] = "gitdir: ";
	size_t n = sizeof(word) - 1;

	if (len <= n || memcmp(text, word, n) != 0)
		return -EBADMSG;
	return git_text_path(text + n, len - n, ret);
}

bool git_text_is_sum(const char *s, size_t len)
{
	if (len != 40 && len != 64)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!(s[i] >= '0' && s[i] <= '9') && !(s[i] >= 'a' && s[i] <= 'f'))
			return false;
	return true;
}

/* ---- names ---------------------------------------------------------------------------- */

static bool is_part(const char *s, size_t len)
{
	static const char lock[] = ".lock";
	size_t n = sizeof(lock) - 1;

	if (!len || s[0] == '.' || s[0] == '-' || s[len - 1] == '.')
		return false;
	if (len >= n && memcmp(s + len - n, lock, n) == 0)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c <= ' ' || c == 0x7f || strchr("~^:?*[\\", c))
			return false;
		if (i &&
		    ((c == '.' && s[i - 1] == '.') || (c == '{' && s[i - 1] == '@')))
			return false;
	}
	return true;
}

bool git_text_is_ref(const char *name, size_t len)
{
	static const char top[] = "refs/";
	size_t at = sizeof(top) - 1;

	if (len <= at || len >= GIT_TEXT_NAME || memcmp(name, top, at) != 0)
		return false;
	while (at <= len) {
		const char *slash = memchr(name + at, '/', len - at);
		size_t n = slash ? (size_t)(slash - name) - at : len - at;

		if (!is_part(name + at, n))
			return false;
		at += n + 1;
	}
	return true;
}

/* ---- values --------------------------------------------------------------------------- */

int git_text_value(const char *text, size_t len, char ret[GIT_TEXT_VALUE])
{
	static const char word[] = "ref: ";
	size_t n = sizeof(word) - 1;

	while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	if (len >= GIT_TEXT_VALUE)
		return -EBADMSG;
	if (!git_text_is_sum(text, len) && (len <= n || memcmp(text, word, n) != 0 ||
					    !git_text_is_ref(text + n, len - n)))
		return -EBADMSG;
	memcpy(ret, text, len);
	ret[len] = '\0';
	return 0;
}

static int packed_line(const char *line, size_t len, git_text_fn *fn, void *ctx)
{
	const char *blank = memchr(line, ' ', len);
	char sum[65], name[GIT_TEXT_NAME];
	size_t n = blank ? (size_t)(blank - line) : 0;

	if (!len || line[0] == '#' || line[0] == '^') /* a remark; what a tag is of */
		return 0;
	if (!blank || !git_text_is_sum(line, n) ||
	    !git_text_is_ref(blank + 1, len - n - 1))
		return -EBADMSG;
	memcpy(sum, line, n);
	sum[n] = '\0';
	memcpy(name, blank + 1, len - n - 1);
	name[len - n - 1] = '\0';
	return fn(ctx, name, sum);
}

int git_text_packed(const char *text, size_t len, git_text_fn *fn, void *ctx)
{
	int r = 0;

	while (len && r >= 0) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		r = packed_line(text, n, fn, ctx);
		n += end ? 1 : 0;
		text += n;
		len -= n;
	}
	return MIN(r, 0);
}

/* ---- for a shell ------------------------------------------------------------------------ */

bool git_text_is_quoted(const char *s, size_t len, bool remarks)
{
	static const char plain[] = " \t\n_./=@%+,:-";
	const char *at = s, *end = s + len;
	bool quoted = false;

	for (; at < end; at++) {
		const bool remark = remarks && (at == s || at[-1] == '\n');

		if (!*at || memchr("*?[", *at, 3))
			return false;
		if (*at == '\'')
			quoted = !quoted;
		else if (quoted || isalnum((unsigned char)*at) || strchr(plain, *at))
			continue;
		else if (*at == '\\' && at + 1 < end && memchr("'!", at[1], 2))
			at++;
		else if (*at == '#' && remark)
			at = memchr(at, '\n', (size_t)(end - at)) ?: end - 1;
		else
			return false;
	}
	return !quoted;
}
