#include "rootfs/review/layer_outside.h"

#include "rootfs/review/clean.h"
#include "tests/unit/rootfs/review/layer_dirs.h"

/* The project "p" is a worktree of "m"; or, @sub, a submodule of it. */
struct fixture {
	struct layer_dirs d;
	int common, tree; /* the uppers; owned */
	char path[4096];  /* of the project */
};

static void make_repository(const struct fixture *f, bool sub)
{
	static const char *const dirs[] = { "m",
					    "m/.git",
					    "m/.git/objects",
					    "m/.git/refs",
					    "m/.git/worktrees",
					    "m/.git/worktrees/p",
					    "m/.git/modules",
					    "m/.git/modules/p",
					    "m/.git/modules/p/objects",
					    "m/.git/modules/p/refs" };
	char text[8192];
	int m;

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		close(layer_dirs_open(dirs[i]));
	m = layer_dirs_open("m/.git");
	layer_dirs_put(m, "modules/p/config", "[core]\n\tworktree = ../../../../p\n");
	layer_dirs_put(m, "config", "[core]\n\tbare = false\n");
	layer_dirs_put(m, "worktrees/p/commondir", "../..\n");
	layer_dirs_put(m, "worktrees/p/HEAD", "ref: refs/heads/wt\n");
	snprintf(text, sizeof(text), "%s/.git\n", f->path);
	layer_dirs_put(m, "worktrees/p/gitdir", text);
	close(m);
	snprintf(text, sizeof(text), "gitdir: %s/m/.git/%s/p\n", unit_tmpdir(),
		 sub ? "modules" : "worktrees");
	layer_dirs_put(f->d.project, ".git", text);
}

static void make(struct fixture *f, bool sub)
{
	layer_dirs_make(&f->d);
	layer_dirs_put(f->d.box, "project/since", "18446744073709551615 ");
	(void)layer_dirs_open("box/project/outside");
	(void)layer_dirs_open("box/project/outside-tree");
	f->common = layer_dirs_open("box/project/outside/upper");
	f->tree = layer_dirs_open("box/project/outside-tree/upper");
	snprintf(f->path, sizeof(f->path), "%s/p", unit_tmpdir());
	make_repository(f, sub);
}

static int begin(const struct fixture *f, struct err *e)
{
	_cleanup_git_outside_ struct git_outside o = GIT_OUTSIDE_NONE;

	assert_int_equal(git_outside_open(f->d.project, f->path, &o, e), 1);
	return layer_outside_begin(f->d.box, f->d.project, &o, e);
}

static void open_it(const struct fixture *f, struct layer *ret)
{
	struct err e = ERR_NONE;

	unit_ok(layer_open(f->d.box, f->d.project, ret, &e), &e);
}

/* "git PATH" or "KIND PATH (WHY)" for each item. */
static void lists(const struct fixture *f, const char *want)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;
	_cleanup_diff_ struct diff diff = { .items = NULL };
	_cleanup_buf_ struct buf b = BUF_INIT(4096);
	struct err e = ERR_NONE;

	open_it(f, &l);
	unit_ok(diff_make(&l, &diff, &e), &e);
	for (size_t i = 0; i < diff.n; i++) {
		const struct diff_item *x = &diff.items[i];

		buf_addf(&b, "%s %s",
			 x->git	       ? "git"
			 : x->now.mode ? "c"
				       : "g",
			 x->path);
		buf_addf(&b, x->kept ? " (%s);" : ";", x->kept ?: "");
	}
	assert_string_equal(buf_cstr(&b), want);
}

static void begins(void)
{
	struct fixture f;
	_cleanup_layer_ struct layer l = LAYER_NONE;
	struct err e = ERR_NONE;
	uint64_t sign = 1, other;

	make(&f, false);
	open_it(&f, &l);
	assert_int_equal(l.outside, -1);
	assert_false(layer_outside_is(&l, ".git"));
	layer_close(&l);
	unit_ok(begin(&f, &e), &e);
	open_it(&f, &l);
	assert_true(l.outside >= 0 && l.tree >= 0);
	assert_true(layer_outside_is(&l, ".git"));
	assert_false(layer_outside_is(&l, "sub/.git"));
	unit_ok(layer_outside_sign(&l, &sign, &e), &e);
	assert_int_equal(sign, 0);
	layer_dirs_put(f.tree, "HEAD", "x");
	unit_ok(layer_outside_sign(&l, &sign, &e), &e);
	assert_int_not_equal(sign, 0);
	layer_dirs_put(f.common, "packed-refs", "x");
	unit_ok(layer_outside_sign(&l, &other, &e), &e);
	assert_int_not_equal(sign, other);
}

static void submodule(void)
{
	struct fixture f;
	_cleanup_layer_ struct layer l = LAYER_NONE;
	struct err e = ERR_NONE;

	make(&f, true);
	unit_ok(begin(&f, &e), &e);
	open_it(&f, &l);
	assert_true(l.outside >= 0);
	assert_int_equal(l.tree, -1);
	layer_dirs_put(f.common, "HEAD", "x"); /* here it is the project's */
	layer_dirs_put(f.tree, "config", "x"); /* and this is nobody's */
	lists(&f, "git .git;");
}

static void listed(void)
{
	struct fixture f;
	struct err e = ERR_NONE;

	make(&f, false);
	unit_ok(begin(&f, &e), &e);
	lists(&f, "");
	layer_dirs_put(f.common, "HEAD", "x");
	layer_dirs_put(f.common, "config", "x");
	assert_int_equal(mkdirat(f.common, "hooks", 0755), 0);
	layer_dirs_put(f.common, "hooks/x", "x");
	lists(&f, "c .git/HEAD (belongs to another worktree);"
		  "c .git/config (names programs that git runs);"
		  "c .git/hooks/x (git runs it);");
	layer_dirs_put(f.tree, "HEAD", "x");
	assert_int_equal(unlinkat(f.common, "HEAD", 0), 0);
	assert_int_equal(unlinkat(f.common, "config", 0), 0);
	lists(&f, "git .git;c .git/hooks/x (git runs it);");
	/* A .git that the box has changed comes first; one that is the same does not. */
	layer_dirs_put(f.d.upper, ".git", "gitdir: /x\n");
	lists(&f, "c .git;");
	assert_int_equal(unlinkat(f.d.upper, ".git", 0), 0);
	assert_int_equal(mkdirat(f.d.upper, ".git", 0755), 0);
	layer_dirs_put(f.d.upper, ".git/HEAD", "x");
	lists(&f, "c .git;c .git/HEAD;");
	/* Nor is the host's own directory of that name the repository outside. */
	assert_int_equal(unlinkat(f.d.project, ".git", 0), 0);
	assert_int_equal(mkdirat(f.d.project, ".git", 0755), 0);
	lists(&f, "c .git/HEAD;");
}

static void gone(void)
{
	struct fixture f;
	struct err e = ERR_NONE;

	make(&f, false);
	unit_ok(begin(&f, &e), &e);
	layer_dirs_gone(f.tree, "commondir");
	lists(&f, "g .git/commondir (leads git to another place);");
}

static void discards(void)
{
	struct fixture f;
	_cleanup_layer_ struct layer l = LAYER_NONE;
	struct err e = ERR_NONE;

	make(&f, false);
	unit_ok(begin(&f, &e), &e);
	open_it(&f, &l);
	layer_dirs_put(f.common, "config", "x");
	layer_dirs_put(f.tree, "HEAD", "x");
	unit_ok(clean_discard(&l, ".git/config", &e), &e);
	lists(&f, "git .git;");
	assert_int_equal(clean_discard(&l, ".git/config", &e), -ENOENT);
	unit_err(&e, -ENOENT, "the box has not changed '.git/config'");
	e = ERR_NONE;
	layer_dirs_put(f.d.upper, ".git", "gitdir: /x\n");
	unit_ok(clean_discard(&l, ".git", &e), &e);
	lists(&f, "git .git;");
	unit_ok(clean_discard(&l, ".git", &e), &e);
	lists(&f, "");
	assert_int_equal(clean_discard(&l, ".git", &e), -ENOENT);
	e = ERR_NONE;
	layer_dirs_put(f.tree, "HEAD", "x");
	layer_dirs_put(f.d.upper, "file", "x");
	unit_ok(clean_discard(&l, "", &e), &e);
	unit_ok(clean_discard(&l, "", &e), &e);
	lists(&f, "");
}

static void another(void)
{
	struct fixture f;
	_cleanup_layer_ struct layer l = LAYER_NONE;
	struct layer_outside o = LAYER_OUTSIDE_NONE;
	struct git_take_conf conf = { .git = -1 };
	struct err e = ERR_NONE;
	int top;

	make(&f, false);
	unit_ok(begin(&f, &e), &e);
	open_it(&f, &l);
	unit_ok(layer_outside_open(&l, f.path, &o, &e), &e);
	layer_outside_conf(&l, &o, &conf);
	assert_true(conf.git >= 0 && conf.upper == l.outside && conf.tree);
	layer_outside_close(&o);
	/* The same, at another place. */
	top = layer_dirs_open("");
	assert_int_equal(renameat(top, "m", top, "moved"), 0);
	assert_int_equal(layer_outside_open(&l, f.path, &o, &e), -ENOENT);
	e = ERR_NONE;
	make_repository(&f, false);
	assert_int_equal(layer_outside_open(&l, f.path, &o, &e), -ESTALE);
	unit_err(&e, -ESTALE, "the repository is another one than the box had");
	e = ERR_NONE;
	layer_dirs_put(f.tree, "HEAD", "x");
	assert_int_equal(begin(&f, &e), -ESTALE);
	unit_err(&e, -ESTALE,
		 "what waits in the box is of another one; 'cubby discard .git' throws "
		 "it away");
	e = ERR_NONE;
	unit_ok(clean_discard(&l, ".git", &e), &e);
	unit_ok(begin(&f, &e), &e);
	layer_close(&l);
	open_it(&f, &l);
	unit_ok(layer_outside_open(&l, f.path, &o, &e), &e);
	layer_outside_close(&o);
	assert_int_equal(unlinkat(f.d.project, ".git", 0), 0);
	assert_int_equal(layer_outside_open(&l, f.path, &o, &e), -ENOENT);
	unit_err(&e, -ENOENT, "this directory has no repository outside of it");
}

static void broken(void)
{
	struct fixture f;
	_cleanup_layer_ struct layer l = LAYER_NONE;
	struct err e = ERR_NONE;

	make(&f, false);
	layer_dirs_put(f.d.box, "project/outside-of", "x");
	assert_int_equal(layer_open(f.d.box, f.d.project, &l, &e), -EBADMSG);
	e = ERR_NONE;
	layer_dirs_put(f.d.box, "project/outside-of", "1 2\n");
	assert_int_equal(unlinkat(f.d.box, "project/outside/upper", AT_REMOVEDIR), 0);
	assert_int_equal(symlinkat("/", f.d.box, "project/outside/upper"), 0);
	assert_true(layer_open(f.d.box, f.d.project, &l, &e) < 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a worktree's layers", begins },
		{ "a submodule's", submodule },
		{ "what is listed", listed },
		{ "what was removed", gone },
		{ "discard", discards },
		{ "another repository", another },
		{ "records that are none of ours", broken },
	};

	return unit_cases("layer_outside", cases);
}
