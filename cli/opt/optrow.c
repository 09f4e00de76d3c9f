#include "cli/opt/optrow.h"

#include <string.h>

/* The first table that has it keeps it, as where the words are read (cmd.c). */
static int letter_of(const struct optrows *r, const struct cmd_option *o)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].letter == o->letter)
			return 0;
	return o->letter;
}

static void add(struct optrows *ret, const struct cmd_option *o, const char *header,
		bool shared)
{
	for (; o && o->name && ret->n < OPTROW_MOST; o++) {
		int letter = letter_of(ret, o);

		ret->v[ret->n++] = (struct optrow){ .option = o,
						    .header = header,
						    .letter = letter,
						    .shared = shared };
	}
}

void optrow_read(const struct cmd *c, const struct cmd_option *common,
		 const struct cmd_option *place, struct optrows *ret)
{
	ret->n = 0;
	add(ret, c->options, NULL, false);
	for (size_t i = 0; i < CMD_TABLES; i++)
		add(ret, c->tables[i].options, c->tables[i].header, true);
	add(ret, common, "Common options:", true);
	add(ret, c->no_box ? NULL : place, "Common options:", true);
}

void optrow_names(const struct optrow *row, const char *quote, struct buf *out)
{
	const struct cmd_option *o = row->option;

	if (row->letter)
		buf_addf(out, "%s-%c%s, ", quote, row->letter, quote);
	buf_addf(out, "%s--%s", quote, o->name);
	if (o->word)
		buf_addf(out, o->goal.optional ? "[=%s]" : "=%s", o->word);
	buf_adds(out, quote);
}

void optrow_forms(const struct cmd *c, const char *lead, const char *more,
		  struct buf *out)
{
	const char *form = c->words ? c->words : "";

	for (;; lead = more) {
		size_t len = strcspn(form, "\n");

		buf_addf(out, "%scubby %s [OPTION...]%s%.*s\n", lead, c->name,
			 len ? " " : "", (int)len, form);
		if (!form[len])
			return;
		form += len + 1;
	}
}
