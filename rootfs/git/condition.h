/* git_condition - the condition of an [includeIf]: whether what it includes counts in the
 * repositories of a project (gitconfig(5), "Conditional includes").
 *
 * Needs:  the environment of the caller's git (HOME).
 * Owns:   nothing.
 * Never:  asks a repository: of a branch and of a remote it says that it does not know. */
#ifndef ROOTFS_GIT_CONDITION_H
#define ROOTFS_GIT_CONDITION_H

enum git_condition {
	GIT_CONDITION_NO,
	GIT_CONDITION_YES,
	GIT_CONDITION_MAYBE /* or in some repository of the project */
};

/** git_condition_holds() - "gitdir:PATTERN" and "gitdir/i:PATTERN"
 *  @text: the subsection; @file: the file that it stands in
 *  @project: absolute, without links; its repository is in .git there. "" = not known. */
enum git_condition git_condition_holds(const char *text, const char *file,
				       const char *project);

#endif
