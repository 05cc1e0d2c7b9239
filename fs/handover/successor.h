/*
 * The successor: a plyfs that is started by SIGUSR2 to take the mount over. It is the program that
 * then lies at the path from which ours was started.
 *
 * A daemon with threads, perhaps without the right to run a program, should not start it. So the
 * process plyfs-renew does, which exists from the beginning and ends with the daemon. At its end it
 * removes the socket on which the mount was offered, which a sandboxed daemon can't.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct successor;

/* Heirs that may be under way at the same time. Further requests are ignored. */
#define SUCCESSORS_MAX 4

/* How it is called, fixed at the start: a source can't change it. */
struct successor_call {
	const char *directory; /* the working directory, absolute */
	char *const *words;    /* all of them, "plyfs" the first; NULL at the end */
	bool is_foreground;    /* it has our standard streams */
};

/**
 * Starts plyfs-renew, before there are threads. Returns 0 with *ret for successor_free(), or
 * -errno.
 */
int successor_new(const struct successor_call *call, struct successor **ret);
void successor_free(struct successor *successor); /* NULL: nothing */

/**
 * Reports the mount's superblock, whose socket plyfs-renew removes at its end (handover_tidy()); 0:
 * none.
 */
void successor_note(const struct successor *successor, dev_t dev);

/** Starts a successor, without waiting for it. */
void successor_begin(const struct successor *successor);
