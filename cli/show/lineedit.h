/* lineedit - a line from a person at a terminal, with editing and history. Door of
 * libedit.
 * Needs:  a terminal for input and output; SIGINT is blocked and told by a descriptor.
 * Owns:   the editor and the lines of before; the mode of the terminal during a call.
 * Never:  takes the end of input, or ^C, for a line. */
#ifndef CLI_SHOW_LINEEDIT_H
#define CLI_SHOW_LINEEDIT_H

#include "base/aside.h"
#include "base/buf.h"
#include "base/err.h"

struct lineedit;

struct lineedit_conf {
	int in, out;	    /* borrowed; a terminal */
	int interrupt_fd;   /* borrowed; readable: ^C was pressed; -1 = none */
	int dir;	    /* borrowed: where the history is kept; -1 = nowhere */
	const char *file;   /* its name there */
	struct aside aside; /* looked at meanwhile; ready NULL = none */
	/* Tab: what may stand in place of the word that ends @line: whole words, each
	 * with a newline, appended to @ret; NULL = nothing does. */
	void (*complete)(void *ctx, const char *line, struct buf *ret);
	void *ctx; /* borrowed */
};

/** lineedit_new() - -ENOPKG and others: libedit cannot be used */
int lineedit_new(const struct lineedit_conf *conf, struct lineedit **ret,
		 struct err *e);
void lineedit_free(struct lineedit **l);
#define _cleanup_lineedit_ _cleanup_(lineedit_free)

/**
 * lineedit_read() - a line, appended without its end
 * @prompt: as it is; borrowed
 * @start:  what the line is at first; NULL = empty
 *
 * A line may have newlines: pasted ones, and those of Alt-Enter.
 * Return: 0; -ECANCELED (^C); -ENODATA (^D in an empty line, or the terminal is gone).
 */
int lineedit_read(struct lineedit *l, const char *prompt, const char *start,
		  struct buf *ret);

/** lineedit_keep() - the line joins the history, here and on disk */
void lineedit_keep(struct lineedit *l, const char *line);

#endif
