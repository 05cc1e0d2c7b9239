/* The agenda: deferred work of the publisher on a rendered tree, with deadlines. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct agenda;

/** Returns 0 with *ret for agenda_free(), or -errno. */
int agenda_new(struct agenda **ret);
void agenda_free(struct agenda *agenda); /* NULL: does nothing */

/** Returns the descriptor, which is readable when work is due (timerfd_create(2)). */
int agenda_fd(const struct agenda *agenda);

/**
 * Schedules the examination of `path` (NULL: of all paths) after `after_ms`. All scheduled paths
 * are due at the earliest of their times. If memory is short, schedules all paths.
 */
void agenda_look(struct agenda *agenda, const char *path, int64_t after_ms);

/**
 * Schedules the making of a generation after `after_ms`. A further call restarts the delay. But if
 * `after_ms` is at most 200, the generation is due at most 200 ms after the first call for it.
 */
void agenda_commit(struct agenda *agenda, int64_t after_ms);

/** Schedules the writing of the status (render_state.h), after 100 ms. */
void agenda_put_status(struct agenda *agenda);

/* Paths to be examined. */
struct agenda_paths {
	void *some;   /* a tsearch(3) tree of strings */
	bool are_all; /* all paths must be examined */
};

/* Work that is due. */
struct due {
	struct agenda_paths paths; /* the caller frees `some` */
	/* clock_ms() of the first change in the due generation; 0: no generation is due */
	int64_t since_ms;
};

/**
 * Takes the due work. If ret->since_ms is not 0, the caller must call agenda_commit_done(). Returns
 * whether the status must be written.
 */
bool agenda_take(struct agenda *agenda, struct due *ret);

/** Notes that the caller makes a due generation (`after_ms` 0), or postpones it by `after_ms`. */
void agenda_commit_done(struct agenda *agenda, int64_t after_ms);
