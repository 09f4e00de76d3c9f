#include "cli/opt/box.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "cli/opt/config_load.h"
#include "runtime/spec/volume.h"

enum { ENV_FILE_MAX = 1 << 20 };

static int read_env_file(struct app *app, void *, const char *file, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(ENV_FILE_MAX);
	int r = app->read_named(file, &text, e);

	return r < 0 ? r : config_load_env(app->config, file, buf_cstr(&text), e);
}

static int share_cache(struct app *app, void *, const char *name, struct err *e)
{
	const char *volume = spec_volume_cache(name);

	if (!volume)
		return err_set(e, -EINVAL,
			       "'%s' is not known; --volume NAME:DIR shares "
			       "any directory",
			       name);
	return config_set(app->config, CONFIG_VOLUME, volume, CONFIG_FROM_FLAG, e);
}

/* Those that a box may be given by itself: none of a single command, none of a task. */
static bool is_of_box(enum config_key k)
{
	return (k <= CONFIG_ENV && k != CONFIG_PUBLISH) || k == CONFIG_LINGER ||
	       k == CONFIG_PROJECT;
}

int opt_box_word(struct config *c, const char *word, struct err *e)
{
	const char *value = strchr(word, '=');
	char name[32] = "";
	int k = -1;

	if (value && strncmp(word, "--", 2) == 0 &&
	    (size_t)(value - word - 2) < sizeof(name)) {
		memcpy(name, word + 2, (size_t)(value - word - 2));
		k = config_find(name);
	}
	if (k < 0 || !is_of_box((enum config_key)k))
		return err_set(e, -EINVAL, "'%s' is no option of a box", word);
	if (config_set(c, (enum config_key)k, value + 1, CONFIG_FROM_FLAG, e) < 0)
		return err_wrap(e, "--%s", name);
	return 0;
}

#define FLAG(member) CMD_FLAG(struct opt_box, member)

const struct cmd_option opt_box[] = {
	{ "image", 0, "IMAGE", "make the box from IMAGE (default: ubuntu)",
	  CMD_CONFIG(CONFIG_IMAGE) },
	{ "wipe", 0, NULL, "begin with a fresh box", FLAG(wipe) },
	{ "unlink", 0, NULL,
	  "first give the project copies of files that have names outside of it",
	  FLAG(unlink) },
	{ "yes", 'y', NULL, "with --wipe, --ssh-agent: do not ask first", FLAG(yes) },
	{ "save", 0, NULL,
	  "keep the options below with the box, as 'cubby set' does; else they hold "
	  "for this start of it",
	  FLAG(save) },
	{ "no-setup", 0, NULL,
	  "leave out the packages and the setup of .cubby/box.json", FLAG(no_setup) },
	{ "no-cache", 0, NULL,
	  "run them all in a new box, whatever is kept of them from before",
	  FLAG(no_cache) },
	{ "rm", 0, NULL, "remove the box afterwards", FLAG(rm) },
	{ "net", 0, "MODE", "network: gate (default), none or host",
	  CMD_CONFIG(CONFIG_NET) },
	{ "allow", 0, "HOST[:PORT]", "the gate lets HOST through",
	  CMD_CONFIG(CONFIG_ALLOW) },
	{ "deny", 0, "HOST[:PORT]", "the gate refuses HOST", CMD_CONFIG(CONFIG_DENY) },
	{ "publish", 'p', "[IP:]HOSTPORT:PORT",
	  "connections to HOSTPORT here reach PORT in the box",
	  CMD_CONFIG(CONFIG_PUBLISH) },
	{ "volume", 0, "SOURCE:TARGET[:ro|:rw]",
	  "the directory or file SOURCE is TARGET in the box, read-only if it is not "
	  "of the project; a name: a directory of the store, which boxes share; -v "
	  "for short",
	  CMD_CONFIG(CONFIG_VOLUME) },
	{ "cache", 0, "NAME",
	  "share what pip, uv, npm, cargo, go, maven or ccache keeps with other boxes",
	  CMD_CALL(share_cache) },
	{ "memory", 'm', "SIZE", "most memory (default: 4G, or half of all)",
	  CMD_CONFIG(CONFIG_MEMORY) },
	{ "cpus", 0, "N", "most processors, such as 0.5", CMD_CONFIG(CONFIG_CPUS) },
	{ "pids", 0, "N", "most processes (default: 1024)", CMD_CONFIG(CONFIG_PIDS) },
	{ "disk", 0, "SIZE", "most disk space that the box may add to its image",
	  CMD_CONFIG(CONFIG_DISK) },
	{ "env", 'e', "NAME[=VALUE]",
	  "set NAME in the box; without VALUE as it is here", CMD_CONFIG(CONFIG_ENV) },
	{ "env-file", 0, "FILE", "the same for each line of FILE",
	  CMD_CALL(read_env_file) },
	{ "user", 'u', "USER[:GROUP]", "user in the box (default: root)",
	  CMD_CONFIG(CONFIG_USER) },
	{ "keep", 0, NULL, "leave the box running when the command ends",
	  CMD_CONFIG(CONFIG_KEEP) },
	{ "linger", 0, "TIME",
	  "how long an idle box waits for the next command (default: 10s; 0: it ends)",
	  CMD_CONFIG(CONFIG_LINGER) },
	{ "project", 0, "MODE",
	  "the project directory: live, review (of a task the default: changes wait "
	  "for its end or 'apply') or ro",
	  CMD_CONFIG(CONFIG_PROJECT) },
	{ "git-writable", 0, NULL, "let the box change .git/hooks and .git/config",
	  CMD_CONFIG(CONFIG_GIT_WRITABLE) },
	{ "allow-home", 0, NULL, "permit a box for the home directory itself",
	  CMD_CONFIG(CONFIG_ALLOW_HOME) },
	{ "any-directory", 0, NULL,
	  "permit a box for a directory that is too wide or private",
	  CMD_CONFIG(CONFIG_ANY_DIRECTORY) },
	{ 0 },
};
