#include "agent/model/model.h"

#include <errno.h>
#include <string.h>

#include "agent/model/impl.h"
#include "agent/model/replay.h"
#include "agent/model/tokens.h"
#include "base/http.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { OUTPUT_FIRST = 16384, OUTPUT_TOP = 65536, OUTPUT_LEAST = 256 };

static const struct wire *find_wire(const char *name)
{
	static const struct wire *const wires[] = { &openai_wire, &responses_wire,
						    &anthropic_wire, &ollama_wire };

	for (size_t i = 0; i < ARRAY_SIZE(wires); i++)
		if (strcmp(wires[i]->name, name) == 0)
			return wires[i];
	return NULL; /* a replay has none */
}

/* A provider of the user's configuration names one of the rows by its wire. */
static int check_conf(const struct model_conf *c, const struct model_provider *p,
		      struct err *e)
{
	const char *url = c->url ? c->url : p->url;
	const char *var = c->key_var ? c->key_var : p->key_var;

	if (strcmp(p->wire, "replay") == 0)
		return c->replay_fd >= 0
			       ? 0
			       : err_set(e, -EINVAL, "no transcript to replay");
	if (!c->name && !p->default_model)
		return err_set(e, -EINVAL,
			       "no model named for provider '%s'; use --model %s:NAME",
			       p->name, p->name);
	if (p->local && !strstr(url, "://"))
		return 0;
	if (!text_starts(url, "http://") && !text_starts(url, "https://"))
		return err_set(e, -EINVAL,
			       "bad model URL '%s'; it begins with http:// or https://",
			       url);
	/* A server of one's own may need no key. */
	if (p->key_needed && !c->url && (!c->key || !*c->key))
		return err_set(e, -ENOKEY, "no key for provider '%s'; set %s", p->name,
			       var);
	for (const char *k = c->key; k && *k; k++)
		if (*k <= ' ' || *k > '~')
			return err_set(e, -EINVAL,
				       "the key in %s has a character that no key has",
				       var ? var : "the configuration");
	return 0;
}

/* OLLAMA_HOST has no scheme, by custom. */
static char *copy_url(const struct model_provider *p, const char *url)
{
	_cleanup_buf_ struct buf b = BUF_INIT(8192);
	bool bare = p->local && !strstr(url, "://");

	if (bare && buf_adds(&b, "http://") < 0)
		return NULL;
	if (buf_adds(&b, url) < 0)
		return NULL;
	while (b.len && b.data[b.len - 1] == '/')
		buf_truncate(&b, b.len - 1);
	return b.len ? buf_steal(&b) : strdup("");
}

static void set_window(struct model *m, uint64_t window)
{
	m->to.window = window;
	m->to.max_output = m->conf.max_output;
	if (!m->to.max_output)
		m->to.max_output = MIN(MAX(window / 4, OUTPUT_LEAST), OUTPUT_FIRST);
	if (m->output_top)
		m->to.max_output = MIN(m->to.max_output, m->output_top);
}

static void set_prices(struct model *m)
{
	m->priced = true;
	if (m->conf.prices)
		m->prices = *m->conf.prices;
	else if (!m->provider->local)
		m->priced = prices_find(m->url, m->name, &m->prices);
}

/* On this machine a context costs memory, whatever the model could do. */
static uint64_t default_window(const struct model *m)
{
	uint64_t window = tokens_window(m->name);

	return m->provider->local ? MIN(window, (uint64_t)MODEL_LOCAL_WINDOW) : window;
}

int model_new(const struct model_conf *conf, struct model **ret, struct err *e)
{
	const struct model_provider *p = model_provider_find(conf->provider);
	_cleanup_model_ struct model *m = NULL;
	int r;

	if (!p)
		return err_set(e, -EINVAL, "unknown provider '%s'", conf->provider);
	r = check_conf(conf, p, e);
	if (r < 0)
		return r;
	m = calloc(1, sizeof(*m));
	if (!m)
		return err_sys(e, -ENOMEM, "cannot prepare the model");
	m->conf = *conf;
	m->provider = p;
	m->wire = find_wire(p->wire);
	sys_getrandom(&m->seed,
		      sizeof(m->seed)); /* unset would do: ids are no secret */
	m->name = strdup(conf->name	    ? conf->name
			 : p->default_model ? p->default_model
					    : "");
	m->url = copy_url(p, m->wire ? conf->url ? conf->url : p->url : "");
	m->shown = strdup(conf->shown ? conf->shown : p->name);
	if (!m->name || !m->url || !m->shown)
		return err_sys(e, -ENOMEM, "cannot prepare the model");
	m->to = (struct wire_server){ .url = m->url,
				      .name = m->name,
				      .key = conf->key,
				      .effort = conf->effort,
				      .reasons = tokens_reasons(m->name) };
	if (m->wire == &openai_wire && m->to.reasons &&
	    strstr(m->url, "://api.openai.com"))
		m->wire = &responses_wire;
	set_window(m, conf->window ? conf->window : default_window(m));
	set_prices(m);
	if (!m->wire) {
		r = replay_open(conf->replay_fd, &m->replay, e);
		if (r < 0)
			return r;
	}
	*ret = take(&m, NULL);
	return 0;
}

void model_free(struct model **mp)
{
	struct model *m = take(mp, NULL);

	if (!m)
		return;
	http_free(&m->http);
	replay_free(&m->replay);
	free(m->name);
	free(m->url);
	free(m->shown);
	free(m);
}

const char *model_name(const struct model *m)
{
	return m->name;
}

const char *model_provider_name(const struct model *m)
{
	return m->provider->name;
}

const char *model_shown(const struct model *m)
{
	return m->shown;
}

const char *model_url(const struct model *m)
{
	return m->url;
}

const struct prices *model_prices(const struct model *m)
{
	return m->priced ? &m->prices : NULL;
}

uint64_t model_window(const struct model *m)
{
	return m->to.window;
}

uint64_t model_max_output(const struct model *m)
{
	return m->to.max_output;
}

void model_ask_window(struct model *m)
{
	uint64_t told = m->conf.window || m->replay ? 0 : model_discover_window(m);

	if (!told)
		return;
	m->window_told = true;
	set_window(m, told);
}

struct replay *model_replay(struct model *m)
{
	return m->replay;
}

void model_learn_window(struct model *m, uint64_t tokens)
{
	if (m->conf.window || tokens < 256)
		return;
	/* What it refuses is smaller than what it said: believe it. */
	if (!m->window_told || tokens < m->to.window)
		set_window(m, tokens);
}

bool model_raise_output(struct model *m)
{
	uint64_t top = MIN((uint64_t)OUTPUT_TOP, m->to.window / 2);

	if (m->output_top)
		top = MIN(top, m->output_top);
	if (m->to.max_output >= top)
		return false;
	m->to.max_output = MIN(2 * m->to.max_output, top);
	return true;
}

bool model_lower_output(struct model *m)
{
	if (m->to.max_output <= OUTPUT_LEAST)
		return false;
	m->to.max_output = MAX(m->to.max_output / 2, (uint64_t)OUTPUT_LEAST);
	return true;
}

struct json *model_params(const struct model *m)
{
	_cleanup_json_ struct json *j = json_object();

	json_set_int(j, "max_output", (int64_t)m->to.max_output);
	json_set_int(j, "window", (int64_t)m->to.window);
	json_set_int(j, "without", m->to.without);
	if (m->to.effort)
		json_set_int(j, "effort", m->to.effort);
	if (m->wire)
		json_set_str(j, "wire", m->wire->name);
	return json_failed(j) ? NULL : take(&j, NULL);
}

void model_set_params(struct model *m, const struct json *params)
{
	const char *wire = json_get_str(params, "wire");

	if (wire && find_wire(wire))
		m->wire = find_wire(wire);
	m->to.effort = (enum wire_effort)json_get_int(params, "effort", 0);
	m->to.max_output =
		(uint64_t)json_get_int(params, "max_output", (int64_t)m->to.max_output);
	m->to.window = (uint64_t)json_get_int(params, "window", (int64_t)m->to.window);
	m->to.without = (uint32_t)json_get_int(params, "without", m->to.without);
}

int model_body(struct model *m, const struct model_request *req, struct buf *out,
	       struct err *e)
{
	return m->wire ? m->wire->body(&m->to, &req->what, out, e) : 0;
}

int model_ask(struct model *m, const struct model_request *req, struct turn *ret,
	      struct retry_cause *why, struct err *e)
{
	*why = (struct retry_cause){ 0 };
	if (m->replay)
		return replay_next(m->replay, req, &m->seed, ret, why, e);
	return model_http_ask(m, req, ret, why, e);
}

const char *model_wire(const struct model *m)
{
	return m->wire ? m->wire->name : "";
}

bool model_switch_wire(struct model *m)
{
	if (m->switched || (m->wire != &openai_wire && m->wire != &responses_wire))
		return false;
	m->switched = true;
	m->wire = m->wire == &openai_wire ? &responses_wire : &openai_wire;
	return true;
}

/* max_tokens and max_completion_tokens stand for each other: the first complaint swaps
 * them, the second leaves both out. So do a budget of thoughts and an effort. */
static enum retry_field adapted_field(const struct model *m, enum retry_field f)
{
	if (f == RETRY_F_THINKING && wire_without(&m->to, RETRY_F_THINKING))
		return RETRY_F_EFFORT;
	if (m->wire == &responses_wire && f == RETRY_F_MAX_COMPLETION)
		return RETRY_F_MAX_TOKENS;
	if (m->wire == &responses_wire)
		return f;
	if (f != RETRY_F_MAX_COMPLETION && f != RETRY_F_MAX_TOKENS)
		return f;
	return wire_without(&m->to, RETRY_F_MAX_COMPLETION) ? RETRY_F_MAX_TOKENS
							    : RETRY_F_MAX_COMPLETION;
}

bool model_adapt(struct model *m, const struct retry_cause *why)
{
	enum retry_field f = adapted_field(m, why->field);

	if (why->what != RETRY_FIELD || f == RETRY_F_NONE)
		return false;
	if (why->limit && why->limit < m->to.max_output) { /* "at most N tokens" */
		m->output_top = m->to.max_output = why->limit;
		return true;
	}
	if (wire_without(&m->to, f))
		return false;
	m->to.without |= 1U << f;
	return true;
}
