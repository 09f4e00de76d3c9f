/* words - a NULL-ended list of strings, as options repeat.
 * Needs:  strings that outlive it (argv, the configuration).
 * Owns:   the list, not the strings.
 * Never:  grows beyond WORDS_MAX. */
#ifndef CLI_OPT_WORDS_H
#define CLI_OPT_WORDS_H

#include "base/scope.h"

enum { WORDS_MAX = 1024 };

struct words {
	const char *
		*v; /* owned list of borrowed strings, NULL-ended; NULL when empty */
	size_t n;
};
#define WORDS_NONE ((struct words){ 0 })

/** words_add() - 0, -E2BIG or -ENOMEM */
int words_add(struct words *w, const char *s);
void words_done(struct words *w);
#define _cleanup_words_ _cleanup_(words_done)

/** words_list() - the list itself, never NULL; borrowed */
const char *const *words_list(const struct words *w);

#endif
