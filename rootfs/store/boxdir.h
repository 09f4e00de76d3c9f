/* boxdir - the directory of one box in the store.
 * Needs:  an open store.
 * Owns:   its three descriptors.
 * Never:  knows what box.json means: that is runtime/spec/spec.h.
 *
 *   boxes/<key>/box.json      what the box is; written as a whole
 *   boxes/<key>/upper, work   the two directories of its overlay
 *   boxes/<key>/transcripts   one file per task
 *   boxes/<key>/words.json    words for models that tasks wrote into the project
 *   boxes/<key>/acting        what was there before something that runs on (cli/box/acting.h)
 *   boxes/<key>/sessions.json where clients of a server were in it (agent/server/tenant)
 *   boxes/<key>/lock          flock of whoever runs the box */
#ifndef ROOTFS_STORE_BOXDIR_H
#define ROOTFS_STORE_BOXDIR_H

#include <sys/stat.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/scope.h"
#include "rootfs/store/store.h"

struct boxdir {
	const struct store *store; /* borrowed: where it lies */
	int dirfd;		   /* owned */
	int upper;		   /* owned; O_PATH: what "/" is inside */
	int work;		   /* owned; O_PATH */
	char key[HASH_HEX];	   /* sha256 of the project's real path */
};
#define BOXDIR_NONE ((struct boxdir){ .dirfd = -1, .upper = -1, .work = -1 })

/**
 * boxdir_open() - open the directory of a box
 * @s:      borrowed until boxdir_close()
 * @key:    64 hex digits
 * @create: make it, and whatever of it is missing
 * @ret:    filled on success only; release with boxdir_close()
 * @e:      filled on failure only
 *
 * Return: 0; -EINVAL (key); -ENOENT without @create, also for a box whose removal was
 *         interrupted; -ENOSPC, -EROFS … of the store.
 */
int boxdir_open(const struct store *s, const char *key, bool create, struct boxdir *ret,
		struct err *e);
/** boxdir_unmake() - what could not become a box: remove its empty directories, which no
 *  command shows. Where there is a box, or a log of one before, that stays. */
void boxdir_unmake(const struct store *s, const char *key);
void boxdir_close(struct boxdir *b);
#define _cleanup_boxdir_ _cleanup_(boxdir_close)

/** boxdir_load() - read box.json; *@ret is owned: json_free(). -ENOENT when none */
int boxdir_load(const struct boxdir *b, struct json **ret, struct err *e);

/** boxdir_save() - replace box.json atomically */
int boxdir_save(const struct boxdir *b, const struct json *j, struct err *e);

/** boxdir_lock() - be the one who runs or removes the box
 *  Return: the descriptor that holds the lock (close it to release); -EWOULDBLOCK when
 *          another holds it and @wait is false. */
int boxdir_lock(const struct boxdir *b, bool wait, struct err *e);

/* Within work/: while an overlay is mounted that is not written to the disk, and after it. */
#define BOXDIR_VOLATILE "work/incompat/volatile"

/** boxdir_lost() - what that mark says of the box: 0, or -ESTALE, it is older than the
 *  computer's start */
int boxdir_lost(const struct stat *mark, struct err *e);

/** boxdir_whole() - the same of the box, which nobody may be running; 0 without a mark */
int boxdir_whole(const struct boxdir *b, struct err *e);

/** boxdir_list() - call @each with the key of every box, in no order; a negative
 *  return of @each ends it (fill @e then) and is returned */
int boxdir_list(const struct store *s, int (*each)(void *ctx, const char *key),
		void *ctx, struct err *e);

/* Removes the directory @name in @parent with all below it, also what ids of the box
 * own: the caller's tree_remove() or, with the box's map, the runtime's helper. */
typedef int boxdir_rm_fn(void *ctx, int parent, const char *name, struct err *e);

struct boxdir_rm {
	boxdir_rm_fn *fn;
	void *ctx;
};

/**
 * boxdir_wipe() - remove a box, which nobody may be running
 * @logs: the transcripts and the record of the network stay, in a directory of that key
 *        without a box
 * @rm:   does the removal of trees
 *
 * The box is first moved to tmp/, so that an interrupted removal leaves no half box.
 * Return: 0; -ENOENT; -EBUSY ("box is running"); what @rm returned.
 */
int boxdir_wipe(const struct store *s, const char *key, bool logs,
		const struct boxdir_rm *rm, struct err *e);

#endif
