#include "base/num.h"

#include "tests/unit/unit.h"

enum kind { U64, RANGE, BYTES, MS, MILLI, OCTAL, HEX }; /* RANGE is 10 to 20 */

static const struct row {
	const char *name;
	enum kind kind;
	const char *in;
	int want;
	uint64_t value;
} rows[] = {
	{ "zero", U64, "0", 0, 0 },
	{ "largest", U64, "18446744073709551615", 0, UINT64_MAX },
	{ "past the largest", U64, "18446744073709551616", -ERANGE, 0 },
	{ "far past, with trailing text", U64, "99999999999999999999x", -EINVAL, 0 },
	{ "empty", U64, "", -EINVAL, 0 },
	{ "sign", U64, "-1", -EINVAL, 0 },
	{ "plus", U64, "+1", -EINVAL, 0 },
	{ "space before", U64, " 1", -EINVAL, 0 },
	{ "space behind", U64, "1 ", -EINVAL, 0 },
	{ "hex", U64, "0x10", -EINVAL, 0 },
	{ "range: lowest", RANGE, "10", 0, 10 },
	{ "range: highest", RANGE, "20", 0, 20 },
	{ "range: below", RANGE, "9", -ERANGE, 0 },
	{ "range: above", RANGE, "21", -ERANGE, 0 },
	{ "range: text", RANGE, "ten", -EINVAL, 0 },
	{ "bytes: none", BYTES, "4096", 0, 4096 },
	{ "bytes: B", BYTES, "4096B", 0, 4096 },
	{ "bytes: M", BYTES, "128M", 0, 128 << 20 },
	{ "bytes: lower case", BYTES, "128m", 0, 128 << 20 },
	{ "bytes: KB", BYTES, "2KB", 0, 2048 },
	{ "bytes: KiB", BYTES, "2KiB", 0, 2048 },
	{ "bytes: fraction", BYTES, "1.5G", 0, 3ULL << 29 },
	{ "bytes: T", BYTES, "16777215T", 0, 16777215ULL << 40 },
	{ "bytes: too many", BYTES, "16777216T", -ERANGE, 0 },
	{ "bytes: bad unit", BYTES, "12Q", -EINVAL, 0 },
	{ "bytes: half a byte", BYTES, "1.5", -EINVAL, 0 },
	{ "bytes: unit alone", BYTES, "M", -EINVAL, 0 },
	{ "bytes: i alone", BYTES, "12iB", -EINVAL, 0 },
	{ "bytes: trailing text", BYTES, "12MiBs", -EINVAL, 0 },
	{ "bytes: point at the end", BYTES, "1.G", -EINVAL, 0 },
	{ "bytes: point at the start", BYTES, ".5G", -EINVAL, 0 },
	{ "bytes: two points", BYTES, "1.2.3G", -EINVAL, 0 },
	{ "bytes: ten digits behind the point", BYTES, "1.1234567890G", -EINVAL, 0 },
	{ "ms: seconds", MS, "30", 0, 30000 },
	{ "ms: s", MS, "30s", 0, 30000 },
	{ "ms: fraction", MS, "2.5s", 0, 2500 },
	{ "ms: ms", MS, "150ms", 0, 150 },
	{ "ms: m", MS, "5m", 0, 300000 },
	{ "ms: h", MS, "1h", 0, 3600000 },
	{ "ms: d", MS, "2d", 0, 172800000 },
	{ "ms: bad unit", MS, "2w", -EINVAL, 0 },
	{ "ms: two units", MS, "1h5m", -EINVAL, 0 },
	{ "ms: too many", MS, "18446744073709551615d", -ERANGE, 0 },
	{ "milli: half", MILLI, "0.5", 0, 500 },
	{ "milli: whole", MILLI, "2", 0, 2000 },
	{ "milli: three digits", MILLI, "0.125", 0, 125 },
	{ "milli: four digits", MILLI, "0.1250", -EINVAL, 0 },
	{ "milli: unit", MILLI, "1k", -EINVAL, 0 },
	{ "milli: too many", MILLI, "4294968", -ERANGE, 0 },
	{ "octal", OCTAL, "0644", 0, 0644 },
	{ "octal: highest", OCTAL, "7777", 0, 07777 },
	{ "octal: past the highest", OCTAL, "10000", -ERANGE, 0 },
	{ "octal: digit", OCTAL, "0648", -EINVAL, 0 },
	{ "octal: empty", OCTAL, "", -EINVAL, 0 },
	{ "hex: 9", HEX, "9", 0, 9 },
	{ "hex: small", HEX, "f", 0, 15 },
	{ "hex: capital", HEX, "A", 0, 10 },
	{ "hex: g", HEX, "g", -1, 0 },
	{ "hex: in front of the letters", HEX, "@", -1, 0 },
	{ "hex: a control character", HEX, "\x11", -1, 0 },
	{ "hex: nothing", HEX, "", -1, 0 },
};

static int convert(const struct row *row, uint64_t *v)
{
	uint32_t small = (uint32_t)*v;
	int r;

	switch (row->kind) {
	case U64:
		return num_u64(row->in, v);
	case RANGE:
		return num_range(row->in, 10, 20, v);
	case BYTES:
		return num_bytes(row->in, v);
	case MS:
		return num_ms(row->in, v);
	case HEX:
		r = num_hex(row->in[0]);
		*v = r < 0 ? *v : (uint64_t)r;
		return MIN(r, 0);
	case MILLI:
		r = num_milli(row->in, &small);
		break;
	default:
		r = num_octal(row->in, &small);
	}
	*v = small;
	return r;
}

static void test_num(const void *data)
{
	const struct row *row = data;
	uint64_t v = 4711;

	assert_int_equal(convert(row, &v), row->want);
	assert_int_equal(v, row->want < 0 ? 4711 : row->value);
}

int main(void)
{
	return unit_rows("num", rows, test_num);
}
