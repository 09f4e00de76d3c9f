#include "cli/box/volumes.h"

#include <stdlib.h>
#include <string.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/opt/config.h"
#include "cli/store/hostpath.h"
#include "runtime/box/project_dir.h"
#include "runtime/spec/volume.h"

static int fail(const struct spec_volume *v, struct err *e)
{
	return err_wrap(e, "volume '%s'", text_shown(v->source));
}

/* ---- where it is ----------------------------------------------------------------- */

/* Relative to where the person is, or to the project that says it. */
static int make_absolute(const struct app *app, const struct spec *s,
			 const char *source, char ret[PATH_MAX])
{
	bool flag = app->config->v[CONFIG_VOLUME].from == CONFIG_FROM_FLAG;
	char cwd[PATH_MAX], *home = NULL;
	int n = 0;

	if (*source == '/')
		return text_copy(ret, PATH_MAX, source);
	if (*source == '~' && (source[1] == '/' || !source[1])) {
		home = realpath(getenv("HOME") ?: "", cwd);
		if (!home)
			return -ENOENT;
		n = snprintf(ret, PATH_MAX, "%s%s", home, source + 1);
	} else if (flag && !realpath(".", cwd)) {
		return -ENOENT;
	} else {
		n = snprintf(ret, PATH_MAX, "%s/%s", flag ? cwd : s->project, source);
	}
	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* "/a/./b/../c/" is "/a/c", as realpath() spells it if nothing is a link. */
static void tidy(char *path)
{
	size_t n = 0;

	for (const char *from = path; *from;) {
		size_t len;

		from += strspn(from, "/");
		len = strcspn(from, "/");
		if (len == 2 && strncmp(from, "..", 2) == 0) {
			while (n && path[--n] != '/')
				;
		} else if (len && (len != 1 || *from != '.')) {
			path[n++] = '/';
			memmove(path + n, from, len);
			n += len;
		}
		from += len;
	}
	if (!n)
		path[n++] = '/';
	path[n] = '\0';
}

/* What a person types now may be a link. What was written before may have become one
 * since: a box that can write there would choose what is shown. */
static int resolve(const struct app *app, const struct spec *s, struct spec_volume *v,
		   struct err *e)
{
	bool flag = app->config->v[CONFIG_VOLUME].from == CONFIG_FROM_FLAG;
	char path[PATH_MAX], real[PATH_MAX];
	int r = make_absolute(app, s, v->source, path);

	if (r < 0 || !realpath(path, real)) {
		r = err_sys(e, r < 0 ? r : -errno, "cannot find it");
		return r == -ENOENT
			       ? err_hint(e, "make it first, or name what is there")
			       : r;
	}
	tidy(path);
	if (strcmp(path, real) != 0 && (!flag || text_is_below(path, s->project))) {
		err_set(e, -ELOOP, "a link leads from there to '%s'", text_shown(real));
		return err_hint(e, "name that if it is meant");
	}
	if (strcmp(path, real) != 0 && hostpath_real(path, real, e) < 0)
		return e->code;
	if (strcmp(real, s->project) == 0 || text_is_below(real, s->project))
		v->kind = SPEC_VOLUME_PROJECT;
	if (strcmp(real, s->project) == 0)
		return err_set(e, -EEXIST,
			       "it is the project, which the box has at its own path "
			       "and as /workspace");
	return text_copy(v->source, sizeof(v->source), real);
}

/* ---- whether it may be ----------------------------------------------------------- */

static int judge(const struct app *app, const struct spec *s,
		 const struct spec_volume *v, struct err *e)
{
	const struct project_dir d = {
		.path = v->source,
		.store = s->store,
		.any = config_on(app->config, CONFIG_ANY_DIRECTORY),
		.beside = true,
	};

	if (v->kind != SPEC_VOLUME_HOST)
		return 0;
	if (text_is_below(s->project, v->source) && v->access == SPEC_VOLUME_RW)
		return err_set(e, -EPERM,
			       "it contains the project, whose repositories could then "
			       "be written; mount it :ro");
	return project_dir_check(&d, e);
}

static int check_target(const struct spec *s, const struct spec_volume *v,
			struct err *e)
{
	if (strcmp(v->target, s->project) == 0 ||
	    text_is_below(v->target, s->project) ||
	    text_is_below(s->project, v->target))
		return err_set(e, -EINVAL,
			       "its target '%.160s' would hide the project, or lie in "
			       "it",
			       v->target);
	json_each(it, s->volumes)
	{
		char other[PATH_MAX];

		if (spec_path(it, "target", other) == 0 &&
		    (strcmp(other, v->target) == 0 || text_is_below(other, v->target) ||
		     text_is_below(v->target, other)))
			return err_set(e, -EEXIST,
				       "its target '%.160s' and '%.160s' hide each "
				       "other",
				       v->target, other);
	}
	return 0;
}

/* ---- into the spec --------------------------------------------------------------- */

static void choose_access(const struct spec *s, struct spec_volume *v)
{
	if (v->access == SPEC_VOLUME_USUAL)
		v->access =
			v->kind == SPEC_VOLUME_HOST ? SPEC_VOLUME_RO : SPEC_VOLUME_RW;
	if (v->kind == SPEC_VOLUME_PROJECT && s->project_mode == PROJECT_RO)
		v->access = SPEC_VOLUME_RO;
}

static int put(struct spec *s, const struct spec_volume *v, struct err *e)
{
	if (json_len(s->volumes) == SPEC_VOLUMES)
		return err_set(e, -E2BIG, "a box has %d volumes at the most",
			       SPEC_VOLUMES);
	return json_add(s->volumes, spec_volume_to_json(v)) < 0
		       ? err_sys(e, -ENOMEM, "cannot describe it")
		       : 0;
}

static int add(const struct app *app, struct spec *s, struct spec_volume *v,
	       struct err *e)
{
	int r = v->kind == SPEC_VOLUME_KEPT ? 0 : resolve(app, s, v, e);

	choose_access(s, v);
	if (r == 0)
		r = judge(app, s, v, e) ?: check_target(s, v, e) ?: put(s, v, e);
	return r < 0 ? fail(v, e) : 0;
}

/* The text that means the same from anywhere, kept as long as the configuration. */
static int keep_text(struct config *c, size_t i, const struct spec_volume *v)
{
	char *text = NULL;

	if (asprintf(&text, "%s:%s:%s", v->source, v->target,
		     v->access == SPEC_VOLUME_RW ? "rw" : "ro") < 0)
		return -ENOMEM;
	if (words_add(&c->texts, text) < 0) {
		free(text);
		return -ENOMEM;
	}
	c->v[CONFIG_VOLUME].list.v[i] = text;
	return 0;
}

int volumes_fill(const struct app *app, struct spec *s, struct err *e)
{
	_cleanup_free_ struct spec_volume *v = calloc(1, sizeof(*v));
	const char *const *list = config_list(app->config, CONFIG_VOLUME);
	bool flag = app->config->v[CONFIG_VOLUME].from == CONFIG_FROM_FLAG;
	int r = v ? 0 : -ENOMEM;

	json_free(&s->volumes);
	s->volumes = json_array();
	if (r < 0 || !s->volumes)
		return err_sys(e, -ENOMEM, "cannot describe the box");
	for (size_t i = 0; list[i]; i++) {
		r = spec_volume_parse(list[i], v, e);
		if (r < 0)
			return r;
		r = add(app, s, v, e);
		if (r < 0)
			return r;
		if (flag && keep_text(app->config, i, v) < 0)
			return err_sys(e, -ENOMEM, "cannot describe the box");
	}
	return 0;
}

static bool is_listed(const struct json *list, const struct spec_volume *v,
		      struct spec_volume *other)
{
	json_each(it, list)
	{
		if (spec_volume_from_json(it, other, ERR_IGNORED) == 0 &&
		    other->kind == v->kind && other->access == v->access &&
		    strcmp(other->source, v->source) == 0)
			return true;
	}
	return false;
}

bool volumes_are_new(const struct app *app, const struct spec *s,
		     const struct json *old)
{
	_cleanup_free_ struct spec_volume *v = calloc(2, sizeof(*v));

	if (app->config->v[CONFIG_VOLUME].from == CONFIG_FROM_FLAG)
		return false;
	json_each(it, s->volumes)
	{
		if (!v || (spec_volume_from_json(it, v, ERR_IGNORED) == 0 &&
			   v->access == SPEC_VOLUME_RW &&
			   !is_listed(json_get(old, "volumes"), v, v + 1)))
			return true;
	}
	return false;
}
