/* rank - the applets that find what a person types the beginning of: names below a
 * directory, and the texts in them, the best first.
 * Needs:  absolute paths.
 * Never:  reads more than RANK_TEXT_MAX bytes of a file; keeps more than RANK_MOST. */
#include "runtime/init/applets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/num.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/init/expr.h"
#include "runtime/init/gittree.h"
#include "runtime/init/jsonout.h"
#include "runtime/init/walk.h"

enum {
	RANK_MOST = 20000,
	RANK_TEXT_MAX = 1 << 20,
	HITS = 3,
	TEXT_SHOWN = 400,
	LOOK = 8 << 10
};

enum score { EQUAL, BEGINS, IN_NAME, IN_PATH, IN_TEXT, NONE };

struct hit {
	int64_t line, column;
	char *text; /* owned */
};

struct found {
	char *path; /* owned; relative */
	enum score score;
	size_t len; /* the shorter is the better */
	bool directory;
	int64_t size, modified;
	struct hit hits[HITS];
	unsigned n_hits;
};

struct rank {
	char *const *argv;  /* QUERY PATH FLAGS … */
	struct expr *words; /* owned; what is looked for */
	const char *flags;
	bool texts;
	struct found *list; /* owned */
	size_t n;
	char *text; /* owned; of the file that is looked at: RANK_TEXT_MAX + 1 bytes */
	struct gittree *git; /* owned; NULL = what git leaves out is found, too */
	int r;
};

static void rank_done(struct rank *k)
{
	for (size_t i = 0; i < k->n; i++) {
		free(k->list[i].path);
		for (unsigned h = 0; h < k->list[i].n_hits; h++)
			free(k->list[i].hits[h].text);
	}
	free(k->list);
	free(k->text);
	expr_free(&k->words);
	if (k->git)
		gittree_done(k->git);
	free(k->git);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static enum score score_of(const struct expr *words, const char *name, const char *path)
{
	size_t len = strlen(name), start, end;

	if (!expr_find(words, name, len, &start, &end))
		return expr_find(words, path, strlen(path), &start, &end) ? IN_PATH
									  : NONE;
	return start ? IN_NAME : end == len ? EQUAL : BEGINS;
}

/* ---- texts ---------------------------------------------------------------------------- */

static int64_t utf16_units(const char *s, const char *end)
{
	int64_t n = 0;

	for (; s < end; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80
			     ? 1 + ((unsigned char)*s >= 0xf0)
			     : 0;
	return n;
}

static bool read_text(struct rank *k, const struct walk_entry *w)
{
	_cleanup_close_ int fd =
		sys_openat(w->dirfd, w->name, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	size_t len = 0;
	ssize_t n = 1;

	while (fd >= 0 && n > 0 && len < RANK_TEXT_MAX) {
		n = sys_read(fd, k->text + len, RANK_TEXT_MAX - len);
		len += (size_t)MAX(n, 0);
	}
	k->text[len] = '\0';
	return fd >= 0 && n >= 0 && !memchr(k->text, '\0', MIN(len, (size_t)LOOK));
}

static void look_into(struct rank *k, const struct walk_entry *w, struct found *f)
{
	char *line = k->text, *end;

	if (!S_ISREG(w->st->st_mode) || w->st->st_size > RANK_TEXT_MAX ||
	    !read_text(k, w))
		return;
	for (int64_t number = 1; *line && f->n_hits < HITS; line = end, number++) {
		size_t at, last;

		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		if (!expr_find(k->words, line, strlen(line), &at, &last))
			continue;
		f->hits[f->n_hits] =
			(struct hit){ number, utf16_units(line, line + at) + 1,
				      strndup(line, TEXT_SHOWN) };
		if (!f->hits[f->n_hits].text)
			k->r = -ENOMEM;
		else
			f->n_hits++;
	}
}

/* ---- the walk ------------------------------------------------------------------------- */

static enum walk_next keep(struct rank *k, const struct found *f)
{
	if (!grow_room(k->list, k->n)) {
		k->r = -ENOMEM;
		return WALK_STOP;
	}
	k->list[k->n++] = *f;
	return k->n == RANK_MOST ? WALK_STOP : WALK_ON;
}

static enum walk_next on_entry(void *ctx, const struct walk_entry *w)
{
	struct rank *k = ctx;
	struct found f = { .score = score_of(k->words, w->name, w->path),
			   .directory = w->directory,
			   .size = w->st->st_size,
			   .modified = w->st->st_mtime };
	bool hidden = w->name[0] == '.' && !strchr(k->flags, 'h');
	bool other = strchr(k->flags, w->directory ? 'f' : 'd') != NULL;

	if (strcmp(w->name, ".git") == 0 || hidden ||
	    (k->git && gittree_leaves_out(k->git, w)))
		return WALK_SKIP;
	if (k->texts && !w->directory)
		look_into(k, w, &f);
	if (f.score == NONE && f.n_hits)
		f.score = IN_TEXT;
	if (f.score == NONE || other)
		return WALK_ON;
	f.len = strlen(k->texts ? w->path : w->name);
	f.path = strdup(w->path);
	if (!f.path)
		k->r = -ENOMEM;
	return f.path ? keep(k, &f) : WALK_STOP;
}

static int better(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return strcasecmp(x->path, y->path);
}

/* ---- the answer ----------------------------------------------------------------------- */

static void say_path(struct jsonout *j, const char *top, const char *path)
{
	jsonout_raw(j, "{\"path\":\"");
	jsonout_text(j, top, strlen(top));
	jsonout_raw(j, strcmp(top, "/") == 0 ? "" : "/");
	jsonout_text(j, path, strlen(path));
	jsonout_raw(j, "\"");
}

static void say_hits(struct jsonout *j, const struct found *f)
{
	jsonout_bool(j, "name_match", f->score < IN_TEXT);
	jsonout_raw(j, ",\"content_matches\":[");
	for (unsigned h = 0; h < f->n_hits; h++) {
		jsonout_raw(j, h ? ",{" : "{");
		jsonout_number(j, true, "line", f->hits[h].line);
		jsonout_number(j, false, "column", f->hits[h].column);
		jsonout_string(j, false, "text", f->hits[h].text);
		jsonout_raw(j, "}");
	}
	jsonout_raw(j, "]}");
}

static void say_one(struct jsonout *j, const struct rank *k, const struct found *f)
{
	say_path(j, k->argv[2], f->path);
	if (k->texts)
		jsonout_string(j, false, "relative_path", f->path);
	jsonout_string(j, false, "name", base_of(f->path));
	jsonout_string(j, false, "type", f->directory ? "directory" : "file");
	if (k->texts) {
		say_hits(j, f);
		return;
	}
	jsonout_number(j, false, "size", f->size);
	jsonout_number(j, false, "modified", f->modified);
	jsonout_raw(j, "}");
}

static int say(const struct rank *k, size_t from, size_t to, struct err *e)
{
	struct jsonout *j = calloc(1, sizeof(*j));
	int r;

	if (!j)
		return err_sys(e, -ENOMEM, "cannot search");
	jsonout_raw(j, "{\"results\":[");
	for (size_t i = from; i < to && i < k->n; i++) {
		if (i > from)
			jsonout_raw(j, ",");
		say_one(j, k, &k->list[i]);
	}
	jsonout_raw(j, "]");
	if (k->texts && to < k->n)
		jsonout_number(j, false, "next_offset", (int64_t)to);
	else if (k->texts)
		jsonout_raw(j, ",\"next_offset\":null");
	jsonout_raw(j, "}");
	r = jsonout_end(j, e);
	free(j);
	return r;
}

static int rank(char *const argv[], bool texts, struct err *e)
{
	_cleanup_(rank_done) struct rank k = { .argv = argv,
					       .flags = argv[3],
					       .texts = texts };
	uint64_t limit, offset;
	int r;

	if (num_u64(argv[4], &limit) < 0 || num_u64(argv[5], &offset) < 0 ||
	    offset > RANK_MOST || limit > RANK_MOST)
		return err_set(e, -EINVAL, "bad number");
	r = expr_words(argv[1], &k.words, e);
	if (r < 0)
		return r;
	k.text = texts ? malloc(RANK_TEXT_MAX + 1) : NULL;
	k.git = texts ? NULL : calloc(1, sizeof(*k.git));
	if ((texts && !k.text) || (k.git && gittree_begin(argv[2], k.git) < 0))
		return err_sys(e, -ENOMEM, "cannot search");
	r = walk_tree(argv[2], on_entry, &k, e);
	if (r == -ENOENT || r == -ENOTDIR)
		return err_set(e, -ENOENT, "Directory not found");
	if (r < 0 || k.r < 0)
		return r < 0 ? r : err_sys(e, k.r, "cannot search");
	if (k.n)
		qsort(k.list, k.n, sizeof(*k.list), better);
	return say(&k, (size_t)offset, (size_t)(offset + limit), e);
}

int rank_search(char *const argv[], struct err *e)
{
	return rank(argv, false, e);
}

int rank_matches(char *const argv[], struct err *e)
{
	return rank(argv, true, e);
}
