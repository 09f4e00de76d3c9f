#include "cli/task/modelknown.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "cli/opt/config.h"
#include "cli/show/table.h"
#include "rootfs/store/store.h"

#define KEPT_FILE "models.json"
enum { KEPT_MAX = 1 << 20, NAME_MAX_LEN = 200 };

/* Completion gives them to a shell. */
static bool is_plain(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("._:/@+-", name[i]))
			return false;
	return n && n <= NAME_MAX_LEN && *name != '-';
}

/* ---- of the last answers --------------------------------------------------------------- */

void modelknown_keep(const struct modelpick *pick, const struct json *names)
{
	_cleanup_json_ struct json *kept = NULL;
	_cleanup_store_ struct store st = STORE_NONE;
	struct json *plain = json_array();
	struct err ignored = ERR_NONE;

	json_each(it, names)
	{
		if (json_str(it) && is_plain(json_str(it)))
			(void)json_add(plain, json_string(json_str(it)));
	}
	if (store_open(&st, &ignored) < 0 ||
	    json_read(st.dirfd, KEPT_FILE, KEPT_MAX, &kept, &ignored) < 0 ||
	    json_type(kept) != JSON_OBJECT) {
		json_free(&kept);
		kept = json_object();
	}
	(void)json_set(kept, pick->own ? pick->provider : pick->conf.provider, plain);
	if (st.dirfd >= 0)
		(void)json_print_file(st.dirfd, KEPT_FILE, kept, KEPT_MAX,
				      file_replace_soon, &ignored);
}

/* ---- all of them ------------------------------------------------------------------------ */

static const struct table_column columns[] = {
	{ "MODEL", "model", TABLE_TEXT },
	{ "FROM", "from", TABLE_TEXT },
};

struct known {
	struct table *table; /* borrowed */
	struct json *seen;   /* borrowed; an object with a member for each */
};

static void add(struct known *k, const char *name, const char *from)
{
	if (!name || !is_plain(name) || json_get(k->seen, name))
		return;
	(void)json_set(k->seen, name, json_bool(true));
	table_add(k->table,
		  (struct table_cell[]){ { .text = name }, { .text = from } });
}

static void add_configured(const struct config *c, struct known *k)
{
	char word[NAME_MAX_LEN + 2];

	add(k, config_text(c, CONFIG_MODEL), "configuration");
	json_each(it, json_get(c->file, "aliases"))
		add(k, json_key(it), "configuration");
	json_each(it, json_get(c->file, "prices"))
		add(k, json_key(it), "configuration");
	json_each(it, json_get(c->file, "providers"))
	{
		snprintf(word, sizeof(word), "%.*s:", NAME_MAX_LEN, json_key(it));
		add(k, word, "configuration");
	}
}

/* The provider is left out where the name leads to it, or where it is what the environment's
 * key and address are for. */
static void add_kept(const struct config *c, const struct json *of, struct known *k)
{
	const char *provider = json_key(of);
	const struct model_provider *row = model_provider_find(provider);
	bool alone = row && !row->local && !config_provider(c, provider);
	char word[2 * NAME_MAX_LEN];

	json_each(it, of)
	{
		if (!json_str(it))
			continue;
		snprintf(word, sizeof(word), "%s%s%s", alone ? "" : provider,
			 alone ? "" : ":", json_str(it));
		add(k, word, "service");
	}
}

static void add_answers(const struct config *c, struct known *k)
{
	_cleanup_json_ struct json *kept = NULL;
	_cleanup_store_ struct store st = STORE_NONE;

	if (store_open(&st, ERR_IGNORED) < 0 ||
	    json_read(st.dirfd, KEPT_FILE, KEPT_MAX, &kept, ERR_IGNORED) < 0)
		return;
	json_each(it, kept) add_kept(c, it, k);
}

int modelknown_show(const struct app *app, struct err *e)
{
	_cleanup_table_ struct table *t = table_new(columns, ARRAY_SIZE(columns));
	_cleanup_json_ struct json *seen = json_object();
	struct known k = { .table = t, .seen = seen };

	add_configured(app->config, &k);
	add_answers(app->config, &k);
	for (size_t i = 0; prices_listed(i); i++)
		add(&k, prices_listed(i), "table");
	return table_show(t, app, sys_wall().tv_sec, NULL, "list the models", e);
}
