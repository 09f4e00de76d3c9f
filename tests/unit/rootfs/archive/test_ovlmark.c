/* What a layer of its own takes away: marks for overlayfs. */
#include "rootfs/archive/ovlmark.h"

#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/extractbox.h"
#include "tests/unit/unit.h"

static void is_hidden(const struct extractbox *x, const char *path)
{
	struct stat st = extractbox_stat(x, path);

	assert_true(ovlmark_is_whiteout(&st));
}

static bool opaque(const struct extractbox *x, const char *path)
{
	_cleanup_close_ int fd = sys_openat(x->root, path, O_RDONLY | O_DIRECTORY, 0);

	assert_true(fd >= 0);
	return ovlmark_is_opaque(fd);
}

static void hides(struct tarmake *t)
{
	tarmake_dir(t, "d");
	tarmake_file(t, "d/.wh.gone", "");
	tarmake_file(t, ".wh.top", "");
}

static void hides_check(const struct extractbox *x)
{
	is_hidden(x, "d/gone");
	is_hidden(x, "top");
	extractbox_none(x, ".wh.top");
	assert_false(opaque(x, "d"));
}

static void own_before(struct tarmake *t)
{
	tarmake_file(t, "f", "own");
	tarmake_file(t, ".wh.f", "");
	tarmake_dir(t, "d");
	tarmake_file(t, "d/x", "own");
	tarmake_file(t, ".wh.d", "");
}

static void own_after(struct tarmake *t)
{
	tarmake_file(t, ".wh.f", "");
	tarmake_file(t, "f", "own");
	tarmake_file(t, ".wh.d", "");
	tarmake_dir(t, "d");
	tarmake_file(t, "d/x", "own");
}

static void own_check(const struct extractbox *x)
{
	extractbox_file(x, "f", "own");
	extractbox_file(x, "d/x", "own");
	assert_true(opaque(x, "d"));
}

static void opaque_before(struct tarmake *t)
{
	tarmake_dir(t, "d");
	tarmake_file(t, "d/.wh..wh..opq", "");
	tarmake_file(t, "d/.wh.x", "");
	tarmake_file(t, "d/own", "own");
	tarmake_dir(t, "d");
}

static void opaque_after(struct tarmake *t)
{
	tarmake_dir(t, "d");
	tarmake_file(t, "d/.wh.x", "");
	tarmake_file(t, "d/own", "own");
	tarmake_file(t, "d/.wh..wh..opq", "");
}

static void opaque_check(const struct extractbox *x)
{
	assert_true(opaque(x, "d"));
	extractbox_file(x, "d/own", "own");
	extractbox_none(x, "d/x");
}

/* The last one wins, and hid what is below when it was no directory. */
static void in_turn(struct tarmake *t)
{
	tarmake_file(t, "d", "file");
	tarmake_dir(t, "d");
}

static void in_turn_check(const struct extractbox *x)
{
	assert_true(opaque(x, "d"));
}

static void planted(struct tarmake *t)
{
	tarmake_pax(t, "SCHILY.xattr.user.overlay.opaque", "y", 1);
	tarmake_dir(t, "d");
	tarmake_add(t, &(struct tarmake_entry){ .name = "d/dev", .type = '3' });
}

static void planted_check(const struct extractbox *x)
{
	assert_false(opaque(x, "d"));
	extractbox_none(x, "d/dev");
}

static void stargz(struct tarmake *t)
{
	tarmake_file(t, "stargz.index.json", "{}");
	tarmake_file(t, ".no.prefetch.landmark", "\xf");
	tarmake_file(t, "f", "x");
}

static void stargz_check(const struct extractbox *x)
{
	extractbox_none(x, "stargz.index.json");
	extractbox_none(x, ".no.prefetch.landmark");
	extractbox_file(x, "f", "x");
}

static void no_parent(struct tarmake *t)
{
	tarmake_file(t, "lib/x", "below, lib may be a link");
}

static void no_parent_hidden(struct tarmake *t)
{
	tarmake_file(t, "lib/.wh.x", "");
}

static void link_below(struct tarmake *t)
{
	tarmake_hardlink(t, "x", "bin/below");
}

static void all_hidden(struct tarmake *t)
{
	tarmake_file(t, ".wh..wh..opq", "");
}

#define LAYER .kind = EXTRACT_LAYER

static const struct extractbox_row rows[] = {
	EXTRACT_OK("whiteouts", hides, .check = hides_check, LAYER),
	EXTRACT_OK("what the layer made before stays", own_before, .check = own_check,
		   LAYER),
	EXTRACT_OK("what the layer made after stays", own_after, .check = own_check,
		   LAYER),
	EXTRACT_OK("opaque first", opaque_before, .check = opaque_check, LAYER),
	EXTRACT_OK("opaque last", opaque_after, .check = opaque_check, LAYER),
	EXTRACT_OK("a file, then a directory", in_turn, .check = in_turn_check, LAYER),
	EXTRACT_OK("marks that the archive plants", planted, .check = planted_check,
		   LAYER),
	EXTRACT_OK("what eStargz adds", stargz, .check = stargz_check, LAYER),
	EXTRACT_BAD("a directory of a lower layer", no_parent, -EXDEV,
		    "entry 'lib/x': its directory is in a lower layer only", LAYER),
	EXTRACT_BAD("a whiteout in such a one", no_parent_hidden, -EXDEV,
		    "entry 'lib/.wh.x': its directory is in a lower layer only", LAYER),
	EXTRACT_BAD("a hard link into a lower layer", link_below, -EXDEV,
		    "entry 'x': hard link into a lower layer", LAYER),
	EXTRACT_BAD("an opaque root", all_hidden, -EXDEV,
		    "entry '.wh..wh..opq': all that is below is hidden", LAYER),
};

int main(void)
{
	return unit_rows("ovlmark", rows, extractbox_row);
}
