/* schema - does a JSON value fit a JSON schema?
 * Needs:  parsed values; it is pure.
 * Owns:   nothing.
 * Never:  passes over a keyword that it does not know (schema_check() refuses it), follows a
 *         reference out of the schema, takes more than a bounded number of steps.
 *
 * Of JSON Schema 2020-12: type, enum, const, properties, required, additionalProperties,
 * minProperties, maxProperties, items, minItems, maxItems, uniqueItems, minimum, maximum,
 * exclusiveMinimum, exclusiveMaximum, minLength, maxLength, anyOf, oneOf, allOf, not, and
 * $ref into $defs or definitions. Annotations (title, format, …) hold nothing. */
#ifndef BASE_SCHEMA_H
#define BASE_SCHEMA_H

#include "base/json.h"

enum { SCHEMA_WHY = 300 };

/** schema_check() - can values be compared with it? -EINVAL names what it has that is not
 *  known, and where */
int schema_check(const struct json *schema, struct err *e);

/** schema_sound() - is it a schema at all, for one that another program compares with? Keywords
 *  that are not known are passed over; those that are have values of their kind, and
 *  references lead to something and not round in a circle. Else -EINVAL */
int schema_sound(const struct json *schema, struct err *e);

/** schema_fits() - else @why says in a line what does not: "/items/2/name: …" */
bool schema_fits(const struct json *schema, const struct json *value,
		 char why[SCHEMA_WHY]);

/** schema_referred() - what "#", "#/$defs/NAME" and "#/definitions/NAME" mean in the schema
 *  @root; NULL = nothing that is there */
const struct json *schema_referred(const struct json *root, const char *ref);

#endif
