#include "tests/unit/unit.h"

#include "cli/project/boxguess.h"

static const struct row {
	const char *name;
	int (*read)(const char *text, size_t len, struct boxguess *g, struct err *e);
	const char *text, *box, *left;
} rows[] = {
	{ "packages out of a RUN", boxguess_dockerfile,
	  "# syntax=docker/dockerfile:1\n"
	  "FROM --platform=linux/amd64 debian:12 AS base\n"
	  "RUN apt-get update && \\\n"
	  "  # what it needs\n"
	  "  apt-get install -y --no-install-recommends git curl=7.* \\\n"
	  "    make && rm -rf /var/lib/apt/lists/*\n",
	  "{\"image\":\"debian:12\",\"setup\":[\"apt-get install -y "
	  "--no-install-recommends git curl=7.*  make\"]}",
	  "" },
	{ "packages", boxguess_dockerfile,
	  "FROM debian:12\nRUN apt-get update && apt-get install -y git make && rm -rf "
	  "/var/lib/apt/lists/* && make deps && echo ok\n",
	  "{\"image\":\"debian:12\",\"packages\":{\"apt\":[\"git\",\"make\"]},"
	  "\"setup\":[\"make deps && echo ok\"]}",
	  "" },
	{ "a later stage counts", boxguess_dockerfile,
	  "FROM golang:1 AS b\nRUN go build\nFROM debian:12\nCOPY --from=b /a /a\n",
	  "{\"image\":\"debian:12\"}", "an earlier stage\nCOPY --from=b /a /a\n" },
	{ "environment and ports", boxguess_dockerfile,
	  "FROM x\nENV A=1 B=\"two words\" C=$HOME\nENV OLD its value\n"
	  "EXPOSE 80/tcp 8080 nonsense\n",
	  "{\"image\":\"x\",\"env\":{\"A\":\"1\",\"B\":\"two words\",\"OLD\":\"its "
	  "value\"},\"publish\":[\"0:80\",\"8080:8080\"]}",
	  "environment C\nport nonsense\n" },
	{ "what is not understood is said", boxguess_dockerfile,
	  "FROM $BASE\nRUN [\"make\", \"all\"]\nRUN --mount=type=cache,target=/c make\n"
	  "RUN <<EOF\nUSER me\nLABEL a=b\nSTOPSIGNAL SIGINT\n",
	  "{\"setup\":[\"make\"]}",
	  "FROM $BASE\nRUN [\"make\", \"all\"]\nRUN <<EOF\nUSER me\nSTOPSIGNAL "
	  "SIGINT\n" },
	{ "no image", boxguess_dockerfile, "FROM scratch\nCOPY a /\n", "{}",
	  "FROM scratch\nCOPY a /\n" },
	{ "a line that never ends", boxguess_dockerfile, "FROM x\nRUN a \\\n  b \\",
	  "{\"image\":\"x\",\"setup\":[\"a  b\"]}", "" },
	{ "nothing", boxguess_dockerfile, "", "{}", "" },
	{ "a devcontainer with comments", boxguess_devcontainer,
	  "{ // the image\n \"image\": \"debian:12\", /* ports */ \"forwardPorts\": "
	  "[3000, "
	  "\"80\", \"db:5432\",],\n \"containerEnv\": {\"A\": \"//no\", \"B\": "
	  "\"${localEnv:B}\"},\n"
	  " \"postCreateCommand\": \"npm ci\", \"features\": {}, \"name\": \"x\", }",
	  "{\"image\":\"debian:12\",\"publish\":[\"3000:3000\",\"0:80\"],\"env\":{"
	  "\"A\":"
	  "\"//no\"},\"setup\":[\"npm ci\"]}",
	  "port db:5432\nenvironment B\nfeatures\n" },
	{ "what a build is told", boxguess_devcontainer,
	  "{\"build\": {\"dockerfile\": \"Dockerfile\", \"context\": \"..\", \"args\": "
	  "{\"VARIANT\": \"3\", \"B\": \"\"}, \"target\": \"dev\"}}",
	  "{}", "build argument VARIANT\nbuild argument B\nbuild target\n" },
	{ "a command that is a list", boxguess_devcontainer,
	  "{\"postCreateCommand\": [\"npm\", \"ci\"]}", "{}", "postCreateCommand\n" },
};

static void test(const void *p)
{
	const struct row *row = p;
	_cleanup_boxguess_ struct boxguess g;
	_cleanup_buf_ struct buf b = BUF_INIT(4096);
	struct err e = ERR_NONE;

	assert_int_equal(boxguess_init(&g), 0);
	unit_ok(row->read(row->text, strlen(row->text), &g, &e), &e);
	assert_int_equal(json_print(g.box, false, &b), 0);
	assert_string_equal(buf_cstr(&b), row->box);
	assert_string_equal(buf_cstr(&g.left), row->left);
}

static void refused(void)
{
	_cleanup_boxguess_ struct boxguess g;
	struct err e = ERR_NONE;

	assert_int_equal(boxguess_init(&g), 0);
	assert_int_equal(boxguess_devcontainer("[]", 2, &g, &e), -EINVAL);
	unit_err(&e, -EINVAL, "it is no object");
	e = ERR_NONE;
	assert_int_equal(boxguess_dockerfile("a\0b", 3, &g, &e), -EMSGSIZE);
}

static void a_dockerfile_is_named(void)
{
	static const char text[] = "{\"build\": {\"dockerfile\": \"Dockerfile\"}}";
	_cleanup_boxguess_ struct boxguess g;
	struct err e = ERR_NONE;

	assert_int_equal(boxguess_init(&g), 0);
	unit_ok(boxguess_devcontainer(text, strlen(text), &g, &e), &e);
	assert_string_equal(g.dockerfile, "Dockerfile");
}

static void files_that_are_there(void)
{
	_cleanup_boxguess_ struct boxguess g;
	_cleanup_buf_ struct buf b = BUF_INIT(4096);

	assert_int_equal(boxguess_init(&g), 0);
	assert_int_equal(boxguess_file("Makefile", &g), 0);
	assert_int_equal(boxguess_file("CMakeLists.txt", &g), 0);
	assert_int_equal(boxguess_file("package.json", &g), 0);
	assert_int_equal(boxguess_file("README.md", &g), 0);
	assert_int_equal(json_print(g.box, false, &b), 0);
	assert_string_equal(
		buf_cstr(&b),
		"{\"packages\":{\"apt\":[\"build-essential\",\"cmake\","
		"\"nodejs\",\"npm\"]},\"setup\":[\"npm install\"],\"caches\":["
		"\"npm\"]}");
}

static void locks_say_how(void)
{
	static const struct {
		const char *names[4], *box, *left;
	} of[] = {
		{ { "package-lock.json", "package.json" },
		  "{\"setup\":[{\"run\":\"npm ci\",\"files\":[\"package-lock.json\"]}],"
		  "\"caches\":[\"npm\"],\"packages\":{\"apt\":[\"nodejs\",\"npm\"]}}",
		  "" },
		{ { "pnpm-lock.yaml", "yarn.lock", "package.json" },
		  "{\"setup\":[{\"run\":\"pnpm install --frozen-lockfile\",\"files\":"
		  "[\"pnpm-lock.yaml\"]}],\"packages\":{\"npm\":[\"pnpm\"],\"apt\":["
		  "\"nodejs\",\"npm\"]}}",
		  "another lock of the same yarn.lock\n" },
		{ { "uv.lock", "pyproject.toml" },
		  "{\"setup\":[{\"run\":\"uv sync --frozen\",\"files\":[\"uv.lock\"]}],"
		  "\"packages\":{\"pip\":[\"uv\"],\"apt\":[\"python3\",\"python3-pip\"]},"
		  "\"caches\":[\"uv\"]}",
		  "" },
		{ { "poetry.lock", "pyproject.toml" },
		  "{\"setup\":[{\"run\":\"poetry install\",\"files\":[\"poetry.lock\"]}],"
		  "\"packages\":{\"apt\":[\"python3-poetry\",\"python3\",\"python3-pip\"]}"
		  "}",
		  "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		_cleanup_boxguess_ struct boxguess g;
		_cleanup_buf_ struct buf b = BUF_INIT(4096);

		assert_int_equal(boxguess_init(&g), 0);
		for (const char *const *n = of[i].names; *n; n++)
			assert_int_equal(boxguess_file(*n, &g), 0);
		assert_int_equal(json_print(g.box, false, &b), 0);
		assert_string_equal(buf_cstr(&b), of[i].box);
		assert_string_equal(buf_cstr(&g.left), of[i].left);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "refused", refused },
		{ "a Dockerfile is named", a_dockerfile_is_named },
		{ "files that are there", files_that_are_there },
		{ "locks say how", locks_say_how },
	};

	return unit_rows("boxguess", rows, test) + unit_cases("boxguess_texts", cases);
}
