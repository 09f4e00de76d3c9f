/* json - JSON values. Door of cJSON, none of whose types show here.
 * Needs:  complete UTF-8 text without NUL.
 * Owns:   a value owns its members; who holds the root frees it.
 * Never:  follows cJSON where that is lax: trailing text, "\u0000", depth beyond 64 and
 *         duplicate use of a value are refused; member names are case-sensitive. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"

struct json; /* opaque: a value of any type */

enum json_type {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT
};

/**
 * json_parse() - parse exactly one value
 * Return: 0, -EINVAL ("bad JSON at byte N"), -ENOMEM. *@ret is owned: json_free().
 */
int json_parse(const char *text, size_t len, struct json **ret, struct err *e);

/** What a value takes in memory, besides its text. */
enum { JSON_VALUE_BYTES = 80 };

/**
 * json_parse_within() - the same, of what a stranger says: "[0,0,0,…" takes forty times its
 * length in memory
 * @values: how many there may be in all; what it has is taken off on success
 * Return: as json_parse(), or -E2BIG.
 */
int json_parse_within(const char *text, size_t len, size_t *values, struct json **ret,
		      struct err *e);
/** json_parse_written() - the same of what a person wrote: the error tells the line, and what
 *  stands there */
int json_parse_written(const char *text, size_t len, struct json **ret, struct err *e);
/** json_read() - parse a whole file of @max bytes at most; also what file_read() returns */
int json_read(int dirfd, const char *path, size_t max, struct json **ret,
	      struct err *e);
/** json_print_file() - as a whole file of @max bytes at most, which only its owner reads;
 *  indented where that fits
 *  @replace: file_replace() or one of its kind: how sure it is to be on the disk */
int json_print_file(int dirfd, const char *name, const struct json *j, size_t max,
		    file_replace_fn *replace, struct err *e);
/**
 * json_parse_pieces() - the same of what a stream was cut into
 *
 * Strings may begin or end within a character or a pair of surrogates, and hold "\\u0000":
 * their bytes are for pieces_add() (pieces.h) and no text yet. Only members that a reader
 * knows are taken out; what is kept as it came goes through json_mend().
 */
int json_parse_pieces(const char *text, size_t len, struct json **ret, struct err *e);
/** json_mend() - every string of @j, and each name in it, becomes UTF-8; 0 or -ENOMEM */
int json_mend(struct json *j);
void json_free(struct json **j);
#define _cleanup_json_ _cleanup_(json_free)

/** json_print() - append as text; @pretty with indents and newlines. Numbers come back
 * as the same double. 0, -EMSGSIZE or -ENOMEM (also of a value that json_failed()):
 * nothing was added then. */
int json_print(const struct json *j, bool pretty, struct buf *out);

/* Makers: owned by the caller; NULL when out of memory. Text must be UTF-8: invalid
 * bytes become U+FFFD. */
struct json *json_object(void);
struct json *json_array(void);
struct json *json_string(const char *s);
struct json *json_stringn(const char *s, size_t len);
struct json *json_number(double v);
struct json *json_bool(bool v);
struct json *json_null(void);
struct json *json_dup(const struct json *j);

/* json_set() and json_add() take @v over, also on failure; a NULL @v or parent (out of
 * memory in a maker) is -ENOMEM. An existing member is replaced in place.
 *
 * A value that something could not be added to is incomplete, and remembers it: it is
 * filled without a look at each, and asked once at the end, or printed. */
int json_set(struct json *obj, const char *key, struct json *v);
int json_add(struct json *arr, struct json *v);
int json_set_str(struct json *obj, const char *key, const char *v); /* NULL: null */
int json_set_int(struct json *obj, const char *key, int64_t v); /* exact below 2^53 */
int json_set_bool(struct json *obj, const char *key, bool v);
/** json_failed() - 0; -ENOMEM: @j is NULL, or it or a value in it is incomplete */
int json_failed(const struct json *j);
/** json_remove() - take a member out; NULL when there is none; owned by the caller */
struct json *json_remove(struct json *obj, const char *key);
/** json_drop() - the same, and freed: was there one? */
bool json_drop(struct json *obj, const char *key);

/* Readers: borrowed from @j, whatever its type; NULL @j is allowed everywhere. */
enum json_type json_type(const struct json *j); /* NULL reads as JSON_NULL */
const struct json *json_get(const struct json *obj, const char *key); /* NULL: none */
struct json *json_get_mut(struct json *obj, const char *key);
const char *json_str(const struct json *j); /* NULL: not a string */
/** json_int() - 0, or -EINVAL when not a whole number within ±2^53 */
int json_int(const struct json *j, int64_t *ret);
double json_num(const struct json *j, double none);
bool json_true(const struct json *j);
size_t json_len(const struct json *j); /* members of an array or object; else 0 */
const struct json *json_first(const struct json *j); /* of an array or object */
const struct json *json_next(const struct json *member);
const char *json_key(const struct json *member); /* NULL: not in an object */
#define json_each(it, j) \
	for (const struct json *it = json_first(j); it; it = json_next(it))

const char *json_get_str(const struct json *obj, const char *key); /* NULL: none */
int64_t json_get_int(const struct json *obj, const char *key, int64_t none);
/** json_is() - has it this member, with this text? */
bool json_is(const struct json *obj, const char *key, const char *text);
bool json_get_bool(const struct json *obj, const char *key, bool none);

#endif
