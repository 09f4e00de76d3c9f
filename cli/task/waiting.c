#include "cli/task/waiting.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/tool/tool.h"
#include "base/text.h"
#include "cli/opt/config.h"
#include "cli/review/show.h"
#include "cli/snapshot/rewind.h"

static int open_review(struct review *rv, const char *op, struct json **args,
		       struct err *e)
{
	*args = review_args(op);
	return *args ? review_open(rv, REVIEW_LOOK, e)
		     : err_sys(e, -ENOMEM, "cannot ask what has changed");
}

static enum changes_kind kind_of(const struct json *j)
{
	if (!json_get_int(j, "mode", 0))
		return CHANGES_DELETED;
	return json_get_int(j, "was_mode", 0) ? CHANGES_MODIFIED : CHANGES_CREATED;
}

static struct effect effect_of(const struct json *j, const char *path)
{
	struct effect x =
		effects_of_change(path, (mode_t)json_get_int(j, "was_mode", 0),
				  (mode_t)json_get_int(j, "mode", 0), false);

	if (json_is(j, "class", effects_name(EFFECTS_HELD)) && x.class != EFFECTS_HELD)
		x = (struct effect){ EFFECTS_HELD, "held by the review" };
	return x;
}

static unsigned flags_of(const struct json *j)
{
	mode_t mode = (mode_t)json_get_int(j, "mode", 0);

	return (S_ISREG(mode) && mode & 0111 ? CHANGES_EXECUTABLE : 0U) |
	       (S_ISDIR(mode) ? CHANGES_DIRECTORY : 0U) |
	       (S_ISLNK(mode) ? CHANGES_SYMLINK : 0U) |
	       (json_is(j, "kind", "git") ? CHANGES_GIT : 0U);
}

static int add(struct changes *c, const struct json *j, enum effects_class round)
{
	char path[PATH_MAX];
	struct changes_item x;

	if (spec_path(j, "path", path) < 0)
		return 0;
	x = (struct changes_item){ .kind = kind_of(j),
				   .flags = flags_of(j),
				   .effect = effect_of(j, path + 1),
				   .path = path + 1,
				   .size = (uint64_t)json_get_int(j, "size", 0),
				   .added = (size_t)json_get_int(j, "added", 0),
				   .removed = (size_t)json_get_int(j, "removed", 0) };
	if (x.effect.class != round)
		return 0;
	c->created += x.kind == CHANGES_CREATED;
	c->modified += x.kind == CHANGES_MODIFIED;
	c->deleted += x.kind == CHANGES_DELETED;
	c->held += round == EFFECTS_HELD;
	return changes_add(c, &x);
}

static int make_checkpoint(void *ctx, unsigned rounds, struct err *e)
{
	const struct waiting *w = ctx;
	char name[16];

	snprintf(name, sizeof(name), "%u", rounds);
	return rewind_keep(&w->review, name, w->log, e);
}

static int list_changes(void *ctx, struct changes *ret, struct err *e)
{
	const struct waiting *w = ctx;
	_cleanup_review_ struct review rv = w->review;
	_cleanup_(changes_done) struct changes c = { .waits = true };
	_cleanup_json_ struct json *args = NULL, *list = NULL;
	int r = open_review(&rv, "diff", &args, e);

	if (r < 0)
		return r;
	r = review_ask(&rv, args, &list, NULL, e);
	if (r < 0)
		return r;
	for (int round = EFFECTS_HELD; round >= EFFECTS_PLAIN; round--)
		json_each(it, list)
		{
			r = add(&c, it, (enum effects_class)round);
			if (r < 0)
				return err_sys(e, r, "cannot list what has changed");
		}
	*ret = take(&c, ((struct changes){ 0 }));
	return 0;
}

/* Not more than @ret takes: it is full then. */
static int read_patch(const struct waiting *w, const char *path, struct buf *ret,
		      struct err *e)
{
	_cleanup_review_ struct review rv = w->review;
	_cleanup_json_ struct json *args = NULL;
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *out;
	int r = open_review(&rv, "patch", &args, e);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	r = path ? review_add_path(&rv, args, w->cwd, path, e) : 0;
	if (r < 0)
		return r;
	json_set_int(args, "bytes", (int64_t)ret->max);
	out = json_failed(args) < 0 ? NULL : open_memstream(&text, &len);
	if (!out)
		return err_sys(e, -ENOMEM, "cannot ask what has changed");
	r = review_ask(&rv, args, NULL, out, e);
	(void)fclose(out);
	if (r == 0 && buf_add(ret, text ?: "", MIN(len, ret->max - ret->len)) < 0)
		r = err_sys(e, -ENOMEM, "cannot keep what has changed");
	return r;
}

static int all_patches(void *ctx, struct buf *ret, struct err *e)
{
	return read_patch(ctx, NULL, ret, e);
}

static bool has_failed(const struct json *list, const char *path)
{
	json_each(it, list)
	{
		if (json_get_str(it, "failed") && json_is(it, "path", path))
			return true;
	}
	return false;
}

/* What is held, and git's part, come when the box is left. */
static int take_over(void *ctx, struct buf *lines, struct err *e)
{
	const struct waiting *w = ctx;
	_cleanup_review_ struct review rv = w->review;
	_cleanup_json_ struct json *args = review_args("apply"), *list = NULL;
	char path[PATH_MAX], shown[4 * PATH_MAX];
	int r = reviewshow_rules(w->config, args, e)
			?: review_open(&rv, REVIEW_WITHIN, e)
			?: review_ask(&rv, args, &list, NULL, e);

	json_each(it, list)
	{
		if (!json_get_bool(it, "chosen", false) ||
		    json_get_bool(it, "directory", false) ||
		    has_failed(list, json_get_str(it, "path") ?: "") ||
		    spec_path(it, "path", path) < 0)
			continue;
		text_escaped(shown, sizeof(shown), path + 1, strlen(path + 1));
		if (buf_addf(lines, "taken over: %s\n", shown) < 0)
			break; /* so many that nobody reads them */
	}
	return r;
}

struct task_review waiting_review(struct waiting *w)
{
	const bool each = config_num(w->config, CONFIG_APPLY_EVERY) &&
			  strcmp(config_text(w->config, CONFIG_APPLY), "never") != 0;

	return w->reviews ? (struct task_review){ .changes = list_changes,
						  .patch = all_patches,
						  .checkpoint = make_checkpoint,
						  .called = each ? take_over : NULL,
						  .ctx = w }
			  : (struct task_review){ .ctx = NULL };
}

/* ---- the model's own look ----------------------------------------------------------------- */

static int run_tool(void *ctx, const struct json *args, struct tool_result *ret,
		    struct err *e)
{
	const struct waiting *w = ctx;
	const char *path = json_get_str(args, "path");
	size_t keep = toolbox_keep(w->tools);
	_cleanup_buf_ struct buf patch = BUF_INIT(keep);
	struct err why = ERR_NONE;

	if (read_patch(w, path && *path ? path : NULL, &patch, &why) < 0) {
		ret->outcome = TOOL_ERROR;
		buf_adds(&ret->text, why.msg);
	} else if (!patch.len) {
		buf_adds(&ret->text, "[nothing has changed]");
	} else {
		text_utf8(&ret->text, buf_cstr(&patch), patch.len);
		if (patch.len == keep)
			buf_addf(&ret->text, "\n[cut after %zu bytes; name a path]",
				 keep);
	}
	return buf_failed(&ret->text) < 0
		       ? err_sys(e, -ENOMEM, "cannot keep the changes")
		       : 0;
}

int waiting_offer(struct waiting *w, struct err *e)
{
	static const char text[] =
		"{\"description\":\"Show your changes to the project that the person "
		"has "
		"not got yet, as a patch. They are taken over when you finish.\","
		"\"parameters\":{\"type\":\"object\",\"properties\":{\"path\":"
		"{\"type\":\"string\",\"description\":\"only of this file or "
		"directory, "
		"absolute\"}}}}";
	const struct tool how = { .plug = run_tool, .ctx = w, .harmless = true };
	struct json *words = NULL;
	int r;

	if (!w->reviews)
		return 0;
	r = json_parse(text, sizeof(text) - 1, &words, e)
		    ?: toolbox_add(w->tools, "changes", words, &how);
	/* The person's own tool of that name is what is meant. */
	return r < 0 && r != -EEXIST ? err_sys(e, r, "cannot offer 'changes'") : 0;
}
