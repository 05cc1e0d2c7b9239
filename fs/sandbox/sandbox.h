/*
 * The sandbox: the rights that a process of plyfs keeps once it has begun its work. plyfs reads
 * what others wrote. If one of them finds a fault in a reader, these rights are all that the fault
 * gives away.
 *
 * The processes, what each may do, and why:
 *
 *   daemon        reads beneath the layers, the presets' directories and /proc (which process asks
 *                 for a file, and what is mounted), each as it was at the start. Answers the kernel
 *                 through /dev/fuse, which is open. It forks workers. It runs no program, reaches
 *                 no socket and writes no file.
 *   worker        plyfs-worker, forked by the daemon within its sandbox: reads beneath the layers,
 *                 and parses. It has one socket, to the daemon. Of the daemon's descriptors it
 *                 keeps those of the layers, and the one of inotify(7), to which it adds watches of
 *                 them. It writes no file, starts no process and sends no signal.
 *   render        as the daemon, and writes beneath the directory that it renders.
 *   publish       plyfs-publish renames in our own mount, and reads nothing.
 *   monitor       plyfs-monitor (monitor.h) receives descriptors and lines, and reads nothing else.
 *                 It opens for reading what the settings name by now, logs, and unmounts. It may
 *                 read all files.
 *   mirror        plyfs mirror, a store's client: writes its state, and turns the link beside it.
 *                 So do git, ssh and gpg, which it runs. It reads and reaches what its user may.
 *   keep          plyfs-keep starts mirrors as another user, and ends them. It writes where their
 *                 states are stored, as its children can do no more than itself.
 *   state         plyfs-state (fs/keep/state_process.h) stores last good versions: writes files in
 *                 the directory that `state` names, and reads nothing there.
 *   run           plyfs-run runs the settings' commands. These inherit what it lacks, so it keeps
 *                 the rights of the user who mounts. It reads plyfs.yaml, and messages of a fixed
 *                 size.
 *   renew         plyfs-renew starts another plyfs, which needs all rights of the user who mounts:
 *                 capabilities and new privileges for commands and fusermount3, no Landlock so that
 *                 it can mount, and no filter because of the commands. So it is in no sandbox. It
 *                 receives a number, and reads nothing else. It starts few programs at a time. At
 *                 the end it removes the socket of the mount.
 *
 * The means:
 *
 *   no_new_privs  a set-id program gains no rights.
 *                 Not: run; monitor of an ordinary user, which runs fusermount3 (set-uid)
 *   capabilities  those that sandbox.c names, with the reason of each
 *   Landlock      files by place, TCP, abstract sockets, as far as the kernel has it. A process in
 *                 a domain can't trace one outside of it, nor mount or unmount.
 *                 Not: run, monitor
 *   seccomp       the system calls that filter.c names, with the reason of each; others fail with
 *                 EPERM.
 *                 Not: run, mirror, keep; monitor of an ordinary user
 *   not dumpable  processes of root without capabilities can't read our memory. A mirror knows
 *                 passwords: its user's other processes can't read its memory, either.
 *                 Not: others of ordinary users
 *   no core       Not: run
 *   environment   only HOME, PATH and the variable that names presets stay.
 *                 Not: run, mirror, keep
 *
 * The mount is made between the two steps, sandbox_prepare() and sandbox_enter(). A process in a
 * sandbox can't mount. After the mount, and before requests are answered, no path may be looked up:
 * it may lead through the mount.
 *
 *      plyfs-run, plyfs-monitor, plyfs-publish, plyfs-state are forked
 *      sandbox_prepare()  the places are looked up
 *      mount(2)
 *      sandbox_enter()
 *      threads, the first source
 *
 * All processes but the workers are forked before the mount, so that only the daemon holds
 * /dev/fuse. The first thing that a worker does is to close it (worker.h). A process that needs
 * to be in no sandbox is forked first (helper.h). A library that is loaded on demand is loaded
 * before sandbox_enter() (`load` of struct strategy).
 *
 * Code that needs another system call adds it to the table in filter.c, with the reason. A path out
 * of the settings is opened by opening_at() (conf/opening.h), which asks the monitor where Landlock
 * refuses; a path beneath a layer by opening_ask().
 *
 * Where the kernel lacks a means, or the build lacks libseccomp, plyfs runs without it, and the
 * status says so. Where a means is there and can't be used, plyfs does not start.
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
