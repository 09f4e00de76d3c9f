/* json_impl - how a value is kept; for json.c and json_parse.c alone.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  is included by others: they would see members that nobody keeps for them. */
#ifndef BASE_JSON_IMPL_H
#define BASE_JSON_IMPL_H

#include "base/json.h"

struct json {
	struct json *next;	   /* behind it in its owner; borrowed */
	struct json *first, *last; /* members of an array or object; owned by it */
	char *key;		   /* owned; NULL outside of objects */
	char *text;		   /* of a string; owned */
	double number;
	enum json_type type;
	bool truth;
	bool held; /* it has an owner, and must not get a second one */
};

/** json_new() - an empty value; NULL when out of memory */
struct json *json_new(enum json_type type);

/** json_link() - make @v, which has no owner, the last member of @parent
 * @key: its name in an object, else NULL; taken over */
void json_link(struct json *parent, char *key, struct json *v);

#endif
