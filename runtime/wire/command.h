/* command - what a client asks the box to run.
 * Needs:  nothing.
 * Owns:   nothing: all that it points to is the caller's.
 * Never:  says where it runs: that is the box's (box.h). */
#ifndef RUNTIME_WIRE_COMMAND_H
#define RUNTIME_WIRE_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#define BOX_LOG_DIR "/var/log/cubby"

enum box_io {
	BOX_IO_PIPES, /* three pipes */
	BOX_IO_TTY,   /* one pty; the master comes back in fds[0] */
	BOX_IO_NULL,  /* /dev/null, for what nobody listens to */
	BOX_IO_LOG /* the same, but its output goes to BOX_LOG_DIR/PID.log in the box */
};

struct box_command {
	const char *const
		*argv;		/* NULL-ended; argv[0] is looked up in the box's PATH */
	const char *const *env; /* NULL-ended "K=V", added to the box's own */
	const char *cwd;	/* absolute, in the box; NULL = the project directory */
	const char *user;	/* name, uid or uid:gid of the box; NULL = root */
	enum box_io io;
	uint16_t rows, cols; /* of the tty; 0 = 40 × 160 */
	bool applet; /* argv[0] names a program built into init (applet.h): it needs
			nothing of the image and has the rights of @user */
	bool keep;   /* lives on after this client: --keep and background jobs */
	/* Extra descriptors that become 3, 4, … inside: pipes, memfds and sockets of
	 * ours only. Borrowed. */
	const int *extra_fds;
	unsigned n_extra_fds; /* 4 at most */
};

#endif
