#include "cli/box/zone.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#define BODY "TZif2\0\0\0body\n\0\n"

static const struct row {
	const char *name, *file;
	size_t len;
	const char *want; /* NULL = there is no rule */
} rows[] = {
	{ "a rule", BODY "CET-1CEST,M3.5.0,M10.5.0/3\n",
	  sizeof(BODY "CET-1CEST,M3.5.0,M10.5.0/3\n") - 1,
	  "CET-1CEST,M3.5.0,M10.5.0/3" },
	{ "an old file has none", BODY "\n", sizeof(BODY "\n") - 1, NULL },
	{ "no line", "TZif", 4, NULL },
	{ "one byte less", "TZi", 3, NULL },
	{ "no file of a zone", "text\nUTC0\n", 10, NULL },
	{ "no end", BODY "CET-1", sizeof(BODY "CET-1") - 1, NULL },
	{ "other bytes", BODY "CET\033-1\n", sizeof(BODY "CET\033-1\n") - 1, NULL },
	{ "a NUL", BODY "CET\0-1\n", sizeof(BODY "CET\0-1\n") - 1, NULL },
};

static void test(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf b = BUF_INIT(1024);

	assert_int_equal(buf_add(&b, row->file, row->len), 0);
	assert_int_equal(zone_rule(&b), row->want ? 0 : -EINVAL);
	if (row->want)
		assert_string_equal(buf_cstr(&b), row->want);
}

static void write_zone(void)
{
	static const char text[] = BODY "EST5EDT\n";
	char path[256];
	int fd;

	for (const char *const *d =
		     (const char *const[]){ "etc", "usr", "usr/share",
					    "usr/share/zoneinfo",
					    "usr/share/zoneinfo/America", NULL };
	     *d; d++) {
		snprintf(path, sizeof(path), "%s/%s", unit_tmpdir(), *d);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(path, sizeof(path), "%s/usr/share/zoneinfo/America/Lima",
		 unit_tmpdir());
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
}

static void link_to(const char *zone)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/etc/localtime", unit_tmpdir());
	(void)unlink(path);
	assert_int_equal(symlink(zone, path), 0);
}

/* "TZ CUBBY_TZ" of a box whose caller has @set; "!" behind it: there is no such zone. */
static void gives(const char *set, const char *want)
{
	_cleanup_env_ struct env env = ENV_NONE;
	struct err e = ERR_NONE;
	char got[160];
	int r;

	if (set)
		assert_int_equal(env_put(&env, "TZ", set), 0);
	r = zone_add(&env, unit_tmpdir(), &e);
	unit_ok(r, &e);
	snprintf(got, sizeof(got), "%s %s%s", env_get(&env, "TZ") ?: "-",
		 env_get(&env, ENV_ZONE_RULE) ?: "-", r > 0 ? "!" : "");
	assert_string_equal(got, want);
}

static void of_the_host(void)
{
	write_zone();
	gives(NULL, "- -");
	link_to("/usr/share/zoneinfo/Etc/UTC");
	gives(NULL, "- -");
	link_to("../usr/share/zoneinfo/America/Lima");
	gives(NULL, "America/Lima EST5EDT");
	gives("UTC", "UTC -");
	gives("../zoneinfo/America/Lima", "../zoneinfo/America/Lima -");
	gives("", " -");
	gives("Nowhere/X", "Nowhere/X -!");
	gives("Nowhere", "Nowhere -!");
	gives("Etc/GMT+5", "Etc/GMT+5 -!");
	gives("CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3 -");
	gives("<+03>-3", "<+03>-3 -");
	gives(":Nowhere/X", ":Nowhere/X -");
}

int main(void)
{
	static const struct unit_case cases[] = { { "of the host", of_the_host } };

	return unit_rows("zone_rule", rows, test) + unit_cases("zone", cases);
}
