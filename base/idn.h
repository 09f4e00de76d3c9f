/* idn - international names of hosts in the form in which they are looked up (IDNA 2008).
 * Needs:  libidn2, which comes with libcurl; loaded when the first such name is met.
 * Owns:   nothing.
 * Never:  says that a name can exist: what comes out is still to be checked. */
#ifndef BASE_IDN_H
#define BASE_IDN_H

#include <stdbool.h>

#include "base/err.h"

/** idn_needed() - is there anything but ASCII in it? */
bool idn_needed(const char *name);

/**
 * idn_to_ascii() - "bücher.example" becomes "xn--bcher-kva.example"
 * @name: UTF-8, at most IDN_NAME bytes
 * @ret:  owned by the caller, who frees it; filled on success only
 * Return: 0, -EINVAL (no such name can be, or no UTF-8), -ENOPKG (no library), -ENOMEM.
 */
int idn_to_ascii(const char *name, char **ret, struct err *e);
enum { IDN_NAME = 1024 };

#endif
