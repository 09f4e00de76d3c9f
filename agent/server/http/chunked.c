#include "agent/server/http/chunked.h"

#include <errno.h>

#include "base/num.h"

enum { DIGITS_MAX = 12, SKIPPED_MAX = 4096 };

enum state {
	SIZE,
	BLANK,
	EXTENSION,
	SIZE_LF,
	DATA,
	DATA_CR,
	DATA_LF,
	TRAILER,
	FIELD,
	FIELD_LF,
	LAST_LF
};

static int take_size(struct chunked *c, char ch)
{
	int digit = num_hex(ch);

	if (digit >= 0 && c->digits < DIGITS_MAX) {
		c->left = c->left * 16 + (unsigned)digit;
		c->digits++;
		return SIZE;
	}
	if (!c->digits || digit >= 0)
		return -EBADMSG;
	if (ch == '\r')
		return SIZE_LF;
	return ch == ' ' || ch == '\t' ? BLANK : ch == ';' ? EXTENSION : -EBADMSG;
}

/* Between the size and what is behind it. */
static int take_blank(struct chunked *c, char ch)
{
	if (ch == ' ' || ch == '\t')
		return ++c->skipped > SKIPPED_MAX ? -EBADMSG : BLANK;
	return ch == '\r' ? SIZE_LF : ch == ';' ? EXTENSION : -EBADMSG;
}

/* What nobody reads has a limit, too. */
static int skip(struct chunked *c, char ch, int stay, int next)
{
	if (ch == '\r')
		return next;
	return ch == '\n' || ++c->skipped > SKIPPED_MAX ? -EBADMSG : stay;
}

/* Any byte but data. */
static int step(struct chunked *c, char ch)
{
	switch ((enum state)c->state) {
	case SIZE:
		return take_size(c, ch);
	case BLANK:
		return take_blank(c, ch);
	case EXTENSION:
		return skip(c, ch, EXTENSION, SIZE_LF);
	case SIZE_LF:
		return ch != '\n' ? -EBADMSG : c->left ? DATA : TRAILER;
	case DATA_CR:
		return ch == '\r' ? DATA_LF : -EBADMSG;
	case DATA_LF:
		c->digits = 0;
		return ch == '\n' ? SIZE : -EBADMSG;
	case TRAILER:
		return ch == '\r' ? LAST_LF : skip(c, ch, FIELD, LAST_LF);
	case FIELD:
		return skip(c, ch, FIELD, FIELD_LF);
	case FIELD_LF:
		return ch == '\n' ? TRAILER : -EBADMSG;
	default:
		return -EBADMSG;
	}
}

int chunked_feed(struct chunked *c, const char *in, size_t len, size_t *used,
		 struct chunked_data *ret)
{
	size_t i = 0;

	*ret = (struct chunked_data){ in, 0 };
	for (; i < len && c->state != DATA; i++) {
		if (c->state == LAST_LF) {
			*used = i + 1;
			return in[i] == '\n' ? 1 : -EBADMSG;
		}
		c->state = step(c, in[i]);
		if (c->state < 0)
			return -EBADMSG;
	}
	if (c->state == DATA && i < len) {
		*ret = (struct chunked_data){ in + i, (size_t)MIN((uint64_t)(len - i),
								  c->left) };
		c->left -= ret->len;
		i += ret->len;
		if (!c->left)
			c->state = DATA_CR;
	}
	*used = i;
	return 0;
}
