#include "agent/server/run/outlog.h"

#include <errno.h>
#include <string.h>

#include "base/grow.h"
#include "base/sys/sys.h"
#include "base/text.h"

void outlog_done(struct outlog *l)
{
	scope_close(&l->fd);
	free(l->entries);
	*l = OUTLOG_NONE;
}

static int open_file(struct outlog *l)
{
	const char *dir = getenv("TMPDIR");

	if (l->fd >= 0)
		return 0;
	l->fd = sys_openat(AT_FDCWD, dir && *dir == '/' ? dir : "/tmp",
			   O_RDWR | O_TMPFILE, 0600);
	if (l->fd < 0)
		l->fd = sys_memfd("cubby-output", 0);
	return MIN(l->fd, 0);
}

/* Entries whose bytes the ring has written over. */
static void drop_old(struct outlog *l)
{
	size_t n = 0;

	while (n < l->count && l->entries[n].at + OUTLOG_MAX < l->total)
		n++;
	l->count -= n;
	l->first += n;
	memmove(l->entries, l->entries + n, l->count * sizeof(*l->entries));
}

static struct outlog_entry *entry_for(struct outlog *l)
{
	struct outlog_entry *last = l->count ? &l->entries[l->count - 1] : NULL;
	struct outlog_entry *list;

	if (last && !l->closed && last->len < OUTLOG_ENTRY)
		return last;
	list = grow_list(l->entries, l->count, sizeof(*list));
	if (!list)
		return NULL;
	l->entries = list;
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
	int r = open_file(l);

	while (r >= 0 && len) {
		struct outlog_entry *entry = entry_for(l);
		off_t from = (off_t)(l->total % OUTLOG_MAX);
		ssize_t n;

		if (!entry)
			return -ENOMEM;
		n = (ssize_t)whole(data, len, OUTLOG_ENTRY - entry->len);
		if (n == 0) { /* the next character goes into the next one */
			l->closed = true;
			continue;
		}
		n = sys_pwrite(l->fd, data, MIN((size_t)n, (size_t)(OUTLOG_MAX - from)),
			       from);
		if (n <= 0)
			return n < 0 ? (int)n : -EIO;
		entry->len += (uint32_t)n;
		l->total += (uint64_t)n;
		data += n;
		len -= (size_t)n;
		drop_old(l);
	}
	return r;
}

/* Bytes at the end of @data that may become a character with what comes next. */
static unsigned cut_off(const char *data, size_t len)
{
	for (unsigned n = 1; n <= 3 && n <= len; n++) {
		unsigned char c = (unsigned char)data[len - n];

		if ((c & 0xc0) == 0x80)
			continue;
		return c >= 0xc0 && text_utf8_len(data + len - n, n) == 0 ? n : 0;
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
	l->n_cut = cut_off(b.data, b.len);
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
		off_t from = (off_t)(at % OUTLOG_MAX);
		ssize_t n = sys_pread(l->fd, out->data + out->len,
				      MIN(left, (size_t)(OUTLOG_MAX - from)), from);

		if (n <= 0)
			return n < 0 ? (int)n : -EIO;
		buf_commit(out, (size_t)n);
		at += (uint64_t)n;
		left -= (size_t)n;
	}
	return 0;
}
