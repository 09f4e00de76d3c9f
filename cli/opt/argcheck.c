#include "cli/opt/argcheck.h"

#include <string.h>

#include "cli/opt/near.h"

enum { ARGCHECK_MAX = 256 }; /* options of two commands, shared ones included */

struct set {
	const struct argp_option *v[ARGCHECK_MAX]; /* borrowed */
	const char *takes[ARGCHECK_MAX]; /* the value's name; NULL = takes none */
	size_t n;
};

static void collect(struct set *s, const struct argp *p)
{
	const struct argp_option *o = p->options, *real = NULL;

	for (; o && (o->name || o->key || o->doc || o->group); o++) {
		if (!(o->flags & OPTION_ALIAS))
			real = o;
		if ((o->flags & OPTION_DOC) || !real || s->n == ARGCHECK_MAX)
			continue;
		s->v[s->n] = o;
		s->takes[s->n++] = real->flags & OPTION_ARG_OPTIONAL ? NULL : real->arg;
	}
	for (const struct argp_child *c = p->children; c && c->argp; c++)
		collect(s, c->argp);
}

/* Optional values stand behind '=' only, so they are allowed but never looked for. */
static bool may_take(const struct set *s, size_t i)
{
	return s->takes[i] || (s->v[i]->flags & OPTION_ARG_OPTIONAL);
}

static int unknown_long(const struct set *s, const char *name, struct err *e)
{
	const char *known[ARGCHECK_MAX], *near;

	for (size_t i = 0; i < s->n; i++)
		known[i] = s->v[i]->name;
	near = near_find(name, known, s->n);
	err_set(e, -EINVAL, "unknown option '--%s'", name);
	return near ? err_hint(e, "did you mean '--%s'?", near) : e->code;
}

/* The index of the option that @name is or begins; argp takes unique beginnings too. */
static int find_long(const struct set *s, const char *name, struct err *e)
{
	size_t len = strlen(name);
	int found = -1;

	for (size_t i = 0; i < s->n; i++) {
		const char *o = s->v[i]->name;

		if (!o || strncmp(o, name, len) != 0)
			continue;
		if (!o[len])
			return (int)i;
		if (found >= 0)
			return err_set(e, -EINVAL,
				       "ambiguous option '--%s': '--%s' or '--%s'",
				       name, s->v[found]->name, o);
		found = (int)i;
	}
	return found >= 0 && len ? found : unknown_long(s, name, e);
}

/* Both return how many of the words behind the option belong to it, 0 or 1. */
static int check_long(const struct set *s, const char *word, const char *next,
		      struct err *e)
{
	const char *eq = strchr(word, '=');
	char name[64];
	int i;

	if ((eq ? (size_t)(eq - word) : strlen(word)) >= sizeof(name))
		return err_set(e, -EINVAL, "unknown option '--%.60s…'", word);
	memcpy(name, word, eq ? (size_t)(eq - word) : strlen(word));
	name[eq ? (size_t)(eq - word) : strlen(word)] = '\0';
	i = find_long(s, name, e);
	if (i < 0)
		return i;
	if (eq && !may_take(s, (size_t)i))
		return err_set(e, -EINVAL, "option '--%s' takes no value",
			       s->v[i]->name);
	if (eq || !s->takes[i])
		return 0;
	if (!next)
		return err_set(e, -EINVAL, "option '--%s' needs a value: %s",
			       s->v[i]->name, s->takes[i]);
	return 1;
}

/* SOURCE:/TARGET; "//" behind the ':' is an address. */
static bool looks_like_volume(const struct set *s, const char *word)
{
	const char *colon = word ? strstr(word, ":/") : NULL;

	if (!colon || colon == word || colon[2] == '/' || strpbrk(word, " \t\n"))
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i]->name && strcmp(s->v[i]->name, "volume") == 0)
			return true;
	return false;
}

bool argcheck_volume(const struct argp *root, const char *word)
{
	struct set s = { .n = 0 };

	collect(&s, root);
	return looks_like_volume(&s, word);
}

static int check_short(const struct set *s, const char *word, const char *next,
		       struct err *e)
{
	for (; *word; word++) {
		size_t i = 0;

		while (i < s->n && s->v[i]->key != *word)
			i++;
		if (i == s->n)
			return err_set(e, -EINVAL, "unknown option '-%c'", *word);
		if (!may_take(s, i)) {
			if (*word == 'v' && !word[1] && looks_like_volume(s, next))
				return 1;
			continue;
		}
		if (word[1] || !s->takes[i])
			return 0;
		if (!next)
			return err_set(e, -EINVAL, "option '-%c' needs a value: %s",
				       *word, s->takes[i]);
		return 1;
	}
	return 0;
}

/* How many of the words behind the option argv[at] belong to it, or a failure. */
static int check_option(const struct set *s, int argc, char **argv, int at,
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

int argcheck_operand(const struct argp *root, int argc, char **argv, int at)
{
	struct set s = { .n = 0 };
	struct err e = ERR_NONE;

	collect(&s, root);
	while (at < argc && !is_operand(argv[at])) {
		if (strcmp(argv[at], "--") == 0)
			return at + 1;
		at += 1 + MAX(check_option(&s, argc, argv, at, &e), 0);
	}
	return MIN(at, argc);
}

int argcheck(const struct argp *root, int argc, char **argv, bool tail, struct err *e)
{
	struct set s = { .n = 0 };

	collect(&s, root);
	for (int i = 1; i < argc; i++) {
		int r;

		if (is_operand(argv[i])) {
			if (tail)
				return 0;
			continue;
		}
		if (strcmp(argv[i], "--") == 0)
			return 0;
		r = check_option(&s, argc, argv, i, e);
		if (r < 0)
			return r;
		i += r;
	}
	return 0;
}
