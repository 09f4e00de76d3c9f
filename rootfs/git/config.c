/* Theory of operation
 *
 * git's own reader is lenient and has grown: names in three spellings, values in pieces of
 * quotes, lines that go on. This one reads what git and people write and refuses the rest,
 * because a file that two readers understand differently is a way past the table. The table
 * names what is known to be harmless; all else, what git may learn tomorrow included, is not. */
#include "rootfs/git/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct reader {
	const char *at, *end;
	struct git_config_item item;
};

static int peek(const struct reader *r)
{
	return r->at < r->end ? (unsigned char)*r->at : -1;
}

static void skip_blank(struct reader *r)
{
	while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\r')
		r->at++;
}

static void skip_line(struct reader *r)
{
	while (r->at < r->end && *r->at++ != '\n')
		;
}

/* Lower-cased letters, digits and '-', beginning with a letter. */
static int read_word(struct reader *r, char *ret)
{
	size_t n = 0;

	if (!isalpha(peek(r)))
		return -EBADMSG;
	while (isalnum(peek(r)) || peek(r) == '-') {
		if (n == GIT_CONFIG_WORD - 1)
			return -EMSGSIZE;
		ret[n++] = (char)tolower((unsigned char)*r->at++);
	}
	ret[n] = '\0';
	return 0;
}

/* ---- sections -------------------------------------------------------------------------- */

static int read_subsection(struct reader *r)
{
	char *out = r->item.subsection;
	size_t n = 0;

	r->at++; /* the quote */
	while (peek(r) != '"') {
		int c = peek(r);

		if (c < 0 || c == '\n' || !c)
			return -EBADMSG;
		r->at++;
		if (c == '\\') {
			c = peek(r);
			if (c != '"' && c != '\\')
				return -EBADMSG;
			r->at++;
		}
		if (n == GIT_CONFIG_TEXT - 1)
			return -EMSGSIZE;
		out[n++] = (char)c;
	}
	r->at++;
	out[n] = '\0';
	return 0;
}

static int read_section(struct reader *r)
{
	int x;

	r->at++; /* the bracket */
	r->item.subsection[0] = '\0';
	x = read_word(r, r->item.section);
	if (x < 0)
		return x;
	skip_blank(r);
	if (peek(r) == '"')
		x = read_subsection(r);
	if (x == 0 && peek(r) != ']')
		return -EBADMSG; /* [a.b] is of old, and rarely written */
	r->at++;
	return x;
}

/* ---- values ---------------------------------------------------------------------------- */

/* -1 = the line goes on, -2 = no such escape. */
static int unescape(struct reader *r)
{
	int c = peek(r);

	r->at += c >= 0;
	if (c == '\r' && peek(r) == '\n')
		c = (unsigned char)*r->at++;
	switch (c) {
	case '\n':
		return -1;
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case 'n':
		return '\n';
	case '\\':
	case '"':
		return c;
	default:
		return -2;
	}
}

/* One state machine, which is easier to follow in one piece. */
// NOLINTNEXTLINE(readability-function-cognitive-complexity)
static int read_value(struct reader *r)
{
	char *out = r->item.value;
	size_t n = 0, keep = 0; /* keep: without the blanks at the end */
	bool quoted = false, escaped;

	for (;;) {
		int c = peek(r);

		if (c < 0 || c == '\n')
			break;
		if (!quoted && (c == '#' || c == ';')) {
			while (peek(r) >= 0 && peek(r) != '\n')
				r->at++;
			break;
		}
		r->at++;
		if (!c)
			return -EBADMSG;
		if (c == '"') {
			quoted = !quoted;
			keep = n;
			continue;
		}
		escaped = c == '\\';
		if (escaped) {
			keep = n; /* blanks before it */
			c = unescape(r);
		}
		if (c == -2)
			return -EBADMSG;
		if (c == -1)
			continue;
		if (n == GIT_CONFIG_TEXT - 1)
			return -EMSGSIZE;
		out[n++] = (char)c;
		if (quoted || escaped || (c != ' ' && c != '\t' && c != '\r'))
			keep = n;
	}
	out[keep] = '\0';
	return quoted ? -EBADMSG : 0;
}

static int read_setting(struct reader *r, git_config_fn *fn, void *ctx)
{
	int x = r->item.section[0] ? read_word(r, r->item.key) : -EBADMSG;

	if (x < 0)
		return x;
	skip_blank(r);
	if (peek(r) == '=') {
		r->at++;
		skip_blank(r);
		x = read_value(r);
	} else if (peek(r) < 0 || strchr("\n#;", peek(r))) {
		memcpy(r->item.value, "true", sizeof("true"));
		skip_line(r);
	} else {
		x = -EBADMSG;
	}
	return x < 0 ? x : fn(ctx, &r->item);
}

int git_config_parse(const char *text, size_t len, git_config_fn *fn, void *ctx)
{
	_cleanup_free_ struct reader *r = calloc(1, sizeof(*r));
	int x = 0;

	if (!r)
		return -ENOMEM;
	if (len > GIT_CONFIG_MAX)
		return -EMSGSIZE;
	*r = (struct reader){ .at = text, .end = text + len };
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		r->at += 3;
	while (x >= 0) {
		skip_blank(r);
		switch (peek(r)) {
		case -1:
			return 0;
		case '\n':
			r->at++;
			break;
		case '#':
		case ';':
			skip_line(r);
			break;
		case '[':
			x = read_section(r);
			break;
		default:
			x = read_setting(r, fn, ctx);
		}
	}
	return x;
}

/* ---- what can do no harm ---------------------------------------------------------------- */

static bool no_control(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return false;
	return true;
}

/* HOST of "ssh://[user@]HOST…" must not look like an option of ssh. */
static bool is_host(const char *s)
{
	size_t n = strcspn(s, "/");
	const char *at = memchr(s, '@', n);

	return *s && *s != '-' && *s != '/' && (!at || at[1] != '-');
}

/* An address that git can be sent to without running a program that the address names. */
static bool git_config_url(const char *url)
{
	static const char *const schemes[] = { "https://", "http://", "ssh://",
					       "git://" };
	size_t n = strcspn(url, ":/");

	if (*url == '-' || !*url || !no_control(url) || strstr(url, "::"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
		if (text_starts(url, schemes[i]))
			return is_host(url + strlen(schemes[i]));
	if (*url == '/' || text_starts(url, "file:///"))
		return true;
	return url[n] == ':' && url[n + 1] != '/' && is_host(url); /* user@host:path */
}

static bool any(const char *v)
{
	return no_control(v);
}

static bool plain_word(const char *v)
{
	return *v != '-' && !strpbrk(v, ":/\\!") && no_control(v);
}

static bool format(const char *v)
{
	return strcmp(v, "0") == 0 || strcmp(v, "1") == 0;
}

static bool object_format(const char *v)
{
	return strcmp(v, "sha1") == 0 || strcmp(v, "sha256") == 0;
}

bool git_config_true(const char *value)
{
	static const char *const yes[] = { "true", "yes", "on" };

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		if (strcasecmp(value, yes[i]) == 0)
			return true;
	return strtoll(value, NULL, 0) != 0;
}

/* clang-format off */
static const struct known {
	const char *section;
	bool sub; /* with a subsection, or without */
	const char *key;
	bool (*check)(const char *value);
} table[] = {
	{ "core", false, "repositoryformatversion", format },
	{ "core", false, "filemode", plain_word },
	{ "core", false, "bare", plain_word },
	{ "core", false, "logallrefupdates", plain_word },
	{ "core", false, "ignorecase", plain_word },
	{ "core", false, "precomposeunicode", plain_word },
	{ "core", false, "symlinks", plain_word },
	{ "core", false, "autocrlf", plain_word },
	{ "core", false, "eol", plain_word },
	{ "core", false, "quotepath", plain_word },
	{ "core", false, "abbrev", plain_word },
	{ "core", false, "compression", plain_word },
	{ "extensions", false, "objectformat", object_format },
	{ "user", false, "name", any },
	{ "user", false, "email", any },
	{ "init", false, "defaultbranch", plain_word },
	{ "remote", true, "url", git_config_url },
	{ "remote", true, "pushurl", git_config_url },
	{ "remote", true, "fetch", any },
	{ "remote", true, "tagopt", any },
	{ "remote", true, "prune", plain_word },
	{ "branch", true, "remote", plain_word },
	{ "branch", true, "merge", any },
	{ "branch", true, "rebase", plain_word },
	{ "branch", true, "description", any },
	{ "pull", false, "rebase", plain_word },
	{ "pull", false, "ff", plain_word },
	{ "push", false, "default", plain_word },
	{ "push", false, "autosetupremote", plain_word },
	{ "submodule", true, "url", git_config_url },
	{ "submodule", true, "active", plain_word },
	{ "gc", false, "auto", plain_word },
	{ "advice", false, NULL, plain_word },
};
/* clang-format on */

bool git_config_harmless(const struct git_config_item *it)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct known *k = &table[i];

		if (strcmp(k->section, it->section) == 0 &&
		    k->sub == (it->subsection[0] != '\0') &&
		    (!k->key || strcmp(k->key, it->key) == 0))
			return no_control(it->subsection) && k->check(it->value);
	}
	return false;
}
