/* Deferred work of the publisher on a rendered tree, with deadlines. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct deferred;

/** Returns 0 with *ret for deferred_free(), or -errno. */
int deferred_new(struct deferred **ret);
void deferred_free(struct deferred *deferred); /* NULL: does nothing */

/** Returns the descriptor, which is readable when work is due (timerfd_create(2)). */
int deferred_fd(const struct deferred *deferred);

/**
 * Schedules the examination of `path` (NULL: of all paths) after `after_ms`. All scheduled paths
 * are due at the earliest of their times. If memory is short, schedules all paths.
 */
void deferred_look(struct deferred *deferred, const char *path, int64_t after_ms);

/**
 * Schedules the making of a generation after `after_ms`. A further call restarts the delay. But if
 * `after_ms` is at most 200, the generation is due at most 200 ms after the first call for it.
 */
void deferred_commit(struct deferred *deferred, int64_t after_ms);

/** Schedules the writing of the status (render_state.h), after 100 ms. */
void deferred_put_status(struct deferred *deferred);

/* Paths to be examined. */
struct deferred_paths {
	void *some;   /* a tsearch(3) tree of strings */
	bool are_all; /* all paths must be examined */
};

/* Work that is due. */
struct due {
	struct deferred_paths paths; /* the caller frees `some` */
	/* clock_ms() of the first change in the due generation; 0: no generation is due */
	int64_t since_ms;
};

/**
 * Takes the due work. If ret->since_ms is not 0, the caller must call deferred_commit_done().
 * Returns whether the status must be written.
 */
bool deferred_take(struct deferred *deferred, struct due *ret);

/** Notes that the caller makes a due generation (`after_ms` 0), or postpones it by `after_ms`. */
void deferred_commit_done(struct deferred *deferred, int64_t after_ms);
