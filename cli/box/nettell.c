#include "cli/box/nettell.h"

#include <string.h>

#include "cli/show/render.h"
#include "runtime/box/box.h"

enum { REFUSED_LINES = 4 };

static int ask(struct box *b, int64_t since, struct json **ret)
{
	_cleanup_json_ struct json *q = json_object();

	json_set_str(q, "op", "events");
	json_set_int(q, "since", since);
	return json_failed(q) ?: box_ask(b, "net", q, ret, ERR_IGNORED);
}

bool nettell_wanted(const struct app *app)
{
	return app->live && !app->quiet && !app->json;
}

void nettell_begin(const struct app *app, struct box *b, struct nettell *ret)
{
	_cleanup_json_ struct json *answer = NULL;

	*ret = (struct nettell){ 0 };
	if (!nettell_wanted(app) || ask(b, INT32_MAX, &answer) < 0)
		return;
	ret->box = b;
	ret->next = json_get_int(answer, "next", 0);
}

/* A program asks again and again, and for each name twice. */
static bool says_first(const struct json *list, const struct json *one,
		       const char *text)
{
	json_each(it, list)
	{
		if (it == one)
			return true;
		if (json_is(it, "text", text))
			return false;
	}
	return true;
}

void nettell_say(const struct app *app, const struct nettell *r)
{
	_cleanup_json_ struct json *answer = NULL;
	const struct json *list;
	size_t n = 0;

	if (!r->box || ask(r->box, r->next, &answer) < 0)
		return;
	list = json_get(answer, "events");
	json_each(it, list)
	{
		const char *text = json_get_str(it, "text");

		if (text && says_first(list, it, text) && n++ < REFUSED_LINES)
			render_note(app, "%s", text);
	}
	if (n > REFUSED_LINES)
		render_note(app, "network: and %zu more", n - REFUSED_LINES);
	if (n)
		render_note(
			app,
			"'cubby log --net' says why; 'cubby set allow=HOST' permits "
			"a host from the next start on, 'cubby net --allow HOST' "
			"while the box runs");
}
