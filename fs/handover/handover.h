/*
 * Handing a mount over: to another program in the daemon's own process, or to the service manager.
 *
 *      SIGUSR2 ──▶ a trial (trial.h): can the program that now lies at our path take over?
 *          no, or no answer: a message, and the daemon goes on
 *          yes: the daemon stops serving (rests), and execs the program (handover_become())
 *      the new program ──▶ handover_inherit(), previous_new(); reads settings, opens layers
 *          previous_take(): takes over the state, and serves
 *
 * The contract:
 *
 * - The kernel and the programs that use the mount notice nothing. Inode numbers, lookup counts,
 *   times, the bytes of open and mapped files, places in listings, and the names in the kernel's
 *   cache stay valid. Everything else is read from the layers again.
 * - No change is lost, and none is reported twice. The new program takes over the inotify
 *   descriptor with its queue, and the changes that are not published yet. In addition, the new
 *   program looks everything up again, as after an overflow of the queue.
 * - Each request is answered once. The daemon answers a request that it has read, or puts it into
 *   the state (driver/unanswered.h). Unread requests wait in /dev/fuse, which stays open.
 * - The process number, the parent and the terminal stay.
 *
 * If anything fails before the exec, the daemon goes on serving. If the new program fails after the
 * exec, it unmounts. If it hangs for HANDOVER_S, the kernel kills it (SIGALRM), and the mount ends.
 *
 * The state is a record with its descriptors. It waits in a pair of sockets, and can be read once.
 * If the sockets are closed unread, /dev/fuse is closed with them, and the mount is dead.
 *
 * If the service manager restarts plyfs, the old daemon ends before the new one starts. In between,
 * the manager keeps the socket (handover_leave()), and no process answers requests. So no other
 * command of the unit (ExecStartPre=) may access the mount. Nor may the new plyfs, until it serves.
 * If the manager itself waits for the mount (a unit's EnvironmentFile=), a process that the old
 * daemon forked ends the mount. A restart begins with HANDOVER_LEAVE_SIGNAL. SIGTERM unmounts.
 *
 * The first message in the sockets is an offer, whose format never changes. So even a plyfs that
 * can't read the state can end the mount (previous_end_mount()), and mount anew.
 */
#pragma once

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "record.h"
#include "settings_options.h"
#include "trial.h"

/* Makes the daemon leave the mount to the service manager, and end. */
#define HANDOVER_LEAVE_SIGNAL SIGUSR1

/* Seconds that the new program may take until it serves. */
#define HANDOVER_S 60

/* Values from the program that ran in this process before the present program. */
struct inheritance {
	int socket;     /* with the state, for previous_new(); -1: there was no such program */
	unsigned tried; /* number of take-overs of this mount that this process has tried */
	bool is_config; /* program_call.is_config */
};

/** Takes the values of handover_become() out of the environment. */
struct inheritance handover_inherit(void);

/* The daemon's settings that the new program, in a trial, compares with its own. */
struct handover_terms {
	enum settings_coherence coherence;
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
 * Makes SIGUSR2 begin a trial. Blocks SIGUSR2 and HANDOVER_LEAVE_SIGNAL. The objects to which the
 * options point must outlive *ret. Returns 0 with *ret for handover_freep(), or -errno.
 */
int handover_new(const struct handover_options *options, struct handover **ret);
void handover_freep(struct handover **place); /* *place NULL: does nothing */

/**
 * Makes handover_server() find this process, if possible. If an earlier mount had the same device,
 * and its daemon still runs, handover_server() finds that daemon until it ends.
 */
void handover_lock(struct handover *handover, dev_t dev);

/** Undoes handover_lock(). Call it before the mount ends. */
void handover_end(struct handover *handover);

/** Returns the process of our user that serves the mount of device `dev`; 0: not known. */
pid_t handover_server(dev_t dev);

/** Returns a descriptor for poll(2), which `handover` owns. After POLLIN call handover_take(). */
int handover_fd(const struct handover *handover);

/* The next step of the caller. */
enum handover_wish {
	HANDOVER_NOTHING,
	HANDOVER_WANTED, /* stop serving, then call handover_become() */
	HANDOVER_FAILED, /* go on: a trial has failed; handover_tried() has the reason */
	HANDOVER_LEAVE,  /* stop serving, then call handover_leave() */
	/* End the mount. handover_take() never returns it: the caller puts it in place of
	 * HANDOVER_LEAVE if the mount can't be left. */
	HANDOVER_END,
};

/** Handles a signal, or the end of a trial. Does not wait. */
enum handover_wish handover_take(struct handover *handover);

/** Counts a failed take-over, and notes the reason, for handover_tried(). */
void handover_fail(struct handover *handover, const char *error);

/**
 * Returns the number of tried take-overs. *error becomes the reason why the last one has failed,
 * and lives until the next failure; NULL: the last one has not failed.
 */
unsigned handover_tried(const struct handover *handover, const char **error);

/**
 * Execs the new program, which gets the record. Returns on failure: this process must then go on
 * serving. -ECANCELED: a signal that ends this process is pending; -ESTALE: the program was
 * replaced after its trial; or another -errno.
 */
int handover_become(struct handover *handover, struct record *record);

/* The service manager. */
struct handover_manager {
	/* Gives the manager a socket, for the next daemon. Returns 0 or -EIO. */
	int (*store)(int socket);

	/*
	 * Sends the manager a message, and waits until it is read. Returns 0, or -ETIMEDOUT if that
	 * takes too long. Called in a forked process that has closed all inherited descriptors but
	 * the socket of the state.
	 */
	int (*ask)(void);
};

/**
 * Gives the manager a socket with the record. Returns 0 if the manager has the socket: this process
 * must do nothing more for the mount. Returns -errno if this process must go on serving. Forks a
 * process: if the manager waits for the mount at `mountpoint`, the forked process ends the mount.
 */
int handover_leave(struct handover *handover, struct record *record,
	const struct handover_manager *manager, const char *mountpoint);

/* The new program's side: the offer and the state of the previous daemon. */
struct previous;

/**
 * Reads the offer from `socket`, and owns the socket from then on, even on failure. If the offer
 * can't be read, previous_can_read() is false. Returns 0 with *ret for previous_freep(), or
 * -ENOMEM.
 */
int previous_new(int socket, struct previous **ret);
void previous_freep(struct previous **previous);

/** Returns whether this plyfs can read the state. */
bool previous_can_read(const struct previous *previous);

/** Returns a descriptor of the directory that the mount lies on; -1: none. `previous` owns it. */
int previous_beneath(const struct previous *previous);

/**
 * Ends the mount: closes the descriptors in the socket, which include the last one of /dev/fuse.
 * Does nothing, and returns false, if a daemon of version 0.2 still serves the mount.
 */
bool previous_end_mount(struct previous *previous);

/**
 * Connects to the daemon of version 0.2 that serves the mount. Such a daemon ends when
 * previous_take() has everything. Returns a socket for previous_new(); -1: our user runs no such
 * daemon.
 */
int previous_find_older(const char *mountpoint);

/** Reads the state. Returns 0 with *ret for record_free(), or -errno. */
int previous_take(struct previous *previous, struct record **ret);

/** The number of the state's format. Raise it with each change of the format. */
#define STATE_FORMAT 5

/**
 * Returns whether a trial's question (TRIAL_OPTION) names STATE_FORMAT. If so, *ret gets the
 * daemon's terms, which live as long as `question`.
 */
bool handover_is_answered(const char *question, struct handover_terms *ret);
