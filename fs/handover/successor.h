/*
 * The successor: a plyfs that is started by SIGUSR2 to take the mount over. It is the program that
 * then lies at the path from which ours was started.
 *
 * The daemon holds /dev/fuse, and may have no right to run a program. So the process plyfs-renew
 * starts the successor. plyfs-renew is forked before the daemon has /dev/fuse, and ends with the
 * daemon. At its end it removes the socket on which the mount was offered: a sandboxed daemon
 * can't.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct successor;

/* Maximum number of successors that run at the same time. Further requests are ignored. */
#define SUCCESSORS_MAX 4

/* How the successor is called. Fixed at the start, so that a source can't change it. */
struct successor_call {
	const char *directory; /* the working directory, absolute */
	char *const *words;    /* its argv: "plyfs" first, NULL last */
	bool is_foreground;    /* it gets our standard streams */
};

/** Starts plyfs-renew, as a helper (helper.h). 0 with *ret for successor_free(), or -errno. */
int successor_new(const struct successor_call *call, struct successor **ret);
void successor_free(struct successor *successor); /* NULL: does nothing */

/**
 * Sends plyfs-renew the device number of the mount (0: none). At its end plyfs-renew removes the
 * mount's socket by handover_tidy().
 */
void successor_note(const struct successor *successor, dev_t dev);

/** Starts a successor, without waiting for it. */
void successor_begin(const struct successor *successor);
