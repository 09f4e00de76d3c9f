#include "cli/store/passover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/proc.h"
#include "rootfs/store/boxdir.h"
#include "rootfs/store/boxmark.h"
#include "runtime/spec/spec.h"
#include "runtime/spec/volume.h"

enum {
	PATH_ENTRIES = 2 << 20, /* no exec takes more */
	RECORD = 1 << 20,
	PLACES = 64 << 20
};

struct places {
	const struct store *st; /* borrowed */
	struct buf text;	/* owned: each with its NUL */
	struct buf marks; /* owned: the same of projects, however they are called now */
	struct spec_volume *v; /* owned: room for one */
};

static void places_done(struct places *p)
{
	free(p->v);
	buf_done(&p->text);
	buf_done(&p->marks);
}
#define PLACES_INIT(store)                                                          \
	{                                                                           \
		.st = (store), .text = BUF_INIT(PLACES), .marks = BUF_INIT(PLACES), \
		.v = calloc(1, sizeof(struct spec_volume))                          \
	}

/* "" would be every directory. */
static void add(struct places *p, const char *path)
{
	if (*path)
		(void)buf_add(&p->text, path, strlen(path) + 1);
}

/* Without the name of its box, of which the directory may have several. */
static void add_mark(struct places *p, const char *mark)
{
	(void)buf_addf(&p->marks, "%.*s", (int)strcspn(mark, "="), mark);
	(void)buf_addc(&p->marks, '\0');
}

bool passover_is_marked(const struct buf *marks, const char *path)
{
	const char *end = marks->data + marks->len;
	char id[BOXMARK_ID];

	if (!marks->len || boxmark_id(path, "", id) < 0)
		return false;
	for (const char *m = marks->data; m < end; m += strlen(m) + 1)
		if (strcmp(m, id) == 0)
			return true;
	return false;
}

/* Where PATH leads through a project that was renamed since its box knew it. */
static void add_renamed(struct places *p)
{
	_cleanup_free_ char *all = strdup(getenv("PATH") ?: "");
	char real[PATH_MAX], *rest = all;

	for (const char *entry; (entry = strsep(&rest, ":"));) {
		if (*entry != '/' || !realpath(entry, real))
			continue;
		for (char *slash; (slash = strrchr(real, '/')) && slash > real;) {
			if (passover_is_marked(&p->marks, real))
				add(p, real);
			*slash = '\0';
		}
	}
}

static void add_volumes(struct places *p, const struct json *volumes)
{
	json_each(it, volumes)
	{
		if (p->v && spec_volume_from_json(it, p->v, ERR_IGNORED) == 0 &&
		    p->v->kind == SPEC_VOLUME_HOST && p->v->access == SPEC_VOLUME_RW)
			add(p, p->v->source);
	}
}

/* Of options of one start: what it may write while it runs, or what is due to be looked at
 * (runtime/monitor/volumes.c). */
static void add_noted(struct places *p, const char *key, const char *name)
{
	_cleanup_buf_ struct buf text = BUF_INIT(RECORD);
	char path[HASH_HEX + 32];

	snprintf(path, sizeof(path), "%s/volumes/%s", key, name);
	if (file_read(p->st->boxes, path, &text, ERR_IGNORED) >= 0)
		for (const char *s = buf_cstr(&text), *end = s + text.len; s < end;
		     s += strlen(s) + 1)
			add(p, s);
}

/* A box without a record that can be read has not run, or cannot. */
static int add_box(void *ctx, const char *key)
{
	struct places *p = ctx;
	_cleanup_json_ struct json *j = NULL;
	char path[HASH_HEX + 32], project[PATH_MAX];

	snprintf(path, sizeof(path), "%s/box.json", key);
	if (json_read(p->st->boxes, path, RECORD, &j, ERR_IGNORED) < 0)
		return 0;
	if (spec_path(j, "project", project) == 0)
		add(p, project);
	add_mark(p, json_get_str(j, "mark") ?: "");
	add_volumes(p, json_get(j, "volumes"));
	add_noted(p, key, "due");
	add_noted(p, key, "open");
	return 0;
}

static int leave_path(const struct places *p, struct err *e)
{
	_cleanup_buf_ struct buf path = BUF_INIT(PATH_ENTRIES);
	_cleanup_free_ const char **dirs = NULL;
	const char *at = p->text.data, *end = at + p->text.len;
	int r = p->v ? buf_failed(&p->text) : -ENOMEM;
	size_t n = 0;

	if (r < 0)
		return err_sys(e, r, "cannot set PATH");
	if (!p->text.len)
		return 0;
	for (const char *c = at; c < end; c += strlen(c) + 1)
		n++;
	dirs = calloc(n + 1, sizeof(*dirs));
	for (size_t i = 0; dirs && i < n; i++, at += strlen(at) + 1)
		dirs[i] = at;
	r = dirs ? proc_path_without(dirs, &path) : -ENOMEM;
	if (r == 0 && setenv("PATH", buf_cstr(&path), 1) < 0)
		r = -ENOMEM;
	return r < 0 ? err_sys(e, r, "cannot set PATH") : 0;
}

int passover_boxes(const struct store *st, const char *project, struct err *e)
{
	_cleanup_(places_done) struct places p = PLACES_INIT(st);
	char real[PATH_MAX];
	int r = 0;

	/* It is as the environment spells it, and real paths are compared (base/proc.h). */
	add(&p, realpath(st->path, real) ?: st->path);
	add(&p, project ?: "");
	if (!proc_path_is_usual()) {
		r = boxdir_list(st, add_box, &p, e);
		add_renamed(&p);
	}
	return r < 0 ? r : leave_path(&p, e);
}

static int pass_over(const char *project, struct err *e)
{
	_cleanup_store_ struct store st = STORE_NONE;
	int r = store_open(&st, e);

	return r < 0 ? r : passover_boxes(&st, project, e);
}

int passover_later(const char *project, struct err *e)
{
	return proc_path_later(pass_over, project, e);
}

int passover_volumes(const struct json *volumes, struct err *e)
{
	_cleanup_(places_done) struct places p = PLACES_INIT(NULL);

	add_volumes(&p, volumes);
	return leave_path(&p, e);
}

int passover_written(struct buf *ret, struct buf *marks, struct err *e)
{
	_cleanup_store_ struct store st = STORE_NONE;
	int r = store_open(&st, e);
	_cleanup_(places_done) struct places p = PLACES_INIT(&st);

	if (r == 0)
		r = boxdir_list(&st, add_box, &p, e);
	if (r < 0)
		return r;
	r = p.v ? buf_failed(&p.text) : -ENOMEM;
	if (r == 0 && p.text.len)
		r = buf_add(ret, p.text.data, p.text.len);
	if (r == 0 && p.marks.len)
		r = buf_failed(&p.marks) ?: buf_add(marks, p.marks.data, p.marks.len);
	return r < 0 ? err_sys(e, r, "cannot look at the boxes") : 0;
}
