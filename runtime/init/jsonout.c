#include "runtime/init/jsonout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

static void flush(struct jsonout *j)
{
	if (!j->failed)
		j->failed = file_write_fd(1, j->data, j->len, ERR_IGNORED);
	j->len = 0;
}

static void put(struct jsonout *j, const char *s, size_t len)
{
	if (len > sizeof(j->data) - j->len)
		flush(j);
	memcpy(j->data + j->len, s, len); /* all pieces are short */
	j->len += len;
}

void jsonout_raw(struct jsonout *j, const char *text)
{
	put(j, text, strlen(text));
}

void jsonout_text(struct jsonout *j, const char *s, size_t len)
{
	while (len) {
		int n = text_utf8_len(s, len);
		char code[8];

		if (n <= 0) {
			jsonout_raw(j, TEXT_REPLACEMENT);
			n = 1;
		} else if (*s == '"' || *s == '\\') {
			put(j, (char[]){ '\\', *s }, 2);
		} else if (*s == '\n') {
			put(j, "\\n", 2);
		} else if ((unsigned char)*s < ' ') {
			snprintf(code, sizeof(code), "\\u%04x", (unsigned char)*s);
			jsonout_raw(j, code);
		} else {
			put(j, s, (size_t)n);
		}
		s += n;
		len -= (size_t)n;
	}
}

static void name_of(struct jsonout *j, bool first, const char *name)
{
	jsonout_raw(j, first ? "\"" : ",\"");
	jsonout_raw(j, name);
	jsonout_raw(j, "\":");
}

void jsonout_string(struct jsonout *j, bool first, const char *name, const char *s)
{
	name_of(j, first, name);
	jsonout_raw(j, "\"");
	jsonout_text(j, s, strlen(s));
	jsonout_raw(j, "\"");
}

void jsonout_number(struct jsonout *j, bool first, const char *name, int64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, n);
	name_of(j, first, name);
	jsonout_raw(j, text);
}

void jsonout_bool(struct jsonout *j, const char *name, bool b)
{
	name_of(j, false, name);
	jsonout_raw(j, b ? "true" : "false");
}

int jsonout_end(struct jsonout *j, struct err *e)
{
	flush(j);
	return j->failed < 0 ? err_sys(e, j->failed, "cannot answer") : 0;
}
