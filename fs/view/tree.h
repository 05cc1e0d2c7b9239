/*
 * What the view's own files share: how objects are shown, held and let go. All of it wants the
 * view's lock held, unless it says otherwise.
 */
#pragma once

#include "listing.h"
#include "view.h"

/* What a thread works with while it holds no lock: the settings of one era. */
struct era {
	uint64_t number;
	uint64_t writes;          /* view->writes when it was taken */
	struct composer composer; /* its settings are counted */
};

/** The present era; the lock is held. Ended by era_fini(), with or without the lock. */
void era_init(const struct view *view, struct era *era);
void era_fini(struct era *era);

/** Counts one kernel reference. */
void tree_hold(struct view *view, struct inode *inode);

/** Whether `version` is the very content that the path showed before the kernel forgot it. */
bool tree_is_forgotten_version(const struct entry *entry, const struct version *version);

/**
 * Gives a version its number and its time, before anybody sees it: later than what the path showed
 * before. The first version that a path shows, or shows again after the kernel forgot it, gets the
 * number and time it had.
 */
void tree_prepare_version(struct view *view, struct entry *entry, struct version *version);
void tree_prepare_first_version(struct view *view, struct entry *entry, struct version *version);

/** Gives the entry the number that its first object will have, unless it has one. */
void tree_reserve_ino(struct view *view, struct entry *entry);

/** Lets `entry` show `version` (one reference is taken) in place of what it showed. */
void tree_show_version(struct view *view, struct entry *entry, struct version *version);

/** Lets `entry` show `directory`, which is not shown yet, or NULL for one still to be made. */
void tree_show_directory(struct view *view, struct entry *entry, struct directory *directory);

/** The entry shows nothing any more; a directory dies with all that is in it. */
void tree_hide(struct view *view, struct entry *entry);

/** Sets what a name is shown as; who refers to it, or lists it, hears of a change. */
void tree_set_kind(struct view *view, struct entry *entry, enum union_kind kind);

/** Takes note of what a name is now, in a directory that the kernel does not know. */
void tree_note(struct view *view, struct entry *entry, enum union_kind kind);

/**
 * Sets what is wrong with the path, and logs it, if it is news. `shown` is what it shows from now
 * on; with `is_left_out` that is made without the broken source, else it is the last good version.
 */
void tree_set_trouble(struct view *view, struct entry *entry, const struct problem *problem,
	const struct version *shown, bool is_left_out);

/** Nothing is wrong with the path. */
void tree_clear_trouble(struct view *view, struct entry *entry);

/** One user less; frees what nothing needs any more, upwards. */
void tree_leave(struct view *view, struct directory *directory);

/** Frees the entry if nothing needs it. */
void tree_tidy(struct view *view, struct entry *entry);

/** One user less of the entry and of the directory that it is in, as tree_tidy(), tree_leave(). */
void tree_end_look(struct view *view, struct entry *entry);

/** coherence=strict. The lock is held, or the publisher calls. */
bool tree_is_strict(const struct view *view);

/** The directory that has this inode number, or NULL. */
struct directory *tree_directory_of(struct view *view, uint64_t ino);

/** The directory in memory at the first `length` bytes of `path`, or NULL. */
struct directory *tree_directory_at(struct view *view, const char *path, size_t length);

/** Wakes the refresher's thread. */
void tree_wake(struct view *view);

/** Has the refresher look at the entry, at once; or list the directory. */
void tree_queue(struct view *view, struct entry *entry);
void tree_queue_rescan(struct view *view, struct entry *entry, bool is_poll);
void tree_queue_scan(struct view *view, struct directory *directory, bool is_rescan);

/** The refresher's: lists one of the directories that wait for it. Returns false when none does. */
bool tree_scan_next(struct view *view);

/**
 * Around a listing that is taken without the lock and then installed: a name that goes meanwhile
 * keeps an entry that says so, or the listing would bring it back. The lock is held.
 */
void tree_begin_listing(struct directory *directory);
void tree_end_listing(struct directory *directory);

/** Gives entries to what a listing found, without publishing anything. Takes and drops the lock. */
void tree_install_listing(
	struct view *view, struct directory *directory, const struct listing *listing);

/**
 * Makes the directory that `lookup` shows, watched but not shown. It counts as one of the
 * parent's users, and the caller as one of its own, until it is shown. Takes the lock. Returns 0
 * with *ret to be shown, or dropped by tree_drop_directory(); or -errno.
 */
int tree_make_directory(struct view *view, const struct era *era, struct directory *parent,
	const char *name, const struct union_lookup *lookup, struct directory **ret);
void tree_drop_directory(struct view *view, struct directory *directory);

/**
 * Gives entries to the names that expanding shows in `directory`, of which `listing` has the
 * layers' own; with `is_refresh` has them refreshed as well. Takes the lock. 0 or -errno.
 */
int tree_expand(struct view *view, const struct composer *composer, struct directory *directory,
	const struct listing *listing, bool is_refresh);

/** Makes the listing complete, if it is not. Takes the lock; the directory must be in use. */
int tree_complete(struct view *view, struct directory *directory);

/**
 * The directory `name` in `parent`, or `path` from the root, one more user of which is the caller.
 * Takes the lock. Returns 0, -ENOENT, -ENOTDIR or another -errno.
 */
int tree_enter(
	struct view *view, struct directory *parent, const char *name, struct directory **ret);
int tree_enter_path(struct view *view, const char *path, struct directory **ret);

/** Watches `path` in the layers of `layers`. Takes no lock. */
void tree_watch(struct view *view, const struct settings *settings, struct directory *directory,
	layer_mask layers);

/** Has a complete listing say what the layers say now, ahead of the publisher. The lock is held. */
void tree_sync_listing(
	struct view *view, struct directory *directory, const struct listing *listing);

/**
 * A directory that is shown is one still; but other layers may show it, or other directories in the
 * same layers. Takes the lock. Returns whether the kernel has yet to be told of another mode, owner
 * or time.
 */
bool tree_update_directory(struct view *view, const struct settings *settings,
	struct directory *directory, const struct union_lookup *lookup);

/**
 * Before anything that was read in `directory` is shown: who was shut out of it, or of a directory
 * above it, before that was written there must not read it by rights that the kernel remembers. So
 * where something was reported of one of them, its rights are looked up, and the kernel is told.
 * The lock is held, and dropped meanwhile; the directory must be in use. Returns 0 or -errno, and
 * then nothing may be shown.
 */
int tree_settle_rights(struct view *view, struct directory *directory);

/** The last step of it: tells what is known and untold. */
void tree_tell_rights(struct view *view, struct directory *directory);

/** Whether somebody was shut out of the directory, or one above it, since then (clock_ms()). */
bool tree_is_narrowed(const struct directory *directory, int64_t since_ms);

/**
 * The rights to be shown of those that were found: at once what they take away; what they give only
 * when nothing is shown in the directory that was written, or stood there, before they did, and if
 * all layers are known.
 */
struct rights tree_admit(struct view *view, struct directory *directory, bool is_known);

/** Has the directory looked at again, if that is to be found out. */
void tree_await_calm(struct view *view, struct directory *directory);

/** Whether the directory's mode and owner are those of what was found, as at the last look. */
bool tree_has_rights(const struct view *view, const struct directory *directory,
	const struct union_lookup *lookup);

/** Mode, owner and time from what was found. */
void tree_describe_directory(
	struct view *view, struct directory *directory, const struct union_lookup *lookup);
