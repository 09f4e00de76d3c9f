#include "tests/unit/tarmake.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"

enum { BLOCK = 512 };

/* The header of POSIX.1-1988 ustar. */
struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type[1],
		link[100], magic[8], uname[32], gname[32], major[8], minor[8],
		prefix[155], pad[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is one block");

void tarmake_done(struct tarmake *t)
{
	buf_done(&t->out);
	buf_done(&t->pax);
}

static void add(struct buf *b, const void *data, size_t len)
{
	assert_int_equal(buf_add(b, data, len), 0);
}

/* Octal where it fits, else base 256 as GNU tar does. */
static void number(char *field, size_t width, uint64_t v)
{
	char text[32];

	if ((unsigned)snprintf(text, sizeof(text), "%0*llo", (int)width - 1,
			       (unsigned long long)v) < width) {
		memcpy(field, text, width);
		return;
	}
	memset(field, 0, width);
	for (size_t i = width; i-- > 1 && v; v >>= 8)
		field[i] = (char)(v & 0xff);
	field[0] = (char)0x80;
}

static void data_blocks(struct tarmake *t, const void *data, size_t len)
{
	static const char zeros[BLOCK];

	add(&t->out, data, len);
	add(&t->out, zeros, (BLOCK - len % BLOCK) % BLOCK);
}

static void header_block(struct tarmake *t, const struct tarmake_entry *en,
			 const char *name, const char *link)
{
	struct header h = { 0 };
	unsigned sum = 0;

	memcpy(h.name, name, MIN(strlen(name), sizeof(h.name)));
	memcpy(h.link, link, MIN(strlen(link), sizeof(h.link)));
	number(h.mode, sizeof(h.mode),
	       en->mode		 ? en->mode
	       : en->type == '5' ? 0755
				 : 0644);
	number(h.uid, sizeof(h.uid), en->uid);
	number(h.gid, sizeof(h.gid), en->gid);
	number(h.size, sizeof(h.size), en->len);
	if (en->size)
		memcpy(h.size, en->size, sizeof(h.size));
	number(h.mtime, sizeof(h.mtime), en->mtime);
	number(h.major, sizeof(h.major), en->major);
	number(h.minor, sizeof(h.minor), en->minor);
	h.type[0] = en->type;
	memcpy(h.magic, en->magic ? en->magic : "ustar\00000", sizeof(h.magic));
	memset(h.sum, ' ', sizeof(h.sum));
	for (size_t i = 0; i < sizeof(h); i++)
		sum += ((const unsigned char *)&h)[i];
	snprintf(h.sum, sizeof(h.sum), "%06o", (sum + en->bad_sum) & 0777777);
	add(&t->out, &h, sizeof(h));
}

void tarmake_pax(struct tarmake *t, const char *key, const void *value, size_t len)
{
	size_t base = strlen(key) + len + 3, total = base + 1;
	char digits[24];

	while ((size_t)snprintf(digits, sizeof(digits), "%zu", total) + base != total)
		total++; /* the length counts its own digits */
	assert_int_equal(buf_addf(&t->pax, "%zu %s=", total, key), 0);
	add(&t->pax, value, len);
	add(&t->pax, "\n", 1);
}

static void pax_blocks(struct tarmake *t, char type)
{
	const struct tarmake_entry en = { .name = "pax",
					  .type = type,
					  .len = t->pax.len };

	if (!t->pax.len)
		return;
	header_block(t, &en, "pax", "");
	data_blocks(t, t->pax.data, t->pax.len);
	buf_truncate(&t->pax, 0);
}

void tarmake_global(struct tarmake *t)
{
	pax_blocks(t, 'g');
}

void tarmake_add(struct tarmake *t, const struct tarmake_entry *en)
{
	const char *link = en->link ? en->link : "";

	if (strlen(en->name) > 100)
		tarmake_pax(t, "path", en->name, strlen(en->name));
	if (strlen(link) > 100)
		tarmake_pax(t, "linkpath", link, strlen(link));
	pax_blocks(t, 'x');
	header_block(t, en, en->name, link);
	data_blocks(t, en->data, en->len);
}

void tarmake_end(struct tarmake *t)
{
	static const char zeros[2 * BLOCK];

	add(&t->out, zeros, sizeof(zeros));
}

void tarmake_file(struct tarmake *t, const char *name, const char *text)
{
	tarmake_add(t, &(struct tarmake_entry){ .name = name,
						.type = '0',
						.data = text,
						.len = strlen(text) });
}

void tarmake_dir(struct tarmake *t, const char *name)
{
	tarmake_add(t, &(struct tarmake_entry){ .name = name, .type = '5' });
}

void tarmake_symlink(struct tarmake *t, const char *name, const char *to)
{
	tarmake_add(t,
		    &(struct tarmake_entry){ .name = name, .type = '2', .link = to });
}

void tarmake_hardlink(struct tarmake *t, const char *name, const char *to)
{
	tarmake_add(t,
		    &(struct tarmake_entry){ .name = name, .type = '1', .link = to });
}
