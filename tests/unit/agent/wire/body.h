/* wire_body - the body that a wire makes of one and the same history.
 * Needs:  model/impl.h.
 * Owns:   nothing.
 * Never:  talks to anybody. */
#ifndef TESTS_UNIT_AGENT_WIRE_BODY_H
#define TESTS_UNIT_AGENT_WIRE_BODY_H

#include <stdlib.h>
#include <string.h>

#include "agent/model/impl.h"
#include "tests/unit/unit.h"

static const struct tool wire_tools[] = {
	{ "shell", "runs \"it\"", "{\"type\":\"object\"}", NULL, NULL, NULL, false },
	{ "finish", "ends", "{\"type\":\"object\"}", NULL, NULL, NULL, false },
};

static inline void wire_turn(struct history *h, unsigned round, const char *message)
{
	_cleanup_json_ struct json *j = unit_json(message);
	struct err e = ERR_NONE;

	unit_ok(history_add_turn(h, round, j, &e), &e);
}

static inline void wire_result(struct history *h, const char *id, const char *text,
			       bool error)
{
	struct history_result r = {
		.id = id, .tool = "shell", .text = text, .error = error
	};
	struct err e = ERR_NONE;

	unit_ok(history_add_result(h, 1, &r, &e), &e);
}

static inline void wire_picture_of(struct history *h)
{
	struct err e = ERR_NONE;

	unit_ok(history_add_picture(h, 1, "a.png: PNG", "image/png", "QUJD", &e), &e);
}

/* Checks that the body of @conf for @h, taken apart again, has @want as @member. */
static inline void wire_check(struct model *m, struct history *h, bool no_calls,
			      const char *member, const char *want)
{
	_cleanup_buf_ struct buf body = BUF_INIT(1 << 20), part = BUF_INIT(1 << 20);
	_cleanup_json_ struct json *j = NULL;
	struct model_request req = { .what.history = h,
				     .what.tools = wire_tools,
				     .what.n_tools = ARRAY_SIZE(wire_tools),
				     .what.no_calls = no_calls };
	struct err e = ERR_NONE;

	unit_ok(model_body(m, &req, &body, &e), &e);
	unit_ok(json_parse(body.data, body.len, &j, &e), &e);
	if (json_get(j, member))
		assert_int_equal(json_print(json_get(j, member), false, &part), 0);
	assert_string_equal(buf_cstr(&part), want);
}

static inline struct model *wire_model(const char *provider, const char *url)
{
	struct model_conf conf = { .provider = provider,
				   .name = "m",
				   .url = url,
				   .key = "k",
				   .replay_fd = -1,
				   .abort_fd = -1 };
	struct model *m = NULL;
	struct err e = ERR_NONE;

	unit_ok(model_new(&conf, &m, &e), &e);
	return m;
}

static inline void wire_url(const char *provider, const char *base, const char *want)
{
	_cleanup_model_ struct model *m = wire_model(provider, base);
	_cleanup_buf_ struct buf out = BUF_INIT(1000);

	assert_int_equal(m->wire->url(&m->to, &out), 0);
	assert_string_equal(buf_cstr(&out), want);
}

#endif
