#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run/pump.h"

enum { BIG = 3 << 20 };

static char byte_at(size_t i)
{
	return (char)(i * 31 + (i >> 8) * 7 + (i >> 16));
}

/* A child that writes BIG bytes into a pipe; returns the end to read. */
static int start_writer(pid_t *pid)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	*pid = fork();
	if (*pid == 0) {
		FILE *f = fdopen(fds[1], "w");

		close(fds[0]);
		for (size_t i = 0; f && i < BIG; i++)
			fputc(byte_at(i), f);
		_exit(f && fclose(f) == 0 ? 0 : 1);
	}
	close(fds[1]);
	return fds[0];
}

/* A child that reads and compares; its status says whether all was right. */
static int start_reader(pid_t *pid)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	*pid = fork();
	if (*pid == 0) {
		FILE *f = fdopen(fds[0], "r");
		size_t n = 0;
		int c;

		close(fds[1]);
		while (f && (c = fgetc(f)) != EOF)
			if ((char)c != byte_at(n++))
				_exit(1);
		_exit(n == BIG ? 0 : 2);
	}
	close(fds[0]);
	return fds[1];
}

static void run(struct pump_set *p)
{
	struct pollfd fds[PUMP_POLLFDS];

	while (pump_open(p, 0) || pump_open(p, 1)) {
		unsigned n = pump_poll(p, fds);

		assert_true(poll(fds, n, 10000) > 0);
		pump_step(p, fds);
	}
}

static int status_of(pid_t pid)
{
	int st = 0;

	assert_int_equal(waitpid(pid, &st, 0), pid);
	return WIFEXITED(st) ? WEXITSTATUS(st) : -1;
}

static void copy(bool buffered)
{
	_cleanup_pump_ struct pump_set p;
	struct pump_stream *s;
	pid_t writer, reader;
	int from = start_writer(&writer), to = start_reader(&reader);

	pump_init(&p);
	s = pump_add(&p, from, to);
	assert_non_null(s);
	assert_false(s->buffered);
	s->buffered = buffered;
	s->close_from = s->close_to = true;
	run(&p);
	assert_int_equal(p.s[0].error, 0);
	assert_int_equal(p.bytes, BIG);
	assert_int_equal(status_of(writer), 0);
	assert_int_equal(status_of(reader), 0);
}

static void byte_exact_by_splice(void)
{
	copy(false);
}

static void byte_exact_by_buffer(void)
{
	copy(true);
}

/* splice refuses such a file: the pump must notice in the middle of its work. */
static void into_a_file_opened_for_appending(void)
{
	_cleanup_pump_ struct pump_set p;
	struct pump_stream *s;
	pid_t writer;
	char path[256];
	int from = start_writer(&writer), to;
	struct pump_stream *again;
	FILE *f;
	size_t n = 0;
	int c;

	snprintf(path, sizeof(path), "%s/out", unit_tmpdir());
	to = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	pump_init(&p);
	s = pump_add(&p, from, to);
	assert_non_null(s);
	s->close_from = s->close_to = true;
	run(&p);
	again = &p.s[0];
	assert_true(again->buffered);
	assert_int_equal(status_of(writer), 0);
	f = fopen(path, "r");
	while ((c = fgetc(f)) != EOF)
		assert_int_equal((char)c, byte_at(n++));
	assert_int_equal(n, BIG);
	fclose(f);
}

static void from_a_file_into_a_full_pipe(void)
{
	_cleanup_pump_ struct pump_set p;
	struct pump_stream *s;
	char path[256];
	pid_t reader;
	int to = start_reader(&reader);
	FILE *f;

	snprintf(path, sizeof(path), "%s/in", unit_tmpdir());
	f = fopen(path, "w");
	for (size_t i = 0; i < BIG; i++)
		fputc(byte_at(i), f);
	fclose(f);
	pump_init(&p);
	s = pump_add(&p, open(path, O_RDONLY | O_CLOEXEC), to);
	s->close_from = s->close_to = true;
	run(&p);
	assert_int_equal(status_of(reader), 0);
}

static void a_reader_that_goes_ends_it(void)
{
	_cleanup_pump_ struct pump_set p;
	struct pump_stream *s;
	int in[2], out[2];

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	close(out[0]);
	pump_init(&p);
	s = pump_add(&p, in[0], out[1]);
	s->close_from = s->close_to = true;
	run(&p); /* nothing was written into @in: the loss is noticed all the same */
	assert_int_equal(p.s[0].error, -EPIPE);
	close(in[1]);
}

static void a_full_disk_is_kept_as_error(void)
{
	_cleanup_pump_ struct pump_set p;
	struct pump_stream *s;
	int in[2];

	assert_int_equal(pipe(in), 0);
	assert_int_equal(write(in[1], "x", 1), 1);
	pump_init(&p);
	s = pump_add(&p, in[0], open("/dev/full", O_WRONLY | O_CLOEXEC));
	s->close_from = s->close_to = true;
	run(&p);
	assert_int_equal(p.s[0].error, -ENOSPC);
	close(in[1]);
}

static void no_more_than_three(void)
{
	_cleanup_pump_ struct pump_set p;

	pump_init(&p);
	for (int i = 0; i < PUMP_STREAMS; i++)
		assert_non_null(pump_add(&p, 0, 1));
	assert_null(pump_add(&p, 0, 1));
}

static int doubled(void *ctx, const char *in, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++)
		if (buf_addf(out, "%c%c", in[i], in[i]) < 0)
			return -ENOMEM;
	return *(int *)ctx;
}

/* What is read counts, so that what a process owes is paid when it is read. */
static void a_filter_stands_between(void)
{
	_cleanup_pump_ struct pump_set p;
	int in[2], out[2], ret = 0;
	struct pump_stream *s;
	char got[16] = "";

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	pump_init(&p);
	s = pump_add(&p, in[0], out[1]);
	assert_non_null(s);
	s->close_from = s->close_to = true;
	pump_filter(s, doubled, &ret);
	assert_int_equal(write(in[1], "abc", 3), 3);
	close(in[1]);
	run(&p);
	assert_int_equal(read(out[0], got, sizeof(got)), 6);
	assert_string_equal(got, "aabbcc");
	assert_int_equal(p.bytes, 3);
	assert_null(p.midway);
	close(out[0]);
}

static void a_filter_that_fails_ends_its_stream(void)
{
	_cleanup_pump_ struct pump_set p;
	int in[2], out[2], ret = -EIO;
	struct pump_stream *s;

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	pump_init(&p);
	s = pump_add(&p, in[0], out[1]);
	assert_non_null(s);
	s->close_from = s->close_to = true;
	pump_filter(s, doubled, &ret);
	assert_int_equal(write(in[1], "abc", 3), 3);
	close(in[1]);
	run(&p);
	assert_int_equal(p.s[0].error, -EIO);
	close(out[0]);
}

/* Two streams to one place: what was made of one piece is written whole. */
static void pieces_of_filters_do_not_mix(void)
{
	_cleanup_pump_ struct pump_set p;
	struct pollfd fds[PUMP_POLLFDS];
	static char big[PUMP_FILTER];
	int one[2], two[2], out[2], ret = 0;
	struct pump_stream *s;

	assert_int_equal(pipe(one), 0);
	assert_int_equal(pipe(two), 0);
	assert_int_equal(pipe(out), 0);
	pump_init(&p);
	for (int i = 0; i < 2; i++) {
		s = pump_add(&p, i ? two[0] : one[0], out[1]);
		assert_non_null(s);
		pump_filter(s, doubled, &ret);
	}
	memset(big, 'x', sizeof(big));
	assert_int_equal(write(one[1], big, sizeof(big)), sizeof(big));
	assert_int_equal(write(two[1], "y", 1), 1);
	for (size_t n = 0; n < 2 * sizeof(big); n += 4096) {
		char got[4096];

		assert_int_equal(poll(fds, pump_poll(&p, fds), 1000) >= 0, 1);
		pump_step(&p, fds);
		if (!n) { /* read; the first piece is written in the next step */
			assert_ptr_equal(p.midway, &p.s[0]);
			assert_int_equal(poll(fds, pump_poll(&p, fds), 1000) >= 0, 1);
			pump_step(&p, fds);
		}
		assert_int_equal(read(out[0], got, sizeof(got)), sizeof(got));
		assert_null(memchr(got, 'y', sizeof(got)));
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(poll(fds, pump_poll(&p, fds), 1000) > 0, 1);
		pump_step(&p, fds);
	}
	assert_int_equal(read(out[0], big, sizeof(big)), 2);
	assert_memory_equal(big, "yy", 2);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a filter stands between", a_filter_stands_between },
		{ "a filter that fails ends its stream",
		  a_filter_that_fails_ends_its_stream },
		{ "pieces of filters do not mix", pieces_of_filters_do_not_mix },
		{ "byte exact by splice", byte_exact_by_splice },
		{ "byte exact by buffer", byte_exact_by_buffer },
		{ "into a file opened for appending",
		  into_a_file_opened_for_appending },
		{ "from a file into a full pipe", from_a_file_into_a_full_pipe },
		{ "a reader that goes ends it", a_reader_that_goes_ends_it },
		{ "a full disk is kept as error", a_full_disk_is_kept_as_error },
		{ "no more than three", no_more_than_three },
	};

	return unit_cases("pump", cases);
}
