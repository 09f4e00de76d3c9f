#include "rootfs/git/refs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/scope.h"
#include "base/sys/sys.h"
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

int git_refs_packed(struct git_refs *m, const struct buf *text)
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
			    ?: git_refs_packed(&p.packed, &text);
	if (r < 0 && r != -ENOENT)
		return err_sys(e, r, "cannot read the refs of a repository");
	*ret = take(&p, (struct git_refs_pair){ 0 });
	return 0;
}
