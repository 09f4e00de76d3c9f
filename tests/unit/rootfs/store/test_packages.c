#include "rootfs/store/packages.h"

#include "base/file.h"
#include "rootfs/store/chain.h"
#include "tests/unit/rootfs/store/layered.h"

enum { AT = 256 };

static void put(int dir, const char *layer, const char *file)
{
	struct err e = ERR_NONE;
	char path[AT];

	snprintf(path, sizeof(path), "%s/var/lib/dpkg/info", layer);
	unit_ok(file_mkdirs(dir, path, 0755, &e), &e);
	snprintf(path, sizeof(path), "%s/var/lib/dpkg/info/%s", layer, file);
	layered_put(dir, path, "/.\n");
}

/* A whiteout wants a right that a test may not have: what is no file says the same. */
static void remove_in(int dir, const char *layer, const char *file)
{
	char path[AT];

	snprintf(path, sizeof(path), "%s/var/lib/dpkg/info/%s", layer, file);
	assert_int_equal(mkfifoat(dir, path, 0600), 0);
}

static void open_all(struct layered *l)
{
	struct err e = ERR_NONE;
	struct chain c = { .n = 1 };

	layered_open(l);
	put(l->s.images, "i/rootfs", "bash.list");
	put(l->s.dirfd, "diffs/d/rootfs", "libc6:amd64.list");
	layered_put(l->s.images, "i/layers", "d\n");
	strcpy(c.layers[0], "0123456789abcdef");
	unit_ok(chain_save(l->b.dirfd, "chain", &c, &e), &e);
}

static void is(struct layered *l, const char *want)
{
	_cleanup_packages_ struct packages p = PACKAGES_NONE;
	_cleanup_buf_ struct buf got = BUF_INIT(4096);

	assert_int_equal(packages_added(&l->b, "i", &p), 0);
	for (size_t i = 0; i < p.n; i++)
		buf_addf(&got, "%s ", p.v[i]);
	assert_string_equal(buf_cstr(&got), want);
}

static void those_of_the_box_alone(void)
{
	_cleanup_layered_ struct layered l;

	open_all(&l);
	is(&l, "");
	put(l.b.dirfd, "upper", "jq.list");
	put(l.b.dirfd, "upper", "libjq1:amd64.list");
	put(l.b.dirfd, "upper", "libjq1:i386.list");
	put(l.b.dirfd, "upper", "bash.list"); /* another version of it */
	put(l.b.dirfd, "upper", "libc6:amd64.list");
	put(l.b.dirfd, "upper", "jq.md5sums");
	is(&l, "jq libjq1 ");
}

static void those_of_its_layers_unless_removed(void)
{
	_cleanup_layered_ struct layered l;
	static const char layer[] = "layers/0123456789abcdef/machine";

	open_all(&l);
	put(l.s.dirfd, layer, "git.list");
	put(l.s.dirfd, layer, "vim.list");
	is(&l, "git vim ");
	put(l.b.dirfd, "upper", "a.list");
	remove_in(l.b.dirfd, "upper", "vim.list");
	is(&l, "a git ");
}

static void those_of_a_copy(void)
{
	_cleanup_layered_ struct layered l;

	open_all(&l);
	put(l.b.dirfd, "copy/rootfs", "bash.list");
	put(l.b.dirfd, "copy/rootfs", "jq.list");
	is(&l, "jq ");
}

/* What the box wrote there may be anything. */
static void hostile(void)
{
	_cleanup_layered_ struct layered l;
	struct err e = ERR_NONE;
	char longname[AT];

	open_all(&l);
	memset(longname, 'a', 100);
	strcpy(longname + 100, ".list");
	put(l.b.dirfd, "upper", longname);
	put(l.b.dirfd, "upper", "\033[2J.list");
	put(l.b.dirfd, "upper", ".list");
	put(l.b.dirfd, "upper", ":amd64.list");
	put(l.b.dirfd, "upper", "Upper.list");
	is(&l, "");
	put(l.s.dirfd, "elsewhere", "secret.list");
	unit_ok(tree_remove(l.b.dirfd, "upper", &e), &e);
	assert_int_equal(mkdirat(l.b.dirfd, "upper", 0755), 0);
	assert_int_equal(symlinkat("../../../elsewhere/var", l.b.dirfd, "upper/var"),
			 0);
	is(&l, "");
}

static const struct unit_case cases[] = {
	{ "those of the box alone", those_of_the_box_alone },
	{ "those of its layers, unless removed", those_of_its_layers_unless_removed },
	{ "those of a copy", those_of_a_copy },
	{ "hostile names and links", hostile },
};

int main(void)
{
	return unit_cases("packages", cases);
}
