/* replace - the applet "replace": texts in a file become others.
 * Needs:  an absolute path.
 * Never:  writes a file in which not all of them were found. */
#include "runtime/init/replace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/init/applets.h"
#include "runtime/init/jsonout.h"
#include "runtime/init/put.h"
#include "runtime/init/regular.h"

enum { SHOWN = 100, EDIT_MAX = 16 << 20, LIST_MAX = 32 << 20, LIST_TEXTS = 5 };

/* Where line @n begins, from 1; the end of the text behind the last. */
static size_t line_start(const struct buf *text, uint64_t n)
{
	size_t at = 0;

	for (; n > 1 && at < text->len; n--) {
		const char *nl = memchr(text->data + at, '\n', text->len - at);

		at = nl ? (size_t)(nl + 1 - text->data) : text->len;
	}
	return at;
}

static size_t count(const char *s, size_t len, const char *target, size_t n)
{
	const char *end = s + len;
	size_t found = 0;

	while ((s = memmem(s, (size_t)(end - s), target, n)) != NULL) {
		found++;
		s += n;
	}
	return found;
}

static int replace_one(struct buf *text, const char *const one[LIST_TEXTS],
		       struct err *e)
{
	const char *target = one[3], *with = one[4];
	_cleanup_buf_ struct buf out = BUF_INIT(text->max);
	uint64_t first, last = UINT64_MAX - 1;
	size_t from, to, found, n = strlen(target);

	if (num_u64(one[0], &first) < 0 || (*one[1] && num_u64(one[1], &last) < 0) ||
	    last == UINT64_MAX || !n)
		return err_set(e, -EINVAL, "the list of replacements makes no sense");
	from = line_start(text, first);
	to = line_start(text, last + 1);
	if (to < from)
		return err_set(e, -EINVAL, "end_line is before start_line");
	found = count(buf_cstr(text) + from, to - from, target, n);
	if (!found)
		return err_set(e, -EINVAL, "Target string not found: %.*s", SHOWN,
			       target);
	if (found > 1 && strcmp(one[2], "1") != 0)
		return err_set(e, -EINVAL,
			       "Found %zu occurrences of target string but "
			       "allow_multiple is false",
			       found);
	(void)buf_reserve(&out, text->len);
	buf_add(&out, text->data, from);
	while (found-- && buf_failed(&out) == 0) {
		const char *hit = memmem(text->data + from, to - from, target, n);

		buf_add(&out, text->data + from, (size_t)(hit - text->data) - from);
		buf_adds(&out, with);
		from = (size_t)(hit - text->data) + n;
	}
	buf_add(&out, text->data + from, text->len - from);
	if (buf_failed(&out) < 0)
		return err_set(e, buf_failed(&out), "the result is too large");
	buf_done(text);
	*text = take(&out, (struct buf){ 0 });
	return 0;
}

int replace_apply(struct buf *text, const char *list, size_t len, struct err *e)
{
	const char *end = list + len, *one[LIST_TEXTS];

	while (list < end) {
		int r;

		for (int i = 0; i < LIST_TEXTS; i++) {
			one[i] = list < end ? list : "";
			list += list < end ? strlen(list) + 1 : 0;
		}
		r = replace_one(text, one, e);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- the applet ------------------------------------------------------------------- */

static int read_file(const char *path, struct buf *text, struct err *e)
{
	struct stat st;
	_cleanup_close_ int fd = regular_open(path, &st, e);
	int r = fd < 0 ? fd : 0;

	if (r == 0)
		r = st.st_size > EDIT_MAX ? -EMSGSIZE : file_read_fd(fd, text, e);
	if (r == -EMSGSIZE)
		return err_set(e, r, "the file is too large");
	if (r == 0 && text->len && memchr(text->data, '\0', text->len))
		return err_set(e, -EMEDIUMTYPE, "'%s' is no text", path);
	return r;
}

static int write_text(void *ctx, int fd, struct err *e)
{
	const struct buf *text = ctx;

	return file_write_fd(fd, text->data, text->len, e);
}

static int answer(const char *path, size_t size, struct err *e)
{
	_cleanup_free_ struct jsonout *j = calloc(1, sizeof(*j));

	if (!j)
		return err_sys(e, -ENOMEM, "cannot answer");
	jsonout_raw(j, "{");
	jsonout_string(j, true, "path", path);
	jsonout_number(j, false, "size", (int64_t)size);
	jsonout_raw(j, "}");
	return jsonout_end(j, e);
}

int replace_run(char *const argv[], struct err *e)
{
	_cleanup_buf_ struct buf list = BUF_INIT(LIST_MAX), text = BUF_INIT(EDIT_MAX);
	uint64_t size;
	int r = num_range(argv[2], 1, LIST_MAX, &size);

	if (r < 0)
		return err_set(e, -EINVAL, "bad size '%s'", argv[2]);
	r = file_read_fd(0, &list, e);
	if (r == 0 && list.len != size)
		r = err_set(e, -EPIPE, "the list of replacements was cut off");
	if (r == 0)
		r = read_file(argv[1], &text, e);
	if (r == 0)
		r = replace_apply(&text, buf_cstr(&list), list.len, e);
	if (r == 0)
		r = put_file(argv[1], write_text, &text, e);
	return r < 0 ? r : answer(argv[1], text.len, e);
}
