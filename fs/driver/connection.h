/*
 * The connection to the kernel, by /dev/fuse. The first daemon of a mount answers the kernel's
 * request INIT with an agreement, which stays in force after a take-over.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record.h"
#include "session.h"

struct fuse_conn_info;
struct fuse_session;

struct connection {
	struct fuse_session *fuse;
	bool has_permissions; /* the kernel enforces the modes that we show */
	unsigned wanted;      /* the capabilities agreed with the kernel: fuse_conn_info.want */
	/*
	 * The agreed capabilities that the kernel makes use of:
	 * FUSE_CAP_NO_OPEN_SUPPORT     if we answer an OPEN with ENOSYS, it sends no more OPENs
	 * FUSE_CAP_NO_OPENDIR_SUPPORT  the same for OPENDIR
	 * FUSE_CAP_PARALLEL_DIROPS     it sends several LOOKUPs in one directory at a time
	 */
	unsigned in_force;
	struct span hello; /* the kernel's first request; owned */
	int ended_fd;      /* a pipe, by which connection_close() replaces /dev/fuse; -1: none */
	bool is_ending;    /* the mount is about to end: do not notify the kernel any more */
};

/** Prepares the connection of `session`, before /dev/fuse is open. Returns 0 or -errno. */
int connection_init(struct connection *connection, const struct session_options *options,
	struct session *session);

/** Frees what the connection holds. Call it after the mount has ended. */
void connection_fini(struct connection *connection);

/**
 * Makes the agreement. `is_read_only`: the kernel itself refuses to open a file for writing.
 * `is_strict`: the mount has coherence=strict.
 */
void connection_agree(struct connection *connection, struct fuse_conn_info *conn, bool is_read_only,
	bool is_strict);

/** Writes the agreement to the record, for the new daemon. */
void connection_put(const struct connection *connection, struct record *record);

/** Reads the agreement from the record. Returns 0 or -ENOMEM. */
int connection_take(struct connection *connection, struct record *record);

/**
 * Gives libfuse the /dev/fuse that is open as `fuse_fd`, and repeats the kernel's first request,
 * which libfuse needs before all others. Returns 0, and libfuse owns `fuse_fd`; or -errno.
 */
int connection_greet_again(struct connection *connection, int fuse_fd);

/**
 * Makes the kernel drop the attributes of `ino`, without waiting. Returns 0; -ENOTCONN: the
 * connection is ending; or another -errno.
 */
int connection_drop_attributes(const struct connection *connection, uint64_t ino);

/** Returns whether the kernel has ended the connection. */
bool connection_has_ended(const struct connection *connection);

/** Closes /dev/fuse. That ends the connection, so libfuse does not unmount later. */
void connection_close(struct connection *connection);
