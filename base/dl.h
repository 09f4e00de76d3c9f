/* dl - a library that is loaded when it is first needed, and a table of its functions.
 * Needs:  the library's development headers at build time, for the types alone.
 * Owns:   nothing: a library that was loaded stays, as if it had been linked.
 * Never:  leaves a table half filled; loads anything that a row does not name.
 *
 * A door declares a struct of function pointers, describes it with rows and calls
 * dl_load(); it keeps the struct in the object that it makes (docs/adr/0002). */
#ifndef BASE_DL_H
#define BASE_DL_H

#include "base/err.h"

struct dl_symbol {
	const char *name;
	size_t at; /* of its pointer in the table */
};

/* A row for a table: DL_SYMBOL(struct api, new_ctx, "EVP_MD_CTX_new"). */
#define DL_SYMBOL(table, member, name)        \
	{                                     \
		name, offsetof(table, member) \
	}

/* For a list X(name) of functions that keep their names: the members of a struct lib, and
 * its rows. */
#define DL_MEMBER(name) __typeof__(&(name)) name;
#define DL_ROW(name) DL_SYMBOL(struct lib, name, #name),

struct dl_library {
	const char *soname;
	const char *package; /* what the distribution calls it */
	const struct dl_symbol *symbols;
	size_t count;
};

/**
 * dl_load() - load a library, if it is not yet, and fill a table with its functions
 * @lib:   borrowed; nothing of it is kept
 * @table: a struct with a function pointer at every row's place; filled on success only
 *
 * Context: costs milliseconds the first time: before a child is confined, never between
 * fork and exec. Return: 0, -ENOPKG (not installed: the message names the package),
 * -ELIBACC (there, but cannot be loaded), -ELIBBAD (lacks a function).
 */
int dl_load(const struct dl_library *lib, void *table, struct err *e);

#endif
