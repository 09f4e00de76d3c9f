/* reviewheld - what of a box's changes is held: which of a list that was told, and what stands for
 * what a person was shown of it.
 * Needs:  what review_ask() told.
 * Owns:   its list.
 * Never:  asks anybody. */
#ifndef CLI_REVIEW_HELD_H
#define CLI_REVIEW_HELD_H

#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"

struct reviewheld {
	struct json *list;   /* owned */
	bool all;	     /* all that is in the list; else what was not taken over */
	char seen[HASH_HEX]; /* of all of them */
};
void reviewheld_done(struct reviewheld *h);

/** reviewheld_member_is() - whether the text @key of a change is @value */
bool reviewheld_member_is(const struct json *j, const char *key, const char *value);
/** reviewheld_is_change() - a line of its own, and not a directory that others tell of */
bool reviewheld_is_change(const struct json *j);
/** reviewheld_is() - a change of the list that is held */
bool reviewheld_is(const struct reviewheld *h, const struct json *j);
/** reviewheld_is_in() - whether an operation on @paths is on it; NULL = on all */
bool reviewheld_is_in(const struct json *paths, const struct json *j);
/** reviewheld_can_merge() - both sides of it can be put together, with no line that both have
 *  changed; of the second, of any of them */
bool reviewheld_can_merge(const struct reviewheld *h, const struct json *j);
bool reviewheld_can_merge_any(const struct reviewheld *h);
/** reviewheld_seen() - what stands for those of @paths, as they were shown */
int reviewheld_seen(const struct reviewheld *h, const struct json *paths,
		    char ret[HASH_HEX], struct err *e);

#endif
