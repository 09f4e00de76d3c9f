#include "runtime/worker/reviewgit.h"

#include <string.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "rootfs/git/host.h"
#include "rootfs/git/take.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/upper.h"
#include "rootfs/review/layer.h"
#include "runtime/worker/review.h"

static void say_git(void *ctx, const char *line)
{
	_cleanup_json_ struct json *j = json_object();
	struct err ignored = ERR_NONE;

	(void)ctx;
	json_set_str(j, "git", line);
	(void)review_put_line(j, &ignored);
}

static int take_git(const struct layer *l, const char *path, struct err *e)
{
	_cleanup_close_ int state = -1;
	_cleanup_close_ int git =
		takeover_open(l->project, path, O_RDONLY | O_DIRECTORY);
	_cleanup_close_ int upper =
		takeover_open(l->upper, path, O_RDONLY | O_DIRECTORY);
	struct git_take_conf conf = { .git = git,
				      .upper = upper,
				      .shown = path,
				      .offline = true,
				      .say = say_git };
	uint64_t sign = 0;
	int r;

	if (git < 0 || upper < 0 || upper_sign(upper, &sign, e) < 0 || !sign)
		return 0;
	state = conf.state = layer_git_state(l, path, e);
	r = state < 0 ? state : git_take_over(&conf, e);
	if (r == 0) /* empty by now, or it stays */
		(void)sys_unlinkat(l->upper, path, AT_REMOVEDIR);
	return r;
}

int reviewgit_job(int dir, const char *arg, const struct idmap *map, struct json **ret,
		  struct err *e)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;
	int r = layer_open(dir, STDIN_FILENO, &l, e);

	(void)arg;
	(void)map;
	(void)ret;
	if (r < 0)
		return r;
	r = git_host_confine(dir, e);
	for (const char *p = buf_cstr(&l.gits), *end = p + l.gits.len;
	     p < end && r == 0; p += strlen(p) + 1)
		r = take_git(&l, p, e);
	return r;
}
