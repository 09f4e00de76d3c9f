#include "cli/task/modelpick.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/opt/config.h"
#include "cli/show/render.h"
#include "cli/task/modellocal.h"

void modelpick_done(struct modelpick *m)
{
	free(m->provider);
	m->provider = NULL;
}

int modelpick_word(const struct modelpick *m, struct buf *out)
{
	const struct model_provider *row = model_provider_find(m->conf.provider);
	const char *name = m->conf.name ? m->conf.name
			   : row	? row->default_model
					: NULL;

	if (!name)
		return 0;
	return buf_addf(out, "%s:%s", m->own ? m->provider : m->conf.provider, name);
}

static const char *env_of(const char *var)
{
	const char *v = var ? getenv(var) : NULL;

	return v && *v ? v : NULL;
}

static void add_secret(const char *secrets[MODELPICK_SECRETS + 1], const char *var)
{
	const char *key = env_of(var);

	for (size_t i = 0; key && i < MODELPICK_SECRETS; i++) {
		if (secrets[i])
			continue;
		secrets[i] = key;
		return;
	}
}

void modelpick_secrets(const struct config *c,
		       const char *secrets[MODELPICK_SECRETS + 1])
{
	const struct json *providers = json_get(c->file, "providers");

	for (size_t i = 0; i < model_provider_count; i++)
		add_secret(secrets, model_providers[i].key_var);
	json_each(it, providers) add_secret(secrets, json_get_str(it, "key-env"));
}

static void use_row(struct modelpick *m, const struct model_provider *p)
{
	m->conf.provider = p->name;
	m->conf.url = env_of(p->url_var);
	m->conf.key_var = p->key_var;
	m->conf.key = env_of(p->key_var);
}

/* A provider of the configuration talks as one of the rows does. */
static int use_configured(struct modelpick *m, const struct json *p)
{
	const char *wire = json_get_str(p, "wire");

	m->conf.provider = wire ? wire : "openai";
	m->conf.url = json_get_str(p, "base-url");
	m->conf.key_var = json_get_str(p, "key-env");
	m->conf.key = env_of(m->conf.key_var);
	m->conf.window = (uint64_t)json_get_int(p, "context", 0);
	return 0;
}

/* "openai:gpt-4.1" names a provider; "llama3.2:3b" is all name. */
static int use_named(struct modelpick *m, const struct config *c, const char *word)
{
	const char *colon = strchr(word, ':');
	const struct model_provider *row;
	const struct json *own;

	if (!colon)
		return -ENOENT;
	m->provider = strndup(word, (size_t)(colon - word));
	if (!m->provider)
		return -ENOMEM;
	own = config_provider(c, m->provider);
	row = model_provider_find(m->provider);
	if (!own && !row)
		return -ENOENT;
	m->conf.name = colon[1] ? colon + 1 : NULL;
	m->own = own != NULL;
	if (own) {
		m->conf.shown = m->provider;
		return use_configured(m, own);
	}
	use_row(m, row);
	return 0;
}

static bool in_environment(const struct model_provider *p)
{
	return !p->local && (env_of(p->key_var) || env_of(p->url_var));
}

/* The first provider that the environment has a key or an address for; before it the one
 * whose own models have such names. A server at an address of the user's may have any
 * model: only without one is a maker without a key missed (check_conf() says so). */
static int use_environment(struct modelpick *m)
{
	const char *name = m->conf.name;
	const struct model_provider *maker = name ? model_provider_of(name) : NULL;
	const struct model_provider *first = NULL;

	for (size_t i = 0; i < model_provider_count; i++)
		if (!first && in_environment(&model_providers[i]))
			first = &model_providers[i];
	if (!first)
		return -ENOENT;
	if (maker && (in_environment(maker) || !env_of(first->url_var)))
		first = maker;
	use_row(m, first);
	return 0;
}

/* No key at all: a server on this machine, which is named before it is used. */
static int use_local(const struct app *app, struct modelpick *m)
{
	void *ctx = (void *)(uintptr_t)app;

	if (model_discover(modellocal_may, ctx, &m->found, ERR_IGNORED) < 0)
		return -ENOENT;
	m->conf.provider = m->found.provider->name;
	m->conf.url = m->found.url;
	if (!m->conf.name)
		m->conf.name = m->found.name;
	render_note(app, "no key is set: asking %s at %s (%s)", m->conf.name,
		    m->conf.url, m->conf.provider);
	return 0;
}

static int nothing(const char *name, struct err *e)
{
	const char *const colon = name ? strchr(name, ':') : NULL;

	if (colon)
		err_set(e, -ENOKEY,
			"no language model: no provider is called '%.*s', no key is set "
			"for another, no local server answers",
			(int)MIN(colon - name, 64), name);
	else
		err_set(e, -ENOKEY,
			"no language model: no key is set, no local server answers");
	return err_hint(e, "set OPENAI_API_KEY (OPENAI_BASE_URL for another server) or "
			   "ANTHROPIC_API_KEY, or start Ollama");
}

static int no_provider(const char *word, struct err *e)
{
	_cleanup_buf_ struct buf names = BUF_INIT((size_t)256);

	for (size_t i = 0; i < model_provider_count; i++)
		if (model_providers[i].url)
			(void)buf_addf(&names, "%s%s:", names.len ? ", " : "",
				       model_providers[i].name);
	err_set(e, -EINVAL, "no language model: no provider is called '%.64s'", word);
	return err_hint(e, "there are %s and those of the configuration",
			buf_cstr(&names));
}

static uint64_t micro(const struct json *price, const char *key, uint64_t none)
{
	double dollars = json_num(json_get(price, key), -1);

	return dollars < 0 ? none : (uint64_t)(dollars * 1e6 + 0.5);
}

/* What the user says that the model costs. */
static void use_price(const struct config *c, struct modelpick *m)
{
	const struct model_provider *row = model_provider_find(m->conf.provider);
	const char *name = m->conf.name ? m->conf.name
			   : row	? row->default_model
					: NULL;
	const struct json *price = name ? config_price(c, name) : NULL;

	if (!price)
		return;
	m->prices.input = micro(price, "input", 0);
	m->prices.output = micro(price, "output", 0);
	m->prices.cached = micro(price, "cached", m->prices.input);
	m->prices.written = m->prices.input;
	m->conf.prices = &m->prices;
}

static int choose(const struct app *app, struct modelpick *ret, struct err *e)
{
	const char *word = config_text(app->config, CONFIG_MODEL);
	int r;

	if (word) {
		word = config_alias(app->config, word);
		r = use_named(ret, app->config, word);
		if (r == -ENOMEM)
			return err_sys(e, r, "cannot choose the model");
		if (r == 0)
			return 0;
		if (text_ends(word, ":")) /* no model's name ends so */
			return no_provider(word, e);
		ret->conf.name = word;
	}
	if (use_environment(ret) == 0)
		return 0;
	return use_local(app, ret) == 0 ? 0 : nothing(ret->conf.name, e);
}

int modelpick_choose(const struct app *app, int replay_fd, struct modelpick *ret,
		     struct err *e)
{
	int r;

	*ret = (struct modelpick){ .conf = { .replay_fd = replay_fd, .abort_fd = -1 } };
	ret->conf.effort = (enum wire_effort)config_num(app->config, CONFIG_EFFORT);
	modelpick_secrets(app->config, ret->secrets);
	if (replay_fd >= 0) {
		ret->conf.provider = "replay";
		return 0;
	}
	r = choose(app, ret, e);
	if (r < 0)
		return r;
	use_price(app->config, ret);
	return 0;
}
