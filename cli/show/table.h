/* table - what lists print: aligned columns for people, an array of objects for JSON.
 * Needs:  column names first, then rows of as many cells.
 * Owns:   copies of its cells.
 * Never:  prints a control character of a cell; cuts one that is written to no terminal. */
#ifndef CLI_SHOW_TABLE_H
#define CLI_SHOW_TABLE_H

#include <stdint.h>

#include "base/json.h"
#include "cli/show/app.h"

enum table_kind { TABLE_TEXT, TABLE_BYTES, TABLE_NUMBER, TABLE_AGE, TABLE_PATH };

struct table_column {
	const char *title; /* in capitals, for people; NULL = only in JSON */
	const char *key;   /* member in JSON */
	enum table_kind kind;
};

struct table_cell {
	const char *text; /* TEXT, PATH; NULL = not known */
	int64_t n;	  /* BYTES, NUMBER; AGE: seconds since 1970; -1 = not known */
};

struct table;

/**
 * table_new() - a table without rows
 * @columns: borrowed; they outlive the table
 * @n:       how many
 *
 * Return: NULL when memory is short: rows are then lost, and table_show() says so
 */
struct table *table_new(const struct table_column *columns, size_t n);
void table_free(struct table **t);
#define _cleanup_table_ _cleanup_(table_free)

/** table_add() - one row; @cells are copied; table_show() says what could not be kept */
void table_add(struct table *t, const struct table_cell *cells);

/** table_redraw() - table_show() is to draw over what the terminal shows, from its top, and
 *  as many rows as fit: nothing moves to what was scrolled away. The first time, @first, what
 *  is there moves there */
void table_redraw(struct table *t, bool first);

/**
 * table_show() - print all rows in the order of their addition
 * @now:  seconds since 1970, for ages
 * @none: what to say to a person when there is no row; NULL = nothing
 * @what: what an error says could not be done: "list the boxes"
 *
 * Return: 0, or a negative errno, also of the table or of a row that was added
 *
 * With -q the first column alone, without its title; where that is not known, the next.
 */
int table_show(const struct table *t, const struct app *app, int64_t now,
	       const char *none, const char *what, struct err *e);

/** table_age() - "12s ago", "3h ago", "5d ago"; @out */
char *table_age(char *out, size_t size, int64_t seconds);

#endif
