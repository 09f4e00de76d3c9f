#include "cli/snapshot/setup_kept.h"

#include "base/file.h"
#include "base/sys/sys.h"
#include "rootfs/store/snapshot.h"

enum { KEPT_PATH = 300, KEPT_MAX = 1 << 20 /* bytes: as box.json */ };

static void path_of(const char *name, char ret[KEPT_PATH])
{
	snprintf(ret, KEPT_PATH, "setups/%s", name);
}

/* NULL: nothing is known of it. */
static struct json *load(const struct boxdir *dir, const char *name)
{
	struct json *j = NULL;
	struct err none = ERR_NONE;
	char path[KEPT_PATH];

	path_of(name, path);
	return json_read(dir->dirfd, path, KEPT_MAX, &j, &none) < 0 ? NULL : j;
}

int setup_kept_note(const struct boxdir *dir, const char *name, const struct json *done,
		    struct err *e)
{
	char path[KEPT_PATH];

	if (!json_len(done))
		return 0;
	path_of(name, path);
	return file_mkdirs(dir->dirfd, "setups", 0700, e)
		       ?: json_print_file(dir->dirfd, path, done, KEPT_MAX,
					  file_replace_soon, e);
}

void setup_kept_forget(const struct boxdir *dir, const char *name)
{
	char path[KEPT_PATH];

	path_of(name, path);
	(void)sys_unlinkat(dir->dirfd, path, 0);
}

/* Without "setup-begun": that something else ran there can no more be told. */
static int claim(struct json *record, struct json *done, struct err *e)
{
	int r;

	(void)json_drop(record, "setup-begun");
	(void)json_drop(record, "setup");
	r = done ? json_set(record, "setup", done) : 0;
	return r < 0 ? err_sys(e, r, "cannot note the setup") : 0;
}

int setup_kept_claim(const struct boxdir *dir, const char *name, struct json *record,
		     struct err *e)
{
	return claim(record, load(dir, name), e);
}

/* What a kill between the steps leaves says that nothing is done. */
int setup_kept_restore(const struct boxdir *dir, const char *name, struct err *e)
{
	_cleanup_json_ struct json *was = NULL, *now = NULL, *to = load(dir, name),
				   *before = load(dir, SNAPSHOT_BEFORE);
	struct err why = ERR_NONE;
	int restored, r = boxdir_load(dir, &was, e);

	if (r < 0)
		return r;
	if (!json_get(was, "setup") && !json_get(was, "setup-begun") && !to && !before)
		return snapshot_restore(dir, name, e);
	now = json_dup(was);
	if (!now)
		return err_sys(e, -ENOMEM, "cannot note the setup");
	r = claim(now, NULL, e) ?: boxdir_save(dir, now, e);
	if (r < 0)
		return r;
	setup_kept_forget(dir, SNAPSHOT_BEFORE);
	restored = snapshot_restore(dir, name, e);
	r = restored < 0 ? boxdir_save(dir, was, &why)
			 : claim(now, take(&to, NULL), e)
				   ?: boxdir_save(dir, now, e);
	if (r == 0)
		r = setup_kept_note(dir, SNAPSHOT_BEFORE,
				    restored < 0 ? before : json_get(was, "setup"),
				    restored < 0 ? &why : e);
	return MIN(restored, r);
}
