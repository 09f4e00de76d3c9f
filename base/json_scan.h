/* json_scan - is this text one JSON value, strictly by RFC 8259?
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  builds a value; json_parse() asks it first, because cJSON takes more than the
 *         grammar allows and has read past the end of texts that break it. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include "base/def.h"

enum { JSON_SCAN_DEPTH = 64 }; /* arrays and objects within each other */

/**
 * json_scan_check() - check the whole of a text
 * @bad_at: where the first fault is; set on failure only
 *
 * Beyond the grammar it refuses invalid UTF-8, half surrogate pairs, "\u0000" (no
 * string of ours holds a NUL) and more than JSON_SCAN_DEPTH levels.
 * Return: 0 or -EINVAL.
 */
int json_scan_check(const char *text, size_t len, size_t *bad_at);

/**
 * json_scan_within() - the same, of a text that has so many values at most
 * @values: how many there may be, those of containers and these themselves; what it has is
 *          taken off on success
 * Return: as json_scan_check(), or -E2BIG.
 */
int json_scan_within(const char *text, size_t len, size_t *values, size_t *bad_at);

#endif
