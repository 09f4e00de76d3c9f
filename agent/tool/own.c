#include "agent/tool/own.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "agent/tool/impl.h"
#include "agent/tool/program.h"
#include "base/dirscan.h"
#include "base/file.h"
#include "base/schema.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { OWN_TIME_MS = 600 * 1000, OWN_LOOK_MAX = 1000 };

/* ---- a call: the arguments are its standard input, what it prints is the result ---- */

static int own_run(struct toolbox *t, const struct json *args, struct tool_result *ret,
		   struct err *e)
{
	_cleanup_buf_ struct buf out = BUF_INIT(t->conf.keep),
				 said = BUF_INIT(t->conf.keep), path = BUF_INIT(4096),
				 in = BUF_INIT(8 << 20);
	const char *argv[] = { NULL, NULL };
	_cleanup_program_ struct program p = { .box = t->conf.box,
					       .user = t->conf.user,
					       .cwd = tool_shell_cwd(t),
					       .argv = argv,
					       .env = t->conf.env,
					       .out = &out,
					       .said = &said,
					       .stall_ms = OWN_TIME_MS,
					       .total_ms = OWN_TIME_MS,
					       .interrupt_fd = t->conf.interrupt_fd,
					       .asides = { t->conf.aside,
							   tool_watch_aside(t) } };
	int status = 0, r;

	buf_addf(&path, "%s/" OWN_DIR "/%s", t->conf.project, t->calling->name);
	json_print(args, false, &in);
	if (buf_failed(&path) < 0 || buf_failed(&in) < 0)
		return err_sys(e, -ENOMEM, "cannot call '%s'", t->calling->name);
	argv[0] = buf_cstr(&path);
	r = program_start(&p, e) ?:
		program_send(&p, in.data, in.len, e) ?:
		program_end(&p, &status, e);
	if (r < 0)
		return tool_result_failed(r, ret, e);
	text_utf8(&ret->text, buf_cstr(&out), out.len);
	text_utf8(&ret->text, buf_cstr(&said), said.len);
	if (ret->text.len && ret->text.data[ret->text.len - 1] != '\n')
		buf_addc(&ret->text, '\n');
	if (out.len == out.max)
		buf_addf(&ret->text, "[cut after %zu bytes]\n", out.max);
	ret->exit = status;
	return buf_addf(&ret->text, "[exit %d]", status) < 0
		       ? err_sys(e, -ENOMEM, "cannot keep the result")
		       : 0;
}

/* ---- what there is ---- */

static bool name_is_good(const char *name)
{
	static const char set[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_-";

	return *name && strlen(name) < OWN_NAME && strspn(name, set) == strlen(name);
}

/* Clients that check this refuse the whole list for one that is not so. */
static bool is_of_object(const struct json *schema)
{
	const struct json *properties = json_get(schema, "properties");
	const struct json *required = json_get(schema, "required");
	bool good = json_is(schema, "type", "object") &&
		    (!properties || json_type(properties) == JSON_OBJECT) &&
		    (!required || json_type(required) == JSON_ARRAY);

	json_each(it, properties)
	{
		good = good && json_type(it) == JSON_OBJECT;
	}
	json_each(it, required)
	{
		good = good && json_str(it);
	}
	return good;
}

static bool hides(const char *text)
{
	_cleanup_buf_ struct buf seen = BUF_INIT(2 * (size_t)OWN_WORDS_MAX);

	if (text)
		text_seen(&seen, text, strlen(text), false);
	return text && strcmp(buf_cstr(&seen), text) != 0;
}

/* Another program shows these words to a person. */
/* NOLINTNEXTLINE(misc-no-recursion) as deep as json_parse() lets it be */
static bool any_hides(const struct json *j)
{
	bool found = hides(json_key(j)) || hides(json_str(j));

	json_each(it, j)
	{
		found = found || any_hides(it);
	}
	return found;
}

int own_read(const struct toolset *s, const char *name, const struct json *json,
	     struct err *e)
{
	const struct json *schema = json_get(json, "parameters");

	if (!name_is_good(name))
		return err_set(e, -EINVAL,
			       "a name has up to 32 letters, digits, - and _");
	if (toolset_find(s, name))
		return err_set(e, -EINVAL, "there is a tool of that name");
	if (!json_get_str(json, "description"))
		return err_set(e, -EINVAL, "it has no description");
	if (!is_of_object(schema))
		return err_set(e, -EINVAL, "its parameters are no schema of an object");
	if (schema_sound(schema, e) < 0)
		return err_wrap(e, "its parameters");
	if (any_hides(json))
		return err_set(e, -EINVAL,
			       "its words have characters that cannot be seen");
	return 0;
}

static int read_words(int fd, const char *name, struct json **ret, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(OWN_WORDS_MAX);
	_cleanup_close_ int file =
		sys_openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	struct stat st;
	int r;

	if (file < 0 || sys_fstat(file, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "not a file");
	r = file_read_fd(file, &text, e);
	if (r == -EMSGSIZE)
		return err_set(e, r, "it has more than %d KiB", OWN_WORDS_MAX >> 10);
	return r < 0 ? r : json_parse(buf_cstr(&text), text.len, ret, e);
}

/* Where a link leads is found out in the box: here it would tell what the host has. */
static bool can_be_run(int fd, const char *name)
{
	struct stat st;

	return sys_fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (S_ISLNK(st.st_mode) || (S_ISREG(st.st_mode) && (st.st_mode & 0111)));
}

/* They are the project's, and nobody is to take them for cubby's. */
static int label(struct json *words)
{
	_cleanup_buf_ struct buf b = BUF_INIT(2 * (size_t)OWN_WORDS_MAX);
	int r = buf_addf(&b, "(tool of the project) %s",
			 json_get_str(words, "description"));

	return r < 0 ? r : json_set_str(words, "description", buf_cstr(&b));
}

static int add_one(struct toolset *s, int fd, const char *file, struct buf *notes)
{
	_cleanup_json_ struct json *words = NULL;
	char name[NAME_MAX + 1], shown[80];
	size_t len = strlen(file) - strlen(".json");
	struct err e = ERR_NONE;
	int r = read_words(fd, file, &words, &e);

	memcpy(name, file, len);
	name[len] = '\0';
	if (r == 0)
		r = own_read(s, name, words, &e);
	if (r == 0 && !can_be_run(fd, name))
		r = err_set(&e, -ENOENT,
			    "there is no executable of its name beside it");
	if (r < 0)
		return buf_addf(notes, OWN_DIR "/%s: %s\n",
				text_escaped(shown, sizeof(shown), file, strlen(file)),
				e.msg);
	r = label(words);
	return r < 0 ? r
		     : toolset_add(s, name, take(&words, NULL),
				   &(struct tool){ .run = own_run });
}

/* Names that end in .json, sorted: the tools stand in every request, in one order. */
static size_t list(int fd, char *names[OWN_MAX], struct buf *notes)
{
	struct dirscan scan;
	size_t n = 0, seen = 0;

	dirscan_start(&scan, fd);
	while (seen++ < OWN_LOOK_MAX && dirscan_next(&scan)) {
		if (!text_ends(scan.name, ".json") || !scan.name[5])
			continue;
		if (n == OWN_MAX) {
			buf_addf(notes,
				 OWN_DIR ": more than %d tools; the others are not "
					 "used\n",
				 OWN_MAX);
			break;
		}
		names[n] = strdup(scan.name);
		n += names[n] != NULL;
	}
	qsort(names, n, sizeof(*names), text_order);
	return n;
}

int own_load(struct toolset *s, int dirfd, struct buf *notes, struct err *e)
{
	_cleanup_close_ int outer =
		sys_openat(dirfd, ".cubby", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	_cleanup_close_ int fd =
		outer < 0 ? outer
			  : sys_openat(outer, "tools",
				       O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	char *names[OWN_MAX];
	size_t n = fd < 0 ? 0 : list(fd, names, notes);
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		r = r < 0 ? r : add_one(s, fd, names[i], notes);
		free(names[i]);
	}
	return r < 0 ? err_sys(e, r, "cannot read " OWN_DIR) : 0;
}
