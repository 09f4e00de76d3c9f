#include "rootfs/review/patch_binary.h"

#include <string.h>

#include "base/sha1.h"
#include "tests/unit/unit.h"

enum { ROOM = 1 << 20 };

/* What Python's zlib, base64 and hashlib make of the same. */
static const struct row {
	const char *name, *content;
	size_t len;
	const char *sum, *literal;
} rows[] = {
	{ "nothing", "", 0, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
	  "literal 0\nKcmV+b0RR6000031\n\n" },
	{ "a zero", "", 1, "f76dd238ade08917e6712764a16a22005a50573d",
	  "literal 1\nLcmV+c0RH~~00962\n\n" },
	{ "a zero in it", "a\0b", 3, "20b5be91886d0b6f26dc98a225c0dac05fe2c86e",
	  "literal 3\nNcmV+e0Q~=90Ac}%0K@<Q\n\n" },
	{ "two lines",
	  "\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24\25\26\27"
	  "\30\31\32\33\34\35\36\37 !\"#$%&'()*+,-./",
	  48, "4c954b38568dab3f0f619dd3db533d67a6a24489",
	  "literal 48\n"
	  "zcmV-00MGvb0RjUA1qKHQ2?`4g4Gs?w5fT#=6&4p585$cL9UdPbAtECrB_<~*DJm;0\n"
	  "GEiNxeC<JK$\n\n" },
};

static void binary(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf now = BUF_INIT(ROOM), was = BUF_INIT(ROOM);
	_cleanup_buf_ struct buf out = BUF_INIT(ROOM), sum = BUF_INIT(ROOM);
	char want[512];

	buf_add(&now, row->content, row->len);
	snprintf(want, sizeof(want), "GIT binary patch\n%s%s", row->literal,
		 rows[0].literal);
	assert_int_equal(patch_binary(&out, &was, &now), 0);
	assert_string_equal(buf_cstr(&out), want);
	assert_int_equal(patch_binary_sum(&sum, &now), 0);
	assert_string_equal(buf_cstr(&sum), row->sum);
}

/* More than a block that is not compressed can have. */
static void blocks(void)
{
	static const uint8_t want[SHA1_SIZE] = {
		0x1a, 0xc6, 0x80, 0x57, 0x64, 0x15, 0x07, 0x2d, 0x5b, 0x69,
		0x24, 0xcc, 0x5d, 0x1a, 0x91, 0x76, 0xab, 0xa2, 0xfb, 0x44,
	};
	_cleanup_buf_ struct buf now = BUF_INIT(ROOM), was = BUF_INIT(ROOM);
	_cleanup_buf_ struct buf out = BUF_INIT(ROOM);
	uint8_t sum[SHA1_SIZE];

	for (unsigned i = 0; i < 70000; i++)
		buf_addc(&now, (char)(i * 7 % 251));
	assert_int_equal(patch_binary(&out, &was, &now), 0);
	sha1_digest(out.data, out.len, sum);
	assert_memory_equal(sum, want, sizeof(sum));
}

static void too_much(void)
{
	_cleanup_buf_ struct buf now = BUF_INIT(ROOM), out = BUF_INIT(100);

	for (unsigned i = 0; i < 1000; i++)
		buf_addc(&now, '\0');
	assert_int_equal(patch_binary(&out, &now, &now), -EMSGSIZE);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "several blocks", blocks },
		{ "more than there is room for", too_much },
	};

	return unit_rows("patch_binary", rows, binary) +
	       unit_cases("patch_binary", cases);
}
