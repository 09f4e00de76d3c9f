/* What the next result of a session has to tell beside its output. */
#include <stdarg.h>
#include <stdlib.h>

#include "agent/session/impl.h"

enum { NOTE_MAX = 1000 };

void session_note(struct session *s, const char *fmt, ...)
{
	_cleanup_buf_ struct buf b = BUF_INIT(NOTE_MAX);
	va_list ap;

	if (s->note && (buf_adds(&b, s->note) < 0 || buf_adds(&b, "; ") < 0))
		return;
	va_start(ap, fmt);
	if (buf_vaddf(&b, fmt, ap) == 0) {
		free(s->note);
		s->note = buf_steal(&b);
	}
	va_end(ap);
}
