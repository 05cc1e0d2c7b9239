/*
 * Handing a mount over: from the daemon that serves it to its heir, a new daemon.
 *
 *      the old daemon                            its heir
 *      listens, and goes on serving  ◀─connect── heir_find()
 *      ── offer ───────────────────────────────▶ reads the settings, opens the layers
 *      HANDOVER_WANTED             ◀──── want ── heir_want()
 *      comes to rest
 *      ── its state ───────────────────────────▶ takes over the state
 *      handover_give()             ◀─── ready ── heir_ready()
 *      ── go ──────────────────────────────────▶ serves
 *      ends, without unmounting
 *
 * The contract:
 *
 * - The kernel and the programs notice nothing. Inode numbers, lookup counts, times, the bytes of
 *   open and mapped files, places in listings, cached names and their absence stay valid.
 *   view_state.c writes these; the heir reads the rest from the layers.
 * - No change is lost, and none is reported twice. The heir reads from the same inotify descriptor.
 *   If it watches an inode again, it gets the existing watch, with all queued events. Changes that
 *   were read from the queue but not published yet are in the state. In addition, the heir looks
 *   everything up again, as after an overflow.
 * - Each request is answered once. The old daemon answers a request that it has read, or puts it
 *   into the state as it came; then the heir repeats it (driver/unanswered.h). Other requests wait
 *   in /dev/fuse, which stays open. A placeholder inode stays: the heir begins its lookup again.
 *
 * The heir is another process, not the result of an exec(3): the daemon may be unable to run a
 * program, and must keep working until the heir does. So the process number changes, and the daemon
 * notifies the service manager (MAINPID=). The daemon comes to rest in this order: publisher,
 * requests, pool.
 *
 * Until `go` the old daemon can go on, and does so if its heir ends, or is silent for HANDOVER_MS.
 * Until `go` the heir touches neither /dev/fuse nor the mount. If the heir fails, it ends with
 * _exit(2), because exit(3) would touch objects of both daemons. If the old daemon dies between its
 * state and `go`, the heir serves: no other process can.
 *
 * The offer's format never changes. So an heir that can't read the state can end the mount
 * (heir_end()), and mount anew.
 *
 * The heir uses its own arguments, not those of the old daemon: a source may have compromised the
 * old daemon, and the heir is in no sandbox yet.
 *
 * If the service manager restarts plyfs, the old daemon has ended before the new one starts. In
 * between, the manager keeps a socket with the same messages in the same order (handover_leave(),
 * heir_stored()). The messages can be read only once. If the manager closes the socket with unread
 * messages, the last descriptor of /dev/fuse is closed, and the mount is dead. In between no
 * process answers requests, so neither the unit, nor the new plyfs before it serves, may access
 * the mount. HANDOVER_LEAVE_SIGNAL makes the daemon leave the mount in this way; SIGTERM makes it
 * unmount.
 *
 * The handover's socket lies in a directory where no other user can make files. Each side asks the
 * kernel for the other's credentials: both must be processes of the user who mounts.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "problem.h"
#include "record.h"

/* How long each side waits for the other while the state is handed over, in milliseconds. */
#define HANDOVER_MS 60000

/* Makes the daemon leave the mount to the manager, and end. Before it serves, it just ends. */
#define HANDOVER_LEAVE_SIGNAL SIGUSR1

struct offer {
	int beneath_fd; /* the directory that the mount lies on */
	pid_t pid;      /* of the daemon that makes the offer */
};

void offer_fini(struct offer *offer);

struct handover;
struct successor;

/**
 * Offers the mount of the superblock `dev`. SIGUSR2 starts `successor`. `successor` and `offer`
 * must outlive *ret. Blocks SIGUSR2 and HANDOVER_LEAVE_SIGNAL. `listener` is the previous daemon's
 * listening socket (-1: none), which the handover takes over. Returns 0 with *ret for
 * handover_free(), or -errno.
 */
int handover_new(const struct offer *offer, dev_t dev, int listener,
	const struct successor *successor, struct handover **ret);
void handover_free(struct handover *handover); /* NULL: does nothing */

/** Makes handover_server() name this process. Call it when a take-over can't fail any more. */
void handover_serves(const struct handover *handover);

/** Ends the offer, when the mount has ended. */
void handover_end(struct handover *handover);

/**
 * Removes the socket on which the mount of the superblock `dev` was offered, if no daemon listens
 * there. Waits a short time for a daemon that is about to end.
 */
void handover_tidy(dev_t dev);

/** Returns the process that serves the mount of `dev`, if it is our user's; 0: not known. */
pid_t handover_server(dev_t dev);

/** Returns the descriptor to poll for POLLIN; then call handover_take(). */
int handover_fd(const struct handover *handover);

/** Returns the listening socket, for the record of the state; below 0: there is none. */
int handover_listener(const struct handover *handover);

enum {
	HANDOVER_NOTHING,
	HANDOVER_WANTED, /* come to rest, and handover_give() */
	HANDOVER_END,    /* end the mount: the heir can't read the state */
	HANDOVER_LEAVE,  /* come to rest, and handover_leave() */
};

/** Handles a signal or an heir's message. Returns one of these constants. */
int handover_take(struct handover *handover);

/**
 * Gives the record to the heir. Returns 0 when the heir serves, with its process number in *heir:
 * this process must do nothing more for the mount. Returns -errno if this process must go on.
 */
int handover_give(struct handover *handover, struct record *record, pid_t *heir);

/**
 * Writes the record to a socket, which `store` gives to the manager for the next daemon; `store`
 * returns whether that succeeded. Returns 0 if the manager has the socket: this process must do
 * nothing more for the mount. Returns -errno if this process must go on.
 */
int handover_leave(struct handover *handover, struct record *record,
	bool (*store)(void *context, int socket), void *context);

struct heir;

/**
 * Connects to the daemon that serves the mount at `mountpoint`. Returns 0 with *ret for
 * heir_free(), PROBLEM, or -errno.
 */
int heir_find(const char *mountpoint, struct heir **ret, struct problem *problem);

/**
 * Makes an heir from the messages in `socket`, which the heir then owns. If they can't be read,
 * heir_can_read() returns false. Returns 0 with *ret for heir_free(), or -ENOMEM.
 */
int heir_stored(int socket, struct heir **ret);

/** Returns whether the manager kept the mount, so that no daemon serves it. */
bool heir_is_stored(const struct heir *heir);
void heir_free(struct heir *heir);
void heir_freep(struct heir **heir);

const struct offer *heir_offer(const struct heir *heir);

/** Returns whether this plyfs can read the state. */
bool heir_can_read(const struct heir *heir);

/** Makes the old daemon end the mount, and waits for that. Returns 0 or -errno. */
int heir_end(struct heir *heir);

/** Makes the old daemon come to rest. Returns 0 with *ret for record_free(), or -errno. */
int heir_want(struct heir *heir, struct record **ret);

/** Reports that the heir has the whole state. Returns 0: serve; -errno: end now, touch nothing. */
int heir_ready(struct heir *heir);

/** The format of the state. Raise it with every change of the state that any room writes. */
#define STATE_FORMAT 5
