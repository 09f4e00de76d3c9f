#include "runtime/worker/gitnames.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "rootfs/git/above.h"
#include "rootfs/git/linked.h"
#include "rootfs/git/takeover.h"
#include "runtime/spec/spec.h"
#include "runtime/worker/asked.h"

static const char why[] = "git's settings name it: git runs or obeys it";

/* ---- outside of the helper --------------------------------------------------------------- */

static void tell(void *ctx, const char *path)
{
	_cleanup_json_ struct json *o = json_object();
	struct json *list = ctx;
	char at[PATH_MAX + 1];

	snprintf(at, sizeof(at), "/%s", path ?: "");
	if (path && spec_set_path(o, "path", at) == 0)
		(void)json_add(list, json_string(json_get_str(o, "path")));
}

void gitnames_tell(int project, const char *path, struct json *args)
{
	const struct git_named_at user = {
		.root = path, .git = ".git", .project = project, .dir = -1
	};
	struct json *all = json_array(), *everywhere = json_array();

	git_above_each(path, true, tell, all);
	git_named_user(&user, tell, everywhere);
	spec_set_path(args, "project", path);
	json_set(args, "named", all);
	json_set(args, "named-everywhere", everywhere);
}

/* ---- inside ------------------------------------------------------------------------------ */

/* In the directory @above, "" = the project. */
static void add_list(const struct json *list, const char *above, struct aliases *to)
{
	char path[PATH_MAX], whole[2 * PATH_MAX];

	json_each(it, list)
	{
		if (!asked_path(it, path))
			continue;
		snprintf(whole, sizeof(whole), "%s%s", above, path);
		aliases_add(to, whole + (*above == '\0'), why);
	}
}

void gitnames_told(const struct json *args, struct aliases *ret)
{
	add_list(json_get(args, "named"), "", ret);
}

static void add_one(void *ctx, const char *path)
{
	if (path)
		aliases_add(ctx, path, why);
}

static void look_in(int project, const char *dir, const char *root,
		    const struct json *args, struct aliases *ret)
{
	char path[PATH_MAX + 8];
	struct git_named_at at = { root, path, true, project, -1, NULL };
	_cleanup_close_ int git = -1;

	snprintf(path, sizeof(path), "%s/.git", dir);
	git = takeover_open(project, path, O_RDONLY | O_DIRECTORY);
	if (git == -ENOENT)
		return;
	add_list(json_get(args, "named-everywhere"), dir, ret);
	at.dir = git;
	if (git >= 0)
		git_named_in(&at, add_one, ret);
	else
		(void)git_linked_each(&at, add_one, ret);
}

/* The list is sorted, so what one directory has comes in a row. */
void gitnames_below(int project, const struct diff *diff, const struct json *args,
		    struct aliases *ret)
{
	char root[PATH_MAX] = "/", last[PATH_MAX] = "", dir[PATH_MAX];

	(void)spec_path(args, "project", root);
	for (size_t i = 0; i < diff->n; i++) {
		const char *path = diff->items[i].path, *slash = strrchr(path, '/');
		const size_t len = slash ? (size_t)(slash - path) : 0;

		if (strlen(last) == len && strncmp(last, path, len) == 0)
			continue;
		for (const char *p = path; (p = strchr(p, '/')); p++) {
			const size_t n = (size_t)(p - path);

			/* looked at with the one before */
			if (strncmp(last, path, n) == 0 && (!last[n] || last[n] == '/'))
				continue;
			snprintf(dir, sizeof(dir), "%.*s", (int)n, path);
			look_in(project, dir, root, args, ret);
		}
		snprintf(last, sizeof(last), "%.*s", (int)len, path);
	}
}
