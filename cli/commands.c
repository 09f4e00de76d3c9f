#include "cli/commands.h"

/* clang-format off */
const struct cmd *const commands_table[] = {
	&cmd_run, &cmd_resume, &cmd_log, &cmd_models,
	&cmd_shell, &cmd_exec, &cmd_python, &cmd_ps, &cmd_top, &cmd_kill, &cmd_logs, &cmd_wait, &cmd_cp, &cmd_stats,
	&cmd_ls, &cmd_info, &cmd_stop, &cmd_rm, &cmd_prune, &cmd_mv, &cmd_adopt, &cmd_set, &cmd_unset,
	&cmd_diff, &cmd_apply, &cmd_undo, &cmd_discard, &cmd_checkpoint, &cmd_rewind, &cmd_own,
	&cmd_snapshot, &cmd_snapshots, &cmd_restore, &cmd_branch,
	&cmd_net, &cmd_ports,
	&cmd_pull, &cmd_images, &cmd_rmi, &cmd_tag, &cmd_commit, &cmd_save, &cmd_push,
	&cmd_init, &cmd_agree, &cmd_up, &cmd_down, &cmd_volumes,
	&cmd_mcp, &cmd_serve,
	&cmd_doctor, &cmd_config,
	NULL,
};
/* clang-format on */
