#include "cli/task/view/diffview.h"

#include <string.h>

#include "base/text.h"

const char *diffview_find(const char *text)
{
	const char *s = text_starts(text, "@@ -") ? text : strstr(text, "\n@@ -");

	return s && *s == '\n' ? s + 1 : s;
}

const char *diffview_whole(const struct json *args, const char *text, struct buf *own)
{
	const char *diff = text ? diffview_find(text) : NULL;

	if (diff && !strstr(diff, "of the diff left out]"))
		return diff;
	diffview_args(args, own);
	return buf_cstr(own);
}

static enum wrap_color color_of(char first)
{
	if (first == '+')
		return WRAP_GREEN;
	if (first == '-')
		return WRAP_RED;
	return first == '@' ? WRAP_CYAN : WRAP_PLAIN;
}

/* Of "@@ -3,4 +5,6 @@": how many lines of either side follow. */
static void hunk_lengths(const char *line, unsigned *old, unsigned *new)
{
	unsigned from;

	*old = *new = 1;
	if (sscanf(line, "@@ -%u,%u", &from, old) < 2)
		*old = 1;
	line = strchr(line, '+');
	if (!line || sscanf(line, "+%u,%u", &from, new) < 2)
		*new = 1;
}

static void add_row(const char *line, size_t len, const struct wrap *w, struct buf *out)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20);
	const bool cr = len > 1 && line[len - 1] == '\r';
	struct wrap how = *w;

	wrap_mark(&text, *line == ' ' ? WRAP_DIM : 0, color_of(*line));
	text_seen(&text, line, len - cr, false);
	if (cr) /* as git shows one that others do not have */
		buf_adds(&text, "^M");
	how.first = "  ";
	how.rest = "    ";
	how.anywhere = true;
	wrap_add(out, &how, buf_cstr(&text), text.len);
}

/* The head of a hunk out of arguments, which do not say where. */
static bool is_nowhere(const char *line, size_t len)
{
	return text_starts(line, "@@ -0,") && memmem(line, len, " +0,", 4);
}

static bool ends_cr(const char *line, size_t len)
{
	return len > 1 && line[len - 1] == '\r';
}

/* Of a file with CR LF each line ends so: that is said once. */
static bool all_end_cr(const char *diff)
{
	bool any = false;

	for (; *diff && *diff != '[';
	     diff += strcspn(diff, "\n"), diff += *diff == '\n') {
		if (!strchr(" +-", *diff))
			continue;
		if (!ends_cr(diff, strcspn(diff, "\n")))
			return false;
		any = true;
	}
	return any;
}

/* Behind the last hunk there may be other words: a hunk says how long it is. */
struct diffview diffview_text(const char *diff, const struct wrap *w, size_t most,
			      struct buf *out)
{
	static const char said[] = " (each line ends in CR LF)";
	struct diffview ret = { 0 };
	const bool cr = all_end_cr(diff);
	unsigned old = 0, new = 0;

	if (cr && most)
		add_row(said, strlen(said), w, out);

	while (*diff) {
		const size_t len = (size_t)(strchrnul(diff, '\n') - diff);
		const char c = *diff;

		if (!old && !new && !text_starts(diff, "@@ -"))
			break;
		if (!old && !new)
			hunk_lengths(diff, &old, &new);
		else if (c != '\\') {
			old -= old && c != '+';
			new -= new &&c != '-';
			ret.added += c == '+';
			ret.removed += c == '-';
		}
		if (!(c == '@' && is_nowhere(diff, len)) && ret.rows++ < most)
			add_row(diff, len - (cr && ends_cr(diff, len)), w, out);
		diff += len + (diff[len] == '\n');
	}
	return ret;
}

static size_t count_lines(const char *s)
{
	size_t n = 0;

	for (; *s; s += strcspn(s, "\n"), s += *s == '\n')
		n++;
	return n;
}

static void add_lines(struct buf *diff, char mark, const char *s)
{
	while (*s) {
		const size_t n = strcspn(s, "\n");

		buf_addf(diff, "%c%.*s\n", mark, (int)n, s);
		s += n + (s[n] == '\n');
	}
}

static void add_edit(const struct json *edit, struct buf *diff)
{
	static const char *const olds[] = { "old", "old_string" };
	static const char *const news[] = { "new", "new_string", "content" };
	const char *old = NULL, *new = NULL;

	for (size_t i = 0; !old && i < ARRAY_SIZE(olds); i++)
		old = json_get_str(edit, olds[i]);
	for (size_t i = 0; !new &&i < ARRAY_SIZE(news); i++)
		new = json_get_str(edit, news[i]);
	if (!new)
		return;
	old = old ? old : "";
	buf_addf(diff, "@@ -0,%zu +0,%zu @@\n", count_lines(old), count_lines(new));
	add_lines(diff, '-', old);
	add_lines(diff, '+', new);
}

void diffview_args(const struct json *args, struct buf *diff)
{
	const struct json *edits = json_get(args, "edits");

	if (json_type(edits) != JSON_ARRAY) {
		add_edit(args, diff);
		return;
	}
	json_each(it, edits)
	{
		add_edit(it, diff);
	}
}
