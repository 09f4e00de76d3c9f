#include "cli/box/asked.h"

#include <stdio.h>
#include <string.h>

static const struct row {
	enum config_key key;
	const char *object, *member; /* of a spec's JSON; NULL = of itself */
} rows[] = {
	{ CONFIG_NET, NULL, "net" },
	{ CONFIG_ALLOW, NULL, "rules" },
	{ CONFIG_DENY, NULL, "rules" },
	{ CONFIG_VOLUME, NULL, "volumes" },
	{ CONFIG_MEMORY, "limits", "memory_bytes" },
	{ CONFIG_CPUS, "limits", "cpu_milli" },
	{ CONFIG_PIDS, "limits", "pids" },
	{ CONFIG_DISK, "limits", "disk_bytes" },
	{ CONFIG_GIT_WRITABLE, NULL, "git_writable" },
};

static bool is_asked(const struct config *c, enum config_key k)
{
	return c->v[k].from == CONFIG_FROM_FLAG;
}

bool asked_any(const struct config *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (is_asked(c, rows[i].key))
			return true;
	return is_asked(c, CONFIG_PUBLISH);
}

static const struct json *member(const struct json *spec, const struct row *r)
{
	return json_get(r->object ? json_get(spec, r->object) : spec, r->member);
}

static bool same(const struct json *a, const struct json *b)
{
	_cleanup_buf_ struct buf x = BUF_INIT(1 << 20), y = BUF_INIT(1 << 20);

	return a && b && json_print(a, false, &x) == 0 &&
	       json_print(b, false, &y) == 0 && strcmp(buf_cstr(&x), buf_cstr(&y)) == 0;
}

const struct config_row *asked_missing(const struct config *c, const struct spec *s,
				       const struct json *info)
{
	_cleanup_json_ struct json *want = spec_to_json(s);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (is_asked(c, rows[i].key) &&
		    !same(member(want, &rows[i]), member(info, &rows[i])))
			return &config_rows[rows[i].key];
	return NULL;
}

int asked_publish(struct box *b, const char *port, note_fn *note, void *ctx,
		  struct err *e)
{
	_cleanup_json_ struct json *q = json_object(), *a = NULL;
	const char *at;
	char line[160];
	int r;

	json_set_str(q, "op", "publish");
	json_set_str(q, "spec", port);
	r = box_ask(b, "net", q, &a, e);
	if (r < 0)
		return r;
	at = json_get_str(a, "address");
	if (!at)
		return 0;
	snprintf(line, sizeof(line),
		 strchr(at, ':') ? "published [%s]:%lld -> %lld"
				 : "published %s:%lld -> %lld",
		 at, (long long)json_get_int(a, "host_port", 0),
		 (long long)json_get_int(a, "port", 0));
	note(ctx, line);
	return 0;
}

static bool has(const struct json *list, const char *text)
{
	json_each(it,
		  list) if (json_str(it) && !strcmp(json_str(it), text)) return true;
	return false;
}

int asked_publish_all(struct box *b, const struct spec *s, const struct json *info,
		      note_fn *note, void *ctx, struct err *e)
{
	const struct json *had = json_get(info, "publish");

	json_each(it, s->publish)
	{
		const char *port = json_str(it);
		int r = !port || has(had, port) ? 0
						: asked_publish(b, port, note, ctx, e);

		if (r < 0)
			return r;
	}
	return 0;
}
