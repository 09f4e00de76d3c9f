#include "runtime/idmap/subid.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"

enum { LINE = 1024 }; /* bytes; a longer line is not one of ours */

static bool overlaps(const struct idmap_subids *s, uint32_t start, uint32_t count)
{
	for (unsigned i = 0; i < s->n; i++)
		if (start < s->at[i].outside + s->at[i].count &&
		    s->at[i].outside < start + count)
			return true;
	return false;
}

static void add(struct idmap_subids *s, const char *start, const char *count)
{
	uint32_t have = s->n ? s->at[s->n - 1].inside + s->at[s->n - 1].count : 1;
	uint64_t first, n;

	/* 2^32-1 is the id that is none; root must never be in a range. */
	if (num_range(start, 1, UINT32_MAX - 1, &first) < 0 ||
	    num_range(count, 1, UINT32_MAX - first, &n) < 0 ||
	    overlaps(s, (uint32_t)first, (uint32_t)n))
		return;
	s->total += n;
	n = MIN(n, (uint64_t)IDMAP_SUBIDS + 1 - have);
	if (!n || s->n == IDMAP_SUBID_RANGES)
		return;
	s->at[s->n++] = (struct idmap_range){ .inside = have,
					      .outside = (uint32_t)first,
					      .count = (uint32_t)n };
}

/* Cuts @line at @sep into exactly @n fields. */
static bool split(char *line, const char *sep, char **fields, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		fields[i] = strsep(&line, sep);
	return fields[n - 1] && !line;
}

static bool is_user(const char *field, const char *name, uint32_t id)
{
	uint64_t n;

	return (name && !strcmp(field, name)) || (!num_u64(field, &n) && n == id);
}

void idmap_subid_parse(const char *text, const char *name, uint32_t id,
		       struct idmap_subids *ret)
{
	char line[LINE], *f[3];

	*ret = (struct idmap_subids){ 0 };
	while (text_line(&text, line, LINE))
		if (split(line, ":", f, 3) && is_user(f[0], name, id))
			add(ret, f[1], f[2]);
}

void idmap_subid_parse_list(const char *text, struct idmap_subids *ret)
{
	char line[LINE], *f[4];

	*ret = (struct idmap_subids){ 0 };
	while (text_line(&text, line, LINE))
		if (split(line, " ", f, 4))
			add(ret, f[2], f[3]);
}

int idmap_subid_name(const char *passwd, uint32_t uid, char ret[IDMAP_SUBID_NAME])
{
	char line[LINE], *f[7];
	uint64_t n;

	while (text_line(&passwd, line, LINE)) {
		if (!split(line, ":", f, 7) || num_u64(f[2], &n) < 0 || n != uid ||
		    !f[0][0] || strlen(f[0]) >= IDMAP_SUBID_NAME)
			continue;
		memcpy(ret, f[0], strlen(f[0]) + 1);
		return 0;
	}
	return -ENOENT;
}
