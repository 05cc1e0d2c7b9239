/*
 * Handing a mount over: from the daemon that serves it to one that was started after it.
 *
 *      the one that serves                       its heir
 *      listens, and goes on serving  ◀─connect── heir_find()
 *      ── offer ───────────────────────────────▶ reads the settings, opens the layers
 *      HANDOVER_WANTED             ◀──── want ── heir_want()
 *      comes to rest
 *      ── all that it knows ───────────────────▶ makes all of it its own
 *      handover_give()             ◀─── ready ── heir_ready()
 *      ── go ──────────────────────────────────▶ serves
 *      ends, without unmounting
 *
 * The contract:
 *
 * - To the kernel and to programs nothing happens. Numbers, look-up counts, times, bytes of what is
 *   open or mapped, places in listings, cached names and their absence: all that was told holds.
 *   view_state.c writes that, and nothing that follows from the layers.
 * - No change is lost, and none is told twice. The heir reads from the same inotify descriptor: who
 *   watches an inode once more by it gets the watch that was there, with all that is in the queue.
 *   What was taken from the queue and not published yet is in the state. Besides, all that was
 *   shown is looked at as after an overflow.
 * - A request is answered once. One that was read is answered, or goes into the state as it came
 *   (driver/unanswered.h) and is asked again; one that was not read waits in /dev/fuse, which stays
 *   open. A promise is broken with -ESTALE, and the path walked once more.
 *
 * It is another process and no exec(3), because the daemon may be in no position to run a program,
 * and because the one that works is to be there until the other does. So the process number
 * changes; the service manager is told (MAINPID=). The one that serves comes to rest in this order:
 * publisher, requests, pool.
 *
 * Until `go` the one that serves can go on, and does when its heir ends, or is silent for
 * HANDOVER_MS; the heir touches neither /dev/fuse nor the mount before, and ends with _exit(2) if
 * it fails, as what it would take down is shared. If the one before dies while `go` is waited for,
 * the heir serves: nobody else is left who could.
 *
 * The offer's format never changes, so that an heir that can't read the state can have the mount
 * end (heir_end()), and mount anew.
 *
 * An heir mounts as it was called, and not as the one that serves says: that one reads what others
 * wrote, in a sandbox, and the heir is in none yet.
 *
 * Where the service manager starts a plyfs again, nobody is there to hand over when the next one
 * comes. What is to be handed over lies in a socket meanwhile, which the manager keeps
 * (handover_leave(), heir_stored()): the same messages, in the same order, and nobody who waits for
 * an answer. So it can be taken once. If nobody does, and the manager drops the socket, the last
 * descriptor of /dev/fuse goes with it, and the mount is dead. Nobody answers between, so nothing
 * that a start needs may look at the mount: not the unit, and not the next plyfs before it serves.
 * A signal of its own asks for that (HANDOVER_LEAVE_SIGNAL); SIGTERM unmounts as ever.
 *
 * The socket lies in a directory where nobody else can make one, and both ask the kernel who the
 * other is: both must be processes of the user who mounts.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "problem.h"
#include "record.h"

/* How long an heir may take to make the state its own, in milliseconds. */
#define HANDOVER_MS 60000

/*
 * Has who serves leave the mount to the manager, and end. Who does not serve yet ends by it, as by
 * default.
 */
#define HANDOVER_LEAVE_SIGNAL SIGUSR1

struct offer {
	int beneath_fd; /* the directory that the mount lies on */
	pid_t pid;      /* of who makes the offer */
};

void offer_fini(struct offer *offer);

struct handover;
struct successor;

/**
 * Makes it possible, before there are threads, for the mount of the superblock `dev`. `offer` and
 * `successor`, who is started by SIGUSR2, must outlive *ret. SIGUSR2 and HANDOVER_LEAVE_SIGNAL are
 * blocked from now on. `listener` is the one
 * of the daemon before, which becomes the handover's; -1: there is none. 0 with *ret for
 * handover_free(), or -errno.
 */
int handover_new(const struct offer *offer, dev_t dev, int listener,
	const struct successor *successor, struct handover **ret);
void handover_free(struct handover *handover); /* NULL: nothing */

/** Nobody can ask any more: the mount has ended. */
void handover_end(struct handover *handover);

/**
 * Removes the name of the socket at which nobody listens any more, of the mount of the superblock
 * `dev`. Who is about to end is waited for, but not for long.
 */
void handover_tidy(dev_t dev);

/** The process that serves the mount of that superblock, if it is ours; 0: it can't be told. */
pid_t handover_server(dev_t dev);

/** To be polled for POLLIN; then handover_take() is to be called. */
int handover_fd(const struct handover *handover);

/** For an heir: who is handed over, for the record. */
int handover_listener(const struct handover *handover);

enum {
	HANDOVER_NOTHING,
	HANDOVER_WANTED, /* come to rest, and handover_give() */
	HANDOVER_END,    /* end the mount: the heir can't read the state */
	HANDOVER_LEAVE,  /* come to rest, and handover_leave() */
};

/** Answers what came. */
int handover_take(struct handover *handover);

/**
 * Gives the record to who wants it. Returns 0 when he serves, with *heir his number: from then on
 * this process must do nothing at all for the mount. Or -errno: nobody does, and it must go on.
 */
int handover_give(struct handover *handover, struct record *record, pid_t *heir);

/**
 * Gives the record to whoever comes: to a socket that `store` has kept for him; it says whether it
 * could. Returns 0 when it is kept, which is asked: from then on this process must do nothing at
 * all for the mount. Or -errno: it must go on.
 */
int handover_leave(struct handover *handover, struct record *record,
	bool (*store)(void *context, int socket), void *context);

struct heir;

/**
 * Finds who serves the mount at `mountpoint`. Returns 0 with *ret for heir_free(), PROBLEM, or
 * -errno.
 */
int heir_find(const char *mountpoint, struct heir **ret, struct problem *problem);

/**
 * Who was left in the socket, which becomes the heir's; what can't be read is one more state that
 * this heir_can_read() not. 0 with *ret, or -ENOMEM.
 */
int heir_stored(int socket, struct heir **ret);

/** Whether nobody serves meanwhile. */
bool heir_is_stored(const struct heir *heir);
void heir_free(struct heir *heir);
void heir_freep(struct heir **heir);

const struct offer *heir_offer(const struct heir *heir);

/** Whether what is handed over can be read. */
bool heir_can_read(const struct heir *heir);

/** Has the mount end, and waits for that. 0 or -errno. */
int heir_end(struct heir *heir);

/** Has who serves come to rest. 0 with *ret for record_free(), or -errno. */
int heir_want(struct heir *heir, struct record **ret);

/** All is its own. 0: serve; or -errno: end at once, and touch nothing. */
int heir_ready(struct heir *heir);

/** The format of the state. Raised with every change of what is written, in whichever room. */
#define STATE_FORMAT 3
