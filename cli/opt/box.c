#include "cli/opt/box.h"

#include "cli/opt/config_load.h"
#include "runtime/spec/volume.h"

enum { KEY_WIPE = 0x2100, KEY_RM, KEY_UNLINK, KEY_SAVE, KEY_ENV_FILE, KEY_CACHE };

#define ROW(name, key, arg, doc)                             \
	{                                                    \
		name, OPT_BOX_CONFIG + (key), arg, 0, doc, 0 \
	}

static const struct argp_option options[] = {
	ROW("image", CONFIG_IMAGE, "IMAGE",
	    "make the box from IMAGE (default: ubuntu)"),
	{ "wipe", KEY_WIPE, NULL, 0, "begin with a fresh box", 0 },
	{ "unlink", KEY_UNLINK, NULL, 0,
	  "first give the project copies of files that have names outside of it", 0 },
	{ "yes", 'y', NULL, 0, "with --wipe: do not ask first", 0 },
	{ "save", KEY_SAVE, NULL, 0,
	  "keep the options below with the box, as 'cubby set' does; else they hold "
	  "for "
	  "this start of it",
	  0 },
	{ "rm", KEY_RM, NULL, 0, "remove the box afterwards", 0 },
	ROW("net", CONFIG_NET, "MODE", "network: gate (default), none or host"),
	ROW("allow", CONFIG_ALLOW, "HOST[:PORT]", "the gate lets HOST through"),
	ROW("deny", CONFIG_DENY, "HOST[:PORT]", "the gate refuses HOST"),
	ROW("publish", CONFIG_PUBLISH, "[IP:]HOSTPORT:PORT",
	    "connections to HOSTPORT here reach PORT in the box"),
	ROW("volume", CONFIG_VOLUME, "SOURCE:TARGET[:ro|:rw]",
	    "the directory or file SOURCE is TARGET in the box, read-only if it is not "
	    "of the project; a name: a directory of the store, which boxes share; -v "
	    "for short"),
	{ "cache", KEY_CACHE, "NAME", 0,
	  "share what pip, uv, npm, cargo, go, maven or ccache keeps with other boxes",
	  0 },
	ROW("memory", CONFIG_MEMORY, "SIZE",
	    "most memory (default: 4G, or half of all)"),
	ROW("cpus", CONFIG_CPUS, "N", "most processors, such as 0.5"),
	ROW("pids", CONFIG_PIDS, "N", "most processes (default: 1024)"),
	ROW("disk", CONFIG_DISK, "SIZE",
	    "most disk space that the box may add to its image"),
	{ "env", OPT_BOX_CONFIG + CONFIG_ENV, "NAME[=VALUE]", 0,
	  "set NAME in the box; without VALUE as it is here", 0 },
	{ NULL, 'e', NULL, OPTION_ALIAS, NULL, 0 },
	{ "env-file", KEY_ENV_FILE, "FILE", 0, "the same for each line of FILE", 0 },
	ROW("user", CONFIG_USER, "USER[:GROUP]", "user in the box (default: root)"),
	{ NULL, 'u', NULL, OPTION_ALIAS, NULL, 0 },
	ROW("keep", CONFIG_KEEP, NULL, "leave the box running when the command ends"),
	ROW("linger", CONFIG_LINGER, "TIME",
	    "how long an idle box waits for the next command (default: 10s; 0: it "
	    "ends)"),
	ROW("project", CONFIG_PROJECT, "MODE",
	    "the project directory: live, review (of a task the default: changes wait "
	    "for its end or 'apply') or ro"),
	ROW("git-writable", CONFIG_GIT_WRITABLE, NULL,
	    "let the box change .git/hooks and .git/config"),
	ROW("allow-home", CONFIG_ALLOW_HOME, NULL,
	    "permit a box for the home directory itself"),
	ROW("any-directory", CONFIG_ANY_DIRECTORY, NULL,
	    "permit a box for a directory that is too wide or private"),
	{ 0 },
};

error_t opt_box_config(int key, char *arg, struct argp_state *state)
{
	enum config_key k = (enum config_key)(key - OPT_BOX_CONFIG);
	struct err e = ERR_NONE;

	if (key < OPT_BOX_CONFIG || key >= OPT_BOX_CONFIG + CONFIG_COUNT)
		return ARGP_ERR_UNKNOWN;
	if (config_set(cmd_app(state)->config, k, arg, CONFIG_FROM_FLAG, &e) < 0)
		return cmd_bad(state, "--%s: %s", config_rows[k].name, e.msg);
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct opt_box *o = state->input;
	struct err e = ERR_NONE;

	switch (key) {
	case KEY_WIPE:
		o->wipe = true;
		return 0;
	case 'y':
		o->yes = true;
		return 0;
	case 'e':
		return opt_box_config(OPT_BOX_CONFIG + CONFIG_ENV, arg, state);
	case 'u':
		return opt_box_config(OPT_BOX_CONFIG + CONFIG_USER, arg, state);
	case KEY_ENV_FILE:
		if (config_load_env(cmd_app(state)->config, arg, &e) < 0)
			return cmd_bad(state, "--env-file: %s", e.msg);
		return 0;
	case KEY_CACHE:
		if (!spec_volume_cache(arg))
			return cmd_bad(state,
				       "--cache: '%s' is not known; --volume NAME:DIR "
				       "shares any directory",
				       arg);
		return opt_box_config(OPT_BOX_CONFIG + CONFIG_VOLUME,
				      (char *)(uintptr_t)spec_volume_cache(arg), state);
	case KEY_SAVE:
		o->save = true;
		return 0;
	case KEY_RM:
		o->rm = true;
		return 0;
	case KEY_UNLINK:
		o->unlink = true;
		return 0;
	default:
		return opt_box_config(key, arg, state);
	}
}

const struct argp opt_box = { options, parse, NULL, NULL, NULL, NULL, NULL };
