/* movedir - a directory of a view's lower layer gets another name, which the kernel refuses
 * (EXDEV): a new one is made, all entries are renamed into it, and the old one is removed.
 * Needs:  two names on one mount.
 * Owns:   nothing.
 * Never:  copies or removes a file; leaves some entries in either when one cannot be moved,
 *         unless going back fails, too; touches anything when the names are on two mounts.
 *         Others see it half done meanwhile. */
#ifndef RUNTIME_INIT_MOVEDIR_H
#define RUNTIME_INIT_MOVEDIR_H

#include <stdint.h>

enum { MOVEDIR_DEPTH = 64, MOVEDIR_PASSES = 64 };

struct movedir {
	const uint64_t *words; /* two, for each rename (sys_renameat_words) */
	int from_dir, to_dir;  /* borrowed */
	const char *from, *to; /* relative to them */
};

/**
 * movedir() - what rename(2) of a directory means, after it said EXDEV
 *
 * Return: 0; -EXDEV: no directory, two mounts, deeper than MOVEDIR_DEPTH, more added
 * meanwhile than MOVEDIR_PASSES take, or an entry or attribute that cannot be moved, but
 * for attributes that the caller may not give; -EEXIST, -ENOTEMPTY, -ENOTDIR: what is in
 * the way; -ENOSPC, -EDQUOT; another negative errno of the new directory.
 */
int movedir(const struct movedir *m);

#endif
