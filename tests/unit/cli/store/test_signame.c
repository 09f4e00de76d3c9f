#include "tests/unit/unit.h"

#include <signal.h>

#include "cli/store/signame.h"

static const struct row {
	const char *name, *text;
	int want; /* a signal, or a negative errno */
} rows[] = {
	{ "a name", "TERM", SIGTERM },
	{ "with SIG", "SIGKILL", SIGKILL },
	{ "in small letters", "hup", SIGHUP },
	{ "a number", "9", SIGKILL },
	{ "nought", "0", -EINVAL },
	{ "too large", "999", -EINVAL },
	{ "nonsense", "SIGLOTS", -EINVAL },
	{ "empty", "", -EINVAL },
	{ "the end of systemd", "SIGRTMIN+3", 37 },
	{ "the first of its kind", "rtmin", 34 },
	{ "the last but one", "RTMAX-1", 63 },
	{ "beyond the last", "RTMIN+31", -EINVAL },
	{ "upwards from the last", "RTMAX+1", -EINVAL },
	{ "no step", "RTMIN+", -EINVAL },
};

static void test(const void *p)
{
	const struct row *r = p;
	int got = 77, ret = signame_parse(r->text, &got);

	assert_int_equal(ret, r->want < 0 ? r->want : 0);
	assert_int_equal(got, r->want < 0 ? 77 : r->want);
}

int main(void)
{
	return unit_rows("signame", rows, test);
}
