#include "runtime/box/wish.h"

#include <string.h>

#include "tests/unit/unit.h"

static struct wire_wish of(const struct box_open *o)
{
	struct err e = ERR_NONE;
	struct wire_wish w;

	unit_ok(wish_make(o, &w, &e), &e);
	return w;
}

static void tells_specs_apart(void)
{
	_cleanup_spec_ struct spec s = SPEC_NONE;
	struct box_open o = { .spec = &s, .linger_ms = 7 };
	uint64_t sign;

	strcpy(s.project, "/p");
	sign = of(&o).sign;
	assert_int_equal(of(&o).linger_ms, 7);
	o.linger_ms = 8;
	assert_true(of(&o).sign == sign);
	s.limits.memory_bytes++;
	assert_true(of(&o).sign != sign);
}

static void a_visitor_wants_nothing(void)
{
	struct wire_wish w =
		of(&(struct box_open){ .join_only = true, .linger_ms = 7 });

	assert_true(w.visit && !w.linger_ms && !w.sign);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "tells specs apart", tells_specs_apart },
		{ "a visitor wants nothing", a_visitor_wants_nothing },
	};

	return unit_cases("wish", cases);
}
