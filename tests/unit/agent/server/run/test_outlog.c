#include "agent/server/run/outlog.h"

#include "tests/unit/unit.h"

static void assert_entry(const struct outlog *l, uint64_t number, const char *want)
{
	_cleanup_buf_ struct buf b = BUF_INIT(2L * OUTLOG_ENTRY);

	assert_int_equal(outlog_read(l, number, &b), 0);
	assert_string_equal(buf_cstr(&b), want);
}

static void shown_entries_stay(void)
{
	_cleanup_(outlog_done) struct outlog l = OUTLOG(&(uint64_t){ OUTLOG_MAX });
	_cleanup_buf_ struct buf b = BUF_INIT(100);

	assert_int_equal(outlog_next(&l), 0);
	assert_int_equal(outlog_read(&l, 0, &b), -ENOENT);
	outlog_add(&l, "one", 3);
	outlog_add(&l, "two", 3);
	assert_int_equal(outlog_next(&l), 1);
	assert_entry(&l, 0, "onetwo");
	outlog_add(&l, "three", 5);
	assert_entry(&l, 0, "onetwo");
	assert_int_equal(outlog_next(&l), 2);
	assert_entry(&l, 1, "three");
}

static void characters_are_whole(void)
{
	_cleanup_(outlog_done) struct outlog l = OUTLOG(&(uint64_t){ OUTLOG_MAX });

	outlog_add(&l, "a\xe2", 2);
	assert_int_equal(outlog_next(&l), 1);
	assert_entry(&l, 0, "a");
	outlog_add(&l, "\x82", 1);
	assert_int_equal(outlog_next(&l), 1);
	outlog_add(&l, "\xac!", 2);
	assert_int_equal(outlog_next(&l), 2);
	assert_entry(&l, 1, "\xe2\x82\xac!");
	outlog_add(&l, "\xc3", 1);
	assert_int_equal(outlog_flush(&l), 0);
	assert_int_equal(outlog_next(&l), 3);
	assert_entry(&l, 2, "\xc3");
	outlog_add(&l, "\xff\xff", 2);
	assert_int_equal(outlog_next(&l), 4);
	assert_entry(&l, 3, "\xff\xff");
}

static void large_output_is_cut_in_entries(void)
{
	_cleanup_(outlog_done) struct outlog l = OUTLOG(&(uint64_t){ OUTLOG_MAX });
	char data[3 * OUTLOG_ENTRY];
	uint64_t n;

	memset(data, 'x', sizeof(data));
	assert_int_equal(outlog_add(&l, data, sizeof(data)), 0);
	assert_int_equal(outlog_next(&l), 3);
	for (size_t i = 0; i < sizeof(data); i += 3) /* three bytes each */
		memcpy(data + i, "\xe2\x82\xac", 3);
	assert_int_equal(outlog_add(&l, data, sizeof(data)), 0);
	n = outlog_next(&l);
	for (uint64_t i = 3; i < n; i++) {
		_cleanup_buf_ struct buf b = BUF_INIT(2L * OUTLOG_ENTRY);

		assert_int_equal(outlog_read(&l, i, &b), 0);
		assert_int_equal(b.len % 3, 0);
	}
}

static void the_oldest_goes(void)
{
	_cleanup_(outlog_done) struct outlog l = OUTLOG(&(uint64_t){ OUTLOG_MAX });
	_cleanup_buf_ struct buf b = BUF_INIT(2L * OUTLOG_ENTRY);
	char data[OUTLOG_ENTRY];
	uint64_t n;

	for (int i = 0; i < OUTLOG_MAX / OUTLOG_ENTRY + 10; i++) {
		memset(data, 'a' + i % 26, sizeof(data));
		assert_int_equal(outlog_add(&l, data, sizeof(data)), 0);
	}
	n = outlog_next(&l);
	assert_int_equal(n, OUTLOG_MAX / OUTLOG_ENTRY + 10);
	assert_true(l.first >= 9);
	assert_int_equal(outlog_read(&l, 0, &b), -ENOENT);
	assert_int_equal(outlog_read(&l, n - 1, &b), 0);
	assert_int_equal(b.len, OUTLOG_ENTRY);
	assert_int_equal(b.data[0], 'a' + (int)((n - 1) % 26));
}

/* What is for all is taken by pieces, and given back; who gets no more keeps its end. */
static void all_have_so_much_together(void)
{
	uint64_t left = OUTLOG_SMALL + (256 << 10);
	struct outlog a = OUTLOG(&left), b = OUTLOG(&left), c = OUTLOG(&left);
	char data[OUTLOG_ENTRY];

	assert_int_equal(outlog_add(&a, "a", 1), 0);
	assert_int_equal(a.fd, -1); /* little needs no file */
	for (int i = 0; i < 300; i++) {
		memset(data, 'a' + i % 26, sizeof(data));
		assert_int_equal(outlog_add(&a, data, sizeof(data)), 0);
		assert_int_equal(outlog_add(&b, data, sizeof(data)), 0);
	}
	assert_int_equal(left, 0);
	assert_int_equal(a.room, 256 << 10);
	assert_int_equal(b.room, OUTLOG_SMALL);
	memset(data, 'a' + 299 % 26, sizeof(data));
	data[sizeof(data) - 1] = '\0';
	{
		_cleanup_buf_ struct buf out = BUF_INIT(2L * OUTLOG_ENTRY);

		assert_int_equal(outlog_read(&b, outlog_next(&b) - 1, &out), 0);
		assert_int_equal(out.len, OUTLOG_ENTRY);
		assert_memory_equal(out.data, data, out.len - 1);
	}
	assert_int_equal(outlog_add(&c, "c", 1), -ENOMEM);
	outlog_leave(&a);
	assert_int_equal(left, 256 << 10);
	assert_int_equal(outlog_add(&c, "c", 1), 0);
	outlog_done(&a);
	outlog_done(&b);
	outlog_done(&c);
	assert_int_equal(left, OUTLOG_SMALL + (256 << 10));
}

static const struct unit_case cases[] = {
	{ "entries that were shown stay", shown_entries_stay },
	{ "characters are whole", characters_are_whole },
	{ "large output is cut in entries", large_output_is_cut_in_entries },
	{ "the oldest goes", the_oldest_goes },
	{ "all have so much together", all_have_so_much_together },
};

int main(void)
{
	return unit_cases("outlog", cases);
}
