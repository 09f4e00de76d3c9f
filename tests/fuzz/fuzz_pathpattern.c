/* A pattern and a path, a line each: the answer is that of trying all that "**" could be. */
#include <assert.h>
#include <fnmatch.h>
#include <stdint.h>
#include <string.h>

#include "base/pathpattern.h"

enum { NAMES = 24, BYTES = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t take_names(char *text, size_t len, const char *ret[NAMES])
{
	size_t n = 0;

	for (const char *s = text; s < text + len; s += strlen(s) + 1) {
		if (n == NAMES)
			return 0;
		ret[n++] = s;
	}
	return n;
}

static bool is_any(const char *name)
{
	return strncmp(name, "**", 2) == 0 && !name[strspn(name, "*")];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[BYTES], *path = text;
	const char *p[NAMES], *s[NAMES];
	bool fits[NAMES + 1][NAMES + 1] = { { false } };
	size_t np, ns, n;
	int flags;

	if (size < 2 || size >= sizeof(text) || memchr(data, 0, size))
		return 0;
	flags = data[0] & 1 ? FNM_CASEFOLD : 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	path = strchr(text, '\n');
	if (!path)
		return 0;
	*path++ = '\0';
	n = strlen(text) + 1;
	pathpattern_split(text);
	size = strlen(path) + 1;
	pathpattern_split(path);
	np = take_names(text, n, p);
	ns = take_names(path, size, s);
	if (!np || !ns)
		return 0;
	fits[np][ns] = true;
	for (size_t i = np; i-- > 0;)
		for (size_t j = ns + 1; j-- > 0;)
			if (!is_any(p[i]))
				fits[i][j] = j < ns && fits[i + 1][j + 1] &&
					     fnmatch(p[i], s[j], flags) == 0;
			else if (i + 1 == np)
				fits[i][j] = j < ns;
			else
				fits[i][j] =
					fits[i + 1][j] || (j < ns && fits[i][j + 1]);
	assert(pathpattern_fits((struct pathpattern){ text, n },
				(struct pathpattern){ path, size },
				flags) == fits[0][0]);
	return 0;
}
