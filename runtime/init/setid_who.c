#include "runtime/init/setid_who.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/procfs.h"
#include "base/scope.h"

void setid_who_done(struct setid_who *w)
{
	free(w->groups);
	*w = SETID_WHO_NONE;
}

/* The one for files. */
static int fourth(const char *status, const char *key, uint32_t *ret)
{
	const char *at = procfs_value(status, key);

	return at && sscanf(at, "%*u %*u %*u %" SCNu32, ret) == 1 ? 0 : -EBADMSG;
}

static int read_groups(const char *at, struct setid_who *w)
{
	size_t room = strcspn(at, "\n") / 2 + 1;
	char *end;

	w->groups = calloc(room, sizeof(*w->groups));
	if (!w->groups)
		return -ENOMEM;
	for (; w->n_groups < room; at = end) {
		at += strspn(at, " \t");
		if (*at < '0' || *at > '9')
			return 0;
		w->groups[w->n_groups++] = (gid_t)strtoul(at, &end, 10);
	}
	return 0;
}

int setid_who_read(const char *status, struct setid_who *ret)
{
	_cleanup_(setid_who_done) struct setid_who w = SETID_WHO_NONE;
	const char *groups = procfs_value(status, "Groups");
	uint64_t mask;
	int r;

	if (!groups || fourth(status, "Uid", &w.uid) < 0 ||
	    fourth(status, "Gid", &w.gid) < 0 ||
	    !procfs_number(status, "Umask", 8, &mask) ||
	    !procfs_number(status, "CapEff", 16, &w.effective))
		return -EBADMSG;
	w.umask = (mode_t)mask;
	r = read_groups(groups, &w);
	if (r < 0)
		return r;
	*ret = take(&w, SETID_WHO_NONE);
	return 0;
}
