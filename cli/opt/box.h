/* opt_box - the options of every command that may start a box. All but three have a
 * lasting meaning and go to the struct config; the box is made from them in boxsetup.
 * Needs:  cmd_parse(); state->child_inputs set to a struct opt_box.
 * Owns:   nothing.
 * Never:  interprets: a value is checked, kept, and read later. */
#ifndef CLI_OPT_BOX_H
#define CLI_OPT_BOX_H

#include "cli/opt/cmd.h"
#include "cli/opt/config.h"
#include "runtime/spec/spec.h"

struct opt_box {
	bool wipe;		   /* empty the box first */
	bool rm;		   /* remove it afterwards */
	bool unlink;		   /* break up the project's hard links first */
	bool yes;		   /* wipe it without asking */
	bool save;		   /* keep the options of this command with the box */
	const char *const *forget; /* of unset: NULL-ended names; NULL = none */
	enum project_mode project; /* where no --project says another */
};

extern const struct argp opt_box;

/* Keys of options that are rows of the configuration: OPT_BOX_CONFIG + CONFIG_X. */
enum { OPT_BOX_CONFIG = 0x1000 };

/** opt_box_config() - keep the value of such an option; ARGP_ERR_UNKNOWN for others */
error_t opt_box_config(int key, char *arg, struct argp_state *state);

#endif
