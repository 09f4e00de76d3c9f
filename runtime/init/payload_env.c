#include "runtime/init/payload_env.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/init/userdb.h"

/* clang-format off */
enum { FIXED_PATH, FIXED_TERM, FIXED_LANG };
static const char *const fixed[] = {
	[FIXED_PATH] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	[FIXED_TERM] = "TERM=xterm-256color",
	[FIXED_LANG] = "LANG=C.UTF-8",
	"DEBIAN_FRONTEND=noninteractive",
	"container=cubby", /* what systemd's tools and many scripts look for */
};
/* clang-format on */
enum { OWN = sizeof(fixed) / sizeof(fixed[0]) + 4 };

const char *payload_env_get(char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; *env; env++)
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return strncmp(a, b, n) == 0 && b[n] == '=';
}

/* Replaces what has the same name, else goes to the end. */
static void put(char **list, size_t *n, char *entry)
{
	for (size_t i = 0; i < *n; i++)
		if (same_name(list[i], entry)) {
			list[i] = entry;
			return;
		}
	list[(*n)++] = entry;
}

int payload_env_make(const struct userdb_user *user, char *const *added, char ***ret)
{
	const char *const own[][2] = { { "HOME", user->home },
				       { "USER", user->name },
				       { "LOGNAME", user->name },
				       { "SHELL", user->shell } };
	size_t n = 0, n_added = 0, room = 0;
	char **list, *at;

	while (added[n_added])
		n_added++;
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		room += strlen(own[i][0]) + strlen(own[i][1]) + 2;
	list = calloc(1, (OWN + n_added + 1) * sizeof(*list) + room);
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		list[n++] = (char *)(uintptr_t)fixed[i];
	at = (char *)(list + OWN + n_added + 1);
	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		size_t len = strlen(own[i][0]) + strlen(own[i][1]) + 2;

		snprintf(at, len, "%s=%s", own[i][0], own[i][1]);
		list[n++] = at;
		at += len;
	}
	for (size_t i = 0; i < n_added; i++)
		if (strchr(added[i], '=') && added[i][0] != '=')
			put(list, &n, added[i]);
	*ret = list;
	return 0;
}

/* ---- what the image does not have ----------------------------------------------------- */

static bool is_there(const char *root, const char *dir, const char *a, const char *b)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%s/%s%s", root, dir, a, b);

	return n < (int)sizeof(path) && sys_faccessat(AT_FDCWD, path, F_OK, 0) == 0;
}

/* Where most images have them comes first: what is not there is looked for through every layer. */
static bool has_terminal(const char *root, const char *name)
{
	static const char *const dirs[] = { "/lib/terminfo", "/usr/share/terminfo",
					    "/etc/terminfo", "/usr/lib/terminfo" };
	const char letter[] = { name[0], '/', '\0' };
	char code[8];

	snprintf(code, sizeof(code), "%02x/", (unsigned char)name[0]);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (is_there(root, dirs[i], letter, name))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (is_there(root, dirs[i], code, name))
			return true;
	return false;
}

/* "en_US.UTF-8" is the directory en_US.utf8; what is in an archive is believed, and where
 * there are no locales at all, as with musl, every name is good. */
static bool has_locale(const char *root, const char *name)
{
	char dir[80];
	char *code;

	if (!*name || !strcmp(name, "C") || !strcmp(name, "POSIX") ||
	    !strncmp(name, "C.", 2))
		return true;
	if (!is_there(root, "/usr/lib", "locale", "") ||
	    is_there(root, "/usr/lib/locale", "locale-archive", "") ||
	    is_there(root, "/usr/lib/locale", name, ""))
		return true;
	if (text_copy(dir, sizeof(dir), name) < 0)
		return false;
	code = strchr(dir, '.');
	if (!code || strcmp(code, ".UTF-8") != 0)
		return false;
	*code = '\0';
	return is_there(root, "/usr/lib/locale", dir, ".utf8");
}

static bool is_plain(const char *name)
{
	return *name && name[0] != '.' && !strchr(name, '/') && strlen(name) < 64;
}

/* The entry that begins with @prefix; NULL = there is none. */
static char **find(char **env, const char *prefix)
{
	for (; *env; env++)
		if (text_starts(*env, prefix))
			return env;
	return NULL;
}

static void take_out(char **env, char **entry)
{
	char **last = env;

	while (last[1])
		last++;
	*entry = *last;
	*last = NULL;
}

/* With the name of a zone that is not there a C library takes it for a rule, and says
 * UTC. */
static void fit_zone(char **env, const char *root)
{
	char **name = find(env, "TZ="), **rule = find(env, "CUBBY_TZ=");

	if (!rule)
		return;
	if (name && (*name)[3] && !strstr(*name, "..") &&
	    !is_there(root, "/usr/share/zoneinfo", *name + 3, ""))
		*name = *rule + strlen("CUBBY_");
	take_out(env, rule);
}

static void fit_terminal(char **env, const char *root)
{
	char **name = find(env, "TERM="), **entry = find(env, "CUBBY_TERMINFO=");
	bool plain = name && is_plain(*name + strlen("TERM="));
	bool known = !name || (plain && has_terminal(root, *name + strlen("TERM=")));

	if (known || !has_terminal(root, "xterm-256color")) { /* or has none at all */
		if (entry)
			take_out(env, entry);
	} else if (entry && plain) {
		*entry += strlen("CUBBY_");
	} else {
		*name = (char *)(uintptr_t)fixed[FIXED_TERM];
		if (entry)
			take_out(env, entry);
	}
}

void payload_env_fit(char **env, const char *root)
{
	fit_zone(env, root);
	fit_terminal(env, root);
	for (; *env; env++) {
		char *value = strchr(*env, '=');
		bool lang = !strncmp(*env, "LANG=", 5), lc = !strncmp(*env, "LC_", 3);

		if (!value++)
			continue;
		if (lang && !(is_plain(value) && has_locale(root, value)))
			*env = (char *)(uintptr_t)fixed[FIXED_LANG];
		else if (lc && *value && !(is_plain(value) && has_locale(root, value)))
			*value = '\0'; /* as if it were not set: LANG counts */
	}
}
