/* aside - a descriptor that a call which waits looks at besides its own.
 * Needs:  a caller that has more to do than to wait.
 * Owns:   nothing.
 * Never:  says anything about what the call waits for. */
#ifndef BASE_ASIDE_H
#define BASE_ASIDE_H

struct aside {
	int fd;			  /* borrowed; looked at when ready is set */
	void (*ready)(void *ctx); /* called when fd is readable; it must take away what
				     makes it so, and not use whatever waits */
	void *ctx;		  /* borrowed */
};

#endif
