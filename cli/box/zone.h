/* zone - the time zone of a box is that of the person, also where the image has no zones:
 * the rule of the zone goes along with its name, for init to take instead
 * (runtime/init/payload_env.h).
 * Needs:  the host's zoneinfo; where there is none, the name alone goes.
 * Owns:   nothing.
 * Never:  overrules a TZ of the person's or of the image's. */
#ifndef CLI_BOX_ZONE_H
#define CLI_BOX_ZONE_H

#include "base/buf.h"
#include "cli/box/env.h"

/** zone_add() - TZ as /etc/localtime has it where @env has none, and its rule
 *  @root: in front of every path; "" = the host's
 *  Return: 0; 1: this machine has no zone of that name; -ENOMEM. */
int zone_add(struct env *env, const char *root, struct err *e);

/** zone_rule() - the rule at the end of the file of a zone (RFC 8536, 3.3): a NUL-ended
 *  text, moved to the beginning of @file; -EINVAL: there is none */
int zone_rule(struct buf *file);

#endif
