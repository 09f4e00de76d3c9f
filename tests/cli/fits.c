/* fits - do the values of standard input fit a JSON Schema? For tests of what cubby prints.
 *
 * usage: fits SCHEMA       a value a line; what does not fit is said, and the status is 1 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/schema.h"

enum { SCHEMA_MAX = 1 << 20, WRONG = 1, FAILED = 2 };

static int check_line(const struct json *schema, const char *line, size_t len)
{
	struct json *value = NULL;
	struct err e = ERR_NONE;
	char why[SCHEMA_WHY];
	bool fits;

	if (json_parse(line, len, &value, &e) < 0) {
		fprintf(stderr, "fits: %s: %s\n", e.msg, line);
		return WRONG;
	}
	fits = schema_fits(schema, value, why);
	if (!fits)
		fprintf(stderr, "fits: %s: %s\n", why, line);
	json_free(&value);
	return fits ? 0 : WRONG;
}

int main(int argc, char **argv)
{
	struct buf text = BUF_INIT(SCHEMA_MAX);
	struct json *schema = NULL;
	struct err e = ERR_NONE;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int status = 0, lines = 0;

	if (argc != 2) {
		fputs("usage: fits SCHEMA\n", stderr);
		return FAILED;
	}
	if (file_read(AT_FDCWD, argv[1], &text, &e) < 0 ||
	    json_parse(text.data, text.len, &schema, &e) < 0 ||
	    schema_check(schema, &e) < 0) {
		fprintf(stderr, "fits: %s: %s\n", argv[1], e.msg);
		return FAILED;
	}
	for (; (n = getline(&line, &room, stdin)) > 0; lines++)
		if (check_line(schema, line, (size_t)n) != 0)
			status = WRONG;
	if (!lines) {
		fputs("fits: there is no value\n", stderr);
		status = WRONG;
	}
	free(line);
	json_free(&schema);
	buf_done(&text);
	return status;
}
