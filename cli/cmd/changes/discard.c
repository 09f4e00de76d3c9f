#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/review/review.h"
#include "cli/show/confirm.h"

struct args {
	bool all, yes;
	struct words paths; /* owned */
};

/* All of it is many files, and no undo brings them back: a person is asked. */
static int permitted(const struct app *app, const struct args *a,
		     const struct review *rv, struct err *e)
{
	_cleanup_json_ struct json *args = review_args("diff"), *list = NULL;
	char question[128];
	size_t n = 0;
	int r;

	if (!a->all || a->yes || !confirm_person(app))
		return 0;
	r = review_ask(rv, args, &list, NULL, e);
	if (r < 0)
		return r;
	json_each(it, list)
	{
		n += !json_get_bool(it, "directory", false);
	}
	if (n == 0)
		return 0;
	snprintf(question, sizeof(question),
		 "%zu change%s wait%s here, and cannot be got back. Throw %s away?", n,
		 n == 1 ? "" : "s", n == 1 ? "s" : "", n == 1 ? "it" : "them");
	return confirm_ask(app, question)
		       ? 0
		       : err_set(e, -ECANCELED, "nothing was thrown away");
}

static int discard(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	_cleanup_review_ struct review rv = REVIEW(&s.dir, &s.spec);
	_cleanup_json_ struct json *what = review_args("discard");
	int r = boxsetup_find(&s, e) ?: review_open(&rv, REVIEW_ALONE, e) ?:
		permitted(app, a, &rv, e);

	for (const char *const *w = words_list(&a->paths); *w && r == 0; w++)
		r = review_add_path(&rv, what, s.place.cwd, *w, e);
	return r < 0 ? r : review_ask(&rv, what, NULL, NULL, e);
}

static int check(struct app *, void *args, struct err *e)
{
	const struct args *a = args;

	if (a->all == (a->paths.n > 0))
		return err_set(e, -EINVAL, "name paths or say --all, one of both");
	return 0;
}

static const struct cmd_option options[] = {
	{ "all", 0, NULL, "everything that waits", CMD_FLAG(struct args, all) },
	{ "yes", 'y', NULL, "with --all: do not ask first",
	  CMD_FLAG(struct args, yes) },
	{ 0 },
};

const struct cmd cmd_discard = {
	.name = "discard",
	.group = CMD_CHANGES,
	.summary = "throw away what the box has changed in its project",
	.words = "PATH... | --all",
	.doc = "Throw away what the box has changed in its project (--project review) "
	       "and was not taken over. It cannot be got back: all of it is asked about at a "
	       "terminal.",
	.options = options,
	.operands = { CMD_LIST(struct args, paths) },
	.size = sizeof(struct args),
	.config = true,
	.check = check,
	.work = discard,
};
