#include "agent/turn/alike.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/def.h"

static size_t digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* 12:34, 12:34:56, 12:34:56.789 */
static size_t clock_len(const char *s)
{
	size_t n = digits(s), m;

	if (n < 1 || n > 2 || s[n] != ':' || digits(s + n + 1) != 2)
		return 0;
	n += 3;
	if (s[n] == ':' && digits(s + n + 1) == 2)
		n += 3;
	m = s[n] == '.' || s[n] == ',' ? digits(s + n + 1) : 0;
	return m ? n + 1 + m : n;
}

/* 2024-05-06, with what may follow as T or a blank */
static size_t date_len(const char *s)
{
	return digits(s) == 4 && s[4] == '-' && digits(s + 5) == 2 && s[7] == '-' &&
			       digits(s + 8) == 2
		       ? 10
		       : 0;
}

/* 12s, 0.35 s, 120ms, 3 seconds: a number and a unit of time that ends there */
static size_t duration_len(const char *s)
{
	static const char *const units[] = { "seconds", "second", "secs", "sec",
					     "ms",	"us",	  "ns",	  "s" };
	size_t n = digits(s), m;

	m = n && s[n] == '.' ? digits(s + n + 1) : 0;
	n += m ? m + 1 : 0;
	if (!n)
		return 0;
	m = s[n] == ' ' ? 1 : 0;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t u = strlen(units[i]);

		if (strncmp(s + n + m, units[i], u) == 0 &&
		    !isalnum((unsigned char)s[n + m + u]))
			return n + m + u;
	}
	return 0;
}

/* A number behind "pid" or a job's "[1] ". */
static bool behind_pid(const char *text, const char *at)
{
	const char *p = at;

	while (p > text && strchr(" =:(#", p[-1]))
		p--;
	if (p - text >= 3 && strncasecmp(p - 3, "pid", 3) == 0)
		return true;
	if (p - text >= 7 && strncasecmp(p - 7, "process", 7) == 0)
		return true;
	if (p == at || p[-1] != ']')
		return false;
	for (p--; p > text && isdigit((unsigned char)p[-1]);)
		p--;
	return p > text && p[-1] == '[';
}

static size_t volatile_len(const char *text, const char *at)
{
	size_t n = date_len(at);

	if (!n)
		n = clock_len(at);
	if (!n)
		n = duration_len(at);
	if (!n && behind_pid(text, at))
		n = digits(at);
	return n;
}

int alike_text(const char *text, struct buf *out)
{
	int r = 0;

	for (const char *p = text; *p && r == 0;) {
		size_t n = 0;

		if (isdigit((unsigned char)*p)) {
			n = volatile_len(text, p);
			r = n ? buf_addc(out, '#') : 0;
			if (!n) {
				n = digits(p);
				r = buf_add(out, p, n);
			}
		} else {
			n = strcspn(p, "0123456789");
			r = buf_add(out, p, n);
		}
		p += n;
	}
	return r;
}
