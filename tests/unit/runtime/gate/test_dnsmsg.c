#include "runtime/gate/dnsmsg.h"

#include "tests/unit/unit.h"

#define HEAD(flags, qd, an, ns, ar) "\x12\x34" flags "\0" qd "\0" an "\0" ns "\0" ar
#define ASK HEAD("\x01\0", "\x01", "\0", "\0", "\0")
#define ASK_EDNS HEAD("\x01\0", "\x01", "\0", "\0", "\x01")
#define EXAMPLE "\7eXample\3COM\0"
#define A_IN "\0\1\0\1"
#define OPT(version) "\0\0\x29\x04\xd0\0" version "\0\0\0\0"
#define L63    \
	"\x3f" \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define M(text) text, sizeof(text) - 1

static const struct row {
	const char *name;
	const char *data;
	size_t len;
	int want;
	const char *text; /* the name that was read; NULL = not looked at */
	uint16_t type;
} rows[] = {
	/* clang-format off */
	{ "a question", M(ASK EXAMPLE A_IN), 0, "example.com", 1 },
	{ "the root", M(ASK "\0" "\0\2\0\1"), 0, "", 2 },
	{ "with EDNS", M(ASK_EDNS EXAMPLE A_IN OPT("\0")), 0, "example.com", 1 },
	{ "EDNS version 1", M(ASK_EDNS EXAMPLE A_IN OPT("\1")), DNSMSG_BADVERS, NULL, 1 },
	{ "EDNS twice", M(HEAD("\x01\0", "\1", "\0", "\0", "\2") EXAMPLE A_IN OPT("\0") OPT("\0")), DNSMSG_FORMERR, NULL, 1 },
	{ "EDNS promised, not there", M(ASK_EDNS EXAMPLE A_IN), DNSMSG_FORMERR, NULL, 1 },
	{ "nothing", M(""), -EBADMSG, NULL, 0 },
	{ "half a head", M("\x12\x34\1\0\0\1"), -EBADMSG, NULL, 0 },
	{ "an answer", M(HEAD("\x81\0", "\1", "\0", "\0", "\0") EXAMPLE A_IN), -EBADMSG, NULL, 0 },
	{ "another opcode", M(HEAD("\x29\0", "\1", "\0", "\0", "\0") EXAMPLE A_IN), DNSMSG_NOTIMP, NULL, 0 },
	{ "no question", M(HEAD("\1\0", "\0", "\0", "\0", "\0")), DNSMSG_FORMERR, NULL, 0 },
	{ "two questions", M(HEAD("\1\0", "\2", "\0", "\0", "\0") EXAMPLE A_IN EXAMPLE A_IN), DNSMSG_FORMERR, NULL, 0 },
	{ "another class", M(ASK EXAMPLE "\0\1\0\3"), DNSMSG_REFUSED, "example.com", 1 },
	{ "cut in the name", M(ASK "\7exam"), DNSMSG_FORMERR, NULL, 0 },
	{ "cut in the type", M(ASK EXAMPLE "\0"), DNSMSG_FORMERR, NULL, 0 },
	{ "a pointer to itself", M(ASK "\xc0\x0c" A_IN), DNSMSG_FORMERR, NULL, 0 },
	{ "a pointer forward", M(ASK "\1a\xc0\x20" A_IN), DNSMSG_FORMERR, NULL, 0 },
	{ "an unknown kind of label", M(ASK "\x40" "a\0" A_IN), DNSMSG_FORMERR, NULL, 0 },
	{ "255 bytes of name", M(ASK L63 L63 L63 "\x3d" "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" "\0" A_IN), 0, NULL, 1 },
	{ "256 bytes of name", M(ASK L63 L63 L63 L63 "\0" A_IN), DNSMSG_FORMERR, NULL, 0 },
	{ "odd bytes", M(ASK "\3a\0b\2\xff." "\0" A_IN), 0, "a?b.??", 1 },
	/* clang-format on */
};

static void parses(const void *p)
{
	const struct row *row = p;
	struct dnsmsg_query q;

	assert_int_equal(dnsmsg_parse(row->data, row->len, &q), row->want);
	if (row->want >= 0)
		assert_int_equal(q.id, 0x1234);
	if (row->text)
		assert_string_equal(q.name, row->text);
	assert_int_equal(q.type, row->type);
	assert_true(q.question_end >= 12 && q.question_end <= MAX(row->len, 12));
	/* Cut anywhere, it is never a good question, and nothing past the end is read
	 * (that is for the sanitizer to see: the copy is exact). */
	for (size_t n = 0; n < row->len && !row->want; n++) {
		char *copy = malloc(n + 1);
		struct dnsmsg_query cut;

		memcpy(copy, row->data, n);
		assert_true(dnsmsg_parse(copy, n, &cut) != 0);
		free(copy);
	}
}

static const uint8_t address[4] = { 198, 18, 0, 16 };

static void writes_answers(void)
{
	static const char question[] = ASK_EDNS EXAMPLE A_IN OPT("\0");
	static const char want[] = "\x12\x34\x81\x80\0\1\0\1\0\0\0\1" EXAMPLE A_IN
				   "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc6\x12\0\x10"
				   "\0\0\x29\x04\xd0\0\0\0\0\0\0";
	struct dnsmsg_answer a = { .ttl_s = 60, .a = address };
	struct dnsmsg_query q;
	uint8_t out[DNSMSG_EDNS];

	assert_int_equal(dnsmsg_parse(question, sizeof(question) - 1, &q), 0);
	assert_int_equal(q.udp_size, 1232);
	assert_true(q.plain && q.recursion && q.edns);
	assert_int_equal(dnsmsg_build(&q, question, &a, sizeof(out), out),
			 sizeof(want) - 1);
	assert_memory_equal(out, want, sizeof(want) - 1);
	a = (struct dnsmsg_answer){ .rcode = DNSMSG_BADVERS };
	assert_int_equal(dnsmsg_build(&q, question, &a, sizeof(out), out),
			 12 + 17 + 11);
	assert_int_equal(out[3] & 15, 0); /* the rest is in the OPT record */
	assert_int_equal(out[12 + 17 + 5], 1);
}

static void cuts_what_does_not_fit(void)
{
	static const char question[] = ASK L63 L63 L63
		"\x3d"
		"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
		"\0\0\x0c\0\1";
	struct dnsmsg_query q;
	struct dnsmsg_answer a = { .ttl_s = 1 };
	uint8_t out[DNSMSG_EDNS];
	size_t len;

	assert_int_equal(dnsmsg_parse(question, sizeof(question) - 1, &q), 0);
	a.ptr = q.name;
	len = dnsmsg_build(&q, question, &a, sizeof(out), out);
	assert_int_equal(len, 12 + 259 + 12 + 255);
	assert_int_equal(out[7], 1);
	len = dnsmsg_build(&q, question, &a, DNSMSG_UDP, out);
	assert_int_equal(len, 12 + 259);
	assert_int_equal(out[2] & 2, 2); /* TC */
	assert_int_equal(out[7], 0);
}

static const struct reverse_row {
	const char *name;
	int want;
} reverses[] = {
	{ "16.0.18.198.in-addr.arpa", 0 },
	{ "016.0.18.198.in-addr.arpa", -EINVAL },
	{ "256.0.18.198.in-addr.arpa", -EINVAL },
	{ "0.18.198.in-addr.arpa", -EINVAL },
	{ "1.16.0.18.198.in-addr.arpa", -EINVAL },
	{ "16.0.18.198.ip6.arpa", -EINVAL },
	{ "16.0.18.198", -EINVAL },
	{ "", -EINVAL },
};

static void reads_reverse(const void *p)
{
	const struct reverse_row *row = p;
	uint8_t got[4];

	assert_int_equal(dnsmsg_reverse(row->name, got), row->want);
	if (!row->want)
		assert_memory_equal(got, address, 4);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "writes answers", writes_answers },
		{ "cuts what does not fit", cuts_what_does_not_fit },
	};
	int r = unit_rows("dnsmsg_parse", rows, parses);

	r |= unit_rows("dnsmsg_reverse", reverses, reads_reverse);
	return r | unit_cases("dnsmsg_build", cases);
}
