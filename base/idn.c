#include "base/idn.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/def.h"
#include "base/dl.h"

/* The interface of libidn2.so.0 as its <idn2.h> has it since 2.0, written out: three
 * functions are no reason to ask every builder for its headers. */
enum { IDN2_NFC_INPUT = 1, IDN2_NONTRANSITIONAL = 8, IDN2_MALLOC = -100 };

struct idn2 {
	int (*to_ascii)(const char *utf8, char **ret, int flags);
	const char *(*strerror)(int code);
	void (*free)(void *p);
};

static const struct dl_symbol symbols[] = {
	DL_SYMBOL(struct idn2, to_ascii, "idn2_to_ascii_8z"),
	DL_SYMBOL(struct idn2, strerror, "idn2_strerror"),
	DL_SYMBOL(struct idn2, free, "idn2_free"),
};

static const struct dl_library library = { "libidn2.so.0", "libidn2-0", symbols,
					   ARRAY_SIZE(symbols) };

bool idn_needed(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name > 127)
			return true;
	return false;
}

int idn_to_ascii(const char *name, char **ret, struct err *e)
{
	struct idn2 idn2;
	char *ascii = NULL;
	int r = 0;

	if (strnlen(name, IDN_NAME + 1) > IDN_NAME)
		return err_set(e, -EINVAL, "the name is too long");
	r = dl_load(&library, &idn2, e);
	if (r < 0)
		return r;
	r = idn2.to_ascii(name, &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
	if (r == IDN2_MALLOC)
		return err_sys(e, -ENOMEM, "cannot convert a name");
	if (r)
		return err_set(e, -EINVAL, "%s", idn2.strerror(r));
	*ret = strdup(ascii);
	idn2.free(ascii);
	return *ret ? 0 : err_sys(e, -ENOMEM, "cannot convert a name");
}
