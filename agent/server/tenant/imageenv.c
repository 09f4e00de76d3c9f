#include "agent/server/tenant/imageenv.h"

#include <stdlib.h>
#include <string.h>

static bool has_name(const char *const *env, const char *entry)
{
	size_t len = strcspn(entry, "=") + 1;

	for (; env && *env; env++)
		if (!strncmp(*env, entry, len))
			return true;
	return false;
}

const char **imageenv_add(const struct json *image, const char *const *env)
{
	const struct json *list = json_get(image, "env");
	const char **all;
	size_t n = 0;

	while (env && env[n])
		n++;
	all = calloc(n + json_len(list) + 1, sizeof(*all));
	if (!all)
		return NULL;
	if (n)
		memcpy(all, env, n * sizeof(*all));
	json_each(it, list)
	{
		const char *entry = json_str(it);

		if (entry && entry[0] != '=' && strchr(entry, '=') &&
		    !has_name(all, entry))
			all[n++] = entry;
	}
	return all;
}
