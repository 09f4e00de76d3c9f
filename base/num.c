#include "base/num.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/def.h"

enum { NUM_DIGITS = 9 }; /* behind the point: enough for bytes of a GiB */

/* A number with an optional fraction: value = whole + frac / scale. */
struct decimal {
	uint64_t whole;
	uint64_t frac;
	uint64_t scale;	  /* a power of ten; 1 = no point was there */
	const char *rest; /* behind the last digit; borrowed */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int read_whole(const char **s, uint64_t *ret)
{
	uint64_t v = 0;

	if (!is_digit(**s))
		return -EINVAL;
	for (; is_digit(**s); (*s)++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(**s - '0'), &v))
			return -ERANGE;
	*ret = v;
	return 0;
}

static int read_decimal(const char *s, struct decimal *ret)
{
	struct decimal d = { .scale = 1 };
	int r = read_whole(&s, &d.whole);

	if (r < 0)
		return r;
	if (*s == '.') {
		const char *first = ++s;

		for (; is_digit(*s) && s - first < NUM_DIGITS; s++) {
			d.frac = d.frac * 10 + (uint64_t)(*s - '0');
			d.scale *= 10;
		}
		if (s == first || is_digit(*s))
			return -EINVAL;
	}
	d.rest = s;
	*ret = d;
	return 0;
}

/* value * unit, the rest below one thrown away */
static int scaled(const struct decimal *d, uint64_t unit, uint64_t *ret)
{
	unsigned __int128 v = (unsigned __int128)d->whole * unit +
			      (unsigned __int128)d->frac * unit / d->scale;

	if (v > UINT64_MAX)
		return -ERANGE;
	*ret = (uint64_t)v;
	return 0;
}

int num_u64(const char *s, uint64_t *ret)
{
	uint64_t v = 0;
	int r = read_whole(&s, &v);

	if (*s && r != -EINVAL) {
		while (is_digit(*s))
			s++;
		if (*s)
			return -EINVAL;
	}
	if (r < 0)
		return r;
	*ret = v;
	return 0;
}

int num_range(const char *s, uint64_t lo, uint64_t hi, uint64_t *ret)
{
	uint64_t v;
	int r = num_u64(s, &v);

	if (r < 0)
		return r;
	if (v < lo || v > hi)
		return -ERANGE;
	*ret = v;
	return 0;
}

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* "", "B", "K", "KB", "Ki", "KiB" and so on, the letters in either case */
static int bytes_unit(const char *s, uint64_t *ret)
{
	static const char letters[] = "KMGT";
	const char *at = *s ? strchr(letters, upper(*s)) : NULL;
	uint64_t unit = 1;

	if (at) {
		unit <<= 10 * (at - letters + 1);
		s++;
		if (*s == 'i')
			s++;
	}
	if (upper(*s) == 'B')
		s++;
	if (*s)
		return -EINVAL;
	*ret = unit;
	return 0;
}

int num_bytes(const char *s, uint64_t *ret)
{
	struct decimal d;
	uint64_t unit;
	int r = read_decimal(s, &d);

	if (r < 0)
		return r;
	r = bytes_unit(d.rest, &unit);
	if (r < 0)
		return r;
	if (unit == 1 && d.scale > 1)
		return -EINVAL; /* half a byte */
	return scaled(&d, unit, ret);
}

int num_ms(const char *s, uint64_t *ret)
{
	static const struct {
		const char *name;
		uint64_t ms;
	} units[] = {
		{ "", 1000 },	{ "s", 1000 },	  { "ms", 1 },
		{ "m", 60000 }, { "h", 3600000 }, { "d", 86400000 },
	};
	struct decimal d;
	int r = read_decimal(s, &d);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(d.rest, units[i].name))
			return scaled(&d, units[i].ms, ret);
	return -EINVAL;
}

int num_milli(const char *s, uint32_t *ret)
{
	struct decimal d;
	uint64_t v;
	int r = read_decimal(s, &d);

	if (r < 0)
		return r;
	if (*d.rest || d.scale > 1000)
		return -EINVAL;
	r = scaled(&d, 1000, &v);
	if (r < 0 || v > UINT32_MAX)
		return -ERANGE;
	*ret = (uint32_t)v;
	return 0;
}

int num_octal(const char *s, uint32_t *ret)
{
	uint32_t v = 0;

	if (!*s)
		return -EINVAL;
	for (const char *p = s; *p; p++)
		if (*p < '0' || *p > '7')
			return -EINVAL;
	for (; *s; s++) {
		v = v * 8 + (uint32_t)(*s - '0');
		if (v > 07777)
			return -ERANGE;
	}
	*ret = v;
	return 0;
}

int num_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20; /* small */
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
