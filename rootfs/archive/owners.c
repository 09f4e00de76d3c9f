#include "rootfs/archive/owners.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

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
