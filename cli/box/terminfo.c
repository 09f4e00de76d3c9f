#include "cli/box/terminfo.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/file.h"
#include "base/sys/sys.h"

enum { DESCRIPTION = 32 << 10, TERM_NAME = 64 }; /* term(5): none is larger */

/* Compiled, with numbers of 16 or of 32 bits (term(5)). A file of another kind stays here,
 * whoever has put it, or a link to it, in this place. */
static bool is_description(const struct buf *file)
{
	return file->len > 12 && (memcmp(file->data, "\x1a\x01", 2) == 0 ||
				  memcmp(file->data, "\x1e\x02", 2) == 0);
}

static bool find_in(const char *root, const char *dir, const char *name,
		    struct buf *ret)
{
	struct err none = ERR_NONE;
	char path[PATH_MAX];
	int n;

	if (!dir || *dir != '/')
		return false;
	for (int hex = 0; hex < 2; hex++) {
		n = snprintf(path, sizeof(path), hex ? "%s%s/%02x/%s" : "%s%s/%c/%s",
			     root, dir, (unsigned char)name[0], name);
		buf_truncate(ret, 0);
		if (n < (int)sizeof(path) &&
		    file_read(AT_FDCWD, path, ret, &none) == 0 && is_description(ret))
			return true;
	}
	return false;
}

/* In the order of ncurses. */
static bool find(const char *root, const char *name, struct buf *ret)
{
	static const char *const dirs[] = { "/etc/terminfo", "/lib/terminfo",
					    "/usr/share/terminfo",
					    "/usr/lib/terminfo" };
	const char *home = getenv("HOME");
	char own[PATH_MAX];

	if (find_in("", getenv("TERMINFO"), name, ret))
		return true;
	if (home &&
	    snprintf(own, sizeof(own), "%s/.terminfo", home) < (int)sizeof(own) &&
	    find_in("", own, name, ret))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (find_in(root, dirs[i], name, ret))
			return true;
	return false;
}

int terminfo_add(struct env *env, const char *root, struct err *e)
{
	_cleanup_buf_ struct buf file = BUF_INIT(DESCRIPTION),
				 text = BUF_INIT(2 * DESCRIPTION);
	const char *name = env_get(env, "TERM");
	int r;

	/* What init gives to a box that does not know the terminal need not be sent. */
	if (!name || !*name || *name == '.' || strchr(name, '/') ||
	    strlen(name) >= TERM_NAME || strcmp(name, "xterm-256color") == 0 ||
	    env_get(env, "TERMINFO") || !find(root, name, &file))
		return 0;
	r = buf_adds(&text, "b64:") ?: base64_add(&text, file.data, file.len) ?:
		env_put(env, ENV_TERMINFO, buf_cstr(&text));
	return r < 0 ? err_sys(e, r, "cannot make the environment") : 0;
}
