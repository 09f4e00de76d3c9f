/* toml - settings as podman writes them: a part of TOML 1.0.
 * Needs:  the whole text.
 * Owns:   nothing; pure, and without memory of its own.
 * Never:  understands half of a line: dates, floats, strings of several lines and escapes
 *         but \" \\ \t \n are refused, and the message says in which line. */
#ifndef BASE_TOML_H
#define BASE_TOML_H

#include <stddef.h>

#include "base/err.h"

enum { TOML_PATH = 256, TOML_TEXT = 1024, TOML_DEPTH = 8 };

/* What is said. Of an array each item is said by itself. */
struct toml_item {
	enum toml_kind { TOML_TABLE, TOML_STRING, TOML_NUMBER, TOML_BOOL } kind;
	const char *table; /* where: "registry.mirror"; "" = above all tables */
	const char *key;   /* in it; a TOML_TABLE, which begins anew here, has none */
	const char *text;  /* of a string; "true" and "false"; a number as it stands */
};

/* 0, or a negative errno with @e filled, which ends the reading. */
typedef int toml_fn(void *ctx, const struct toml_item *item, struct err *e);

/** toml_read() - 0; -EINVAL ("line 3: ..."), or what @fn failed with, in front of which the
 *  line is put, too */
int toml_read(const char *text, size_t len, toml_fn *fn, void *ctx, struct err *e);

#endif
