#include "cli/project/plugins.h"

#include <string.h>

#include "base/def.h"
#include "base/embed.h"

EMBED(plugins_execute_cli, "cli/project/execute_cli.sh");

static const struct plugins_step steps[] = {
	{ "jupyter", "packages",
	  "export DEBIAN_FRONTEND=noninteractive\n"
	  "apt-get -q update && apt-get -q install -y --no-install-recommends "
	  "python3-ipykernel jupyter-client jupyter-core && exec apt-get clean" },
	{ "jupyter", "kernel",
	  "jupyter kernelspec list --json | exec python3 -c 'import json, sys; "
	  "json.load(sys.stdin)[\"kernelspecs\"][\"python3\"]'" },
	{ "jupyter", "execute_cli", plugins_execute_cli },
};

const struct plugins_step *plugins_step(size_t nth)
{
	return nth < ARRAY_SIZE(steps) ? &steps[nth] : NULL;
}

bool plugins_known(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (strcmp(steps[i].plugin, name) == 0)
			return true;
	return false;
}
