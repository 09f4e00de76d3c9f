#include <string.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/review/show.h"
#include "cli/show/tty.h"
#include "cli/store/hostpath.h"

struct args {
	bool all, resume, overwrite, merge, marks;
	const char *to;			 /* another directory; NULL = the project */
	struct words paths, allow, deny; /* owned */
};

static int add_list(struct json *what, const char *name, const struct words *w)
{
	struct json *list = (struct json *)(uintptr_t)json_get(what, name);

	for (const char *const *p = words_list(w); *p; p++)
		json_add(list, json_string(*p));
	return json_failed(what);
}

static int go_elsewhere(const char *dir, struct json *what, struct review *rv,
			struct err *e)
{
	int fd = hostpath_open(dir, O_RDONLY | O_DIRECTORY, e);

	if (fd < 0)
		return err_wrap(e, "--to");
	scope_close(&rv->project);
	rv->project = fd;
	return json_set_bool(what, "elsewhere", true) < 0
		       ? err_sys(e, -ENOMEM, "cannot say what to apply")
		       : 0;
}

/* What a task would do at its end; one that never applies leaves it to this command. */
static int set_rules(const struct app *app, const struct args *a, struct json *what,
		     struct err *e)
{
	int r = reviewshow_rules(app->config, what, e);

	if (a->all)
		json_set_str(what, "policy", "all");
	else if (strcmp(config_text(app->config, CONFIG_APPLY), "never") == 0)
		json_set_str(what, "policy", "safe");
	json_set_bool(what, "overwrite", a->overwrite);
	json_set_bool(what, "merge", a->merge || a->marks);
	json_set_bool(what, "marks", a->marks);
	if (r < 0)
		return err_sys(e, r, "cannot say what to apply");
	r = add_list(what, "allow", &a->allow) ?: add_list(what, "deny", &a->deny);
	return r < 0 ? err_sys(e, r, "cannot say what to apply") : 0;
}

static int apply(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	_cleanup_review_ struct review rv = REVIEW(&s.dir, &s.spec);
	_cleanup_json_ struct json *what =
		review_args(a->resume ? "continue" : "apply");
	bool ask = tty_is(STDIN_FILENO) && tty_is(fileno(app->out)) && !app->json;
	struct reviewshow show = { .app = app,
				   .out = app->out,
				   .in = ask ? STDIN_FILENO : -1,
				   .elsewhere = a->to,
				   .asked = true };
	int r = boxsetup_find(&s, e) ?:
		set_rules(app, a, what, e) ?:
		review_open(&rv, REVIEW_GIVE, e);

	if (r < 0)
		return r;
	if (a->to)
		r = go_elsewhere(a->to, what, &rv, e);
	for (const char *const *w = words_list(&a->paths); *w && r == 0; w++)
		r = review_add_path(&rv, what, s.place.cwd, *w, e);
	if (r < 0)
		return r;
	r = reviewshow_take(&show, &rv, what, e);
	return r > 0 ? CMD_FAILED : r;
}

static int check(struct app *, void *args, struct err *e)
{
	const struct args *a = args;

	if (a->resume && (a->all || a->paths.n || a->to))
		return err_set(e, -EINVAL, "--continue takes nothing else");
	if (a->overwrite && (a->merge || a->marks))
		return err_set(e, -EINVAL,
			       "--overwrite takes the box's side alone; --merge wants "
			       "both");
	return 0;
}

static const struct cmd_option options[] = {
	{ "all", 0, NULL, "also what is held", CMD_FLAG(struct args, all) },
	{ "overwrite", 0, NULL, "also what has changed here since the box began",
	  CMD_FLAG(struct args, overwrite) },
	{ "merge", 0, NULL,
	  "what both have changed, put together where that is possible",
	  CMD_FLAG(struct args, merge) },
	{ "3way", 0, NULL, "the same as --merge", CMD_FLAG(struct args, merge) },
	{ "markers", 0, NULL,
	  "as --merge, and where both have changed the same lines both of them, marked",
	  CMD_FLAG(struct args, marks) },
	{ "allow", 0, "PATTERN", "such paths are not held",
	  CMD_LIST(struct args, allow) },
	{ "deny", 0, "PATTERN", "such paths are held", CMD_LIST(struct args, deny) },
	{ "to", 0, "DIR", "into another directory; the box keeps them, too",
	  CMD_TEXT(struct args, to) },
	{ "continue", 0, NULL, "finish what was interrupted",
	  CMD_FLAG(struct args, resume) },
	{ 0 },
};

const struct cmd cmd_apply = {
	.name = "apply",
	.group = CMD_CHANGES,
	.summary = "take over what the box has changed in its project",
	.words = "[PATH...]",
	.doc = "Take over what the box has changed in its project (--project review). "
	       "What acts on this machine by itself is held and asked for; what is "
	       "named, or all of it with --all, is taken over without a question.",
	.options = options,
	.operands = { CMD_LIST(struct args, paths) },
	.size = sizeof(struct args),
	.config = true,
	.check = check,
	.work = apply,
};
