#include "agent/wire/wire.h"

#include <errno.h>

#include "base/json.h"

int wire_json_text(struct buf *out, const char *s)
{
	_cleanup_json_ struct json *j = json_string(s);

	return j ? json_print(j, false, out) : buf_fail(out, -ENOMEM);
}

int wire_render(const struct wire_server *s, struct history_entry *x,
		wire_entry_fn *put, struct err *e)
{
	_cleanup_buf_ struct buf out = BUF_INIT(WIRE_BODY_MAX);
	int r;

	if (x->bytes)
		return 0;
	r = put(s, x, &out, e);
	if (r < 0)
		return r;
	r = buf_failed(&out);
	if (r < 0)
		return err_sys(e, r, "cannot write a message");
	x->n_bytes = out.len;
	x->bytes = buf_steal(&out);
	return 0;
}

int wire_put_messages(const struct wire_server *s, struct history *h,
		      wire_entry_fn *put, struct buf *out, struct err *e)
{
	buf_adds(out, ",\"messages\":[{\"role\":\"system\",\"content\":");
	wire_json_text(out, h->system ? h->system : "");
	buf_addc(out, '}');
	for (size_t i = 0; i < h->n; i++) {
		int r = wire_render(s, &h->entries[i], put, e);

		if (r < 0)
			return r;
		buf_addc(out, ',');
		buf_add(out, h->entries[i].bytes, h->entries[i].n_bytes);
	}
	buf_addc(out, ']');
	return 0;
}

void wire_put_tools(const struct wire_request *req, const struct wire_tool_words *w,
		    struct buf *out)
{
	buf_adds(out, ",\"tools\":[");
	for (size_t i = 0; i < req->n_tools; i++) {
		const struct tool *t = &req->tools[i];

		buf_addf(out, "%s%s{\"name\":\"%s\",\"description\":", i ? "," : "",
			 w->before, t->name);
		wire_json_text(out, t->description);
		buf_addf(out, ",\"%s\":%s}%s", w->schema, t->schema, w->after);
	}
	buf_addc(out, ']');
}

void wire_put_temperature(const struct wire_server *s, struct buf *out)
{
	if (s->temperature_milli >= 0 && !wire_without(s, RETRY_F_TEMPERATURE))
		buf_addf(out, ",\"temperature\":%d.%03d", s->temperature_milli / 1000,
			 s->temperature_milli % 1000);
}
