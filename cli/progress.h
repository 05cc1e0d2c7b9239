/*
 * Signs of progress on a terminal: one line of standard error, which is written over and erased at
 * the end. A command that is quick shows none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	bool is_wanted; /* standard error is a terminal; the caller's */

	/* private: */
	bool is_shown;
	int64_t shown_ms; /* when it was shown last, or when it began */
};

/* Bytes of a number with its commas. */
#define PROGRESS_NUMBER_SIZE 32

/** "10,000" */
const char *progress_number(size_t number, char text[PROGRESS_NUMBER_SIZE]);

/** Begins now; the first line comes after so many milliseconds. */
void progress_begin(struct progress *progress, int64_t first_ms);

/** "checking 10 of 20"; "checking 10" where `total` is 0. Most calls show nothing. */
void progress_show(struct progress *progress, const char *what, size_t done, size_t total);

/** Erases it, before something else is printed, and at the end. */
void progress_hide(struct progress *progress);
