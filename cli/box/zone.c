#include "cli/box/zone.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { ZONE_FILE = 256 << 10, ZONE_NAME = 64, ZONE_RULE = 80 };

/* "Europe/Berlin" of a link to …/zoneinfo/Europe/Berlin. What is the default says nothing. */
static bool of_link(const char *root, char ret[ZONE_NAME])
{
	static const char *const defaults[] = { "UTC", "Etc/UTC", "Universal", "Zulu" };
	char path[PATH_MAX], to[PATH_MAX];
	const char *name;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/etc/localtime", root);
	n = sys_readlinkat(AT_FDCWD, path, to, sizeof(to) - 1);
	if (n <= 0)
		return false;
	to[n] = '\0';
	name = strstr(to, "/zoneinfo/");
	if (!name || text_copy(ret, ZONE_NAME, name + strlen("/zoneinfo/")) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(defaults); i++)
		if (strcmp(ret, defaults[i]) == 0)
			return false;
	return true;
}

int zone_rule(struct buf *file)
{
	char *line, *end = file->data + file->len;

	if (file->len < 4 || memcmp(file->data, "TZif", 4) != 0 || end[-1] != '\n')
		return -EINVAL;
	*--end = '\0';
	line = memrchr(file->data, '\n', (size_t)(end - file->data));
	if (!line || end - line > ZONE_RULE || end - line < 4)
		return -EINVAL;
	for (const char *p = ++line; *p; p++)
		if (*p <= ' ' || *p > '~')
			return -EINVAL;
	if (strlen(line) != (size_t)(end - line))
		return -EINVAL;
	memmove(file->data, line, (size_t)(end - line) + 1);
	buf_truncate(file, (size_t)(end - line));
	return 0;
}

/* As POSIX writes one, "CET-1CEST" or "<+03>-3"; or what every C library knows. */
static bool is_rule(const char *name)
{
	size_t n = strcspn(name, *name == '<' ? ">" : "+-0123456789,/");

	return strcmp(name, "UTC") == 0 || strcmp(name, "GMT") == 0 ||
	       (n >= 3 && name[n] && name[n] != ',' && name[n] != '/');
}

/* 1 = there is no such zone */
static int add_rule(struct env *env, const char *root, const char *name)
{
	_cleanup_buf_ struct buf file = BUF_INIT(ZONE_FILE);
	struct err none = ERR_NONE;
	char path[PATH_MAX];

	if (!*name || *name == '/' || *name == ':' || strstr(name, ".."))
		return 0;
	snprintf(path, sizeof(path), "%s/usr/share/zoneinfo/%s", root, name);
	if (file_read(AT_FDCWD, path, &file, &none) < 0)
		return !is_rule(name);
	return zone_rule(&file) < 0 ? 0 : env_put(env, ENV_ZONE_RULE, file.data);
}

int zone_add(struct env *env, const char *root, struct err *e)
{
	const char *set = env_get(env, "TZ");
	char name[ZONE_NAME];
	int r = 0;

	if (set ? text_copy(name, sizeof(name), set) < 0 : !of_link(root, name))
		return 0;
	if (!set)
		r = env_put(env, "TZ", name);
	if (r == 0)
		r = add_rule(env, root, name);
	return r < 0 ? err_sys(e, r, "cannot make the environment") : r;
}
