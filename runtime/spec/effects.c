#include "runtime/spec/effects.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/def.h"

/* How a row's name is met. */
enum match {
	FILE_NAMED, /* the last component, anywhere */
	BELOW,	    /* a component, anywhere: it and all that lies in it */
	AT_ROOT,    /* the whole path */
	TREE,	    /* the beginning of the path: it and all that lies in it */
	ENDING	    /* of the last component */
};

#define GIT "git's own: it may run on this machine"
#define HOOK "a hook, which git runs"
#define EDITOR "an editor's settings and tasks"
#define AGENT "what an agent obeys or runs"
#define SHELL "a shell reads it when it starts or enters the directory"
#define TOOL "settings of a tool, which can name programs"
#define PYTHON "python loads it by itself"
#define DEBUGGER "a debugger runs it at its start"
#define WORKFLOW "a workflow of the CI service"
#define BUILD "runs when the project is built or tested"

/* The first that meets a path decides; what is not named is plain. In .git what a commit
 * changes is named first: git runs none of it. */
/* clang-format off */
static const struct rule {
	const char *name; /* in small letters */
	enum match match;
	enum effects_class class;
	const char *why;
} rules[] = {
	{ ".git/objects",	TREE,		EFFECTS_PLAIN,	NULL },
	{ ".git/refs",		TREE,		EFFECTS_PLAIN,	NULL },
	{ ".git/logs",		TREE,		EFFECTS_PLAIN,	NULL },
	{ ".git/index",		AT_ROOT,	EFFECTS_PLAIN,	NULL },
	{ ".git/head",		AT_ROOT,	EFFECTS_PLAIN,	NULL },
	{ ".git/orig_head",	AT_ROOT,	EFFECTS_PLAIN,	NULL },
	{ ".git/fetch_head",	AT_ROOT,	EFFECTS_PLAIN,	NULL },
	{ ".git/packed-refs",	AT_ROOT,	EFFECTS_PLAIN,	NULL },
	{ ".git/commit_editmsg", AT_ROOT,	EFFECTS_PLAIN,	NULL },
	{ ".git",		BELOW,		EFFECTS_HELD,	GIT },
	{ ".gitmodules",	FILE_NAMED,	EFFECTS_HELD,	GIT },
	{ ".gitattributes",	FILE_NAMED,	EFFECTS_HELD,	"names git's filters and drivers" },
	{ ".hg",		BELOW,		EFFECTS_HELD,	"Mercurial's own: it may run on this machine" },
	{ ".husky",		BELOW,		EFFECTS_HELD,	HOOK },
	{ ".githooks",		BELOW,		EFFECTS_HELD,	HOOK },
	{ ".pre-commit-config.yaml", FILE_NAMED, EFFECTS_HELD,	HOOK },
	{ ".pre-commit-hooks.yaml", FILE_NAMED,	EFFECTS_HELD,	HOOK },
	{ "lefthook.yml",	FILE_NAMED,	EFFECTS_HELD,	HOOK },
	{ ".lefthook.yml",	FILE_NAMED,	EFFECTS_HELD,	HOOK },
	{ ".envrc",		FILE_NAMED,	EFFECTS_HELD,	SHELL },
	{ ".env",		FILE_NAMED,	EFFECTS_HELD,	"settings that many programs take over" },
	{ ".bashrc",		FILE_NAMED,	EFFECTS_HELD,	SHELL },
	{ ".bash_profile",	FILE_NAMED,	EFFECTS_HELD,	SHELL },
	{ ".bash_login",	FILE_NAMED,	EFFECTS_HELD,	SHELL },
	{ ".bash_logout",	FILE_NAMED,	EFFECTS_HELD,	SHELL },
	{ ".bash_aliases",	FILE_NAMED,	EFFECTS_HELD,	SHELL },
	{ ".profile",		FILE_NAMED,	EFFECTS_HELD,	SHELL },
	{ ".zshrc",		FILE_NAMED,	EFFECTS_HELD,	SHELL },
	{ ".zshenv",		FILE_NAMED,	EFFECTS_HELD,	SHELL },
	{ ".zprofile",		FILE_NAMED,	EFFECTS_HELD,	SHELL },
	{ ".zlogin",		FILE_NAMED,	EFFECTS_HELD,	SHELL },
	{ ".kshrc",		FILE_NAMED,	EFFECTS_HELD,	SHELL },
	{ ".inputrc",		FILE_NAMED,	EFFECTS_HELD,	SHELL },
	{ "config.fish",	FILE_NAMED,	EFFECTS_HELD,	SHELL },
	{ ".vimrc",		FILE_NAMED,	EFFECTS_HELD,	EDITOR },
	{ ".exrc",		FILE_NAMED,	EFFECTS_HELD,	EDITOR },
	{ ".nvim.lua",		FILE_NAMED,	EFFECTS_HELD,	EDITOR },
	{ ".nvimrc",		FILE_NAMED,	EFFECTS_HELD,	EDITOR },
	{ ".dir-locals.el",	FILE_NAMED,	EFFECTS_HELD,	EDITOR },
	{ ".vscode",		BELOW,		EFFECTS_HELD,	EDITOR },
	{ ".code-workspace",	ENDING,		EFFECTS_HELD,	EDITOR },
	{ ".idea",		BELOW,		EFFECTS_HELD,	EDITOR },
	{ ".fleet",		BELOW,		EFFECTS_HELD,	EDITOR },
	{ ".zed",		BELOW,		EFFECTS_HELD,	EDITOR },
	{ ".devcontainer",	BELOW,		EFFECTS_HELD,	EDITOR },
	{ ".devcontainer.json",	FILE_NAMED,	EFFECTS_HELD,	EDITOR },
	{ ".gdbinit",		FILE_NAMED,	EFFECTS_HELD,	DEBUGGER },
	{ ".lldbinit",		FILE_NAMED,	EFFECTS_HELD,	DEBUGGER },
	{ ".pdbrc",		FILE_NAMED,	EFFECTS_HELD,	DEBUGGER },
	{ ".tool-versions",	FILE_NAMED,	EFFECTS_HELD,	TOOL },
	{ ".mise.toml",		FILE_NAMED,	EFFECTS_HELD,	TOOL },
	{ "mise.toml",		FILE_NAMED,	EFFECTS_HELD,	TOOL },
	{ ".npmrc",		FILE_NAMED,	EFFECTS_HELD,	TOOL },
	{ ".yarnrc",		FILE_NAMED,	EFFECTS_HELD,	TOOL },
	{ ".yarnrc.yml",	FILE_NAMED,	EFFECTS_HELD,	TOOL },
	{ ".yarn",		BELOW,		EFFECTS_HELD,	TOOL },
	{ ".pnpmfile.cjs",	FILE_NAMED,	EFFECTS_HELD,	TOOL },
	{ ".cargo",		BELOW,		EFFECTS_HELD,	TOOL },
	{ ".pypirc",		FILE_NAMED,	EFFECTS_HELD,	TOOL },
	{ "pip.conf",		FILE_NAMED,	EFFECTS_HELD,	TOOL },
	{ ".wgetrc",		FILE_NAMED,	EFFECTS_HELD,	TOOL },
	{ ".curlrc",		FILE_NAMED,	EFFECTS_HELD,	TOOL },
	{ ".ssh",		BELOW,		EFFECTS_HELD,	"keys, and whom they let in" },
	{ ".github/workflows",	TREE,		EFFECTS_HELD,	WORKFLOW },
	{ ".github/actions",	TREE,		EFFECTS_HELD,	WORKFLOW },
	{ ".github/copilot-instructions.md", AT_ROOT, EFFECTS_HELD, AGENT },
	{ ".gitlab-ci.yml",	FILE_NAMED,	EFFECTS_HELD,	WORKFLOW },
	{ ".circleci",		BELOW,		EFFECTS_HELD,	WORKFLOW },
	{ ".buildkite",		BELOW,		EFFECTS_HELD,	WORKFLOW },
	{ ".travis.yml",	FILE_NAMED,	EFFECTS_HELD,	WORKFLOW },
	{ ".drone.yml",		FILE_NAMED,	EFFECTS_HELD,	WORKFLOW },
	{ "azure-pipelines.yml", FILE_NAMED,	EFFECTS_HELD,	WORKFLOW },
	{ "bitbucket-pipelines.yml", FILE_NAMED, EFFECTS_HELD,	WORKFLOW },
	{ "jenkinsfile",	FILE_NAMED,	EFFECTS_HELD,	WORKFLOW },
	{ ".agents",		BELOW,		EFFECTS_HELD,	AGENT },
	{ ".cubby",		BELOW,		EFFECTS_HELD,	AGENT },
	{ ".claude",		BELOW,		EFFECTS_HELD,	AGENT },
	{ ".codex",		BELOW,		EFFECTS_HELD,	AGENT },
	{ ".cursor",		BELOW,		EFFECTS_HELD,	AGENT },
	{ ".gemini",		BELOW,		EFFECTS_HELD,	AGENT },
	{ ".cursorrules",	FILE_NAMED,	EFFECTS_HELD,	AGENT },
	{ ".windsurfrules",	FILE_NAMED,	EFFECTS_HELD,	AGENT },
	{ ".mcp.json",		FILE_NAMED,	EFFECTS_HELD,	AGENT },
	{ "claude.md",		FILE_NAMED,	EFFECTS_HELD,	AGENT },
	{ "claude.local.md",	FILE_NAMED,	EFFECTS_HELD,	AGENT },
	{ "agents.md",		FILE_NAMED,	EFFECTS_HELD,	AGENT },
	{ "cubby.md",		FILE_NAMED,	EFFECTS_HELD,	AGENT },
	{ "gemini.md",		FILE_NAMED,	EFFECTS_HELD,	AGENT },
	{ "sitecustomize.py",	FILE_NAMED,	EFFECTS_HELD,	PYTHON },
	{ "usercustomize.py",	FILE_NAMED,	EFFECTS_HELD,	PYTHON },
	{ ".pth",		ENDING,		EFFECTS_HELD,	PYTHON },
	{ "makefile",		FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "gnumakefile",	FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ ".mk",		ENDING,		EFFECTS_MARKED,	BUILD },
	{ "cmakelists.txt",	FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "meson.build",	FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "configure",		FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "justfile",		FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "rakefile",		FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "gemfile",		FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "dockerfile",		FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "package.json",	FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "build.rs",		FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "build.gradle",	FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "build.gradle.kts",	FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "gradlew",		FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "setup.py",		FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "pyproject.toml",	FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "conftest.py",	FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "noxfile.py",		FILE_NAMED,	EFFECTS_MARKED,	BUILD },
	{ "tox.ini",		FILE_NAMED,	EFFECTS_MARKED,	BUILD },
};
/* clang-format on */

/* Modules of Python's library, between blanks: a file of such a name in the directory
 * where a script or "python -m" is started is loaded in its place. */
static const char modules[] =
	" abc aifc argparse array ast asynchat asyncio asyncore atexit audioop "
	"base64 bdb binascii bisect builtins bz2 cprofile calendar cgi cgitb "
	"chunk cmath cmd code codecs codeop collections colorsys compileall "
	"concurrent configparser contextlib contextvars copy copyreg crypt csv "
	"ctypes curses dataclasses datetime dbm decimal difflib dis distutils "
	"doctest email encodings ensurepip enum errno faulthandler fcntl "
	"filecmp fileinput fnmatch fractions ftplib functools gc genericpath "
	"getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html "
	"http imaplib imghdr imp importlib inspect io ipaddress itertools json "
	"keyword linecache locale logging lzma mailbox mailcap marshal math "
	"mimetypes mmap modulefinder multiprocessing netrc nis nntplib ntpath "
	"nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb "
	"pickle pickletools pipes pkgutil platform plistlib poplib posix "
	"posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc "
	"pydoc_data pyexpat queue quopri random re readline reprlib resource "
	"rlcompleter runpy sched secrets select selectors shelve shlex shutil "
	"signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 "
	"sre_compile sre_constants sre_parse ssl stat statistics string "
	"stringprep struct subprocess sunau symtable sys sysconfig syslog "
	"tabnanny tarfile telnetlib tempfile termios textwrap threading time "
	"timeit tkinter token tokenize tomllib trace traceback tracemalloc tty "
	"turtle types typing unicodedata unittest urllib uu uuid venv warnings "
	"wave weakref webbrowser wsgiref xdrlib xml xmlrpc zipapp zipfile "
	"zipimport zlib zoneinfo ";

const char *effects_name(enum effects_class c)
{
	static const char *const names[] = { [EFFECTS_PLAIN] = "plain",
					     [EFFECTS_MARKED] = "marked",
					     [EFFECTS_HELD] = "held" };

	return names[c];
}

static bool same(const char *s, size_t len, const char *name)
{
	return strlen(name) == len && strncasecmp(s, name, len) == 0;
}

static bool below(const char *path, size_t len, const char *name)
{
	for (size_t i = 0; i < len;) {
		const char *slash = memchr(path + i, '/', len - i);
		size_t n = slash ? (size_t)(slash - path) - i : len - i;

		if (same(path + i, n, name))
			return true;
		i += n + 1;
	}
	return false;
}

static bool met(const struct rule *r, const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);
	const char *last = slash ? slash + 1 : path;
	size_t n = len - (size_t)(last - path), name = strlen(r->name);

	switch (r->match) {
	case FILE_NAMED:
		return same(last, n, r->name);
	case BELOW:
		return below(path, len, r->name);
	case AT_ROOT:
		return same(path, len, r->name);
	case TREE:
		return len >= name && strncasecmp(path, r->name, name) == 0 &&
		       (len == name || path[name] == '/');
	case ENDING:
		return n >= name && strncasecmp(last + n - name, r->name, name) == 0;
	}
	return false;
}

/* In the project's own directory alone: deeper ones are packages, more often than not. */
static bool shadows_python(const char *path, size_t len)
{
	char word[32] = " ";
	size_t n = len > 3 && same(path + len - 3, 3, ".py") ? len - 3 : 0;

	if (!n || n > sizeof(word) - 3 || memchr(path, '/', len) ||
	    memchr(path, ' ', n) || memchr(path, '\0', n))
		return false;
	memcpy(word + 1, path, n);
	word[n + 1] = ' ';
	return strcasestr(modules, word);
}

/* The path from its last .git on, wherever that lies; else all of it. */
static const char *from_git(const char *path, size_t *len)
{
	const char *from = path, *end = path + *len;

	for (const char *p = path; p < end;) {
		const char *slash = memchr(p, '/', (size_t)(end - p));
		const char *stop = slash ?: end;

		if (same(p, (size_t)(stop - p), ".git"))
			from = p;
		p = stop + 1;
	}
	*len = (size_t)(end - from);
	return from;
}

struct effect effects_of_path(const char *path, size_t len)
{
	if (len > EFFECTS_PATH)
		return (struct effect){ EFFECTS_HELD, "its name is too long to judge" };
	path = from_git(path, &len);
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (met(&rules[i], path, len))
			return (struct effect){ rules[i].class, rules[i].why };
	if (shadows_python(path, len))
		return (struct effect){ EFFECTS_HELD,
					"shadows a module of python's library" };
	return (struct effect){ EFFECTS_PLAIN, NULL };
}

struct effect effects_of_change(const char *path, mode_t was, mode_t now, bool leaves)
{
	static const struct effect setid = { EFFECTS_HELD,
					     "runs as its owner for others" },
				   link = { EFFECTS_HELD,
					    "a link that points out of the project" },
				   turned = { EFFECTS_HELD, "can be run now" },
				   program = { EFFECTS_MARKED, "a new program" };
	bool runs = S_ISREG(now) && now & 0111;
	struct effect by_name;

	if (!now)
		return (struct effect){ EFFECTS_PLAIN, NULL };
	by_name = effects_of_path(path, strlen(path));
	if (S_ISREG(now) && now & 06000)
		return setid;
	if (leaves)
		return link;
	if (by_name.class == EFFECTS_HELD)
		return by_name;
	if (runs && was && !(was & 0111))
		return turned;
	return by_name.class || !runs || was ? by_name : program;
}

bool effects_is_git(const char *path, size_t len)
{
	return len <= EFFECTS_PATH && below(path, len, ".git") &&
	       effects_of_path(path, len).class == EFFECTS_HELD;
}

bool effects_leaves(const char *path, size_t len, const char *target, size_t target_len)
{
	size_t depth = 0, i = 0;

	if (target_len && *target == '/')
		return true;
	for (size_t k = 0; k < len; k++)
		depth += path[k] == '/';
	while (i < target_len) {
		const char *slash = memchr(target + i, '/', target_len - i);
		size_t n = slash ? (size_t)(slash - target) - i : target_len - i;

		if (same(target + i, n, "..")) {
			if (!depth--)
				return true;
		} else if (n && !same(target + i, n, ".")) {
			depth++;
		}
		i += n + 1;
	}
	return false;
}
