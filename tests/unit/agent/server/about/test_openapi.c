#include "agent/server/about/openapi.h"

#include "agent/server/about/about.h"
#include "agent/server/files/files.h"
#include "agent/server/jupyter/jupyter.h"
#include "agent/server/mcp/mcp.h"
#include "agent/server/page/page.h"
#include "agent/server/run/run.h"
#include "agent/server/v1/rest.h"
#include "tests/unit/unit.h"

static const struct route_table *const all[] = { &about_routes, &execute_routes,
						 &files_routes, &terminal_routes };

static void every_operation_is_described(void)
{
	_cleanup_json_ struct json *doc = NULL;
	struct err e = ERR_NONE;
	size_t operations = 0, named = 0;

	for (size_t t = 0; t < ARRAY_SIZE(all); t++) {
		json_free(&doc);
		doc = NULL;
		assert_int_equal(openapi_document(all[t], 1, "1", &doc, &e), 0);
		json_each(path, json_get(doc, "paths")) operations += json_len(path);
		for (size_t i = 0; i < all[t]->count; i++)
			named += all[t]->rows[i].operation != NULL;
	}
	assert_true(named > 10);
	assert_int_equal(operations, named);
}

/* Each "{name}" of a path is a parameter of it. */
static void parameters_are_those_of_the_path(void)
{
	_cleanup_json_ struct json *doc = NULL;
	struct err e = ERR_NONE;
	const struct json *op;

	assert_int_equal(openapi_document(&execute_routes, 1, "1.2", &doc, &e), 0);
	assert_string_equal(json_get_str(json_get(doc, "info"), "version"), "1.2");
	op = json_get(json_get(json_get(doc, "paths"), "/execute/{id}/status"), "get");
	assert_string_equal(json_get_str(op, "operationId"), "get_process_status");
	op = json_first(json_get(op, "parameters"));
	assert_string_equal(json_get_str(op, "name"), "id");
	assert_string_equal(json_get_str(op, "in"), "path");
	assert_true(json_get_bool(op, "required", false));
	op = json_get(json_get(json_get(doc, "paths"), "/execute"), "post");
	op = json_get(json_get(json_get(op, "requestBody"), "content"),
		      "application/json");
	op = json_get(op, "schema");
	assert_string_equal(json_str(json_first(json_get(op, "required"))), "command");
	assert_string_equal(
		json_get_str(json_get(json_get(op, "properties"), "env"), "type"),
		"object");
}

/* Of cubby's own: all of them, and no description is left over. */
static void the_own_are_described(void)
{
	_cleanup_json_ struct json *doc = NULL, *model = NULL;
	struct err e = ERR_NONE;
	size_t operations = 0;

	unit_ok(openapi_own(&rest_routes, "1", &doc, &e), &e);
	json_each(path, json_get(doc, "paths")) operations += json_len(path);
	assert_int_equal(operations, rest_routes.count - 1); /* but for itself */
	unit_ok(openapi_document(&rest_routes, 1, "1", &model, &e), &e);
	assert_int_equal(json_len(json_get(model, "paths")), 0);
}

static int nothing(struct exchange *, struct err *)
{
	return 0;
}

static void what_is_not_described_is_found(void)
{
	static const struct route row = { "GET", "/x", nothing,
					  .operation = "no_such" };
	const struct route_table table = { &row, 1 };
	struct json *doc = NULL;
	struct err e = ERR_NONE;

	assert_int_equal(openapi_document(&table, 1, "1", &doc, &e), -EINVAL);
	unit_err(&e, -EINVAL, "the operation 'no_such' is not described");
}

static const struct unit_case cases[] = {
	{ "every operation is described", every_operation_is_described },
	{ "the own are described", the_own_are_described },
	{ "parameters are those of the path", parameters_are_those_of_the_path },
	{ "what is not described is found", what_is_not_described_is_found },
};

int main(void)
{
	return unit_cases("openapi", cases);
}
