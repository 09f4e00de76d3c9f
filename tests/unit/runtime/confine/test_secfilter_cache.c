#include "runtime/confine/secfilter_cache.h"

#include <dirent.h>
#include <fcntl.h>

#include "tests/unit/unit.h"

static const struct secfilter_rule rules[] = { { "read", 1, SECFILTER_ALWAYS, 0, 0,
						 0 } };
static const char *const names[] = { "write", NULL };
static const struct secfilter_table table = { "x", ENOSYS, names, NULL, rules, 1 };
static const char prog[16] = "0123456789abcdef";

struct fixture {
	int dir;
	struct buf in, out;
	char path[512]; /* of the cache file */
};

static void fixture_open(struct fixture *f)
{
	struct err e = ERR_NONE;
	struct dirent *entry;
	DIR *dir;

	*f = (struct fixture){ .in = BUF_INIT(64), .out = BUF_INIT(64) };
	f->dir = open(unit_tmpdir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(f->dir >= 0);
	assert_int_equal(secfilter_cache_load(f->dir, &table, &f->out), -ENOENT);
	assert_int_equal(buf_add(&f->in, prog, sizeof(prog)), 0);
	unit_ok(secfilter_cache_save(f->dir, &table, &f->in, &e), &e);
	dir = opendir(unit_tmpdir());
	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			snprintf(f->path, sizeof(f->path), "%s/%s", unit_tmpdir(),
				 entry->d_name);
	closedir(dir);
}

static void fixture_close(struct fixture *f)
{
	close(f->dir);
	buf_done(&f->in);
	buf_done(&f->out);
}

static void kept_and_found(void)
{
	struct fixture f;

	fixture_open(&f);
	assert_int_equal(secfilter_cache_load(f.dir, &table, &f.out), 0);
	assert_int_equal(f.out.len, sizeof(prog));
	assert_memory_equal(f.out.data, prog, sizeof(prog));
	fixture_close(&f);
}

static void other_tables_have_other_files(void)
{
	static const char *const more[] = { "write", "close", NULL };
	struct secfilter_rule rule = rules[0];
	struct secfilter_table others[] = { table, table, table, table };
	struct fixture f;

	fixture_open(&f);
	rule.value = 1;
	others[0].otherwise = EPERM;
	others[1].allow = more;
	others[2].refuse = names;
	others[3].rules = &rule;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_int_equal(secfilter_cache_load(f.dir, &others[i], &f.out),
				 -ENOENT);
	fixture_close(&f);
}

/* One changed bit anywhere, and every shorter file, is a miss and never a program. */
static void damage_is_a_miss(void)
{
	unsigned char all[128];
	struct fixture f;
	int fd;
	ssize_t n;

	fixture_open(&f);
	fd = open(f.path, O_RDWR | O_CLOEXEC);
	n = pread(fd, all, sizeof(all), 0);
	assert_true(n > (ssize_t)sizeof(prog));
	for (ssize_t i = 0; i < n; i++) {
		unsigned char bad = all[i] ^ 1;

		assert_int_equal(pwrite(fd, &bad, 1, i), 1);
		assert_int_equal(secfilter_cache_load(f.dir, &table, &f.out), -ENOENT);
		assert_int_equal(pwrite(fd, &all[i], 1, i), 1);
	}
	assert_int_equal(secfilter_cache_load(f.dir, &table, &f.out), 0);
	while (n-- > 0) {
		assert_int_equal(ftruncate(fd, n), 0);
		assert_int_equal(secfilter_cache_load(f.dir, &table, &f.out), -ENOENT);
	}
	close(fd);
	fixture_close(&f);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a program is kept and found", kept_and_found },
		{ "other tables have other files", other_tables_have_other_files },
		{ "damage is a miss", damage_is_a_miss },
	};

	return unit_cases("secfilter_cache", cases);
}
