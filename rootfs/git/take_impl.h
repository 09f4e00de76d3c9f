/* git_take_impl - what take.c and its parts share, and nobody else.
 * Needs:  take.h.
 * Owns:   see the fields.
 * Never:  is included by any other file. */
#ifndef ROOTFS_GIT_TAKE_IMPL_H
#define ROOTFS_GIT_TAKE_IMPL_H

#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "rootfs/git/refs.h"
#include "rootfs/git/take.h"
#include "rootfs/git/takeover.h"
#include "rootfs/git/text.h"
#include "rootfs/git/upper.h"

enum git_take_class {
	GIT_TAKE_OBJECT,
	GIT_TAKE_REF,
	GIT_TAKE_LOG,
	GIT_TAKE_HEAD,
	GIT_TAKE_INDEX,
	GIT_TAKE_TEXT, /* messages and sums of a merge, a pick, a commit */
	GIT_TAKE_JUNK, /* locks, caches, temporary files: not wanted by anybody */
	GIT_TAKE_HELD
};

struct git_take_item {
	char *path; /* owned */
	enum upper_kind kind;
	enum git_take_class class;
	bool tree;	 /* it lies in the worktree's own directory */
	const char *why; /* it is kept; NULL = it is taken over, or nothing to do */
	uint64_t mark;	 /* changes with the file */
};

/* Where the box started from. */
struct git_take_base {
	struct git_refs_pair refs; /* owned */
	struct git_refs
		own; /* owned: branches of this worktree → "x"; of a worktree alone */
	char head[GIT_TEXT_VALUE]; /* "" = none that can be understood */
	uint64_t index_ino, index_size, index_mtime, index_meaning;
};

struct git_take {
	const struct git_take_conf *conf;
	size_t sum;  /* bytes of a sum: 20 or 32 */
	bool files;  /* refs are files, which is what we understand */
	bool bare;   /* no worktree is on the HEAD of the common directory */
	bool sparse; /* its worktree has not all files */
	bool apart;  /* settings of its worktree are in a file of their own */
	struct git_take_base base;  /* owned */
	struct git_refs_pair now;   /* owned: of the host */
	struct git_take_item *list; /* owned */
	size_t n;
	struct buf
		names; /* owned: of loose objects that the host has not, a line each */
	size_t n_names;
	bool incoming, packs; /* something waits in "in" below @state; packs among it */
	struct git_refs stay; /* owned: refs in conflict → their base; "-" = none */
	bool behind;	      /* the branch of the box's HEAD went to refs/cubby/… */
	struct git_refs elsewhere; /* owned: what other worktrees are on → "x" */
	struct git_refs made;	   /* owned: branches that the box made → "x" */
	char head
		[GIT_TEXT_VALUE]; /* the box's, read once, for it may write it meanwhile;
				      "" = none that can be understood */
	const char *head_why;	  /* it stays there; NULL = it does not */
};

/* take_tree.c */
/** git_take_tree_has() - whether @path, if it is taken over, is a worktree's own */
bool git_take_tree_has(const char *path);
/** git_take_tree_git() - the host's directory that has @path; git_take_tree_upper(): the box's */
int git_take_tree_git(const struct git_take *t, const char *path);
int git_take_tree_upper(const struct git_take *t, const char *path);

/** git_take_tree_begin() - branches of the worktree: that of its HEAD, and those of before
 *  that are still there */
int git_take_tree_begin(struct git_take *t, struct git_refs *before, struct err *e);
/** git_take_tree_read() - what other worktrees are on */
int git_take_tree_read(struct git_take *t, struct err *e);
/** git_take_tree_why() - why the box does not move @name, whose value there is @value (NULL =
 *  it has been removed); NULL = it does, also where there are no other worktrees */
const char *git_take_tree_why(const struct git_take *t, const char *name,
			      const char *value);

/* take_base.c */
/** git_take_base_format() - what the host's own settings say of sums and refs */
int git_take_base_format(struct git_take *t, struct err *e);
int git_take_base_now(struct git_take *t, struct git_take_base *ret, struct err *e);
int git_take_base_load(struct git_take *t, struct err *e);
int git_take_base_save(const struct git_take *t, struct err *e);
void git_take_base_done(struct git_take_base *b);

/* take_objects.c */
/** git_take_objects_put() - put aside what the upper holds at this path, to be asked for by
 *  git_take_objects_import(); a name that is no object's is nothing */
int git_take_objects_put(struct git_take *t, const struct upper_entry *x,
			 struct err *e);
int git_take_objects_import(struct git_take *t, struct err *e);

/* take_refs.c */
int git_take_refs(struct git_take *t, struct err *e);

/* take_moves.c */
struct git_take_moves {
	const struct git_take *t; /* borrowed, as all of it; @now: from where */
	const struct git_refs
		*todo;	 /* name → new value, "-" = none; symbolic ones stay */
	const char *log; /* what git's logs say of it */
	/* git does not do this one, which stays; < 0 (with @e filled) ends all */
	int (*refused)(void *ctx, const struct git_ref *x, const char *why,
		       struct err *e);
	void *ctx;
};
/** git_take_moves() - have git do it */
int git_take_moves(const struct git_take_moves *m, struct err *e);
/** git_take_moves_unlock() - remove the lock of a git that was killed when it was to give the
 *  ref @name the noted @value */
void git_take_moves_unlock(const struct git_take *t, const char *name,
			   const char *value);

/* take_note.c */
enum { GIT_TAKE_STEPS = 64 << 20 };
/** git_take_note_refs() - note, before it is done, that refs get these values */
int git_take_note_refs(const struct git_take *t, const struct git_refs *todo,
		       struct err *e);
/** git_take_note_file() - note, before it is done, that a file of the host's gets the text
 *  @next; NULL = it is removed */
int git_take_note_file(const struct git_take *t, const char *path,
		       const struct buf *next, struct err *e);
/** git_take_note_put() - a file of the host's is replaced as takeover_put() does it, after
 *  what was there was noted; git_take_note_remove(): or removed */
int git_take_note_put(const struct git_take *t, const struct takeover_file *f,
		      struct err *e);
int git_take_note_remove(const struct git_take *t, const char *path, struct err *e);
/** git_take_note_mark() - what stands for the content of the file @path in a note */
void git_take_note_mark(const struct git_take *t, const char *path,
			const struct buf *text, char ret[HASH_HEX]);
/** git_take_note_now() - the same of the host's file, whose text goes to @text; "-" = there
 *  is none */
int git_take_note_now(const struct git_take *t, const char *path, struct buf *text,
		      char ret[HASH_HEX], struct err *e);
/** git_take_note_head() - the value of the host's HEAD; "-" = none that is understood */
void git_take_note_head(const struct git_take *t, char ret[GIT_TEXT_VALUE]);

/* take_index.c */
/** git_take_index_untouched() - the host's index is, or means, what it was */
bool git_take_index_untouched(const struct git_take *t);
/** git_take_index() - NULL, or why it is kept */
const char *git_take_index(struct git_take *t, struct err *e);

#endif
