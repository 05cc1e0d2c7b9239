/*
 * The agenda: deferred work on a rendered tree, with deadlines. The work is to examine paths, to
 * make a generation, and to write the status (render_status.h). The publisher does the work when
 * the agenda's descriptor becomes readable.
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

/**
 * Schedules an examination of `path` after `after_ms`. All scheduled paths are examined together,
 * when the first of them is due. If `path` is NULL or memory is short, all paths are examined.
 */
void agenda_look(struct agenda *agenda, const char *path, int64_t after_ms);

/**
 * Schedules the making of a generation after `after_ms`. Another call before that restarts the
 * delay. If `after_ms` is at most 200, the delay ends 200 ms after the first call at the latest.
 */
void agenda_commit(struct agenda *agenda, int64_t after_ms);

/** Schedules the writing of the status, soon. */
void agenda_put_status(struct agenda *agenda);

/* Work that is due. */
struct due {
	void *paths;        /* a tsearch(3) tree of strings; the caller frees it */
	bool are_all;       /* all paths must be examined, not only `paths` */
	bool is_generation; /* a generation must be made */
	int64_t since_ms;   /* clock_ms() (clock.h) of the generation's first change */
	bool is_status;     /* the status must be written */
};

/** Takes the work that is due. After an attempt at a generation, call agenda_commit_done(). */
void agenda_take(struct agenda *agenda, struct due *ret);

/**
 * Ends the work on a generation. `after_ms` 0: the generation was made. Otherwise it was not made,
 * and is due again in `after_ms`.
 */
void agenda_commit_done(struct agenda *agenda, int64_t after_ms);
