/*
 * The view: the tree that is shown at the moment, and its versions.
 *
 *      lookup, list, read  ─┐                      ┌─  watch: something changed at this name
 *      (request readers)    ├─▶ directory, entry ◀─┤
 *                           │   version            └─  publisher: look up again, and find the next
 *      look (pool)         ─┘                           change to publish (refresh.h)
 *
 * The view knows neither FUSE nor the mount. The first lookup of a name shows the object that it
 * finds. From then on only view_apply_change() (change.h) changes what the name shows. In a mount,
 * the driver calls this function when the publisher's system call, such as a rename, arrives as a
 * request. The pool (pool.h) composes files, and answers the requests that wait for them.
 *
 * A view belongs to one thread, whose coroutines (coroutine.h) use it.
 */
#pragma once

#include "fault.h"
#include "record.h"
#include "rights.h"
#include "settings.h"
#include "version.h"

/* The root's inode number is FUSE_ROOT_ID. Numbers up to VIEW_INO_RESERVED are the driver's. */
#define VIEW_INO_ROOT 1
#define VIEW_INO_RESERVED 15

/* Bytes of freed versions after which the publisher trims the heap (malloc_trim(3)). */
#define VIEW_TRIM_BYTES (4u << 20)

struct last_good;
struct pool_job;
struct runner;
struct view;
struct workers;

/* The use of a view. */
enum view_use {
	VIEW_PLAIN,
	VIEW_MOUNTED, /* the view may answer a slow lookup with VIEW_PLACEHOLDER */
	/* no lookup is strict; if a file can't be made, its fault says that an old file stays */
	VIEW_RENDERED,
	/* coherence=strict: each lookup compares what is shown with the layers. Only view_new()
	 * sets this value, in place of VIEW_PLAIN or VIEW_MOUNTED */
	VIEW_STRICT,
};

/* The callbacks of the driver, or of a rendering. */
struct view_callbacks {
	/* Logs a line without newline, about `problem` (NULL: about no problem). May be NULL. */
	void (*log)(void *context, const char *line, const struct problem *problem);

	/* Makes the kernel drop an object's attributes, or updates the rendered directory.
	 * Returns 0; or -ENOENT if the kernel does not know the inode (yet). May be NULL. */
	int (*notify)(void *context, uint64_t ino);

	/* Returns whether another file system is mounted on the path. NULL: none can be. */
	bool (*is_covered)(void *context, const char *path);

	enum view_use use;

	/* The seed for compose_basis() (compose.h); 0: the view computes no basis. */
	uint64_t basis_seed;
	void *context;
};

/**
 * Makes a view over the settings' layers, and watches them. Takes a reference to `settings`.
 * Returns 0 with *ret for view_freep(), or -errno.
 */
int view_new(struct settings *settings, const struct view_callbacks *callbacks, struct view **ret);

/**
 * Sets the runner of the commands in plyfs.yaml; NULL: there is no plyfs.yaml. The runner runs from
 * view_start() until view_stop(), and must outlive the view.
 */
void view_set_runner(struct view *view, struct runner *runner);

/**
 * Sets the last-good store for versions that the kernel has forgotten; NULL: none. The view uses
 * the store from view_start() until view_stop(). The store must outlive the view.
 */
void view_set_last_good(struct view *view, struct last_good *last_good);

/**
 * From this call on, workers (worker.h) look into remote layers (layer_task.h). From view_start()
 * on, they also merge files. Only one view of a process may have workers at a time. Returns 0 or
 * -ENOMEM.
 */
int view_use_workers(struct view *view);
struct workers *view_workers(struct view *view);

/** Frees the view. Call it when the publisher and the readers of requests have ended. */
void view_freep(struct view **place); /* *place NULL: does nothing */

/**
 * Starts the pool. Call it before the first request, and after the helper processes are forked
 * (helper.h). Without this call, each caller composes for itself. Returns 0 or -errno.
 */
int view_start(struct view *view);

/** Ends all jobs, checks and change hooks. Answers waiting lookups with -ENOTCONN. May wait. */
void view_stop(struct view *view);

/**
 * view_pause() stops all jobs. Call it when the publisher and the readers of requests have ended.
 * Answers waiting lookups with -ENOTCONN, except those that wait for a check. May wait.
 * view_resume() lets jobs run again, and returns 0 or -errno.
 */
void view_pause(struct view *view);
int view_resume(struct view *view);

/** Makes the view look everything up again, because events may be missing. */
void view_look_again(struct view *view);

/** Reports to the view an event that inotify does not report. `path` is relative to the root. */
void view_note_event(struct view *view, const char *path);

/** Do pool_add() and pool_add_later() with the view's pool. `bytes` UINT64_MAX: unknown. */
void view_run(struct view *view, struct pool_job *job, uint64_t bytes);
void view_run_later(struct view *view, struct pool_job *job, unsigned delay_us);

/* Positive results of view_lookup(). */
enum {
	VIEW_PASSING = 1,     /* as 0, but the kernel must not cache the name */
	VIEW_LATER = 2,       /* not known yet: caller->answer will be called, or was */
	VIEW_PLACEHOLDER = 3, /* a file that is being composed: it has a placeholder inode */
	VIEW_GOING = 4,       /* as -ENOENT, but not cacheable: the removal is not published yet */
};

/*
 * A caller of view_lookup() or view_await(). If the function returns VIEW_LATER, the struct belongs
 * to the view until `answer` is called, or until view_give_up() returns true. After any other
 * result, `answer` is not called.
 */
struct view_caller {
	/*
	 * Gets the result: that of view_lookup(), with the attributes; or that of view_await(),
	 * with `stat` NULL. Called once, perhaps before the function returns. May free the struct.
	 */
	void (*answer)(struct view_caller *caller, int result, const struct stat *stat);

	uint64_t parent;          /* the directory's number */
	struct view_caller *next; /* private to the view */
};

/**
 * Looks a name up for the kernel's LOOKUP. May wait. A found object gets one more kernel reference,
 * for view_forget(). If `caller` is NULL, the LOOKUP is the publisher's, and finds the object that
 * is about to be removed or replaced.
 *
 * Returns 0, VIEW_PASSING or VIEW_PLACEHOLDER with *ret; VIEW_LATER; VIEW_GOING; or -errno, which
 * is -ENOENT if there is no such name.
 */
int view_lookup(struct view *view, uint64_t parent, const char *name, struct view_caller *caller,
	struct stat *ret);

/**
 * Looks a name up in the layers, and returns its basis (compose_basis()); 0: it has none. May wait.
 * If a version was made of this basis, with the present settings and by this program, view_lookup()
 * would give the same content now.
 */
uint64_t view_basis(struct view *view, uint64_t parent, const char *name);

/**
 * Returns whether the user may search `parent` and the directories above it. If no right to these
 * directories was ever taken away, returns true: the kernel checks the user.
 */
bool view_lets_in(struct view *view, uint64_t parent, const struct user *user);

/** Drops `count` kernel references to the object. */
void view_forget(struct view *view, uint64_t ino, uint64_t count);

/**
 * Returns whether VIEW_TRIM_BYTES of versions were freed since the last call that returned true.
 */
bool view_was_freed(struct view *view);

/**
 * If `ino` is a placeholder that has not ended (placeholder.h), adds `caller` to its waiters, sets
 * caller->parent to the number of the placeholder's directory, and returns VIEW_LATER. If not,
 * returns 0. A waiter gets 0; -ESTALE if the kernel must walk the path again; or another -errno.
 */
int view_await(struct view *view, uint64_t ino, struct view_caller *caller);

bool view_is_placeholder(struct view *view, uint64_t ino);

/** Cancels a caller of view_await(). Returns false if the caller is being answered, or was. */
bool view_give_up(struct view *view, uint64_t ino, struct view_caller *caller);

/** Gets the attributes of an object. Returns 0; -ESTALE: `ino` is unknown, or a placeholder. */
int view_stat(struct view *view, uint64_t ino, struct stat *ret);

/** Gets the version `ino`, for version_unref(). Returns 0; -EISDIR; or -ESTALE, as view_stat(). */
int view_version(struct view *view, uint64_t ino, struct version **ret);

/** Frees the names of the version's layers and sources. view_attribute() no longer has them. */
void view_drop_names(struct version *version);

typedef bool view_name_taker(
	void *context, const char *name, uint64_t ino, mode_t type, uint64_t cookie);

/**
 * Calls `each`, which must not wait, for the names with cookies above `cookie`, in the order of
 * these cookies, until `each` returns false. A name keeps its cookie as long as the name is in the
 * directory. If layers must be asked, and their answers may take long (settings_may_wait()), waits
 * for them with `may_wait`, and without it does nothing and returns VIEW_LATER. Otherwise returns 0
 * or -errno.
 */
int view_list(struct view *view, uint64_t ino, uint64_t cookie, bool may_wait,
	view_name_taker *each, void *context);

/* The extended attributes of a version. */
enum view_attribute {
	VIEW_LAYERS,       /* "vendor:site" */
	VIEW_SOURCES,      /* struct source_list (version.h) */
	VIEW_STRATEGY,     /* its name */
	VIEW_ERROR,        /* fault_text() */
	VIEW_CAUSE,        /* the text of fault.problem alone */
	VIEW_PUBLIC_ERROR, /* VIEW_ERROR without the source and the reason */
};

/** Gets an attribute of the version `ino`, for free(3). Returns 0; -ENODATA: none; or -ENOMEM. */
int view_attribute(struct view *view, uint64_t ino, enum view_attribute attribute, char **ret);

/** Calls `each`, which must not wait, for every path with a fault, in no order. */
void view_faults(struct view *view,
	void (*each)(void *context, const char *path, const struct fault *fault), void *context);

/* Files whose check program is missing. */
struct view_unchecked {
	const char *program;
	const char *why; /* "is not installed" or "can't be executed"; static */
	size_t files;
	size_t shown; /* how many of `files` are shown, because their check is optional */
};

/** Calls `each`, which must not wait, for every missing program. */
void view_unchecked(struct view *view,
	void (*each)(void *context, const struct view_unchecked *unchecked), void *context);

enum change_hook_phase {
	CHANGE_HOOK_RESTS,
	CHANGE_HOOK_RUNS,
	CHANGE_HOOK_GIVEN_UP, /* it failed too often, and waits for the next change */
};

/* The state of a command of on_change. */
struct change_hook_state {
	char *name; /* of the program */
	enum change_hook_phase phase;
	unsigned failures;      /* in a row */
	size_t waiting;         /* paths that wait for a run, or whose run is under way */
	int64_t again_ms;       /* milliseconds left of the pause after a failure; 0: no pause */
	struct timespec began;  /* CLOCK_REALTIME: when its last run began; 0: it has not run */
	struct timespec ended;  /* CLOCK_REALTIME: when a run last ended; 0: none has */
	struct problem problem; /* of the run that last ended; no message: that run did not fail */
};

/** Calls `each`, which must not wait, for every command that was run or waits for a run. */
void view_change_hooks(struct view *view,
	void (*each)(void *context, const struct change_hook_state *state), void *context);

/**
 * Notes a change of the path, for the path's on_change. The path shows the change already, or will
 * show it at its next lookup.
 */
void view_note_change(struct view *view, const char *path);

/** If `are_held`, the view starts no command of on_change until a call with false. */
void view_hold_change_hooks(struct view *view, bool are_held);

/**
 * Runs the commands for the noted changes, and waits for their end. Returns how many failed. Call
 * it only if there is no publisher.
 */
unsigned view_run_change_hooks(struct view *view);

/**
 * Gives a new inode number and one kernel reference to `version`, which belongs to no path. Takes
 * over the caller's reference. *ret gets the attributes.
 */
void view_adopt(struct view *view, struct version *version, struct stat *ret);

/** Returns the settings in force, for settings_unref(). */
struct settings *view_settings(struct view *view);

struct mounter view_mounter(const struct view *view);

/** Returns the flag that makes jobs end with -ECANCELED while the view is paused or stopped. */
const atomic_bool *view_cancels(const struct view *view);

/* Whether directories must be polled, as no watch sees all of their changes. */
enum view_polling {
	POLLING_NONE,
	POLLING_SOME,
	POLLING_REMOTE, /* one of them has a layer on a remote file system */
};

/* Figures for the status. */
struct view_counts {
	size_t versions;      /* with a kernel reference */
	size_t version_bytes; /* of these, in memory */
	size_t files;         /* paths that show a version, because a reader has looked them up */
	size_t cache_bytes;
	size_t faults; /* paths with a fault */
	size_t watches;
	uint64_t compositions; /* since the start */
	uint64_t overflows;    /* of inotify's queue, since the start */
	int watch_error;       /* the last errno with which a watch failed; 0: none */
	enum view_polling polling;
};

void view_count(struct view *view, struct view_counts *ret);

/*
 * A view's state: what the kernel knows of the view, as a record (record.h) for a new view.
 *
 * The record has the objects with their numbers, kernel references, bytes, rights and times; the
 * cookies of names; faults; and the paths that wait for a change hook, or whose hook runs. It does
 * not have what the layers show, or looks (look.h) under way: the new view looks everything up
 * again, and publishes the differences.
 */
/** Writes the state into `record`. Call it after view_pause(), when the publisher has ended. */
void view_put_state(struct view *view, struct record *record);

/**
 * Puts the objects of the record into `view`, which must be new: call it before view_start().
 * Returns 0; -EBADMSG; or another -errno. After an error the view can only be freed.
 */
int view_take_state(struct view *view, struct record *record);
