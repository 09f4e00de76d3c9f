#include "cli/opt/help.h"

#include "cli/opt/cmd.h"
#include "cli/show/render.h"

void help_short(const struct app *app)
{
	const char *bold = render_style_on(app->color_out, RENDER_BOLD);
	const char *off = render_style_off(app->color_out);

	fprintf(app->out,
		"%scubby%s gives a language model a real shell in a sealed box of this "
		"directory.\n\n"
		"  cubby \"convert cat.jpg into a png\"    do a task\n"
		"  cubby shell                           look around in the box "
		"yourself\n"
		"  cubby exec -- make test               run one command in it\n\n"
		"%sCommands:%s\n",
		bold, off, bold, off);
	for (const struct cmd *const *c = app->commands; *c; c++)
		fprintf(app->out, "  %-10s %s\n", (*c)->name, (*c)->summary);
	fprintf(app->out, "\n'cubby COMMAND -h' tells the options of a command, "
			  "'cubby run -h' those of a task.\n");
}
