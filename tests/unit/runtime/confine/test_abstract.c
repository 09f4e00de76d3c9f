#include "runtime/confine/abstract.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static int listen_at(const char *name, struct sockaddr_un *ret, socklen_t *len)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(ret->sun_path + 1, sizeof(ret->sun_path) - 1, "%s-%d", name, getpid());
	*len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   strlen(ret->sun_path + 1));
	assert_int_equal(bind(fd, (struct sockaddr *)ret, *len), 0);
	assert_int_equal(listen(fd, 5), 0);
	return fd;
}

static int try_at(const struct sockaddr_un *a, socklen_t len)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int r = connect(fd, (const struct sockaddr *)a, len) < 0 ? errno : 0;

	close(fd);
	return r;
}

/* The bits say what went wrong. */
static int within(const struct sockaddr_un *theirs, socklen_t len)
{
	struct sockaddr_un own;
	socklen_t own_len;
	struct err e = ERR_NONE;
	int bad = 0;

	bad |= try_at(theirs, len) != 0;
	bad |= (sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) << 1;
	bad |= (abstract_close(&e) != 1) << 2;
	bad |= (try_at(theirs, len) != EPERM) << 3;
	(void)listen_at("own", &own, &own_len);
	return bad | (try_at(&own, own_len) != 0) << 4;
}

static void closes_those_of_others(void)
{
	struct sockaddr_un a;
	socklen_t len;
	int fd, status;
	pid_t pid;

	if (!abstract_closable())
		unit_skip("this kernel has no scopes of Landlock (Linux 6.12)");
	fd = listen_at("theirs", &a, &len);
	pid = fork();
	if (!pid)
		_exit(within(&a, len));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(try_at(&a, len), 0);
	close(fd);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "closes those of others, not its own", closes_those_of_others },
	};

	return unit_cases("abstract", cases);
}
