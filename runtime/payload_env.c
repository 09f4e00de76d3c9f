#include "runtime/payload_env.h"

#include <string.h>

#include "base/scope.h"
#include "runtime/userdb.h"

/* clang-format off */
static const char *const fixed[] = {
	"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	"TERM=xterm-256color",
	"LANG=C.UTF-8",
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

static char *entry(const char *name, const char *value)
{
	char *s = NULL;

	return asprintf(&s, "%s=%s", name, value) < 0 ? NULL : s;
}

int payload_env_make(const struct userdb_user *user, char *const *added, char ***ret)
{
	_cleanup_free_ char **list = NULL;
	size_t n = 0, n_added = 0;
	char *own[4];

	while (added[n_added])
		n_added++;
	list = calloc(OWN + n_added + 1, sizeof(*list));
	own[0] = entry("HOME", user->home);
	own[1] = entry("USER", user->name);
	own[2] = entry("LOGNAME", user->name);
	own[3] = entry("SHELL", user->shell);
	if (!list || !own[0] || !own[1] || !own[2] || !own[3])
		return -ENOMEM; /* the process is about to end */
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		list[n++] = (char *)(uintptr_t)fixed[i];
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		list[n++] = own[i];
	for (size_t i = 0; i < n_added; i++)
		if (strchr(added[i], '=') && added[i][0] != '=')
			put(list, &n, added[i]);
	*ret = take(&list, NULL);
	return 0;
}
