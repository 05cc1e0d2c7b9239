/*
 * The sandbox: the rights that a process of plyfs keeps when it begins its work. A user who
 * exploits a bug in a reader of files gains no more than these rights.
 *
 * The daemon of a mount and plyfs render run the commands of plyfs.yaml, so they are in no sandbox.
 * They parse no source, and treat a worker's answer as hostile input. The other processes, with the
 * rights of each:
 *
 *   worker        plyfs-worker reads beneath the layers, mirrors' states and /proc, and parses
 *                 (reader_sandbox.h). It has one socket, to the daemon. It keeps the daemon's
 *                 descriptors of the layers, of the directory under the mount, and of inotify, by
 *                 which it watches remote layers. It writes no file, starts no process, and sends
 *                 no signal. If a link in a layer with `follow` leads out of the layers, a process
 *                 that the daemon forks opens the file for the worker. This forked process opens
 *                 no file in /proc or the like, as the content depends on the reading process.
 *   publish       plyfs-publish makes, renames and removes names in our own mount; reads nothing.
 *   mirror        plyfs mirror, a store's client, writes its state, and switches the link to its
 *                 tree. It can read all that its user can, and connect to all but abstract sockets.
 *                 git, ssh and gpg, which it runs, have the same rights, and so has plyfs-report.
 *   state         plyfs-state (fs/last_good/state_process.h) writes files in the directory that
 *                 `state` names, and reads nothing there.
 *   guard         plyfs-guard (fs/run/guard.h) runs one command of plyfs.yaml, which inherits the
 *                 guard's limits. So a guard is in no sandbox. It reads only the command's output.
 *
 * The parts of the sandbox. A guard has none of them. "Not: mirror" means that a mirror lacks the
 * part. "Only: …" means that no other process has the part:
 *
 *   no_new_privs  a set-id program gains no rights.
 *   capabilities  those that sandbox.c does not name are dropped.
 *   Landlock      limits the use of files (by their place), TCP and abstract sockets, as far as
 *                 the kernel can. The process can't trace or signal processes outside of its
 *                 Landlock domain, nor mount or unmount.
 *   seccomp       system calls that filter.c does not name fail with EPERM. Not: mirror
 *   not dumpable  a process of the same user that lacks capabilities can't read the process's
 *                 memory. Only: processes of root, and mirrors, which know passwords
 *   no core       no core dump is written.
 *   environment   is overwritten. Not: mirror
 *
 * If the kernel or the build lacks a part, plyfs runs without it, and the status says so. If the
 * kernel offers a part that can't be used, plyfs does not start.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "json_put.h"

enum sandbox_process {
	SANDBOX_PUBLISH,
	SANDBOX_MIRROR,
	SANDBOX_WORKER,
	SANDBOX_STATE,
	SANDBOX_PROCESSES,
};

/* The right to a file or a directory with everything beneath it. */
enum sandbox_right {
	SANDBOX_READ,  /* read files, list directories */
	SANDBOX_FILES, /* read files, but list no directory */
	SANDBOX_WRITE, /* everything except running programs and making devices */
	SANDBOX_LINKS, /* make symbolic links, remove any name */
	SANDBOX_STORE, /* make, write and remove files, but read nothing */
	SANDBOX_NAMES, /* make, rename and remove names, but read and write no file */
};

/* The parts that the user has turned off, for debugging. */
struct sandbox_switches {
	bool has_no_sandbox; /* the process keeps all rights: it can be debugged, and dumps core */
	bool has_no_landlock;
	bool has_no_seccomp;
};

struct sandbox_options {
	enum sandbox_process process;
	struct sandbox_switches switches;
	int watches; /* WORKER: the daemon's descriptor of inotify(7); -1: none */
};

/* Whether a part is in force. NOT_BUILT: plyfs lacks it. UNAVAILABLE: the kernel lacks it. */
enum sandbox_force { SANDBOX_OFF, SANDBOX_ON, SANDBOX_NOT_BUILT, SANDBOX_UNAVAILABLE };

/* The parts in force. */
struct sandbox_state {
	enum sandbox_force landlock;
	int landlock_abi; /* the kernel's version of Landlock, if `landlock` is SANDBOX_ON */
	enum sandbox_force seccomp;
	enum sandbox_force no_new_privs;
	unsigned long long capabilities; /* that the process keeps: bits 1 << CAP_… */
};

/* A sandbox that is not entered yet. */
struct sandbox;

/**
 * Makes a sandbox that allows no place yet. Unless the process is a mirror, wipes the environment.
 * Returns 0 with *ret for sandbox_freep(), PROBLEM or -errno.
 */
int sandbox_prepare(
	const struct sandbox_options *options, struct sandbox **ret, struct problem *problem);

/**
 * Allows `right` for the file or directory open as `fd` (O_PATH is enough), and all beneath it.
 * Looks up no path, and accesses no file system. Returns 0 or PROBLEM.
 */
int sandbox_allow(
	struct sandbox *sandbox, int fd, enum sandbox_right right, struct problem *problem);

/** Does sandbox_allow() for `path`; does nothing if `path` can't be opened. */
int sandbox_allow_path(struct sandbox *sandbox, const char *path, enum sandbox_right right,
	struct problem *problem);

/**
 * Enters the sandbox for ever. Call it before the process makes a second thread, which Landlock
 * would not limit. Looks up no path, and accesses no file system: plyfs-publish enters its sandbox
 * after the mount is made. Returns 0 with *ret, PROBLEM or -errno.
 */
int sandbox_enter(struct sandbox *sandbox, struct sandbox_state *ret, struct problem *problem);

/**
 * Enters the sandbox of a mirror. The mirror may write in its state directory (STATE in store.h),
 * open as `state_fd`. In the directory `beside`, which has the link to the mirror's present tree,
 * the mirror may make links and remove names. With -1 as `state_fd`, the process may write nowhere.
 * Returns as sandbox_enter().
 */
int sandbox_enter_mirror(const struct sandbox_switches *switches, int state_fd, const char *beside,
	struct sandbox_state *ret, struct problem *problem);

/**
 * For a process in no sandbox: keeps its memory out of core dumps. If the process is root's, hides
 * its memory from those processes of root that lack capabilities.
 */
void sandbox_hide(const struct sandbox_switches *switches);

/** Returns whether this process has the capability, such as CAP_CHOWN. */
bool sandbox_has_capability(unsigned capability);

void sandbox_freep(struct sandbox **sandbox);

/** Writes the parts in force as a JSON object: {"landlock": "on", …}. */
void sandbox_put(struct json *out, const struct sandbox_state *state);
