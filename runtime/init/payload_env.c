#include "runtime/init/payload_env.h"

#include <string.h>

#include "base/scope.h"
#include "runtime/init/userdb.h"

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
