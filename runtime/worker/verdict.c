#include "runtime/worker/verdict.h"

#include <fnmatch.h>
#include <string.h>

#include "base/sys/sys.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/upper.h"
#include "runtime/worker/alias.h"
#include "runtime/worker/asked.h"
#include "runtime/worker/bare.h"
#include "runtime/worker/gitnames.h"

enum {
	MOST_FILES = 1000, /* more at once are held */
	MOST_BYTES = 100 << 20,
	FEW = 10 /* deletions that are no reason to count the project */
};

const char verdict_conflict[] = "changed on this machine, too, since the box began";

static bool matches(const struct verdict_of *of, const char *list, const char *path)
{
	json_each(it, json_get(of->args, list))
	{
		if (json_str(it) && fnmatch(json_str(it), path, 0) == 0)
			return true;
	}
	return false;
}

static bool is_policy(const struct verdict_of *of, const char *policy)
{
	return strcmp(json_get_str(of->args, "policy") ?: "safe", policy) == 0;
}

static bool is_taken(mode_t mode)
{
	return !mode || S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode);
}

struct effect verdict_effect(const struct diff_item *x, int root, const char *at)
{
	_cleanup_close_ int fd = -1;
	bool leaves = false;
	char target[PATH_MAX];
	ssize_t n;

	if (S_ISLNK(x->now.mode)) {
		fd = diff_open(root, at, &x->now);
		n = fd < 0 ? fd : sys_readlinkat(fd, "", target, sizeof(target));
		leaves = n < 0 || n == (ssize_t)sizeof(target) ||
			 effects_leaves(x->path, strlen(x->path), target, (size_t)n);
	}
	return effects_of_change(x->path, x->was.mode, x->now.mode, leaves);
}

/* Whether the link @x of the layer would lead out by way of one that the host has. */
static bool is_led_out(const struct layer *l, const struct diff_item *x)
{
	_cleanup_close_ int link = diff_open(l->upper, x->path, &x->now), there = -1;
	const char *path = x->path, *slash = strrchr(path, '/');
	char target[PATH_MAX], way[2 * PATH_MAX];
	ssize_t n = link < 0 ? link : sys_readlinkat(link, "", target, sizeof(target));

	if (n < 0 || n == (ssize_t)sizeof(target))
		return true;
	snprintf(way, sizeof(way), "%.*s%.*s", slash ? (int)(slash - path + 1) : 0,
		 path, (int)n, target);
	there = sys_openat2(l->project, way, O_PATH, 0, RESOLVE_BENEATH);
	return there == -EXDEV || there == -ELOOP || there == -EAGAIN;
}

static struct effect held(const char *why)
{
	return (struct effect){ EFFECTS_HELD, why };
}

static bool in_git(const char *path)
{
	for (const char *p = path; (p = strcasestr(p, ".git")); p += 4)
		if ((p == path || p[-1] == '/') && (!p[4] || p[4] == '/'))
			return true;
	return false;
}

/* With marks in it, it is what nobody wants by itself. */
static bool is_merged(const struct verdict_of *of, const struct diff_item *x)
{
	return x->merged &&
	       json_get_bool(of->args, x->overlaps ? "marks" : "merge", false);
}

/* With or without a ".git" in its name. */
static bool is_of_repository(const struct bare *bare, const struct diff_item *x)
{
	return !x->git && (in_git(x->path) || bare_has(bare, x->path));
}

/* What was found out about the project before its changes are judged one by one. */
struct known {
	const struct bare *bare;
	const struct aliases *aliases;
};

static void judge(const struct verdict_of *of, const struct known *known,
		  const struct diff_item *x, struct verdict *v)
{
	mode_t was = x->was.mode;

	if (x->kept) {
		v->effect = held(x->kept);
		v->never = true;
		return;
	}
	v->effect = verdict_effect(x, of->layer->upper, x->path);
	v->never = !is_taken(x->now.mode) || (x->git && !S_ISDIR(x->now.mode));
	if (S_ISDIR(x->now.mode)) /* does nothing by itself */
		v->effect = (struct effect){ EFFECTS_PLAIN, NULL };
	if (v->effect.class != EFFECTS_HELD && S_ISLNK(x->now.mode) &&
	    is_led_out(of->layer, x))
		v->effect = held("a link that points out of the project");
	if (v->effect.class != EFFECTS_HELD && is_of_repository(known->bare, x))
		v->effect = held(x->now.mode ? "a part of a repository that the box "
					       "has made"
					     : "a part of a repository");
	if (v->effect.class != EFFECTS_HELD && x->now.mode && !S_ISDIR(x->now.mode) &&
	    aliases_why(known->aliases, x->path))
		v->effect = held(aliases_why(known->aliases, x->path));
	if (matches(of, "allow", x->path))
		v->effect = (struct effect){ EFFECTS_PLAIN, NULL };
	if (matches(of, "deny", x->path))
		v->effect = held("held by a pattern");
	if (v->merged && !v->effect.why)
		v->effect.why = x->overlaps ? "merged, with marks where both have "
					      "changed the same lines"
					    : "merged with what was changed here";
	if (x->conflict && !v->merged &&
	    (was || !of->elsewhere)) /* there it may never have been */
		v->effect = held(verdict_conflict);
	if (!is_taken(x->now.mode))
		v->effect = held("neither a file nor a directory nor a link");
	if (x->git && !S_ISDIR(x->now.mode))
		v->effect = held("the repository itself was removed");
}

static bool is_file(const struct upper_entry *x)
{
	return x->kind == UPPER_FILE || x->kind == UPPER_LINK;
}

struct counting {
	size_t n, most;
};

static int count_one(void *ctx, const struct upper_entry *x, struct err *)
{
	struct counting *c = ctx;

	c->n += is_file(x);
	return c->n > c->most ? -EOVERFLOW : 0;
}

/* Whether @deleted is more than a fifth of what the project has. */
static bool is_much(const struct verdict_of *of, size_t deleted)
{
	struct counting c = { .most = 5 * deleted };

	return deleted > FEW &&
	       upper_walk(of->layer->project, count_one, &c, ERR_IGNORED) != -EOVERFLOW;
}

/* Bounds of what comes out without a question. */
static const char *too_much(const struct verdict_of *of, const struct verdict *all)
{
	size_t files = 0, deleted = 0;
	uint64_t bytes = 0;

	for (size_t i = 0; i < of->diff->n; i++) {
		const struct diff_item *x = &of->diff->items[i];

		if (!all[i].chosen || x->git)
			continue;
		files++;
		if (S_ISREG(x->now.mode)) /* the sizes of holes may add up to nothing */
			bytes += MIN(x->now.size, (uint64_t)MOST_BYTES + 1);
		deleted += !x->now.mode && !S_ISDIR(x->was.mode);
	}
	if (files > MOST_FILES)
		return "one of more than 1000 changes";
	if (bytes > MOST_BYTES)
		return "one of more than 100 MiB of changes";
	return is_much(of, deleted) ? "more than a fifth of the project is deleted"
				    : NULL;
}

/* Whether a new directory would come out without any of its files, which all stay. */
static bool is_hollow(const struct verdict_of *of, const struct verdict *all,
		      size_t dir)
{
	bool hollow = false;

	for (size_t i = dir; (i = diff_inside(of->diff, dir, i));) {
		if (S_ISDIR(of->diff->items[i].now.mode))
			continue;
		if (all[i].chosen)
			return false;
		hollow = true;
	}
	return hollow;
}

static void leave_hollow(const struct verdict_of *of, struct verdict *all)
{
	for (size_t i = 0; i < of->diff->n; i++) {
		const struct diff_item *x = &of->diff->items[i];

		if (all[i].chosen && S_ISDIR(x->now.mode) && !x->was.mode &&
		    is_hollow(of, all, i))
			all[i].chosen = false;
	}
}

/* A repository is named for what is taken over of it by meaning: what git runs has a name of
 * its own. */
static bool is_named(const struct verdict_of *of, const struct diff_item *x)
{
	const char *own = layer_in_git(of->layer, x->path);

	return !own || is_policy(of, "all") ||
	       asked_but(of->args, x->path, (size_t)(own - x->path) - 1);
}

void verdict_all(const struct verdict_of *of, struct verdict *ret)
{
	bool all = is_policy(of, "all") || json_len(json_get(of->args, "paths"));
	bool safe = !is_policy(of, "ask") && !is_policy(of, "never");
	bool overwrite = json_get_bool(of->args, "overwrite", false);
	_cleanup_bare_ struct bare bare = { .dirs = NULL };
	_cleanup_aliases_ struct aliases aliases = { .list = NULL };

	bare_find(of->layer, of->diff, &bare);
	aliases_find(of->layer->project, &aliases);
	gitnames_told(of->args, &aliases);
	gitnames_below(of->layer->project, of->diff, of->args, &aliases);
	for (size_t i = 0; i < of->diff->n; i++) {
		const struct diff_item *x = &of->diff->items[i];
		struct verdict *v = &ret[i];

		v->merged = is_merged(of, x);
		judge(of, &(struct known){ &bare, &aliases }, x, v);
		if (x->git && (of->running || of->elsewhere))
			*v = (struct verdict){
				held(of->running ? "a repository is taken over when "
						   "the box ends"
						 : "a repository goes to its own "
						   "project alone"),
				.never = true
			};
		v->judged = v->effect.class;
		v->chosen =
			asked_for(of->args, x->path) && !v->never &&
			(v->effect.class == EFFECTS_HELD
				 ? all && is_named(of, x) &&
					   (!x->conflict || overwrite || v->merged ||
					    (of->elsewhere && !x->was.mode))
				 : all || safe);
	}
	const char *why = all ? NULL : too_much(of, ret);
	for (size_t i = 0; i < of->diff->n && why; i++) {
		if (ret[i].chosen)
			ret[i].effect = held(ret[i].effect.why ?: why);
		ret[i].chosen = false;
	}
	leave_hollow(of, ret);
}
