#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _printf_(3, 0) void fill(struct err *e, int code, const char *fmt, va_list ap)
{
	assert(code < 0);
	e->code = code;
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): started by each caller
	 */
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
}

/* Adds as much of @text as fits. */
static void append(struct err *e, const char *text)
{
	size_t at = strlen(e->msg);
	size_t n = strnlen(text, sizeof(e->msg) - 1 - at);

	memcpy(e->msg + at, text, n);
	e->msg[at + n] = '\0';
}

int(err_sys)(struct err *e, int code, const char *fmt, ...)
{
	const char *reason = strerrordesc_np(-code);
	va_list ap;

	va_start(ap, fmt);
	fill(e, code, fmt, ap);
	va_end(ap);
	append(e, ": ");
	append(e, reason ? reason : "unknown error");
	return code;
}

int(err_set)(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(e, code, fmt, ap);
	va_end(ap);
	return code;
}

int(err_wrap)(struct err *e, const char *fmt, ...)
{
	char inner[sizeof(e->msg)];
	va_list ap;

	assert(e->code < 0);
	memcpy(inner, e->msg, sizeof(inner));
	va_start(ap, fmt);
	fill(e, e->code, fmt, ap);
	va_end(ap);
	append(e, ": ");
	append(e, inner);
	return e->code;
}

int(err_hint)(struct err *e, const char *fmt, ...)
{
	size_t n = strlen(e->msg);
	va_list ap;

	assert(e->code < 0);
	if (n + 3 >= sizeof(e->msg))
		return e->code;
	memcpy(e->msg + n, "; ", 3);
	va_start(ap, fmt);
	vsnprintf(e->msg + n + 2, sizeof(e->msg) - n - 2, fmt, ap);
	va_end(ap);
	return e->code;
}

bool err_is_shortage(int code)
{
	return code == -ENOSPC || code == -EDQUOT || code == -EROFS || code == -EIO ||
	       code == -ENOMEM || code == -EMFILE || code == -ENFILE;
}
