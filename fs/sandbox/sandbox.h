/*
 * The sandbox: what a process of plyfs may still do once it has begun its work. It reads what
 * others wrote; if one of them found a mistake in a reader, this is all that he would have.
 *
 * What each kind of process may do, and why:
 *
 *   daemon        reads beneath the layers, the presets' directories and /proc (who asks for a
 *                 file, and what is mounted), each as it was at the start; answers the kernel by
 *                 /dev/fuse, which is open. It forks workers, begins no program, reaches no socket,
 *                 writes no file.
 *   worker        plyfs-worker, which the daemon forks within its sandbox: reads beneath the
 *                 layers, and parses what it reads. It has one socket, to the daemon; of all
 *                 descriptors of the daemon it keeps those of the layers, and the one to which it
 *                 adds watches of them. It begins no process and sends no signal.
 *   render        the same as the daemon, and writes beneath the directory that it renders.
 *   publish       plyfs-publish, which renames in our own mount: that, and nothing else. It reads
 *                 nothing.
 *   monitor       plyfs-monitor (monitor.h), which is told of a descriptor or a line and reads
 *                 nothing else: opens for reading what the settings name by now, logs, unmounts. It
 *                 may read all files.
 *   mirror        plyfs mirror, a store's client: writes its state, and turns the link beside it;
 *                 and so do git, ssh and gpg, which it runs. It reads and reaches what its user
 *                 may.
 *   keep          plyfs-keep, which starts mirrors as another user, and ends them: writes where
 *                 their states are kept, as what it starts can do no more than itself.
 *   state         plyfs-state (fs/keep/state_process.h), which stores last good versions: writes
 *                 files in the directory that `state` names, and reads nothing there.
 *   run           plyfs-run runs the settings' commands, for which it must have the rights of who
 *                 mounts, as they inherit whatever is taken away. It reads plyfs.yaml and messages
 *                 of a fixed size.
 *   renew         plyfs-renew starts another plyfs, which mounts with the rights of who mounts:
 *                 what it gave up that one would lack. Capabilities and new privileges, for
 *                 commands and fusermount3; Landlock would keep it from mounting anew; a filter
 *                 would have to allow all that commands do. So it is in no sandbox. It hears a
 *                 number, which is of no mount or of ours, and reads nothing else; it starts few at
 *                 a time, and at the end removes the socket that nobody listens at any more.
 *
 * By what it is kept to that:
 *
 *   no_new_privs  a set-id program would not gain rights.
 *                 Not: run; monitor of an ordinary user, who unmounts by fusermount3, set-uid
 *   capabilities  those that sandbox.c names are left, with the reason of each
 *   Landlock      files by place, TCP, abstract sockets; on kernels that have it, as much as they
 *                 have. Whoever is in a domain can't be a tracer of who is not, nor mount or
 *                 unmount.
 *                 Not: run, monitor
 *   seccomp       the system calls that filter.c names, with the reason of each; others fail with
 *                 EPERM.
 *                 Not: run, mirror, keep; monitor of an ordinary user
 *   not dumpable  no other process of root without capabilities reads our memory; of a mirror,
 *                 which knows passwords, none of its user.
 *                 Not: others of ordinary users
 *   no core       Not: run
 *   environment   only HOME, PATH and what names presets are left.
 *                 Not: run, mirror, keep
 *
 * A mount is made between the two steps, sandbox_prepare() and sandbox_enter(): who is in a sandbox
 * can't mount, and who has mounted must not look a path up before it serves, since the path may
 * lead through the mount.
 *
 *      plyfs-run, plyfs-monitor, plyfs-publish, plyfs-state are forked
 *      sandbox_prepare()  the places are looked up
 *      mount(2)
 *      sandbox_enter()
 *      threads, the first source
 *
 * Every process but the workers is forked before the mount, so that none but the daemon holds
 * /dev/fuse; a worker closes it first of all (worker.h). One that needs to be in no sandbox is
 * forked first of all (helper.h). A library that is loaded when it is needed is loaded before
 * sandbox_enter() (`load` of struct strategy).
 *
 * Who needs a system call more adds it to the table in filter.c, with the reason. Who opens
 * something by a name out of the settings uses opening_at() (conf/opening.h), which asks the
 * monitor where Landlock refuses; what lies beneath a layer, opening_ask().
 *
 * A kernel that has it not, or a build without libseccomp, is no failure: the status tells. Where
 * it is there and can't be used, plyfs does not start.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "problem.h"

enum sandbox_process {
	SANDBOX_DAEMON,
	SANDBOX_PUBLISH,
	SANDBOX_MONITOR,
	SANDBOX_RENDER,
	SANDBOX_MIRROR,
	SANDBOX_KEEP,
	SANDBOX_RUN,
	SANDBOX_WORKER,
	SANDBOX_STATE,
	SANDBOX_PROCESSES,
};

/* What may be done at a place: with what is there, and all beneath it. */
enum sandbox_right {
	SANDBOX_READ,  /* files, and directories are listed */
	SANDBOX_FILES, /* files are read, and no directory is listed */
	SANDBOX_WRITE, /* anything but to run programs, and to make devices */
	SANDBOX_LINKS, /* links come, and any name goes */
	SANDBOX_STORE, /* files are written, come and go; nothing is read */
	SANDBOX_NAMES, /* names come and go; what they are of is neither read nor written */
};

/* What is turned off, for debugging. */
struct sandbox_switches {
	bool has_no_sandbox; /* nothing is given up: a debugger can be used, and leaves a core */
	bool has_no_landlock;
	bool has_no_seccomp;
};

struct sandbox_options {
	enum sandbox_process process;
	struct sandbox_switches switches;
};

/* How it is with one of the parts. */
enum sandbox_force { SANDBOX_OFF, SANDBOX_ON, SANDBOX_NOT_BUILT, SANDBOX_UNAVAILABLE };

/* What is in force. */
struct sandbox_state {
	enum sandbox_force landlock;
	int landlock_abi; /* that of Landlock on */
	enum sandbox_force seccomp;
	bool has_no_new_privs;
	unsigned long long capabilities; /* bit 1 << CAP_… */
};

/* One that is going to be entered. */
struct sandbox;

/**
 * Makes one that allows no place yet, and wipes the environment. Looks paths up: where a mount is
 * to be made, it comes before that. Returns 0 with *ret for sandbox_free(), PROBLEM where something
 * is there and can't be used, or -errno.
 */
int sandbox_prepare(
	const struct sandbox_options *options, struct sandbox **ret, struct problem *problem);

/**
 * Allows what the descriptor (it may be O_PATH) leads to, and all beneath it. Looks at no path, and
 * has no file system asked. 0, or PROBLEM.
 */
int sandbox_allow(
	struct sandbox *sandbox, int fd, enum sandbox_right right, struct problem *problem);

/** The same of a path, as it leads now; one that leads nowhere is left out. */
int sandbox_allow_path(struct sandbox *sandbox, const char *path, enum sandbox_right right,
	struct problem *problem);

/**
 * Enters it, before there are threads: there is no way back. Looks at no path, and has no file
 * system asked. Returns 0 with *ret, PROBLEM where something is there and can't be used, or -errno.
 */
int sandbox_enter(struct sandbox *sandbox, struct sandbox_state *ret, struct problem *problem);

/** Returns a descriptor that sandbox_enter_worker() needs in a worker; -1: none. */
int sandbox_worker_fd(void);

/**
 * In a process that a daemon has forked: enters the worker's part, which sandbox_enter() has
 * prepared: it writes no file, has no more capabilities than it needs to read, and makes fewer
 * system calls. Safe where the daemon has threads: it allocates nothing. Returns 0 or -errno.
 */
int sandbox_enter_worker(void);

void sandbox_free(struct sandbox *sandbox);
void sandbox_freep(struct sandbox **sandbox);

/** Writes what is in force as an object in JSON: {"landlock": "on", …}. */
void sandbox_put(FILE *out, const struct sandbox_state *state);
