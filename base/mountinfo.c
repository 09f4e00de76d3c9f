#include "base/mountinfo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/def.h"

static bool is_octal(const char *s)
{
	return s[0] >= '0' && s[0] <= '3' && s[1] >= '0' && s[1] <= '7' &&
	       s[2] >= '0' && s[2] <= '7';
}

/* A field up to its blank; blanks, tabs, newlines and backslashes in it are \NNN. Returns
 * where the next one begins, or NULL: the line ends, or the field is too long ("" then). */
static const char *field(const char *s, char *ret, size_t size)
{
	size_t n = 0;

	while (*s && *s != ' ' && *s != '\n') {
		if (n + 1 >= size) {
			*ret = '\0';
			return NULL;
		}
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

/* Behind " - ", with the type first: "TYPE SOURCE OPTIONS". */
static void read_filesystem(const char *line, struct mountinfo *m)
{
	const char *at = field(line, m->type, sizeof(m->type));

	m->options[0] = '\0';
	if (!at)
		m->type[0] = '\0';
	at = at ? memchr(at, ' ', strcspn(at, "\n")) : NULL;
	if (at)
		(void)field(at + 1, m->options, sizeof(m->options));
}

/* ID PARENT MAJOR:MINOR ROOT MOUNTPOINT OPTIONS [TAG…] - TYPE SOURCE OPTIONS */
static bool parse(const char *line, struct mountinfo *m)
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
		line = field(line, m->point, sizeof(m->point));
	return line && *m->root == '/' && *m->point == '/';
}

/* Most mounts are of another type than one that is asked for: not taken apart at all. */
bool mountinfo_next(const char **text, const char *type, struct mountinfo *ret)
{
	while (**text) {
		const char *line = *text, *end = strchrnul(line, '\n');
		const char *dash = memmem(line, (size_t)(end - line), " - ", 3);
		const char *fs = dash ? dash + 3 : end;

		*text = end + (*end != '\0');
		if (strncmp(fs, type, strlen(type)) == 0 && parse(line, ret)) {
			read_filesystem(fs, ret);
			return true;
		}
	}
	return false;
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
bool mountinfo_at(const char *text, const char *path, struct mountinfo *ret)
{
	struct mountinfo m;
	size_t best = 0;

	while (mountinfo_next(&text, "", &m))
		if (inside(path, m.point) && strlen(m.point) >= best) {
			best = strlen(m.point);
			*ret = m;
		}
	return best;
}

static int join(const char *dir, const char *rest, char ret[PATH_MAX])
{
	if (strcmp(dir, "/") == 0)
		dir = "";
	if (strlen(dir) + strlen(rest) >= PATH_MAX)
		return -ENAMETOOLONG;
	snprintf(ret, PATH_MAX, "%s%s", dir, *dir || *rest ? rest : "/");
	return 0;
}

int mountinfo_shown(const struct mountinfo *m, const char *path, char ret[PATH_MAX])
{
	const char *rest = inside(path, m->root);

	return rest ? join(m->point, rest, ret) : -ENOENT;
}

int mountinfo_other(const char *text, const char *path, unsigned index,
		    char ret[PATH_MAX])
{
	char within[PATH_MAX]; /* its filesystem */
	struct mountinfo own, m;
	int r;

	if (!mountinfo_at(text, path, &own))
		return -ENOENT;
	r = join(own.root, inside(path, own.point), within);
	if (r < 0)
		return r;
	while (mountinfo_next(&text, "", &m))
		if (strcmp(m.dev, own.dev) == 0 && strcmp(m.point, own.point) != 0 &&
		    inside(within, m.root) && index-- == 0)
			return mountinfo_shown(&m, within, ret);
	return -ENOENT;
}

bool mountinfo_below(const char **at, const char *path, struct mountinfo *ret)
{
	struct mountinfo m;

	while (mountinfo_next(at, "", &m)) {
		const char *rest = inside(m.point, path);

		if (rest && *rest) {
			*ret = m;
			return true;
		}
	}
	return false;
}
