#include "cli/commands.h"

const struct cmd *const commands_table[] = {
	&cmd_run,	&cmd_resume,  &cmd_log,	       &cmd_shell,   &cmd_exec,
	&cmd_diff,	&cmd_apply,   &cmd_undo,       &cmd_discard, &cmd_snapshot,
	&cmd_snapshots, &cmd_restore, &cmd_checkpoint, &cmd_rewind,  &cmd_branch,
	&cmd_logs,	&cmd_ls,      &cmd_info,       &cmd_stop,    &cmd_rm,
	&cmd_prune,	&cmd_ps,      &cmd_stats,      &cmd_cp,	     &cmd_kill,
	&cmd_wait,	&cmd_top,     &cmd_net,	       &cmd_ports,   &cmd_pull,
	&cmd_images,	&cmd_rmi,     &cmd_commit,     &cmd_save,    &cmd_push,
	&cmd_init,	&cmd_volumes, &cmd_up,	       &cmd_down,    &cmd_agree,
	&cmd_set,	&cmd_unset,   &cmd_mv,	       &cmd_adopt,   &cmd_mcp,
	&cmd_models,	&cmd_python,  &cmd_serve,      &cmd_doctor,  &cmd_config,
	&cmd_own,	NULL,
};
