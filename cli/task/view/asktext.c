#include "cli/task/view/asktext.h"

#include <string.h>

#include "base/diff.h"
#include "base/text.h"
#include "cli/task/view/words.h"

/* @s with @mark in front of each line but the first, and there as well unless @bare. */
static void add_lines(struct buf *out, const char *mark, bool bare, const char *s)
{
	if (!bare)
		buf_addf(out, "\n%s", mark);
	for (;;) {
		const char *const end = strchrnul(s, '\n');

		/* The carriage return in front of a newline is part of what runs. */
		view_words_all(s, (size_t)(end - s), out);
		if (!*end || (!end[1] && !bare) || buf_failed(out) < 0)
			return;
		buf_addf(out, "\n%s", mark);
		s = end + 1;
	}
}

static void add_value(struct buf *out, const char *key, const struct json *v)
{
	_cleanup_buf_ struct buf text = BUF_INIT(out->max);

	if (json_str(v))
		buf_adds(&text, json_str(v));
	else
		json_print(v, false, &text);
	buf_fail(out, buf_failed(&text));
	buf_adds(out, "\n  ");
	text_escape(out, key, strlen(key));
	buf_adds(out, ": ");
	add_lines(out, "    ", true, buf_cstr(&text));
}

/* What stands in the first line, and what is a piece of a file. */
static const char *first_of(const struct task_call *c)
{
	const char *command = json_get_str(c->args, "command");

	return command && strcmp(c->name, "shell") == 0 ? "command" : "path";
}

static const char *mark_of(const char *key)
{
	static const char *const marks[][2] = { { "old_string", "  - " },
						{ "new_string", "  + " },
						{ "content", "  + " } };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (strcmp(marks[i][0], key) == 0)
			return marks[i][1];
	return NULL;
}

/* What goes and what comes both end within a line, whose end stays. */
static bool within_line(const struct json *edit)
{
	const char *const old = json_get_str(edit, "old_string");
	const char *const new = json_get_str(edit, "new_string");

	return old && *old && !text_ends(old, "\n") && new &&*new &&
	       !text_ends(new, "\n");
}

/* A text without an end of its last line differs from one with it. */
static void add_piece(struct buf *out, const char *mark, const struct json *edit,
		      const char *s)
{
	if (!*s)
		return;
	add_lines(out, mark, false, s);
	if (!text_ends(s, "\n") && !within_line(edit))
		buf_adds(out, "\n    (no newline at the end)");
}

/* What becomes of a file that is there, with the lines around each change. */
static void add_diff(struct buf *out, const struct buf *was, const char *content)
{
	_cleanup_buf_ struct buf diff = BUF_INIT(out->max), new = BUF_INIT(out->max);
	struct diff_stat stat = { 0 };

	buf_adds(&new, content);
	buf_fail(out, buf_failed(&new));
	buf_fail(out, diff_unified(was, &new, &stat, &diff));
	buf_addf(out, " (the file is there: +%zu -%zu)", stat.added, stat.removed);
	for (const char *s = buf_cstr(&diff); *s; s++) {
		const size_t len = (size_t)(strchrnul(s, '\n') - s);

		if (strchr("+- ", *s)) {
			buf_addf(out, "\n  %c ", *s);
			view_words_all(s + 1, len - 1, out);
		} else {
			buf_addf(out, "\n  %.*s", (int)len, s);
		}
		s += len - !s[len];
	}
}

/* A list of changes, each as what goes and what comes. */
static void add_edits(struct buf *out, const struct json *edits)
{
	json_each(edit, edits)
	{
		json_each(it, edit)
		{
			const char *mark = mark_of(json_key(it));

			if (mark && json_str(it))
				add_piece(out, mark, edit, json_str(it));
			else
				add_value(out, json_key(it), it);
		}
	}
}

int asktext_whole(const struct task_call *c, const struct buf *was, struct buf *out)
{
	const char *const first = first_of(c);
	const char *const head = json_get_str(c->args, first);
	const bool shell = strcmp(first, "command") == 0;

	if (shell) {
		buf_adds(out, "$ ");
	} else {
		text_seen(out, c->name, strlen(c->name), false);
		buf_addc(out, ' ');
	}
	if (head)
		add_lines(out, shell ? "  " : "    ", true, head);
	json_each(it, c->args)
	{
		const char *const key = json_key(it);
		const char *const mark = key ? mark_of(key) : NULL;

		if (!key || (head && strcmp(key, first) == 0))
			continue;
		if (was && json_str(it) && strcmp(key, "content") == 0)
			add_diff(out, was, json_str(it));
		else if (mark && json_str(it))
			add_piece(out, mark, c->args, json_str(it));
		else if (json_type(json_first(it)) == JSON_OBJECT && json_len(it) &&
			 json_type(it) == JSON_ARRAY && strcmp(key, "edits") == 0)
			add_edits(out, it);
		else
			add_value(out, key, it);
	}
	return buf_failed(out);
}
