#include "runtime/monitor/identity.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sys/sys.h"
#include "rootfs/git/userconf.h"
#include "runtime/mount/rootfiles.h"

enum { WHO = 256 };

struct who {
	char name[WHO], email[WHO];
	bool unclear;
};

static bool is_clear(const char *value)
{
	for (const char *c = value; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return false;
	return strlen(value) < WHO;
}

static char *kept_for(struct who *w, const struct git_config_item *it)
{
	if (strcmp(it->section, "user") != 0 || *it->subsection)
		return NULL;
	return strcmp(it->key, "name") == 0    ? w->name
	       : strcmp(it->key, "email") == 0 ? w->email
					       : NULL;
}

/* The last one counts, as for git. */
static int take_value(void *ctx, const struct git_config_item *it)
{
	struct who *w = ctx;
	char *at = kept_for(w, it);

	if (at && !is_clear(it->value))
		w->unclear = true;
	else if (at)
		memcpy(at, it->value, strlen(it->value) + 1);
	return 0;
}

/* What counts under a condition that nobody can judge here. */
static int take_doubt(void *ctx, const struct git_config_item *it)
{
	struct who *w = ctx;
	const char *at = kept_for(w, it);

	w->unclear |= at && strcmp(at, it->value) != 0;
	return 0;
}

/* A worktree's repository, or a submodule's, is elsewhere. */
static bool is_elsewhere(const char *project)
{
	char git[PATH_MAX];
	struct stat st;

	snprintf(git, sizeof(git), "%s/.git", project);
	return sys_fstatat(AT_FDCWD, git, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       !S_ISDIR(st.st_mode);
}

static void add(struct buf *out, const char *key, const char *value)
{
	buf_addf(out, "\t%s = \"", key);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			buf_addc(out, '\\');
		buf_addc(out, *value);
	}
	buf_adds(out, "\"\n");
}

int monitor_identity(const char *project, struct buf *ret)
{
	struct who w = { .unclear = false };

	if (is_elsewhere(project))
		project = "";
	git_userconf_of(project, false, take_value, &w);
	git_userconf_of(project, true, take_doubt, &w);
	if (w.unclear || !*w.name || !*w.email)
		return 0;
	buf_adds(ret, ROOTFILES_GITCONFIG "[user]\n");
	add(ret, "name", w.name);
	add(ret, "email", w.email);
	return buf_failed(ret);
}
