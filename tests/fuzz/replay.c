/* replay - runs one fuzzer's function without libFuzzer: each input of its corpus, then a
 * number of mutants of them that the seed decides. No second build of the product with
 * another compiler is needed for it; what coverage leads to is for `make check-long`.
 *
 * usage: fuzz_NAME RUNS SEED FINDS CORPUS
 *   RUNS     mutants to make
 *   FINDS    prefix of the file in which an input that failed is kept
 * Status 0 if nothing failed; else what the sanitizers, assert() or the clock end with. */
#include <dirent.h>
#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/def.h"

enum {
	INPUT_MAX = 1 << 20,  /* bytes of an input of the corpus */
	MUTANT_MAX = 1 << 13, /* bytes of a mutant, unless its parent is longer */
	SECONDS_MOST = 60,    /* of one input */
	STEPS_MOST = 5,	      /* changes from a parent to its mutant */
	CHUNK_MOST = 64,      /* bytes that are copied, put in or taken out at once */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

/* What libFuzzer refuses, too. */
const char *__asan_default_options(void)
{
	return "hard_rss_limit_mb=1024:max_allocation_size_mb=1024";
}

/* gcc's is a library apart, that does not know the other's callback: it says it by SIGABRT. */
const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

struct input {
	uint8_t *data;
	size_t len;
};

/* What fails ends the process from within: its input is found here. */
static struct {
	const char *finds;
	struct input now;
} at;

static void keep_find(void)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%sreplay-%d", at.finds, (int)getpid());
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, at.now.data, at.now.len) != (ssize_t)at.now.len)
		fprintf(stderr, "the input could not be kept in %s\n", path);
	else
		fprintf(stderr, "the input is kept in %s\n", path);
	if (fd >= 0)
		close(fd);
}

static void on_signal(int sig)
{
	if (sig == SIGALRM)
		fprintf(stderr, "an input took longer than %d s\n", SECONDS_MOST);
	keep_find();
	_exit(1);
}

/* Exactly as long as the input, so that the sanitizer sees the first byte beyond it. */
static void try_one(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len ?: 1);

	if (!copy)
		abort();
	memcpy(copy, data, len);
	at.now = (struct input){ copy, len };
	alarm(SECONDS_MOST);
	(void)LLVMFuzzerTestOneInput(copy, len);
	alarm(0);
	at.now = (struct input){ NULL, 0 };
	free(copy);
}

/* ---- mutants ------------------------------------------------------------------------ */
static uint64_t number(uint64_t *state, uint64_t below) /* splitmix64 */
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return below ? (z ^ (z >> 31)) % below : 0;
}

struct mutant {
	uint8_t *data;
	size_t len, max;
	uint64_t *state;
};

static void put_in(struct mutant *m, const uint8_t *from, size_t len)
{
	size_t where = number(m->state, m->len + 1);

	len = MIN(len, m->max - m->len);
	memmove(m->data + where + len, m->data + where, m->len - where);
	memcpy(m->data + where, from, len);
	m->len += len;
}

static void write_over(struct mutant *m, const uint8_t *from, size_t len)
{
	size_t where = number(m->state, m->len);

	memcpy(m->data + where, from, MIN(len, m->len - where));
}

static void take_out(struct mutant *m)
{
	size_t where = number(m->state, m->len);
	size_t len = 1 + number(m->state, MIN(m->len - where, (size_t)CHUNK_MOST));

	len = MIN(len, m->len - where);
	memmove(m->data + where, m->data + where + len, m->len - where - len);
	m->len -= len;
}

/* A part of another input, or of the parent itself. */
static size_t part_of(struct mutant *m, const struct input *from, const uint8_t **ret)
{
	size_t where = number(m->state, from->len);

	*ret = from->data + where;
	return MIN(from->len - where, 1 + number(m->state, CHUNK_MOST));
}

static void step(struct mutant *m, const struct input *other)
{
	static const char *const values[] = {
		"-1",	      "0",     "18446744073709551616",
		"4294967295", "\n",    "\r\n",
		"\r\n\r\n",   "\"",    "\\",
		"{",	      "[",     "}",
		"]",	      ":",     ",",
		"..",	      "/",     "%00",
		"\xff",	      "\x1b[", "\xc0\x80",
	};
	static const uint8_t numbers[][4] = {
		{ 0 },
		{ 0xff, 0xff, 0xff, 0xff },
		{ 0x7f, 0xff, 0xff, 0xff },
		{ 0x80 },
		{ 0xff, 0xff, 0xff, 0x7f },
		{ 0, 0, 0, 0x80 },
		{ 0x40, 0, 0, 0 },
		{ 0, 0, 0, 1 },
		{ 0, 1, 0, 0 },
	};
	size_t i, len;
	const uint8_t *part;
	uint8_t byte;

	switch (m->len ? number(m->state, 9) : 1) {
	case 0:
		m->data[number(m->state, m->len)] ^=
			(uint8_t)(1 << number(m->state, 8));
		return;
	case 1:
		byte = (uint8_t)number(m->state, 256);
		put_in(m, &byte, 1);
		return;
	case 2:
		m->data[number(m->state, m->len)] = (uint8_t)number(m->state, 256);
		return;
	case 3:
		take_out(m);
		return;
	case 4:
		i = number(m->state, ARRAY_SIZE(values));
		put_in(m, (const uint8_t *)values[i], strlen(values[i]));
		return;
	case 5:
		i = number(m->state, ARRAY_SIZE(numbers));
		write_over(m, numbers[i], (size_t)1 << number(m->state, 3));
		return;
	case 6:
		m->len = number(m->state, m->len);
		return;
	case 7:
		len = part_of(m, other, &part);
		put_in(m, part, len);
		return;
	default:
		len = part_of(m, other, &part);
		write_over(m, part, len);
	}
}

static void try_mutant(const struct input *inputs, size_t n, uint64_t *state)
{
	const struct input *parent = &inputs[number(state, n)];
	struct mutant m = { .max = MAX(parent->len, (size_t)MUTANT_MAX),
			    .state = state };

	m.data = malloc(m.max);
	if (!m.data)
		abort();
	memcpy(m.data, parent->data, parent->len);
	m.len = parent->len;
	for (uint64_t steps = 1 + number(state, STEPS_MOST); steps; steps--)
		step(&m, &inputs[number(state, n)]);
	try_one(m.data, m.len);
	free(m.data);
}

/* ---- the corpus --------------------------------------------------------------------- */
static int no_dot(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static struct input read_input(int dir, const char *name)
{
	struct input in = { malloc(INPUT_MAX), 0 };
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = in.data && fd >= 0 ? 1 : -1;

	while (n > 0) {
		n = read(fd, in.data + in.len, INPUT_MAX - in.len);
		in.len += n > 0 ? (size_t)n : 0;
	}
	if (n < 0 || in.len == INPUT_MAX) {
		fprintf(stderr, "input '%s' cannot be read, or is not below %d bytes\n",
			name, INPUT_MAX);
		exit(1);
	}
	close(fd);
	return in;
}

int main(int argc, char **argv)
{
	struct dirent **names = NULL;
	struct input *inputs;
	uint64_t state;
	int n, dir;

	if (argc != 5) {
		fprintf(stderr, "usage: %s RUNS SEED FINDS CORPUS\n", argv[0]);
		return 2;
	}
	at.finds = argv[3];
	state = strtoull(argv[2], NULL, 10);
	dir = open(argv[4], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	n = scandir(argv[4], &names, no_dot, alphasort);
	if (dir < 0 || n <= 0) {
		fprintf(stderr, "no corpus in %s\n", argv[4]);
		return 1;
	}
	signal(SIGALRM, on_signal);
	signal(SIGABRT, on_signal);
	__sanitizer_set_death_callback(keep_find);
	inputs = calloc((size_t)n, sizeof(*inputs));
	for (int i = 0; i < n; i++) {
		inputs[i] = read_input(dir, names[i]->d_name);
		try_one(inputs[i].data, inputs[i].len);
		free(names[i]);
	}
	for (unsigned long runs = strtoul(argv[1], NULL, 10); runs; runs--)
		try_mutant(inputs, (size_t)n, &state);
	for (int i = 0; i < n; i++)
		free(inputs[i].data);
	free(inputs);
	free(names);
	close(dir);
	printf("%d inputs and %s mutants, seed %s\n", n, argv[1], argv[2]);
	return 0;
}
