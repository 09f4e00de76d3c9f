#include "agent/tool/toolset.h"

#include <errno.h>
#include <string.h>

#include "agent/tool/impl.h"
#include "base/embed.h"

EMBED(toolset_json, "agent/tool/tools.json");

static int run_input(struct toolbox *t, const struct json *args,
		     struct tool_result *ret, struct err *e)
{
	return tool_python_is_meant(args) ? tool_python_input(t, args, ret, e)
					  : tool_shell_input(t, args, ret, e);
}

static const struct {
	const char *name;
	tool_run_fn *run;
	bool harmless;
} runners[] = {
	{ "shell", tool_shell_run, false },
	{ "python", tool_python_run, false },
	{ "input", run_input, false },
	{ "screen", tool_shell_screen, true },
	{ "read_file", tool_file_read, true },
	{ "write_file", tool_file_write, false },
	{ "edit_file", tool_file_edit, false },
	{ "view_image", tool_view_image, true },
	{ "finish", tool_result_finish, true },
};

void toolset_done(struct toolset *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->schemas[i]);
		free(s->names[i]);
		json_free(&s->own[i]);
	}
	json_free(&s->words);
	*s = (struct toolset){ 0 };
}

const struct tool *toolset_find(const struct toolset *s, const char *name)
{
	for (size_t i = 0; name && i < s->n; i++)
		if (strcmp(s->v[i].name, name) == 0)
			return &s->v[i];
	return NULL;
}

static int add(struct toolset *s, const struct json *words, const struct tool *how)
{
	_cleanup_buf_ struct buf schema = BUF_INIT(64 << 10);
	int r = json_print(json_get(words, "parameters"), false, &schema);

	if (r < 0)
		return r;
	s->schemas[s->n] = buf_steal(&schema);
	s->v[s->n] = *how;
	s->v[s->n].name = json_get_str(words, "name");
	s->v[s->n].description = json_get_str(words, "description");
	s->v[s->n].schema = s->schemas[s->n];
	s->n++;
	return 0;
}

int toolset_add(struct toolset *s, const char *name, struct json *words,
		const struct tool *how)
{
	_cleanup_json_ struct json *owned = words;
	_cleanup_free_ char *copy = NULL;
	int r;

	if (toolset_find(s, name))
		return -EEXIST;
	if (s->n == TOOLSET_MAX)
		return -ENOSPC;
	copy = strdup(name);
	r = copy ? add(s, words, how) : -ENOMEM;
	if (r < 0)
		return r;
	s->v[s->n - 1].name = copy;
	s->names[s->n - 1] = take(&copy, NULL);
	s->own[s->n - 1] = take(&owned, NULL);
	return 0;
}

int toolset_load(struct toolset *ret, struct err *e)
{
	_cleanup_toolset_ struct toolset s = { 0 };
	size_t i = 0;
	int r = json_parse(toolset_json, strlen(toolset_json), &s.words, e);

	if (r < 0)
		return err_wrap(e, "tools.json");
	json_each(it, s.words)
	{
		const char *name = json_get_str(it, "name");

		if (i == ARRAY_SIZE(runners) || strcmp(name, runners[i].name) != 0)
			return err_set(e, -EINVAL, "tools.json: no tool '%s'", name);
		r = add(&s, it,
			&(struct tool){ .run = runners[i].run,
					.harmless = runners[i].harmless });
		i++;
		if (r < 0)
			return err_sys(e, r, "cannot read tools.json");
	}
	*ret = take(&s, ((struct toolset){ 0 }));
	return 0;
}
