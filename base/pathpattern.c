#include "base/pathpattern.h"

#include <fnmatch.h>
#include <string.h>

void pathpattern_split(char *path)
{
	while ((path = strchr(path, '/')))
		*path++ = '\0';
}

static struct pathpattern behind(struct pathpattern p)
{
	const size_t n = strlen(p.s) + 1;

	return (struct pathpattern){ p.s + n, p.len - n };
}

static bool is_any(const char *part)
{
	const size_t n = strspn(part, "*");

	return n >= 2 && !part[n];
}

/* Of several "**" only the last one has to be tried again: what stands before it has been
 * found as early as can be. At its end it is all that is in there: one part at the least. */
bool pathpattern_fits(struct pathpattern p, struct pathpattern path, int flags)
{
	struct pathpattern star = { 0 }, from = { 0 };

	while (path.len) {
		if (p.len && is_any(p.s)) {
			star = p = behind(p);
			from = path;
			if (!p.len)
				return true;
		} else if (p.len && fnmatch(p.s, path.s, flags) == 0) {
			p = behind(p);
			path = behind(path);
		} else if (star.s) {
			p = star;
			path = from = behind(from);
		} else {
			return false;
		}
	}
	return !p.len;
}
