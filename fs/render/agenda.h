/*
 * The agenda: deferred work on a rendered tree. It has paths that are to be examined, a generation
 * that is to be made, and a status that is to be written, each with its deadline. Any thread may
 * add work; the publisher's thread does it when the agenda's descriptor becomes readable.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct agenda;

/** Returns 0 with *ret for agenda_free(), or -errno. */
int agenda_new(struct agenda **ret);
void agenda_free(struct agenda *agenda); /* NULL: does nothing */

/** Returns the descriptor, which is readable when work is due (timerfd_create(2)). */
int agenda_fd(const struct agenda *agenda);

/** Examines the path after that time. NULL, or no memory for the path: examines all paths. */
void agenda_look(struct agenda *agenda, const char *path, int64_t after_ms);

/**
 * Makes a generation after that time. Each call restarts a short delay, but not for ever: the first
 * change does not wait long for a program that makes changes without a pause.
 */
void agenda_commit(struct agenda *agenda, int64_t after_ms);

/** Writes the status soon. */
void agenda_put_status(struct agenda *agenda);

/* Work that is due. */
struct due {
	void *paths; /* a tsearch(3) tree of strings; the caller frees it */
	bool are_all;
	bool is_generation;
	int64_t since_ms; /* when the first of the changes was made, as clock_ms() */
	bool is_status;
};

/** Takes the work that is due. After a generation the caller calls agenda_commit_done(). */
void agenda_take(struct agenda *agenda, struct due *ret);

/**
 * Ends the work on a generation. `after_ms`: it was too early, and is due again then; 0: it was
 * made.
 */
void agenda_commit_done(struct agenda *agenda, int64_t after_ms);
