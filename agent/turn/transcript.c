#include "agent/turn/transcript.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { RECORD_MAX = 256 << 20, FILE_MAX = 1 << 30 };

/* ---- writing ---- */

static bool has_secret(const struct transcript *t, const char *s)
{
	for (const char *const *x = t->secrets; x && *x; x++)
		if (strlen(*x) >= 4 && strstr(s, *x))
			return true;
	return false;
}

static struct json *starred(const struct transcript *t, const char *s)
{
	_cleanup_buf_ struct buf out = BUF_INIT(RECORD_MAX);

	while (*s) {
		size_t n = 0;

		for (const char *const *x = t->secrets; *x; x++)
			if (strlen(*x) >= 4 && text_starts(s, *x))
				n = MAX(n, strlen(*x));
		if (buf_adds(&out, n ? "***" : "") < 0 ||
		    (!n && buf_addc(&out, *s) < 0))
			return NULL;
		s += n ? n : 1;
	}
	return json_string(buf_cstr(&out));
}

/* A copy without secrets; names of members included, which a model may choose. */
static struct json *clean(const struct transcript *t, const struct json *j)
{
	const char *s = json_str(j);
	bool object = json_type(j) == JSON_OBJECT;
	_cleanup_json_ struct json *copy = NULL;

	if (s)
		return has_secret(t, s) ? starred(t, s) : json_string(s);
	if (!object && json_type(j) != JSON_ARRAY)
		return json_dup(j);
	copy = object ? json_object() : json_array();
	json_each(m, j)
	{
		const char *key = json_key(m);
		struct json *v = clean(t, m);
		int r = object ? json_set(copy, has_secret(t, key) ? "***" : key, v)
			       : json_add(copy, v);

		if (r < 0)
			return NULL;
	}
	return take(&copy, NULL);
}

static struct json *new_record(struct transcript *t, const char *type)
{
	_cleanup_json_ struct json *j = json_object();
	struct timespec now = sys_wall();
	char when[40];

	text_time(when, sizeof(when), now.tv_sec, now.tv_nsec);
	json_set_int(j, "v", TRANSCRIPT_VERSION);
	json_set_int(j, "seq", (int64_t)t->seq + 1);
	json_set_str(j, "time", when);
	json_set_int(j, "ms", (int64_t)(sys_now_ms() - t->start_ms));
	json_set_str(j, "type", type);
	return json_failed(j) ? NULL : take(&j, NULL);
}

/* The head and the members are printed one behind the other: a record may hold
 * megabytes, which are not copied for it. */
static int print(struct transcript *t, const char *type, const struct json *members,
		 struct buf *out)
{
	_cleanup_json_ struct json *j = new_record(t, type), *copy = NULL;
	size_t before;
	int r;

	if (!j)
		return -ENOMEM;
	r = json_print(j, false, out);
	if (r < 0 || !json_len(members))
		return r ?: buf_addc(out, '\n');
	buf_truncate(out, out->len - 1); /* its brace */
	before = out->len;
	r = json_print(members, false, out);
	if (r == 0 && has_secret(t, out->data + before)) {
		buf_truncate(out, before);
		copy = clean(t, members);
		r = copy ? json_print(copy, false, out) : -ENOMEM;
	}
	if (r == 0)
		out->data[before] = ',';
	return r ?: buf_addc(out, '\n');
}

/* A secret with a quote or a backslash looks different once it is printed, so the text
 * is not enough to say that there is none. */
static bool odd_secret(const struct transcript *t)
{
	for (const char *const *x = t->secrets; x && *x; x++)
		for (const char *p = *x; *p; p++)
			if (*p == '"' || *p == '\\' || (unsigned char)*p < ' ' ||
			    *p & 0x80)
				return true;
	return false;
}

int transcript_put(struct transcript *t, const char *type, struct json *members,
		   struct err *e)
{
	_cleanup_buf_ struct buf line = BUF_INIT(RECORD_MAX);
	_cleanup_json_ struct json *owned = members, *copy = NULL;
	int r = 0;

	if (members && odd_secret(t)) {
		copy = clean(t, members);
		r = copy ? 0 : -ENOMEM;
	}
	if (r == 0)
		r = print(t, type, copy ? copy : owned, &line);
	if (r < 0)
		return err_sys(e, r, "cannot write the transcript");
	t->seq++;
	for (int i = 0; i < TRANSCRIPT_COPIES; i++) {
		if (t->fds[i] < 0)
			continue;
		r = file_write_fd(t->fds[i], line.data, line.len, e);
		if (r < 0)
			return err_wrap(e, "cannot write the transcript");
	}
	return 0;
}

void transcript_sync(struct transcript *t)
{
	for (int i = 0; i < TRANSCRIPT_COPIES; i++)
		if (t->fds[i] >= 0)
			sys_fdatasync(t->fds[i]); /* a pipe cannot, and need not */
}

/* ---- reading ---- */

static int take_line(const char *line, size_t len, size_t number,
		     transcript_record_fn *fn, void *ctx, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	int r = json_parse(line, len, &j, e);

	if (r < 0)
		return err_wrap(e, "transcript, line %zu", number);
	if (json_type(j) != JSON_OBJECT || !json_get_str(j, "type"))
		return err_set(e, -EINVAL, "transcript, line %zu: not a record",
			       number);
	if (json_get_int(j, "v", TRANSCRIPT_VERSION) != TRANSCRIPT_VERSION)
		return err_set(
			e, -EINVAL,
			"transcript, line %zu: version %lld; this cubby reads %d",
			number, (long long)json_get_int(j, "v", -1),
			TRANSCRIPT_VERSION);
	return fn(ctx, j, e);
}

static bool is_blank(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
			return false;
	return true;
}

int transcript_parse(const char *text, size_t len, transcript_record_fn *fn, void *ctx,
		     struct err *e)
{
	size_t number = 1;

	for (const char *p = text, *end = text + len; p < end; number++) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((eol ? eol : end) - p);
		struct err torn = ERR_NONE;
		int r;

		if (!is_blank(p, n)) {
			_cleanup_json_ struct json *probe = NULL;

			if (!eol && json_parse(p, n, &probe, &torn) < 0)
				return 0;
			r = take_line(p, n, number, fn, ctx, e);
			if (r < 0)
				return r;
		}
		p = eol ? eol + 1 : end;
	}
	return 0;
}

int transcript_read(int fd, transcript_record_fn *fn, void *ctx, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(FILE_MAX);
	int r;

	sys_lseek(fd, 0, SEEK_SET); /* a pipe has no start to go back to */
	r = file_read_fd(fd, &text, e);
	if (r < 0)
		return err_wrap(e, "cannot read the transcript");
	return transcript_parse(buf_cstr(&text), text.len, fn, ctx, e);
}
