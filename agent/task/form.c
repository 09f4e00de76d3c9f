#include "agent/task/form.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Without blanks around it, and without ```json and ```. */
static size_t bare(const char **text)
{
	static const char fence[] = "```";
	const char *s = *text + strspn(*text, " \t\r\n"), *line;
	size_t len = strlen(s);

	while (len && strchr(" \t\r\n", s[len - 1]))
		len--;
	line = text_starts(s, fence) ? memchr(s, '\n', len) : NULL;
	if (line && len > 6 && memcmp(s + len - 3, fence, 3) == 0 &&
	    line < s + len - 3) {
		len -= (size_t)(line + 1 - s) + 3;
		s = line + 1;
	}
	*text = s;
	return len;
}

int form_answer(const struct json *schema, const char *text, struct buf *ret,
		char why[SCHEMA_WHY])
{
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;
	size_t len = bare(&text);
	int r = json_parse(text, len, &j, &e);

	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		snprintf(why, SCHEMA_WHY, "it is no JSON: %.200s", e.msg);
		return 0;
	}
	if (!schema_fits(schema, j, why))
		return 0;
	r = json_print(j, false, ret);
	return r < 0 ? r : 1;
}

int form_ask(const struct json *schema, struct buf *task)
{
	buf_adds(task, "\n\n[cubby: the answer of finish has to be JSON alone, and fit "
		       "this schema:]\n");
	return json_print(schema, false, task);
}
