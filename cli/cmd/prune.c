#include <ctype.h>
#include <string.h>

#include "base/num.h"
#include "base/sys/sys.h"
#include "cli/box/confirm.h"
#include "cli/box/end.h"
#include "cli/box/list.h"
#include "cli/box/place.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"

struct args {
	uint64_t older_ms; /* 0 = only boxes whose directory is gone */
	bool dry_run, yes;
};

static const struct argp_option options[] = {
	{ "older", 'o', "TIME", 0, "also boxes not used for TIME, such as 30d or 12h",
	  0 },
	{ "dry-run", 'n', NULL, 0, "only tell what would be removed", 0 },
	{ "yes", 'y', NULL, 0, "do not ask first", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case 'o':
		if (num_ms(arg, &a->older_ms) < 0 || !a->older_ms)
			return cmd_bad(state, "--older: bad time '%s'", arg);
		if (isdigit((unsigned char)arg[strlen(arg) - 1]))
			return cmd_bad(state,
				       "--older: '%s' has no unit; write '%sd' for "
				       "days, '%sh' for hours",
				       arg, arg, arg);
		return 0;
	case 'n':
		a->dry_run = true;
		return 0;
	case 'y':
		a->yes = true;
		return 0;
	default:
		return cmd_no_operands(key, arg, state);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Remove the boxes whose directory is gone, after asking. Boxes that run "
	       "stay, and those whose directory has another name now.",
};

/* Why a box is stale; NULL = it is not. */
static const char *stale(const struct args *a, const struct store *st,
			 const struct boxlist_item *b)
{
	char moved[PATH_MAX];
	struct stat now;
	int64_t age = sys_wall().tv_sec - b->used;

	if (b->running && !boxend_lingers(st, b->key))
		return NULL;
	if (sys_fstatat(AT_FDCWD, b->project, &now, 0) == -ENOENT &&
	    !(*b->mark && place_moved(b->project, b->mark, moved)))
		return "its directory is gone";
	if (a->older_ms && age > 0 && (uint64_t)age * 1000 > a->older_ms)
		return "not used for long";
	return NULL;
}

static int add_result(struct json *list, const struct boxlist_item *b, const char *why)
{
	struct json *o = json_object();
	int r = o ? 0 : -ENOMEM;

	if (r == 0)
		r = json_set_str(o, "directory", b->project);
	if (r == 0)
		r = json_set_str(o, "key", b->key);
	if (r == 0)
		r = json_set_str(o, "why", why);
	if (r == 0)
		return json_add(list, o);
	json_free(&o);
	return r;
}

static int prune_one(const struct app *app, const struct args *a,
		     const struct store *st, const struct boxlist_item *b)
{
	struct err e = ERR_NONE;

	if (!a->dry_run && (boxend_idle(st, b->key, &e) < 0 ||
			    boxend_remove(st, b->key, false, &e) < 0))
		return cmd_fail(app, &e, CMD_FAILED);
	if (app->json)
		return CMD_DONE;
	fputs(a->dry_run ? "would remove " : "removed ", app->out);
	render_safe(app->out, b->project);
	fputc('\n', app->out);
	return CMD_DONE;
}

static int prune_all(const struct app *app, const struct args *a,
		     const struct store *st, const struct boxlist *l, int *status)
{
	_cleanup_json_ struct json *done = json_array();
	int r = done ? 0 : -ENOMEM;

	for (size_t i = 0; i < l->n && r == 0; i++) {
		const char *why = stale(a, st, &l->v[i]);

		if (!why)
			continue;
		if (prune_one(app, a, st, &l->v[i]) == CMD_DONE)
			r = add_result(done, &l->v[i], why);
		else
			*status = CMD_FAILED;
	}
	if (r == 0 && app->json)
		r = render_json(app, done);
	else if (r == 0 && !json_len(done))
		render_note(app, "there is nothing to remove");
	return r;
}

/* Before the first one goes. */
static int permitted(const struct app *app, const struct args *a,
		     const struct store *st, const struct boxlist *l, struct err *e)
{
	_cleanup_free_ const struct boxlist_item **v = calloc(l->n + 1, sizeof(*v));
	size_t n = 0;

	if (!v)
		return err_sys(e, -ENOMEM, "cannot list the boxes");
	for (size_t i = 0; i < l->n; i++)
		if (stale(a, st, &l->v[i]))
			v[n++] = &l->v[i];
	return confirm_removal(app, st, v, n, a->yes || a->dry_run, e);
}

static int prune(const struct app *app, const struct args *a, int *status,
		 struct err *e)
{
	_cleanup_store_ struct store st = STORE_NONE;
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	int r;

	r = store_open(&st, e);
	if (r == 0)
		r = boxlist_read(&st, &l, e);
	if (r == 0)
		r = permitted(app, a, &st, &l, e);
	if (r < 0)
		return r;
	r = prune_all(app, a, &st, &l, status);
	return r < 0 ? err_sys(e, r, "cannot tell what was removed") : 0;
}

static int run(struct app *app, int argc, char **argv)
{
	struct args a = { .older_ms = 0 };
	struct err e = ERR_NONE;
	int r, status = CMD_DONE;

	r = cmd_parse(app, &cmd_prune, argc, argv, &a);
	if (r != CMD_GO)
		return r;
	r = prune(app, &a, &status, &e);
	return r < 0 ? cmd_fail(app, &e, CMD_FAILED) : status;
}

const struct cmd cmd_prune = {
	.name = "prune",
	.summary = "remove the boxes whose directory is gone",
	.argp = &argp,
	.no_box = true,
	.run = run,
};
