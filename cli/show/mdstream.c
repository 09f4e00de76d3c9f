#include "cli/show/mdstream.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"

void mdstream_init(struct mdstream *m)
{
	*m = (struct mdstream){ .open = BUF_INIT((size_t)4 * MDSTREAM_BLOCK) };
}

void mdstream_done(struct mdstream *m)
{
	buf_done(&m->open);
}

/* A line that begins or ends code. */
static void look_for_fence(struct mdstream *m, const char *line, size_t len)
{
	size_t at = 0;

	while (at < len && strchr(" \t", line[at]))
		at++;
	if (len - at < 3 || (line[at] != '`' && line[at] != '~') ||
	    line[at + 1] != line[at] || line[at + 2] != line[at])
		return;
	if (!m->fence[0])
		memcpy(m->fence, line + at, 3);
	else if (m->fence[0] == line[at])
		m->fence[0] = '\0';
}

static bool is_blank(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr(" \t\r\n", line[i]))
			return false;
	return true;
}

/* Whole lines that were not looked at: where the first block ended for certain, that is where
 * a line begins in column 0 behind a blank one. */
static size_t find_cut(struct mdstream *m)
{
	while (m->looked < m->open.len) {
		const char *line = m->open.data + m->looked;
		const size_t left = m->open.len - m->looked;
		const char *end = memchr(line, '\n', left);
		const size_t len = end ? (size_t)(end - line) + 1 : left;

		if (m->cut == m->looked && m->cut && !strchr(" \t\r\n", *line))
			return m->cut;
		if (!end)
			break;
		if (!m->fence[0] && is_blank(line, len))
			m->cut = m->looked + len;
		else
			look_for_fence(m, line, len);
		m->looked += len;
	}
	return 0;
}

static void show_part(struct mdstream *m, size_t len, const struct markdown_look *look,
		      struct buf *out)
{
	if (is_blank(buf_cstr(&m->open), len))
		return;
	if (m->began)
		buf_addc(out, '\n');
	(void)markdown_rows(m->open.data, len, look, out, ERR_IGNORED);
}

/* A block without an end is shown in parts, code as code. */
static void cut_long(struct mdstream *m, const struct markdown_look *look,
		     struct buf *stay)
{
	const char *nl = memrchr(m->open.data, '\n', m->open.len);
	const size_t n = nl ? (size_t)(nl - m->open.data) + 1 : m->open.len;
	const bool code = m->fence[0] != '\0';
	char fence[sizeof(m->fence) + 1];

	snprintf(fence, sizeof(fence), "%.3s\n", m->fence);
	show_part(m, n, look, stay);
	m->began = !code;
	buf_consume(&m->open, n);
	m->looked = m->cut = 0;
	if (code) {
		_cleanup_buf_ struct buf rest = m->open;

		m->open = BUF_INIT((size_t)4 * MDSTREAM_BLOCK);
		buf_adds(&m->open, fence);
		m->looked = m->open.len;
		buf_add(&m->open, buf_cstr(&rest), rest.len);
	}
}

void mdstream_add(struct mdstream *m, const char *s, size_t len,
		  const struct markdown_look *look, struct buf *stay, struct buf *open)
{
	while (len) {
		const size_t n = MIN(len, (size_t)MDSTREAM_BLOCK);
		size_t cut;

		buf_add(&m->open, s, n);
		s += n;
		len -= n;
		while ((cut = find_cut(m))) {
			show_part(m, cut, look, stay);
			m->began = true;
			buf_consume(&m->open, cut);
			m->looked -= cut;
			m->cut = 0;
		}
		if (m->open.len > MDSTREAM_BLOCK)
			cut_long(m, look, stay);
	}
	mdstream_open(m, look, open);
}

/* Half a character at the end is left out. */
void mdstream_open(const struct mdstream *m, const struct markdown_look *look,
		   struct buf *open)
{
	struct mdstream part = *m;

	show_part(&part, text_whole(buf_cstr(&m->open), m->open.len), look, open);
}

void mdstream_end(struct mdstream *m, const struct markdown_look *look,
		  struct buf *stay)
{
	show_part(m, m->open.len, look, stay);
	mdstream_done(m);
	mdstream_init(m);
}
