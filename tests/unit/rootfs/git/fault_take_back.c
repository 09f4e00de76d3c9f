/* What a box changed for git is taken over, and back, by the host's git, whatever is killed
 * meanwhile: this process, or one that it has made for git. */
#include "rootfs/git/take.h"

#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "tests/unit/unit.h"

/* "was" is a repository, "box" what a box has changed in it: a branch moved, one made, one
 * removed, another HEAD and index, and a message. */
static const char make[] =
	"set -e; export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1\n"
	"for x in AUTHOR COMMITTER; do export GIT_${x}_NAME=x GIT_${x}_EMAIL=x@x; "
	"done\n"
	"git init -q --bare --template= -b main was; cd was; git config core.bare "
	"false\n"
	"export GIT_DIR=$PWD; blob=$(git hash-object -w --stdin <HEAD)\n"
	"tree=$(git mktree </dev/null); old=$(git commit-tree $tree -m old)\n"
	"new=$(git commit-tree $tree -m new); git update-ref refs/heads/main $old\n"
	"git update-ref refs/heads/gone $old; git update-index --add --cacheinfo "
	"100644,$blob,old\n"
	"mkdir -p ../box/refs/heads; echo $new >../box/refs/heads/main\n"
	"echo $new >../box/refs/heads/side; mknod ../box/refs/heads/gone c 0 0\n"
	"echo 'ref: refs/heads/side' >../box/HEAD; echo new >../box/MERGE_MSG\n"
	"GIT_INDEX_FILE=../box/index git update-index --add --cacheinfo "
	"100644,$blob,new";

struct scene {
	int git, upper, state, record; /* owned */
	struct buf kept; /* owned: all that was there before the first kill */
	struct buf seen; /* owned: all that was there after the last one */
	unsigned times;	 /* before that in a row */
};

static bool shell(const char *script)
{
	char *all = NULL;
	bool good;

	assert_true(asprintf(&all, "cd '%s' || exit 1\n%s", unit_tmpdir(), script) > 0);
	good = system(all) == 0;
	free(all);
	return good;
}

static void ignore(void *, const char *)
{
}

static struct git_take_conf conf_of(const struct scene *s)
{
	return (struct git_take_conf){ .git = s->git,
				       .upper = s->upper,
				       .state = s->state,
				       .record = s->record,
				       .shown = ".git",
				       .offline = true,
				       .say = ignore };
}

/* By the C library's calls: only those of the work itself are to be killed. */
static void reopen(int *fd, const char *name)
{
	char path[4096];

	if (*fd >= 0)
		close(*fd);
	snprintf(path, sizeof(path), "%s/%s", unit_tmpdir(), name);
	*fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(*fd >= 0);
}

static void set_up(struct scene *s, const char *script)
{
	/* git_host_run() goes to what is removed here */
	assert_int_equal(chdir("/"), 0);
	assert_true(shell(script));
	reopen(&s->git, "git");
	reopen(&s->upper, "upper");
	reopen(&s->state, "state");
	reopen(&s->record, "record");
}

static void fill(struct scene *s)
{
	struct git_take_conf conf;
	struct err e = ERR_NONE;

	set_up(s, "rm -rf git upper state record; mkdir state record\n"
		  "cp -a was git; cp -a box upper");
	conf = conf_of(s);
	unit_ok(git_take_begin(&conf, &e), &e);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Names, kinds and contents of all that the work may have changed. */
static void all_of(struct buf *ret)
{
	static const char *const names[] = { "git", "record", "state", "upper" };
	char *dirs[ARRAY_SIZE(names) + 1] = { NULL };
	FTS *f;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_true(asprintf(&dirs[i], "%s/%s", unit_tmpdir(), names[i]) > 0);
	f = fts_open(dirs, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	assert_non_null(f);
	for (FTSENT *at; (at = fts_read(f));) {
		char text[65536];
		ssize_t n = 0;

		if (at->fts_info == FTS_DP)
			continue;
		if (S_ISLNK(at->fts_statp->st_mode))
			n = readlink(at->fts_accpath, text, sizeof(text));
		if (S_ISREG(at->fts_statp->st_mode)) {
			int fd = open(at->fts_accpath, O_RDONLY | O_CLOEXEC);

			n = read(fd, text, sizeof(text));
			close(fd);
		}
		assert_in_range(n, 0, sizeof(text) - 1);
		buf_addf(ret, "%s %o %ld %zd\n", at->fts_path, at->fts_statp->st_mode,
			 (long)at->fts_statp->st_rdev, n);
		buf_add(ret, text, (size_t)n);
	}
	fts_close(f);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		free(dirs[i]);
	assert_int_equal(buf_failed(ret), 0);
}

static bool same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* What is there now is what each kill begins with. */
static void keep(struct scene *s)
{
	assert_true(
		shell("rm -rf kept; mkdir kept; cp -a git upper state record kept"));
	all_of(&s->kept);
}

/* Most kills leave what was there, and a copy is three processes. */
static void restore(struct scene *s)
{
	_cleanup_buf_ struct buf now = BUF_INIT(1 << 20);

	all_of(&now);
	if (!same(&now, &s->kept))
		set_up(s, "rm -rf git upper state record; cp -a kept/. .");
}

/* Whether the last @times kills left what this one has, so that all that can be done with
 * it has been seen. Most calls only look. */
static bool known(struct scene *s, unsigned times)
{
	struct buf now = BUF_INIT(1 << 20);

	all_of(&now);
	if (same(&now, &s->seen))
		s->times++;
	else
		s->times = 0;
	buf_done(&s->seen);
	s->seen = now;
	return s->times >= times;
}

static size_t text_of(const char *dir, const char *name, char ret[4096])
{
	char path[4096];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s/%s", unit_tmpdir(), dir, name);
	f = fopen(path, "re");
	if (!f)
		return 0;
	n = fread(ret, 1, 4096, f);
	(void)fclose(f);
	return n;
}

/* A letter for each: as it was, as the box has it, or neither. */
static void state_of(char ret[8])
{
	static const char *const names[] = { "refs/heads/main", "refs/heads/side",
					     "refs/heads/gone", "HEAD",
					     "index",		"MERGE_MSG" };
	char now[4096], was[4096], box[4096];
	size_t i = 0;

	for (; i < ARRAY_SIZE(names); i++) {
		size_t n = text_of("git", names[i], now);

		ret[i] = '?';
		if (n == text_of("box", names[i], box) && memcmp(now, box, n) == 0)
			ret[i] = 'b';
		if (n == text_of("was", names[i], was) && memcmp(now, was, n) == 0)
			ret[i] = 'w';
	}
	ret[i] = '\0';
}

static void is(const char *want)
{
	char now[8];

	state_of(now);
	assert_string_equal(now, want);
}

/* A git that nobody waits for any more comes to its end by itself. */
static void is_either(void)
{
	char now[8];

	while (waitpid(-1, NULL, 0) > 0)
		continue;
	state_of(now);
	assert_null(strchr(now, '?'));
}

static int over(void *ctx, struct err *e)
{
	struct git_take_conf conf = conf_of(ctx);

	return git_take_over(&conf, e);
}

static int back(void *ctx, struct err *e)
{
	struct git_take_conf conf = conf_of(ctx);

	return git_take_back(&conf, e);
}

static int clean(void *ctx, struct err *e)
{
	struct git_take_conf conf = conf_of(ctx);

	return git_take_clean(&conf, e);
}

/* What an apply that was killed has left in the box's layer is not lost by an undo. */
static void over_after_back(struct scene *s)
{
	struct err e = ERR_NONE;

	unit_ok(over(s, &e), &e);
	is("bbbbbb");
}

/* Back, and where the next call was killed with the same left, on and then back. */
static void after_over(void *ctx)
{
	struct scene *s = ctx;
	struct err e = ERR_NONE;

	is_either();
	if (!known(s, 2)) {
		if (s->times) {
			unit_ok(over(s, &e), &e);
			is("bbbbbb");
		}
		unit_ok(back(s, &e), &e);
		is("wwwwww");
		over_after_back(s);
	}
	restore(s);
}

static void after_back(void *ctx)
{
	struct scene *s = ctx;
	struct err e = ERR_NONE;

	is_either();
	if (!known(s, 1)) {
		unit_ok(back(s, &e), &e);
		is("wwwwww");
	}
	restore(s);
	is("bbbbbb");
}

/* It is cleaned once it is noted that all was taken over, and by an undo before it begins. */
static void after_clean(void *ctx)
{
	struct scene *s = ctx;
	struct err e = ERR_NONE;

	is("bbbbbb");
	if (!known(s, 1)) {
		unit_ok(clean(s, &e), &e);
		assert_true(shell("test -z \"$(find upper ! -type d)\""));
		unit_ok(back(s, &e), &e);
		is("wwwwww");
		unit_ok(over(s, &e), &e);
		is("wwwwww");
	}
	restore(s);
}

static void start(struct scene *s)
{
	*s = (struct scene){ .git = -1,
			     .upper = -1,
			     .state = -1,
			     .record = -1,
			     .kept = BUF_INIT(1 << 20),
			     .seen = BUF_INIT(1 << 20) };
	if (!shell("git --version >/dev/null"))
		unit_skip("no git on this host");
	if (!shell("rm -rf was box"))
		fail_msg("cannot make room");
	if (!shell(make))
		unit_skip("no repository with a device 0:0 can be made here");
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	fill(s);
	is("wwwwww");
}

static void end(struct scene *s)
{
	buf_done(&s->kept);
	buf_done(&s->seen);
}

static void kills_over(void)
{
	struct scene s;

	start(&s);
	keep(&s);
	unit_kills(over, after_over, &s);
	end(&s);
}

static void kills_back(void)
{
	struct scene s;
	struct err e = ERR_NONE;

	start(&s);
	unit_ok(over(&s, &e), &e);
	is("bbbbbb");
	keep(&s);
	unit_kills(back, after_back, &s);
	end(&s);
}

static void locks_are(const char *want)
{
	char *script = NULL;

	assert_true(
		asprintf(
			&script,
			"test \"$(cd git && find . -name '*.lock' | sort | xargs)\" = '%s'",
			want) > 0);
	assert_true(shell(script));
	free(script);
}

/* A kill of this process's git cannot be timed: these are the locks that it leaves. */
static void locks(void)
{
	struct scene s;
	struct err e = ERR_NONE;

	start(&s);
	assert_true(shell("for x in main side; do cp box/refs/heads/$x "
			  "git/refs/heads/$x.lock; done"));
	unit_ok(over(&s, &e), &e);
	is("bbbbbb");
	locks_are("");
	assert_true(shell("cp was/refs/heads/main git/refs/heads/main.lock"));
	unit_ok(back(&s, &e), &e);
	is("wwwwww");
	locks_are("");
	/* noted, and not done; of a removal, and of somebody else */
	assert_true(shell("cp box/refs/heads/side git/refs/heads/side.lock; "
			  ">git/refs/heads/gone.lock; "
			  "cp was/refs/heads/main git/refs/heads/main.lock"));
	unit_ok(back(&s, &e), &e);
	is("wwwwww");
	locks_are("./refs/heads/gone.lock ./refs/heads/main.lock");
	end(&s);
}

static void kills_clean(void)
{
	struct scene s;
	struct err e = ERR_NONE;

	start(&s);
	unit_ok(over(&s, &e), &e);
	keep(&s);
	unit_kills(clean, after_clean, &s);
	end(&s);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "killed at every call of taking over", kills_over },
		{ "killed at every call of taking back", kills_back },
		{ "locks of a git that was killed", locks },
		{ "killed at every call of cleaning the layer", kills_clean },
	};

	return unit_cases("faults of git_take_back", cases);
}
