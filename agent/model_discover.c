/* Servers on this machine, asked what they have when no key names a service. Each
 * question has 300 ms: the usual answer is that nobody listens. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/model_impl.h"
#include "base/http.h"
#include "base/text.h"

enum { PATIENCE_MS = 300, ANSWER_MAX = 4 << 20, WINDOW_TOP = 32768 };

static int append(void *ctx, const void *data, size_t len)
{
	return buf_add(ctx, data, len);
}

static int ask(struct http *http, const char *url, const char *body, struct json **ret,
	       struct err *e)
{
	_cleanup_buf_ struct buf answer = BUF_INIT(ANSWER_MAX);
	struct http_request req = { .url = url,
				    .body = body,
				    .body_len = body ? strlen(body) : 0,
				    .connect_ms = PATIENCE_MS,
				    .total_ms = PATIENCE_MS,
				    .abort_fd = -1,
				    .on_data = append,
				    .ctx = &answer };
	struct http_reply reply;
	int r = http_perform(http, &req, &reply, e);

	if (r < 0)
		return r;
	if (reply.status != 200)
		return err_set(e, -ENOENT, "%s answered %d", url, reply.status);
	return json_parse(buf_cstr(&answer), answer.len, ret, e);
}

static int keep_name(const char *name, struct model_found *ret, struct err *e)
{
	if (!name || !*name || strlen(name) >= sizeof(ret->name))
		return err_set(e, -ENOENT, "%s has no model", ret->url);
	return text_copy(ret->name, sizeof(ret->name), name);
}

/* "llama.context_length" and the like: the family's name is in front. */
static uint64_t ollama_window(const struct json *shown)
{
	json_each(m, json_get(shown, "model_info"))
	{
		int64_t n;

		if (text_ends(json_key(m), ".context_length") && json_int(m, &n) == 0 &&
		    n > 0)
			return MIN((uint64_t)n,
				   (uint64_t)WINDOW_TOP); /* it costs memory */
	}
	return 0;
}

static int ask_ollama(struct http *http, struct model_found *ret, struct err *e)
{
	_cleanup_json_ struct json *tags = NULL, *shown = NULL, *q = json_object();
	_cleanup_buf_ struct buf body = BUF_INIT(1024);
	struct err ignored;
	char url[160];
	int r;

	snprintf(url, sizeof(url), "%s/api/tags", ret->url);
	r = ask(http, url, NULL, &tags, e);
	if (r == 0)
		r = keep_name(
			json_get_str(json_first(json_get(tags, "models")), "name"), ret,
			e);
	if (r < 0)
		return r;
	snprintf(url, sizeof(url), "%s/api/show", ret->url);
	if (json_set_str(q, "model", ret->name) == 0 &&
	    json_print(q, false, &body) == 0 &&
	    ask(http, url, buf_cstr(&body), &shown, &ignored) == 0)
		ret->window = ollama_window(shown);
	return 0;
}

static int ask_openai(struct http *http, struct model_found *ret, struct err *e)
{
	_cleanup_json_ struct json *models = NULL, *props = NULL;
	struct err ignored;
	char url[160];
	int64_t n = 0;
	int r;

	snprintf(url, sizeof(url), "%s/v1/models", ret->url);
	r = ask(http, url, NULL, &models, e);
	if (r == 0)
		r = keep_name(json_get_str(json_first(json_get(models, "data")), "id"),
			      ret, e);
	if (r < 0)
		return r;
	snprintf(url, sizeof(url), "%s/props", ret->url);
	if (ask(http, url, NULL, &props, &ignored) == 0)
		n = json_get_int(json_get(props, "default_generation_settings"),
				 "n_ctx", 0);
	ret->window = n > 0 ? (uint64_t)n : 0;
	return 0;
}

int model_discover_at(const struct model_provider *p, const char *url,
		      struct model_found *ret, struct err *e)
{
	struct model_found found = { .provider = p };
	_cleanup_http_ struct http *http = NULL;
	int r = http_new(&http, e);

	if (r == 0 && text_copy(found.url, sizeof(found.url), url) < 0)
		r = err_set(e, -EINVAL, "the URL of '%s' is too long", p->name);
	if (r < 0)
		return r;
	r = strcmp(p->wire, "ollama") == 0 ? ask_ollama(http, &found, e)
					   : ask_openai(http, &found, e);
	if (r < 0)
		return r;
	*ret = found;
	return 0;
}

int model_discover(struct model_found *ret, struct err *e)
{
	for (size_t i = 0; i < model_provider_count; i++) {
		const struct model_provider *p = &model_providers[i];

		if (p->local && model_discover_at(p, p->url, ret, e) == 0)
			return 0;
	}
	return err_set(e, -ENOENT, "no model server answers on this machine");
}
