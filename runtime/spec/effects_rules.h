/* effects_rules - the names that effects.c knows.
 * Needs:  nothing.
 * Owns:   the table.
 * Never:  decides anything. */
#ifndef RUNTIME_SPEC_EFFECTS_RULES_H
#define RUNTIME_SPEC_EFFECTS_RULES_H

#include "runtime/spec/effects.h"

/* How a row's name is met. */
enum effects_match {
	FILE_NAMED, /* the last component, anywhere */
	BELOW,	    /* a component, anywhere: it and all that lies in it */
	AT_ROOT,    /* the whole path */
	TREE,	    /* the beginning of the path: it and all that lies in it */
	STARTING,   /* the beginning of the last component */
	ENDING	    /* its end */
};

struct effects_rule {
	const char *name; /* in small letters */
	enum effects_match match;
	enum effects_class class;
	const char *why;
};

/* The first that meets a path decides; what is not named is plain. */
extern const struct effects_rule effects_rules[];
extern const size_t effects_rules_n;

#endif
