/*
 * The objects of entries, with their numbers and times: the same content keeps its number and time
 * even if the kernel forgets it, other content has others, and time never goes back.
 */
#pragma once

#include "directory.h"

struct view;

/** Counts one kernel reference. */
void inode_hold_locked(struct view *view, struct inode *inode);

/** Drops `count` references. With the last one the object goes, if nothing else needs it. */
void inode_forget_locked(struct view *view, struct inode *inode, uint64_t count);

/** Returns the directory with this inode number, or NULL. */
struct directory *inode_directory_locked(struct view *view, uint64_t ino);

/** Returns whether `version` is exactly what the path showed before the kernel forgot it. */
bool entry_has_forgotten(const struct entry *entry, const struct version *version);

/**
 * Give a version its number and its times, before it is shown. The first version of a path has the
 * times of its newest source. Later ones have as ctime the time when they were made, and as mtime
 * that of the newest source, or ctime if that mtime is not newer by 1 ms or more.
 * entry_prepare_first_locked(): for the first version, or the first after the kernel forgot the
 * path, which gets the number and times that it had.
 */
void entry_prepare_version_locked(struct view *view, struct entry *entry, struct version *version);
void entry_prepare_first_locked(struct view *view, struct entry *entry, struct version *version);

/**
 * Gives the file the time of `found`, which has the same bytes, and whose only source has another
 * time now, even an earlier one. Its ctime becomes now.
 */
void entry_take_time_locked(struct entry *entry, const struct version *found);

/** Returns whether the path shows a directory, or did when the kernel forgot it. */
bool entry_was_directory_locked(const struct view *view, const struct entry *entry);

/** Gives the entry the number of its first object, unless it has one. */
void entry_reserve_ino_locked(struct view *view, struct entry *entry);

/** Makes `entry` show `version`, and takes one reference. */
void entry_show_version_locked(struct view *view, struct entry *entry, struct version *version);

/** Makes `entry` show `directory`, which is new; NULL: one that is made later. */
void entry_show_directory_locked(
	struct view *view, struct entry *entry, struct directory *directory);

/** Makes the entry show nothing. A directory dies with everything in it. */
void entry_hide_locked(struct view *view, struct entry *entry);

/** Sets the kind of a name, and updates the listing and dependent names. */
void entry_set_kind_locked(struct view *view, struct entry *entry, enum union_kind kind);

/** Sets the kind of a name in a directory that the kernel does not know. */
void entry_note_locked(struct view *view, struct entry *entry, enum union_kind kind);

/**
 * Sets the fault of the path, and logs a new one. `shown` is the version from now on; NULL: the
 * former one, because another mount lies on it. With `is_left_out` it is made without the broken
 * source, else it is the last good version.
 */
void entry_set_trouble_locked(struct view *view, struct entry *entry, const struct problem *problem,
	const struct version *shown, bool is_left_out);

/** Returns whether a change of the path waits for the end of a mount on it. */
static inline bool entry_is_covered(const struct entry *entry)
{
	return entry->trouble && entry->trouble->serves == TROUBLE_SERVES_COVERED;
}

/** Clears the fault of the path. */
void entry_clear_trouble_locked(struct view *view, struct entry *entry);

/** Take the entry and its directory in use, and release them. */
void entry_enter_locked(struct view *view, struct entry *entry);
void entry_leave_locked(struct view *view, struct entry *entry);

/** Drops one user. Frees unneeded directories, upwards. */
void directory_leave_locked(struct view *view, struct directory *directory);

/** Return the directory at the first `length` bytes of `path`, and the entry at `path`; or NULL. */
struct directory *directory_at_locked(struct view *view, const char *path, size_t length);
struct entry *entry_at_locked(struct view *view, const char *path);
