#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sys/sys.h"
#include "base/text.h"

enum { LINE_MAX_BYTES = 1024 };

static enum log_level current = LOG_QUIET;

void log_set_level(enum log_level level)
{
	current = level;
}

enum log_level log_get_level(void)
{
	return current;
}

/* One write per line, so that lines of several processes do not mix. Nobody can be
 * told when it fails, and errno stays what it was. */
static _printf_(1, 0) void line(const char *fmt, va_list ap)
{
	char text[LINE_MAX_BYTES], out[LINE_MAX_BYTES + 16] = "cubby: ";
	size_t at = strlen(out);
	int saved = errno;

	vsnprintf(text, sizeof(text), fmt, ap);
	text_escaped(out + at, LINE_MAX_BYTES, text, strlen(text));
	at = strlen(out);
	out[at++] = '\n';
	(void)sys_write(STDERR_FILENO, out, at);
	errno = saved;
}

void log_debug(const char *fmt, ...)
{
	va_list ap;

	if (current < LOG_DEBUG)
		return;
	va_start(ap, fmt);
	line(fmt, ap);
	va_end(ap);
}
