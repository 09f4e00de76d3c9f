#include "rootfs/git/refs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/text.h"
#include "rootfs/git/upper.h"

static void free_ref(struct git_ref *x)
{
	free(x->name);
	free(x->value);
}

void git_refs_done(struct git_refs *m)
{
	for (size_t i = 0; i < m->n; i++)
		free_ref(&m->list[i]);
	free(m->list);
	*m = (struct git_refs){ 0 };
}

void git_refs_pair_done(struct git_refs_pair *p)
{
	git_refs_done(&p->loose);
	git_refs_done(&p->packed);
}

/* ---- where case does not count ------------------------------------------------------------ */

void git_refs_folded_done(struct git_refs_folded *f)
{
	free(f->list);
	*f = (struct git_refs_folded){ 0 };
}

static int by_case(const void *a, const void *b)
{
	return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

int git_refs_fold(const struct git_refs_pair *p, struct git_refs_folded *ret)
{
	const struct git_refs *const both[] = { &p->loose, &p->packed };
	const char **list = calloc(p->loose.n + p->packed.n + 1, sizeof(*list));
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (size_t k = 0; k < ARRAY_SIZE(both); k++)
		for (size_t i = 0; i < both[k]->n; i++)
			list[n++] = both[k]->list[i].name;
	qsort(list, n, sizeof(*list), by_case);
	*ret = (struct git_refs_folded){ list, n };
	return 0;
}

bool git_refs_is_alike(const struct git_refs_folded *f, const char *name)
{
	size_t low = 0, high = f->n;
	bool known = false, plain = true;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (strcasecmp(f->list[mid], name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < f->n && strcasecmp(f->list[low], name) == 0; low++) {
		if (strcmp(f->list[low], name) != 0)
			return true;
		known = true;
	}
	for (const char *c = name; *c; c++)
		plain &= (unsigned char)*c < 0x80;
	return !known && !plain;
}

/* ---- one of them -------------------------------------------------------------------------- */

/* Where @name is, or would be. What comes in order goes to the end. */
static size_t place(const struct git_refs *m, const char *name, bool *found)
{
	size_t low = 0, high = m->n;

	*found = false;
	if (m->n && strcmp(m->list[m->n - 1].name, name) < 0)
		return m->n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		int c = strcmp(m->list[mid].name, name);

		if (c == 0) {
			*found = true;
			return mid;
		}
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const char *git_refs_get(const struct git_refs *m, const char *name)
{
	bool found;
	size_t i = place(m, name, &found);

	return found ? m->list[i].value : NULL;
}

const char *git_refs_pair_get(const struct git_refs_pair *p, const char *name)
{
	const char *v = git_refs_get(&p->loose, name);

	return v ? v : git_refs_get(&p->packed, name);
}

static void take_out(struct git_refs *m, size_t i)
{
	free_ref(&m->list[i]);
	memmove(&m->list[i], &m->list[i + 1], (--m->n - i) * sizeof(*m->list));
}

static int insert(struct git_refs *m, size_t i, struct git_ref x)
{
	if (!grow_room(m->list, m->n))
		return -ENOMEM;
	memmove(&m->list[i + 1], &m->list[i], (m->n++ - i) * sizeof(*m->list));
	m->list[i] = x;
	return 0;
}

int git_refs_set(struct git_refs *m, const char *name, const char *value)
{
	struct git_ref x = { 0 };
	bool found;
	size_t i = place(m, name, &found);
	int r = -ENOMEM;

	if (!value) {
		if (found)
			take_out(m, i);
		return 0;
	}
	if (!found && m->n >= GIT_REFS_MAX)
		return -E2BIG;
	x.value = strdup(value);
	if (found && x.value) {
		free(m->list[i].value);
		m->list[i].value = x.value;
		return 0;
	}
	x.name = strdup(name);
	if (x.name && x.value)
		r = insert(m, i, x);
	if (r < 0)
		free_ref(&x);
	return r;
}

void git_refs_drop(struct git_refs *m, const char *prefix)
{
	bool found;
	size_t from = place(m, prefix, &found), to = from;

	while (to < m->n && strncmp(m->list[to].name, prefix, strlen(prefix)) == 0)
		free_ref(&m->list[to++]);
	if (to > from)
		memmove(&m->list[from], &m->list[to], (m->n - to) * sizeof(*m->list));
	m->n -= to - from;
}

static int add_packed(void *ctx, const char *name, const char *sum)
{
	return git_refs_set(ctx, name, sum);
}

static int read_packed(struct git_refs *m, const struct buf *text)
{
	return git_text_packed(buf_cstr(text), text->len, add_packed, m);
}

/* An upper and a directory of refs are walked alike. */
static int add_loose(void *ctx, const struct upper_entry *x, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_TEXT_VALUE + 8);
	char name[PATH_MAX + 8], value[GIT_TEXT_VALUE];
	int r = 0;

	if (x->kind != UPPER_FILE)
		return 0;
	snprintf(name, sizeof(name), "refs/%s", x->path);
	if (!git_text_is_ref(name, strlen(name)) ||
	    takeover_read(x->dir, x->name, &text) < 0 ||
	    git_text_value(buf_cstr(&text), text.len, value) < 0)
		return 0;
	r = git_refs_set(ctx, name, value);
	return r < 0 ? err_sys(e, r, "cannot note the refs of a repository") : 0;
}

int git_refs_read(int git, struct git_refs_pair *ret, struct err *e)
{
	_cleanup_git_refs_pair_ struct git_refs_pair p = { 0 };
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_REFS_BYTES);
	_cleanup_close_ int refs = takeover_open(git, "refs", O_RDONLY | O_DIRECTORY);
	int r = refs < 0 && refs != -ENOENT ? refs : 0;

	if (r == 0 && refs >= 0 && (r = upper_walk(refs, add_loose, &p.loose, e)) < 0)
		return r;
	if (r == 0)
		r = takeover_read(git, "packed-refs", &text)
			    ?: read_packed(&p.packed, &text);
	if (r < 0 && r != -ENOENT)
		return err_sys(e, r, "cannot read the refs of a repository");
	*ret = take(&p, (struct git_refs_pair){ 0 });
	return 0;
}

/* ---- over those of the host ----------------------------------------------------------------- */

static int lay_packed(struct git_refs_pair *p, int upper, enum upper_kind kind)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_REFS_BYTES);
	_cleanup_git_refs_ struct git_refs packed = { 0 };

	if (kind != UPPER_GONE &&
	    (kind != UPPER_FILE || takeover_read(upper, "packed-refs", &text) < 0 ||
	     read_packed(&packed, &text) < 0))
		return 1;
	git_refs_done(&p->packed);
	p->packed = take(&packed, (struct git_refs){ 0 });
	return 0;
}

/* What is a directory in the box is no ref there. */
static void drop_above(struct git_refs *loose, const char *path)
{
	char above[PATH_MAX];

	snprintf(above, sizeof(above), "%s", path);
	for (char *slash; (slash = strrchr(above, '/'));) {
		*slash = '\0';
		git_refs_set(loose, above, NULL);
	}
}

int git_refs_lay(struct git_refs_pair *p, int upper, const char *path,
		 enum upper_kind kind)
{
	_cleanup_buf_ struct buf text = BUF_INIT(GIT_TEXT_VALUE + 8);
	char value[GIT_TEXT_VALUE], prefix[PATH_MAX + 2];

	if (strcmp(path, "packed-refs") == 0)
		return lay_packed(p, upper, kind);
	if (kind == UPPER_DIR || kind == UPPER_LEFT)
		return 0;
	snprintf(prefix, sizeof(prefix), "%s/", path);
	if (kind == UPPER_FILE || kind == UPPER_GONE || kind == UPPER_OPAQUE)
		git_refs_drop(&p->loose, prefix);
	if (kind == UPPER_GONE || kind == UPPER_OPAQUE)
		return git_refs_set(&p->loose, path, NULL);
	if (kind != UPPER_FILE)
		return 1;
	drop_above(&p->loose, path);
	return git_text_is_ref(path, strlen(path)) &&
			       takeover_read(upper, path, &text) == 0 &&
			       git_text_value(buf_cstr(&text), text.len, value) == 0
		       ? git_refs_set(&p->loose, path, value)
		       : 1;
}

struct laying {
	struct git_refs_pair *p; /* borrowed */
	int upper;		 /* borrowed */
};

static int lay_one(void *ctx, const struct upper_entry *x, struct err *e)
{
	const struct laying *l = ctx;
	int r;

	if (strcmp(x->path, "packed-refs") != 0 && strcmp(x->path, "refs") != 0 &&
	    !text_starts(x->path, "refs/"))
		return UPPER_SKIP;
	r = git_refs_lay(l->p, l->upper, x->path, x->kind);
	return r < 0 ? err_sys(e, r, "cannot note the refs of a repository") : 0;
}

int git_refs_lay_all(struct git_refs_pair *p, int upper, struct err *e)
{
	struct laying l = { p, upper };

	return upper_walk(upper, lay_one, &l, e);
}

/* ---- what is new, for a person -------------------------------------------------------------- */

/* Of each kind: a review tells them in one line with all else of the repository. */
enum { NEWS_MAX = 100, NEWS_BYTES = 8 << 10 };

struct names {
	struct json *list; /* owned until they are told */
	size_t bytes;
};

struct news {
	struct names branches, tags, gone;
	bool stash;
};

static void add_name(struct names *to, const char *name)
{
	_cleanup_buf_ struct buf text = BUF_INIT(PATH_MAX * 3);

	if (json_len(to->list) == NEWS_MAX || to->bytes >= NEWS_BYTES ||
	    text_utf8(&text, name, strlen(name)) < 0)
		return;
	to->bytes += text.len;
	json_add(to->list, json_string(buf_cstr(&text)));
}

static void note_ref(struct news *n, const char *name, const char *was, const char *now)
{
	static const char heads[] = "refs/heads/", tags[] = "refs/tags/";
	const bool stash = strcmp(name, "refs/stash") == 0;

	if (was && now && strcmp(was, now) == 0)
		return;
	if (!now && (stash || text_starts(name, heads) || text_starts(name, tags)))
		add_name(&n->gone, name);
	else if (text_starts(name, heads))
		add_name(&n->branches, name + strlen(heads));
	else if (text_starts(name, tags))
		add_name(&n->tags, name + strlen(tags));
	n->stash |= stash && now;
}

/* Each once: a loose ref hides a packed one. */
static void note_all(struct news *n, const struct git_refs_pair *of,
		     const struct git_refs_pair *was, const struct git_refs_pair *now)
{
	for (size_t i = 0; i < of->loose.n + of->packed.n; i++) {
		const bool loose = i < of->loose.n;
		const char *name = loose ? of->loose.list[i].name
					 : of->packed.list[i - of->loose.n].name;
		const char *v = git_refs_pair_get(now, name);

		if ((loose || !git_refs_get(&of->loose, name)) && !v == (of == was))
			note_ref(n, name, git_refs_pair_get(was, name), v);
	}
}

static void tell_names(struct json *ret, const char *key, struct json *names)
{
	if (json_len(names))
		json_set(ret, key, names);
	else
		json_free(&names);
}

void git_refs_news(const struct git_refs_pair *was, const struct git_refs_pair *now,
		   struct json *ret)
{
	struct news n = {
		{ json_array(), 0 }, { json_array(), 0 }, { json_array(), 0 }, false
	};

	note_all(&n, now, was, now);
	note_all(&n, was, was, now);
	tell_names(ret, "branches", n.branches.list);
	tell_names(ret, "tags", n.tags.list);
	tell_names(ret, "gone", n.gone.list);
	if (n.stash)
		json_set_bool(ret, "stash", true);
}
