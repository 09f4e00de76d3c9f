#include "cli/show/confirm.h"

#include <string.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "cli/show/render.h"
#include "cli/show/tty.h"
#include "cli/show/wrap.h"

enum { QUESTION_MAX = 1024, ANSWER = 2 /* columns: a blank, and a letter */ };

/* As git and docker understand it: the word, or its beginning. */
bool confirm_is_yes(const char *line)
{
	static const char *const words[] = { "y\n", "Y\n", "yes\n", "Yes\n", "YES\n" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(line, words[i]))
			return true;
	return false;
}

void confirm_put(FILE *out, const char *question, bool bold)
{
	_cleanup_buf_ struct buf rows = BUF_INIT(QUESTION_MAX);
	struct wrap w = { 0 };
	unsigned short height, width;

	if (tty_size(fileno(out), &height, &width) == 0 && width > ANSWER)
		w.cols = (size_t)(width - ANSWER);
	wrap_add(&rows, &w, question, strlen(question));
	buf_truncate(&rows, rows.len ? rows.len - 1 : 0);
	fprintf(out, "%s%s%s ", render_style_on(bold, RENDER_BOLD), buf_cstr(&rows),
		render_style_off(bold));
	fflush(out);
}

/* Of a pipe or a file nothing is lost: there is no terminal to be told. */
void confirm_fresh(int in)
{
	(void)sys_tcflush(in, TCIFLUSH);
}

bool confirm_person(const struct app *app)
{
	return !app->json && tty_is(STDIN_FILENO) && tty_is(STDERR_FILENO);
}

bool confirm_ask(const struct app *app, const char *question)
{
	char line[16] = "", all[512];

	snprintf(all, sizeof(all), "%s [y/N]", question);
	confirm_fresh(STDIN_FILENO);
	confirm_put(app->err, all, false);
	if (fgets(line, sizeof(line), stdin))
		return confirm_is_yes(line);
	fputc('\n', app->err); /* the terminal shows nothing for an end */
	return false;
}
