#include "cli/opt/cmdline.h"

#include <string.h>

#include "cli/opt/argcheck.h"

/* The first operand from @at on. What a command does not know may be an option of a
 * task: it is refused later, with its value. */
static int next_word(const struct cmd *c, const struct cmd *task, int argc, char **argv,
		     int at)
{
	struct argcheck set = { .n = 0 };

	cmd_options(c, NULL, NULL, &set);
	cmd_options(task, NULL, NULL, &set);
	return argcheck_operand(&set, argc, argv, at);
}

static bool named(struct cmdline *l, const struct cmd *const *all,
		  const struct cmd *task, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const struct cmd *const c = cmd_find(all, argv[i]);
		char *const name = argv[i];

		if (!c || next_word(c, task, argc, argv, 1) != i)
			continue;
		memmove(argv + 2, argv + 1, (size_t)(i - 1) * sizeof(*argv));
		argv[1] = name;
		l->cmd = c;
		l->word = name;
		return true;
	}
	return false;
}

struct cmdline cmdline_read(const struct cmd *const *all, const struct cmd *task,
			    int argc, char **argv)
{
	struct cmdline l = { .cmd = NULL };
	bool over = false;

	if (named(&l, all, task, argc, argv))
		return l;
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		l.json |= strcmp(argv[i], "--json") == 0;
	for (int i = 1; i < argc; i++) {
		if (!over)
			i = next_word(task, task, argc, argv, i);
		if (i >= argc)
			break;
		over |= strcmp(argv[i - 1], "--") == 0;
		if (l.words == 0)
			l.word = argv[i];
		if (l.words++ == 1)
			l.second = argv[i];
	}
	return l;
}
