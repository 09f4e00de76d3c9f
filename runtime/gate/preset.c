#include "runtime/gate/preset.h"

#include <string.h>

#include "base/def.h"

/* A host of a domain that the lists name often. */
#define DEBIAN(host) host ".debian.org"
#define UBUNTU(host) host ".ubuntu.com"
#define NPMJS(host) host ".npmjs.org"
#define GITHUB(host) host ".github.com"
#define GITHUB_USER(host) host ".githubusercontent.com"

/* clang-format off */
static const struct gate_preset presets[] = {
	{ "@debian", { DEBIAN("deb"), DEBIAN("security"), DEBIAN("ftp"), DEBIAN("*.ftp"),
		       DEBIAN("cdn-fastly.deb"), DEBIAN("snapshot"),
		       "debian.map.fastlydns.net" } },
	{ "@ubuntu", { UBUNTU("archive"), UBUNTU("*.archive"), UBUNTU("security"),
		       UBUNTU("ports"), UBUNTU("keyserver"),
		       "ppa.launchpadcontent.net" } },
	{ "@pypi", { "pypi.org", "pypi.python.org", "files.pythonhosted.org" } },
	{ "@npm", { NPMJS("registry"), "registry.yarnpkg.com", "nodejs.org" } },
	{ "@github", { "github.com", GITHUB("api"), GITHUB("codeload"), GITHUB("gist"),
		       GITHUB("ssh"), GITHUB_USER("raw"), GITHUB_USER("objects"),
		       GITHUB_USER("release-assets"), GITHUB_USER("github-releases"),
		       GITHUB_USER("media"), GITHUB_USER("pkg-containers"), "ghcr.io" } },
	{ "@cargo", { "crates.io", "index.crates.io", "static.crates.io",
		      "static.rust-lang.org", "sh.rustup.rs" } },
	{ "@go", { "proxy.golang.org", "sum.golang.org", "go.dev", "dl.google.com",
		   "golang.org" } },
};
/* clang-format on */

const struct gate_preset *gate_preset_at(size_t i)
{
	return i < ARRAY_SIZE(presets) ? &presets[i] : NULL;
}

const struct gate_preset *gate_preset_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++)
		if (!strcmp(presets[i].name, name))
			return &presets[i];
	return NULL;
}
