#include "cli/project/boxguess.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "base/scope.h"
#include "base/text.h"

enum { WORD = 256, SHOWN = 100 };

int boxguess_init(struct boxguess *g)
{
	*g = (struct boxguess){ .box = json_object(), .left = BUF_INIT(BOXGUESS_LEFT) };
	return g->box ? 0 : -ENOMEM;
}

void boxguess_done(struct boxguess *g)
{
	json_free(&g->box);
	buf_done(&g->left);
}

static int too_long(struct err *e)
{
	return err_set(e, -EMSGSIZE, "it is larger than %d bytes", BOXGUESS_TEXT);
}

static void leave(struct boxguess *g, const char *what, const char *text, size_t len)
{
	char shown[SHOWN + 8];

	text_escaped(shown, sizeof(shown), text, MIN(len, (size_t)SHOWN));
	buf_addf(&g->left, "%s%s%s\n", what, *what && len ? " " : "", shown);
}

/* ---- members ------------------------------------------------------------------------ */

static struct json *member(struct json *in, const char *name,
			   struct json *(*make)(void))
{
	if (!json_get(in, name))
		(void)json_set(in, name, make());
	return json_get_mut(in, name);
}

static bool has_word(const struct json *list, const char *word)
{
	json_each(it, list)
	{
		if (json_str(it) && strcmp(json_str(it), word) == 0)
			return true;
	}
	return false;
}

static void add_word(struct json *list, const char *text, size_t len)
{
	_cleanup_free_ char *word = strndup(text, len);

	if (list && word && *word && !has_word(list, word))
		(void)json_add(list, json_string(word));
}

static void add_package(struct boxguess *g, const char *by, const char *name,
			size_t len)
{
	add_word(member(member(g->box, "packages", json_object), by, json_array), name,
		 len);
}

static void add_setup(struct boxguess *g, const char *text, size_t len)
{
	add_word(member(g->box, "setup", json_array), text, len);
}

/* Ports of the system's are no user's to take: any is. */
static void add_port(struct boxguess *g, const char *text, size_t len)
{
	char number[8], rule[32];
	uint64_t port;

	snprintf(number, sizeof(number), "%.*s", (int)MIN(len, sizeof(number) - 1),
		 text);
	if (num_range(number, 1, 65535, &port) < 0) {
		leave(g, "port", text, len);
		return;
	}
	snprintf(rule, sizeof(rule), "%llu:%llu",
		 (unsigned long long)(port < 1024 ? 0 : port),
		 (unsigned long long)port);
	add_word(member(g->box, "publish", json_array), rule, strlen(rule));
}

static void add_env(struct boxguess *g, const char *name, const char *value)
{
	if (strchr(value, '$') || !*name || strcspn(name, " =\"") != strlen(name))
		leave(g, "environment", name, strlen(name));
	else
		(void)json_set_str(member(g->box, "env", json_object), name, value);
}

/* ---- RUN ---------------------------------------------------------------------------- */

static const char *skip_space(const char *s, const char *end)
{
	while (s < end && isspace((unsigned char)*s))
		s++;
	return s;
}

static size_t word_len(const char *s, const char *end)
{
	size_t n = 0;

	while (s + n < end && !isspace((unsigned char)s[n]))
		n++;
	return n;
}

static bool is_word(const char *s, size_t len, const char *word)
{
	return len == strlen(word) && memcmp(s, word, len) == 0;
}

/* Letters, digits and what versions have: no shell, no option. */
static bool is_package(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("+-.:_=~", s[i]))
			return false;
	return len && s[0] != '-';
}

static const char *next_word(const char *s, const char *end)
{
	return skip_space(s + word_len(s, end), end);
}

/* The word behind the options. */
static const char *apt_verb(const char *s, const char *end)
{
	do
		s = next_word(s, end);
	while (s < end && *s == '-');
	return s;
}

static bool are_packages(const char *s, const char *end)
{
	bool any = false;

	for (; s < end; s = next_word(s, end)) {
		if (*s == '-')
			continue;
		if (!is_package(s, word_len(s, end)))
			return false;
		any = true;
	}
	return any;
}

/* "apt-get [OPTION]... install [OPTION]... NAME...", and what belongs around it; false =
 * something else. */
static bool take_apt(struct boxguess *g, const char *s, const char *end)
{
	static const char *const around[] = { "update", "clean", "autoremove" };
	const char *verb = apt_verb(s, end);
	size_t n = word_len(s, end);

	if (is_word(s, (size_t)(end - s), "rm -rf /var/lib/apt/lists/*"))
		return true;
	if (!is_word(s, n, "apt-get") && !is_word(s, n, "apt"))
		return false;
	n = word_len(verb, end);
	for (size_t i = 0; i < ARRAY_SIZE(around); i++)
		if (is_word(verb, n, around[i]))
			return true;
	s = next_word(verb, end);
	if (!is_word(verb, n, "install") || !are_packages(s, end))
		return false;
	for (; s < end; s = next_word(s, end))
		if (*s != '-')
			add_package(g, "apt", s, word_len(s, end));
	return true;
}

/* Parts of a list of "&&" that are apt's become packages; the others stay one step. */
static void take_run(struct boxguess *g, const char *s, const char *end)
{
	_cleanup_buf_ struct buf rest = BUF_INIT(BOXGUESS_TEXT);

	for (s = skip_space(s, end); end - s > 2 && memcmp(s, "--", 2) == 0;)
		s = next_word(s, end);
	if (s < end && (*s == '[' || memmem(s, (size_t)(end - s), "<<", 2))) {
		leave(g, "RUN", s, (size_t)(end - s));
		return;
	}
	while (s < end) {
		const char *and = memmem(s, (size_t)(end - s), "&&", 2);
		const char *to = and? and : end;

		s = skip_space(s, to);
		while (to > s && isspace((unsigned char)to[-1]))
			to--;
		if (to > s && !take_apt(g, s, to))
			buf_addf(&rest, "%s%.*s", rest.len ? " && " : "", (int)(to - s),
				 s);
		s = and? and+2 : end;
	}
	if (rest.len)
		add_setup(g, rest.data, rest.len);
}

/* ---- Dockerfile --------------------------------------------------------------------- */

static void take_from(struct boxguess *g, const char *s, const char *end)
{
	struct json *fresh = json_object();
	char image[WORD];
	size_t n;

	while (end - s > 2 && memcmp(s, "--", 2) == 0)
		s = next_word(s, end);
	n = word_len(s, end);
	if (json_get(g->box, "image") || json_get(g->box, "packages"))
		leave(g, "an earlier stage", "", 0);
	if (!fresh)
		return;
	json_free(&g->box);
	g->box = fresh;
	snprintf(image, sizeof(image), "%.*s", (int)MIN(n, sizeof(image) - 1), s);
	/* "scratch" is no image, but that there is none. */
	if (!*image || n >= sizeof(image) || strchr(image, '$') ||
	    strcmp(image, "scratch") == 0)
		leave(g, "FROM", s, n);
	else
		(void)json_set_str(g->box, "image", image);
}

static size_t unquote(const char *s, const char *end, char ret[WORD])
{
	const char *begin = s;
	char quote = '\0';
	size_t n = 0;

	for (; s < end && (quote || !isspace((unsigned char)*s)); s++) {
		if (*s == quote)
			quote = '\0';
		else if (!quote && (*s == '"' || *s == '\''))
			quote = *s;
		else if (n < WORD - 1)
			ret[n++] = *s;
	}
	ret[n] = '\0';
	return (size_t)(s - begin);
}

/* "NAME=VALUE ..." and the old "NAME VALUE". */
static void take_env(struct boxguess *g, const char *s, const char *end)
{
	char word[WORD], *eq;

	if (!memchr(s, '=', word_len(s, end))) {
		size_t n = word_len(s, end);
		char name[WORD];

		snprintf(name, sizeof(name), "%.*s", (int)MIN(n, sizeof(name) - 1), s);
		s = skip_space(s + n, end);
		snprintf(word, sizeof(word), "%.*s",
			 (int)MIN((size_t)(end - s), sizeof(word) - 1), s);
		add_env(g, name, word);
		return;
	}
	for (; s < end; s = skip_space(s, end)) {
		s += unquote(s, end, word);
		eq = strchr(word, '=');
		if (!eq) {
			leave(g, "ENV", word, strlen(word));
			continue;
		}
		*eq = '\0';
		add_env(g, word, eq + 1);
	}
}

static void take_expose(struct boxguess *g, const char *s, const char *end)
{
	for (; s < end; s = next_word(s, end)) {
		size_t n = word_len(s, end);
		const char *slash = memchr(s, '/', n);

		add_port(g, s, slash ? (size_t)(slash - s) : n);
	}
}

/* Without a reader: it says nothing about a box. A STOPSIGNAL would, and is said: only
 * that of the image itself holds. */
static const struct instruction {
	const char *name;
	void (*read)(struct boxguess *g, const char *s, const char *end);
} instructions[] = {
	{ "FROM", take_from },	   { "RUN", take_run }, { "ENV", take_env },
	{ "EXPOSE", take_expose }, { "LABEL", NULL },	{ "MAINTAINER", NULL },
	{ "HEALTHCHECK", NULL },
};

static void take_line(struct boxguess *g, const char *s, const char *end)
{
	size_t n;

	s = skip_space(s, end);
	n = word_len(s, end);
	for (size_t i = 0; i < ARRAY_SIZE(instructions); i++) {
		const struct instruction *in = &instructions[i];

		if (n != strlen(in->name) || strncasecmp(s, in->name, n) != 0)
			continue;
		if (in->read)
			in->read(g, skip_space(s + n, end), end);
		return;
	}
	if (n)
		leave(g, "", s, (size_t)(end - s));
}

/* Lines that end in a backslash go on; comments between them do not count. */
int boxguess_dockerfile(const char *text, size_t len, struct boxguess *g, struct err *e)
{
	_cleanup_buf_ struct buf line = BUF_INIT(BOXGUESS_TEXT + 1);
	const char *at = text, *end = text + len;

	if (len > BOXGUESS_TEXT || memchr(text, '\0', len))
		return too_long(e);
	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		const char *to = nl ? nl : end, *s = skip_space(at, to);
		bool more;

		at = nl ? nl + 1 : end;
		while (to > s && isspace((unsigned char)to[-1]))
			to--;
		if (s < to && *s == '#')
			continue;
		more = to > s && to[-1] == '\\';
		buf_add(&line, s, (size_t)(to - s) - more);
		if (more) {
			buf_addc(&line, ' ');
			continue;
		}
		take_line(g, buf_cstr(&line), buf_cstr(&line) + line.len);
		buf_truncate(&line, 0);
	}
	if (line.len)
		take_line(g, buf_cstr(&line), buf_cstr(&line) + line.len);
	return json_failed(g->box) < 0 || buf_failed(&line) < 0
		       ? err_sys(e, -ENOMEM, "cannot read it")
		       : 0;
}

/* ---- devcontainer.json -------------------------------------------------------------- */

/* Comments become spaces, and so do commas in front of what closes. */
static void strip(char *s, size_t len)
{
	size_t comma = len; /* of one that nothing but space followed */

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"') {
			for (i++; i < len && s[i] != '"'; i++)
				i += s[i] == '\\';
			comma = len;
		} else if (s[i] == '/' && i + 1 < len && s[i + 1] == '/') {
			for (; i < len && s[i] != '\n'; i++)
				s[i] = ' ';
		} else if (s[i] == '/' && i + 1 < len && s[i + 1] == '*') {
			const char *close = memmem(s + i + 2, len - i - 2, "*/", 2);
			size_t to = close ? (size_t)(close - s) + 2 : len;

			memset(s + i, ' ', to - i);
			i = to - 1;
		} else if (s[i] == ',') {
			comma = i;
		} else if (!isspace((unsigned char)s[i])) {
			if (comma < len && (s[i] == '}' || s[i] == ']'))
				s[comma] = ' ';
			comma = len;
		}
	}
}

static void take_image(struct boxguess *g, const struct json *j)
{
	if (json_str(j) && !strchr(json_str(j), '$'))
		(void)json_set_str(g->box, "image", json_str(j));
}

static void take_ports(struct boxguess *g, const struct json *j)
{
	char text[32];
	int64_t n;

	json_each(it, j)
	{
		if (json_str(it))
			snprintf(text, sizeof(text), "%.30s", json_str(it));
		else
			snprintf(text, sizeof(text), "%lld",
				 json_int(it, &n) == 0 ? (long long)n : 0LL);
		add_port(g, text, strlen(text));
	}
}

static void take_environment(struct boxguess *g, const struct json *j)
{
	json_each(it, j)
	{
		if (json_key(it) && json_str(it))
			add_env(g, json_key(it), json_str(it));
	}
}

static void take_command(struct boxguess *g, const struct json *j)
{
	if (json_str(j))
		add_setup(g, json_str(j), strlen(json_str(j)));
	else if (json_key(j))
		leave(g, "", json_key(j), strlen(json_key(j)));
}

/* What a build is told beside its file: none is built. */
static void leave_build(struct boxguess *g, const struct json *j)
{
	json_each(it, j)
	{
		const char *name = json_key(it);

		if (!name || strcmp(name, "dockerfile") == 0 ||
		    strcmp(name, "context") == 0)
			continue;
		if (strcmp(name, "args") != 0) {
			leave(g, "build", name, strlen(name));
			continue;
		}
		json_each(arg, it) leave(g, "build argument", json_key(arg),
					 strlen(json_key(arg) ?: ""));
	}
}

static void take_build(struct boxguess *g, const struct json *j)
{
	const char *file = json_str(j) ?: json_get_str(j, "dockerfile");

	if (file && text_copy(g->dockerfile, sizeof(g->dockerfile), file) < 0)
		leave(g, "build", file, strlen(file));
	leave_build(g, j);
}

static const struct property {
	const char *name;
	void (*read)(struct boxguess *g, const struct json *j);
} properties[] = {
	{ "image", take_image },
	{ "forwardPorts", take_ports },
	{ "containerEnv", take_environment },
	{ "remoteEnv", take_environment },
	{ "onCreateCommand", take_command },
	{ "updateContentCommand", take_command },
	{ "postCreateCommand", take_command },
	{ "build", take_build },
	{ "dockerFile", take_build },
	{ "name", NULL },
	{ "customizations", NULL },
	{ "$schema", NULL },
	{ "portsAttributes", NULL },
};

static void take_property(struct boxguess *g, const struct json *j)
{
	const char *name = json_key(j);

	for (size_t i = 0; i < ARRAY_SIZE(properties); i++) {
		if (strcmp(properties[i].name, name) != 0)
			continue;
		if (properties[i].read)
			properties[i].read(g, j);
		return;
	}
	leave(g, "", name, strlen(name));
}

int boxguess_devcontainer(const char *text, size_t len, struct boxguess *g,
			  struct err *e)
{
	_cleanup_free_ char *copy = NULL;
	_cleanup_json_ struct json *j = NULL;
	int r;

	if (len > BOXGUESS_TEXT)
		return too_long(e);
	copy = strndup(text, len);
	if (!copy)
		return err_sys(e, -ENOMEM, "cannot read it");
	len = strlen(copy);
	strip(copy, len);
	r = json_parse_written(copy, len, &j, e);
	if (r < 0)
		return r;
	if (json_type(j) != JSON_OBJECT)
		return err_set(e, -EINVAL, "it is no object");
	json_each(it, j) take_property(g, it);
	return json_failed(g->box) < 0 ? err_sys(e, -ENOMEM, "cannot read it") : 0;
}

/* ---- the files that it has ---------------------------------------------------------- */

/* What a lock file's own tool makes of it, in the place of @setup of the file that it locks. */
static const struct lock {
	const char *file, *of, *by, *packages, *setup, *cache; /* NULL = none */
} locks[] = {
	{ "package-lock.json", "package.json", NULL, NULL, "npm ci", "npm" },
	{ "pnpm-lock.yaml", "package.json", "npm", "pnpm",
	  "pnpm install --frozen-lockfile", NULL },
	{ "yarn.lock", "package.json", "npm", "yarn", "yarn install --frozen-lockfile",
	  NULL },
	{ "uv.lock", "pyproject.toml", "pip", "uv", "uv sync --frozen", "uv" },
	{ "poetry.lock", "pyproject.toml", "apt", "python3-poetry", "poetry install",
	  NULL },
};

static const struct known {
	const char *file, *packages, *setup, *cache; /* NULL = none */
} known[] = {
	{ "package.json", "nodejs npm", "npm install", "npm" },
	{ "requirements.txt", "python3 python3-pip", "pip3 install -r requirements.txt",
	  "pip" },
	{ "pyproject.toml", "python3 python3-pip", NULL, "pip" },
	{ "Cargo.toml", "cargo", NULL, "cargo" },
	{ "go.mod", "golang-go ca-certificates", NULL, "go" },
	{ "pom.xml", "maven", NULL, "maven" },
	{ "Makefile", "build-essential", NULL, NULL },
	{ "CMakeLists.txt", "build-essential cmake", NULL, NULL },
	{ "meson.build", "build-essential meson", NULL, NULL },
	{ "Gemfile", "ruby bundler", "bundle install", NULL },
};

static void add_cache(struct boxguess *g, const char *cache)
{
	if (cache)
		add_word(member(g->box, "caches", json_array), cache, strlen(cache));
}

static unsigned bit_of(const char *file)
{
	for (unsigned i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i].file, file) == 0)
			return 1U << i;
	return 0;
}

/* The step runs again when the lock changes. */
static void take_lock(struct boxguess *g, const struct lock *l)
{
	struct json *step = json_object(), *files = json_array();

	if (g->locked & bit_of(l->of)) {
		leave(g, "another lock of the same", l->file, strlen(l->file));
		json_free(&step);
		json_free(&files);
		return;
	}
	g->locked |= bit_of(l->of);
	(void)json_add(files, json_string(l->file));
	(void)json_set_str(step, "run", l->setup);
	(void)json_set(step, "files", files);
	(void)json_add(member(g->box, "setup", json_array), step);
	if (l->by)
		add_package(g, l->by, l->packages, strlen(l->packages));
	add_cache(g, l->cache);
}

static void take_known(struct boxguess *g, const struct known *k)
{
	const char *end = k->packages + strlen(k->packages);

	for (const char *s = k->packages; s < end; s = next_word(s, end))
		add_package(g, "apt", s, word_len(s, end));
	if (g->locked & bit_of(k->file))
		return;
	if (k->setup)
		add_setup(g, k->setup, strlen(k->setup));
	add_cache(g, k->cache);
}

int boxguess_file(const char *name, struct boxguess *g)
{
	for (size_t i = 0; i < ARRAY_SIZE(locks); i++)
		if (strcmp(locks[i].file, name) == 0)
			take_lock(g, &locks[i]);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(known[i].file, name) == 0)
			take_known(g, &known[i]);
	return json_failed(g->box);
}
