#include "cli/task/boxwords.h"

#include <limits.h>
#include <string.h>

#include "agent/task/prompt.h"
#include "base/file.h"
#include "base/text.h"

#define BOXWORDS_FILE "words.json"

enum { BOXWORDS_MAX = 1 << 20 };

void boxwords_done(struct boxwords *w)
{
	json_free(&w->before);
	json_free(&w->boxs);
	json_free(&w->touched);
	*w = BOXWORDS_NONE;
}

void boxwords_begin(struct boxwords *w, const struct boxdir *dir, int project)
{
	struct err none = ERR_NONE;

	boxwords_done(w);
	w->dir = dir;
	w->project = project;
	w->before = prompt_marks(project);
	w->touched = json_object();
	(void)json_read(dir->dirfd, BOXWORDS_FILE, BOXWORDS_MAX, &w->boxs, &none);
}

void boxwords_note(struct boxwords *w, const struct changes *c)
{
	char path[4 * PATH_MAX];

	/* A box can make names that fill the list. */
	w->unknown |= c->incomplete || c->n >= CHANGES_MAX_LISTED;
	for (size_t i = 0; i < c->n; i++) {
		const char *raw = c->items[i].path;

		if (text_ends(raw, ".md"))
			json_set_bool(
				w->touched,
				text_escaped(path, sizeof(path), raw, strlen(raw)),
				true);
	}
}

static bool has(const struct json *marks, const struct json *mark)
{
	return json_is(marks, json_key(mark), json_str(mark));
}

int boxwords_end(struct boxwords *w, struct err *e)
{
	_cleanup_json_ struct json *now = prompt_marks(w->project);
	struct json *kept = json_object();

	json_each(it, now)
	{
		bool touched = w->unknown || json_get(w->touched, json_key(it));
		bool new = touched && !has(w->before, it);

		if (new || has(w->boxs, it))
			json_set(kept, json_key(it), json_dup(it));
	}
	if (!json_len(kept) && !json_len(w->boxs)) {
		json_free(&kept);
		return 0;
	}
	json_free(&w->boxs);
	w->boxs = kept;
	return json_print_file(w->dir->dirfd, BOXWORDS_FILE, kept, BOXWORDS_MAX,
			       file_replace, e);
}
