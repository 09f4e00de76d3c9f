/* commands - all there are. Only main() and tests know them: whatever needs them is given
 * the table (app.h), so that no command needs the others.
 * Needs:  a const struct cmd of each, in its own file of cli/cmd/.
 * Owns:   nothing.
 * Never:  holds a command that nobody types. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/opt/cmd.h"

extern const struct cmd cmd_cp, cmd_own, cmd_stats, cmd_agree, cmd_down, cmd_up,
	cmd_adopt, cmd_apply, cmd_diff, cmd_discard, cmd_undo, cmd_mv, cmd_config,
	cmd_doctor, cmd_exec, cmd_images, cmd_info, cmd_kill, cmd_log, cmd_logs, cmd_ls,
	cmd_mcp, cmd_models, cmd_net, cmd_ports, cmd_prune, cmd_ps, cmd_pull,
	cmd_python, cmd_resume, cmd_rm, cmd_rmi, cmd_tag, cmd_commit, cmd_save,
	cmd_push, cmd_run, cmd_set, cmd_unset, cmd_serve, cmd_shell, cmd_stop,
	cmd_snapshot, cmd_snapshots, cmd_restore, cmd_branch, cmd_top, cmd_wait,
	cmd_init, cmd_volumes, cmd_checkpoint, cmd_rewind;

extern const struct cmd *const commands_table[]; /* in the order of help; NULL-ended */

#endif
