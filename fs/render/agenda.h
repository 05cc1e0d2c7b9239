/*
 * What is to be done after a while to a rendered tree: paths that are looked at, a generation that
 * is made, a status that is written. Any thread may ask for it; the publisher's does it, when the
 * agenda's descriptor can be read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct agenda;

/** Returns 0 with *ret for agenda_free(), or -errno. */
int agenda_new(struct agenda **ret);
void agenda_free(struct agenda *agenda); /* NULL is fine */

/** It can be read when something is due (timerfd_create(2)). */
int agenda_fd(const struct agenda *agenda);

/** The path is looked at after that time. NULL, or no memory for it: all are. */
void agenda_look(struct agenda *agenda, const char *path, int64_t after_ms);

/**
 * A generation is made after that time. If it is a short one, it begins anew each time, but not for
 * ever: what has changed first does not wait long for what changes without a pause.
 */
void agenda_commit(struct agenda *agenda, int64_t after_ms);

/** The status is written soon. */
void agenda_tell(struct agenda *agenda);

/* What is due. */
struct due {
	void *paths; /* a tsearch(3) tree of strings, the caller's */
	bool are_all;
	bool is_generation;
	int64_t since_ms; /* when the first of it changed, clock_ms() */
	bool is_status;
};

/** Takes what is due. Of a generation agenda_commit_done() is to be told. */
void agenda_take(struct agenda *agenda, struct due *ret);

/** It was taken too early, and is due again after `after_ms`; 0: it was made. */
void agenda_commit_done(struct agenda *agenda, int64_t after_ms);
