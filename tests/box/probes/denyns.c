/* denyns - runs a program under what a container engine's profile does to namespaces:
 * clone and unshare with them EPERM, clone3 ENOSYS. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(v) BPF_STMT(BPF_RET | BPF_K, v)
#define IS(v, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, v, 0, no)
#define HAS(v, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, v, 0, no)

int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		LOAD(nr),
		IS(SYS_clone3, 1),
		RETURN(SECCOMP_RET_ERRNO | ENOSYS),
		IS(SYS_unshare, 1),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
		IS(SYS_clone, 3),
		LOAD(args[0]),
		HAS(0x7e020000, 1),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
		RETURN(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 125;
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
