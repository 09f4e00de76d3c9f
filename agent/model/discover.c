/* What servers tell of themselves. Those on this machine are asked what they have when no
 * key names a service: the usual answer is that nobody listens, and comes at once.
 * And a server that somebody named is asked how large its context is, for each says it in
 * its own way, and a table of models cannot know with what it was started. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/model/impl.h"
#include "base/http.h"
#include "base/text.h"

enum { PATIENCE_MS = 3000, ANSWER_MAX = 4 << 20, WINDOW_LEAST = 1024 };

static int append(void *ctx, const void *data, size_t len)
{
	return buf_add(ctx, data, len);
}

static int ask(struct http *http, const char *url, struct json **ret, struct err *e)
{
	_cleanup_buf_ struct buf answer = BUF_INIT(ANSWER_MAX);
	struct http_request req = { .url = url,
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

/* Where a server lists its models, and what the first of them is called there. */
static int find_name(struct http *http, bool ollama, struct model_found *ret,
		     struct err *e)
{
	_cleanup_json_ struct json *list = NULL;
	const char *name;
	char url[160];
	int r;

	snprintf(url, sizeof(url), "%s%s", ret->url,
		 ollama ? "/api/tags" : "/v1/models");
	r = ask(http, url, &list, e);
	if (r < 0)
		return r;
	name = json_get_str(json_first(json_get(list, ollama ? "models" : "data")),
			    ollama ? "name" : "id");
	if (!name || !*name || strlen(name) >= sizeof(ret->name))
		return err_set(e, -ENOENT, "%s has no model", ret->url);
	return text_copy(ret->name, sizeof(ret->name), name);
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
	r = find_name(http, strcmp(p->wire, "ollama") == 0, &found, e);
	if (r < 0)
		return r;
	*ret = found;
	return 0;
}

int model_discover(model_may_fn *may, void *ctx, struct model_found *ret, struct err *e)
{
	for (size_t i = 0; i < model_provider_count; i++) {
		const struct model_provider *p = &model_providers[i];

		if (p->local && may(ctx, p) &&
		    model_discover_at(p, p->url, ret, e) == 0)
			return 0;
	}
	return err_set(e, -ENOENT, "no model server answers on this machine");
}

/* ---- the size of the context ---- */

static uint64_t positive(const struct json *j, const char *key)
{
	int64_t n = json_get_int(j, key, 0);

	return n > 0 ? (uint64_t)n : 0;
}

/* "llama.context_length" and the like: the family's name is in front. */
static uint64_t ollama_window(struct model *m)
{
	_cleanup_json_ struct json *shown = NULL, *q = json_object();
	_cleanup_buf_ struct buf body = BUF_INIT(1024), url = BUF_INIT(8192);

	if (buf_addf(&url, "%.*s/api/show",
		     (int)(strlen(m->url) - (text_ends(m->url, "/api") ? 4 : 0)),
		     m->url) < 0 ||
	    json_set_str(q, "model", m->name) < 0 || json_print(q, false, &body) < 0 ||
	    model_http_json(m, buf_cstr(&url), buf_cstr(&body), &shown, ERR_IGNORED) <
		    0)
		return 0;
	json_each(it, json_get(shown, "model_info"))
	{
		int64_t n;

		if (text_ends(json_key(it), ".context_length") &&
		    json_int(it, &n) == 0 && n > 0)
			return MIN((uint64_t)n,
				   (uint64_t)MODEL_LOCAL_WINDOW); /* it costs memory */
	}
	return 0;
}

/* The server's entry for our model; the only one that it has is that, whatever we call
 * it. */
static const struct json *find_entry(const struct json *models, const char *name)
{
	const struct json *list = json_get(models, "data");

	if (json_type(models) == JSON_ARRAY) /* Together */
		list = models;
	json_each(it, list)
	{
		if (json_is(it, "id", name))
			return it;
	}
	return json_len(list) == 1 ? json_first(list) : NULL;
}

/* llama.cpp's entry has the size that the model was trained with, and another page that
 * of a request. */
static uint64_t llamacpp_window(struct model *m, const char *base, size_t n)
{
	_cleanup_buf_ struct buf url = BUF_INIT(8192);
	_cleanup_json_ struct json *props = NULL;

	if (n >= 3 && memcmp(base + n - 3, "/v1", 3) == 0)
		n -= 3;
	if (buf_add(&url, base, n) < 0 || buf_adds(&url, "/props") < 0 ||
	    model_http_json(m, buf_cstr(&url), NULL, &props, ERR_IGNORED) < 0)
		return 0;
	return positive(json_get(props, "default_generation_settings"), "n_ctx");
}

/* vLLM, OpenRouter and Together, Groq, Mistral */
static uint64_t entry_window(const struct json *entry)
{
	static const char *const names[] = { "max_model_len", "context_length",
					     "context_window", "max_context_length" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (positive(entry, names[i]))
			return positive(entry, names[i]);
	return 0;
}

static uint64_t openai_window(struct model *m)
{
	static const char leaf[] = "/chat/completions";
	_cleanup_buf_ struct buf chat = BUF_INIT(8192), url = BUF_INIT(8192);
	_cleanup_json_ struct json *models = NULL;
	const struct json *entry;
	size_t n;

	if (m->wire->url(&m->to, &chat) < 0 || !text_ends(buf_cstr(&chat), leaf))
		return 0; /* with a query: Azure, which tells nothing */
	n = chat.len - strlen(leaf);
	if (buf_add(&url, chat.data, n) < 0 || buf_adds(&url, "/models") < 0 ||
	    model_http_json(m, buf_cstr(&url), NULL, &models, ERR_IGNORED) < 0)
		return 0;
	entry = find_entry(models, m->name);
	if (json_is(entry, "owned_by", "llamacpp"))
		return llamacpp_window(m, chat.data, n);
	return entry_window(entry);
}

/* Where a server lists its models: beside the page that is asked for answers. */
static int list_url(struct model *m, struct buf *out)
{
	static const char *const leaves[] = { "/chat/completions", "/responses",
					      "/messages", "/chat" };
	const char *query = strchr(m->url, '?');
	int r = m->wire->url(&m->to, out);

	if (query && out->len > strlen(query))
		buf_truncate(out, out->len - strlen(query));
	for (size_t i = 0; i < ARRAY_SIZE(leaves) && r == 0; i++)
		if (text_ends(buf_cstr(out), leaves[i])) {
			buf_truncate(out, out->len - strlen(leaves[i]));
			break;
		}
	buf_adds(out, strcmp(m->wire->name, "ollama") == 0 ? "/tags" : "/models");
	buf_adds(out, query ? query : "");
	return buf_failed(out);
}

int model_discover_list(struct model *m, model_list_fn *fn, void *ctx, struct err *e)
{
	_cleanup_buf_ struct buf url = BUF_INIT(8192);
	_cleanup_json_ struct json *answer = NULL;
	const struct json *models;
	int r;

	if (!m->wire)
		return err_set(e, -EINVAL, "a transcript has no models");
	r = list_url(m, &url);
	if (r < 0)
		return err_sys(e, r, "cannot ask for the models");
	r = model_http_json(m, buf_cstr(&url), NULL, &answer, e);
	if (r < 0)
		return r;
	models = json_get(answer, "data") ?: json_get(answer, "models") ?: answer;
	json_each(it, models)
	{
		const char *name = json_get_str(it, "id") ?: json_get_str(it, "name");

		r = r < 0 || !name || !*name ? r : fn(ctx, name, entry_window(it), e);
	}
	return r;
}

uint64_t model_discover_window(struct model *m)
{
	uint64_t n = 0;

	if (strcmp(m->wire->name, "ollama") == 0)
		n = ollama_window(m);
	else if (strcmp(m->wire->name, "openai") == 0 &&
		 (m->provider->local || m->conf.url) &&
		 !strstr(m->url, "://api.openai.com"))
		n = openai_window(m);
	return n >= WINDOW_LEAST ? n : 0;
}
