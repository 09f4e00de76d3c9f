#include "runtime/monitor/identity.h"

#include <string.h>

#include "rootfs/git/userconf.h"
#include "runtime/mount/rootfiles.h"

enum { WHO = 256 };

struct who {
	char name[WHO], email[WHO];
	bool unclear;
};

static void take_value(struct who *w, char at[WHO], const char *value)
{
	if (*at && strcmp(at, value) != 0)
		w->unclear = true;
	if (strlen(value) >= WHO)
		w->unclear = true;
	for (const char *c = value; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			w->unclear = true;
	if (!w->unclear)
		memcpy(at, value, strlen(value) + 1);
}

static int look(void *ctx, const struct git_config_item *it)
{
	struct who *w = ctx;

	if (strcmp(it->section, "user") != 0 || *it->subsection)
		return 0;
	if (strcmp(it->key, "name") == 0)
		take_value(w, w->name, it->value);
	if (strcmp(it->key, "email") == 0)
		take_value(w, w->email, it->value);
	return 0;
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

int monitor_identity(struct buf *ret)
{
	struct who w = { .unclear = false };

	git_userconf_each(look, &w);
	if (w.unclear || !*w.name || !*w.email)
		return 0;
	buf_adds(ret, ROOTFILES_GITCONFIG "[user]\n");
	add(ret, "name", w.name);
	add(ret, "email", w.email);
	return buf_failed(ret);
}
