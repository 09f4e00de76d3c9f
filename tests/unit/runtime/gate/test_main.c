#include <arpa/inet.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/networld.h"
#include "tests/unit/rig.h"
#include "tests/unit/unit.h"
#include "tests/unit/upward.h"

enum { DATA_KIB = 64 << 10 }; /* of docs/network.md */

/* A figure of /proc/PID/status of the gate's process, in KiB. */
static long kib(const struct rig *r, const char *what)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 16);
	struct err e = ERR_NONE;
	const char *line;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", gate_pid(r->gate));
	unit_ok(file_read(AT_FDCWD, path, &b, &e), &e);
	line = strstr(buf_cstr(&b), what);
	assert_non_null(line);
	return strtol(line + strlen(what), NULL, 10);
}

/* What a box has open at once; inside, in a process of its own. */
struct crowd {
	struct rig_peer peer;
	int talks, questions; /* silent conversations with the DNS server; queries */
	int ready, go;	      /* says that all is there; leaves when it is told */
	pid_t pid;
};

static void ask_much(int n)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(53) };
	int fd = sys_socket(AF_INET, SOCK_DGRAM, 0);

	inet_pton(AF_INET, NETNS_GATE_ADDR, &to.sin_addr);
	for (int i = 0; i < n; i++) {
		uint8_t out[512];
		char name[128];
		struct rig_question q = { .name = name, .type = 1 };
		size_t len;

		snprintf(name, sizeof(name), "%0*d.wild.example.com", 20 + i % 40, i);
		len = rig_put_question(&q, out);
		sendto(fd, out, len, MSG_DONTWAIT, (struct sockaddr *)&to, sizeof(to));
	}
	close(fd);
}

static void talk_little(int n)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(53) };

	inet_pton(AF_INET, NETNS_GATE_ADDR, &to.sin_addr);
	for (int i = 0; i < n; i++) {
		int fd = sys_socket(AF_INET, SOCK_STREAM, 0);

		if (sys_connect(fd, (struct sockaddr *)&to, sizeof(to)) >= 0)
			(void)sys_send(fd, "\3", 1, 0); /* the rest never comes */
	}
}

static int be_crowd(void *ctx)
{
	const struct crowd *w = ctx;
	char c;

	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 4096, 4096 });
	for (int i = 0; i < w->peer.count; i++)
		if (rig_dial(&w->peer) < 0)
			return 2;
	talk_little(w->talks);
	ask_much(w->questions);
	if (sys_write(w->ready, "r", 1) != 1 || sys_read(w->go, &c, 1) != 1)
		return 3;
	return 0;
}

static void crowd_comes(struct rig *r, struct crowd *w)
{
	int ready[2], go[2];
	char c;

	assert_true(sys_pipe2(ready, 0) >= 0 && sys_pipe2(go, 0) >= 0);
	w->ready = ready[1];
	w->go = go[0];
	w->pid = fork();
	assert_true(w->pid >= 0);
	if (!w->pid)
		_exit(netbox_call(&r->box, be_crowd, w));
	close(ready[1]);
	close(go[0]);
	assert_int_equal(sys_read(ready[0], &c, 1), 1);
	close(ready[0]);
	w->go = go[1];
}

static void crowd_leaves(struct crowd *w)
{
	int status;

	assert_int_equal(sys_write(w->go, "g", 1), 1);
	close(w->go);
	assert_int_equal(waitpid(w->pid, &status, 0), w->pid);
	assert_int_equal(status, 0);
}

/* All that may be there at once stays far below what is documented. The limit of the
 * process is the documented one. */
static void memory_is_bounded(void)
{
	struct crowd w = { .peer = { "example.com", 7, 0, 2000 },
			   .talks = 64, /* twice as many as are served */
			   .questions = 20000 };
	struct rig r;
	struct rlimit l;
	long before, data, resident;
	pid_t gate;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
#ifdef __SANITIZE_ADDRESS__
	rig_close(&r);
	unit_skip("its own memory is the sanitizer's");
#endif
	if (rig_stat(&r, "most") < w.peer.count) {
		rig_close(&r);
		unit_skip("this host allows fewer descriptors");
	}
	gate = gate_pid(r.gate);
	assert_int_equal(prlimit(gate, RLIMIT_DATA, NULL, &l), 0);
	assert_int_equal(l.rlim_max, (rlim_t)DATA_KIB << 10);
	before = kib(&r, "VmData:");
	crowd_comes(&r, &w);
	for (int i = 0; i < 1500 && rig_stat(&r, "opened") < w.peer.count; i++)
		sys_poll(NULL, 0, 20);
	data = kib(&r, "VmData:");
	resident = kib(&r, "VmHWM:");
	printf("# with %d connections: %ld KiB of data (%ld before), %ld resident\n",
	       w.peer.count, data, before, resident);
	assert_int_equal(rig_stat(&r, "opened"), w.peer.count);
	assert_true(data < DATA_KIB / 2 && resident < DATA_KIB / 2);
	crowd_leaves(&w);
	rig_quiet(&r);
	for (int i = 0; i < 500 && rig_stat(&r, "waiting"); i++)
		sys_poll(NULL, 0, 20);
	rig_want(&r, CURL "http://93.184.216.35/", 0, "reached 93.184.216.35");
	assert_int_equal(gate_pid(r.gate), gate);
	rig_close(&r);
}

static void the_host_is_not_above_its_root(void)
{
	_cleanup_json_ struct json *j = NULL;
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	j = rig_ask(&r, "{\"op\":\"stats\"}");
	if (!json_get_bool(j, "empty_root", false)) {
		rig_close(&r);
		unit_skip("no user namespaces for the gate here");
	}
	upward_shut(gate_pid(r.gate));
	rig_close(&r);
}

int main(int argc, char **argv)
{
	static const struct unit_case cases[] = {
		{ "memory is bounded", memory_is_bounded },
		{ "the host is not above its root", the_host_is_not_above_its_root },
	};
	int r = 0;

	if (rig_main(argc, argv, &r))
		return r;
	return r | unit_cases("gate main", cases);
}
