#include "runtime/init/expr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct expr {
	pcre2_code *code;
	pcre2_match_data *found;
	pcre2_match_context *limits;
};

void expr_free(struct expr **xp)
{
	struct expr *x = take(xp, NULL);

	if (!x)
		return;
	pcre2_code_free(x->code);
	pcre2_match_data_free(x->found);
	pcre2_match_context_free(x->limits);
	free(x);
}

/* In Python "{,3}" repeats; before 10.43 it is a text here, and nobody would notice. */
static bool has_open_count(const char *text)
{
	for (const char *at = text; (at = strstr(at, "{,")); at++) {
		size_t digits = strspn(at + 2, "0123456789");

		if (digits && at[2 + digits] == '}')
			return true;
	}
	return false;
}

static int compile(struct expr *x, const char *text, uint32_t options, struct err *e)
{
	pcre2_compile_context *c = pcre2_compile_context_create(NULL);
	int code = PCRE2_ERROR_NOMEMORY;
	PCRE2_UCHAR why[128];
	PCRE2_SIZE at = 0;

	if (c) {
		pcre2_set_newline(c, PCRE2_NEWLINE_LF);
		pcre2_set_max_pattern_length(c, EXPR_MAX);
		x->code = pcre2_compile((PCRE2_SPTR)text, strlen(text), options, &code,
					&at, c);
	}
	pcre2_compile_context_free(c);
	if (x->code)
		return 0;
	pcre2_get_error_message(code, why, sizeof(why));
	return err_set(e, -EINVAL, "Invalid %s: %s at position %zu",
		       options & PCRE2_LITERAL ? "query" : "regex", (const char *)why,
		       (size_t)at);
}

static int make(const char *text, uint32_t options, struct expr **ret, struct err *e)
{
	_cleanup_expr_ struct expr *x = calloc(1, sizeof(*x));
	int r;

	if (!x)
		return err_sys(e, -ENOMEM, "cannot search");
	r = compile(x, text, PCRE2_UTF | options, e);
	if (r < 0)
		return r;
	x->found = pcre2_match_data_create(1, NULL);
	x->limits = pcre2_match_context_create(NULL);
	if (!x->found || !x->limits)
		return err_sys(e, -ENOMEM, "cannot search");
	pcre2_set_match_limit(x->limits, EXPR_STEPS);
	pcre2_set_depth_limit(x->limits, EXPR_STEPS);
	pcre2_set_heap_limit(x->limits, EXPR_HEAP >> 10);
	*ret = take(&x, NULL);
	return 0;
}

int expr_new(const char *text, bool literal, bool fold, struct expr **ret,
	     struct err *e)
{
	/* \d, \w, \s, \b and case as Unicode has them, \x and \u as Python writes them */
	uint32_t options =
		(fold ? PCRE2_CASELESS : 0) |
		(literal ? PCRE2_LITERAL
			 : PCRE2_UCP | PCRE2_ALT_BSUX | PCRE2_NEVER_BACKSLASH_C);

	if (!literal && has_open_count(text))
		return err_set(e, -EINVAL, "Invalid regex: write {0,N} for {,N}");
	return make(text, options, ret, e);
}

int expr_words(const char *text, struct expr **ret, struct err *e)
{
	return make(text, PCRE2_CASELESS | PCRE2_LITERAL | PCRE2_MATCH_INVALID_UTF, ret,
		    e);
}

bool expr_find(const struct expr *x, const char *text, size_t len, size_t *start,
	       size_t *end)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(x->found);

	if (pcre2_match(x->code, (PCRE2_SPTR)text, len, 0, 0, x->found, x->limits) < 0)
		return false;
	*start = at[0];
	*end = at[1];
	return true;
}

int expr_matches(const struct expr *x, const char *line, size_t len, struct err *e)
{
	int r = pcre2_match(x->code, (PCRE2_SPTR)line, len, 0, 0, x->found, x->limits);

	if (r >= 0 || r == PCRE2_ERROR_NOMATCH ||
	    (r <= PCRE2_ERROR_UTF8_ERR1 && r >= PCRE2_ERROR_UTF8_ERR21))
		return r >= 0;
	if (r == PCRE2_ERROR_MATCHLIMIT || r == PCRE2_ERROR_DEPTHLIMIT ||
	    r == PCRE2_ERROR_HEAPLIMIT)
		return err_set(e, -EINVAL,
			       "Invalid regex: it tries too much on a line; write it "
			       "with fewer repetitions");
	return err_set(e, -EINVAL, "Invalid regex: it cannot be tried (PCRE2 says %d)",
		       r);
}
