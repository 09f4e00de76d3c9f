#include "runtime/init/setid_who.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"

void setid_who_done(struct setid_who *w)
{
	free(w->groups);
	*w = SETID_WHO_NONE;
}

/* What follows "\n@name:"; NULL = no such line. The name of the program is the first line,
 * and its newlines are shown as "\n". */
static const char *line_of(const char *status, const char *name)
{
	char key[32];
	const char *at;

	snprintf(key, sizeof(key), "\n%s:", name);
	at = strstr(status, key);
	return at ? at + strlen(key) : NULL;
}

static int fourth(const char *status, const char *name, uint32_t *ret)
{
	const char *at = line_of(status, name);

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
	const char *groups = line_of(status, "Groups");
	const char *caps = line_of(status, "CapEff"), *mask = line_of(status, "Umask");
	int r;

	if (!groups || !caps || !mask || fourth(status, "Uid", &w.uid) < 0 ||
	    fourth(status, "Gid", &w.gid) < 0 || sscanf(mask, "%o", &w.umask) != 1 ||
	    sscanf(caps, "%" SCNx64, &w.effective) != 1)
		return -EBADMSG;
	r = read_groups(groups, &w);
	if (r < 0)
		return r;
	*ret = take(&w, SETID_WHO_NONE);
	return 0;
}
