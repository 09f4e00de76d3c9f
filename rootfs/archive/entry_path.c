#include "rootfs/archive/entry_path.h"

#include <string.h>

#include "base/text.h"

static int refuse(struct err *e, int code, const char *raw, const char *why)
{
	return err_set(e, code, "entry '%s': %s", text_shown(raw), why);
}

static int too_long(struct err *e, const char *raw, const char *what, size_t limit)
{
	return err_set(e, -E2BIG, "entry '%s': more than %zu %s", text_shown(raw),
		       limit, what);
}

int entry_path_clean(const char *raw, const struct untar_limits *l,
		     char ret[ENTRY_PATH], struct err *e)
{
	size_t out = 0, depth = 0, n;
	char clean[ENTRY_PATH];

	if (!*raw)
		return err_set(e, -EINVAL, "archive has an entry with an empty name");
	for (const char *p = raw; *p; p += n) {
		p += strspn(p, "/");
		n = strcspn(p, "/");
		if (!n || (n == 1 && p[0] == '.'))
			continue;
		if (n == 2 && p[0] == '.' && p[1] == '.')
			return refuse(e, -EINVAL, raw, "has a '..' component");
		if (n > l->component)
			return too_long(e, raw, "bytes in a component", l->component);
		if (++depth > l->depth)
			return too_long(e, raw, "components", l->depth);
		if (out + n + 1 > l->path || out + n + 2 > sizeof(clean))
			return too_long(e, raw, "bytes", l->path);
		if (out)
			clean[out++] = '/';
		memcpy(clean + out, p, n);
		out += n;
	}
	clean[out] = '\0';
	memcpy(ret, clean, out + 1);
	return 0;
}

enum entry_whiteout entry_path_whiteout(const char *name, const char **removed)
{
	if (!text_starts(name, ".wh."))
		return ENTRY_PLAIN;
	if (!strcmp(name, ".wh..wh..opq"))
		return ENTRY_OPAQUE;
	if (text_starts(name, ".wh..wh."))
		return ENTRY_METADATA;
	name += strlen(".wh.");
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return ENTRY_MALFORMED;
	*removed = name;
	return ENTRY_REMOVE;
}
