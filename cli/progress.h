/* A progress line on standard error: it is overwritten, and erased at the end. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum progress_state {
	PROGRESS_OFF,    /* no line is ever shown */
	PROGRESS_QUIET,  /* the same, and the caller prints no summary: --quiet */
	PROGRESS_HIDDEN, /* until `next_ms` */
	PROGRESS_SHOWN,
};

struct progress {
	enum progress_state state;
	int64_t next_ms; /* when the line is shown next, by clock_ms() (clock.h) */
};

/** Prints `before`, the count, a blank and `more` (`one` if the count is 1) to standard output. */
void progress_print_count(const char *before, size_t count, const char *one, const char *more);

/**
 * Lets progress_show() show the line, but not in the first `first_ms` milliseconds. If standard
 * error is no terminal, or the state is PROGRESS_QUIET, does nothing.
 */
void progress_begin(struct progress *progress, int64_t first_ms);

/** Shows "checking 10 of 20", or "checking 10" if `total` is 0; at most five times a second. */
void progress_show(struct progress *progress, const char *what, size_t done, size_t total);

/** Erases the line. Call it before other output, and at the end. */
void progress_hide(struct progress *progress);
