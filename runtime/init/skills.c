/* skills - the applets that find the skills of a home: .agents/skills/NAME/SKILL.md and
 * where other programs keep them.
 * Needs:  absolute paths.
 * Never:  shows a second one of a name.
 * Source of the contract: Open Terminal, /skills. */
#include "runtime/init/applets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/init/jsonout.h"
#include "runtime/init/skillhead.h"
#include "runtime/init/walk.h"

enum { SKILLS_MAX = 500, TEXT_MAX = 1 << 20, RESOURCES_MAX = 1000 };

/* One that was found, while it is looked at. */
struct skill {
	struct skillhead head;
	char dir[PATH_MAX], path[PATH_MAX];
	struct buf text; /* owned; all of SKILL.md */
};

struct search {
	char *seen[SKILLS_MAX]; /* owned */
	unsigned n;
	struct jsonout j;
	const char *wanted; /* its name; NULL = all, without their texts */
	bool found;
};

static void search_free(struct search **s)
{
	for (unsigned i = 0; *s && i < (*s)->n; i++)
		free((*s)->seen[i]);
	free(*s);
}

/* What is not plain in a part of a URL is "%XX". */
static void add_id(struct jsonout *j, const char *name)
{
	jsonout_raw(j, "\"id\":\"terminal:");
	for (const char *s = name; *s; s++) {
		char hex[4];
		bool plain = (*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') ||
			     (*s >= 'A' && *s <= 'Z') || strchr("-_.~", *s);

		snprintf(hex, sizeof(hex), plain ? "%c" : "%%%02X", (unsigned char)*s);
		jsonout_raw(j, hex);
	}
	jsonout_raw(j, "\"");
}

static enum walk_next add_resource(void *ctx, const struct walk_entry *w)
{
	struct search *s = ctx;

	if (w->directory || strcmp(w->path, "SKILL.md") == 0)
		return WALK_ON;
	if (s->n++ == RESOURCES_MAX)
		return WALK_STOP;
	jsonout_raw(&s->j, s->n > 1 ? ",\"" : "\"");
	jsonout_text(&s->j, w->path, strlen(w->path));
	jsonout_raw(&s->j, "\"");
	return WALK_ON;
}

static void show(struct search *s, const struct skill *k)
{
	struct jsonout *j = &s->j;

	jsonout_raw(j, !s->wanted && s->n > 1 ? ",{" : "{");
	add_id(j, k->head.name);
	jsonout_string(j, false, "name", k->head.name);
	jsonout_string(j, false, "description", k->head.description);
	jsonout_string(j, false, "location", k->path);
	jsonout_string(j, false, "scope", "global");
	jsonout_string(j, false, "source", "terminal");
	if (s->wanted) {
		jsonout_raw(j, ",\"content\":\"");
		jsonout_text(j, k->text.data + k->head.body,
			     k->text.len - k->head.body);
		jsonout_raw(j, "\",\"resources\":[");
		while (s->n)
			free(s->seen[--s->n]);
		(void)walk_tree(k->dir, add_resource, s, ERR_IGNORED);
		s->n = 0;
		jsonout_raw(j, "]");
	}
	jsonout_raw(j, "}");
}

/* A second one of a name is none. */
static bool is_new(struct search *s, const char *name)
{
	for (unsigned i = 0; i < s->n; i++)
		if (strcmp(s->seen[i], name) == 0)
			return false;
	if (s->n == SKILLS_MAX || !(s->seen[s->n] = strdup(name)))
		return false;
	s->n++;
	return true;
}

static void look(struct search *s, const char *parent, const char *name)
{
	_cleanup_free_ struct skill *k = calloc(1, sizeof(*k));

	if (!k || *name == '.')
		return;
	buf_init(&k->text, TEXT_MAX);
	if (snprintf(k->dir, sizeof(k->dir), "%s/%s", parent, name) <
		    (int)sizeof(k->dir) &&
	    snprintf(k->path, sizeof(k->path), "%s/SKILL.md", k->dir) <
		    (int)sizeof(k->path) &&
	    file_read(AT_FDCWD, k->path, &k->text, ERR_IGNORED) == 0 && k->text.len &&
	    skillhead_read(k->text.data, k->text.len, &k->head) == 0) {
		if (!*k->head.name)
			snprintf(k->head.name, sizeof(k->head.name), "%s", name);
		if (is_new(s, k->head.name) &&
		    (!s->wanted || strcmp(k->head.name, s->wanted) == 0)) {
			s->found = true;
			show(s, k);
		}
	}
	buf_done(&k->text);
}

static void look_below(struct search *s, const char *home)
{
	static const char *const places[] = { ".agents", ".cptr", ".claude", ".codex" };

	for (size_t i = 0; i < ARRAY_SIZE(places) && !(s->wanted && s->found); i++) {
		_cleanup_(walk_names_free) char **names = NULL;
		_cleanup_close_ int fd = -1;
		char dir[PATH_MAX];

		if (snprintf(dir, sizeof(dir), "%s/%s/skills", home, places[i]) >=
		    (int)sizeof(dir))
			return;
		fd = sys_open(dir, O_RDONLY | O_DIRECTORY);
		if (fd < 0 || walk_names(fd, &names, ERR_IGNORED) < 0)
			continue;
		for (char **n = names; *n && !(s->wanted && s->found); n++)
			look(s, dir, *n);
	}
}

static int search(const char *home, const char *wanted, struct err *e)
{
	_cleanup_(search_free) struct search *s = calloc(1, sizeof(*s));

	if (!s)
		return err_sys(e, -ENOMEM, "cannot look for skills");
	s->wanted = wanted;
	if (!wanted)
		jsonout_raw(&s->j, "[");
	look_below(s, home);
	if (wanted && !s->found)
		return err_set(e, -ENOENT, "Skill not found");
	if (!wanted)
		jsonout_raw(&s->j, "]");
	return jsonout_end(&s->j, e);
}

int skills_list(char *const argv[], struct err *e)
{
	return search(argv[1], NULL, e);
}

int skills_read(char *const argv[], struct err *e)
{
	return search(argv[1], argv[2], e);
}
