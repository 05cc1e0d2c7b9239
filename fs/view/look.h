/*
 * A look: the job of one name. It looks the name up in the layers, and composes the version.
 *
 *      look_up      the union lookup: in the pool, if the look is the publisher's or a layer may be
 *        │          remote; otherwise at once
 *        │ a file that must be composed
 *        ▼
 *      compose      in the pool, small before large; if a source changed or is being written, back
 *        │          to look_up after a moment
 *        ▼
 *      end          the result of a request's look is shown at once (lookup.c); the publisher's
 *                   look waits for the publisher's decision (refresh.c)
 *
 * entry->use->look is the look under way. First lookups of the same name share it.
 */
#pragma once

#include "pool.h"
#include "state.h"

enum look_purpose {
	LOOK_FIRST,   /* a request's: nothing is shown yet */
	LOOK_AHEAD,   /* no program has asked for the name yet (read_ahead.h) */
	LOOK_STRICT,  /* coherence=strict: the shown version is compared with the layers */
	LOOK_REFRESH, /* the publisher's */
};

struct look_result {
	int code; /* 0; PROBLEM; LOOK_MET_WRITER …; COMPOSE_… (compose.h); or -errno */
	struct union_lookup lookup;
	struct path_list asked; /* the dependencies, as found by composing */
	/* of a file or a link; one reference. PROBLEM: a broken one, or the last good one */
	struct version *version;
	struct directory *directory; /* new, not shown yet; REFRESH: NULL */
	struct problem problem;      /* what is wrong with `version`; message "": nothing */
	uint64_t basis;              /* compose_basis() of `lookup` */
	bool is_failed;              /* a file system has failed, or a worker did not answer */
};

/* Noted when the publisher begins the look of a name (refresh.c). */
struct look_refresh {
	enum union_kind kind;  /* of the entry */
	struct look_plan plan; /* with is_patient, the look counts in view->looks.patient */
	bool is_large;         /* the look does not count in view->looks.under_way */
	bool is_known;         /* the kernel knows the directory that the entry is in */
	struct change *change; /* filled in when the publisher decides */
};

struct look {
	struct pool_job job; /* must be first: the pool returns it */
	struct view *view;
	enum look_purpose purpose;
	struct entry *entry; /* in use by the look, as is its directory (entry.h) */
	char *path;
	layer_mask layers;           /* that show the entry's directory */
	struct composer composer;    /* holds a reference to its settings */
	struct view_caller *callers; /* to be answered */
	struct version *shown;       /* shown when the look began; one reference; NULL: none */
	struct fallbacks fallbacks;  /* fallbacks for the sources of `shown` */
	struct directory *child;     /* shown when the look began; used by the look; NULL: none */
	uint64_t began;              /* revision of the view when the look began */
	uint64_t read;               /* revision of the view before the sources were last read */
	unsigned tries;              /* attempts that met a change of a source, or a writer */
	bool was_directory;          /* when the look began, or when the kernel forgot the name */
	bool is_entry_new;           /* the entry was made for this look */
	bool is_closed;              /* no caller may join the look: it takes long, or has ended */
	unsigned doubts;             /* an OR of enum compose_doubt (compose.h) */
	struct look_result result;
	struct look_refresh refresh; /* LOOK_REFRESH only */
	struct look *next; /* in view->looks.done, or in the parked looks of a candidate (gate.h) */
	struct look *next_same; /* the next look at `entry` */
};

/* Positive results, besides those of compose(). */
enum {
	LOOK_MET_WRITER = 16, /* a source was being written while the look read it */
	LOOK_IS_CURRENT = 17, /* no change: what is shown stays, or no program has read the file */
	LOOK_AT_GATE = 18,    /* REFRESH: the name is queued again when a check has judged */
	LOOK_IS_PARKED = 19,  /* FIRST: the look ends when a check has judged (gate.h) */
};

/** Makes a look at `entry`. The entry is in use until look_free(). NULL: no memory. */
struct look *look_new(struct view *view, struct entry *entry, enum look_purpose purpose);

/**
 * If look->was_directory, and none of the layers with the name could be examined, treats the name
 * as a directory. Does attach_leave_out_failed(). Does nothing in a REFRESH look.
 */
void look_heed_past(struct look *look);

/**
 * Removes from the lookup each layer that does not answer, if the shown version proves that this
 * layer neither had the file nor hid it. Returns whether any other layer is LAYER_LATE (layer.h).
 */
bool look_heed_silence(struct look *look);

/**
 * If a file system has failed, does attach_failed() for the name's directory. If a layer could not
 * be examined, does attach_unseen().
 */
void look_heed_unseen(struct look *look);

/** Returns whether result.version is compared with the version that the kernel forgot. */
static inline bool look_is_compared(const struct look *look)
{
	return look->entry->use->hook == HOOK_PINNED && look->refresh.plan.scope < SCOPE_FULL;
}

/** Begin a look: its union lookup at once, or in the pool. Both functions may free the look. */
void look_begin(struct look *look);
void look_begin_in_pool(struct look *look);

/** Ends a parked look, in the pool. `result`: 0; PROBLEM, with look->result.problem; or -errno. */
void look_judged(struct look *look, int result);

/** Returns whether the name has shown another object, or another time, since the look began. */
static inline bool look_is_overtaken(const struct look *look)
{
	return entry_has_news(look->entry, NEWS_TIME, look->began);
}

/** Frees a look, and ignores its result. If the look is the publisher's, queues the name again. */
void look_drop(struct look *look);

/** Frees a look. If the name had an event since the look began, queues the name again. */
void look_free(struct look *look);

/** Answers the callers with `result`, a result of view_lookup(), and with `stat`. */
void look_answer(struct view_caller *callers, int result, const struct stat *stat);

/** lookup.c: shows the result of a FIRST or STRICT look that has ended, and answers its callers. */
void lookup_end(struct look *look);

/**
 * lookup.c: detaches the callers from a look that takes long. Answers callers of a FIRST look with
 * a placeholder, and begins a new lookup for any other caller. Does nothing in a view without
 * placeholders.
 */
void lookup_takes_long(struct look *look);

/** lookup.c: looks the name up again for each caller. */
void lookup_again(struct view *view, const char *name, struct view_caller *callers);

/**
 * Look up and show a directory: `name` in `parent`, or the directory at `path`. Both may wait.
 * Return 0 with *ret for directory_leave(); -ENOENT; -ENOTDIR, also at or below a virtual file's
 * path; or another -errno.
 */
int lookup_enter(
	struct view *view, struct directory *parent, const char *name, struct directory **ret);
int lookup_enter_path(struct view *view, const char *path, struct directory **ret);
