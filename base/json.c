#include "base/json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_scan.h"
#include "base/pieces.h"
#include "base/text.h"

/* A bit of cJSON's type that it does not use, and copies: the value is incomplete. */
enum { JSON_INCOMPLETE = 1 << 16 };

#define JSON_EXACT 9007199254740992.0 /* 2^53: from here on a double skips integers */

static cJSON *mut(struct json *j)
{
	return (cJSON *)j;
}

static const cJSON *ro(const struct json *j)
{
	return (const cJSON *)j;
}

static struct json *as_json(cJSON *c)
{
	return (struct json *)c;
}

/* cJSON's readers take no const, and change nothing. */
static cJSON *lax(const struct json *j)
{
	return (cJSON *)(uintptr_t)j;
}

static int kind(const struct json *j)
{
	return j ? ro(j)->type & 0xff : cJSON_NULL;
}

/* ---- text ---------------------------------------------------------------- */

int json_parse_within(const char *text, size_t len, size_t *values, struct json **ret,
		      struct err *e)
{
	size_t bad_at;
	int r = json_scan_within(text, len, values, &bad_at);
	cJSON *c;

	if (r == -E2BIG)
		return err_set(e, r, "JSON of too many values");
	if (r < 0)
		return err_set(e, r, "bad JSON at byte %zu", bad_at);
	c = cJSON_ParseWithLength(text, len);
	if (!c)
		return err_sys(e, -ENOMEM, "cannot parse JSON");
	*ret = as_json(c);
	return 0;
}

int json_parse(const char *text, size_t len, struct json **ret, struct err *e)
{
	size_t any = SIZE_MAX;

	return json_parse_within(text, len, &any, ret, e);
}

enum { NEAR_BAD = 24 };

int json_parse_written(const char *text, size_t len, struct json **ret, struct err *e)
{
	size_t any = SIZE_MAX, bad_at = 0, line = 1;
	const char *end;
	char shown[4 * NEAR_BAD + 8];
	int r = json_parse(text, len, ret, e);

	if (r != -EINVAL)
		return r;
	(void)json_scan_within(text, len, &any, &bad_at);
	if (bad_at >= len)
		return err_set(e, r, "bad JSON: it ends too early");
	for (size_t i = 0; i < bad_at; i++)
		line += text[i] == '\n';
	end = memchr(text + bad_at, '\n', len - bad_at) ?: text + len;
	text_escaped(shown, sizeof(shown), text + bad_at,
		     MIN((size_t)(end - text) - bad_at, (size_t)NEAR_BAD));
	return err_set(e, r, "bad JSON in line %zu, at '%s'", line, shown);
}

int json_read(int dirfd, const char *path, size_t max, struct json **ret, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(max);
	int r = file_read(dirfd, path, &text, e);

	return r < 0 ? r : json_parse(buf_cstr(&text), text.len, ret, e);
}

int json_parse_pieces(const char *text, size_t len, struct json **ret, struct err *e)
{
	_cleanup_buf_ struct buf shape = BUF_INIT(2 * len + 1), raw = BUF_INIT(len + 1);
	int r = json_parse(text, len, ret, e);
	size_t bad_at;
	cJSON *c;

	if (r != -EINVAL)
		return r;
	r = pieces_json(text, len, &shape, &raw);
	if (r < 0)
		return err_sys(e, r, "cannot parse JSON");
	if (!r || json_scan_check(shape.data, shape.len, &bad_at) < 0)
		return -EINVAL; /* @e says where, in the text as it came */
	c = cJSON_ParseWithLength(raw.data, raw.len);
	if (!c)
		return err_sys(e, -ENOMEM, "cannot parse JSON");
	*ret = as_json(c);
	return 0;
}

static int mend(char **s)
{
	_cleanup_buf_ struct buf text = BUF_INIT(SIZE_MAX / 4);
	struct pieces p = { .n = 0 };
	size_t len = strlen(*s);
	char *whole;
	int r = pieces_add(&p, *s, len, &text) ?: pieces_end(&p, &text);

	if (r < 0 || (text.len == len && memcmp(buf_cstr(&text), *s, len) == 0))
		return r;
	/* cJSON frees it as its own */
	whole = cJSON_malloc(text.len + 1);
	if (!whole)
		return -ENOMEM;
	memcpy(whole, buf_cstr(&text), text.len + 1);
	cJSON_free(*s);
	*s = whole;
	return 0;
}

/* As deep as json_scan_check() allowed. */
int json_mend(struct json *j)
{
	int r = 0;

	for (cJSON *c = j ? mut(j)->child : NULL; c && r == 0; c = c->next) {
		if (c->string && !(c->type & cJSON_StringIsConst))
			r = mend(&c->string);
		if (r < 0)
			return r;
		r = (c->type & 0xff) == cJSON_String ? mend(&c->valuestring)
						     : json_mend(as_json(c));
	}
	return r;
}

void json_free(struct json **j)
{
	cJSON_Delete(mut(take(j, NULL)));
}

/* ---- makers -------------------------------------------------------------- */

struct json *json_object(void)
{
	return as_json(cJSON_CreateObject());
}

struct json *json_array(void)
{
	return as_json(cJSON_CreateArray());
}

struct json *json_number(double v)
{
	return as_json(cJSON_CreateNumber(v));
}

struct json *json_bool(bool v)
{
	return as_json(cJSON_CreateBool(v));
}

struct json *json_null(void)
{
	return as_json(cJSON_CreateNull());
}

/* Makes the text what a JSON string of ours can hold: UTF-8 without NUL. */
static int clean(const char *s, size_t len, struct buf *out)
{
	while (len) {
		size_t n = strnlen(s, len);
		int r = text_utf8(out, s, n);

		if (!r && n < len) /* the NUL, as an invalid byte */
			r = text_utf8(out, "\xff", 1);
		if (r < 0)
			return r;
		n += n < len;
		s += n;
		len -= n;
	}
	return 0;
}

struct json *json_stringn(const char *s, size_t len)
{
	_cleanup_buf_ struct buf b = BUF_INIT(SIZE_MAX / 4);

	if (clean(s, len, &b) < 0)
		return NULL;
	return as_json(cJSON_CreateString(buf_cstr(&b)));
}

struct json *json_string(const char *s)
{
	return json_stringn(s, strlen(s));
}

struct json *json_dup(const struct json *j)
{
	return as_json(cJSON_Duplicate(ro(j), true));
}

/* ---- writers ------------------------------------------------------------- */

/* cJSON links a value into its parent, the first one to itself: what has a neighbour
 * has an owner already and must not get a second one. */
static bool is_free(const struct json *v)
{
	return !ro(v)->prev && !ro(v)->next;
}

static int incomplete(struct json *j)
{
	if (j)
		mut(j)->type |= JSON_INCOMPLETE;
	return -ENOMEM;
}

int json_failed(const struct json *j)
{
	int r = !j || ro(j)->type & JSON_INCOMPLETE ? -ENOMEM : 0;

	for (const cJSON *c = j ? ro(j)->child : NULL; c && r == 0; c = c->next)
		r = json_failed((const struct json *)c);
	return r;
}

/* -EINVAL leaves @v to the owner that it has; all else frees it. */
static int check_new(struct json *parent, int want, struct json *v)
{
	if (!v)
		return incomplete(parent);
	if (!is_free(v) || parent == v)
		return -EINVAL;
	if (kind(parent) == want)
		return 0;
	json_free(&v);
	return parent ? -EINVAL : -ENOMEM;
}

int json_set(struct json *obj, const char *key, struct json *v)
{
	int r = check_new(obj, cJSON_Object, v);
	cJSON_bool ok;

	if (r < 0)
		return r;
	if (cJSON_GetObjectItemCaseSensitive(lax(obj), key))
		ok = cJSON_ReplaceItemInObjectCaseSensitive(mut(obj), key, mut(v));
	else
		ok = cJSON_AddItemToObject(mut(obj), key, mut(v));
	if (ok)
		return 0;
	json_free(&v);
	return incomplete(obj);
}

int json_add(struct json *arr, struct json *v)
{
	int r = check_new(arr, cJSON_Array, v);

	if (r < 0)
		return r;
	cJSON_AddItemToArray(mut(arr), mut(v)); /* only links */
	return 0;
}

int json_set_str(struct json *obj, const char *key, const char *v)
{
	return json_set(obj, key, v ? json_string(v) : json_null());
}

int json_set_int(struct json *obj, const char *key, int64_t v)
{
	return json_set(obj, key, json_number((double)v));
}

int json_set_bool(struct json *obj, const char *key, bool v)
{
	return json_set(obj, key, json_bool(v));
}

struct json *json_remove(struct json *obj, const char *key)
{
	if (kind(obj) != cJSON_Object)
		return NULL;
	return as_json(cJSON_DetachItemFromObjectCaseSensitive(mut(obj), key));
}

bool json_drop(struct json *obj, const char *key)
{
	_cleanup_json_ struct json *gone = json_remove(obj, key);

	return gone != NULL;
}

/* ---- readers ------------------------------------------------------------- */

enum json_type json_type(const struct json *j)
{
	switch (kind(j)) {
	case cJSON_True:
	case cJSON_False:
		return JSON_BOOL;
	case cJSON_Number:
		return JSON_NUMBER;
	case cJSON_String:
		return JSON_STRING;
	case cJSON_Array:
		return JSON_ARRAY;
	case cJSON_Object:
		return JSON_OBJECT;
	default:
		return JSON_NULL;
	}
}

struct json *json_get_mut(struct json *obj, const char *key)
{
	if (kind(obj) != cJSON_Object)
		return NULL;
	return as_json(cJSON_GetObjectItemCaseSensitive(mut(obj), key));
}

const struct json *json_get(const struct json *obj, const char *key)
{
	return json_get_mut(as_json(lax(obj)), key);
}

const char *json_str(const struct json *j)
{
	return kind(j) == cJSON_String ? ro(j)->valuestring : NULL;
}

int json_int(const struct json *j, int64_t *ret)
{
	double d;

	if (kind(j) != cJSON_Number)
		return -EINVAL;
	d = ro(j)->valuedouble;
	if (!(d >= -JSON_EXACT && d <= JSON_EXACT) || d != (double)(int64_t)d)
		return -EINVAL;
	*ret = (int64_t)d;
	return 0;
}

double json_num(const struct json *j, double none)
{
	return kind(j) == cJSON_Number ? ro(j)->valuedouble : none;
}

bool json_true(const struct json *j)
{
	return kind(j) == cJSON_True;
}

const struct json *json_first(const struct json *j)
{
	bool has = kind(j) == cJSON_Array || kind(j) == cJSON_Object;

	return has ? as_json(ro(j)->child) : NULL;
}

const struct json *json_next(const struct json *m)
{
	return m ? as_json(ro(m)->next) : NULL;
}

size_t json_len(const struct json *j)
{
	size_t n = 0;

	json_each(it, j) n++;
	return n;
}

const char *json_key(const struct json *m)
{
	return m ? ro(m)->string : NULL;
}

const char *json_get_str(const struct json *obj, const char *key)
{
	return json_str(json_get(obj, key));
}

bool json_is(const struct json *obj, const char *key, const char *text)
{
	const char *s = json_get_str(obj, key);

	return s && strcmp(s, text) == 0;
}

int64_t json_get_int(const struct json *obj, const char *key, int64_t none)
{
	int64_t v;

	return json_int(json_get(obj, key), &v) < 0 ? none : v;
}

bool json_get_bool(const struct json *obj, const char *key, bool none)
{
	const struct json *j = json_get(obj, key);

	return json_type(j) == JSON_BOOL ? json_true(j) : none;
}
