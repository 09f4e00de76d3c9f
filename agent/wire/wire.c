#include "agent/wire/wire.h"

#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

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

int wire_put_entries(const struct wire_server *s, struct history *h, wire_entry_fn *put,
		     struct buf *out, struct err *e)
{
	for (size_t i = 0; i < h->n; i++) {
		int r = wire_render(s, &h->entries[i], put, e);

		if (r < 0)
			return r;
		if (h->entries[i].n_bytes && out->len && out->data[out->len - 1] != '[')
			buf_addc(out, ',');
		buf_add(out, h->entries[i].bytes, h->entries[i].n_bytes);
	}
	return 0;
}

int wire_put_messages(const struct wire_server *s, struct history *h,
		      wire_entry_fn *put, struct buf *out, struct err *e)
{
	int r;

	buf_adds(out, ",\"messages\":[{\"role\":\"system\",\"content\":");
	wire_json_text(out, h->system ? h->system : "");
	buf_addc(out, '}');
	r = wire_put_entries(s, h, put, out, e);
	buf_addc(out, ']');
	return r;
}

void wire_put_tools(const struct wire_request *req, const struct wire_tool_words *w,
		    struct buf *out)
{
	buf_adds(out, ",\"tools\":[");
	for (size_t i = 0; i < req->n_tools; i++) {
		const struct tool *t = &req->tools[i];

		buf_addf(out, "%s%s\"name\":\"%s\",\"description\":", i ? "," : "",
			 w->before, t->name);
		wire_json_text(out, t->description);
		buf_addf(out, ",\"%s\":%s%s", w->schema, t->schema, w->after);
	}
	buf_addc(out, ']');
}

bool wire_picture(const struct wire_server *s, const struct history_entry *x)
{
	return x->kind == HISTORY_PICTURE && x->picture &&
	       !wire_without(s, RETRY_F_PICTURES);
}

void wire_picture_text(const struct wire_server *s, const struct history_entry *x,
		       struct buf *out)
{
	_cleanup_buf_ struct buf text = BUF_INIT(WIRE_BODY_MAX);

	buf_adds(&text, x->text);
	if (x->kind == HISTORY_PICTURE && !wire_picture(s, x))
		buf_adds(&text,
			 x->picture ? "\n[the picture is not shown: this model "
				      "takes none]"
				    : "\n[the picture was left out to save context]");
	buf_fail(out, buf_failed(&text));
	wire_json_text(out, buf_cstr(&text));
}

const char *wire_effort(const struct wire_server *s)
{
	static const char *const words[] = { NULL, "low", "medium", "high" };

	return wire_without(s, RETRY_F_EFFORT) ? NULL : words[s->effort];
}

/* ---- the address and headers of OpenAI and its imitators ---- */

bool wire_is_azure(const struct wire_server *s)
{
	const char *host = strstr(s->url, "://");
	size_t n = host ? strcspn(host + 3, "/?") : 0;

	return n && memmem(host + 3, n, ".azure.", 7);
}

/* "/v1", "/v1beta/…": the path says which version it is. */
static bool has_version(const char *path)
{
	for (const char *p = strstr(path, "/v"); p; p = strstr(p + 2, "/v"))
		if (p[2] >= '0' && p[2] <= '9')
			return true;
	return strstr(path, "/openai") != NULL;
}

int wire_built(const struct buf *body, struct err *e)
{
	int r = buf_failed(body);

	return r < 0 ? err_sys(e, r, "cannot build the request") : 0;
}

int wire_openai_url(const struct wire_server *s, const char *leaf, struct buf *out)
{
	const char *host = strstr(s->url, "://") + 3;
	const char *query = strchr(s->url, '?');
	size_t n = query ? (size_t)(query - s->url) : strlen(s->url);
	const char *path = host + strcspn(host, "/?");

	while (n && s->url[n - 1] == '/')
		n--;
	buf_add(out, s->url, n);
	if (!has_version(path) && !strstr(path, leaf))
		buf_adds(out, wire_is_azure(s) ? "/openai/v1" : "/v1");
	if (!text_ends(buf_cstr(out), leaf))
		buf_adds(out, leaf);
	if (query)
		buf_adds(out, query);
	return buf_failed(out);
}

int wire_openai_headers(const struct wire_server *s, struct buf *out)
{
	if (!s->key || !*s->key)
		return 0;
	return buf_addf(out, "%s%s\n",
			wire_is_azure(s) ? "api-key: " : "Authorization: Bearer ",
			s->key);
}
