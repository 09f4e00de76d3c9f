#include "rootfs/image/pull.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "rootfs/image/source_ubuntu.h"
#include "rootfs/store/staging.h"
#include "rootfs/store/tree.h"
#include "tests/unit/tarmake.h"
#include "tests/unit/unit.h"

/* ---- a store, and somebody who unpacks without a helper ------------------------------- */

struct world {
	struct store store;
	struct pull_conf conf;
	struct buf notes;
	int fail; /* what unpacking is to fail with */
};

static int fake_unpack(void *ctx, const struct pull_unpack *u, struct json **ret,
		       struct err *e)
{
	struct world *w = ctx;
	char first[8] = "";

	assert_int_equal(sys_mkdirat(u->dir, "rootfs", 0755), 0);
	assert_int_equal(sys_mkdirat(u->dir, "rootfs/made", 0755), 0);
	if (u->kind != PULL_COPY)
		assert_true(sys_read(u->in, first, sizeof(first)) > 0);
	if (u->tick(u->tick_ctx) < 0)
		return err_set(e, -ECANCELED, "interrupted");
	if (w->fail)
		return err_sys(e, w->fail, "cannot write 'made'");
	*ret = json_object();
	return json_set_int(*ret, "bytes", 4711);
}

static int remove_tree(void *, int parent, const char *name, struct err *e)
{
	return tree_remove(parent, name, e);
}

static void on_note(void *ctx, const char *line)
{
	assert_int_equal(buf_adds(ctx, line), 0);
}

static int open_plain(const char *path, int flags, struct err *e)
{
	int fd = sys_open(path, flags);

	return fd < 0 ? err_sys(e, fd, "cannot open '%s'", path) : fd;
}

static void begin(struct world *w, const struct json *idmap)
{
	struct err e = ERR_NONE;

	*w = (struct world){ .notes = BUF_INIT(4096) };
	setenv("XDG_DATA_HOME", unit_tmpdir(), 1);
	unit_ok(store_open(&w->store, &e), &e);
	w->conf = (struct pull_conf){ .store = &w->store,
				      .map = "single",
				      .idmap = idmap,
				      .unpack = fake_unpack,
				      .open = open_plain,
				      .rm = remove_tree,
				      .runtime = w,
				      .note = on_note,
				      .ctx = &w->notes,
				      .abort_fd = -1 };
}

static unsigned names_in(int dirfd)
{
	struct dirscan scan;
	unsigned n = 0;

	dirscan_start(&scan, dirfd);
	while (dirscan_next(&scan))
		n++;
	assert_int_equal(scan.failed, 0);
	return n;
}

/* Nothing may be left in tmp/, whatever happened. */
static void end(struct world *w, unsigned images)
{
	assert_int_equal(names_in(w->store.tmp), 0);
	assert_int_equal(names_in(w->store.images), images);
	store_close(&w->store);
	buf_done(&w->notes);
}

static const char *archive(const char *name)
{
	static char path[256]; /* one at a time */
	_cleanup_tarmake_ struct tarmake t = TARMAKE_NONE;
	_cleanup_close_ int fd = -1;
	struct err e;

	tarmake_file(&t, "f", name);
	tarmake_end(&t);
	snprintf(path, sizeof(path), "%s/%s", unit_tmpdir(), name);
	fd = sys_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	unit_ok(file_write_fd(fd, t.out.data, t.out.len, &e), &e);
	return path;
}

/* ---- files and directories ------------------------------------------------------------ */

static void a_tarball_becomes_an_image(void)
{
	_cleanup_json_ struct json *idmap = json_object();
	struct err e = ERR_NONE;
	struct image i, again;
	struct world w;

	begin(&w, idmap);
	unit_ok(pull_image(&w.conf, archive("my root.tar"), &i, &e), &e);
	assert_string_equal(i.name, "my-root");
	assert_string_equal(i.map, "single");
	assert_int_equal(i.size, 4711);
	assert_non_null(strstr(i.dir, ".single"));
	unit_ok(image_find(&w.store, "my-root", "single", &again, &e), &e);
	assert_string_equal(again.dir, i.dir);
	i.digest[10] = '\0';
	unit_ok(image_find(&w.store, i.digest, NULL, &again, &e), &e);
	end(&w, 1);
}

static void the_same_bytes_are_unpacked_once(void)
{
	_cleanup_json_ struct json *idmap = json_object();
	struct err e = ERR_NONE;
	struct image i;
	struct world w;

	begin(&w, idmap);
	unit_ok(pull_image(&w.conf, archive("a.tar"), &i, &e), &e);
	w.fail = -EIO; /* it is not asked */
	unit_ok(pull_image(&w.conf, archive("a.tar"), &i, &e), &e);
	end(&w, 1);
}

static void a_failure_leaves_nothing(void)
{
	_cleanup_json_ struct json *idmap = json_object();
	char want[512];
	struct err e = ERR_NONE;
	struct image i;
	struct world w;

	begin(&w, idmap);
	w.fail = -ENOSPC;
	assert_int_equal(pull_image(&w.conf, archive("a.tar"), &i, &e), -ENOSPC);
	snprintf(want, sizeof(want),
		 "'%s': cannot write 'made': No space left on device",
		 archive("a.tar"));
	unit_err(&e, -ENOSPC, want);
	end(&w, 0);
}

static void a_directory_becomes_an_image(void)
{
	_cleanup_json_ struct json *idmap = json_object();
	char path[256];
	struct err e = ERR_NONE;
	struct image i;
	struct world w;

	begin(&w, idmap);
	snprintf(path, sizeof(path), "%s/tree", unit_tmpdir());
	assert_int_equal(sys_mkdirat(AT_FDCWD, path, 0755), 0);
	unit_ok(pull_image(&w.conf, path, &i, &e), &e);
	assert_string_equal(i.name, "tree");
	assert_string_equal(i.source, path);
	end(&w, 1);
}

static void interrupted(void)
{
	_cleanup_json_ struct json *idmap = json_object();
	struct err e = ERR_NONE;
	struct image i;
	struct world w;
	int fds[2];

	begin(&w, idmap);
	assert_int_equal(sys_pipe2(fds, 0), 0);
	close(fds[1]); /* readable: its end */
	w.conf.abort_fd = fds[0];
	assert_int_equal(pull_image(&w.conf, archive("a.tar"), &i, &e), -ECANCELED);
	close(fds[0]);
	end(&w, 0);
}

/* A process that is gone held the lock of what it left in tmp/. */
static void leftovers_are_cleaned(void)
{
	_cleanup_json_ struct json *idmap = json_object();
	struct err e = ERR_NONE;
	struct world w;

	begin(&w, idmap);
	assert_int_equal(sys_mkdirat(w.store.tmp, "pull-1", 0700), 0);
	assert_int_equal(sys_mkdirat(w.store.tmp, "pull-1/image", 0700), 0);
	assert_int_equal(sys_mkdirat(w.store.tmp, "dead-2", 0700), 0);
	assert_int_equal(staging_clean(&w.store, w.conf.rm, w.conf.runtime, &e), 2);
	end(&w, 0);
}

static void what_is_being_made_is_left_alone(void)
{
	_cleanup_json_ struct json *idmap = json_object();
	_cleanup_close_ int dir = -1;
	_cleanup_close_ int lock = -1;
	struct err e = ERR_NONE;
	struct world w;

	begin(&w, idmap);
	assert_int_equal(sys_mkdirat(w.store.tmp, "pull-1", 0700), 0);
	dir = sys_openat(w.store.tmp, "pull-1", O_RDONLY | O_DIRECTORY, 0);
	lock = file_lock(dir, "lock", false, &e);
	assert_int_equal(staging_clean(&w.store, w.conf.rm, w.conf.runtime, &e), 0);
	assert_int_equal(names_in(w.store.tmp), 1);
	unit_ok(tree_remove(w.store.tmp, "pull-1", &e), &e);
	end(&w, 0);
}

/* ---- the network ---------------------------------------------------------------------- */

struct server {
	int fd;
	pid_t pid;
	char url[64];
};

struct page {
	const char *path, *status, *body;
	size_t len;
};

static void answer(int fd, const struct page *pages, size_t n)
{
	char req[4096] = "", head[256], want[256];
	const struct page *p = NULL;
	struct err e;

	if (sys_read(fd, req, sizeof(req) - 1) <= 0)
		return;
	for (size_t i = 0; i < n; i++) {
		snprintf(want, sizeof(want), "GET %s HTTP", pages[i].path);
		if (!strncmp(req, want, strlen(want)))
			p = &pages[i];
	}
	snprintf(head, sizeof(head),
		 "HTTP/1.1 %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
		 p ? p->status : "404 Not Found", p ? p->len : 0);
	(void)file_write_fd(fd, head, strlen(head), &e);
	if (p)
		(void)file_write_fd(fd, p->body, p->len, &e);
}

static void serve(struct server *s, const struct page *pages, size_t n)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);

	s->fd = sys_socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(sys_bind(s->fd, (struct sockaddr *)&a, len), 0);
	assert_int_equal(sys_listen(s->fd, 8), 0);
	assert_int_equal(sys_getsockname(s->fd, (struct sockaddr *)&a, &len), 0);
	snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%u", ntohs(a.sin_port));
	s->pid = sys_fork();
	if (s->pid == 0) {
		sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* a test may fail */
		sys_close_range(0, 2, 0);
		for (;;) {
			int c = accept(s->fd, NULL, NULL);

			answer(c, pages, n);
			close(c);
		}
	}
}

static void stop(struct server *s)
{
	siginfo_t si;

	sys_kill(s->pid, SIGKILL);
	sys_waitid(P_PID, (id_t)s->pid, &si, WEXITED);
	close(s->fd);
}

static const char body[] = "the bytes of an archive";

static void pull_ubuntu(const char *digest, int want, const char *msg, unsigned images)
{
	_cleanup_json_ struct json *idmap = json_object();
	char sums[512], file[96], path[128];
	struct page pages[2];
	struct err e = ERR_NONE;
	struct server srv;
	struct image i;
	struct world w;

	if (!source_ubuntu_arch())
		unit_skip("Ubuntu has no images for this machine");
	snprintf(file, sizeof(file), "ubuntu-base-24.04.3-base-%s.tar.gz",
		 source_ubuntu_arch());
	snprintf(sums, sizeof(sums), "%s *%s\n", digest, file);
	snprintf(path, sizeof(path), "/24.04/release/%s", file);
	pages[0] = (struct page){ "/24.04/release/SHA256SUMS", "200 OK", sums,
				  strlen(sums) };
	pages[1] = (struct page){ path, "200 OK", body, strlen(body) };
	serve(&srv, pages, 2);
	setenv("CUBBY_UBUNTU_URL", srv.url, 1);
	begin(&w, idmap);
	assert_int_equal(pull_image(&w.conf, "ubuntu", &i, &e), want);
	if (want)
		unit_err(&e, want, msg);
	else
		assert_string_equal(i.name, "ubuntu:24.04");
	stop(&srv);
	end(&w, images);
}

static void ubuntu(void)
{
	char digest[HASH_HEX];

	hash_text(body, strlen(body), digest);
	pull_ubuntu(digest, 0, NULL, 1);
}

static void ubuntu_with_a_wrong_checksum(void)
{
	char digest[HASH_HEX], right[HASH_HEX], msg[256];

	hash_text(body, strlen(body), right);
	memset(digest, '0', HASH_HEX - 1);
	digest[HASH_HEX - 1] = '\0';
	snprintf(msg, sizeof(msg),
		 "'ubuntu-base-24.04.3-base-%s.tar.gz': SHA-256 is %.16s… and not "
		 "0000000000000000… as promised; the download was refused",
		 source_ubuntu_arch(), right);
	pull_ubuntu(digest, -EBADMSG, msg, 0);
}

static void a_url_that_is_not_there(void)
{
	_cleanup_json_ struct json *idmap = json_object();
	char url[128], msg[256];
	struct err e = ERR_NONE;
	struct server srv;
	struct image i;
	struct world w;

	serve(&srv, NULL, 0);
	begin(&w, idmap);
	snprintf(url, sizeof(url), "%s/x.tar.gz", srv.url);
	snprintf(msg, sizeof(msg), "'%s': there is no such file (404)", url);
	assert_int_equal(pull_image(&w.conf, url, &i, &e), -ENOENT);
	unit_err(&e, -ENOENT, msg);
	stop(&srv);
	end(&w, 0);
}

static void a_url(void)
{
	const struct page page = { "/some%20root.tar.gz?x=1", "200 OK", body,
				   sizeof(body) - 1 };
	_cleanup_json_ struct json *idmap = json_object();
	struct err e = ERR_NONE;
	struct server srv;
	char url[128];
	struct image i;
	struct world w;

	serve(&srv, &page, 1);
	begin(&w, idmap);
	snprintf(url, sizeof(url), "%s%s", srv.url, page.path);
	unit_ok(pull_image(&w.conf, url, &i, &e), &e);
	assert_string_equal(i.name, "some-20root");
	assert_string_equal(i.source, url);
	assert_string_equal(buf_cstr(&w.notes),
			    "the download is not verified: http, and no checksum");
	stop(&srv);
	end(&w, 1);
}

static void no_server(void)
{
	_cleanup_json_ struct json *idmap = json_object();
	struct err e = ERR_NONE;
	struct server srv;
	struct image i;
	struct world w;

	serve(&srv, NULL, 0);
	stop(&srv); /* a port where nobody listens */
	setenv("CUBBY_UBUNTU_URL", srv.url, 1);
	begin(&w, idmap);
	assert_int_equal(pull_image(&w.conf, "ubuntu:18.04", &i, &e), -ECONNREFUSED);
	assert_non_null(strstr(e.msg, "'cubby pull ")); /* another way (bootstrap.h) */
	end(&w, 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a tarball becomes an image", a_tarball_becomes_an_image },
		{ "the same bytes are unpacked once",
		  the_same_bytes_are_unpacked_once },
		{ "a failure leaves nothing", a_failure_leaves_nothing },
		{ "a directory becomes an image", a_directory_becomes_an_image },
		{ "interrupted", interrupted },
		{ "leftovers are cleaned", leftovers_are_cleaned },
		{ "what is being made is left alone",
		  what_is_being_made_is_left_alone },
		{ "ubuntu", ubuntu },
		{ "ubuntu with a wrong checksum", ubuntu_with_a_wrong_checksum },
		{ "a URL", a_url },
		{ "a URL that is not there", a_url_that_is_not_there },
		{ "no server", no_server },
	};

	return unit_cases("pull", cases);
}
