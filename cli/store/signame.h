/* signame - signals by the names that people use.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  accepts 0, which asks whether a process is there. */
#ifndef CLI_STORE_SIGNAME_H
#define CLI_STORE_SIGNAME_H

/** signame_parse() - "TERM", "sigterm", "15", "RTMIN+3"; 0 and *@ret, or -EINVAL */
int signame_parse(const char *s, int *ret);

#endif
