/* what monitor.c and its parts share, and nobody else.
 * Needs:  monitor.h.
 * Owns:   see the fields.
 * Never:  is included by any other file. */
#ifndef RUNTIME_MONITOR_IMPL_H
#define RUNTIME_MONITOR_IMPL_H

#include <sys/stat.h>

#include "base/loop.h"
#include "runtime/cgroup/memwatch.h"
#include "runtime/cgroup/still.h"
#include "runtime/gate/gate.h"
#include "runtime/monitor/diskwatch.h"
#include "runtime/monitor/gitgate.h"
#include "runtime/monitor/hostwatch.h"
#include "runtime/start/start.h"
#include "runtime/wire/outbox.h"
#include "runtime/wire/wire.h"

struct monitor;

/* What may have to end before the client of a program is told that it has. */
enum monitor_work { MONITOR_GIT, MONITOR_VOLUMES, MONITOR_WORKS };

struct client {
	struct monitor *m; /* borrowed */
	struct client *next;
	int fd; /* owned */
	struct loop_source *source;
	bool greeted;	   /* HELLO came, with our build */
	struct outbox out; /* owned: what it has no room for yet */
};

/* A program in the box, from SPAWN to EXIT. */
struct program {
	struct program *next;
	uint32_t id;	       /* towards init; never 0 */
	struct client *client; /* borrowed; NULL = it left */
	uint32_t client_id;    /* towards the client */
	bool keep;
	uint64_t kills; /* for memory, in the box before it began */
	enum {
		PROGRAM_RUNS,
		PROGRAM_TAKEN_OVER, /* has ended; what it did to git is being taken
				       over, or looked at in volumes */
		PROGRAM_ENDED	    /* its client is to be told */
	} state;
	unsigned rounds[MONITOR_WORKS]; /* that it waits for; 0 = none */
	struct wire_exit exit;		/* once it has ended */
};

enum monitor_idle {
	MONITOR_AWAKE,
	MONITOR_CLEARING,  /* init ends what is left */
	MONITOR_LINGERING, /* nothing runs; the box waits for a command */
	MONITOR_LINGERED   /* long enough, but a visitor is there */
};

/* The box stands still, while its files are copied. */
struct held {
	struct still still; /* owned */
	uint64_t since_ms;
	struct client *holder; /* borrowed; for whom; NULL = it runs */
};

struct monitor {
	struct spec spec;
	uint64_t sign;	    /* of the spec's text */
	uint32_t linger_ms; /* as the last client wants it */
	enum monitor_idle idle;
	struct loop_source *on_idle;
	struct stat project_was; /* when it was started */
	int mounts; /* owned; of the host, watched from the start; -1 = not */
	enum project_mode wanted; /* that of the spec may have to be another */
	int view; /* owned; of its project under review, once it was renewed; -1 = none */
	struct hostwatch host;
	struct running run;
	struct loop *loop;	  /* owned */
	int boxdir, lock, rundir; /* owned */
	struct outbox to_init; /* owned: of the socket of run, which is filled later */
	int listener, signals; /* owned */
	struct loop_source *on_listener, *on_init, *on_signal, *on_pidfd, *on_gate;
	struct loop_source *on_net[NETNS_FDS]; /* until there is a gate */
	struct loop_source *retry_net;	       /* one could not be started */
	struct gate *gate;		       /* owned; NULL = none (yet) */
	struct memwatch memory; /* owned; where no cgroup keeps the limit */
	struct diskwatch disk;	/* owned; where there is a limit */
	struct loop_source *on_memory, *on_disk;
	bool background; /* what a command left running keeps the box */
	struct loop_source *on_background; /* looks whether it still runs */
	struct gitgate *git;		   /* owned; NULL = git may be written */
	struct loop_source *on_git;	   /* while it takes over */
	struct loop_source *on_new_git;	   /* what gitgate_watch() hears */
	bool git_again;			   /* something was heard meanwhile */
	int volumes_dir;		   /* owned; of its notes; -1 = none */
	struct buf
		volumes; /* owned: sources that the box may write, each ended by NUL */
	struct gitwork volumes_work;			  /* looks at them */
	struct loop_source *on_volumes, *on_volumes_late; /* while it does */
	unsigned rounds[MONITOR_WORKS];			  /* the last that began */
	struct client *clients;
	struct program *programs;
	struct wire_msg first; /* the starter's SPAWN, while it starts; type 0 = none */
	uint32_t last_id;
	uint32_t unheard;  /* the program whose SPAWN is the last that init was sent */
	uint64_t oom_told; /* of the kills for memory: so many were said or are old */
	int64_t started;   /* seconds since 1970 */
	bool ending;	   /* init died, or somebody said stop: no way back */
	bool leaving; /* its programs were asked to end, and it does when they have */
	bool quiet;   /* nothing of the box can make anything any more (quiet.c) */
	bool stopped; /* init, until it is sent something */
	bool look_failed; /* since it is quiet, at what it made */
	struct held held; /* owned */
	struct client
		*stopping; /* borrowed; is about to say stop: while it is there, an
				    end is the box's and no program's; NULL = nobody */
};

enum { MONITOR_STARTER = 3 };

/* starter.c */
/** monitor_starter_say() - a message to the starter, while the box starts */
void monitor_starter_say(uint32_t type, const void *body, size_t len);
/** monitor_starter_note() - a line for its person */
void monitor_starter_note(void *ctx, const char *line);

/* client.c */
/** monitor_client_add() - serve @fd, which becomes the monitor's; failure closes it.
 *  @starter: its greeting was its spec */
int monitor_client_add(struct monitor *m, int fd, bool starter, struct err *e);
/** monitor_client_resume() - something has gone to init: whoever waited for that is asked
 *  again */
void monitor_client_resume(struct monitor *m);
/** monitor_client_first() - pass on what the starter wants to run, if it has said so
 *  already; again for each init that is started */
void monitor_client_first(struct monitor *m);
void monitor_client_drop(struct client *c);
/** monitor_client_is_there() - one of them, other than @but, has not hung up, heard or not */
bool monitor_client_is_there(const struct monitor *m, const struct client *but);
/** monitor_client_greet() - READY to a client that said HELLO (or started the box); an
 *  error when the box is ending: the client starts another one */
int monitor_client_greet(struct client *c);
void monitor_client_spawned(struct monitor *m, struct wire_msg *msg);
/** monitor_client_unheard() - init has died with messages that it had not read, the last
 *  that it was sent among them: a program of that runs in another box */
void monitor_client_unheard(struct monitor *m);
/** monitor_client_exit() - a program has ended; NULL: none that is known */
struct program *monitor_client_exit(struct monitor *m, const struct wire_msg *msg);
/** monitor_client_settle() - the last round of @w has ended: who waits for nothing more has
 *  ended; true: somebody waits for another
 *  @all: there will be none */
bool monitor_client_settle(struct monitor *m, enum monitor_work w, bool all);
/** monitor_client_tell_ended() - the clients of those that have ended, which are then
 *  forgotten */
void monitor_client_tell_ended(struct monitor *m);

/** monitor_client_signal_all() - to each program, with what it has made in its group */
void monitor_client_signal_all(struct monitor *m, int signal);

enum monitor_limit { LIMIT_DISK, LIMIT_MEMORY };
/** monitor_client_end_all() - tell every client that its programs have ended with the box
 *  for a limit of it */
void monitor_client_end_all(struct monitor *m, enum monitor_limit why);
/** monitor_client_note() - a line for the persons at all clients */
void monitor_client_note(struct monitor *m, const char *line);

/* linger.c */
/** monitor_linger_begin() - the box is about to be started: what it is made of */
void monitor_linger_begin(struct monitor *m);
/** monitor_linger_used() - a command was in the box until now: the time of box.json, which says
 *  when it was used last; of a box that only waits nothing happens */
void monitor_linger_used(const struct monitor *m);
/** monitor_linger() - nobody is there and nothing was asked to stay: wait for the next
 *  command, or end */
void monitor_linger(struct monitor *m);
/** monitor_linger_cleared() - init says that nothing runs */
void monitor_linger_cleared(struct monitor *m, const struct wire_msg *msg);
/** monitor_linger_wake() - somebody wants to run something in a box by the spec @sign;
 *  false: this one is not it any more, and ends */
bool monitor_linger_wake(struct monitor *m, uint64_t sign);

/* quiet.c */
/** monitor_quiet_begin() - @p has ended; perhaps it was the last that could make anything. To
 *  be called before what it made is looked at */
void monitor_quiet_begin(struct monitor *m, const struct program *p);
/** monitor_quiet_send() - to the box's init, now or when it has room: it goes on */
int monitor_quiet_send(struct monitor *m, const struct outbox_message *o);
/** monitor_quiet_waits() - it would wait for another command when the last client has left */
bool monitor_quiet_waits(const struct monitor *m);
/** monitor_quiet_runs() - a program does */
bool monitor_quiet_runs(const struct monitor *m);
/** monitor_quiet_is() - what was made since the last look is not the box's */
bool monitor_quiet_is(struct monitor *m);

/* git.c */
/** monitor_git_find() - a start_conf's git */
int monitor_git_find(void *ctx, struct buf *ret, struct err *e);
/** monitor_git_started() - the box is there; its views may not be */
void monitor_git_started(struct monitor *m);
/** monitor_git_watch() - from now on what the box makes is looked at, at once */
void monitor_git_watch(struct monitor *m);
/** monitor_git_exit() - @p has ended: it waits where something is to be taken over first */
void monitor_git_exit(struct monitor *m, struct program *p);
/** monitor_git_finish() - the box has ended. @quiet: monitor_quiet_is() before it was killed */
void monitor_git_finish(struct monitor *m, bool quiet);

/* volumes.c: repositories in what a box may write beside its project. It does not get one
 * that is there; one that it has made and that could name a program is set aside. */
/** monitor_volumes_begin() - before the start: set aside what an earlier box left whose
 *  monitor was killed; -EPERM: a repository is there, -E2BIG: there may be one */
int monitor_volumes_begin(struct monitor *m, struct err *e);
/** monitor_volumes_exit() - @p has ended: it waits for a look at what it made */
void monitor_volumes_exit(struct monitor *m, struct program *p);
/** monitor_volumes_finish() - the box has ended; as monitor_git_finish() */
void monitor_volumes_finish(struct monitor *m, bool quiet);

/* review.c */
/** monitor_review_begin() - before the box starts: where its project is to be reviewed, a
 *  layer for it; live where that cannot be had and nothing waits in it, which is said */
int monitor_review_begin(struct spec *s, int boxdir, struct err *e);
/** monitor_review_exit() - a program has ended: what the files were that it has changed is kept
 *  while that is known */
void monitor_review_exit(const struct spec *s, int boxdir);
/** monitor_review_renew() - what the host has changed in the project since it was looked up
 *  in the box of @pidfd is looked up again there; @view: from the first time on its project,
 *  owned; -1 = not yet */
void monitor_review_renew(int pidfd, const char *project, int *view);
/** monitor_review_refused() - the kernel has refused it, for the reason in @e: as begin */
int monitor_review_refused(struct spec *s, int boxdir, struct err *e);

/* gate.c */
/** monitor_gate_check() - whether the rules of the spec can be read */
int monitor_gate_check(const struct monitor *m, struct err *e);
/** monitor_gate_begin() - start the gate when something needs it, now or later */
int monitor_gate_begin(struct monitor *m, struct err *e);
/** monitor_gate_rest() - no gate until something needs it again */
int monitor_gate_rest(struct monitor *m);
/** monitor_gate_ask() - a question for it; starts it */
int monitor_gate_ask(struct monitor *m, const struct json *args, struct json **ret,
		     struct err *e);

/* still.c */
/** monitor_still_hold() - the box stands still until @c says otherwise, or leaves */
int monitor_still_hold(struct client *c, struct err *e);
/** monitor_still_release() - it goes on; @ret: "ms", how long that was; may be NULL */
void monitor_still_release(struct held *h, struct json **ret);

/* shorten.c */
/** monitor_shorten_wanted() - the box has so many layers that some should be merged */
bool monitor_shorten_wanted(int boxdir);
/** monitor_shorten() - do it; nobody waits for that any more */
void monitor_shorten(struct spec *s, int boxdir);

/* ask.c */
/** monitor_ask_kills() - how many processes were killed for the memory limit so far */
uint64_t monitor_ask_kills(const struct monitor *m);
/** monitor_ask() - answer a question; @ret is owned by the caller */
int monitor_ask(struct monitor *m, const char *what, const struct json *args,
		struct json **ret, struct err *e);

#endif
