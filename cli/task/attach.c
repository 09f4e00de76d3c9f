#include "cli/task/attach.h"

#include <inttypes.h>
#include <string.h>

#include "agent/tool/picture.h"
#include "base/base64.h"
#include "base/schema.h"
#include "base/text.h"
#include "cli/store/hostpath.h"

void attach_done(struct attach *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free(a->pictures[i].text);
		free(a->pictures[i].base64);
	}
	buf_done(&a->text);
	*a = ATTACH_NONE;
}

static int add_picture(struct attach *a, const char *name, const struct picture *p,
		       const struct buf *data, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(4096),
				 base64 = BUF_INIT(2 * (size_t)PICTURE_MAX);

	if (a->n == ATTACH_MAX)
		return err_set(e, -E2BIG, "more than %d pictures", ATTACH_MAX);
	if (data->len > PICTURE_MAX || p->width > PICTURE_EDGE ||
	    p->height > PICTURE_EDGE)
		return err_set(e, -E2BIG,
			       "'%s' is %" PRIu32 "x%" PRIu32
			       ", more than %dx%d or 1 MB; make it smaller, or put it "
			       "into the directory and name it in the task",
			       name, p->width, p->height, PICTURE_EDGE, PICTURE_EDGE);
	buf_addf(&text, "%s: %s, %" PRIu32 "x%" PRIu32 ", from the person", name,
		 p->name, p->width, p->height);
	base64_add(&base64, data->data, data->len);
	if (buf_failed(&text) < 0 || buf_failed(&base64) < 0)
		return err_sys(e, -ENOMEM, "cannot keep '%s'", name);
	a->pictures[a->n++] =
		(struct task_picture){ buf_steal(&text), p->mime, buf_steal(&base64) };
	return 0;
}

static int add_text(struct attach *a, const char *name, const struct buf *data,
		    struct err *e)
{
	if (data->len && memchr(data->data, '\0', data->len))
		return err_set(e, -EINVAL,
			       "'%s' is neither text nor a PNG, JPEG, GIF or WebP; put "
			       "it into the directory and name it in the task",
			       name);
	if (data->len > ATTACH_TEXT_MAX)
		return err_set(e, -E2BIG,
			       "'%s' has more than 256 KiB; put it into the directory "
			       "and name it in the task",
			       name);
	buf_addf(&a->text, "\n\nThe file %s, from the person:\n", name);
	text_utf8(&a->text, buf_cstr(data), data->len);
	return buf_failed(&a->text) < 0
		       ? err_set(e, -E2BIG, "the attached files have more than 1 MiB")
		       : 0;
}

int attach_file(struct attach *a, const char *name, struct err *e)
{
	_cleanup_buf_ struct buf data = BUF_INIT(PICTURE_READ);
	struct picture p;
	int r = hostpath_read(name, &data, e);

	if (r < 0)
		return r;
	return picture_read(data.data, data.len, &p)
		       ? add_picture(a, name, &p, &data, e)
		       : add_text(a, name, &data, e);
}

int attach_schema(const char *name, struct json **ret, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(ATTACH_SCHEMA_MAX);
	_cleanup_json_ struct json *j = NULL;
	int r = hostpath_read(name, &text, e);

	if (r < 0)
		return r;
	r = json_parse(buf_cstr(&text), text.len, &j, e) ?: schema_check(j, e);
	if (r < 0)
		return err_wrap(e, "'%s'", name);
	*ret = take(&j, NULL);
	return 0;
}
