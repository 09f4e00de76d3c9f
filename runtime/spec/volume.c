#include "runtime/spec/volume.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "runtime/spec/spec.h"

static const char *const kinds[] = {
	[SPEC_VOLUME_HOST] = "host",
	[SPEC_VOLUME_PROJECT] = "project",
	[SPEC_VOLUME_KEPT] = "kept",
};

/* ---- text ------------------------------------------------------------------------ */

static int bad(const char *text, const char *why, struct err *e)
{
	return err_set(e, -EINVAL, "bad volume '%s': %s", text_shown(text), why);
}

/* "/a//b/" is "/a/b"; what goes up or is the root itself is none. */
static int clean_target(const char *from, char ret[PATH_MAX])
{
	size_t n = 0;

	if (*from != '/' || strlen(from) >= PATH_MAX)
		return -EINVAL;
	while (*from) {
		size_t len;

		from += strspn(from, "/");
		len = strcspn(from, "/");
		if (!len)
			break;
		if (*from == '.' && (len == 1 || (len == 2 && from[1] == '.')))
			return -EINVAL;
		ret[n++] = '/';
		memcpy(ret + n, from, len);
		n += len;
		from += len;
	}
	ret[n] = '\0';
	return n ? 0 : -EINVAL;
}

/* The kernel's filesystems and the box's own memory: mounted in every box. */
static bool is_taken(const char *target)
{
	static const char *const own[] = { "/proc", "/sys", "/dev", "/run", "/tmp" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		size_t n = strlen(own[i]);

		if (strncmp(target, own[i], n) == 0 && (!target[n] || target[n] == '/'))
			return true;
	}
	return false;
}

static enum spec_volume_access cut_access(const char *text, size_t *len)
{
	const char *end = text + *len - 3;

	if (*len < 3 || (memcmp(end, ":ro", 3) != 0 && memcmp(end, ":rw", 3) != 0))
		return SPEC_VOLUME_USUAL;
	*len -= 3;
	return end[2] == 'o' ? SPEC_VOLUME_RO : SPEC_VOLUME_RW;
}

/* The last ":/" parts the two: a source may hold a ':'. */
static const char *find_target(const char *text, size_t len)
{
	for (size_t i = len; i-- > 1;)
		if (text[i] == '/' && text[i - 1] == ':')
			return text + i;
	return NULL;
}

int spec_volume_parse(const char *text, struct spec_volume *ret, struct err *e)
{
	size_t len = strlen(text), n;
	struct spec_volume v = { .access = cut_access(text, &len) };
	const char *target = find_target(text, len);
	char copy[PATH_MAX];

	if (!target || target - 1 == text || len >= PATH_MAX ||
	    memchr(target, ':', (size_t)(text + len - target)))
		return bad(text, "it is SOURCE:/TARGET, :ro or :rw may follow", e);
	n = (size_t)(target - 1 - text);
	memcpy(v.source, text, n);
	snprintf(copy, sizeof(copy), "%.*s", (int)(len - n - 1), target);
	if (clean_target(copy, v.target) < 0)
		return bad(text, "the target must be a path of the box without '..'",
			   e);
	if (is_taken(v.target))
		return bad(text, "the target is the box's own in every box", e);
	if (!strchr(v.source, '/') && *v.source != '.' && *v.source != '~') {
		v.kind = SPEC_VOLUME_KEPT;
		if (!spec_name_valid(v.source))
			return bad(text,
				   "a name has letters, digits, '.', '_' and '-', a "
				   "path a '/'",
				   e);
	}
	*ret = v;
	return 0;
}

const char *spec_volume_cache(const char *name)
{
	static const char *const known[][2] = {
		{ "pip", "cache-pip:/root/.cache/pip" },
		{ "uv", "cache-uv:/root/.cache/uv" },
		{ "npm", "cache-npm:/root/.npm" },
		{ "cargo", "cache-cargo:/root/.cargo/registry" },
		{ "go", "cache-go:/root/go/pkg/mod" },
		{ "maven", "cache-maven:/root/.m2/repository" },
		{ "ccache", "cache-ccache:/root/.cache/ccache" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i][0], name) == 0)
			return known[i][1];
	return NULL;
}

/* ---- JSON ------------------------------------------------------------------------ */

struct json *spec_volume_to_json(const struct spec_volume *v)
{
	_cleanup_json_ struct json *j = json_object();

	json_set_str(j, "kind", kinds[v->kind]);
	spec_set_path(j, v->kind == SPEC_VOLUME_KEPT ? "name" : "source", v->source);
	spec_set_path(j, "target", v->target);
	json_set_bool(j, "writable", v->access == SPEC_VOLUME_RW);
	return json_failed(j) < 0 ? NULL : take(&j, NULL);
}

int spec_volume_from_json(const struct json *j, struct spec_volume *ret, struct err *e)
{
	const char *kind = json_get_str(j, "kind"), *name = json_get_str(j, "name");
	struct spec_volume v = { .access = json_get_bool(j, "writable", false)
						   ? SPEC_VOLUME_RW
						   : SPEC_VOLUME_RO };
	char target[PATH_MAX];
	bool good = false;

	for (size_t i = 0; kind && i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i], kind) == 0) {
			v.kind = (enum spec_volume_kind)i;
			good = true;
		}
	if (v.kind == SPEC_VOLUME_KEPT)
		good = good && name && spec_name_valid(name) &&
		       text_copy(v.source, sizeof(v.source), name) == 0;
	else
		good = good && spec_path(j, "source", v.source) == 0;
	if (!good || spec_path(j, "target", target) < 0 ||
	    clean_target(target, v.target) < 0 || strcmp(target, v.target) != 0 ||
	    is_taken(v.target))
		return err_set(e, -EINVAL, "bad description of a box");
	*ret = v;
	return 0;
}
