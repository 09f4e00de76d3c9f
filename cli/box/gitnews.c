#include "cli/box/gitnews.h"

#include <fcntl.h>

#include "base/json.h"
#include "base/scope.h"
#include "cli/review/lines.h"
#include "rootfs/git/takeover.h"

static int read_refs(int project, struct git_refs_pair *ret)
{
	_cleanup_close_ int git =
		takeover_open(project, ".git", O_RDONLY | O_DIRECTORY);

	return git < 0 ? git : git_refs_read(git, ret, ERR_IGNORED);
}

void gitnews_begin(struct gitnews *n, int project)
{
	gitnews_done(n);
	if (read_refs(project, &n->was) == 0)
		n->project = project;
}

void gitnews_end(const struct gitnews *n, const struct app *app)
{
	_cleanup_git_refs_pair_ struct git_refs_pair now = { 0 };
	_cleanup_json_ struct json *j = json_object();

	if (n->project < 0 || app->quiet || app->json ||
	    read_refs(n->project, &now) < 0)
		return;
	git_refs_news(&n->was, &now, j);
	if (!json_len(j))
		return;
	json_set_str(j, "kind", "git");
	json_set_str(j, "path", "/.git");
	reviewlines_put(&(struct reviewlines){ .app = app, .out = app->err }, j);
}

void gitnews_done(struct gitnews *n)
{
	git_refs_pair_done(&n->was);
	*n = GITNEWS_NONE;
}
