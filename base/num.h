/* num - numbers that people write, read strictly: the whole string or an error.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  accepts signs, spaces, trailing text or overflow. All but num_hex() return 0,
 *         -EINVAL or -ERANGE, and touch @ret on success only. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdint.h>

int num_u64(const char *s, uint64_t *ret);
/** num_range() - an integer in [@lo, @hi] */
int num_range(const char *s, uint64_t lo, uint64_t hi, uint64_t *ret);
/** num_bytes() - "128M", "1.5G", "4096"; K M G T, with or without i and B: powers of
 * 1024 */
int num_bytes(const char *s, uint64_t *ret);
/** num_ms() - "30" and "30s", "2.5s", "150ms", "5m", "1h", "2d", in milliseconds */
int num_ms(const char *s, uint64_t *ret);
/** num_milli() - "0.5" → 500, "2" → 2000 (three digits at most behind the point) */
int num_milli(const char *s, uint32_t *ret);
/** num_octal() - "0644", at most 07777 */
int num_octal(const char *s, uint32_t *ret);
/** num_hex() - the value of one hexadecimal digit; -1: it is none */
int num_hex(char c);

#endif
