/* The names in var/lib/dpkg/info that end in ".list", from the box's upper down through its
 * layers: the uppermost entry of a name counts, and a whiteout says that it was removed. */
#include "rootfs/store/packages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/sys/sys.h"
#include "rootfs/store/chain.h"

enum { PACKAGES_MOST = 20000, PACKAGES_LIST = 1 << 14 };

static const char notes[] = "var/lib/dpkg/info";

struct seen {
	char name[PACKAGES_NAME];
	unsigned at; /* 0 = the upper */
	bool there;
};

struct all {
	struct seen *v; /* owned */
	size_t n;
};

void packages_done(struct packages *p)
{
	free(p->v);
	*p = PACKAGES_NONE;
}

/* "libc6:amd64.list" is of libc6. */
static bool name_of(const char *file, char ret[PACKAGES_NAME])
{
	size_t len = strlen(file), n = strspn(file, "abcdefghijklmnopqrstuvwxyz"
						    "0123456789+.-");

	if (len < 6 || strcmp(file + len - 5, ".list") != 0)
		return false;
	if (file[n] != ':')
		n = len - 5;
	if (!n || n >= PACKAGES_NAME ||
	    strspn(file, "abcdefghijklmnopqrstuvwxyz"
			 "0123456789+.-") < n)
		return false;
	memcpy(ret, file, n);
	ret[n] = '\0';
	return true;
}

static int add(struct all *all, const struct seen *s)
{
	if (!grow_room(all->v, all->n))
		return -ENOMEM;
	all->v[all->n++] = *s;
	return 0;
}

static int look(struct all *all, int parent, const char *layer, unsigned at)
{
	_cleanup_close_ int top =
		sys_openat(parent, layer, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	_cleanup_close_ int fd =
		top < 0 ? top
			: sys_openat2(top, notes, O_RDONLY | O_DIRECTORY, 0,
				      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	struct dirscan scan;
	int r = 0;

	dirscan_start(&scan, fd);
	while (r == 0 && all->n < PACKAGES_MOST && dirscan_next(&scan)) {
		struct seen s = { .at = at };
		struct stat st;

		if (!name_of(scan.name, s.name) ||
		    sys_fstatat(fd, scan.name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		s.there = S_ISREG(st.st_mode);
		r = add(all, &s);
	}
	return r;
}

static int by_name(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* What counts of a name comes first; of two machines, that it is there. */
static int by_height(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	int r = by_name(a, b) ?: (x->at > y->at) - (x->at < y->at);

	return r ?: y->there - x->there;
}

static bool has(const struct all *all, const struct seen *s)
{
	return all->n && bsearch(s, all->v, all->n, sizeof(*s), by_name);
}

/* All at one height: what is below another layer of the image only adds names. */
static int look_image(const struct store *s, const char *image, struct all *ret)
{
	_cleanup_buf_ struct buf list = BUF_INIT(PACKAGES_LIST);
	char path[PATH_MAX];
	char *rest = NULL;
	int r;

	snprintf(path, sizeof(path), "%s/rootfs", image);
	r = look(ret, s->images, path, 0);
	snprintf(path, sizeof(path), "images/%s/layers", image);
	if (r < 0 || file_read(s->dirfd, path, &list, ERR_IGNORED) < 0 || !list.len)
		return r;
	for (char *l = strtok_r(list.data, "\n", &rest); l && r == 0;
	     l = strtok_r(NULL, "\n", &rest)) {
		snprintf(path, sizeof(path), "diffs/%s/rootfs", l);
		r = look(ret, s->dirfd, path, 0);
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_height);
	return r;
}

static int look_box(const struct boxdir *b, struct all *ret)
{
	struct chain c = { .n = 0 };
	char path[PATH_MAX];
	int r = look(ret, b->dirfd, "upper", 0)
			?: look(ret, b->dirfd, "copy/rootfs", 0);

	(void)chain_load(b->dirfd, "chain", &c, ERR_IGNORED);
	for (unsigned i = 0; i < c.n && r == 0; i++) {
		snprintf(path, sizeof(path), "layers/%s/machine", c.layers[i]);
		r = look(ret, b->store->dirfd, path, i + 1);
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_height);
	return r;
}

static int pick(const struct all *box, const struct all *image, struct packages *ret)
{
	struct packages p = { calloc(box->n + 1, sizeof(*p.v)), 0 };

	if (!p.v)
		return -ENOMEM;
	for (size_t i = 0; i < box->n; i++) {
		const struct seen *x = &box->v[i];

		if (i && strcmp(x->name, box->v[i - 1].name) == 0)
			continue;
		if (x->there && !has(image, x))
			memcpy(p.v[p.n++], x->name, sizeof(x->name));
	}
	*ret = p;
	return 0;
}

int packages_added(const struct boxdir *b, const char *image, struct packages *ret)
{
	struct all box = { 0 }, base = { 0 };
	int r = look_box(b, &box);

	if (r == 0)
		r = look_image(b->store, image, &base);
	if (r == 0)
		r = pick(&box, &base, ret);
	free(box.v);
	free(base.v);
	return r;
}
