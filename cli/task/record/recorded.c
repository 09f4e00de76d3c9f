#include "cli/task/record/recorded.h"

#include <string.h>

#include "base/scope.h"
#include "cli/task/view/diffview.h"
#include "cli/task/view/secret.h"

/* What a call of a tool is about; one that changes a file is shown with its result. */
static const struct {
	const char *tool, *label, *argument;
	bool change;
} known[] = {
	{ "shell", "$ ", "command", false },
	{ "python", "python ", "code", false },
	{ "edit_file", "edit_file ", "path", true },
	{ "write_file", "write_file ", "path", true },
};

void recorded_done(struct recorded *c)
{
	json_free(&c->change);
}

enum recorded_shown recorded_call(struct recorded *c, const struct json *record,
				  const char **label, struct buf *text)
{
	const struct json *args = json_get(record, "args");
	const char *tool = json_get_str(record, "tool") ?: "?";

	json_free(&c->change);
	*label = "";
	if (strcmp(tool, "finish") == 0) /* the end has the answer */
		return RECORDED_NOTHING;
	if (c->secret && strcmp(tool, "input") == 0) {
		view_secret_input(args, text);
		return RECORDED_SHOWN;
	}
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const char *what = json_get_str(args, known[i].argument);

		if (!what || strcmp(tool, known[i].tool) != 0)
			continue;
		*label = known[i].label;
		buf_adds(text, what);
		if (known[i].change)
			c->change = json_dup(args);
		return RECORDED_SHOWN;
	}
	return RECORDED_UNKNOWN;
}

void recorded_result(struct recorded *c, const struct json *record, struct buf *own,
		     struct recorded_result *ret)
{
	_cleanup_json_ struct json *change = take(&c->change, NULL);
	const char *text = json_get_str(record, "text"),
		   *tool = json_get_str(record, "tool") ?: "",
		   *outcome = json_get_str(record, "outcome") ?: "";
	const bool failed = strcmp(outcome, "error") == 0;

	if (c->secret && failed && strcmp(tool, "input") == 0)
		text = VIEW_SECRET_WHY;
	c->secret = view_secret_wanted(c->secret, tool, json_get_str(record, "state"),
				       text);
	*ret = (struct recorded_result){ .failed = failed };
	if (change)
		ret->diff = diffview_whole(change, failed ? NULL : text, own);
	if (text && *text && strcmp(outcome, "finished") != 0 && (!change || failed))
		ret->text = text;
}

void recorded_words(const struct json *record, recorded_words_fn *fn, void *ctx)
{
	const struct json *content = json_get(json_get(record, "message"), "content");

	if (json_str(content))
		fn(ctx, json_str(content));
	if (json_type(content) == JSON_ARRAY)
		json_each(it, content) if (json_get_str(it, "text"))
			fn(ctx, json_get_str(it, "text"));
}
