/*
 * The objects that entries show, with their numbers and times. If the kernel forgets a path whose
 * content stays the same, the path keeps its number and times. ctime never goes back.
 */
#pragma once

#include "directory.h"

struct view;

/** Adds one kernel reference. */
void inode_hold(struct view *view, struct inode *inode);

/** Drops `count` kernel references. Frees the object if nothing else needs the object. */
void inode_forget(struct view *view, struct inode *inode, uint64_t count);

/** Returns the directory with this inode number, or NULL. */
struct directory *inode_directory(struct view *view, uint64_t ino);

/** Returns whether `version` has the fingerprint of the entry's version that the kernel forgot. */
bool entry_has_forgotten(const struct entry *entry, const struct version *version);

/**
 * Give a version its number and times, before it is shown. The first version of a path has the
 * times of its newest source. A later version has the present time as ctime. If the newest source's
 * time is at least 1 ms later than the former version's mtime, it becomes the mtime; otherwise the
 * present time does.
 *
 * entry_prepare_first() is for the first version of a path, and for the first one after the kernel
 * forgot the path. If the content is the forgotten one, the version gets the former number. If, in
 * addition, no source is newer than the former mtime, the version gets the former times.
 */
void entry_prepare_version(struct view *view, struct entry *entry, struct version *version);
void entry_prepare_first(struct view *view, struct entry *entry, struct version *version);

/**
 * Gives the shown file a new ctime, and the mtime of `found`, which has the same bytes. In a strict
 * mount, makes the kernel drop the former times.
 */
void entry_take_time(struct view *view, struct entry *entry, const struct version *found);

/** Returns whether the path shows a directory, or showed one when the kernel forgot the path. */
bool entry_was_directory(const struct view *view, const struct entry *entry);

/**
 * Returns whether the path showed exactly the directories that `found` has, when the kernel forgot
 * the path, or at the last entry_note_places().
 */
bool entry_was_of(
	const struct view *view, const struct entry *entry, const struct union_lookup *found);

/** Notes which directories the layers have at the path of a directory that the kernel forgot. */
void entry_note_places(struct entry *entry, const struct union_lookup *found);

/** Returns the inode number of the present object; if none, of the last; if none, of the next. */
uint64_t entry_ino(const struct entry *entry);

/** Reserves the inode number of the entry's first object, unless the entry has a number. */
void entry_reserve_ino(struct view *view, struct entry *entry);

/** Shows `version` at `entry`. The entry gets a reference of its own. */
void entry_show_version(struct view *view, struct entry *entry, struct version *version);

/** Shows the new `directory` at `entry`; NULL: the first lookup makes the directory. */
void entry_show_directory(struct view *view, struct entry *entry, struct directory *directory);

/** Makes the entry show nothing. If it showed a directory, all entries below show nothing, too. */
void entry_hide(struct view *view, struct entry *entry);

/** Sets the kind of a name. If the kind changes, updates dependency indexes (dependency.h). */
void entry_set_kind(struct view *view, struct entry *entry, enum union_kind kind);

/**
 * Sets the kind of a name in a directory that the kernel does not know, so nothing is published. If
 * the kind changes, hides the object, and ends the fault.
 */
void entry_note(struct view *view, struct entry *entry, enum union_kind kind);

/**
 * Makes `problem` the fault of the path. Logs it, unless it was the fault before. `shown` is the
 * version that is shown from now on; NULL: another mount lies on the path, and the former version
 * stays beneath that mount. `is_left_out` matters only if `shown` is no VERSION_BROKEN and was made
 * without fallbacks. True: `shown` leaves out broken sources or refused values. False: `shown` is
 * the last good version.
 */
void entry_set_fault(struct view *view, struct entry *entry, const struct problem *problem,
	const struct version *shown, bool is_left_out);

/** Returns whether a change of the path waits for the end of another mount on the path. */
static inline bool entry_is_covered(const struct entry *entry)
{
	return entry->use->fault && entry->use->fault->serves == FAULT_SERVES_COVERED;
}

/** If the path has a fault, ends it, and logs its end. */
void entry_clear_fault(struct view *view, struct entry *entry);

/** Notes news of an entry that has its own `use`. */
void entry_note_news(struct view *view, struct entry *entry, enum entry_news news);

/** Adds a user of the entry and of its directory. entry_leave() drops this user. */
void entry_enter(struct view *view, struct entry *entry);
void entry_leave(struct view *view, struct entry *entry);

/** Drops a user of the directory. Frees the directory and those above it, if nothing needs them. */
void directory_leave(struct view *view, struct directory *directory);

/** Returns the directory that the object at `path` lies in, or NULL. */
struct directory *directory_above(struct view *view, const char *path);

/** Returns the entry at `path`, or NULL. */
struct entry *entry_at(struct view *view, const char *path);
