#include "cli/review/held.h"

#include <limits.h>
#include <string.h>

#include "base/text.h"
#include "cli/review/review.h"
#include "runtime/worker/reviewtell.h"

enum { SEEN_BYTES = 64 << 20 };

bool reviewheld_member_is(const struct json *j, const char *key, const char *value)
{
	const char *s = json_get_str(j, key);

	return s && strcmp(s, value) == 0;
}

bool reviewheld_is_change(const struct json *j)
{
	return json_get_str(j, "kind") && !json_get_bool(j, "directory", false);
}

void reviewheld_done(struct reviewheld *h)
{
	json_free(&h->list);
}

bool reviewheld_is(const struct reviewheld *h, const struct json *j)
{
	return reviewheld_is_change(j) &&
	       (h->all || !json_get_bool(j, "chosen", false));
}

/* Whether the operation would be on it: @paths NULL = on all. */
bool reviewheld_is_in(const struct json *paths, const struct json *j)
{
	char path[PATH_MAX];

	json_each(it, paths)
	{
		_cleanup_json_ struct json *o = json_object();
		char above[PATH_MAX];

		if (json_set_str(o, "path", json_str(it)) == 0 &&
		    spec_path(o, "path", above) == 0 &&
		    spec_path(j, "path", path) == 0 && text_is_in(path, above))
			return true;
	}
	return !paths;
}

int reviewheld_seen(const struct reviewheld *h, const struct json *paths,
		    char ret[HASH_HEX], struct err *e)
{
	_cleanup_buf_ struct buf each = BUF_INIT((size_t)SEEN_BYTES);

	json_each(it, h->list)
	{
		const char *seen = json_get_str(it, "seen");

		if (reviewheld_is(h, it) && seen && strlen(seen) == HASH_HEX - 1 &&
		    reviewheld_is_in(paths, it))
			buf_add(&each, seen, HASH_HEX);
	}
	return reviewtell_seen(&each, ret, e);
}

/* Both sides of it can be put together, with no line that both have changed. */
bool reviewheld_can_merge(const struct reviewheld *h, const struct json *j)
{
	return reviewheld_is(h, j) && reviewheld_member_is(j, "merge", "clean");
}

bool reviewheld_can_merge_any(const struct reviewheld *h)
{
	json_each(it, h->list)
	{
		if (reviewheld_can_merge(h, it))
			return true;
	}
	return false;
}
