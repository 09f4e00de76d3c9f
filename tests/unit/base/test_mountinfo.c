#include "base/mountinfo.h"

#include "tests/unit/unit.h"

static const char text[] =
	"1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
	"2 1 0:5 / /proc rw - proc proc rw\n"
	"3 1 8:1 /home/u/.ssh /mnt/keys rw - ext4 /dev/sda1 rw\n"
	"4 1 8:2 /@home /home rw - btrfs /dev/sdb rw\n"
	"5 1 8:1 /var/a\\040b /mnt/with\\040blank rw - ext4 /dev/sda1 rw\n"
	"6 1 8:1 /srv /mnt/twice rw - ext4 /dev/sda1 rw\n"
	"7 1 8:1 /etc /mnt/twice rw - ext4 /dev/sda1 rw\n"
	"8 1 8:3 / /data rw - ext4 /dev/sdc rw\n"
	"9 1 8:3 /a /mnt/a rw - ext4 /dev/sdc rw\n"
	"a line that is none\n"
	"10 1 8:9 relative /mnt/relative rw - ext4 /dev/sdd rw\n";

static const struct row {
	const char *name, *path;
	unsigned index;
	const char *want; /* NULL = no more */
} rows[] = {
	{ "a bind mount of a directory", "/mnt/keys", 0, "/home/u/.ssh" },
	{ "what lies in it", "/mnt/keys/a/b", 0, "/home/u/.ssh/a/b" },
	{ "no second name", "/mnt/keys", 1, NULL },
	{ "escaped names", "/mnt/with blank/x", 0, "/var/a b/x" },
	{ "the last of two at one place", "/mnt/twice/passwd", 0, "/etc/passwd" },
	{ "a filesystem of its own", "/home/u", 0, NULL },
	{ "both ways", "/data/a/b", 0, "/mnt/a/b" },
	{ "and back", "/mnt/a/b", 0, "/data/a/b" },
	{ "beside what is bound", "/data/ab", 0, NULL },
	{ "the root of a filesystem", "/data", 0, NULL },
	{ "shown elsewhere", "/home2/u/.ssh", 0, NULL },
	{ "a name that begins alike", "/mnt/keys2", 0, NULL },
	{ "a root that is no path", "/mnt/relative", 0, NULL },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	char name[PATH_MAX] = "?";
	int r = mountinfo_other(text, row->path, row->index, name);

	if (!row->want) {
		assert_int_equal(r, -ENOENT);
		assert_string_equal(name, "?");
		return;
	}
	assert_int_equal(r, 0);
	assert_string_equal(name, row->want);
}

static void cut_anywhere(void)
{
	char cut[sizeof(text)], name[PATH_MAX];

	for (size_t n = 0; n < sizeof(text); n++) {
		memcpy(cut, text, n);
		cut[n] = '\0';
		(void)mountinfo_other(cut, "/mnt/keys/a", 0, name);
	}
	assert_int_equal(mountinfo_other("", "/x", 0, name), -ENOENT);
}

static void too_long(void)
{
	char name[PATH_MAX], path[PATH_MAX];

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 8] = '\0';
	memcpy(path, "/mnt/a/", 7);
	assert_int_equal(mountinfo_other(text, path, 0, name), 0);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	memcpy(path, "/mnt/a/", 7);
	assert_int_equal(mountinfo_other(text, path, 0, name), -ENAMETOOLONG);
}

static void below(void)
{
	static const char mounts[] = "1 0 8:1 / / rw - ext4 x rw\n"
				     "2 1 8:1 /p /p rw - ext4 x rw\n"
				     "3 1 0:9 / /p/a\\040b rw - tmpfs x rw\n"
				     "4 1 0:9 / /pq rw - tmpfs x rw\n";
	struct mountinfo m;
	const char *at = mounts;

	assert_true(mountinfo_below(&at, "/p", &m));
	assert_string_equal(m.point, "/p/a b");
	assert_string_equal(m.type, "tmpfs");
	assert_false(mountinfo_below(&at, "/p", &m));
	at = mounts;
	for (int i = 0; i < 3; i++)
		assert_true(mountinfo_below(&at, "/", &m));
	assert_false(mountinfo_below(&at, "/", &m));
	at = mounts;
	assert_false(mountinfo_below(&at, "/pq", &m));
	at = mounts;
	assert_false(mountinfo_below(&at, "/p/a", &m));
	at = "";
	assert_false(mountinfo_below(&at, "/", &m));
}

static void kinds(void)
{
	struct mountinfo m;

	assert_true(mountinfo_at(text, "/proc/1", &m));
	assert_string_equal(m.point, "/proc");
	assert_string_equal(m.type, "proc");
	assert_true(mountinfo_at(text, "/mnt/with blank/x", &m));
	assert_string_equal(m.type, "ext4");
	assert_true(mountinfo_at("1 0 8:1 / / rw shared:1 master:2", "/x", &m));
	assert_string_equal(m.type, "");
	assert_true(mountinfo_at("1 0 8:1 / / rw\n2 1 0:5 / /y rw - proc x rw\n", "/x",
				 &m));
	assert_string_equal(m.type, "");
	assert_false(mountinfo_at("", "/x", &m));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "cut anywhere", cut_anywhere },
		{ "too long", too_long },
		{ "what is mounted below", below },
		{ "kinds of filesystems", kinds },
	};

	return unit_rows("mountinfo_other", rows, test_row) +
	       unit_cases("mountinfo", cases);
}
