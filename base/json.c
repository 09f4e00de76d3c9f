#include "base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_impl.h"
#include "base/text.h"

#define JSON_EXACT 9007199254740992.0 /* 2^53: from here on a double skips integers */

static enum json_type kind(const struct json *j)
{
	return j ? j->type : JSON_NULL;
}

static bool has_members(const struct json *j)
{
	return kind(j) == JSON_ARRAY || kind(j) == JSON_OBJECT;
}

/* ---- makers -------------------------------------------------------------- */

struct json *json_new(enum json_type type)
{
	struct json *j = calloc(1, sizeof(*j));

	if (j)
		j->type = type;
	return j;
}

void json_free(struct json **jp)
{
	struct json *j = take(jp, NULL);

	while (j && j->first) {
		struct json *m = j->first;

		j->first = m->next;
		json_free(&m);
	}
	if (!j)
		return;
	free(j->key);
	free(j->text);
	free(j);
}

struct json *json_object(void)
{
	return json_new(JSON_OBJECT);
}

struct json *json_array(void)
{
	return json_new(JSON_ARRAY);
}

struct json *json_number(double v)
{
	struct json *j = json_new(JSON_NUMBER);

	if (j)
		j->number = v;
	return j;
}

struct json *json_bool(bool v)
{
	struct json *j = json_new(JSON_BOOL);

	if (j)
		j->truth = v;
	return j;
}

struct json *json_null(void)
{
	return json_new(JSON_NULL);
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
	_cleanup_json_ struct json *j = json_new(JSON_STRING);

	if (!j || clean(s, len, &b) < 0)
		return NULL;
	j->text = strdup(buf_cstr(&b));
	return j->text ? take(&j, NULL) : NULL;
}

struct json *json_string(const char *s)
{
	return json_stringn(s, strlen(s));
}

struct json *json_dup(const struct json *j)
{
	_cleanup_json_ struct json *copy = j ? json_new(j->type) : NULL;

	if (!copy)
		return NULL;
	copy->number = j->number;
	copy->truth = j->truth;
	copy->text = j->text ? strdup(j->text) : NULL;
	if (j->text && !copy->text)
		return NULL;
	json_each(m, j)
	{
		char *key = m->key ? strdup(m->key) : NULL;
		struct json *v = json_dup(m);

		if (!v || (m->key && !key)) {
			free(key);
			json_free(&v);
			return NULL;
		}
		json_link(copy, key, v);
	}
	return take(&copy, NULL);
}

/* ---- writers ------------------------------------------------------------- */

void json_link(struct json *parent, char *key, struct json *v)
{
	*(parent->first ? &parent->last->next : &parent->first) = v;
	parent->last = v;
	v->key = key;
	v->held = true;
}

/* The member of that name, and in *@before the one before it, or NULL. */
static struct json *find(const struct json *obj, const char *key, struct json **before)
{
	struct json *m = kind(obj) == JSON_OBJECT ? obj->first : NULL;

	for (*before = NULL; m && strcmp(m->key, key) != 0; m = m->next)
		*before = m;
	return m;
}

/* -EINVAL leaves @v to the owner that it has; all else frees it. */
static int check_new(const struct json *parent, enum json_type want, struct json *v)
{
	if (!v)
		return -ENOMEM;
	if (v->held || parent == v)
		return -EINVAL;
	if (kind(parent) == want)
		return 0;
	json_free(&v);
	return -EINVAL;
}

int json_set(struct json *obj, const char *key, struct json *v)
{
	int r = check_new(obj, JSON_OBJECT, v);
	struct json *before, *old;
	char *name;

	if (r < 0)
		return r;
	name = strdup(key);
	if (!name) {
		json_free(&v);
		return -ENOMEM;
	}
	old = find(obj, key, &before);
	if (!old) {
		json_link(obj, name, v);
		return 0;
	}
	v->key = name;
	v->held = true;
	v->next = old->next;
	*(before ? &before->next : &obj->first) = v;
	if (obj->last == old)
		obj->last = v;
	json_free(&old);
	return 0;
}

int json_add(struct json *arr, struct json *v)
{
	int r = check_new(arr, JSON_ARRAY, v);

	if (r == 0)
		json_link(arr, NULL, v);
	return r;
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
	struct json *before, *m = find(obj, key, &before);

	if (!m)
		return NULL;
	*(before ? &before->next : &obj->first) = m->next;
	if (obj->last == m)
		obj->last = before;
	free(take(&m->key, NULL));
	m->next = NULL;
	m->held = false;
	return m;
}

/* ---- readers ------------------------------------------------------------- */

enum json_type json_type(const struct json *j)
{
	return kind(j);
}

struct json *json_get_mut(struct json *obj, const char *key)
{
	struct json *before;

	return find(obj, key, &before);
}

const struct json *json_get(const struct json *obj, const char *key)
{
	struct json *before;

	return find(obj, key, &before);
}

const char *json_str(const struct json *j)
{
	return kind(j) == JSON_STRING ? j->text : NULL;
}

int json_int(const struct json *j, int64_t *ret)
{
	double d;

	if (kind(j) != JSON_NUMBER)
		return -EINVAL;
	d = j->number;
	if (!(d >= -JSON_EXACT && d <= JSON_EXACT) || d != (double)(int64_t)d)
		return -EINVAL;
	*ret = (int64_t)d;
	return 0;
}

double json_num(const struct json *j, double none)
{
	return kind(j) == JSON_NUMBER ? j->number : none;
}

bool json_true(const struct json *j)
{
	return kind(j) == JSON_BOOL && j->truth;
}

const struct json *json_first(const struct json *j)
{
	return has_members(j) ? j->first : NULL;
}

const struct json *json_next(const struct json *m)
{
	return m ? m->next : NULL;
}

size_t json_len(const struct json *j)
{
	size_t n = 0;

	json_each(it, j) n++;
	return n;
}

const char *json_key(const struct json *m)
{
	return m ? m->key : NULL;
}

const char *json_get_str(const struct json *obj, const char *key)
{
	return json_str(json_get(obj, key));
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
