/* Who serves models: a row each. */
#include <string.h>

#include "agent/model/model.h"
#include "base/def.h"

static const char *const openai_families[] = { "gpt-", "chatgpt-", "codex-", "o1",
					       "o3",   "o4-",	   NULL };
static const char *const anthropic_families[] = { "claude-", NULL };

/* clang-format off */
const struct model_provider model_providers[] = {
	{ .name = "openai", .wire = "openai", .url = "https://api.openai.com/v1",
	  .key_var = "OPENAI_API_KEY", .url_var = "OPENAI_BASE_URL",
	  .default_model = "gpt-4.1", .families = openai_families, .key_needed = true },
	{ .name = "responses", .wire = "responses", .url = "https://api.openai.com/v1",
	  .key_var = "OPENAI_API_KEY", .url_var = "OPENAI_BASE_URL",
	  .default_model = "gpt-5", .families = NULL, .key_needed = true },
	{ .name = "anthropic", .wire = "anthropic", .url = "https://api.anthropic.com",
	  .key_var = "ANTHROPIC_API_KEY", .url_var = "ANTHROPIC_BASE_URL",
	  .default_model = "claude-sonnet-4-5", .families = anthropic_families,
	  .key_needed = true },
	{ .name = "ollama", .wire = "ollama", .url = "http://127.0.0.1:11434",
	  .url_var = "OLLAMA_HOST", .local = true },
	{ .name = "llamacpp", .wire = "openai", .url = "http://127.0.0.1:8080",
	  .key_var = "LLAMA_API_KEY", .default_model = "default", .local = true },
	{ .name = "replay", .wire = "replay" },
};
/* clang-format on */
const size_t model_provider_count = ARRAY_SIZE(model_providers);

const struct model_provider *model_provider_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(model_providers); i++)
		if (strcmp(model_providers[i].name, name) == 0)
			return &model_providers[i];
	return NULL;
}

static bool is_of(const struct model_provider *p, const char *model)
{
	for (const char *const *f = p->families; f && *f; f++)
		if (strncasecmp(model, *f, strlen(*f)) == 0)
			return true;
	return false;
}

const struct model_provider *model_provider_of(const char *model)
{
	for (size_t i = 0; i < ARRAY_SIZE(model_providers); i++)
		if (is_of(&model_providers[i], model))
			return &model_providers[i];
	return NULL;
}
