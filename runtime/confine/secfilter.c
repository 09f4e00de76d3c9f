/* The programs were made when this was built (scripts/mkfilters.c), for the processor that
 * it is built for. */
#include "runtime/confine/secfilter.h"

#include "base/embed.h"

#ifdef __x86_64__
#define ARCH "x86_64"
#elif defined(__aarch64__)
#define ARCH "aarch64"
#else
#define ARCH "native"
#endif

#define PROGRAM(name) EMBED(secfilter_##name, CUBBY_FILTERS "/" ARCH "/" #name)

PROGRAM(box);
PROGRAM(setid);
PROGRAM(setid_root);
PROGRAM(fake);
PROGRAM(gate);

static const struct {
	const char *at, *end;
} programs[] = {
	[SECFILTER_BOX] = { secfilter_box, secfilter_box_end },
	[SECFILTER_SETID] = { secfilter_setid, secfilter_setid_end },
	[SECFILTER_SETID_ROOT] = { secfilter_setid_root, secfilter_setid_root_end },
	[SECFILTER_FAKE] = { secfilter_fake, secfilter_fake_end },
	[SECFILTER_GATE] = { secfilter_gate, secfilter_gate_end },
};

const void *secfilter_program(enum secfilter_kind kind, size_t *len)
{
	*len = (size_t)(programs[kind].end - programs[kind].at);
	return programs[kind].at;
}

int secfilter_apply(enum secfilter_kind kind, struct err *e)
{
	size_t len;
	const void *program = secfilter_program(kind, &len);

	return secfilter_install(program, len, e);
}
