#include "rootfs/image/snippets.h"

#include <string.h>

#include "base/file.h"
#include "base/inroot.h"
#include "base/sys/sys.h"

static const struct snippet {
	const char *when; /* only in an image that has this */
	const char *dir, *name;
	mode_t mode;
	const char *text;
} snippets[] = {
	/* Under a map of one id there is no _apt to change to. */
	{ "/etc/apt", "/etc/apt/apt.conf.d", "99cubby", 0644,
	  "APT::Sandbox::User \"root\";\n" },
	/* A box is thrown away after a crash: an fsync per package is for nothing. */
	{ "/etc/dpkg", "/etc/dpkg/dpkg.cfg.d", "99cubby", 0644, "force-unsafe-io\n" },
	/* Packages must not start services: there is no init to look after them. */
	{ "/etc/dpkg", "/usr/sbin", "policy-rc.d", 0755, "#!/bin/sh\nexit 101\n" },
};

static bool has(int root, const char *path)
{
	_cleanup_close_ int fd = inroot_open(root, path, O_PATH | O_DIRECTORY);

	return fd >= 0;
}

static int write_one(int root, const struct snippet *s, struct err *e)
{
	struct file_data data = { s->text, strlen(s->text), s->mode };
	_cleanup_close_ int dir = -1;
	int r;

	dir = inroot_mkdirs(root, s->dir, 0755);
	if (dir < 0)
		return err_sys(e, dir, "cannot make '%s' in the image", s->dir);
	r = file_replace_soon(dir, s->name, &data,
			      e); /* publish() waits for the disk */
	return r < 0 ? err_wrap(e, "image: '%s'", s->dir) : 0;
}

unsigned snippets_wanted(int root)
{
	unsigned which = 0;

	for (size_t i = 0; i < ARRAY_SIZE(snippets); i++)
		which |= has(root, snippets[i].when) ? 1U << i : 0;
	return which;
}

int snippets_write(int root, unsigned which, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(snippets) && r == 0; i++)
		if (which & 1U << i)
			r = write_one(root, &snippets[i], e);
	return r;
}
