/* app - what main() hands to a command: where to write, how, and since when.
 * Needs:  nothing.
 * Owns:   nothing: main() owns what is pointed to, the one open store among it.
 * Never:  leaves cli/: lower layers are given the parts that they need. */
#ifndef CLI_SHOW_APP_H
#define CLI_SHOW_APP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"

struct config;
struct cmd;
struct store;

enum { APP_NAME_MAX = 32 };

struct app {
	struct config *config; /* borrowed from main(); filled by cmd_parse() */
	const struct cmd *const *commands; /* borrowed: the table of all */
	struct store *store;	  /* borrowed from main(); open after place_open() */
	FILE *out, *err;	  /* borrowed; only cli/ writes to them */
	uint64_t (*now_ms)(void); /* monotonic; a test passes its own */
	char name[APP_NAME_MAX];  /* "cubby run": in front of every message */
	const char *dir;	  /* -C; NULL = the current directory; borrowed */
	const char *box;   /* --name; NULL = the one of the directory; borrowed */
	const char *other; /* a --name before that one: of diff; borrowed */
	bool here;	   /* --here: no box of a directory above */
	bool manual;	   /* -h shows the page of the command */
	bool json;	   /* results, events and errors as JSON */
	bool quiet;
	bool color_out, color_err; /* that stream is a terminal that wants colours */
	bool live;		   /* err is a terminal: lines may be redrawn */

	/* Is the command at @word, behind its "cubby ", about a box (cli/opt/cmd.h)? */
	bool (*of_box)(const struct app *, const char *word);
	/* Before a program is run here: those of boxes leave PATH (cli/store/place.h). */
	bool (*pass_over)(const struct app *);
	/* A file that the caller names, through no link of a box (cli/store/hostpath.h). */
	int (*read_named)(const char *path, struct buf *ret, struct err *e);
	/* The path of one, without links; as it is where it leads nowhere. */
	int (*real_named)(const char *path, char ret[PATH_MAX], struct err *e);
};

#endif
