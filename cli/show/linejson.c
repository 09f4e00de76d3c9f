#include "cli/show/linejson.h"

#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/show/render.h"

void linejson_init(struct linejson *l)
{
	buf_init(&l->line, LINEJSON_MAX);
}

void linejson_done(struct linejson *l)
{
	buf_done(&l->line);
}

static int emit(struct linejson *l, bool more, struct buf *out)
{
	_cleanup_buf_ struct buf text = BUF_INIT((size_t)4 * LINEJSON_MAX);
	_cleanup_json_ struct json *j = json_object();
	int r = text_utf8(&text, buf_cstr(&l->line), l->line.len);

	json_set(j, "text", r < 0 ? NULL : json_stringn(buf_cstr(&text), text.len));
	if (more)
		json_set_bool(j, "more", true);
	r = render_json_add(j, out);
	buf_truncate(&l->line, 0);
	return r;
}

static int feed_byte(struct linejson *l, char c, struct buf *out)
{
	int r = l->line.len == LINEJSON_MAX ? emit(l, true, out) : 0;

	/* NUL would end the string, 0xff is no UTF-8 either. */
	return r < 0 ? r : buf_addc(&l->line, c ? c : '\xff');
}

int linejson_feed(void *ctx, const char *in, size_t len, struct buf *out)
{
	struct linejson *l = ctx;
	int r = 0;

	for (size_t i = 0; i < len && r == 0; i++)
		r = in[i] == '\n' ? emit(l, false, out) : feed_byte(l, in[i], out);
	return len || r < 0 || !l->line.len ? r : emit(l, false, out);
}
