#include "cli/box/waits.h"

#include "cli/box/review.h"

/* As boxsetup_find() has it, of a box that is known by its key alone. */
static int load(const struct store *st, const char *key, struct boxsetup *ret,
		struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	int r = store_open(&ret->store, e);

	if (r < 0)
		return r;
	r = boxdir_open(st, key, false, &ret->dir, e);
	if (r < 0)
		return r;
	r = boxdir_load(&ret->dir, &j, e);
	if (r < 0)
		return r;
	return spec_from_json(j, &ret->spec, e);
}

static size_t count(const struct boxsetup *s, struct err *e)
{
	_cleanup_review_ struct review rv = REVIEW_NONE;
	_cleanup_json_ struct json *args = review_args("diff"), *list = NULL;
	size_t n = 0;

	if (review_open(s, REVIEW_LOOK, &rv, e) < 0 ||
	    review_ask(&rv, args, &list, NULL, e) < 0)
		return 0;
	json_each(it, list)
	{
		n += !json_get_bool(it, "directory", false);
	}
	return n;
}

size_t waits_count(const struct store *st, const char *key)
{
	struct boxsetup s = { .store = STORE_NONE, .dir = BOXDIR_NONE };
	struct err ignored = ERR_NONE;
	size_t n;

	s.spec = SPEC_NONE;
	n = load(st, key, &s, &ignored) == 0 ? count(&s, &ignored) : 0;
	spec_done(&s.spec);
	boxdir_close(&s.dir);
	store_close(&s.store);
	return n;
}
