#include "cli/show/confirm.h"

#include <string.h>
#include <unistd.h>

#include "cli/show/tty.h"

/* As git and docker understand it: the word, or its beginning. */
bool confirm_is_yes(const char *line)
{
	static const char *const words[] = { "y\n", "Y\n", "yes\n", "Yes\n", "YES\n" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(line, words[i]))
			return true;
	return false;
}

bool confirm_person(const struct app *app)
{
	return !app->json && tty_is(STDIN_FILENO) && tty_is(STDERR_FILENO);
}

bool confirm_ask(const struct app *app)
{
	char line[16] = "";

	fputs(" [y/N] ", app->err);
	fflush(app->err);
	if (fgets(line, sizeof(line), stdin))
		return confirm_is_yes(line);
	fputc('\n', app->err); /* the terminal shows nothing for an end */
	return false;
}
