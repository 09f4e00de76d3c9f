#include "cli/opt/argcheck.h"

#include <string.h>

#include "base/text.h"
#include "cli/opt/habits.h"
#include "cli/opt/near.h"

void argcheck_add(struct argcheck *s, const struct cmd_option *table, void *base)
{
	for (; table && table->name && s->n < ARGCHECK_MAX; table++)
		s->v[s->n++] = (struct argcheck_row){ table, base };
}

static int say_no_place(const char *dashes, const char *name, struct err *e)
{
	err_set(e, -EINVAL, "'%s%s' says which box, and this command is not about one",
		dashes, name);
	return err_hint(e, "leave it out");
}

/* @name: of the option, without its dashes; @near: the nearest one, or NULL */
static int say_unknown(const struct argcheck *s, const char *dashes, const char *name,
		       const char *near, struct err *e)
{
	const char *habit = s->command ? habits_option(s->command, name) : NULL;

	err_set(e, -EINVAL, "unknown option '%s%s'", dashes, name);
	if (habit)
		return err_hint(e, "%s", habit);
	return near ? err_hint(e, "did you mean '--%s'?", near)
		    : err_hint(e, "--help lists them");
}

static int unknown_long(const struct argcheck *s, const char *name, struct err *e)
{
	const char *known[ARGCHECK_MAX], *near;

	for (const struct cmd_option *o = s->place; o && o->name; o++)
		if (strcmp(o->name, name) == 0)
			return say_no_place("--", name, e);
	for (size_t i = 0; i < s->n; i++)
		known[i] = s->v[i].option->name;
	near = near_find(name, known, s->n);
	return say_unknown(s, "--", name, near, e);
}

/* The index of the option that @name is or begins. */
static int find_long(const struct argcheck *s, const char *name, struct err *e)
{
	size_t len = strlen(name);
	int found = -1;

	for (size_t i = 0; i < s->n; i++) {
		const char *o = s->v[i].option->name;

		if (strncmp(o, name, len) != 0)
			continue;
		if (!o[len])
			return (int)i;
		if (found >= 0)
			return err_set(e, -EINVAL,
				       "ambiguous option '--%s': '--%s' or '--%s'",
				       name, s->v[found].option->name, o);
		found = (int)i;
	}
	return found >= 0 && len ? found : unknown_long(s, name, e);
}

static int tell(const struct argcheck *s, size_t i, const char *word, struct err *e)
{
	return s->found ? s->found(s->ctx, &s->v[i], word, e) : 0;
}

/* Both return how many of the words behind the option belong to it, 0 or 1. */
static int check_long(const struct argcheck *s, const char *arg, const char *next,
		      struct err *e)
{
	const char *eq = strchr(arg, '=');
	size_t len = eq ? (size_t)(eq - arg) : strlen(arg);
	const struct cmd_option *o;
	char name[64];
	int i, r;

	if (len >= sizeof(name)) {
		err_set(e, -EINVAL, "unknown option '--%.60s…'", arg);
		return err_hint(e, "--help lists them");
	}
	memcpy(name, arg, len);
	name[len] = '\0';
	i = find_long(s, name, e);
	if (i < 0)
		return i;
	o = s->v[i].option;
	if (eq && !o->word)
		return err_set(e, -EINVAL, "option '--%s' takes no value", o->name);
	if (eq || !o->word || o->goal.optional)
		return tell(s, (size_t)i, eq ? eq + 1 : NULL, e);
	if (!next)
		return err_set(e, -EINVAL, "option '--%s' needs a value: %s", o->name,
			       o->word);
	r = tell(s, (size_t)i, next, e);
	return r < 0 ? r : 1;
}

/* -v and SOURCE:TARGET, as for docker, where there is a --volume: "//" behind the ':' is an
 * address, and a word with blanks a task. A TARGET that is no path is said to be none. */
static bool is_volume(const struct argcheck *s, const char *arg, const char *next)
{
	const char *colon = next ? strchr(next, ':') : NULL;

	if (strcmp(arg, "v") != 0 || !colon || colon == next || !colon[1] ||
	    text_starts(colon, "://") || strpbrk(next, " \t\n"))
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i].option->name, "volume") == 0)
			return true;
	return false;
}

static int unknown_short(const struct argcheck *s, char letter, struct err *e)
{
	const char name[] = { letter, '\0' };

	for (const struct cmd_option *o = s->place; o && o->name; o++)
		if (o->letter == letter)
			return say_no_place("-", name, e);
	return say_unknown(s, "-", name, NULL, e);
}

static int check_short(const struct argcheck *s, const char *arg, const char *next,
		       struct err *e)
{
	for (; *arg; arg++) {
		const struct cmd_option *o = NULL;
		size_t i = 0;
		int r;

		while (i < s->n && s->v[i].option->letter != *arg)
			i++;
		if (i == s->n)
			return unknown_short(s, *arg, e);
		o = s->v[i].option;
		if (!o->word && !is_volume(s, arg, next)) {
			r = tell(s, i, NULL, e);
			if (r < 0)
				return r;
			continue;
		}
		if (arg[1] || o->goal.optional)
			return tell(s, i, arg[1] ? arg + 1 : NULL, e);
		if (!next)
			return err_set(e, -EINVAL, "option '-%c' needs a value: %s",
				       *arg, o->word);
		r = tell(s, i, next, e);
		return r < 0 ? r : 1;
	}
	return 0;
}

/* How many of the words behind the option argv[at] belong to it, or a failure. */
static int check_option(const struct argcheck *s, int argc, char **argv, int at,
			struct err *e)
{
	const char *next = at + 1 < argc ? argv[at + 1] : NULL;

	return argv[at][1] == '-' ? check_long(s, argv[at] + 2, next, e)
				  : check_short(s, argv[at] + 1, next, e);
}

static bool is_operand(const char *word)
{
	return word[0] != '-' || !word[1];
}

int argcheck_operand(const struct argcheck *s, int argc, char **argv, int at)
{
	while (at < argc && !is_operand(argv[at])) {
		if (strcmp(argv[at], "--") == 0)
			return at + 1;
		at += 1 + MAX(check_option(s, argc, argv, at, ERR_IGNORED), 0);
	}
	return MIN(at, argc);
}

int argcheck(const struct argcheck *s, int argc, char **argv, struct err *e)
{
	bool over = false; /* the options */
	int r;

	for (int i = 1; i < argc; i++) {
		if (!over && strcmp(argv[i], "--") == 0) {
			over = true;
			continue;
		}
		if (over || is_operand(argv[i])) {
			over |= s->tail;
			r = s->operand ? s->operand(s->ctx, &argv[i], e) : 0;
		} else {
			r = check_option(s, argc, argv, i, e);
			i += MAX(r, 0);
		}
		if (r < 0)
			return r;
	}
	return 0;
}
