/*
 * The successor: a plyfs that is started by SIGUSR2 to take the mount over. It is the program that
 * is found by then at the path that ours was started from.
 *
 * A daemon in the middle of its work, with threads, and perhaps with no right to run anything, is
 * not who should start it. So that is done by the process plyfs-renew, which is there from the
 * beginning, and ends with the daemon. Then it takes away what a daemon in a sandbox can't: the
 * socket by which the mount was offered.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct successor;

/* Heirs that are under way at once: who asks for more has not waited for the ones before. */
#define SUCCESSORS_MAX 4

/* How it is called: nothing that the daemon learns later changes that. */
struct successor_call {
	const char *directory; /* the working directory, absolute */
	char *const *words;    /* all of them, "plyfs" the first; NULL at the end */
	bool is_foreground;    /* it has our standard streams */
};

/** Before there are threads. 0 with *ret for successor_free(), or -errno. */
int successor_new(const struct successor_call *call, struct successor **ret);
void successor_free(struct successor *successor); /* NULL: nothing */

/**
 * What is served is the mount of that superblock: what is left of it goes with the daemon
 * (handover_tidy()). 0: nothing is.
 */
void successor_note(const struct successor *successor, dev_t dev);

/** Has it started. It comes to us, or it does not. */
void successor_begin(const struct successor *successor);
