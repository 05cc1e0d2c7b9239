/*
 * The view: one tree over all layers, as it has been shown, and the versions that it shows.
 *
 *      lookup, list, read  ─┐                      ┌─  watch: something changed at this name
 *      (request threads)    ├─▶ directory, entry ◀─┤
 *                           │   version            └─  publisher: look again, and say what is to be
 *      look (pool)         ─┘                           published (one thread; refresh.h)
 *
 * The view knows neither FUSE nor the mount. A first look shows what it finds; what has been shown
 * is changed by view_apply_change() only, when the publisher's own system call has come back to us
 * through the kernel. What is composed is composed by the pool's threads (pool.h): a request that
 * needs it is answered from there, and neither a request nor the publisher waits for it.
 *
 * Any thread may call what is declared here.
 */
#pragma once

#include "rights.h"
#include "settings.h"
#include "trouble.h"
#include "version.h"

/* The root's inode number: FUSE_ROOT_ID. The numbers up to VIEW_INO_RESERVED belong to the driver.
 */
#define VIEW_INO_ROOT 1
#define VIEW_INO_RESERVED 15

/* The name in the root under which whoever shows the view keeps what is his own: no layer's. */
#define PLYFS_NAME ".plyfs"

/* Versions' bytes freed, after which the memory goes back to the system. */
#define VIEW_TRIM_BYTES (4u << 20)

struct keep;
struct pool_job;
struct runner;
struct view;
struct workers;

/* What a view asks of whoever shows it. Called with no lock held. */
struct view_callbacks {
	/*
	 * Logs a line without newline; NULL: nobody. `problem` is the same in its parts; NULL: it
	 * has none.
	 */
	void (*log)(void *context, const char *line, const struct problem *problem);

	/*
	 * Has the kernel forget a directory's attributes. 0, or -ENOENT where it does not know the
	 * inode, or not yet. NULL: there is no kernel.
	 */
	int (*tell)(void *context, uint64_t ino);

	/*
	 * Whether something is mounted on the path, and would be taken away if a lookup were
	 * answered with another object. NULL: nothing can be.
	 */
	bool (*is_covered)(void *context, const char *path);

	/* Lookups are answered with VIEW_PROMISE rather than late. */
	bool takes_promises;

	/* What can't be shown leaves what was there, as a rendered tree does. */
	bool keeps_rendered;
	void *context;
};

/**
 * A view over the settings' layers, which it takes a reference to, and watches.
 * Returns 0 with *ret for view_free(), or -errno.
 */
int view_new(struct settings *settings, const struct view_callbacks *callbacks, struct view **ret);

/**
 * Has the programs of plyfs.yaml run by `runner`, which is listened to from view_start() until
 * view_stop(), and must outlive the view. NULL: there are none.
 */
void view_set_runner(struct view *view, struct runner *runner);

/**
 * Has what was shown kept, beyond what the kernel remembers, from view_start() until view_stop().
 * It must outlive the view. NULL: it is not.
 */
void view_set_keep(struct view *view, struct keep *keep);

/**
 * Has workers (worker.h) merge, from view_start() on, and look into remote layers (layer_task.h)
 * from now on, instead of this process; for one view of a process at a time. Returns 0 or -ENOMEM.
 */
int view_use_workers(struct view *view);
struct workers *view_workers(struct view *view);

/** No thread may use it any more. */
void view_free(struct view *view); /* NULL: nothing */
void view_freep(struct view **view);

/**
 * Makes the pool's threads, before the first request and after the last fork(2). Without, whoever
 * needs something composed does it himself, as tests want it. 0 or -errno.
 */
int view_start(struct view *view);

/** Ends them. Lookups that are not answered yet are answered with -ENOTCONN. */
void view_stop(struct view *view);

/**
 * Nothing is looked at or composed any more, by a publisher at rest and with no request under way.
 * What was begun is looked at again after view_resume(), but lookups that are not answered yet are
 * answered with -ENOTCONN, now or then; those that wait for a check, later. view_resume(): 0 or
 * -errno.
 */
void view_pause(struct view *view);
int view_resume(struct view *view);

/** Makes the view look at everything again: changes may have happened without an event. */
void view_look_again(struct view *view);

/** Reports an event at the path, relative to the root, that inotify does not report. */
void view_note_event(struct view *view, const char *path);

/** Has the pool run a job that reads about `bytes`; UINT64_MAX: behind all that is to be shown
 * (pool.h). */
void view_run(struct view *view, struct pool_job *job, uint64_t bytes);

/* Positive results of view_lookup(). */
enum {
	VIEW_PASSING = 1, /* as 0, but the name must be asked for again: it is not to be cached */
	VIEW_LATER = 2,   /* the caller will be answered */
	VIEW_PROMISE = 3, /* a file that is being composed: nothing is known but its number */
	VIEW_GOING = 4, /* as -ENOENT, but not to be cached: that it went is yet to be published */
};

/* Who waits for a lookup. It stays as it is until it is answered. */
struct view_caller {
	/*
	 * Gives what view_lookup() would have returned, and what it shows. Called once, by
	 * any thread, with no lock held; the caller may free itself there.
	 */
	void (*answer)(struct view_caller *caller, int result, const struct stat *stat);

	uint64_t parent; /* the directory's number */

	/* private to the view */
	struct view_caller *next;
};

/**
 * Looks a name up, as the kernel's LOOKUP: what is found counts one more kernel reference, to be
 * given back by view_forget(). Without a `caller` it is the publisher who asks, and sees what it is
 * about to take away or to replace.
 *
 * Returns 0, VIEW_PASSING or VIEW_PROMISE with *ret; VIEW_LATER; VIEW_GOING; or -errno: -ENOENT for
 * no such name.
 */
int view_lookup(struct view *view, uint64_t parent, const char *name, struct view_caller *caller,
	struct stat *ret);

/**
 * Whether the user may search `parent` and the directories above, if somebody was ever shut out of
 * one of them: the kernel asks before each lookup, but by what it knew then (attributes.h).
 */
bool view_lets_in(struct view *view, uint64_t parent, const struct user *user);

void view_forget(struct view *view, uint64_t ino, uint64_t count);

/** Whether VIEW_TRIM_BYTES or more were freed since it last returned true. */
bool view_was_freed(struct view *view);

/**
 * Whether `ino` is promised only: then it returns VIEW_LATER, and the caller is answered when the
 * object can be asked for, with 0 and caller->parent its directory's number, or with -ESTALE when
 * its path must be walked once more. Else returns 0.
 */
int view_await(struct view *view, uint64_t ino, struct view_caller *caller);

/** Whether it would. */
bool view_is_promised(struct view *view, uint64_t ino);

/** Who waits does so no longer. False: he is being answered, or has been. */
bool view_give_up(struct view *view, uint64_t ino, struct view_caller *caller);

/** stat(2) of an object that the kernel knows. 0, or -ESTALE also for one that is promised. */
int view_stat(struct view *view, uint64_t ino, struct stat *ret);

/** The version with that number: 0 with *ret for version_unref(), -EISDIR or -ESTALE. */
int view_version(struct view *view, uint64_t ino, struct version **ret);

/** Nobody will ask for the layers and sources of the version: their names need no memory. */
void view_drop_names(struct view *view, struct version *version);

/**
 * Calls `each` for the names behind `cookie`, in the order of their cookies, until it returns
 * false. Cookies hold as long as a name does, so a listing in parts neither misses nor doubles it.
 * Returns 0 or -errno.
 */
int view_list(struct view *view, uint64_t ino, uint64_t cookie,
	bool (*each)(void *context, const char *name, uint64_t ino, mode_t type, uint64_t cookie),
	void *context);

/* What a version tells of itself, as the extended attributes have it. */
enum view_attribute {
	VIEW_LAYERS,       /* "vendor:site" */
	VIEW_SOURCES,      /* source_list.h */
	VIEW_STRATEGY,     /* its name */
	VIEW_ERROR,        /* trouble_text() */
	VIEW_CAUSE,        /* its problem alone: no times */
	VIEW_PUBLIC_ERROR, /* … but for what it says of the sources */
};

/**
 * An attribute of the file that shows `ino`. Returns 0 with *ret for free(3), -ENODATA when it has
 * none, or -ENOMEM.
 */
int view_attribute(struct view *view, uint64_t ino, enum view_attribute attribute, char **ret);

/** Calls `each` for every path in trouble, in no order. Holds the lock meanwhile. */
void view_troubles(struct view *view,
	void (*each)(void *context, const char *path, const struct trouble *trouble),
	void *context);

/* Files whose check is not there. */
struct view_unchecked {
	const char *program;
	const char *why; /* "is not installed" or "can't be executed"; static */
	size_t files;
	size_t shown; /* of these, whose check is optional */
};

/** Calls `each` for every program that is not there. Holds the lock meanwhile. */
void view_unchecked(struct view *view,
	void (*each)(void *context, const struct view_unchecked *unchecked), void *context);

/* How it is with a command that is run after changes. */
struct notice_state {
	char *name; /* the program's */
	bool is_running;
	bool is_given_up;       /* it failed too often: the next change has it tried again */
	unsigned failures;      /* on end */
	size_t waiting;         /* paths that it has not been told of, or is just being told of */
	int64_t again_ms;       /* until it is tried again; 0: it need not be, or at once */
	struct timespec began;  /* CLOCK_REALTIME: its last run; 0: there was none */
	struct timespec ended;  /* likewise; before `began` while it runs */
	struct problem problem; /* a message: its last run failed */
};

/** Calls `each` for every command that has been run, or is to be. Holds the lock meanwhile. */
void view_notices(struct view *view, void (*each)(void *context, const struct notice_state *state),
	void *context);

/** Whoever is to be told that the path has changed will be, as if the publisher had done it. */
void view_note_change(struct view *view, const char *path);

/** Nobody is told of changes until they are not held any more: they can't be seen yet. */
void view_hold_notices(struct view *view, bool are_held);

/**
 * Where there is no publisher: tells of what was noted, and waits for that. Returns how many of the
 * commands failed.
 */
unsigned view_tell_notices(struct view *view);

/**
 * Shows a version that belongs to no path, under a new number and with one kernel reference.
 * Takes over the caller's reference.
 */
void view_adopt(struct view *view, struct version *version, struct stat *ret);

/** The settings in force, for settings_unref(). */
struct settings *view_settings(struct view *view);

/** Who mounts: the user that the view was made by. */
struct mounter view_mounter(const struct view *view);

/* How things stand. */
struct view_counts {
	size_t versions;      /* that are shown or held by the kernel */
	size_t version_bytes; /* in memory */
	size_t files; /* that show a version: files of the layers, which a reader has asked for */
	size_t cache_bytes;
	size_t troubles; /* paths in trouble */
	size_t watches;
	uint64_t compositions; /* since the start, as all that follows */
	uint64_t overflows;    /* of inotify's queue */
	int watch_error;       /* the first errno that a watch could not be set with; 0: none */
	bool is_polling;       /* some directory can't be watched, or not for all that changes it */
	bool is_remote;        /* … because of its file system */
};

void view_count(struct view *view, struct view_counts *ret);
