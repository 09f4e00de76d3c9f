/* skillhead - what stands at the head of a SKILL.md: name and description.
 * Needs:  nothing; pure.
 * Owns:   nothing.
 * Never:  reads more of YAML than plain, quoted and folded values of these two. */
#ifndef RUNTIME_INIT_SKILLHEAD_H
#define RUNTIME_INIT_SKILLHEAD_H

#include <stddef.h>

enum { SKILLHEAD_NAME = 256, SKILLHEAD_SAYS = 1024 };

struct skillhead {
	char name[SKILLHEAD_NAME]; /* "" = it says none */
	char description[SKILLHEAD_SAYS + 1];
	size_t body; /* where the text begins */
};

/** skillhead_read() - 0, or -EINVAL: no head, or one without description */
int skillhead_read(const char *text, size_t len, struct skillhead *ret);

#endif
