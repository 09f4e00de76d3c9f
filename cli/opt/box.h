/* opt_box - the options of every command that may start a box. All but three have a
 * lasting meaning and go to the struct config; the box is made from them in boxsetup.
 * Needs:  a command with a struct opt_box among its arguments: .tables = { OPT_BOX() }.
 * Owns:   nothing.
 * Never:  interprets: a value is checked, kept, and read later. */
#ifndef CLI_OPT_BOX_H
#define CLI_OPT_BOX_H

#include "cli/opt/cmd.h"
#include "cli/opt/config.h"
#include "runtime/spec/spec.h"

struct opt_box {
	bool wipe;     /* empty the box first */
	bool rm;       /* remove it afterwards */
	bool unlink;   /* break up the project's hard links first */
	bool yes;      /* wipe it without asking */
	bool no_setup; /* no packages and setup of the project's file */
	bool no_cache; /* run them all, whatever is kept of them */
	bool save;     /* keep the options of this command with the box */
	bool as_root; /* the command is root's, and minds who the caller is in the project */
	/* It only reads what the box has: one that is started for it is not set up, publishes
	 * nothing, does not stay, and nobody is asked about what it might be. */
	bool look;
	const char *const *forget; /* of unset: NULL-ended names; NULL = none */
	enum project_mode project; /* where no --project says another */
};

extern const struct cmd_option opt_box[];
#define OPT_BOX(type, member)                                          \
	{                                                              \
		.options = opt_box,                                    \
		.header = "Box options:", .at = offsetof(type, member) \
	}

/** opt_box_word() - take "--NAME=VALUE", an option that is about one box; @word: borrowed,
 *  must outlive @c. 0, -EINVAL, -ENOMEM */
int opt_box_word(struct config *c, const char *word, struct err *e);

#endif
