/* Theory of operation
 *
 * It is done here, while all others wait: so there is so much of it for a request, counted in
 * bytes of text that are looked at and copied, and in places where something is put in. */
#include "agent/server/files/replace.h"

#include <errno.h>
#include <string.h>

enum { SHOWN = 100, WORK_MAX = 80 << 20, PLACE = 16 };

static int spend(size_t *left, size_t n, struct err *e)
{
	if (n > *left)
		return err_set(
			e, -EMSGSIZE,
			"too many replacements for a text of this size; fewer at "
			"once");
	*left -= n;
	return 0;
}

/* Where line @n begins, from 1; the end of the text behind the last. */
static size_t line_start(const struct buf *text, int64_t n)
{
	size_t at = 0;

	while (n > 1 && at < text->len)
		n -= text->data[at++] == '\n';
	return at;
}

static size_t count(const char *s, size_t len, const char *target, size_t n)
{
	const char *end = s + len;
	size_t found = 0;

	while ((s = memmem(s, (size_t)(end - s), target, n)) != NULL) {
		found++;
		s += n;
	}
	return found;
}

static int replace_one(struct buf *text, const struct json *one, size_t *left,
		       struct err *e)
{
	const char *target = json_get_str(one, "target");
	const char *with = json_get_str(one, "replacement");
	int64_t first = json_get_int(one, "start_line", 1);
	int64_t last = json_get_int(one, "end_line", -1);
	_cleanup_buf_ struct buf out = BUF_INIT(text->max);
	size_t from, to, n, found;

	if (!target || !*target || !with)
		return err_set(e, -EBADMSG, "target and replacement are needed");
	if (spend(left, text->len, e) < 0)
		return e->code;
	from = line_start(text, first);
	to = last < 0 ? text->len : line_start(text, last + 1);
	if (to < from)
		return err_set(e, -EINVAL, "end_line is before start_line");
	n = strlen(target);
	found = count(buf_cstr(text) + from, to - from, target, n);
	if (!found)
		return err_set(e, -EINVAL, "Target string not found: %.*s", SHOWN,
			       target);
	if (found > 1 && !json_get_bool(one, "allow_multiple", false))
		return err_set(e, -EINVAL,
			       "Found %zu occurrences of target string but "
			       "allow_multiple is false",
			       found);
	if (spend(left, found * PLACE, e) < 0)
		return e->code;
	(void)buf_reserve(&out, text->len);
	buf_add(&out, text->data, from);
	while (found--) {
		const char *hit = memmem(text->data + from, to - from, target, n);

		buf_add(&out, text->data + from, (size_t)(hit - text->data) - from);
		buf_adds(&out, with);
		from = (size_t)(hit - text->data) + n;
	}
	buf_add(&out, text->data + from, text->len - from);
	if (buf_failed(&out) < 0)
		return err_set(e, buf_failed(&out), "the result is too large");
	buf_done(text);
	*text = take(&out, (struct buf){ 0 });
	return 0;
}

int replace_apply(struct buf *text, const struct json *list, struct err *e)
{
	size_t left = WORK_MAX;
	int r = 0;

	if (json_type(list) != JSON_ARRAY || !json_len(list))
		return err_set(e, -EBADMSG, "replacements are needed");
	json_each(one, list)
	{
		if (r == 0)
			r = replace_one(text, one, &left, e);
	}
	return r;
}
