#include "runtime/worker/asked.h"

#include <string.h>

#include "base/text.h"
#include "runtime/spec/spec.h"

bool asked_path(const struct json *it, char ret[PATH_MAX])
{
	_cleanup_json_ struct json *o = json_object();

	return o && json_set_str(o, "path", json_str(it) ?: "") == 0 &&
	       spec_path(o, "path", ret) == 0;
}

bool asked_for(const struct json *args, const char *path)
{
	return asked_but(args, path, SIZE_MAX);
}

bool asked_but(const struct json *args, const char *path, size_t dir_len)
{
	const struct json *paths = json_get(args, "paths");
	char name[PATH_MAX];

	json_each(it, paths)
	{
		if (asked_path(it, name) && strlen(name + 1) != dir_len &&
		    (!name[1] || text_is_in(path, name + 1)))
			return true;
	}
	return !json_len(paths);
}
