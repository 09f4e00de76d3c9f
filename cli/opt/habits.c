#include "cli/opt/habits.h"

#include <stddef.h>
#include <string.h>

#include "base/def.h"

/* clang-format off */
static const char shell[] = "'cubby shell' is a shell in the box";
static const char pulls[] =
	"'cubby pull docker-archive:FILE' takes what 'docker save' wrote, 'cubby pull FILE' a "
	"tarball of a root";
static const char logins[] = "logins are those of 'docker login' and 'podman login'";
static const char stops[] = "'cubby stop' ends the box, and its next command starts it";
static const char fields[] = "--json has all fields, from which jq(1) picks";
static const char all[] = "all are listed anyway";
static const char terminal[] =
	"'cubby exec -it COMMAND' runs a command in the box, 'cubby shell' is a shell";
static const char rights[] =
	"a box has the rights that it has ('cubby help security'), and no option gives more";

/* Sorted by name for readers alone. */
static const struct habit {
	const char *word, *here;
	const char *seconds; /* of a group of commands, each with a blank around it */
	int most;	     /* no task has so few words and begins so; 0 = one may */
} commands[] = {
	{ "attach", "'cubby logs -f' follows what was detached, and 'cubby shell' is a shell in the box", NULL, 2 },
	{ "bash", shell, NULL, 0 },
	{ "build", "'cubby commit NAME' makes an image of a box", " -t . ", 0 },
	{ "compose", "'cubby up' starts the services of .cubby/box.json, 'cubby down' ends them", " up down ps logs ", 0 },
	{ "container", "'cubby ls' lists the boxes, and 'cubby help' what can be done with them", " ls list rm inspect prune stop start run exec ", 0 },
	{ "create", "a box is made by its first command, such as 'cubby shell'", NULL, 0 },
	{ "df", "'cubby ls' and 'cubby images' say what takes which space", NULL, 0 },
	{ "enter", shell, NULL, 2 },
	{ "events", "'cubby log' says what was done in the box", NULL, 0 },
	{ "history", "of an image no steps are kept; 'cubby snapshots' lists what a box can go back to, 'cubby log' what was done in it", " -q --quiet -H --no-trunc --format ", 2 },
	{ "image", "'cubby images', 'pull', 'push', 'save' and 'rmi' are about images", " ls list rm inspect prune pull push ", 0 },
	{ "import", pulls, NULL, 0 },
	{ "inspect", "'cubby info' tells of the box, 'cubby info --json' all of it; 'cubby images --json' of the images", " -f --format -s --size --type ", 2 },
	{ "list", "'cubby ls' lists the boxes", NULL, 0 },
	{ "load", pulls, NULL, 0 },
	{ "login", logins, NULL, 2 },
	{ "logout", logins, NULL, 2 },
	{ "network", "'cubby net' says what the box may reach, and changes it", " ls list rm create inspect prune ", 0 },
	{ "pause", stops, NULL, 0 },
	{ "port", "'cubby ports' lists them, and publishes one", NULL, 0 },
	{ "rename", "'cubby mv OLD NEW' is for a directory that was renamed; a box's --name stays", NULL, 0 },
	{ "restart", stops, NULL, 0 },
	{ "sh", shell, NULL, 0 },
	{ "start", "the next command starts the box, and 'cubby up' its services, too", NULL, 0 },
	{ "system", "'cubby prune' removes what nobody needs, 'cubby ls' says what takes which space", " df prune info events ", 0 },
	{ "unpause", stops, NULL, 0 },
	{ "update", "'cubby set' changes what the box may have", NULL, 0 },
	{ "version", "'cubby --version' shows it", NULL, 0 },
	{ "volume", "'cubby volumes' is about volumes", " ls list rm create inspect prune ", 0 },
	{ "zsh", shell, NULL, 0 },
};

static const struct {
	const char *commands; /* each with a blank around it */
	const char *names;    /* the same */
	const char *here;
} options[] = {
	{ " commit ", " m message a author p ", "an image has a name, and nothing is noted of it" },
	{ " images ls ", " a all ", all },
	{ " ps ", " a all ", "'cubby ls' lists the boxes" },
	{ " prune ", " f force ", "-y does not ask first" },
	{ " prune ", " a all ", "--older TIME takes boxes that nobody used for so long" },
	{ " pull ", " a all-tags platform ", "of an image for several machines this one's is taken" },
	{ " run ", " i interactive t tty ", terminal },
	{ " stats ", " no-stream ", "--once shows it once" },
	{ " images info ls ports ps snapshots stats top volumes ", " f filter format ", fields },
	{ " exec python run shell up ", " cap-add cap-drop device gpus privileged security-opt ", rights },
	{ " exec python run shell up ", " network ", "--net says what the box may reach" },
	{ " exec python run shell up ", " mount ", "--volume SOURCE:TARGET shows it a directory" },
	{ " exec python run shell up ", " P publish-all ", "--publish opens one port" },
	{ " exec run shell ", " entrypoint ", "what the image names for a start is not run: name the command" },
	{ " exec run shell up ", " restart ", "a service of .cubby/box.json says what becomes of it when it ends" },
};
/* clang-format on */

/* Is @word one of the words of @list, which each have a blank around them? */
static bool is_among(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; len && (at = strstr(at, word)) != NULL; at++)
		if (at > list && at[-1] == ' ' && at[len] == ' ')
			return true;
	return false;
}

static const struct habit *find(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (strcmp(commands[i].word, word) == 0)
			return &commands[i];
	return NULL;
}

const char *habits_command(const char *word)
{
	const struct habit *h = find(word);

	return h ? h->here : NULL;
}

bool habits_only(const char *word, const char *second, int words)
{
	const struct habit *h = find(word);

	if (!h)
		return false;
	return words <= h->most ||
	       (h->seconds && second && is_among(h->seconds, second));
}

const char *habits_option(const char *command, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (is_among(options[i].commands, command) &&
		    is_among(options[i].names, name))
			return options[i].here;
	return NULL;
}
