/* step - one change of an apply, done or taken back: under its name there is at each moment
 * the old file or the new one.
 * Needs:  the directory of the apply, its journal; the caller's rights on the project.
 * Owns:   what it keeps under its number there (journal.h), and two names of its own beside
 *         the file, which are gone when it has come to its end.
 * Never:  replaces what is not as it was when the change was listed, or takes back what is
 *         not as it was left: also where another program replaces it at that very moment. */
#ifndef ROOTFS_REVIEW_STEP_H
#define ROOTFS_REVIEW_STEP_H

#include "rootfs/review/journal.h"

struct step {
	const struct journal_step *what; /* borrowed */
	size_t i;			 /* its number */
	int project, upper;		 /* borrowed; upper: -1 = of an undo */
	int dir, log;			 /* borrowed: applied/<n> */
	mode_t umask;
	uint64_t mine; /* in names in the project: no other apply has it */
	bool again;    /* it may have begun before */
	bool linked; /* another step is about the same file under another name: that one
			  changes its ctime, too */
};

/** step_forward() - Return: 0 = it is done; -ESTALE: the host's file is another by now, or the
 *  box has gone on; or another errno */
int step_forward(const struct step *s);

/** step_backward() - the same the other way; 0 also where it was not done */
int step_backward(const struct step *s);

#endif
