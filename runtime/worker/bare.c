/* Theory of operation
 *
 * Git takes a directory for a repository if it has HEAD, objects and refs; "commondir" leads to
 * the last two elsewhere. The box may make some of them now and some the next time, or beside
 * those that the host has. So each directory in which a change has one of git's names is asked
 * for all of them, on the host and in the list, which has all that waits in the box.
 *
 * Letters are compared without regard to case, as the host's filesystem may do. */
#include "runtime/worker/bare.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/def.h"
#include "base/grow.h"

enum { HEAD = 1, OBJECTS = 2, REFS = 4, WHOLE = HEAD | OBJECTS | REFS };

/* What git reads of one. The first four make it one. */
static const struct name {
	const char *name;
	unsigned has;
} names[] = {
	{ "HEAD", HEAD },     { "objects", OBJECTS },
	{ "refs", REFS },     { "commondir", OBJECTS | REFS },
	{ "config", 0 },      { "config.worktree", 0 },
	{ "hooks", 0 },	      { "index", 0 },
	{ "info", 0 },	      { "modules", 0 },
	{ "packed-refs", 0 }, { "shallow", 0 },
	{ "worktrees", 0 },
};

void bare_done(struct bare *b)
{
	free(b->dirs);
	*b = (struct bare){ .dirs = NULL };
}

static void add(struct bare *b, const struct bare_dir *x)
{
	if (grow_room(b->dirs, b->n))
		b->dirs[b->n++] = *x;
	else
		b->failed = true;
}

static int by_path(const void *a, const void *b)
{
	const struct bare_dir *x = a, *y = b;
	int order = memcmp(x->path, y->path, MIN(x->len, y->len));

	return order ?: (x->len > y->len) - (x->len < y->len);
}

static const struct name *find_name(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i].name) == len &&
		    strncasecmp(names[i].name, s, len) == 0)
			return &names[i];
	return NULL;
}

/* Each directory on the way to @path that has the next one under a name of git's. */
static void add_change(struct bare *b, const char *path)
{
	for (const char *at = path;;) {
		const char *slash = strchrnul(at, '/');
		const struct name *name = find_name(at, (size_t)(slash - at));

		if (name)
			add(b, &(struct bare_dir){ path, (size_t)MAX(at - path - 1, 0),
						   name->has });
		if (!*slash)
			return;
		at = slash + 1;
	}
}

/* What the host has of it. */
static unsigned on_host(const struct layer *l, const struct bare_dir *x)
{
	const char *sep = x->len ? "/" : "";
	char path[PATH_MAX];
	unsigned has = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!names[i].has ||
		    snprintf(path, sizeof(path), "%.*s%s%s", (int)x->len, x->path, sep,
			     names[i].name) >= PATH_MAX)
			continue;
		if (diff_look(l->project, path).mode)
			has |= names[i].has;
	}
	return has;
}

static bool is_whole(const struct layer *l, const struct bare_dir *x)
{
	/* A project's own ".git" comes before what lies around it. */
	if (!x->len && diff_look(l->project, ".git").mode)
		return false;
	return (x->has | on_host(l, x)) == WHOLE;
}

/* Each directory once, with all that it has; those alone that are a repository stay. */
static void settle(struct bare *b, const struct layer *l)
{
	size_t kept = 0;

	if (b->n)
		qsort(b->dirs, b->n, sizeof(*b->dirs), by_path);
	for (size_t i = 0, next; i < b->n; i = next) {
		struct bare_dir x = b->dirs[i];

		for (next = i + 1; next < b->n && by_path(&x, &b->dirs[next]) == 0;
		     next++)
			x.has |= b->dirs[next].has;
		if (is_whole(l, &x))
			b->dirs[kept++] = x;
	}
	b->n = kept;
}

void bare_find(const struct layer *l, const struct diff *d, struct bare *ret)
{
	struct bare b = { .dirs = NULL };

	for (size_t i = 0; i < d->n; i++)
		if (!d->items[i].git && d->items[i].now.mode)
			add_change(&b, d->items[i].path);
	for (const char *p = buf_cstr(&l->gits), *end = p + l->gits.len; p < end;
	     p += strlen(p) + 1)
		add(&b, &(struct bare_dir){ p, strlen(p), WHOLE });
	settle(&b, l);
	*ret = b;
}

bool bare_has(const struct bare *b, const char *path)
{
	const char *slash = path;

	if (b->failed || (b->n && !b->dirs[0].len))
		return true;
	while (b->n && (slash = strchr(slash + 1, '/'))) {
		struct bare_dir key = { path, (size_t)(slash - path), 0 };

		if (bsearch(&key, b->dirs, b->n, sizeof(key), by_path))
			return true;
	}
	return false;
}
