#include "cli/project/agreed.h"

#include <limits.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/sys/sys.h"

struct entry {
	char name[HASH_HEX], hash[HASH_HEX];
};

static int find_entry(const struct agreed *a, struct entry *ret, struct err *e)
{
	_cleanup_buf_ struct buf name = BUF_INIT(2 * PATH_MAX);
	int r;

	buf_add(&name, a->project, strlen(a->project) + 1);
	buf_adds(&name, a->file);
	r = buf_failed(&name);
	if (r < 0)
		return err_sys(e, r, "cannot look for what was agreed to");
	hash_text(name.data, name.len, ret->name);
	hash_text(buf_cstr(a->text), a->text->len, ret->hash);
	return 0;
}

bool agreed_to(const struct store *st, const struct agreed *a)
{
	_cleanup_buf_ struct buf had = BUF_INIT(HASH_HEX);
	char path[HASH_HEX + 16];
	struct entry x;

	if (find_entry(a, &x, ERR_IGNORED) < 0)
		return false;
	snprintf(path, sizeof(path), "agreed/%s", x.name);
	return file_read(st->dirfd, path, &had, ERR_IGNORED) == 0 &&
	       strcmp(buf_cstr(&had), x.hash) == 0;
}

int agreed_note(const struct store *st, const struct agreed *a, struct err *e)
{
	_cleanup_close_ int dir = -1;
	struct entry x;
	int r = find_entry(a, &x, e);

	if (r < 0)
		return r;
	dir = file_make_dir(st->dirfd, "agreed", 0700, e);
	if (dir < 0)
		return dir;
	return file_replace(dir, x.name,
			    &(struct file_data){ x.hash, strlen(x.hash), 0600 }, e);
}
