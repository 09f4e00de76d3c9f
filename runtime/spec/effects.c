#include "runtime/spec/effects.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/def.h"
#include "base/text.h"
#include "runtime/spec/effects_rules.h"

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

/* Characters that a filesystem which folds case may take for others: Unicode's CaseFolding
 * of those that become letters of names in the table. */
static const struct folded {
	unsigned c;
	const char *to;
} folded[] = {
	{ 0x00df, "ss" },  { 0x1e9e, "ss" }, { 0x017f, "s" },  { 0x212a, "k" },
	{ 0xfb00, "ff" },  { 0xfb01, "fi" }, { 0xfb02, "fl" }, { 0xfb03, "ffi" },
	{ 0xfb04, "ffl" }, { 0xfb05, "st" }, { 0xfb06, "st" },
};

/* Nothing becomes longer. */
static size_t fold_one(const char *s, size_t len, char *out)
{
	unsigned c = 0;

	if (text_decode(s, len, &c) <= 0) {
		*out = *s;
		return 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(folded); i++)
		if (folded[i].c == c) {
			memcpy(out, folded[i].to, strlen(folded[i].to));
			return strlen(folded[i].to);
		}
	if (c >= 0x80 && text_hidden(0, c))
		return 0;
	memcpy(out, s, (size_t)text_utf8_len(s, len));
	return (size_t)text_utf8_len(s, len);
}

/* As the filesystem with the fewest differences has it: without case, without what has no
 * width, and without dots and blanks at the end of a name. */
static size_t fold(const char *path, size_t len, char ret[EFFECTS_PATH])
{
	size_t n = 0, name = 0;

	for (size_t i = 0; i <= len;) {
		if (i == len || path[i] == '/') {
			while (n > name && (ret[n - 1] == '.' || ret[n - 1] == ' '))
				n--;
			if (i == len)
				break;
			ret[n++] = path[i++];
			name = n;
		} else if ((unsigned char)path[i] < 0x80) {
			ret[n++] = (char)tolower((unsigned char)path[i++]);
		} else {
			n += fold_one(path + i, len - i, ret + n);
			i += (size_t)MAX(text_utf8_len(path + i, len - i), 1);
		}
	}
	return n;
}

/* All that follows has a folded path. */

static bool same(const char *s, size_t len, const char *name)
{
	return len && *s == *name && strlen(name) == len && memcmp(s, name, len) == 0;
}

static bool starts(const char *s, size_t len, const char *name)
{
	return len && *s == *name && strlen(name) <= len &&
	       memcmp(s, name, strlen(name)) == 0;
}

static bool ends(const char *s, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len >= n && memcmp(s + len - n, name, n) == 0;
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

static bool met(const struct effects_rule *r, const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);
	const char *last = slash ? slash + 1 : path;
	size_t n = len - (size_t)(last - path);

	switch (r->match) {
	case FILE_NAMED:
		return same(last, n, r->name);
	case BELOW:
		return below(path, len, r->name);
	case AT_ROOT:
		return same(path, len, r->name);
	case TREE:
		return starts(path, len, r->name) &&
		       (len == strlen(r->name) || path[strlen(r->name)] == '/');
	case STARTING:
		return starts(last, n, r->name);
	case ENDING:
		return ends(last, n, r->name);
	}
	return false;
}

/* A module is a source, a compiled one, a library, or a directory with one called
 * __init__. */
static bool is_module(const char *rest, size_t len)
{
	return starts(rest, len, "/__init__.") ||
	       (!memchr(rest, '/', len) &&
		(same(rest, len, ".py") || same(rest, len, ".pyc") ||
		 (starts(rest, len, ".") && ends(rest, len, ".so"))));
}

/* In the project's own directory alone: deeper ones are packages, more often than not. */
static bool shadows_python(const char *path, size_t len)
{
	char word[32] = " ";
	size_t n = 0;

	while (n < len && (isalnum((unsigned char)path[n]) || path[n] == '_'))
		n++;
	if (!n || n > sizeof(word) - 3 || !is_module(path + n, len - n))
		return false;
	memcpy(word + 1, path, n);
	word[n + 1] = ' ';
	return strstr(modules, word);
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

/* With which letters components begin: that alone passes over most of some 400 rules. */
static void note_begins(const char *path, size_t len, bool ret[UCHAR_MAX + 1])
{
	for (size_t i = 0; i < len; i++)
		if (i == 0 || path[i - 1] == '/')
			ret[(unsigned char)path[i]] = true;
}

struct effect effects_of_path(const char *given, size_t len)
{
	bool begins[UCHAR_MAX + 1] = { false };
	char text[EFFECTS_PATH];
	const char *path = text;

	if (len > EFFECTS_PATH)
		return (struct effect){ EFFECTS_HELD, "its name is too long to judge" };
	len = fold(given, len, text);
	path = from_git(path, &len);
	note_begins(path, len, begins);
	for (size_t i = 0; i < effects_rules_n; i++) {
		const struct effects_rule *r = &effects_rules[i];

		if ((r->match == ENDING || begins[(unsigned char)*r->name]) &&
		    met(r, path, len))
			return (struct effect){ r->class, r->why };
	}
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
	char text[EFFECTS_PATH];

	return len <= EFFECTS_PATH && below(text, fold(path, len, text), ".git") &&
	       effects_of_path(path, len).class == EFFECTS_HELD;
}

bool effects_is_above(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < effects_rules_n; i++)
		if (effects_rules[i].class == EFFECTS_HELD &&
		    (effects_rules[i].match == TREE ||
		     effects_rules[i].match == AT_ROOT) &&
		    text_is_below(effects_rules[i].name, path))
			return len > 0;
	return false;
}

/* What a name leads to may be a link, from where ".." is another directory: only in front are
 * they what they look like. */
bool effects_leaves(const char *path, size_t len, const char *target, size_t target_len)
{
	size_t depth = 0, i = 0;
	bool named = false;

	if (target_len && *target == '/')
		return true;
	for (size_t k = 0; k < len; k++)
		depth += path[k] == '/';
	while (i < target_len) {
		const char *slash = memchr(target + i, '/', target_len - i);
		size_t n = slash ? (size_t)(slash - target) - i : target_len - i;

		if (same(target + i, n, "..")) {
			if (named || !depth--)
				return true;
		} else if (n && !same(target + i, n, ".")) {
			named = true;
		}
		i += n + 1;
	}
	return false;
}
