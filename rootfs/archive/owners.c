#include "rootfs/archive/owners.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"

void owners_done(struct owners *o)
{
	buf_done(&o->text);
	buf_done(&o->offsets);
}

char *owners_format(char out[OWNERS_VALUE], const struct owners_stat *st)
{
	snprintf(out, OWNERS_VALUE, "%u:%u:0%o", st->uid, st->gid, st->mode & 07777u);
	return out;
}

int owners_parse(const char *value, size_t len, struct owners_stat *ret)
{
	char copy[OWNERS_VALUE];
	char *gid, *mode, *rest;
	uint64_t u, g;
	uint32_t m;

	if (len >= sizeof(copy) || memchr(value, '\0', len))
		return -EINVAL;
	memcpy(copy, value, len);
	copy[len] = '\0';
	gid = strchr(copy, ':');
	mode = gid ? strchr(gid + 1, ':') : NULL;
	if (!mode)
		return -EINVAL;
	*gid++ = '\0';
	*mode++ = '\0';
	rest = strchr(mode, ':'); /* newer writers add the type of the file */
	if (rest)
		*rest = '\0';
	if (num_range(copy, 0, UINT32_MAX - 1, &u) < 0 ||
	    num_range(gid, 0, UINT32_MAX - 1, &g) < 0 || num_octal(mode, &m) < 0)
		return -EINVAL;
	*ret = (struct owners_stat){ (uint32_t)u, (uint32_t)g, (mode_t)m };
	return 0;
}

int owners_add(struct owners *o, const char *path, const struct owners_stat *st,
	       struct err *e)
{
	size_t at = o->text.len;
	char value[OWNERS_VALUE];
	int r;

	owners_format(value, st);
	r = buf_add(&o->text, value, strlen(value) + 1) ?:
		buf_add(&o->text, path, strlen(path) + 1) ?:
		buf_add(&o->offsets, &at, sizeof(at));
	if (r == -EMSGSIZE)
		return err_set(e, -E2BIG, "archive has too many owners to record");
	return r < 0 ? err_sys(e, r, "cannot record an owner") : 0;
}

static const char *path_of(const char *record)
{
	return record + strlen(record) + 1;
}

static int by_path(const void *a, const void *b, void *ctx)
{
	const struct owners *o = ctx;
	size_t x, y;
	int r;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	r = strcmp(path_of(o->text.data + x), path_of(o->text.data + y));
	return r ? r : (x > y) - (x < y); /* the later record last */
}

static int print_one(const char *record, struct buf *out)
{
	const char *path = path_of(record);

	return buf_addf(out, "%s ", record) ?: text_escape(out, path, strlen(path)) ?:
		buf_addc(out, '\n');
}

int owners_print(const struct owners *o, struct buf *out)
{
	size_t n = o->offsets.len / sizeof(size_t), bytes = n * sizeof(size_t);
	_cleanup_free_ size_t *at = malloc(bytes ? bytes : 1);
	int r = 0;

	if (!at)
		return -ENOMEM;
	if (n)
		memcpy(at, o->offsets.data, bytes);
	qsort_r(at, n, sizeof(*at), by_path, (void *)(uintptr_t)o);
	for (size_t i = 0; i < n && r >= 0; i++) {
		const char *record = o->text.data + at[i];

		if (i + 1 < n &&
		    !strcmp(path_of(record), path_of(o->text.data + at[i + 1])))
			continue;
		r = print_one(record, out);
	}
	return r < 0 ? r : 0;
}
