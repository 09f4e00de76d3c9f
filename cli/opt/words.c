#include "cli/opt/words.h"

#include <errno.h>
#include <stdlib.h>

int words_add(struct words *w, const char *s)
{
	const char **v;

	if (w->n >= WORDS_MAX)
		return -E2BIG;
	v = reallocarray(w->v, w->n + 2, sizeof(*v));
	if (!v)
		return -ENOMEM;
	v[w->n++] = s;
	v[w->n] = NULL;
	w->v = v;
	return 0;
}

void words_done(struct words *w)
{
	free(w->v);
	*w = WORDS_NONE;
}

const char *const *words_list(const struct words *w)
{
	static const char *const none[] = { NULL };

	return w->v ? w->v : none;
}
