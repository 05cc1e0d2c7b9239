/*
 * Handing a mount over: to another program in the daemon's own process, or to the service manager.
 *
 *      SIGUSR2 ──▶ a trial (trial.h): can the program that now lies at our path take over?
 *          no, or no answer: a message, and the daemon goes on
 *          yes: the daemon stops serving (rests), and execs the program (handover_become())
 *      the new program ──▶ handover_inherit(), heir_new(); reads the settings, opens the layers
 *          heir_take(): takes over the state, and serves
 *
 * The contract:
 *
 * - The kernel and the programs that use the mount notice nothing. Inode numbers, lookup counts,
 *   times, the bytes of open and mapped files, places in listings, and the names that the kernel
 *   has cached as present or absent stay valid. Everything else is read from the layers again.
 * - No change is lost, and none is reported twice. The new program reads from the same inotify
 *   descriptor. If it watches an inode again, it gets the existing watch, with all queued events.
 *   The state has the changes that were read from inotify's queue, but are not published yet. In
 *   addition, the new program looks everything up again, as after an overflow of that queue.
 * - Each request is answered once. The daemon answers a request that it has read, or puts it into
 *   the state, for the new program (driver/unanswered.h). Requests that were not read wait in
 *   /dev/fuse, which stays open. A placeholder inode keeps its number, and the new program begins
 *   its lookup again.
 *
 * The process number, the parent and the terminal stay, too.
 *
 * If anything fails before the exec, the daemon goes on serving. If the new program fails after the
 * exec, it unmounts. If it hangs for HANDOVER_S, the kernel kills it (SIGALRM), and the mount ends.
 *
 * The state is sent through a pair of sockets, which both belong to this process. The messages
 * carry a record, in an unnamed file, and the record's descriptors. If the service manager restarts
 * plyfs, the old daemon has ended before the new one starts. In between, the manager keeps the
 * socket with the messages (handover_leave()). The messages can be read only once. If the socket is
 * closed before they are read, the last descriptor of /dev/fuse is closed with it, and the mount is
 * dead. While the state is in the socket, no process answers requests. So no other command of the
 * unit (ExecStartPre=) may access the mount, and the new plyfs must not do so before it serves.
 * HANDOVER_LEAVE_SIGNAL makes the daemon leave the mount to the manager; SIGTERM makes it unmount.
 * If the manager itself accesses the mount, for a unit's EnvironmentFile=, it may wait for the
 * daemon that it has yet to start. A process that the old daemon forked then ends the mount.
 *
 * The first message is an offer, whose format never changes. So a plyfs that can't read the state
 * can end the mount (heir_end()), and mount anew.
 */
#pragma once

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "record.h"
#include "trial.h"

/*
 * Makes the daemon leave the mount to the service manager, and end. Before handover_new() is
 * called, the signal only ends the process.
 */
#define HANDOVER_LEAVE_SIGNAL SIGUSR1

/* How long the new program may take until it serves, in seconds. */
#define HANDOVER_S 60

/* Values from the program that ran in this process before the present one. */
struct inheritance {
	int socket;     /* has the state, for heir_new(); -1: there was no such program */
	unsigned tried; /* number of take-overs of this mount that this process has tried */
	bool is_config; /* program_call.is_config */
};

/** Takes the values of handover_become() out of the environment. */
struct inheritance handover_inherit(void);

/* The daemon's settings that a trial compares with its own. */
struct handover_terms {
	bool is_strict;    /* coherence=strict, which the new program must have, too */
	const char *state; /* last_good_place(): the directory that the daemon has locked */
};

struct handover_options {
	const struct program_call *call; /* starts the new program */
	int beneath_fd;                  /* the directory that the mount lies on */
	struct handover_terms terms;
	unsigned tried; /* as in struct inheritance */
};

struct handover;

/**
 * Makes SIGUSR2 begin a trial. The objects to which the options point must outlive *ret. Blocks
 * SIGUSR2 and HANDOVER_LEAVE_SIGNAL. Returns 0 with *ret for handover_free(), or -errno.
 */
int handover_new(const struct handover_options *options, struct handover **ret);
void handover_free(struct handover *handover); /* NULL: does nothing */

/** Tries to take the lock by which handover_server() finds the daemon of the mount of `dev`. */
void handover_lock(struct handover *handover, dev_t dev);

/** Releases the lock of handover_lock(), as the mount is about to end. */
void handover_end(struct handover *handover);

/** Returns the process that serves the mount of `dev`, if our user runs it; 0: not known. */
pid_t handover_server(dev_t dev);

/** Returns a descriptor for poll(2), which `handover` owns. After POLLIN call handover_take(). */
int handover_fd(const struct handover *handover);

/* The next step, which the caller must take. */
enum handover_wish {
	HANDOVER_NOTHING,
	HANDOVER_WANTED, /* rest, then call handover_become() */
	HANDOVER_FAILED, /* go on: a trial has failed; handover_tried() has the reason */
	HANDOVER_LEAVE,  /* rest, then call handover_leave() */
	HANDOVER_END,    /* end the mount; never a result of handover_take() */
};

/** Handles a signal, or the end of a trial. Does not wait. */
enum handover_wish handover_take(struct handover *handover);

/** Counts a take-over that has failed, and notes the reason, for handover_tried(). */
void handover_fail(struct handover *handover, const char *error);

/**
 * Returns the number of take-overs that were tried. *error is the reason why the last one failed,
 * and lives until the next one fails; NULL: it did not fail.
 */
unsigned handover_tried(const struct handover *handover, const char **error);

/**
 * Execs the new program, which gets the record. Returns only if the exec has failed; then this
 * process must go on serving. Returns -ECANCELED: a signal that asks this process to end is
 * pending, and is delivered later; -ESTALE: the program was replaced after its trial; or another
 * -errno.
 */
int handover_become(struct handover *handover, struct record *record);

/* The service manager. */
struct handover_manager {
	/* Gives the manager a socket, for the next daemon. Returns whether that succeeded. */
	bool (*store)(int socket);

	/*
	 * Sends the manager a message, and waits until the manager has read it. If that takes too
	 * long, returns -ETIMEDOUT; otherwise 0. It is called in a forked process, in which all
	 * descriptors may be closed.
	 */
	int (*ask)(void);
};

/**
 * Gives the manager a socket with the record. Returns 0 if the manager has the socket: this process
 * must do nothing more for the mount. Returns -errno if this process must go on. `mountpoint` is
 * for the forked process that ends the mount if the manager waits for it.
 */
int handover_leave(struct handover *handover, struct record *record,
	const struct handover_manager *manager, const char *mountpoint);

/* The new program's side: a socket with the offer and the state of the previous daemon. */
struct heir;

/**
 * Makes an heir, and reads the offer from `socket`. Takes the socket over, even on failure. If the
 * offer can't be read, heir_can_read() is false. Returns 0 with *ret for heir_freep(), or -ENOMEM.
 */
int heir_new(int socket, struct heir **ret);
void heir_freep(struct heir **heir);

/** Returns whether this plyfs can read the state. */
bool heir_can_read(const struct heir *heir);

/** Returns a descriptor of the directory that the mount lies on; -1: none. The heir owns it. */
int heir_beneath(const struct heir *heir);

/**
 * Closes the descriptors in the socket. Among them is the last one of /dev/fuse, so the mount ends.
 * Returns false, and does nothing, if a daemon of version 0.2 goes on serving the mount.
 */
bool heir_end(struct heir *heir);

/**
 * Connects to the daemon of version 0.2 that serves the mount. Such a daemon gives the mount to
 * another process: it sends the offer, and ends when heir_take() has everything. Returns a socket
 * for heir_new(); -1: there is no such daemon of our user.
 */
int heir_find_older(const char *mountpoint);

/** Reads the state. Returns 0 with *ret for record_free(), or -errno. */
int heir_take(struct heir *heir, struct record **ret);

/** The format of the state. Raise it whenever the state is written in another way. */
#define STATE_FORMAT 5

/**
 * Returns whether a trial's question (TRIAL_OPTION) names our format. If so, *ret gets the daemon's
 * terms, which live as long as `question`.
 */
bool handover_is_answered(const char *question, struct handover_terms *ret);
