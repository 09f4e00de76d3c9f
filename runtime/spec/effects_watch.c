#include "runtime/spec/effects_watch.h"

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/spec/effects.h"

enum { WATCH_NAMES = 1024, WATCH_FILES = 256, WATCH_DEPTH = 4 };

struct file {
	char *path; /* owned */
	const char *why;
	ino_t ino;
	struct timespec changed;
	mode_t mode;
};

struct effects_watch {
	struct file files[WATCH_FILES]; /* sorted by path */
	size_t n;
	unsigned names; /* read so far */
};

void effects_watch_free(struct effects_watch **wp)
{
	struct effects_watch *w = take(wp, NULL);

	for (size_t i = 0; w && i < w->n; i++)
		free(w->files[i].path);
	free(w);
}

static void keep(struct effects_watch *w, const char *path, const char *why,
		 const struct stat *st)
{
	struct file *f = &w->files[w->n];

	if (w->n == WATCH_FILES)
		return;
	*f = (struct file){ .path = strdup(path),
			    .why = why,
			    .ino = st->st_ino,
			    .changed = st->st_ctim,
			    .mode = st->st_mode };
	w->n += f->path != NULL;
}

/* Why it is to be looked at: by its name, or as a link that leads out. */
static const char *why_of(int dirfd, const struct dirscan *it, const char *path)
{
	struct effect x = effects_of_path(path, strlen(path));
	char target[PATH_MAX];
	ssize_t n;

	if (x.class == EFFECTS_HELD)
		return x.why;
	if (it->type != DT_LNK)
		return NULL;
	n = sys_readlinkat(dirfd, it->name, target, sizeof(target));
	return n < 0 || effects_leaves(path, strlen(path), target, (size_t)n)
		       ? "a link that points out of the project"
		       : NULL;
}

static void scan(struct effects_watch *w, int dirfd, const char *prefix,
		 unsigned depth);

static void look(struct effects_watch *w, int dirfd, const struct dirscan *it,
		 const char *prefix, unsigned depth)
{
	char path[EFFECTS_PATH];
	int n = snprintf(path, sizeof(path), "%s%s", prefix, it->name);
	bool on_the_way = effects_is_above(path);
	_cleanup_close_ int fd = -1;
	const char *why;
	struct stat st;

	if (n < 0 || (size_t)n + 1 >= sizeof(path))
		return;
	why = on_the_way ? NULL : why_of(dirfd, it, path);
	if ((!why && !on_the_way) ||
	    sys_fstatat(dirfd, it->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (why && !S_ISDIR(st.st_mode))
		keep(w, path, why, &st);
	if (!S_ISDIR(st.st_mode) || depth == WATCH_DEPTH)
		return;
	fd = sys_openat(dirfd, it->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0)
		return;
	path[n] = '/';
	path[n + 1] = '\0';
	scan(w, fd, path, depth + 1);
}

static void scan(struct effects_watch *w, int dirfd, const char *prefix, unsigned depth)
{
	struct dirscan s;

	dirscan_start(&s, dirfd);
	while (w->names < WATCH_NAMES && dirscan_next(&s)) {
		w->names++;
		look(w, dirfd, &s, prefix, depth);
	}
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

struct effects_watch *effects_watch_look(int dirfd)
{
	struct effects_watch *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	scan(w, dirfd, "", 0);
	qsort(w->files, w->n, sizeof(*w->files), by_path);
	return w;
}

/* A record: numbers, the path, and a NUL, which no path has. */
int effects_watch_print(const struct effects_watch *w, struct buf *out)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct file *f = &w->files[i];

		buf_addf(out, "%ju %jd %ld %o %s", (uintmax_t)f->ino,
			 (intmax_t)f->changed.tv_sec, f->changed.tv_nsec, f->mode,
			 f->path);
		buf_addc(out, '\0');
	}
	return buf_failed(out);
}

static bool parse_file(struct effects_watch *w, const char *record)
{
	uintmax_t ino;
	intmax_t s;
	struct stat st = { 0 };
	int at = 0;

	if (sscanf(record, "%ju %jd %ld %o%n", &ino, &s, &st.st_ctim.tv_nsec,
		   &st.st_mode, &at) != 4 ||
	    record[at] != ' ' || !record[at + 1])
		return false;
	st.st_ino = (ino_t)ino;
	st.st_ctim.tv_sec = (time_t)s;
	keep(w, record + at + 1, NULL, &st);
	return true;
}

struct effects_watch *effects_watch_parse(const char *data, size_t len)
{
	_cleanup_effects_watch_ struct effects_watch *w = calloc(1, sizeof(*w));
	const char *end = data + len;

	if (!w || (len && end[-1]))
		return NULL;
	for (; data < end; data += strlen(data) + 1)
		if (!parse_file(w, data))
			return NULL;
	qsort(w->files, w->n, sizeof(*w->files), by_path);
	return take(&w, NULL);
}

static bool same(const struct file *a, const struct file *b)
{
	return a->ino == b->ino && a->mode == b->mode &&
	       a->changed.tv_sec == b->changed.tv_sec &&
	       a->changed.tv_nsec == b->changed.tv_nsec;
}

void effects_watch_compare(const struct effects_watch *before,
			   const struct effects_watch *now, effects_watch_fn *fn,
			   void *ctx)
{
	size_t i = 0;

	for (size_t j = 0; j < now->n; j++) {
		const struct file *f = &now->files[j];
		int order = 1;

		while (i < before->n &&
		       (order = strcmp(before->files[i].path, f->path)) < 0)
			i++;
		if (i == before->n)
			order = 1;
		if (order || !same(&before->files[i], f))
			fn(ctx, f->path, f->why, order != 0);
	}
}

struct json *effects_watch_describe(const char *path, const char *why, bool is_new)
{
	struct json *o = json_object();
	char shown[512];

	text_escaped(shown, sizeof(shown), path, strlen(path));
	json_set_str(o, "path", shown);
	json_set_str(o, "why", why);
	json_set_bool(o, "new", is_new);
	return o;
}

static void add(void *ctx, const char *path, const char *why, bool is_new)
{
	json_add(ctx, effects_watch_describe(path, why, is_new));
}

struct json *effects_watch_list(const struct effects_watch *before,
				const struct effects_watch *now)
{
	struct json *list = json_array();

	effects_watch_compare(before, now, add, list);
	return list;
}
