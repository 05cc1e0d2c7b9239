/*
 * A look at one name: what the layers say of it, and the version that is made of that. One object
 * for whoever needs it: a request that finds nothing shown yet, one of a strict mount, the
 * publisher.
 *
 *      look_up      what the layers say: in the request's thread, or in the pool for the publisher
 *        │ a file: has to be composed
 *        ▼
 *      compose      in the pool, small before large; once more after a moment if a source moved, or
 *        │          its writer was met
 *        ▼
 *      look_end     a request's look is shown and answered where it ended (lookup.c), the
 *                   publisher's waits for the publisher to decide on it (refresh.c)
 *
 * entry->look is the look that others wait for: first looks at the same name are one look, and the
 * publisher's waits for it.
 */
#pragma once

#include "pool.h"
#include "state.h"

enum look_purpose {
	LOOK_FIRST,   /* nothing is shown: whatever is found will be */
	LOOK_STRICT,  /* coherence=strict: what is shown is compared with what is found */
	LOOK_REFRESH, /* the publisher's */
};

struct look {
	struct pool_job job; /* first: the pool gives it back */
	struct view *view;
	enum look_purpose purpose;
	struct entry *entry; /* in use, and its directory */
	char *path;
	layer_mask layers; /* that show the directory */
	struct settings_generation settings;
	struct view_caller *callers;  /* to be answered; lock */
	struct version *shown;        /* what was shown when it began, one reference; NULL */
	struct stand_ins stand_ins;   /* of what was shown when it began */
	struct directory *child;      /* likewise, in use */
	uint64_t generation;          /* of the directory, when it began */
	uint64_t dependencies_number; /* of all dependencies, when it began */
	bool is_entry_new;            /* nothing was known of the name but that it is asked for */
	unsigned tries;
	bool takes_long;    /* whoever looks the name up gets a promise (promise.h) */
	bool is_recalled;   /* `version` is what was kept of the path (keep.h) */
	bool has_doubt;     /* a source may have been written while it was read (compose.h) */
	bool has_new_links; /* a source has more names, which was not known */
	bool is_covered;    /* STRICT: something is mounted on it: what is shown stays */
	bool is_failed;     /* what it is made of could not be found out: it is tried again */

	/* What came of it. */
	int result; /* 0; PROBLEM; COMPOSE_MOVED, COMPOSE_UNSETTLED; LOOK_…; or -errno */
	struct union_lookup lookup;
	struct dependencies asked;
	struct version *version;     /* of a file or a link; one reference */
	struct directory *directory; /* FIRST, STRICT: made, not shown */
	struct problem problem; /* a message: `version` does without a source, or with what stands
				   in for it, or is broken */

	struct look *next; /* in view->done, view->ended; of those that are parked */

	bool was_directory; /* when it began: shown, or forgotten by the kernel */

	/* The publisher's. */
	bool is_done; /* the publisher is to decide on it: nobody may join it any more */
	enum union_kind kind;
	enum entry_scope scope;
	uint64_t since;        /* the entry's ticket (queue.h) */
	bool is_large;         /* it does not count in view->looks */
	bool is_event;         /* something was reported of just this name */
	bool takes_unfinished; /* its writer was waited for long enough */
	bool is_unread;        /* nothing was ever shown for it but its name */
	bool has_kept;         /* what is shown is what was good before a source failed */
	bool is_known;         /* the kernel knows the directory */
	bool is_compared;      /* with what the kernel has forgotten: it may be that still */
	struct change *change; /* what is decided */
};

/* Positive results, besides those of compose(). */
enum {
	LOOK_MET_WRITER = 16, /* a source is being written, or was meanwhile */
	LOOK_IS_CURRENT = 17, /* STRICT: what is shown is what the layers say */
	LOOK_AT_GATE = 18, /* REFRESH: it must be judged first; then the name is looked at again */
	LOOK_IS_PARKED = 19, /* FIRST: likewise; it has not ended (gate.h) */
};

/** A look at `entry`, which it takes in use. NULL: no memory. */
struct look *look_new_locked(struct view *view, struct entry *entry, enum look_purpose purpose);

/** What can't be looked at now is a directory still if it was one. */
void look_heed_past(struct look *look);

/** Begins it, or begins it anew, in this thread. It may have ended, and be gone, on return. */
void look_begin(struct look *look);

/** Has the pool begin it. */
void look_begin_in_pool(struct look *look);

/** It was parked, and ends: 0; PROBLEM, with look->problem; or -errno. By the pool. */
void look_judged(struct look *look, int result);

/** It comes to nothing; what the publisher was to decide on is looked at again. Frees it. */
void look_drop_locked(struct look *look);

/**
 * Ends it. What it found, and the settings that it worked with, may be the last to hold layers and
 * files open: so it is freed by look_free(), when the lock is given back.
 */
void look_free_locked(struct look *look);

/** The rest of it, with no lock held. */
void look_free(struct look *look);

/** Answers the callers with a result of view_lookup(). Wants the lock not held. */
void look_answer(struct view_caller *callers, int result, const struct stat *stat);

/** lookup.c: a FIRST or STRICT look has ended. */
void lookup_end(struct look *look);

/** lookup.c: it will take long: nobody is to hold the directory meanwhile. */
void lookup_takes_long(struct look *look);

/** lookup.c: looks the name up again for callers whose look counts no more. */
void lookup_again(struct view *view, const char *name, struct view_caller *callers);

/** As of a request: the directory `name` in `parent`, or `path` from the root, one more user of
 * which is the caller. Take the lock. Return 0, -ENOENT, -ENOTDIR or another -errno. */
int lookup_enter(
	struct view *view, struct directory *parent, const char *name, struct directory **ret);
int lookup_enter_path(struct view *view, const char *path, struct directory **ret);
