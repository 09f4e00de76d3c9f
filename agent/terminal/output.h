/* output - what a program drew on a terminal, as the plain text that it amounts to.
 * Needs:  the terminal's bytes, marks removed.
 * Owns:   the line that is being written, OUTPUT_LINE bytes at most.
 * Never:  lets through an escape sequence, a control character but newline and tab, or
 *         invalid UTF-8; lets an unfinished sequence swallow more than 4 KiB.
 *
 * Carriage return, backspace and moves within the line overprint it, so that a progress
 * bar is its last state. What is drawn on the alternate screen, or by addressing cells
 * while the program reads keys, is left out: that is for the screen. */
#ifndef AGENT_TERMINAL_OUTPUT_H
#define AGENT_TERMINAL_OUTPUT_H

#include "base/def.h"

enum { OUTPUT_LINE = 16384, OUTPUT_STRING_MAX = 4096, OUTPUT_PARAMS = 64 };

typedef void output_fn(void *ctx, const char *text, size_t len);
/* True while the terminal is in a mode in which single keys are read. */
typedef bool output_keys_fn(void *ctx);

enum output_state {
	OUTPUT_GROUND,
	OUTPUT_ESC,	  /* behind ESC */
	OUTPUT_ESC_MORE,  /* ESC and an intermediate: one more byte */
	OUTPUT_CSI,	  /* ESC [ */
	OUTPUT_STRING,	  /* OSC, DCS, SOS, PM, APC */
	OUTPUT_STRING_ESC /* ESC within such a string */
};

struct output {
	enum output_state state;
	char line[OUTPUT_LINE]; /* not yet handed on */
	size_t len, at;		/* its length; the cursor, at a character's start */
	unsigned pad;		/* spaces owed before the next character at the end */
	char part[4];		/* a character that is not complete yet */
	unsigned n_part;
	char params[OUTPUT_PARAMS]; /* of a CSI sequence */
	size_t n_params, n_string;
	bool alternate; /* the alternate screen is shown */
	bool drawn;	/* cells are addressed by a program that reads keys */
	output_fn *out;
	output_keys_fn *keys; /* may be NULL: never */
	void *ctx;
};

void output_init(struct output *o, output_fn *out, output_keys_fn *keys, void *ctx);
void output_feed(struct output *o, const char *data, size_t len);
/** output_flush() - hand on the line so far; what follows is joined to it */
void output_flush(struct output *o);
/** output_end() - a command ended: its last line and half a character too; as new */
void output_end(struct output *o);
/** output_full_screen() - is a program drawing the screen? */
bool output_full_screen(const struct output *o);

#endif
