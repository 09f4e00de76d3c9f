#include "runtime/box/mountinfo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/def.h"

/* ID PARENT MAJOR:MINOR ROOT MOUNTPOINT OPTIONS … - TYPE … */
struct mount {
	char dev[32], root[PATH_MAX];
	struct mountinfo_place at;
};

static bool is_octal(const char *s)
{
	for (int i = 0; i < 3; i++)
		if (s[i] < '0' || s[i] > '7')
			return false;
	return true;
}

/* A field up to its blank; blanks, tabs, newlines and backslashes in it are \NNN. Returns
 * where the next one begins, or NULL: the line ends, or the field is too long. */
static const char *field(const char *s, char *ret, size_t size)
{
	size_t n = 0;

	while (*s && *s != ' ' && *s != '\n') {
		if (n + 1 >= size)
			return NULL;
		if (*s == '\\' && is_octal(s + 1)) {
			ret[n++] = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 +
					  (s[3] - '0'));
			s += 4;
		} else {
			ret[n++] = *s++;
		}
	}
	ret[n] = '\0';
	return *s == ' ' ? s + 1 : NULL;
}

static void read_type(const char *line, char *ret, size_t size)
{
	const char *end = strchrnul(line, '\n'), *dash = strstr(line, " - ");

	if (!dash || dash > end || !field(dash + 3, ret, size))
		*ret = '\0';
}

static bool parse(const char *line, struct mount *m)
{
	char ignored[32];

	line = field(line, ignored, sizeof(ignored));
	if (line)
		line = field(line, ignored, sizeof(ignored));
	if (line)
		line = field(line, m->dev, sizeof(m->dev));
	if (line)
		line = field(line, m->root, sizeof(m->root));
	if (line)
		line = field(line, m->at.point, sizeof(m->at.point));
	if (!line || *m->root != '/' || *m->at.point != '/')
		return false;
	read_type(line, m->at.type, sizeof(m->at.type));
	return true;
}

static const char *next(const char *line)
{
	line = strchrnul(line, '\n');
	return line + (*line != '\0');
}

/* What of @path lies behind @dir: "" or "/…"; NULL: it is not in there. */
static const char *inside(const char *path, const char *dir)
{
	size_t n = strcmp(dir, "/") == 0 ? 0 : strlen(dir);

	if (strncmp(path, dir, n) != 0 || (path[n] && path[n] != '/'))
		return NULL;
	return strcmp(path + n, "/") == 0 ? "" : path + n;
}

/* The mount that shows @path: the deepest, and of those at one place the last. */
static bool find(const char *text, const char *path, struct mount *ret)
{
	struct mount m;
	size_t best = 0;

	for (const char *line = text; *line; line = next(line))
		if (parse(line, &m) && inside(path, m.at.point) &&
		    strlen(m.at.point) >= best) {
			best = strlen(m.at.point);
			*ret = m;
		}
	return best;
}

static int join(const char *dir, const char *rest, char ret[PATH_MAX])
{
	int n = snprintf(ret, PATH_MAX, "%s%s", strcmp(dir, "/") == 0 ? "" : dir, rest);

	if (n == 0)
		n = snprintf(ret, PATH_MAX, "/");
	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int mountinfo_other(const char *text, const char *path, unsigned index,
		    char ret[PATH_MAX])
{
	char within[PATH_MAX]; /* its filesystem */
	struct mount own, m;
	int r;

	if (!find(text, path, &own))
		return -ENOENT;
	r = join(own.root, inside(path, own.at.point), within);
	if (r < 0)
		return r;
	for (const char *line = text; *line; line = next(line)) {
		const char *rest = NULL;

		if (parse(line, &m) && strcmp(m.dev, own.dev) == 0 &&
		    strcmp(m.at.point, own.at.point) != 0)
			rest = inside(within, m.root);
		if (rest && index-- == 0)
			return join(m.at.point, rest, ret);
	}
	return -ENOENT;
}

bool mountinfo_at(const char *text, const char *path, struct mountinfo_place *ret)
{
	struct mount m;

	if (!find(text, path, &m))
		return false;
	*ret = m.at;
	return true;
}

bool mountinfo_below(const char **at, const char *path, struct mountinfo_place *ret)
{
	struct mount m;

	while (**at) {
		const char *rest = parse(*at, &m) ? inside(m.at.point, path) : NULL;

		*at = next(*at);
		if (rest && *rest) {
			*ret = m.at;
			return true;
		}
	}
	return false;
}
