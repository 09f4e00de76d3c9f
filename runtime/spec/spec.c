#include "runtime/spec/spec.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/sys/sys.h"
#include "base/text.h"

static const char *const net_names[] = {
	[NET_GATE] = "gate",
	[NET_NONE] = "none",
	[NET_HOST] = "host",
};

static const char *const project_names[] = {
	[PROJECT_LIVE] = "live",
	[PROJECT_REVIEW] = "review",
	[PROJECT_RO] = "ro",
};

static int find_name(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return (int)i;
	return -EINVAL;
}

static const char *spec_net_name(enum net_mode m)
{
	return net_names[m];
}

int spec_net_parse(const char *name, enum net_mode *ret)
{
	int i = find_name(net_names, ARRAY_SIZE(net_names), name);

	if (i >= 0)
		*ret = (enum net_mode)i;
	return MIN(i, 0);
}

const char *spec_project_name(enum project_mode m)
{
	return project_names[m];
}

int spec_project_parse(const char *name, enum project_mode *ret)
{
	int i = find_name(project_names, ARRAY_SIZE(project_names), name);

	if (i >= 0)
		*ret = (enum project_mode)i;
	return MIN(i, 0);
}

void spec_done(struct spec *s)
{
	json_free(&s->rules);
	json_free(&s->publish);
	json_free(&s->volumes);
}

/* ---- where ----------------------------------------------------------------------- */

/* The path must lead to the directory that was opened: realpath() reads it again. */
static int open_project(const char *dir, const char *shown, char *real, struct err *e)
{
	_cleanup_close_ int fd = sys_open(dir, O_RDONLY | O_DIRECTORY);
	struct stat a, b;

	if (fd < 0)
		return err_sys(e, fd, "cannot use directory '%s'", shown);
	if (!realpath(dir, real)) {
		err_sys(e, -errno, "cannot resolve directory '%s'", shown);
		return e->code == -ENOENT
			       ? err_hint(e, "it was removed; change to another")
			       : e->code;
	}
	if (sys_fstat(fd, &a) < 0 || sys_fstatat(AT_FDCWD, real, &b, 0) < 0 ||
	    a.st_dev != b.st_dev || a.st_ino != b.st_ino)
		return err_set(e, -ENOENT, "directory '%s' changed while it was opened",
			       shown);
	return 0;
}

bool spec_name_valid(const char *name)
{
	size_t n = strlen(name);

	return n && n < SPEC_NAME && name[0] != '.' && name[0] != '_' &&
	       name[0] != '-' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789._-") == n;
}

/* A path holds no NUL: what stands behind one is the name. */
void spec_key(const char *project, const char *name, char ret[HASH_HEX])
{
	char text[PATH_MAX + SPEC_NAME];
	int n = snprintf(text, sizeof(text), "%s%c%s", project, '\0', name);

	hash_text(text, (size_t)n - !*name, ret);
}

int spec_locate(struct spec *s, const char *dir, struct err *e)
{
	int r = open_project(dir, text_shown(dir), s->project, e);

	if (r == 0)
		spec_key(s->project, s->name, s->key);
	return r;
}

int spec_locate_real(struct spec *s, const char *dir, struct err *e)
{
	int r = spec_locate(s, dir, e);

	if (r < 0 || strcmp(dir, s->project) == 0)
		return r;
	return err_set(e, -ESTALE, "directory '%s' changed meanwhile", text_shown(dir));
}

/* ---- JSON ------------------------------------------------------------------------ */

/* Paths are bytes, JSON is text: what is not plain ASCII travels as \xNN. */
int spec_set_path(struct json *j, const char *key, const char *path)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4 * PATH_MAX);

	for (const unsigned char *p = (const unsigned char *)path; *p; p++)
		if (*p < 0x20 || *p > 0x7e || *p == '\\')
			buf_addf(&b, "\\x%02x", *p);
		else
			buf_addc(&b, (char)*p);
	return json_set(j, key, buf_failed(&b) < 0 ? NULL : json_string(buf_cstr(&b)));
}

int spec_path(const struct json *j, const char *key, char ret[PATH_MAX])
{
	const char *s = json_get_str(j, key);
	size_t n = 0;

	if (!s)
		return -EINVAL;
	while (*s && n < PATH_MAX - 1) {
		if (*s != '\\') {
			ret[n++] = *s++;
			continue;
		}
		if (s[1] != 'x' || num_hex(s[2]) < 0 || num_hex(s[3]) < 0)
			return -EINVAL;
		ret[n++] = (char)(num_hex(s[2]) * 16 + num_hex(s[3]));
		s += 4;
	}
	ret[n] = '\0';
	return *s || ret[0] != '/' || strlen(ret) != n ? -EINVAL : 0;
}

static struct json *limits_to_json(const struct limits *l)
{
	struct json *j = json_object();

	json_set_int(j, "memory_bytes", (int64_t)l->memory_bytes);
	json_set_int(j, "pids", (int64_t)l->pids);
	json_set_int(j, "cpu_milli", l->cpu_milli);
	json_set_int(j, "disk_bytes", (int64_t)l->disk_bytes);
	return j;
}

static void limits_from_json(const struct json *j, struct limits *ret)
{
	ret->memory_bytes = (uint64_t)json_get_int(j, "memory_bytes", 0);
	ret->pids = (uint64_t)json_get_int(j, "pids", 0);
	ret->cpu_milli = (uint32_t)json_get_int(j, "cpu_milli", 0);
	ret->disk_bytes = (uint64_t)json_get_int(j, "disk_bytes", 0);
}

/* A list that is not set is an empty one. */
static struct json *list_copy(const struct json *list)
{
	return list ? json_dup(list) : json_array();
}

int spec_place_json(const struct spec *s, struct json *j)
{
	int r = spec_set_path(j, "project", s->project)
			?: json_set_str(j, "key", s->key);

	return r == 0 && *s->name ? json_set_str(j, "name", s->name) : r;
}

static struct json *owner_to_json(const struct idmap_owner *o)
{
	struct json *j = json_object();

	json_set_int(j, "uid", o->uid);
	json_set_int(j, "gid", o->gid);
	return j;
}

/* In the records of older boxes there is none: root. */
static void owner_from_json(const struct json *j, struct idmap_owner *ret)
{
	ret->uid = (uint16_t)json_get_int(j, "uid", 0);
	ret->gid = (uint16_t)json_get_int(j, "gid", 0);
}

struct json *spec_to_json(const struct spec *s)
{
	_cleanup_json_ struct json *j = json_object();

	json_set_int(j, "version", 1);
	if (spec_place_json(s, j) < 0 || spec_set_path(j, "store", s->store) < 0)
		return NULL;
	json_set_str(j, "image", s->image);
	json_set_str(j, "image_name", s->image_name);
	json_set(j, "map", idmap_to_json(&s->map));
	json_set(j, "owner", owner_to_json(&s->owner));
	json_set_str(j, "net", spec_net_name(s->net));
	json_set(j, "limits", limits_to_json(&s->limits));
	json_set_str(j, "project_mode", spec_project_name(s->project_mode));
	json_set_bool(j, "git_writable", s->git_writable);
	json_set_bool(j, "git_identity", s->git_identity);
	json_set_bool(j, "keep", s->keep);
	json_set_bool(j, "discard", s->discard);
	json_set(j, "rules", list_copy(s->rules));
	json_set(j, "publish", list_copy(s->publish));
	json_set(j, "volumes", list_copy(s->volumes));
	return json_failed(j) ? NULL : take(&j, NULL);
}

static int get_text(const struct json *j, const char *key, char *ret, size_t size)
{
	const char *s = json_get_str(j, key);

	return s ? text_copy(ret, size, s) : -EINVAL;
}

/* The image names a directory of the store: nothing but one component. */
static bool image_valid(const char *image)
{
	return *image && *image != '.' && !strchr(image, '/');
}

int spec_from_json(const struct json *j, struct spec *ret, struct err *e)
{
	_cleanup_(spec_done) struct spec s = { 0 };
	const char *net = json_get_str(j, "net"),
		   *mode = json_get_str(j, "project_mode");
	int r;

	if (spec_path(j, "project", s.project) < 0 ||
	    spec_path(j, "store", s.store) < 0 ||
	    get_text(j, "key", s.key, sizeof(s.key)) < 0 || !hash_valid(s.key) ||
	    get_text(j, "image", s.image, sizeof(s.image)) < 0 ||
	    !image_valid(s.image) ||
	    get_text(j, "image_name", s.image_name, sizeof(s.image_name)) < 0 || !net ||
	    spec_net_parse(net, &s.net) < 0 ||
	    (mode && spec_project_parse(mode, &s.project_mode) < 0))
		return err_set(e, -EINVAL, "bad description of a box");
	r = idmap_from_json(json_get(j, "map"), &s.map, e);
	if (r < 0)
		return r;
	owner_from_json(json_get(j, "owner"), &s.owner);
	limits_from_json(json_get(j, "limits"), &s.limits);
	if (json_get(j, "name") && (get_text(j, "name", s.name, sizeof(s.name)) < 0 ||
				    !spec_name_valid(s.name)))
		return err_set(e, -EINVAL, "bad name of a box");
	s.git_writable = json_get_bool(j, "git_writable", false);
	s.git_identity = json_get_bool(j, "git_identity", false);
	s.keep = json_get_bool(j, "keep", false);
	s.discard = json_get_bool(j, "discard", false);
	s.rules = list_copy(json_get(j, "rules"));
	s.publish = list_copy(json_get(j, "publish"));
	s.volumes = list_copy(json_get(j, "volumes"));
	if (!s.rules || !s.publish || !s.volumes)
		return err_sys(e, -ENOMEM, "cannot read the description of a box");
	spec_done(ret);
	*ret = take(&s, (struct spec){ 0 });
	return 0;
}
