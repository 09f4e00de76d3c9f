#include "agent/task/compact.h"

#include <stdio.h>

#include "tests/unit/unit.h"

/* A task of @rounds rounds, each with one call and a result of @size bytes. */
static void fill(struct history *h, unsigned rounds, size_t size)
{
	_cleanup_free_ char *text = malloc(size + 1);
	struct err e = ERR_NONE;

	memset(text, 'x', size);
	text[size] = '\0';
	unit_ok(history_add_text(h, HISTORY_TASK, 0, "the task", &e), &e);
	for (unsigned i = 1; i <= rounds; i++) {
		_cleanup_json_ struct json *j = NULL;
		char message[200], id[16];
		struct history_result r = { .id = id, .tool = "shell", .text = text };

		snprintf(id, sizeof(id), "c%u", i);
		snprintf(message, sizeof(message),
			 "{\"role\":\"assistant\",\"content\":\"step "
			 "%u\",\"tool_calls\":"
			 "[{\"id\":\"%s\",\"function\":{\"name\":\"shell\","
			 "\"arguments\":\"{}\"}}]}",
			 i, id);
		j = unit_json(message);
		unit_ok(history_add_turn(h, i, j, &e), &e);
		unit_ok(history_add_result(h, i, &r, &e), &e);
	}
}

static void shorten(void)
{
	_cleanup_history_ struct history h = { 0 };
	struct err e = ERR_NONE;
	unsigned cut;

	fill(&h, 4, 5000);
	h.entries[2].log_path = strdup("/tmp/full.log");
	unit_ok(compact_shorten(&h, 2, 1200, &cut, &e), &e);
	assert_int_equal(cut, 2);
	assert_int_equal(strlen(h.entries[8].text), 5000);
	assert_non_null(strstr(h.entries[2].text,
			       "xx\n[… 3800 bytes left out to save context; all of it "
			       "is in /tmp/full.log …]\nxx"));
	assert_true(strlen(h.entries[2].text) < 1400);
	unit_ok(compact_shorten(&h, 2, 1200, &cut, &e), &e);
	assert_int_equal(cut, 0); /* once is enough */
}

static void characters_stay_whole(void)
{
	_cleanup_history_ struct history h = { 0 };
	struct history_result r = { .id = "a", .tool = "shell" };
	struct err e = ERR_NONE;
	char text[3001];
	unsigned cut;

	for (int i = 0; i < 1000; i++)
		memcpy(text + 3 * (size_t)i, "€", 3);
	text[3000] = '\0';
	r.text = text;
	unit_ok(history_add_result(&h, 1, &r, &e), &e);
	unit_ok(compact_shorten(&h, 9, 1000, &cut, &e), &e);
	assert_null(strstr(h.entries[0].text, "\xef\xbf\xbd"));
}

static void point(void)
{
	_cleanup_history_ struct history h = { 0 };

	fill(&h, 10, 1000);
	/* At least four turns, whatever their size; more while they fit. */
	assert_int_equal(compact_point(&h, 0, 4), 13);
	assert_int_equal(compact_point(&h, 0, 1), 19);
	assert_true(compact_point(&h, 7000, 4) < 13);
	assert_int_equal(h.entries[compact_point(&h, 7000, 4)].kind, HISTORY_ASSISTANT);
	assert_int_equal(compact_point(&h, 1 << 20, 4), 0); /* all fits */
}

static void replace(void)
{
	_cleanup_buf_ struct buf source = BUF_INIT(1 << 20);
	_cleanup_history_ struct history h = { 0 };
	struct err e = ERR_NONE;
	size_t at;

	fill(&h, 6, 100);
	at = compact_point(&h, 0, 4);
	assert_int_equal(compact_source(&h, at, 1 << 20, &source), 0);
	assert_non_null(strstr(source.data,
			       "PERSON: the task\nYOU: step 1\nCALL shell {}\n"
			       "RESULT: xx"));
	assert_null(strstr(source.data, "step 3"));
	unit_ok(compact_replace(&h, at, "the summary", &e), &e);
	assert_int_equal(h.n, 2 + 8);
	assert_int_equal(h.entries[0].kind, HISTORY_TASK);
	assert_int_equal(h.entries[1].kind, HISTORY_SUMMARY);
	assert_string_equal(h.entries[1].text, "the summary");
	assert_int_equal(h.entries[2].kind, HISTORY_ASSISTANT);
	assert_int_equal(h.entries[2].round, 3);
	/* Again: the summary is older now. */
	at = compact_point(&h, 0, 1);
	buf_truncate(&source, 0);
	assert_int_equal(compact_source(&h, at, 60, &source), 0);
	assert_true(source.len < 200);
	unit_ok(compact_replace(&h, at, "shorter", &e), &e);
	assert_int_equal(h.n, 4);
	assert_string_equal(h.entries[1].text, "shorter");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "results lose their middle", shorten },
		{ "characters stay whole", characters_stay_whole },
		{ "where the rest begins", point },
		{ "a summary takes the place", replace },
	};

	return unit_cases("compact", cases);
}
