#include "rootfs/image/snippets.h"

#include "tests/unit/extractbox.h"
#include "tests/unit/unit.h"

/* The rows unpack an image; its check then writes the snippets into it, and the frame
 * proves that nothing beside the image changed. */

static void debian(struct tarmake *t)
{
	tarmake_dir(t, "etc/apt/apt.conf.d");
	tarmake_dir(t, "etc/dpkg");
	tarmake_dir(t, "usr/sbin");
}

static void debian_check(const struct extractbox *x)
{
	struct err e = ERR_NONE;

	unit_ok(snippets_write(x->root, snippets_wanted(x->root), &e), &e);
	extractbox_file(x, "etc/apt/apt.conf.d/99cubby",
			"APT::Sandbox::User \"root\";\n");
	extractbox_file(x, "etc/dpkg/dpkg.cfg.d/99cubby", "force-unsafe-io\n");
	extractbox_file(x, "usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n");
	extractbox_mode(x, "usr/sbin/policy-rc.d", 0755);
}

static void other(struct tarmake *t)
{
	tarmake_dir(t, "etc");
}

static void other_check(const struct extractbox *x)
{
	struct err e = ERR_NONE;

	unit_ok(snippets_write(x->root, snippets_wanted(x->root), &e), &e);
	extractbox_none(x, "etc/apt");
	extractbox_none(x, "usr");
}

static void links_at_the_end(struct tarmake *t)
{
	debian(t);
	tarmake_symlink(t, "etc/apt/apt.conf.d/99cubby", "/../../outside/secret");
	tarmake_symlink(t, "usr/sbin/policy-rc.d", "../../../outside/secret");
}

static void links_on_the_way(struct tarmake *t)
{
	tarmake_dir(t, "outside");
	tarmake_dir(t, "etc/apt");
	tarmake_symlink(t, "etc/apt/apt.conf.d", "../../../outside");
	tarmake_dir(t, "etc/dpkg");
	tarmake_symlink(t, "usr/sbin", "/outside");
}

static void links_on_the_way_check(const struct extractbox *x)
{
	struct err e = ERR_NONE;

	unit_ok(snippets_write(x->root, snippets_wanted(x->root), &e), &e);
	extractbox_file(x, "outside/99cubby", "APT::Sandbox::User \"root\";\n");
	extractbox_file(x, "outside/policy-rc.d", "#!/bin/sh\nexit 101\n");
}

static const struct extractbox_row rows[] = {
	EXTRACT_OK("Debian and Ubuntu", debian, .check = debian_check),
	EXTRACT_OK("another system", other, .check = other_check),
	EXTRACT_OK("A46 links in the place of files", links_at_the_end,
		   .check = debian_check),
	EXTRACT_OK("A46 links on the way", links_on_the_way,
		   .check = links_on_the_way_check),
};

int main(void)
{
	return unit_rows("snippets", rows, extractbox_row);
}
