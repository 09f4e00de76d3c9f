/* Theory of operation
 *
 * The project's path is taken apart into a chain: device and inode of each directory from
 * the root to the project. A place (a row of a table, a home, the store) relates to it in
 * one of four ways: it is the project, it is above it, it is inside it, or neither. The
 * first two are found by looking its inode up in the chain, the third by looking the
 * project's inode up in the place's own chain. So links, other spellings and a bind mount
 * of the place itself change nothing. What a bind mount shows of the inside of a place has
 * no inode in common with it; for that the kernel's list of mounts gives the other names
 * of the project, and each is judged like its own. */
#include "runtime/box/project_dir.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mountinfo.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/wire/rundir.h"

enum {
	CHAIN_MAX = 256,	  /* components; what is private lies higher */
	ACCOUNTS_BYTES = 1 << 20, /* of /etc/passwd */
	ACCOUNTS_MAX = 1024,	  /* homes that are looked at */
	OTHER_NAMES = 16,	  /* by which the project can be reached */
};

struct id {
	dev_t dev;
	ino_t ino;
};

struct chain {
	const struct project_dir *conf; /* borrowed */
	const char *path;		/* borrowed */
	struct id ids[CHAIN_MAX];	/* of "/", of its first component, … */
	const char *rest[CHAIN_MAX];	/* of the path, behind that component */
	size_t n;
	char apart[PATH_MAX]; /* neither this nor what is above it is the project */
};

enum relation { APART, BELOW, IS, HOLDS };

/* How the project relates to a place. */
struct found {
	enum relation kind;
	bool none;	  /* there is no such place */
	const char *rest; /* BELOW: the project's path from there */
};

/* ---- inodes ------------------------------------------------------------------------ */

static bool look(const char *path, int flags, struct stat *st)
{
	return sys_fstatat(AT_FDCWD, path, st, flags | AT_NO_AUTOMOUNT) == 0;
}

static bool is_id(const struct id *id, const struct stat *st)
{
	return id->dev == st->st_dev && id->ino == st->st_ino;
}

static void chain_add(struct chain *c, const char *upto, const char *rest)
{
	struct stat st = { .st_dev = 0 };

	(void)look(upto, 0, &st); /* not to be looked at: equal to nothing */
	c->ids[c->n] = (struct id){ st.st_dev, st.st_ino };
	c->rest[c->n++] = rest;
}

static void chain_make(struct chain *c, const struct project_dir *conf,
		       const char *path)
{
	char upto[PATH_MAX];

	*c = (struct chain){ .conf = conf, .path = path };
	chain_add(c, "/", path + 1);
	for (const char *p = path + 1; *p && c->n < CHAIN_MAX - 1;) {
		size_t len = (size_t)(strchrnul(p, '/') - path);

		memcpy(upto, path, len);
		upto[len] = '\0';
		p = path + len + (path[len] == '/');
		chain_add(c, upto, p);
	}
}

/* Whether @path or a directory above it is the project. */
static bool is_up(const struct chain *c, char path[PATH_MAX])
{
	bool resolved = false;
	struct stat st;
	char *slash;

	for (;;) {
		if (strcmp(path, c->apart) == 0 ||
		    !look(path, AT_SYMLINK_NOFOLLOW, &st))
			return false;
		if (is_id(&c->ids[c->n - 1], &st))
			return true;
		if (S_ISLNK(st.st_mode) && !resolved) {
			char real[PATH_MAX];

			if (!realpath(path, real))
				return false;
			memcpy(path, real, strlen(real) + 1);
			resolved = true;
			continue;
		}
		slash = strrchr(path, '/');
		if (!slash || slash == path)
			return false;
		*slash = '\0';
	}
}

/* Whether @path, which is not the project, is inside it. Places have few parents, which
 * are asked about once. */
static bool holds(struct chain *c, const char *path)
{
	char up[PATH_MAX];
	size_t parent = (size_t)(strrchr(path, '/') - path);
	struct stat st;
	bool link;

	if (text_copy(up, sizeof(up), path) < 0 || !look(up, AT_SYMLINK_NOFOLLOW, &st))
		return false;
	link = S_ISLNK(st.st_mode);
	if (!link)
		up[parent] = '\0';
	if (is_up(c, up))
		return true;
	if (!link) {
		memcpy(c->apart, path, parent);
		c->apart[parent] = '\0';
	}
	return false;
}

static struct found find(const struct chain *c, const char *path)
{
	struct stat st;

	if (*path != '/' || !look(path, 0, &st))
		return (struct found){ .kind = APART, .none = true };
	for (size_t i = c->n; i-- > 0;)
		if (is_id(&c->ids[i], &st))
			return (struct found){ .kind = i == c->n - 1 ? IS : BELOW,
					       .rest = c->rest[i] };
	return (struct found){ .kind = APART };
}

static struct found relate(struct chain *c, const char *path)
{
	struct found f = find(c, path);

	if (f.kind == APART && !f.none && holds(c, path))
		f.kind = HOLDS;
	return f;
}

/* ---- saying no --------------------------------------------------------------------- */

static const char *advice(const struct chain *c)
{
	return c->conf->beside ? "mount what is needed of it"
			       : "run cubby in a directory of its own";
}

/* @what: what the place is, in words. @option: NULL = nothing permits it. */
static int refuse(const struct chain *c, enum relation kind, const char *place,
		  const char *what, const char *option, struct err *e)
{
	static const char *const verbs[] = {
		[BELOW] = "lies in", [IS] = "is", [HOLDS] = "contains"
	};
	char dir[128], shown[128];

	text_escaped(dir, sizeof(dir), c->conf->path, strlen(c->conf->path));
	text_escaped(shown, sizeof(shown), place, strlen(place));
	if (!option)
		return err_set(e, -EPERM,
			       "directory '%s' cannot be a %s: it %s '%s', %s; %s", dir,
			       c->conf->beside ? "volume" : "project", verbs[kind],
			       shown, what, advice(c));
	return err_set(
		e, -EPERM,
		"directory '%s' is not shared with a box: it %s '%s', %s; %s, or "
		"say %s",
		dir, verbs[kind], shown, what, advice(c), option);
}

static const char any_option[] = "--any-directory";

/* ---- the system's places ------------------------------------------------------------ */

enum { TREE = 1, NEVER = 2 };

/* Each directory above a row is a row itself, so none is asked whether it is inside the
 * project. What is not named is free: /srv/x, /opt/x, /var/www/x, /var/lib/ci, /usr/src/x,
 * /mnt, /builds, /github. */
/* clang-format off */
static const struct place {
	const char *path, *what;
	unsigned flags; /* TREE: and all that lies in it */
} places[] = {
	{ "/proc",	"the kernel's",		TREE | NEVER },
	{ "/sys",	"the kernel's",		TREE | NEVER },
	{ "/dev",	"the kernel's",		TREE | NEVER },
	{ "/etc",	"a system directory",	TREE },
	{ "/boot",	"a system directory",	TREE },
	{ "/efi",	"a system directory",	TREE },
	{ "/bin",	"a system directory",	TREE },
	{ "/sbin",	"a system directory",	TREE },
	{ "/lib",	"a system directory",	TREE },
	{ "/lib32",	"a system directory",	TREE },
	{ "/lib64",	"a system directory",	TREE },
	{ "/nix",	"a system directory",	TREE },
	{ "/gnu",	"a system directory",	TREE },
	{ "/snap",	"a system directory",	TREE },
	{ "/usr",	"a system directory",	0 },
	{ "/usr/bin",	"a system directory",	TREE },
	{ "/usr/sbin",	"a system directory",	TREE },
	{ "/usr/lib",	"a system directory",	TREE },
	{ "/usr/lib32",	"a system directory",	TREE },
	{ "/usr/lib64",	"a system directory",	TREE },
	{ "/usr/libexec", "a system directory",	TREE },
	{ "/usr/include", "a system directory",	TREE },
	{ "/usr/share",	"a system directory",	TREE },
	{ "/usr/games",	"a system directory",	TREE },
	{ "/usr/etc",	"a system directory",	TREE },
	{ "/usr/src",	"a system directory",	0 },
	{ "/usr/local",	"a system directory",	0 },
	{ "/usr/local/bin",	"a system directory", TREE },
	{ "/usr/local/sbin",	"a system directory", TREE },
	{ "/usr/local/lib",	"a system directory", TREE },
	{ "/usr/local/libexec",	"a system directory", TREE },
	{ "/usr/local/etc",	"a system directory", TREE },
	{ "/usr/local/share",	"a system directory", TREE },
	{ "/usr/local/src",	"a system directory", 0 },
	{ "/opt",	"a system directory",	0 },
	{ "/var",	"a system directory",	0 },
	{ "/var/lib",	"a system directory",	0 },
	{ "/var/cache",	"a system directory",	0 },
	{ "/var/log",	"a system directory",	TREE },
	{ "/var/spool",	"a system directory",	TREE },
	{ "/var/mail",	"a system directory",	TREE },
	{ "/var/backups", "a system directory",	TREE },
	{ "/var/db",	"a system directory",	TREE },
	{ "/var/lib/apt",	 "a system directory", TREE },
	{ "/var/lib/dpkg",	 "a system directory", TREE },
	{ "/var/lib/rpm",	 "a system directory", TREE },
	{ "/var/lib/pacman",	 "a system directory", TREE },
	{ "/var/lib/systemd",	 "a system directory", TREE },
	{ "/var/lib/docker",	 "a system directory", TREE },
	{ "/var/lib/containers", "a system directory", TREE },
	{ "/var/lib/containerd", "a system directory", TREE },
	{ "/var/lib/kubelet",	 "a system directory", TREE },
	{ "/tmp",	"a directory that programs share",	0 },
	{ "/var/tmp",	"a directory that programs share",	0 },
	{ "/tmp/.X11-unix", "a runtime directory",		TREE },
	{ "/tmp/.ICE-unix", "a runtime directory",		TREE },
	{ "/home",	"the directory of homes",		0 },
	{ "/var/home",	"the directory of homes",		0 },
	{ "/media",	"the directory of removable disks",	0 },
};
/* clang-format on */

static bool is_place(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (strcmp(places[i].path, path) == 0)
			return true;
	return false;
}

static int check_places(struct chain *c, struct err *e)
{
	if (c->n == 1)
		return err_set(e, -EPERM, "the root directory cannot be a %s; %s%s",
			       c->conf->beside ? "volume" : "project", advice(c),
			       c->conf->beside ? "" : ", or name one with -C");
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const struct place *p = &places[i];
		bool never = p->flags & NEVER;
		struct found f;

		if (c->conf->any && !never)
			continue;
		f = find(c, p->path);
		if (f.kind == IS || (f.kind == BELOW && p->flags & TREE))
			return refuse(c, f.kind, p->path, p->what,
				      never ? NULL : any_option, e);
	}
	return 0;
}

/* ---- what runs: sockets and the store ------------------------------------------------ */

/* /run/media/USER/DISK is where some desktops put what was plugged in. */
static bool is_disk(const char *rest)
{
	const char *user = text_starts(rest, "media/") ? strchr(rest + 6, '/') : NULL;

	return user && user[1];
}

static int check_run(struct chain *c, struct err *e)
{
	const char *xdg = secure_getenv("XDG_RUNTIME_DIR");
	struct found f = find(c, "/run");
	struct stat st;

	if (f.kind == IS || (f.kind == BELOW && !is_disk(f.rest)))
		return refuse(c, f.kind, "/run", "a runtime directory", any_option, e);
	if (!xdg)
		return 0;
	f = relate(c, xdg);
	/* Some containers say /tmp, where everybody works. */
	if (f.kind == BELOW && look(xdg, 0, &st) && st.st_mode & S_IWOTH)
		return 0;
	if (f.kind != APART)
		return refuse(c, f.kind, xdg, "a runtime directory", any_option, e);
	return 0;
}

/* An agent's socket is as good as its keys, a multiplexer's as its shells. */
static int check_sockets(struct chain *c, struct err *e)
{
	static const char *const names[] = { "SSH_AUTH_SOCK", "TMUX" };
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = secure_getenv(names[i]);

		if (!value || text_copy(path, sizeof(path), value) < 0)
			continue;
		path[strcspn(path, ",")] = '\0'; /* tmux: and a process, and a number */
		if (relate(c, path).kind == HOLDS)
			return refuse(c, HOLDS, path, "a socket of yours", any_option,
				      e);
	}
	return 0;
}

/* Ours: nothing permits a box to lie in them. */
static int check_own(struct chain *c, struct err *e)
{
	char run[PATH_MAX];
	const struct {
		const char *path, *what;
	} own[] = {
		{ c->conf->store, "the store of the boxes" },
		{ rundir_path(run, sizeof(run)), "where the boxes' sockets are" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		struct found f = { .kind = APART };

		if (own[i].path)
			f = relate(c, own[i].path);
		if (f.kind == IS || f.kind == BELOW)
			return refuse(c, f.kind, own[i].path, own[i].what, NULL, e);
		if (f.kind == HOLDS && !c->conf->any)
			return refuse(c, f.kind, own[i].path, own[i].what, any_option,
				      e);
	}
	return 0;
}

/* ---- homes ---------------------------------------------------------------------------- */

/* Hidden directories of a home are private: keys, settings, what its programs load and
 * run. Checkouts below them that people and CI services work in are not. */
static const struct checkout {
	const char *hidden; /* NULL = any */
	const char *part;   /* a component behind it; NULL = none is needed */
	bool git;	    /* only where a .git is found */
} checkouts[] = {
	{ ".cache", NULL, true },     { ".local", "src", false },
	{ NULL, "builds", true },     { NULL, "workspace", true },
	{ NULL, "workspaces", true }, { NULL, "worktrees", true },
	{ NULL, "_work", true },
};

/* Never a place for checkouts: keys, and what others of the home execute. */
static const char *const closed[] = {
	".ssh",	 ".gnupg",	    ".pki",   ".mozilla", ".aws",
	".kube", ".password-store", ".config"
};

/* Whether the project, or a directory between it and @from, is a checkout. */
static bool has_git(const struct chain *c, const char *from)
{
	char path[PATH_MAX + 8];
	size_t len = strlen(c->path);
	struct stat st;

	for (; len > (size_t)(from - c->path); len--) {
		if (c->path[len] != '/' && c->path[len])
			continue;
		snprintf(path, sizeof(path), "%.*s/.git", (int)len, c->path);
		if (look(path, AT_SYMLINK_NOFOLLOW, &st))
			return true;
	}
	return false;
}

/* The part of the path behind the component @name, or NULL. */
static const char *behind(const char *rest, const char *name)
{
	for (; *rest; rest = strchrnul(rest, '/'), rest += *rest == '/')
		if (text_is_in(rest, name))
			return rest[strlen(name)] ? rest + strlen(name) + 1 : NULL;
	return NULL;
}

static bool is_checkout(const struct chain *c, const char *rest)
{
	const char *inside = strchr(rest, '/');

	for (size_t i = 0; i < ARRAY_SIZE(closed); i++)
		if (text_is_in(rest, closed[i]))
			return false;
	if (!inside || !*++inside || text_is_in(inside, "pre-commit"))
		return false; /* hooks, which git runs */
	for (size_t i = 0; i < ARRAY_SIZE(checkouts); i++) {
		const struct checkout *k = &checkouts[i];
		const char *at = k->part ? behind(inside, k->part) : inside;

		if (k->hidden && (!text_is_in(rest, k->hidden) ||
				  (k->part && !text_is_in(inside, k->part))))
			continue;
		if (at && (!k->git || has_git(c, at)))
			return true;
	}
	return false;
}

static int check_home(struct chain *c, const char *home, bool own, struct err *e)
{
	struct found f = relate(c, home);
	char hidden[PATH_MAX];

	if (f.kind == APART || strcmp(home, "/") == 0)
		return 0;
	if (f.kind == IS && own)
		return c->conf->allow_home
			       ? 0
			       : refuse(c, IS, home, "your home directory",
					c->conf->beside ? any_option : "--allow-home",
					e);
	if (f.kind == IS && c->conf->allow_home &&
	    find(c, getenv("HOME") ?: "").kind == IS)
		return 0; /* an account that shares it */
	if (f.kind != BELOW)
		return refuse(c, f.kind, home, "a home directory", any_option, e);
	if (*f.rest != '.' || is_checkout(c, f.rest))
		return 0;
	snprintf(hidden, sizeof(hidden), "%.*s",
		 (int)(strchrnul(f.rest, '/') - c->path), c->path);
	return refuse(c, f.rest[strcspn(f.rest, "/")] ? BELOW : IS, hidden,
		      "which is private to a home", any_option, e);
}

/* The sixth field of NAME:PASSWORD:UID:GID:COMMENT:HOME:SHELL; cuts the line. */
static char *home_of(char *line)
{
	for (int i = 0; i < 5; i++) {
		line = strchr(line, ':');
		if (!line++)
			return NULL;
	}
	line[strcspn(line, ":")] = '\0';
	return line;
}

static int check_homes(struct chain *c, struct err *e)
{
	const char *own = getenv("HOME");
	_cleanup_buf_ struct buf text = BUF_INIT(ACCOUNTS_BYTES);
	char *save = NULL;
	size_t n = 0;
	int r = (own ? check_home(c, own, true, e) : 0)
			?: check_home(c, "/root", false, e);

	/* Too long, or none: what the system and the caller have is judged all the same. */
	(void)file_read(AT_FDCWD, c->conf->passwd ?: "/etc/passwd", &text, ERR_IGNORED);
	if (r < 0 || !text.len || buf_addc(&text, '\n') < 0)
		return r;
	for (char *line = strtok_r(text.data, "\n", &save);
	     line && r == 0 && n++ < ACCOUNTS_MAX; line = strtok_r(NULL, "\n", &save)) {
		const char *home = home_of(line);

		/* /bin, /dev, … of the system's accounts were judged as places */
		if (home && !is_place(home))
			r = check_home(c, home, false, e);
	}
	return r;
}

/* ---- all ------------------------------------------------------------------------------ */

/* Keys are keys wherever they lie: homes of accounts that no passwd file knows. */
static int check_keys(struct chain *c, struct err *e)
{
	static const char *const keys[] = { ".ssh", ".gnupg" };

	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			if (text_is_in(c->rest[i], keys[k]))
				return refuse(c, BELOW, keys[k], "a directory of keys",
					      any_option, e);
	return 0;
}

static int check(const struct project_dir *d, const char *path, struct err *e)
{
	static int (*const checks[])(struct chain * c,
				     struct err * e) = { check_run, check_sockets,
							 check_homes, check_keys };
	struct chain c;
	int r;

	chain_make(&c, d, path);
	r = check_places(&c, e) ?: check_own(&c, e);
	for (size_t i = 0; i < ARRAY_SIZE(checks) && r == 0 && !d->any; i++)
		r = checks[i](&c, e);
	return r;
}

/* On the mount of "/" a directory has no other name that matters: what shows it elsewhere
 * is elsewhere. */
static bool is_mounted(const char *path)
{
	uint64_t a = 0, b = 1;

	return sys_mount_id(AT_FDCWD, path, &a) < 0 ||
	       sys_mount_id(AT_FDCWD, "/", &b) < 0 || a != b;
}

static int check_names(const struct project_dir *d, const char *mounts, struct err *e)
{
	char name[PATH_MAX];
	int r = 0;

	for (unsigned i = 0; i < OTHER_NAMES && r == 0; i++) {
		if (mountinfo_other(mounts, d->path, i, name) < 0)
			break;
		r = check(d, name, e);
	}
	return r;
}

/* Not the box's own, whose files are the whole machine's: who is root by number there, as
 * a box may be where one of these is (no other ids can be shown in it), writes them. */
static bool is_kernels(const char *type)
{
	static const char *const types[] = {
		"proc",	      "sysfs",	   "devtmpfs", "cgroup",      "cgroup2",
		"debugfs",    "tracefs",   "configfs", "securityfs",  "bpf",
		"efivarfs",   "pstore",	   "resctrl",  "binfmt_misc", "selinuxfs",
		"smackfs",    "devpts",	   "fusectl",  "nsfs",	      "nfsd",
		"rpc_pipefs", "functionfs"
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strcmp(types[i], type) == 0)
			return true;
	return false;
}

/* What is mounted within is shown as well: a chroot's /proc is the host's, its /run too. */
static int check_mounts(const struct project_dir *d, const char *mounts, struct err *e)
{
	static const char kernels[] = "a filesystem of the kernel's";
	const struct chain c = { .conf = d };
	struct mountinfo m;
	int r = 0;

	if (mountinfo_at(mounts, d->path, &m) && is_kernels(m.type))
		return refuse(&c, BELOW, m.point, kernels, NULL, e);
	for (const char *at = mounts; r == 0 && mountinfo_below(&at, d->path, &m);) {
		struct project_dir below = *d;

		below.path = m.point;
		r = is_kernels(m.type) ? refuse(&c, HOLDS, m.point, kernels, NULL, e)
				       : check_names(&below, mounts, e);
	}
	return r;
}

int project_dir_check(const struct project_dir *d, struct err *e)
{
	_cleanup_buf_ struct buf mounts = BUF_INIT(MOUNTINFO_BYTES);
	int r = check(d, d->path, e);

	if (r < 0 ||
	    file_read(AT_FDCWD, "/proc/self/mountinfo", &mounts, ERR_IGNORED) < 0)
		return r;
	r = check_mounts(d, buf_cstr(&mounts), e);
	return r == 0 && is_mounted(d->path) ? check_names(d, buf_cstr(&mounts), e) : r;
}

int project_dir_review(const struct project_dir *d, struct err *e)
{
	_cleanup_buf_ struct buf mounts = BUF_INIT(MOUNTINFO_BYTES);
	struct mountinfo m;
	const char *at;
	char shown[128];
	int r;

	if (d->store && text_is_below(d->store, d->path))
		return err_set(e, -EXDEV, "it contains the store");
	r = file_read(AT_FDCWD, "/proc/self/mountinfo", &mounts, e);
	if (r < 0)
		return r;
	at = buf_cstr(&mounts);
	if (!mountinfo_below(&at, d->path, &m))
		return 0;
	return err_set(e, -EXDEV, "something else is mounted in it, at '%s'",
		       text_escaped(shown, sizeof(shown), m.point, strlen(m.point)));
}
