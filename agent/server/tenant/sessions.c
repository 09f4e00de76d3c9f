#include "agent/server/tenant/sessions.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/scope.h"

enum {
	SESSIONS_MAX = 256,
	KEPT_MAX = 64 << 10,
	FILE_MAX = 8 * KEPT_MAX /* a byte takes six there at most */
};

struct session {
	struct session *next;
	char *name, *path; /* owned */
};

static void free_session(struct session *s)
{
	if (!s)
		return;
	free(s->name);
	free(s->path);
	free(s);
}

static struct session *new_session(const char *name, const char *path)
{
	struct session *s = calloc(1, sizeof(*s));

	if (s)
		*s = (struct session){ .name = strdup(name), .path = strdup(path) };
	if (s && s->name && s->path)
		return s;
	free_session(s);
	return NULL;
}

/* What is from this one on. */
static void drop_from(struct session **at)
{
	while (*at) {
		struct session *s = *at;

		*at = s->next;
		free_session(s);
	}
}

void sessions_done(struct sessions *all)
{
	drop_from(&all->first);
}

/* To the front, where it is found sooner and dropped later. */
static struct session *find_session(struct sessions *all, const char *name)
{
	struct session **at = &all->first, *s;

	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	s = *at;
	if (!s)
		return NULL;
	*at = s->next;
	s->next = all->first;
	all->first = s;
	return s;
}

const char *sessions_get(struct sessions *all, const char *name)
{
	const struct session *s = find_session(all, name);

	return s ? s->path : NULL;
}

bool sessions_set(struct sessions *all, const char *name, const char *path)
{
	struct session *old = find_session(all, name), *s, **at = &all->first;

	if (old && strcmp(old->path, path) == 0)
		return false;
	s = new_session(name, path);
	if (!s)
		return false;
	if (old) {
		all->first = old->next;
		free_session(old);
	}
	s->next = all->first;
	all->first = s;
	for (unsigned n = 0; *at && n < SESSIONS_MAX; n++)
		at = &(*at)->next;
	drop_from(at);
	return true;
}

int sessions_load(struct sessions *all, int dirfd, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	int r = json_read(dirfd, SESSIONS_FILE, FILE_MAX, &j, e);
	struct session **at = &all->first;

	if (r < 0)
		return r;
	while (*at)
		at = &(*at)->next;
	json_each(it, j)
	{
		const char *path = json_str(it);

		if (!json_key(it) || !path || path[0] != '/' ||
		    strlen(path) >= PATH_MAX)
			return err_set(e, -EINVAL, "'" SESSIONS_FILE "' has no paths");
		*at = new_session(json_key(it), path);
		if (!*at)
			return err_sys(e, -ENOMEM, "cannot read '" SESSIONS_FILE "'");
		at = &(*at)->next;
	}
	return 0;
}

int sessions_save(const struct sessions *all, int dirfd, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	size_t left = KEPT_MAX;

	for (const struct session *s = all->first; s; s = s->next) {
		size_t len = strlen(s->name) + strlen(s->path);

		if (len > left)
			break;
		left -= len;
		json_set_str(j, s->name, s->path);
	}
	return json_print_file(dirfd, SESSIONS_FILE, j, FILE_MAX, file_replace_soon, e);
}
