#include "agent/server/run/outlog.h"

#include <errno.h>
#include <string.h>

#include "base/grow.h"
#include "base/json.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { FIRST_LARGE = 256 << 10 };

void outlog_leave(struct outlog *l)
{
	if (l->left)
		*l->left += l->room;
	l->left = NULL;
}

void outlog_done(struct outlog *l)
{
	outlog_leave(l);
	scope_close(&l->fd);
	free(l->small);
	free(l->entries);
	*l = OUTLOG(NULL);
}

/* ---- the ring ------------------------------------------------------------------- */

static ssize_t write_at(struct outlog *l, const char *data, size_t len, uint64_t from)
{
	if (l->fd >= 0)
		return sys_pwrite(l->fd, data, len, (off_t)from);
	memcpy(l->small + from, data, len);
	return (ssize_t)len;
}

static ssize_t read_at(const struct outlog *l, char *data, size_t len, uint64_t from)
{
	if (l->fd >= 0)
		return sys_pread(l->fd, data, len, (off_t)from);
	memcpy(data, l->small + from, len);
	return (ssize_t)len;
}

/* Into a file: nothing has been written over yet. */
static int move_out(struct outlog *l)
{
	_cleanup_close_ int fd = sys_memfd("cubby-output", 0);
	ssize_t n = fd < 0 ? fd : sys_pwrite(fd, l->small, (size_t)l->total, 0);

	if (n < 0 || (uint64_t)n != l->total)
		return n < 0 ? (int)n : -EIO;
	l->fd = take(&fd, -1);
	free(take(&l->small, NULL));
	return 0;
}

/* Twice the room, as long as nothing was written over and there is any left. */
static bool grow(struct outlog *l)
{
	uint64_t to = !l->room			? OUTLOG_SMALL
		      : l->room == OUTLOG_SMALL ? FIRST_LARGE
						: 2 * l->room;

	if (l->total > l->room || l->room == OUTLOG_MAX || !l->left ||
	    *l->left < to - l->room)
		return false;
	if (!l->room)
		l->small = malloc(OUTLOG_SMALL);
	if (l->room ? l->fd < 0 && move_out(l) < 0 : !l->small)
		return false;
	*l->left -= to - l->room;
	l->room = to;
	return true;
}

/* Entries whose bytes the ring has written over. */
static void drop_old(struct outlog *l)
{
	size_t n = 0;

	while (n < l->count && l->entries[n].at + l->room < l->total)
		n++;
	l->count -= n;
	l->first += n;
	memmove(l->entries, l->entries + n, l->count * sizeof(*l->entries));
}

/* ---- entries -------------------------------------------------------------------- */

static struct outlog_entry *entry_for(struct outlog *l)
{
	struct outlog_entry *last = l->count ? &l->entries[l->count - 1] : NULL;

	if (last && !l->closed && last->len < OUTLOG_ENTRY)
		return last;
	if (!grow_room(l->entries, l->count))
		return NULL;
	l->closed = false;
	l->entries[l->count] = (struct outlog_entry){ .at = l->total };
	return &l->entries[l->count++];
}

/* Bytes of @data that fit into @room without cutting a character. */
static size_t whole(const char *data, size_t len, size_t room)
{
	size_t n = MIN(len, room);

	while (n && n < len && ((unsigned char)data[n] & 0xc0) == 0x80 && room - n < 4)
		n--;
	return n;
}

static int append(struct outlog *l, const char *data, size_t len)
{
	while (len) {
		struct outlog_entry *entry = entry_for(l);
		uint64_t from;
		ssize_t n;

		if (!entry)
			return -ENOMEM;
		while (l->total + MIN(len, (size_t)OUTLOG_ENTRY) > l->room && grow(l))
			;
		if (!l->room)
			return -ENOMEM;
		from = l->total % l->room;
		n = (ssize_t)whole(data, len, OUTLOG_ENTRY - entry->len);
		if (n == 0) { /* the next character goes into the next one */
			l->closed = true;
			continue;
		}
		n = write_at(l, data, MIN((size_t)n, (size_t)(l->room - from)), from);
		if (n <= 0)
			return n < 0 ? (int)n : -EIO;
		entry->len += (uint32_t)n;
		l->total += (uint64_t)n;
		data += n;
		len -= (size_t)n;
		drop_old(l);
	}
	return 0;
}

int outlog_add(struct outlog *l, const char *data, size_t len)
{
	_cleanup_buf_ struct buf b = BUF_INIT(len + sizeof(l->cut));
	int r;

	buf_add(&b, l->cut, l->n_cut);
	r = buf_add(&b, data, len);
	if (r < 0)
		return r;
	l->n_cut = (unsigned)(b.len - text_whole(buf_cstr(&b), b.len));
	memcpy(l->cut, b.data + b.len - l->n_cut, l->n_cut);
	return append(l, b.data, b.len - l->n_cut);
}

int outlog_flush(struct outlog *l)
{
	int r = l->n_cut ? append(l, l->cut, l->n_cut) : 0;

	l->n_cut = 0;
	return r;
}

uint64_t outlog_next(struct outlog *l)
{
	l->closed = true;
	return l->first + l->count;
}

int outlog_read(const struct outlog *l, uint64_t number, struct buf *out)
{
	const struct outlog_entry *entry;
	uint64_t at;
	size_t left;

	if (number < l->first || number >= l->first + l->count)
		return -ENOENT;
	entry = &l->entries[number - l->first];
	if (buf_reserve(out, entry->len) < 0)
		return -ENOMEM;
	for (at = entry->at, left = entry->len; left;) {
		uint64_t from = at % l->room;
		ssize_t n = read_at(l, out->data + out->len,
				    MIN(left, (size_t)(l->room - from)), from);

		if (n <= 0)
			return n < 0 ? (int)n : -EIO;
		buf_commit(out, (size_t)n);
		at += (uint64_t)n;
		left -= (size_t)n;
	}
	return 0;
}

int outlog_print(const struct outlog *l, uint64_t number, bool first, struct buf *out)
{
	_cleanup_buf_ struct buf raw = BUF_INIT(2L * OUTLOG_ENTRY);
	_cleanup_json_ struct json *j = json_object();
	size_t len = 0;

	if (outlog_read(l, number, &raw) < 0)
		return 0;
	for (size_t i = 0; i < raw.len; i++) /* no text of ours holds a NUL */
		if (raw.data[i])
			raw.data[len++] = raw.data[i];
	json_set_str(j, "type", "output");
	json_set(j, "data", json_stringn(raw.data, len));
	if (!first)
		buf_addc(out, ',');
	return json_print(j, false, out);
}
